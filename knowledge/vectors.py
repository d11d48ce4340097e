"""Vectors as rows of a matrix."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray


def unit_rows(vectors: Sequence[ArrayLike] | NDArray[np.float32]) -> NDArray[np.float32]:
    """The vectors as rows of length 1, shape (number, dimension); a zero vector stays."""
    rows = np.asarray(vectors, dtype=np.float32)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(norms > 0, norms, 1.0), dtype=np.float32)
