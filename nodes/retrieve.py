"""``retrieve``: every list the question calls for, in one batched engine call under one scope.

Per query a dense and a keyword list; per identifier an exact list of the chunks that hold it; then one hop along the
references of what was found. Every candidate is scored by the original question's vector and words, so that the reranker sees
both scores of each, whichever list found it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.documents import Document
from langgraph.runtime import Runtime

from knowledge.asked_words import asked_words
from knowledge.bm25 import Bm25, token_index
from knowledge.errors import BadQuestion
from knowledge.evidence import read_question
from knowledge.identifiers import Identifier, scan_identifiers
from knowledge.index.port import ChunkIndex, Found, ListRequest, QueryVectors, Scores, Sparse
from knowledge.model_tokens import is_word
from knowledge.scope import Scope
from knowledge.tokens import tokenize, tokenize_query
from nodes.context import Context, Defaults, Options, resolve
from nodes.fuse import list_weight
from nodes.missing import missing_identifiers, without_ranges
from nodes.near_codes import near_codes
from nodes.referring import Referred, follow_references
from nodes.spelling import correct, misspelled, names_in, unlisted, without_names
from nodes.state import Hit, ListKind, Query, RankedList, Signals, State

#: How much louder a reference list speaks that comes from a passage which holds the identifier asked for.
SENT_BY_IDENTIFIER = 5.0

#: Identifiers of one question that are looked up; more are a list pasted in, and would each cost two searches.
MOST_IDENTIFIERS = 32
#: IDF of a word that a quarter of the passages hold: ln(1 + .75 / .25).
COMMON_IDF = 1.386

OpenIndex = Callable[[], Awaitable[ChunkIndex]]
#: Comes back when the model is at work, with the vectors to come.
BeginQueries = Callable[[Sequence[str]], Awaitable[asyncio.Future[list[list[float]]]]]


async def retrieve(
    state: State,
    runtime: Runtime[Context],
    *,
    open_index: OpenIndex,
    begin_queries: BeginQueries,
    known_languages: frozenset[str] | None,
    defaults: Defaults,
) -> dict[str, Any]:
    """The lists, the candidates they name and what is known of each.

    Raises ``IndexMissing`` (nothing ingested), ``IndexUnavailable``, ``BadQuestion`` (unknown category).
    """
    options = resolve(runtime.context, defaults)
    index = await open_index()
    await _check_filters(index, options.scope)
    knows = known_languages is None or state["language"] in known_languages
    asked = _Asked(state["standalone_question"], state["language"], state["queries"])
    found = await _search(index, asked, options, begin_queries, knows=knows)
    corrected, changes = await _corrected(asked, found)
    if changes:
        asked = _Asked(corrected, asked.language, [{**asked.queries[0], "text": corrected}, *asked.queries[1:]])
        found = await _search(index, asked, options, begin_queries, knows=knows)
    documents = found.documents
    referred = await follow_references(index, found.lists, documents, found.vectors, options.scope, asked.language)
    if referred.found:
        documents.update({item.id: item.document for item in referred.found})
        found.lists.extend(_reference_lists(asked.question, referred))
    held = {name for document in documents.values() for name in _held(document)}
    only = asked.language == "en" and not asked_words(asked.question)
    missing = await missing_identifiers(
        index, found.identifiers, held, options.scope, dense=found.vectors.dense, nothing_else=only
    )
    missing, ranged = without_ranges(missing, documents.values())
    held.update(item.canonical for item in ranged)
    return {
        "standalone_question": asked.question,
        "queries": asked.queries,
        "index": index.name,
        "index_version": index.spec.version,
        "identifiers": [reading for item in found.identifiers for reading in item.readings if reading in held],
        "missing_identifiers": [item.text for item in missing],
        "near_identifiers": await near_codes(index, missing, options.scope, found.vectors.dense),
        "lists": found.lists,
        "candidates": documents,
        "parents": await _parents(index, documents.values(), options.scope),
        "signals": _signals(found, referred),
        "sent_on": list(referred.instead),
        "term_idf": found.term_idf,
        "warnings": state["warnings"] + [f"Read {typed!r} as {read!r}." for typed, read in changes.items()],
    }


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is searched for: the question and the queries made of it."""

    question: str
    language: str
    queries: list[Query]


@dataclass(frozen=True, slots=True)
class _FoundLists:
    """What one batched search brought, with the original query's vectors for looking further."""

    lists: list[RankedList]
    documents: dict[str, Document]
    scores: Mapping[str, Scores]
    identifiers: list[Identifier]
    term_idf: dict[str, float]
    vectors: QueryVectors


async def _search(
    index: ChunkIndex, asked: _Asked, options: Options, begin_queries: BeginQueries, *, knows: bool
) -> _FoundLists:
    """Embed all queries in one batch and ask for all lists in one call."""
    common = await _common_names(index, asked, options.scope)
    texts = [without_names(query["text"], common) for query in asked.queries]
    embedding = await begin_queries(texts)
    try:  # What needs no vector is worked out while the model reads.
        sparse = _sparse_queries(index, asked.queries, asked.language)
        tokens = tuple(dict.fromkeys(tokenize_query(asked.question, asked.language)))
        identifiers = scan_identifiers(asked.question)[:MOST_IDENTIFIERS]
        terms = list(map(token_index, tokens))
        ahead = await index.look_ahead(
            [_keyword(words, options) for words in sparse if words], options.scope, terms=terms
        )
        if asked.language == "en":
            read_question(asked.question)
            unlisted(asked.question, is_word)
        vectors = await embedding
    finally:
        embedding.cancel()
    plan = _plan(asked.queries, vectors, sparse, identifiers, options)
    own = QueryVectors(vectors[0], sparse[0])
    requests = [item.request for item in plan]
    result = await index.search(requests, options.scope, terms=terms, score_by=own, ahead=ahead)
    return _FoundLists(
        lists=_merge_lists(plan, result.lists, knows=knows),
        documents={item.id: item.document for hits in result.lists for item in hits},
        identifiers=identifiers,
        term_idf={token: result.idf[at] for token in tokens if (at := token_index(token)) in result.idf},
        vectors=own,
        scores=result.scores,
    )


async def _common_names(index: ChunkIndex, asked: _Asked, scope: Scope) -> set[str]:
    """Names in the question that a good part of the caller's passages hold: the organisation's own, mostly.

    A vector is drawn towards every passage that holds a rare word of the question; the house's name is rare in the language and
    common in the house's documents, so that "the CEO of Kartly" would find whatever speaks of Kartly.
    """
    names = names_in(asked.question) if asked.language == "en" else []
    if not names:
        return set()
    tokens = {name: [token_index(token) for token in tokenize(name, asked.language)] for name in names}
    result = await index.search([], scope, terms=[at for found in tokens.values() for at in found])
    return {
        name
        for name, found in tokens.items()
        if found and all(at in result.idf and result.idf[at] < COMMON_IDF for at in found)
    }


async def _corrected(asked: _Asked, found: _FoundLists) -> tuple[str, dict[str, str]]:
    """Typing errors put right by the words of what was found; English alone, whose words the tokenizer's vocabulary knows.

    Most questions hold none, which is seen at once; the passages' words are counted in a thread.
    """

    def is_held(word: str) -> bool:
        return all(token in found.term_idf for token in tokenize(word, asked.language))

    if asked.language != "en" or not (suspects := misspelled(asked.question, is_held=is_held, is_word=is_word)):
        return asked.question, {}
    return await asyncio.to_thread(
        correct, asked.question, suspects, [document.page_content for document in found.documents.values()]
    )


@dataclass(frozen=True, slots=True)
class _Planned:
    """A list to ask for, what it is a list of, and the identifier that it looks up."""

    query: str
    kind: ListKind
    weight: float
    request: ListRequest
    identifier: Identifier | None = None


def _plan(
    queries: Sequence[Query],
    vectors: Sequence[Sequence[float]],
    sparse: Sequence[Sparse | None],
    identifiers: Sequence[Identifier],
    options: Options,
) -> list[_Planned]:
    plan: list[_Planned] = []
    limit = options.candidate_k
    for query, vector, words in zip(queries, vectors, sparse, strict=True):
        text, weight = query["text"], query["weight"]
        plan.append(_Planned(text, "dense", weight, ListRequest(limit=limit, dense=vector)))
        if words is not None:
            plan.append(_Planned(text, "keyword", weight, _keyword(words, options)))
    for item in identifiers:
        # Ordered by the words where the question has any, so that "чл. 129 ЗЗД" ranks the act's own article first. A section may
        # be named by its number alone and hold no word of the question: then it is found by meaning.
        words = sparse[0]
        defining = [ListRequest(limit=limit, defines=item.readings, dense=vectors[0])]
        if words is not None:
            defining.insert(0, ListRequest(limit=limit, defines=item.readings, sparse=words))
        order: dict[str, Any] = {"dense": vectors[0]} if words is None else {"sparse": words}
        for request in (*defining, ListRequest(limit=limit, mentions=item.readings, **order)):
            plan.append(_Planned(item.text, "exact", 1.0, request, item))
    return plan


def _keyword(words: Sparse, options: Options) -> ListRequest:
    return ListRequest(limit=options.candidate_k, sparse=words)


def _sparse_queries(index: ChunkIndex, queries: Sequence[Query], language: str) -> list[Sparse | None]:
    """One sparse vector a query; none for an invented passage, which must not lend its words to the keyword search."""
    encoder = Bm25(average_length=index.spec.average_length, language=language)
    out: list[Sparse | None] = []
    for query in queries:
        if query["kind"] == "hyde":
            out.append(None)
            continue
        vector = encoder.embed_query(query["text"])
        out.append(Sparse(tuple(vector.indices), tuple(vector.values)) if vector.indices else None)
    return out


def _merge_lists(plan: Sequence[_Planned], results: Sequence[Sequence[Found]], *, knows: bool) -> list[RankedList]:
    """Engine lists as the state keeps them; the searches of an identifier (defines, mentions) make one exact list."""
    lists: dict[tuple[str, ListKind], RankedList] = {}
    exact: dict[tuple[str, ListKind], dict[str, tuple[int, bool, Found]]] = {}
    for item, hits in zip(plan, results, strict=True):
        key = item.query, item.kind
        weight = item.weight * list_weight(item.kind, model_knows_language=knows)
        ranked = lists.setdefault(key, RankedList(query=item.query, kind=item.kind, weight=weight, hits=[]))
        if item.identifier is None:
            ranked["hits"] = _as_hits(hits)
            continue
        found_here = exact.setdefault(key, {})
        for found in hits:
            metadata = found.document.metadata
            place = item.identifier.rank(metadata.get("defines", ()), metadata.get("mentions", ()))
            if place is not None:
                found_here.setdefault(found.id, (place, item.request.sparse is None, found))
        in_order = sorted(found_here.values(), key=lambda one: (*one[:2], -one[2].score, one[2].id))
        ranked["hits"] = _as_hits(found for _, _, found in in_order)
    return [ranked for ranked in lists.values() if ranked["hits"] or ranked["kind"] != "exact"]


def _as_hits(found: Iterable[Found]) -> list[Hit]:
    return [Hit(id=item.id, score=round(item.score, 6)) for item in found]


def _reference_lists(question: str, referred: Referred) -> list[RankedList]:
    """What was referred to; apart from the rest, and louder, what an exact hit sends to, lest it be fused away."""
    sent = [item for item in referred.found if item.id in referred.by_identifier]
    rest = [item for item in referred.found if item.id not in referred.by_identifier]
    weight = list_weight("reference")
    return [
        RankedList(query=question, kind="reference", weight=weight * factor, hits=_as_hits(items))
        for factor, items in ((SENT_BY_IDENTIFIER, sent), (1.0, rest))
        if items
    ]


def _signals(found: _FoundLists, referred: Referred) -> dict[str, Signals]:
    """Both scores of every candidate by the original question; 0 where a search can't see it.

    Exact is what holds an identifier asked for, and what a passage that holds it sends the reader to.
    """
    scores = {**referred.scores, **found.scores}
    asked = {reading for item in found.identifiers for reading in item.readings}
    return {
        chunk_id: Signals(
            dense=scores[chunk_id].dense,
            keyword=scores[chunk_id].keyword,
            exact=chunk_id in referred.by_identifier or bool(asked.intersection(_held(document))),
        )
        for chunk_id, document in found.documents.items()
    }


async def _parents(index: ChunkIndex, documents: Iterable[Document], scope: Scope) -> dict[str, Document]:
    wanted = tuple(dict.fromkeys(d.metadata["parent_id"] for d in documents if d.metadata.get("parent_id")))
    if not wanted:
        return {}
    return {str(parent.id): parent for parent in await index.fetch(wanted, scope)}


def _held(document: Document) -> list[str]:
    return [*document.metadata.get("defines", ()), *document.metadata.get("mentions", ())]


async def _check_filters(index: ChunkIndex, scope: Scope) -> None:
    """Raises ``BadQuestion`` for a category or field that the caller's documents don't have: it would only ever find nothing."""
    everything = replace(scope, categories=(), fields={})
    for name in scope.fields:
        # Asked of the caller's own documents: which fields another tenant's have is nobody's business.
        if name not in index.spec.fields or not await index.values(name, everything):
            raise BadQuestion(f"No document has a field {name!r}.", field="fields")
    if not scope.categories:
        return
    known = await index.values("category", everything)
    unknown = [name for name in scope.categories if name not in known]
    if unknown:
        listed = ", ".join(sorted(known)) or "none yet"
        raise BadQuestion(f"Unknown category {unknown[0]!r}; the documents have: {listed}.", field="category")
