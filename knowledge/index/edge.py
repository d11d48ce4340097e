"""Reading an embedded index version.

A version is a folder that is written once, flushed and never changed again. So any number of processes may hold it open, and
everything counted over it may be remembered.
"""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import qdrant_edge as qe
from langchain_core.documents import Document

from knowledge.errors import BadInput, IndexUnavailable
from knowledge.index import version_files
from knowledge.index.edge_shard import Shard, compile_filter, id_condition, points_condition
from knowledge.index.layout import DENSE, PARENT, SPARSE, document_of, in_reading_order
from knowledge.index.port import Ahead, IndexSpec, ListRequest, QueryVectors, SearchResult, Sparse, is_countable
from knowledge.index.ranking import Asked, Row, Settling, scores_of
from knowledge.index.terms import TermCounts
from knowledge.recent import Recent
from knowledge.scope import REPEALED, AnyOf, Condition, NoneOf, Scope

T = TypeVar("T")

#: Candidates that an HNSW search keeps in hand.
HNSW_EF = 160
#: Counts of this many scopes are remembered, and the content of this many chunks.
_REMEMBERED = 256
_REMEMBERED_CHUNKS = 4_096
_NO_PARENTS = NoneOf("kind", (PARENT,))


class EdgeIndex:
    """A committed version, open for reading.

    The engine holds Python's lock while it works, so that a thread for it frees nobody: a search runs where it is asked for, and
    saves the way to a thread and back (decision 10). What reads a whole version goes to a thread, for the Python beside it.
    """

    def __init__(self, folder: Path, name: str, spec: IndexSpec) -> None:
        self._name, self._spec = name, spec
        self._shard = Shard.open(folder / version_files.SHARD)
        self._terms = TermCounts.open(folder)
        self._remembered: dict[Any, Any] = {}
        self._payloads: Recent[Any, dict[str, Any]] = Recent(_REMEMBERED_CHUNKS)
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The version's name."""
        return self._name

    @property
    def spec(self) -> IndexSpec:
        """What built it."""
        return self._spec

    async def search(
        self,
        requests: Sequence[ListRequest],
        scope: Scope,
        *,
        terms: Iterable[int] = (),
        score_by: QueryVectors | None = None,
        ahead: Ahead | None = None,
    ) -> SearchResult:
        """See ``ChunkIndex``. Keyword scores count their IDF over the scope's tenants alone."""
        if not requests:
            return SearchResult((), self._terms.idf(terms, scope.tenants()))
        return self._search(list(requests), scope, list(terms), score_by, ahead or Ahead())

    async def look_ahead(self, requests: Sequence[ListRequest], scope: Scope, *, terms: Iterable[int] = ()) -> Ahead:
        """See ``ChunkIndex``."""
        counted = frozenset(_tokens((request.sparse for request in requests), terms))
        idf = self._terms.idf(counted, scope.tenants())
        rows = self._ranked(Settling([_weighed(request, idf) for request in requests]).asked(), self._seen(scope))
        documents = self._documents(dict.fromkeys(at for row in rows for at, _ in row), scope)
        return Ahead(dict(zip(requests, rows, strict=True)), documents, idf, counted)

    async def fetch(self, chunk_ids: Sequence[str], scope: Scope) -> list[Document]:
        """See ``ChunkIndex``."""
        return self._fetch(list(chunk_ids), scope)

    async def count(self, scope: Scope) -> int:
        """See ``ChunkIndex``."""
        where = compile_filter((*scope.conditions(), _NO_PARENTS))
        return await self._once(("count", scope.conditions()), lambda: self._shard.count(where))

    async def values(self, key: str, scope: Scope) -> dict[str, int]:
        """See ``ChunkIndex``. Raises ``BadInput`` for a key that is not filterable."""
        if not is_countable(key, self._spec):
            raise BadInput(f"{key!r} is not a field that this index counts.", field=key)
        where = compile_filter((*scope.conditions(), _NO_PARENTS))
        return dict(await self._once((key, scope.conditions()), lambda: self._shard.facet(key, where)))

    async def documents(self, scope: Scope) -> list[Document]:
        """See ``ChunkIndex``."""
        where = compile_filter((*scope.conditions(), _NO_PARENTS))

        def read() -> list[Document]:
            return in_reading_order(
                document_of(payload, at, scope) for at, payload in self._shard.scroll(where, content=True)
            )

        return await asyncio.to_thread(self._guard, read)

    async def close(self) -> None:
        """Let go of it. The engine closes the folder when the last search that holds it is done."""

    async def _once(self, key: tuple[str, tuple[Condition, ...]], read: Callable[[], T]) -> T:
        # A version never changes, so what was counted once stays true; the key holds the whole scope, tenant first.
        with self._lock:
            if key in self._remembered:
                known: T = self._remembered[key]
                return known
        value = await asyncio.to_thread(self._guard, read)
        with self._lock:
            if len(self._remembered) >= _REMEMBERED:
                self._remembered.clear()
            self._remembered[key] = value
        return value

    def _guard(self, read: Callable[[], T]) -> T:
        try:
            return read()
        except Exception as error:  # the engine raises nothing narrower
            raise IndexUnavailable(f"The index version {self._name} can't be read: {error}") from error

    def _search(
        self,
        requests: list[ListRequest],
        scope: Scope,
        terms: list[int],
        by: QueryVectors | None,
        ahead: Ahead,
    ) -> SearchResult:
        tokens = _tokens([*(request.sparse for request in requests), by.sparse if by else None], terms)
        idf = {**ahead.idf, **self._terms.idf((at for at in tokens if at not in ahead.counted), scope.tenants())}
        seen = self._seen(scope)
        # A dense request can't be looked up: its vector is a list, and it is never found ahead.
        found = {at: ahead.rows[one] for at, one in enumerate(requests) if one.sparse and one in ahead.rows}
        settling = Settling([_weighed(request, idf) for request in requests], found)
        while asked := settling.asked():
            settling.take(self._ranked(asked, seen))
        points = dict.fromkeys(at for row in settling.rows for at, _ in row)
        read = {at: ahead.documents[at] for at in points if at in ahead.documents}
        documents = {**read, **self._documents([at for at in points if at not in read], scope)}
        scores = {}
        if by and documents:
            known = _rows_by(by, requests, settling.rows)
            scores = scores_of(documents, *self._scored(documents, by, idf, seen, known))
        return SearchResult(settling.lists(documents), {token: idf[token] for token in terms if token in idf}, scores)

    def _seen(self, scope: Scope) -> Scope:
        """The scope as the engine is asked under it; it sees the same chunks."""
        return scope if scope.include_repealed or self._holds_repealed else replace(scope, include_repealed=True)

    @cached_property
    def _holds_repealed(self) -> bool:
        """Whether any chunk is repealed. Where none is, no search need look: at 10,000 chunks it would take a fifth longer."""
        return self._guard(lambda: self._shard.count(compile_filter([AnyOf("status", (REPEALED,))]))) > 0

    def _ranked(self, asked: Sequence[Asked], scope: Scope) -> list[Row]:
        """The rows asked for, of points in the scope."""
        return self._rows([_query(one.request, one.limit, scope) for one in asked])

    def _rows(self, queries: Sequence[qe.QueryRequest | None]) -> list[Row]:
        """The rows of the queries; none for a query without words."""
        wanted = [query for query in queries if query is not None]
        found = iter(self._guard(lambda: self._shard.query(wanted)) if wanted else ())
        return [[] if query is None else next(found) for query in queries]

    def _documents(self, ids: Collection[int], scope: Scope) -> dict[Any, Document]:
        """As the scope's tenant sees them."""
        return {at: document_of(payload, at, scope) for at, payload in self._contents(ids).items()}

    def _contents(self, ids: Collection[int]) -> dict[int, dict[str, Any]]:
        """The engine's content of the points, turned into ours once for many questions."""
        payloads = self._payloads.among(ids)
        if missing := [at for at in ids if at not in payloads]:
            read = self._guard(lambda: self._shard.payloads(missing))
            self._payloads.remember(read)
            payloads.update(read)
        return payloads

    def _scored(
        self, ids: Collection[Any], by: QueryVectors, idf: Mapping[int, float], scope: Scope, known: tuple[Row, Row]
    ) -> tuple[Row, Row]:
        """The points' cosines and keyword scores: those that the lists told, and of the other points in one more call."""
        requests = (
            ListRequest(limit=len(ids), dense=by.dense),
            _weighed(ListRequest(limit=len(ids), sparse=by.sparse or _WORDLESS), idf),
        )
        queries: list[qe.QueryRequest | None] = []
        for request, row in zip(requests, known, strict=True):
            others = set(ids) - {at for at, _ in row}
            where = compile_filter(scope.conditions(), points_condition(others)) if others else None
            queries.append(_ordered(request, len(others), where) if where else None)
        dense, keyword = self._rows(queries)
        return [*known[0], *dense], [*known[1], *keyword]

    def _fetch(self, chunk_ids: list[str], scope: Scope) -> list[Document]:
        if not chunk_ids:
            return []
        where = compile_filter(scope.conditions(), id_condition(chunk_ids, scope))
        found = {
            document.id: document
            for document in self._guard(
                lambda: [document_of(payload, at, scope) for at, payload in self._shard.scroll(where, content=True)]
            )
        }
        return [found[at] for at in dict.fromkeys(chunk_ids) if at in found]


def _tokens(vectors: Iterable[Sparse | None], terms: Iterable[int]) -> dict[int, None]:
    """The vectors' words and further ones, each once."""
    return dict.fromkeys([*terms, *(at for one in vectors if one for at in one.indices)])


_WORDLESS = Sparse((), ())
#: The engine multiplies each word by an IDF that it counts anew over a corpus, which takes longer than the search (.35 of .41 ms
#: at 10,000 chunks). Over no points it is ln(1 + .5 / .5) for every word, and the one counted already goes into the query.
_NO_POINTS = qe.IdfParams(corpus=qe.Filter(must=[qe.HasIdCondition(set())]))
_IDF_OF_NO_POINTS = math.log(2)


def _rows_by(by: QueryVectors, requests: Sequence[ListRequest], rows: Sequence[Row]) -> tuple[Row, Row]:
    """What the lists tell of the query's scores: those that its own vector orders, and those that its own words do."""
    dense = (row for request, row in zip(requests, rows, strict=True) if request.dense is by.dense)
    keyword = (
        row for request, row in zip(requests, rows, strict=True) if request.sparse and request.sparse == by.sparse
    )
    return list(chain.from_iterable(dense)), list(chain.from_iterable(keyword))


def _weighed(request: ListRequest, idf: Mapping[int, float]) -> ListRequest:
    """The request with each word's IDF in its weight, and without the words that no chunk of the scope's tenants holds."""
    if request.sparse is None:
        return request
    words = zip(request.sparse.indices, request.sparse.values, strict=True)
    pairs = [(at, value * idf[at]) for at, value in words if at in idf]
    return replace(request, sparse=Sparse(tuple(at for at, _ in pairs), tuple(value for _, value in pairs)))


def _query(request: ListRequest, limit: int, scope: Scope) -> qe.QueryRequest | None:
    """The engine's request for one weighed list; ``None`` for a keyword list without a word."""
    conditions: list[Condition] = list(scope.conditions())
    if request.defines:
        conditions.append(AnyOf("defines", request.defines))
    if request.mentions:
        conditions.append(AnyOf("mentions", request.mentions))
    more = (id_condition(request.chunk_ids, scope),) if request.chunk_ids else ()
    return _ordered(request, limit, compile_filter(conditions, *more))


def _ordered(request: ListRequest, limit: int, where: qe.Filter) -> qe.QueryRequest | None:
    if request.sparse is None:
        vector: Any = list(request.dense or ())
        using, params = DENSE, qe.SearchParams(hnsw_ef=max(HNSW_EF, limit))
    elif request.sparse.indices:
        weights = [value / _IDF_OF_NO_POINTS for value in request.sparse.values]
        vector = qe.SparseVector(list(request.sparse.indices), weights)
        using, params = SPARSE, qe.SearchParams(idf=_NO_POINTS)
    else:
        return None
    return qe.QueryRequest(
        limit=limit,
        query=qe.Query.Nearest(vector, using=using),
        filter=where,
        with_payload=False,
        with_vector=False,
        params=params,
    )
