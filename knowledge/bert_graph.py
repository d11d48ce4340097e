"""A BERT sentence encoder as an ONNX graph, made straight from a model folder: no torch, no export, no copy of the weights.

The graph is a few kilobytes of operators; the weights stay where they are, mapped from ``model.safetensors``. So there is nothing
to cache, and a start costs milliseconds. The operators are the fused ones of ONNX Runtime (domain ``com.microsoft``), which its
optimiser would otherwise look for with each start. Mean pooling and the scaling to length 1 are in the graph.
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from onnx import NodeProto, TensorProto, ValueInfoProto

Weights = dict[str, npt.NDArray[Any]]

#: Names of the graph's inputs, both (texts, tokens): token ids, int64, and 1 where a token is, 0 where padding, int32.
TOKENS, MASK = "input_ids", "attention_mask"
#: Name of its output, float32, (texts, dimension).
VECTORS = "vectors"

_FUSED = "com.microsoft"
#: Smaller weights are written into the graph, since ONNX Runtime reads shapes from there.
_INLINE_BYTES = 256
_OPSET, _IR_VERSION = 17, 9
#: Weights of int8 products lie between this and its negative.
_MOST_OF_A_WEIGHT = 63


class UnknownModel(ValueError):
    """The folder holds no BERT that this graph computes: another architecture, other weights, another pooling."""


def read_weights(file: Path) -> Weights:
    """The float32 tensors of a safetensors file, by name, mapped into memory once a process and read from disk when first used.

    The format: 8 bytes for the header's length, the header as JSON, the data. Raises ``UnknownModel`` for a file of another kind.
    """
    try:
        data = np.frombuffer(_mapped(file, file.stat().st_mtime_ns), np.uint8)
        start = 8 + int.from_bytes(data[:8].tobytes(), "little")
        header: dict[str, Any] = json.loads(data[8:start].tobytes())
        return {
            name: data[start + entry["data_offsets"][0] : start + entry["data_offsets"][1]]
            .view(np.float32)
            .reshape(entry["shape"])
            for name, entry in header.items()
            if entry.get("dtype") == "F32"
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UnknownModel(f"{file} is not a whole safetensors file: {error}") from error


def let_go(file: Path) -> None:
    """Give back the memory that reading a file's weights took, where the system can; what is used again is read again.

    A session has copied most of them into a form of its own, and the whole file would stay in this process beside it.
    """
    if hasattr(mmap, "MADV_DONTNEED"):
        _mapped(file, file.stat().st_mtime_ns).madvise(mmap.MADV_DONTNEED)


@lru_cache(maxsize=2)
def _mapped(file: Path, changed: int) -> mmap.mmap:
    """The file's bytes; ``changed``, when it was written, has a file that was replaced mapped anew."""
    with file.open("rb") as opened:
        return mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)


def read_config(folder: Path) -> dict[str, Any]:
    """The model's ``config.json``. Raises ``UnknownModel`` where it or the pooling is not what the graph computes."""
    config: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    pooling = json.loads((folder / "1_Pooling" / "config.json").read_text(encoding="utf-8"))
    modes = {name for name, chosen in pooling.items() if name.startswith("pooling_mode_") and chosen}
    told = (
        config.get("model_type"),
        config.get("hidden_act"),
        config.get("position_embedding_type", "absolute"),
        modes,
    )
    if told != ("bert", "gelu", "absolute", {"pooling_mode_mean_tokens"}):
        raise UnknownModel(f"{folder} is not a BERT with GELU, absolute positions and mean pooling.")
    return config


def bert_graph(config: dict[str, Any], weights: Weights, *, int8: bool = False) -> tuple[bytes, Weights]:
    """The model as serialised ONNX, and the weights that it names but does not hold.

    Args:
        config: as ``config.json`` has it.
        weights: as ``read_weights`` returns them.
        int8: multiply in whole numbers of eight bits. What goes into a product is scaled by its own extremes, its weights by
            those of each output (7 bits of them, so that no processor's sums overflow). Faster, and a little off.

    Raises:
        UnknownModel: a weight is missing.
    """
    try:
        return (_Int8Builder if int8 else _Builder)(config, weights).build()
    except KeyError as error:
        raise UnknownModel(f"The model has no weights named {error}.") from error


class _Builder:
    """Collects nodes; each method adds some and returns the name of their result."""

    def __init__(self, config: dict[str, Any], weights: Weights) -> None:
        self._config = config
        self._given = weights
        self._nodes: list[NodeProto] = []
        self._used: Weights = {}

    def build(self) -> tuple[bytes, Weights]:
        from onnx import TensorProto, helper

        hidden = self._embed()
        for layer in range(self._config["num_hidden_layers"]):
            hidden = self._layer(hidden, f"encoder.layer.{layer}.")
        self._pool(hidden)
        shape = ["texts", "tokens"]
        inputs: list[ValueInfoProto] = [
            helper.make_tensor_value_info(TOKENS, TensorProto.INT64, shape),
            helper.make_tensor_value_info(MASK, TensorProto.INT32, shape),
        ]
        size = self._config["hidden_size"]
        outputs = [helper.make_tensor_value_info(VECTORS, TensorProto.FLOAT, ["texts", size])]
        held = [_tensor(name, array) for name, array in self._used.items()]
        model = helper.make_model(
            helper.make_graph(self._nodes, "bert", inputs, outputs, held),
            opset_imports=[helper.make_opsetid("", _OPSET), helper.make_opsetid(_FUSED, 1)],
            ir_version=_IR_VERSION,
        )
        return model.SerializeToString(), {n: a for n, a in self._used.items() if a.nbytes >= _INLINE_BYTES}

    def _embed(self) -> str:
        """Words plus positions. Every token of a text has type 0, whose vector is added to the positions here once."""
        positions = (
            self._given["embeddings.position_embeddings.weight"]
            + self._given["embeddings.token_type_embeddings.weight"][0]
        )
        length = self._add("Shape", TOKENS, start=1, end=2)
        zero = self._own("zero", np.zeros(1, np.int64))
        words = self._add("Gather", self._weight("embeddings.word_embeddings.weight"), TOKENS)
        places = self._add("Slice", self._own("positions", positions), zero, length, zero)
        norm = (self._weight("embeddings.LayerNorm.weight"), self._weight("embeddings.LayerNorm.bias"))
        return self._add(
            "LayerNormalization",
            self._add("Add", words, places),
            *norm,
            axis=-1,
            epsilon=self._config["layer_norm_eps"],
        )

    def _layer(self, hidden: str, layer: str) -> str:
        parts = [f"{layer}attention.self.{part}" for part in ("query", "key", "value")]
        weight = np.ascontiguousarray(np.concatenate([self._given[f"{part}.weight"] for part in parts]).T)
        bias = np.concatenate([self._given[f"{part}.bias"] for part in parts])
        attended = self._attend(hidden, f"{layer}attention", weight, bias)
        hidden = self._project_and_norm(attended, hidden, f"{layer}attention.output")
        wide = self._product(hidden, f"{layer}intermediate.dense")
        active = self._add("BiasGelu", wide, self._weight(f"{layer}intermediate.dense.bias"), domain=_FUSED)
        return self._project_and_norm(active, hidden, f"{layer}output")

    def _attend(self, hidden: str, name: str, weight: npt.NDArray[Any], bias: npt.NDArray[Any]) -> str:
        return self._add(
            "Attention",
            hidden,
            self._own(f"{name}.weight", weight),
            self._own(f"{name}.bias", bias),
            MASK,
            domain=_FUSED,
            num_heads=self._config["num_attention_heads"],
        )

    def _project_and_norm(self, value: str, skipped: str, name: str) -> str:
        """LayerNorm(value x W + b + skipped)."""
        return self._add(
            "SkipLayerNormalization",
            self._product(value, f"{name}.dense"),
            skipped,
            self._weight(f"{name}.LayerNorm.weight"),
            self._weight(f"{name}.LayerNorm.bias"),
            self._weight(f"{name}.dense.bias"),
            domain=_FUSED,
            epsilon=self._config["layer_norm_eps"],
        )

    def _product(self, value: str, name: str) -> str:
        """With the weights as torch keeps them, a row an output."""
        return self._add("FusedMatMul", value, self._weight(f"{name}.weight"), domain=_FUSED, transB=1)

    def _pool(self, hidden: str) -> None:
        """The sum over the tokens that are no padding, at length 1: the mean has the same direction."""
        one = self._own("one", np.ones(1, np.int64))
        mask = self._add("Unsqueeze", self._add("Cast", MASK, to=1), one)
        total = self._add("Squeeze", self._add("MatMul", mask, hidden), one)
        self._add("LpNormalization", total, output=VECTORS, axis=-1, p=2)

    def _weight(self, name: str) -> str:
        return self._own(name, self._given[name])

    def _own(self, name: str, value: npt.NDArray[Any]) -> str:
        self._used[name] = value
        return name

    def _add(self, operator: str, *inputs: str, output: str | None = None, domain: str = "", **attributes: Any) -> str:
        return self._add_several(operator, inputs, [output or f"{operator}_{len(self._nodes)}"], domain, **attributes)[
            0
        ]

    def _add_several(
        self, operator: str, inputs: Sequence[str], outputs: list[str], domain: str = "", **attributes: Any
    ) -> list[str]:
        from onnx import helper

        self._nodes.append(helper.make_node(operator, list(inputs), outputs, domain=domain, **attributes))
        return outputs


class _Int8Builder(_Builder):
    """The same model, whose products with weights are of whole numbers."""

    def _attend(self, hidden: str, name: str, weight: npt.NDArray[Any], bias: npt.NDArray[Any]) -> str:
        at = len(self._nodes)
        whole, scale, zero = self._add_several(
            "DynamicQuantizeLinear", [hidden], [f"whole_{at}", f"scale_{at}", f"zero_{at}"]
        )
        weights, scales, zeros = self._whole(f"{name}.weight", weight)
        own_bias = self._own(f"{name}.bias", bias)
        return self._add(
            "QAttention",
            *(whole, weights, own_bias, scale, scales, MASK, zero, zeros),
            domain=_FUSED,
            num_heads=self._config["num_attention_heads"],
        )

    def _product(self, value: str, name: str) -> str:
        weights, scales, zeros = self._whole(f"{name}.weight", self._given[f"{name}.weight"].T)
        return self._add("DynamicQuantizeMatMul", value, weights, scales, zeros, domain=_FUSED)

    def _whole(self, name: str, weight: npt.NDArray[Any]) -> tuple[str, str, str]:
        """The weights, shape (inputs, outputs), as whole numbers, with the scale and zero of each output."""
        scales = np.maximum(np.abs(weight).max(axis=0), 1e-9) / _MOST_OF_A_WEIGHT
        rounded = np.ascontiguousarray(np.rint(weight / scales), dtype=np.int8)
        return (
            self._own(name, rounded),
            self._own(f"{name}.scale", scales.astype(np.float32)),
            self._own(f"{name}.zero", np.zeros(len(scales), np.int8)),
        )


def _tensor(name: str, value: npt.NDArray[Any]) -> TensorProto:
    """A small weight whole, a large one as a promise that the session is handed it."""
    from onnx import TensorProto, helper, numpy_helper

    if value.nbytes < _INLINE_BYTES:
        return numpy_helper.from_array(value, name)
    tensor = TensorProto(
        name=name,
        data_type=helper.np_dtype_to_tensor_dtype(value.dtype),
        dims=value.shape,
        data_location=TensorProto.EXTERNAL,
    )
    tensor.external_data.add(key="location", value="weights")
    return tensor
