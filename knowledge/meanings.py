"""Vectors of single English words without running a model: the packaged MiniLM's own table of word pieces, read in place.

They say less than a sentence's vector, and cost a look-up: *sent* lies near *send*, *pays* near *paid*, *stores* near *shop*.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from knowledge import model_tokens
from knowledge.bert_graph import read_weights

Vectors = npt.NDArray[np.float32]

#: Whole words begin here; single letters, digits and markers before. Every so many rows are enough for the mean.
_FIRST_WORD, _EVERY = 1000, 16


def word_vectors(words: tuple[str, ...]) -> Vectors:
    """One row of length 1 a word, shape (len(words), dimension); case does not matter. The mean of its pieces, from the mean of
    all words, since every row shares a large part. A word without pieces is all zeros.

    Raises ``ModelUnavailable`` when the packaged model is not installed.
    """
    if not words:
        return np.zeros((0, _table().shape[1]), np.float32)
    return np.stack([_vector(word.casefold()) for word in words])


@lru_cache(maxsize=16384)
def _vector(word: str) -> Vectors:
    pieces = model_tokens.pieces(word)
    if not pieces:
        return np.zeros(_table().shape[1], np.float32)
    row = _table()[pieces].mean(axis=0) - _mean()
    return np.asarray(row / (np.linalg.norm(row) or 1.0), dtype=np.float32)


@lru_cache(maxsize=1)
def _table() -> Vectors:
    return np.asarray(
        read_weights(model_tokens.minilm_folder() / "model.safetensors")["embeddings.word_embeddings.weight"]
    )


@lru_cache(maxsize=1)
def _mean() -> Vectors:
    mean: Vectors = _table()[_FIRST_WORD::_EVERY].mean(axis=0)
    return mean
