"""One hop along references: what the best passages send their reader to, searched for under the same scope.

A passage that holds the identifier asked for and only sends on ("incorporated into AC-6") is half an answer, so what it points to
counts as found by the identifier too. A withdrawn entry that does not say where it went is looked for by its name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from langchain_core.documents import Document

from knowledge.bm25 import Bm25
from knowledge.index.port import ChunkIndex, Found, ListRequest, QueryVectors, Scores, Sparse
from knowledge.references import StubClues, entry_name, is_stub, rank_redirects, stub_clues
from knowledge.scope import Scope
from nodes.state import RankedList

#: Passages whose references are followed: the best of each list.
REFERRING = 5
#: Targets that one question may pull in.
TARGETS = 10
#: Of a withdrawn entry that names no target, the likeliest ones taken for its own.
LIKELY = 4
_HITS_FOR_NAME = 20


@dataclass(frozen=True, slots=True)
class Referred:
    """The chunks referred to, in the order of the passages that send.

    ``by_identifier``: those that an exact hit sends to, one a target; ``instead``: of these, in order, what a withdrawn entry
    sends to, since its content stands there. ``scores``: theirs by the question.
    """

    found: Sequence[Found] = ()
    by_identifier: frozenset[str] = frozenset()
    instead: tuple[str, ...] = ()
    scores: Mapping[str, Scores] = field(default_factory=dict)


async def follow_references(
    index: ChunkIndex,
    lists: Sequence[RankedList],
    documents: Mapping[str, Document],
    vectors: QueryVectors,
    scope: Scope,
    language: str,
) -> Referred:
    """Search for what the best of ``lists`` send to; at most ``TARGETS`` identifiers, the exact lists' first."""
    leading = [ranked["hits"][0]["id"] for ranked in lists if ranked["kind"] == "exact" and ranked["hits"]]
    strong: dict[str, bool] = {}
    for chunk_id in dict.fromkeys(leading):
        document = documents[chunk_id]
        stub = is_stub(str(document.page_content), _heading(document))
        for name in await _sent_on(index, document, scope, language):
            strong[name] = strong.get(name, False) or stub
    targets = dict.fromkeys(strong)
    ranks: dict[str, int] = {}
    for ranked in lists:
        for rank, hit in enumerate(ranked["hits"][:REFERRING]):
            ranks[hit["id"]] = min(rank, ranks.get(hit["id"], rank))
    for chunk_id in sorted(ranks, key=lambda key: (ranks[key], key)):
        targets.update(dict.fromkeys(documents[chunk_id].metadata.get("references", ())))
    wanted = tuple(targets)[:TARGETS]
    if not wanted:
        return Referred()
    request = ListRequest(limit=2 * TARGETS, dense=vectors.dense, defines=wanted)
    result = await index.search([request], scope, score_by=vectors)
    place = {name: at for at, name in enumerate(wanted)}

    def order(item: Found) -> tuple[int, float, str]:
        first = min(place.get(name, len(place)) for name in item.document.metadata["defines"])
        return first, -item.score, item.id

    found = sorted(result.lists[0], key=order)
    best: dict[str, str] = {}
    for item in found:
        for name in item.document.metadata["defines"]:
            if name in strong:
                best.setdefault(name, item.id)
    instead = [best[name] for name in wanted if strong.get(name) and name in best]
    return Referred(found, frozenset(best.values()), tuple(dict.fromkeys(instead)), result.scores)


async def _sent_on(index: ChunkIndex, document: Document, scope: Scope, language: str) -> list[str]:
    """Where an exact hit sends its reader: what it names, or for a withdrawn entry that names nothing, the likeliest."""
    named = list(document.metadata.get("references", ()))
    if named:
        return named
    clues = _clues(document)
    if clues is None:
        return []
    hits: list[tuple[Sequence[str], str]] = []
    encoder = Bm25(average_length=index.spec.average_length, language=language)
    words = encoder.embed_query(clues.name)
    if words.indices:
        sparse = Sparse(tuple(words.indices), tuple(words.values))
        result = await index.search([ListRequest(limit=_HITS_FOR_NAME, sparse=sparse)], scope)
        hits = [
            (_codes(item.document), entry_name(_heading(item.document)))
            for item in result.lists[0]
            if _clues(item.document) is None
        ]
    return rank_redirects(clues, hits)[:LIKELY]


def _clues(document: Document) -> StubClues | None:
    return stub_clues(str(document.page_content), _heading(document))


def _codes(document: Document) -> list[str]:
    return [name for name in document.metadata.get("defines", ()) if "#" not in name]


def _heading(document: Document) -> str:
    return str(document.metadata.get("heading_path", ""))
