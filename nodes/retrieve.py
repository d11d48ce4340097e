"""``retrieve``: every list the question calls for, in one batched engine call under one scope.

Per query a dense and a keyword list; per identifier an exact list of the chunks that hold it; then one hop along the
references of what was found. The candidates' scores by the original question are completed, so that the reranker sees both
scores of each, whichever list found it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.documents import Document
from langgraph.runtime import Runtime

from knowledge.bm25 import Bm25Embeddings, token_index
from knowledge.errors import BadQuestion
from knowledge.identifiers import Identifier, scan_identifiers
from knowledge.index.port import ChunkIndex, Found, ListRequest, Sparse
from knowledge.languages import detect_language
from knowledge.scope import Scope
from knowledge.tokens import tokenize
from nodes.context import Context, Defaults, Options, resolve
from nodes.fuse import list_weight
from nodes.state import Hit, ListKind, Query, RankedList, Signals, State

#: Passages whose references are followed: the best of each list.
REFERRING = 5
#: Targets that one question may pull in by reference.
REFERENCE_LIMIT = 10

OpenIndex = Callable[[], Awaitable[ChunkIndex]]
EmbedQueries = Callable[[Sequence[str]], Awaitable[list[list[float]]]]


async def retrieve(
    state: State,
    runtime: Runtime[Context],
    *,
    open_index: OpenIndex,
    embed_queries: EmbedQueries,
    known_languages: frozenset[str] | None,
    defaults: Defaults,
) -> dict[str, Any]:
    """The lists, the candidates they name and what is known of each.

    Raises ``IndexMissing`` (nothing ingested), ``IndexUnavailable``, ``BadQuestion`` (unknown category).
    """
    options = resolve(runtime.context, defaults)
    index = await open_index()
    await _check_category(index, options.scope)
    question = state["standalone_question"]
    language = detect_language(question)
    vectors = await embed_queries([query["text"] for query in state["queries"]])
    sparse = _sparse_queries(index, state["queries"], language)
    tokens = tuple(dict.fromkeys(tokenize(question, language)))
    identifiers = scan_identifiers(question)

    plan = _plan(state["queries"], vectors, sparse, identifiers, options)
    result = await index.search(
        [request for _, request in plan], options.scope, terms=[token_index(token) for token in tokens]
    )
    lists = _merge_lists(plan, result.lists, knows=known_languages is None or language in known_languages)
    documents = {found.id: found.document for hits in result.lists for found in hits}

    referred = await _follow_references(index, lists, documents, vectors[0], options.scope)
    if referred:
        documents.update({found.id: found.document for found in referred})
        lists.append(_as_list(question, "reference", referred))
    signals = await _complete(index, documents, vectors[0], sparse[0], identifiers, options.scope)
    parents = await _parents(index, documents.values(), options.scope)
    present = {value for document in documents.values() for value in _held(document)}
    return {
        "index": index.name,
        "language": language,
        "identifiers": [reading for item in identifiers for reading in item.readings if reading in present],
        "missing_identifiers": [
            item.text for item in identifiers if item.certain and not present.intersection(item.readings)
        ],
        "lists": lists,
        "candidates": documents,
        "parents": parents,
        "signals": signals,
        "term_idf": {token: result.idf[at] for token in tokens if (at := token_index(token)) in result.idf},
    }


_Planned = tuple[tuple[str, ListKind, float], ListRequest]


def _plan(
    queries: Sequence[Query],
    vectors: Sequence[Sequence[float]],
    sparse: Sequence[Sparse | None],
    identifiers: Sequence[Identifier],
    options: Options,
) -> list[_Planned]:
    plan: list[_Planned] = []
    for query, vector, words in zip(queries, vectors, sparse, strict=True):
        label = (query["text"], query["weight"])
        plan.append(((label[0], "dense", label[1]), ListRequest(limit=options.candidate_k, dense=vector)))
        if words is not None and words.indices:
            plan.append(((label[0], "keyword", label[1]), ListRequest(limit=options.candidate_k, sparse=words)))
    for item in identifiers:
        order: dict[str, Any] = {"limit": options.candidate_k}
        order |= {"sparse": sparse[0]} if sparse[0] and sparse[0].indices else {"dense": vectors[0]}
        plan.append(((item.text, "exact", 1.0), ListRequest(**order, defines=item.readings)))
        plan.append(((item.text, "exact", 1.0), ListRequest(**order, mentions=item.readings)))
    return plan


def _sparse_queries(index: ChunkIndex, queries: Sequence[Query], language: str) -> list[Sparse | None]:
    """One sparse vector a query; none for an invented passage, which must not lend its words to the keyword search."""
    encoder = Bm25Embeddings(average_length=index.spec.average_length, language=language)
    out: list[Sparse | None] = []
    for query in queries:
        if query["kind"] == "hyde":
            out.append(None)
            continue
        vector = encoder.embed_query(query["text"])
        out.append(Sparse(tuple(vector.indices), tuple(vector.values)))
    return out


def _merge_lists(plan: Sequence[_Planned], results: Sequence[Sequence[Found]], *, knows: bool) -> list[RankedList]:
    """Engine lists as the state keeps them; the two searches of an identifier (defines, mentions) make one exact list."""
    lists: dict[tuple[str, ListKind], RankedList] = {}
    for ((text, kind, weight), _), hits in zip(plan, results, strict=True):
        merged = lists.setdefault(
            (text, kind),
            RankedList(query=text, kind=kind, weight=weight * list_weight(kind, model_knows_language=knows), hits=[]),
        )
        seen = {hit["id"] for hit in merged["hits"]}
        merged["hits"].extend(_as_hits(found for found in hits if found.id not in seen))
    return list(lists.values())


def _as_hits(found: Iterable[Found]) -> list[Hit]:
    return [Hit(id=item.id, score=round(item.score, 6)) for item in found]


def _as_list(query: str, kind: ListKind, found: Iterable[Found]) -> RankedList:
    return RankedList(query=query, kind=kind, weight=list_weight(kind, model_knows_language=True), hits=_as_hits(found))


async def _follow_references(
    index: ChunkIndex,
    lists: Sequence[RankedList],
    documents: dict[str, Document],
    vector: Sequence[float],
    scope: Scope,
) -> list[Found]:
    """The chunks that the best passages send the reader to, in the order of the passages that send: one hop, same scope."""
    ranks: dict[str, int] = {}
    for ranked in lists:
        for rank, hit in enumerate(ranked["hits"][:REFERRING]):
            ranks[hit["id"]] = min(rank, ranks.get(hit["id"], rank))
    targets: dict[str, int] = {}
    for chunk_id in sorted(ranks, key=lambda key: (ranks[key], key)):
        for target in documents[chunk_id].metadata.get("references", ()):
            targets.setdefault(target, len(targets))
    wanted = tuple(targets)[:REFERENCE_LIMIT]
    if not wanted:
        return []
    result = await index.search([ListRequest(limit=REFERENCE_LIMIT, dense=vector, defines=wanted)], scope)

    def order(found: Found) -> tuple[int, str]:
        return min(targets.get(name, len(targets)) for name in found.document.metadata["defines"]), found.id

    return sorted(result.lists[0], key=order)


async def _complete(
    index: ChunkIndex,
    documents: dict[str, Document],
    vector: Sequence[float],
    words: Sparse | None,
    identifiers: Sequence[Identifier],
    scope: Scope,
) -> dict[str, Signals]:
    """Both scores of every candidate by the original question; 0 where a search can't see it."""
    ids = tuple(documents)
    if not ids:
        return {}
    requests = [ListRequest(limit=len(ids), dense=vector, chunk_ids=ids)]
    if words is not None and words.indices:
        requests.append(ListRequest(limit=len(ids), sparse=words, chunk_ids=ids))
    scored = await index.search(requests, scope)
    dense = {found.id: found.score for found in scored.lists[0]}
    keyword = {found.id: found.score for found in scored.lists[1]} if len(requests) > 1 else {}
    asked = {reading for item in identifiers for reading in item.readings}
    return {
        chunk_id: Signals(
            dense=round(dense.get(chunk_id, 0.0), 6),
            keyword=round(keyword.get(chunk_id, 0.0), 6),
            exact=bool(asked.intersection(_held(document))),
        )
        for chunk_id, document in documents.items()
    }


async def _parents(index: ChunkIndex, documents: Iterable[Document], scope: Scope) -> dict[str, Document]:
    wanted = tuple(dict.fromkeys(d.metadata["parent_id"] for d in documents if d.metadata.get("parent_id")))
    if not wanted:
        return {}
    return {str(parent.id): parent for parent in await index.fetch(wanted, scope)}


def _held(document: Document) -> list[str]:
    return [*document.metadata.get("defines", ()), *document.metadata.get("mentions", ())]


async def _check_category(index: ChunkIndex, scope: Scope) -> None:
    if not scope.categories:
        return
    known = await index.values("category", replace(scope, categories=()))
    unknown = [name for name in scope.categories if name not in known]
    if unknown:
        listed = ", ".join(sorted(known)) or "none yet"
        raise BadQuestion(f"Unknown category {unknown[0]!r}; the documents have: {listed}.", field="category")
