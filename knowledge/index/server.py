"""Reading an index version on a Qdrant server: one collection, through the async client."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import Any

from langchain_core.documents import Document
from qdrant_client import AsyncQdrantClient, models

from knowledge.errors import BadInput
from knowledge.index.layout import METADATA_KEY, PARENT, document_of, in_reading_order
from knowledge.index.port import Ahead, IndexSpec, ListRequest, QueryVectors, Scores, SearchResult, is_countable
from knowledge.index.ranking import Settling, scores_of
from knowledge.index.server_points import answering, compile_filter, id_condition, idf_of, query_of, term_query
from knowledge.scope import NoneOf, Scope

_PAGE = 1_000
_NO_PARENTS = NoneOf("kind", (PARENT,))


class ServerIndex:
    """A collection, open for reading. Nothing is remembered: other programs may add to a collection of ours."""

    def __init__(self, client: Callable[[], AsyncQdrantClient], collection: str, name: str, spec: IndexSpec) -> None:
        self._client, self._collection, self._name, self._spec = client, collection, name, spec

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
        """See ``ChunkIndex``. The IDFs travel in the same call, as searches for one chunk that holds the token."""
        settling = Settling(requests)
        tokens = list(dict.fromkeys(terms))
        documents: dict[Any, Document] = {}
        idf: dict[int, float] = {}
        while (asked := settling.asked()) or tokens:
            queries = [query_of(one.request, one.limit, scope) for one in asked]
            queries += [term_query(token, scope) for token in tokens]
            with answering():
                found = await self._client().query_batch_points(self._collection, requests=queries)
            rows = [response.points for response in found]
            for points in rows[: len(asked)]:
                documents.update((point.id, document_of(point.payload, str(point.id), scope)) for point in points)
            settling.take([[(point.id, point.score) for point in points] for points in rows[: len(asked)]])
            idf.update(
                (token, idf_of(token, points[0]))
                for token, points in zip(tokens, rows[len(asked) :], strict=True)
                if points
            )
            tokens = []
        lists = settling.lists(documents)
        held = {item.id: item.document for row in lists for item in row}
        return SearchResult(lists, idf, await self._scores(held, score_by, scope) if score_by and held else {})

    async def look_ahead(self, requests: Sequence[ListRequest], scope: Scope, *, terms: Iterable[int] = ()) -> Ahead:
        """See ``ChunkIndex``."""
        return Ahead()

    async def _scores(self, documents: Mapping[str, Document], by: QueryVectors, scope: Scope) -> dict[str, Scores]:
        ids = tuple(documents)
        asked = [ListRequest(limit=len(ids), dense=by.dense, chunk_ids=ids)]
        if by.sparse is not None:
            asked.append(ListRequest(limit=len(ids), sparse=by.sparse, chunk_ids=ids))
        lists = (await self.search(asked, scope)).lists
        rows = [[(item.id, item.score) for item in found] for found in lists]
        return scores_of(documents, rows[0], rows[1] if len(rows) > 1 else [])

    async def fetch(self, chunk_ids: Sequence[str], scope: Scope) -> list[Document]:
        """See ``ChunkIndex``."""
        if not chunk_ids:
            return []
        where = compile_filter(scope.conditions(), id_condition(chunk_ids, scope))
        found = {document.id: document async for document in self._scroll(where, scope)}
        return [found[at] for at in dict.fromkeys(chunk_ids) if at in found]

    async def count(self, scope: Scope) -> int:
        """See ``ChunkIndex``."""
        with answering():
            answer = await self._client().count(self._collection, count_filter=_chunks(scope), exact=True)
        return answer.count

    async def values(self, key: str, scope: Scope) -> dict[str, int]:
        """See ``ChunkIndex``. Raises ``BadInput`` for a key that is not counted."""
        if not is_countable(key, self._spec):
            raise BadInput(f"{key!r} is not a field that this index counts.", field=key)
        with answering():
            answer = await self._client().facet(
                self._collection, f"{METADATA_KEY}.{key}", facet_filter=_chunks(scope), limit=1_000_000, exact=True
            )
        return {str(hit.value): hit.count for hit in answer.hits}

    async def documents(self, scope: Scope) -> list[Document]:
        """See ``ChunkIndex``."""
        return in_reading_order([document async for document in self._scroll(_chunks(scope), scope)])

    async def close(self) -> None:
        """The store closes the client."""

    async def _scroll(self, where: models.Filter, scope: Scope) -> AsyncIterator[Document]:
        offset: Any = None
        while True:
            with answering():
                records, offset = await self._client().scroll(
                    self._collection, scroll_filter=where, limit=_PAGE, offset=offset, with_payload=True
                )
            for record in records:
                yield document_of(record.payload, str(record.id), scope)
            if offset is None:
                return


def _chunks(scope: Scope) -> models.Filter:
    return compile_filter((*scope.conditions(), _NO_PARENTS))
