"""Reading an embedded index version.

A version is a folder that is written once, flushed and never changed again. So any number of processes may hold it open, and
everything counted over it may be remembered.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import qdrant_edge as qe
from langchain_core.documents import Document

from knowledge.errors import BadInput, IndexUnavailable
from knowledge.index import version_files
from knowledge.index.edge_shard import Shard, compile_filter, id_condition
from knowledge.index.port import (
    DENSE,
    PARENT,
    SPARSE,
    IndexSpec,
    ListRequest,
    SearchResult,
    document_of,
    in_reading_order,
    is_countable,
)
from knowledge.index.ranking import Asked, Settling
from knowledge.index.terms import TermCounts
from knowledge.scope import AnyOf, Condition, NoneOf, Scope

T = TypeVar("T")

#: Candidates that an HNSW search keeps in hand.
HNSW_EF = 160
#: Counts of this many scopes are remembered.
_REMEMBERED = 256
_NO_PARENTS = NoneOf("kind", (PARENT,))


class EdgeIndex:
    """A committed version, open for reading. Every call runs in a thread, one hop a call."""

    def __init__(self, folder: Path, name: str, spec: IndexSpec) -> None:
        self._name, self._spec = name, spec
        self._shard = Shard.open(folder / version_files.SHARD)
        self._terms = TermCounts.open(folder)
        self._remembered: dict[Any, Any] = {}
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The version's name."""
        return self._name

    @property
    def spec(self) -> IndexSpec:
        """What built it."""
        return self._spec

    async def search(self, requests: Sequence[ListRequest], scope: Scope, *, terms: Iterable[int] = ()) -> SearchResult:
        """See ``ChunkIndex``. Keyword scores count their IDF over the scope's tenants alone."""
        return await asyncio.to_thread(self._search, list(requests), scope, list(terms))

    async def fetch(self, chunk_ids: Sequence[str], scope: Scope) -> list[Document]:
        """See ``ChunkIndex``."""
        return await asyncio.to_thread(self._fetch, list(chunk_ids), scope)

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

    def _search(self, requests: list[ListRequest], scope: Scope, terms: list[int]) -> SearchResult:
        settling = Settling(requests)
        while asked := settling.asked():
            settling.take(self._guard(partial(self._ranked, asked, scope)))
        ids = list({at for row in settling.rows for at, _ in row})
        payloads = self._guard(lambda: self._shard.payloads(ids))
        documents = {at: document_of(payload, str(at), scope) for at, payload in payloads.items()}
        return SearchResult(settling.lists(documents), self._terms.idf(terms, scope.tenants()))

    def _ranked(self, asked: Sequence[Asked], scope: Scope) -> list[list[tuple[Any, float]]]:
        found = self._shard.query([_query(one.request, one.limit, scope) for one in asked])
        return [[(point.id, point.score) for point in row] for row in found]

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


def _query(request: ListRequest, limit: int, scope: Scope) -> qe.QueryRequest:
    conditions: list[Condition] = list(scope.conditions())
    if request.defines:
        conditions.append(AnyOf("defines", request.defines))
    if request.mentions:
        conditions.append(AnyOf("mentions", request.mentions))
    more = (id_condition(request.chunk_ids, scope),) if request.chunk_ids else ()
    if request.sparse is not None:
        vector: Any = qe.SparseVector(list(request.sparse.indices), list(request.sparse.values))
        # Without a corpus the engine counts over all tenants, and still counts what was deleted.
        params = qe.SearchParams(idf=qe.IdfParams(corpus=compile_filter([scope.tenant_condition()])))
        using = SPARSE
    else:
        vector, using = list(request.dense or ()), DENSE
        params = qe.SearchParams(hnsw_ef=max(HNSW_EF, limit))
    return qe.QueryRequest(
        limit=limit,
        query=qe.Query.Nearest(vector, using=using),
        filter=compile_filter(conditions, *more),
        with_payload=False,
        with_vector=False,
        params=params,
    )
