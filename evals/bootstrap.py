"""Intervals by the bootstrap (Efron 1979): questions are drawn again with replacement, so that a difference is told from luck.

Two runs over the same questions are compared in pairs: each draw takes both values of a question, which removes the spread
between easy and hard questions from the comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DRAWS = 5000
SEED = 20240229


@dataclass(frozen=True, slots=True)
class Difference:
    """``second - first`` with its 95 % interval. ``clear``: the interval holds no zero."""

    value: float
    low: float
    high: float

    @property
    def clear(self) -> bool:
        """Whether luck in the choice of questions is an unlikely reason."""
        return self.low > 0 or self.high < 0


def paired_difference(first: Sequence[float], second: Sequence[float], *, draws: int = DRAWS) -> Difference:
    """The mean of ``second - first`` over the questions, by the percentile bootstrap; the same questions in the same order."""
    gaps = np.asarray(second, dtype=np.float64) - np.asarray(first, dtype=np.float64)
    if gaps.size == 0:
        return Difference(0.0, 0.0, 0.0)
    rows = np.random.default_rng(SEED).integers(0, gaps.size, size=(draws, gaps.size))
    return _difference(float(gaps.mean()), gaps[rows].mean(axis=1))


def paired_statistic(
    count: int, statistic: Callable[[NDArray[np.intp]], float | None], *, draws: int = 1000
) -> Difference | None:
    """The interval of any difference computed from drawn question numbers, for metrics that are no means (AUROC).

    A draw where the statistic is not defined (one class alone) is passed over; ``None`` where it is not defined on all.
    """
    value = statistic(np.arange(count))
    if value is None:
        return None
    rng = np.random.default_rng(SEED)
    drawn = [statistic(rng.integers(0, count, size=count)) for _ in range(draws)]
    return _difference(value, np.array([one for one in drawn if one is not None]))


def _difference(value: float, drawn: NDArray[np.float64]) -> Difference:
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Difference(round(value, 6), round(float(low), 6), round(float(high), 6))
