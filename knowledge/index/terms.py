"""How many chunks of each tenant hold each token: a small file beside an embedded version, so that an IDF costs a look-up.

The engine counts the same, but tells it only through the scores of one search a token. Kept up by the writer from the sparse
vectors it writes and removes; ``tests/knowledge/index`` holds it to the engine's own count.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

_TENANTS = "terms.json"
_COUNTS = "terms.npy"

Counts = npt.NDArray[np.uint32]

#: Tokens that may wait unsorted.
_FEW = 1 << 16


def idf(chunks: int, holding: int) -> float:
    """ln(1 + (N - n + 0.5) / (n + 0.5)), Qdrant's and Lucene's BM25 IDF."""
    return math.log(1 + (chunks - holding + 0.5) / (holding + 0.5))


class TermCounts:
    """Chunks and document frequencies by tenant. A row of tokens in ascending order and a row of counts, cut by tenant."""

    def __init__(self, tenants: Mapping[str, tuple[int, int, int]], counts: Counts) -> None:
        self._tenants = dict(tenants)
        self._counts = counts

    @classmethod
    def empty(cls) -> TermCounts:
        """Of an index without chunks."""
        return cls({}, np.empty((2, 0), dtype=np.uint32))

    @classmethod
    def open(cls, folder: Path) -> TermCounts:
        """Of a version's folder; the counts stay on disk and are mapped."""
        tenants = json.loads((folder / _TENANTS).read_text("utf-8"))
        # A memory map's own slices cost ten times as much as those of an array over it.
        counts = np.asarray(np.load(folder / _COUNTS, mmap_mode="r"))
        return cls({tenant: (int(n), int(start), int(end)) for tenant, (n, start, end) in tenants.items()}, counts)

    def save(self, folder: Path) -> None:
        """Write both files into a version's folder."""
        (folder / _TENANTS).write_text(json.dumps(self._tenants, ensure_ascii=False), "utf-8")
        np.save(folder / _COUNTS, self._counts)

    def idf(self, tokens: Iterable[int], tenants: Sequence[str]) -> dict[int, float]:
        """The IDF of each token over the tenants' chunks; a token that none of them holds is absent."""
        wanted = np.fromiter(dict.fromkeys(tokens), dtype=np.uint32)
        if not wanted.size:
            return {}
        chunks = 0
        holding = np.zeros(wanted.size, dtype=np.int64)
        for tenant in tenants:
            if tenant not in self._tenants:
                continue
            number, start, end = self._tenants[tenant]
            chunks += number
            known, counts = self._counts[0, start:end], self._counts[1, start:end]
            at = np.minimum(np.searchsorted(known, wanted), max(len(known) - 1, 0))
            if len(known):
                holding += np.where(known[at] == wanted, counts[at], 0)
        return {int(token): idf(chunks, int(n)) for token, n in zip(wanted, holding, strict=True) if n > 0}

    def changed(self, chunks: Mapping[str, int], tokens: Mapping[str, TermChanges]) -> TermCounts:
        """The counts after adding these differences by tenant (negative ones take away)."""
        tenants: dict[str, tuple[int, int, int]] = {}
        parts: list[Counts] = []
        start = 0
        for tenant in sorted({*self._tenants, *chunks, *tokens}):
            number, first, last = self._tenants.get(tenant, (0, 0, 0))
            part = np.asarray(self._counts[:, first:last])
            if tenant in tokens:
                part = tokens[tenant].onto(part)
            number += chunks.get(tenant, 0)
            if number <= 0 and not part.size:
                continue
            tenants[tenant] = (number, start, start + part.shape[1])
            start += part.shape[1]
            parts.append(part)
        counts = np.concatenate(parts, axis=1) if parts else np.empty((2, 0), dtype=np.uint32)
        return TermCounts(tenants, counts)


class TermChanges:
    """What is added to a tenant's counts while a version is written.

    Kept in two rows of numbers, which take 8 bytes a token where a dictionary takes a hundred: a corpus can hold millions.
    """

    def __init__(self) -> None:
        self._tokens = np.empty(0, dtype=np.uint32)
        self._counts = np.empty(0, dtype=np.int32)
        self._fresh: list[tuple[npt.NDArray[np.uint32], int]] = []
        self._waiting = 0

    def add(self, tokens: Sequence[int], *, by: int) -> None:
        """The distinct tokens of each of some chunks: ``by`` is 1 for chunks that came and -1 for those that go."""
        self._fresh.append((np.array(tokens, dtype=np.uint32), by))
        self._waiting += len(tokens)
        # Sorted anew when a good part is new, so that each token is sorted a few times and no more.
        if self._waiting > max(_FEW, len(self._tokens) // 4):
            self._sum_up()

    def onto(self, counts: Counts) -> Counts:
        """A tenant's counts with these changes; tokens that no chunk holds any more are left out."""
        self._sum_up()
        tokens, summed = _summed(
            np.concatenate([counts[0], self._tokens]), np.concatenate([counts[1].astype(np.int32), self._counts])
        )
        held = summed > 0
        return np.stack([tokens[held], summed[held].astype(np.uint32)])

    def _sum_up(self) -> None:
        tokens = [self._tokens, *(row for row, _ in self._fresh)]
        counts = [self._counts, *(np.full(len(row), by, dtype=np.int32) for row, by in self._fresh)]
        self._fresh, self._waiting = [], 0
        self._tokens, self._counts = _summed(np.concatenate(tokens), np.concatenate(counts))


def _summed(
    tokens: npt.NDArray[np.uint32], counts: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int32]]:
    """Each token once, in ascending order, with the sum of its counts."""
    if not len(tokens):
        return tokens, counts
    order = np.argsort(tokens)
    tokens = tokens[order]
    starts = np.flatnonzero(np.concatenate([[True], tokens[1:] != tokens[:-1]]))
    return tokens[starts], np.add.reduceat(counts[order], starts).astype(np.int32)
