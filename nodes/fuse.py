"""``fuse``: reciprocal rank fusion of all lists, a weight a list (Cormack, Clarke and Büttcher, SIGIR 2009)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime

from nodes.context import Context
from nodes.state import Hit, ListKind, RankedList, State

#: The constant of the paper: it keeps one list's first places from deciding alone.
RRF_K = 60

#: An identifier that the asker typed outweighs both of the question's own lists together, so it is never fused away. What
#: a passage points to comes after what was found at the same rank, yet far enough up for the reranker to read it (at half a
#: weight its first place, .5/61, would lie under the dense list's twentieth, 1/80).
WEIGHTS: dict[ListKind, float] = {"dense": 1.0, "keyword": 1.0, "exact": 4.0, "reference": 0.9}

#: Of a dense list whose model does not know the question's language: such neighbours are near to chance.
UNKNOWN_LANGUAGE_DENSE_WEIGHT = 0.1

_UNRANKED = 1 << 30


def list_weight(kind: ListKind, *, model_knows_language: bool = True) -> float:
    """A list's weight by its kind; the dense one steps back where the embedding model does not know the language."""
    if kind == "dense" and not model_knows_language:
        return UNKNOWN_LANGUAGE_DENSE_WEIGHT
    return WEIGHTS[kind]


def reciprocal_rank_fusion(lists: Sequence[RankedList], k: int = RRF_K) -> list[Hit]:
    """All chunks of all lists, best first: the sum of weight / (k + rank), rank from 1. Scores in the lists are never read.

    Ties: the better single rank, then the better rank in a keyword list, then the id. A chunk counts once a list, at its first
    place. Raises ``ValueError`` for a negative ``k`` or weight.
    """
    if k < 0:
        raise ValueError(f"k must not be negative, not {k}.")
    scores: dict[str, float] = {}
    best: dict[str, int] = {}
    best_keyword: dict[str, int] = {}
    for ranked in lists:
        weight = ranked["weight"]
        if weight < 0:
            raise ValueError(f"A list's weight must not be negative, not {weight}.")
        ids = dict.fromkeys(hit["id"] for hit in ranked["hits"])
        for rank, chunk_id in enumerate(ids, start=1):
            scores[chunk_id] = scores.get(chunk_id, 0.0) + weight / (k + rank)
            best[chunk_id] = min(rank, best.get(chunk_id, _UNRANKED))
            if ranked["kind"] == "keyword":
                best_keyword[chunk_id] = min(rank, best_keyword.get(chunk_id, _UNRANKED))
    # Rounded for comparing: the same ranks in another order of lists must tie, whatever the last bit of the sum.
    order = sorted(scores, key=lambda key: (-round(scores[key], 12), best[key], best_keyword.get(key, _UNRANKED), key))
    return [Hit(id=chunk_id, score=scores[chunk_id]) for chunk_id in order]


async def fuse(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """One order of all lists that the question called for."""
    return {"fused": reciprocal_rank_fusion(state["lists"])}
