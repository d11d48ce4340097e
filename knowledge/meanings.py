"""Vectors of single English words without running a model: the packaged MiniLM's own table of word pieces, read in place.

They say less than a sentence's vector, and cost a look-up: *sent* lies near *send*, *pays* near *paid*, *stores* near *shop*.
"""

from __future__ import annotations

import threading
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
    return _seen().rows(words)


class SeenWords:
    """The vectors of words seen so far, a row each, so that those of a passage are gathered in one step. Safe in threads."""

    def __init__(self, dimension: int, most: int = 16_384, few: int = 512) -> None:
        self._most = most
        self._adding = threading.Lock()
        # Read together and replaced together: a place never points into other rows than its own.
        self._held: tuple[dict[str, int], Vectors] = {}, np.zeros((few, dimension), np.float32)

    def rows(self, words: tuple[str, ...]) -> Vectors:
        """Shape (len(words), dimension). Words seen before need no lock: a row is written before its place is told."""
        known, rows = self._held
        try:
            return rows[[known[word] for word in words]] if words else rows[:0]
        except KeyError:
            with self._adding:
                known, rows = self._add(words)
                return rows[[known[word] for word in words]]

    def _add(self, words: tuple[str, ...]) -> tuple[dict[str, int], Vectors]:
        known, rows = self._held
        new = dict.fromkeys(word for word in words if word not in known)
        if len(known) + len(new) > self._most:  # begin again, with what is wanted now
            known, rows, new = {}, np.zeros_like(rows), dict.fromkeys(words)
        if (needed := len(known) + len(new)) > len(rows):
            grown = np.zeros((max(needed, 2 * len(rows)), rows.shape[1]), np.float32)
            grown[: len(known)] = rows[: len(known)]
            known, rows = dict(known), grown
        first = len(known)
        rows[first : first + len(new)] = _vectors([word.casefold() for word in new])
        known.update(zip(new, range(first, first + len(new)), strict=True))
        self._held = known, rows
        return self._held


@lru_cache(maxsize=1)
def _seen() -> SeenWords:
    return SeenWords(_table().shape[1])


def _vectors(words: list[str]) -> Vectors:
    pieces = [model_tokens.pieces(word) for word in words]
    # Most words are one piece, and are taken together; a word without pieces stays all zeros.
    table = _table()
    rows = table[[found[0] if found else 0 for found in pieces]] - _mean()
    for at, found in enumerate(pieces):
        if len(found) != 1:
            rows[at] = table[found].mean(axis=0) - _mean() if found else 0.0
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths == 0, 1.0, lengths), dtype=np.float32)


@lru_cache(maxsize=1)
def _table() -> Vectors:
    return np.asarray(
        read_weights(model_tokens.minilm_folder() / "model.safetensors")["embeddings.word_embeddings.weight"]
    )


@lru_cache(maxsize=1)
def _mean() -> Vectors:
    mean: Vectors = _table()[_FIRST_WORD::_EVERY].mean(axis=0)
    return mean
