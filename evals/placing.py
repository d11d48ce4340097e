"""Where a chunk stands in every list of a run, against the last one that got through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from knowledge.bm25 import Bm25Embeddings
from knowledge.index.port import ListRequest, Sparse
from nodes.context import Options
from nodes.state import Hit, State

if TYPE_CHECKING:
    from graph.resources import Resources
    from knowledge.index.port import ChunkIndex

#: How deep a list is searched for a chunk that its first places do not hold.
DEEPEST = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A chunk's place in one list.

    Attributes:
        where: the list's kind and, for retrieved ones, its query.
        rank, score: of the chunk, rank from 1; ``None`` where this list does not hold it at all.
        limit: how many places get through.
        beaten_by: the last other chunk that got through, with its ``beaten_by_rank`` and ``beaten_by_score``; ``None`` where
            there is none.
    """

    where: str
    rank: int | None
    score: float | None
    limit: int
    beaten_by: str | None
    beaten_by_rank: int | None
    beaten_by_score: float | None


async def places(
    index: ChunkIndex, resources: Resources, state: State, chunk_id: str, options: Options
) -> tuple[Place, ...]:
    """The chunk's place in every retrieved list, then in the fused and the final order."""
    deep = await _deep_ranks(index, resources, state, chunk_id, options)
    out = []
    question = state["standalone_question"]
    for ranked in state["lists"]:
        own = _find(ranked["hits"], chunk_id)
        if own is None and ranked["query"] == question:
            own = deep.get(ranked["kind"])
        out.append(_place(f"{ranked['kind']} · {ranked['query']}", own, ranked["hits"], options.candidate_k))
    ranked_limit = min(options.top_k, len(state["ranked"]))
    out.append(_place("fused", _find(state["fused"], chunk_id), state["fused"], options.rerank_k))
    name = f"ranked by {state['reranker']}" if state["reranked"] else "ranked (the fused order)"
    out.append(_place(name, _find(state["ranked"], chunk_id), state["ranked"], ranked_limit))
    return tuple(out)


async def _deep_ranks(
    index: ChunkIndex, resources: Resources, state: State, chunk_id: str, options: Options
) -> dict[str, tuple[int, float]]:
    """Rank and score by the original question in the dense and the keyword search, however far down."""
    depth = min(DEEPEST, await index.count(options.scope))
    if not depth:
        return {}
    question = state["standalone_question"]
    encoder = Bm25Embeddings(average_length=index.spec.average_length, language=state["language"])
    words = encoder.embed_query(question)
    vector = (await resources.embed_queries([question]))[0]
    requests = {"dense": ListRequest(limit=depth, dense=vector)}
    if words.indices:
        requests["keyword"] = ListRequest(limit=depth, sparse=Sparse(tuple(words.indices), tuple(words.values)))
    result = await index.search(list(requests.values()), options.scope)
    out: dict[str, tuple[int, float]] = {}
    for kind, found in zip(requests, result.lists, strict=True):
        for rank, one in enumerate(found, start=1):
            if one.id == chunk_id:
                out[kind] = (rank, round(one.score, 6))
    return out


def _find(hits: Sequence[Hit], chunk_id: str) -> tuple[int, float] | None:
    for rank, hit in enumerate(hits, start=1):
        if hit["id"] == chunk_id:
            return rank, hit["score"]
    return None


def _place(where: str, own: tuple[int, float] | None, hits: Sequence[Hit], limit: int) -> Place:
    mine = own[0] if own else 0
    others = [(rank, hit) for rank, hit in enumerate(hits[:limit], start=1) if rank != mine]
    last_rank, last = others[-1] if others else (None, None)
    return Place(
        where=where,
        rank=own[0] if own else None,
        score=own[1] if own else None,
        limit=limit,
        beaten_by=last["id"] if last else None,
        beaten_by_rank=last_rank,
        beaten_by_score=last["score"] if last else None,
    )
