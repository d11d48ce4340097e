"""Many texts encoded by several threads at once, each on a core of its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
#: A text's tokens by their numbers; in two bytes each, they take less memory than the text.
Tokens = Sequence[int]

#: Texts a batch. Where each core reads on its own, few are enough to keep it busy, and pad less.
LANE_BATCH = 8


@runtime_checkable
class LaneEncoder(Protocol):
    """An encoder that ``lanes`` threads may use at once, each without the others' cores."""

    lanes: int

    def read(self, texts: Sequence[str]) -> Sequence[Tokens]:
        """Each text as ``encode_alone`` takes it: as many numbers as the model will read of it, since a batch costs what its
        longest row costs.
        """

    def encode_alone(self, rows: Sequence[Tokens]) -> Vectors:
        """Vectors of documents that were ``read``, by the calling thread alone, shape (len(rows), dimension)."""


def side_by_side(encoder: LaneEncoder, batches: Iterator[list[Tokens]]) -> Iterator[Vectors]:
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
