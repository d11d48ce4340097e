"""Cutting ranked lists the same way on every engine: a tie at the cut is broken by chunk id, not by the engine's luck."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from knowledge.index.port import SCORE_DECIMALS, ListRequest

Row = list[tuple[Any, float]]

#: Asked for beyond the limit, so that a tie at the cut is seen.
_SPARE = 4
#: However many tie, no list is longer than this before it is cut.
_MOST = 1_024


@dataclass(frozen=True, slots=True)
class Asked:
    """A request and how many points to ask the engine for."""

    request: ListRequest
    limit: int


def settle(requests: Sequence[ListRequest], search: Callable[[Sequence[Asked]], list[Row]]) -> list[Row]:
    """Search until no list ends within a tie that crosses its limit; scores come back rounded.

    Args:
        requests: the lists wanted.
        search: one batched engine call; a row of (point id, score), best first, for each request asked.

    Returns:
        Rows with every point that ties with the last one admitted, unsorted within ties. The caller sorts by score and
        chunk id, and cuts.
    """
    rows: list[Row] = [[] for _ in requests]
    asked = {at: request.limit + _SPARE for at, request in enumerate(requests)}
    while asked:
        found = search([Asked(requests[at], limit) for at, limit in asked.items()])
        again: dict[int, int] = {}
        for (at, limit), row in zip(asked.items(), found, strict=True):
            rounded = [(point, round(score, SCORE_DECIMALS)) for point, score in row]
            kept, complete = _cut(rounded, requests[at].limit, limit)
            rows[at] = kept
            if not complete and limit < _MOST:
                again[at] = min(limit * 4, _MOST)
        asked = again
    return rows


def _cut(row: Row, wanted: int, asked: int) -> tuple[Row, bool]:
    if len(row) <= wanted:
        return row, True
    last = row[wanted - 1][1]
    return [pair for pair in row if pair[1] >= last], len(row) < asked or row[-1][1] < last
