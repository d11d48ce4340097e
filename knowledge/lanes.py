"""Many texts encoded by several threads at once, each on a core of its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]

#: Texts a batch. Where each core reads on its own, few are enough to keep it busy, and pad less.
LANE_BATCH = 8


@runtime_checkable
class LaneEncoder(Protocol):
    """An encoder that ``lanes`` threads may use at once, each without the others' cores."""

    lanes: int

    def encode_alone(self, texts: list[str]) -> Vectors:
        """Documents' vectors by the calling thread alone, shape (len(texts), dimension)."""


@runtime_checkable
class Measures(Protocol):
    """An encoder that knows beforehand how many tokens it will read of each text: what a batch costs is its longest's count."""

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Tokens that are read of each text."""


def side_by_side(encoder: LaneEncoder, batches: Iterator[list[str]]) -> Iterator[Vectors]:
    """The vectors of the batches, in their order; a few batches are encoded ahead of whoever takes them."""
    waiting: deque[Future[Vectors]] = deque()
    with ThreadPoolExecutor(encoder.lanes, thread_name_prefix="encode") as pool:
        try:
            for batch in batches:
                waiting.append(pool.submit(encoder.encode_alone, batch))
                if len(waiting) > 2 * encoder.lanes:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:  # whoever took them may have gone
            pool.shutdown(cancel_futures=True)


def batches_of(order: Sequence[int], size: int) -> list[list[int]]:
    """The positions in runs of that many."""
    return [list(order[start : start + size]) for start in range(0, len(order), size)]
