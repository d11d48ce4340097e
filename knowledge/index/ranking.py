"""Cutting ranked lists the same way on every engine: a tie at the cut is broken by chunk id, not by the engine's luck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.documents import Document

from knowledge.index.port import SCORE_DECIMALS, Found, ListRequest, Scores

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


class Settling:
    """Searches until no list ends within a tie that crosses its limit. The caller makes the calls: one engine's are awaited.

    ``while asked := settling.asked(): settling.take(search(asked))``. Afterwards ``rows`` holds, for each request, the points
    with rounded scores and every one that ties with the last admitted; the caller sorts by score and chunk id, and cuts.
    """

    def __init__(self, requests: Sequence[ListRequest], ahead: Mapping[int, Row] | None = None) -> None:
        """``ahead``: what another one of these would have been given first for the requests in these places."""
        self.rows: list[Row] = [[] for _ in requests]
        self._requests = requests
        self._open = {at: request.limit + _SPARE for at, request in enumerate(requests)}
        for at, row in (ahead or {}).items():
            self._take(at, row)

    def asked(self) -> list[Asked]:
        """What to search for now, in one batched call; nothing when all lists are settled."""
        return [Asked(self._requests[at], limit) for at, limit in self._open.items()]

    def take(self, found: Sequence[Row]) -> None:
        """The rows found for what was asked: (point id, score), best first."""
        for at, row in zip(list(self._open), found, strict=True):
            self._take(at, row)

    def _take(self, at: int, row: Row) -> None:
        limit = self._open.pop(at)
        rounded = [(point, round(score, SCORE_DECIMALS)) for point, score in row]
        self.rows[at], complete = _cut(rounded, self._requests[at].limit, limit)
        if not complete and limit < _MOST:
            self._open[at] = min(limit * 4, _MOST)

    def lists(self, documents: Mapping[Any, Document]) -> tuple[tuple[Found, ...], ...]:
        """The final lists, of the points whose documents are given."""
        return tuple(
            tuple(
                sorted(
                    (Found(documents[at], score) for at, score in row if at in documents),
                    key=lambda found: (-found.score, found.id),
                )[: request.limit]
            )
            for request, row in zip(self._requests, self.rows, strict=True)
        )


def scores_of(documents: Mapping[Any, Document], dense: Row, keyword: Row) -> dict[str, Scores]:
    """By chunk id, of the points whose documents are given: their scores in the two lists, 0 where they stand in none."""
    by_meaning, by_words = dict(dense), dict(keyword)
    return {
        str(document.id): Scores(
            round(by_meaning.get(at, 0.0), SCORE_DECIMALS), round(by_words.get(at, 0.0), SCORE_DECIMALS)
        )
        for at, document in documents.items()
    }


def _cut(row: Row, wanted: int, asked: int) -> tuple[Row, bool]:
    if len(row) <= wanted:
        return row, True
    last = row[wanted - 1][1]
    return [pair for pair in row if pair[1] >= last], len(row) < asked or row[-1][1] < last
