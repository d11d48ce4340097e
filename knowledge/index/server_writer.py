"""Building a version on a Qdrant server: a new collection, filled from the one it starts from, then named by the alias."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from qdrant_client import QdrantClient, models

from knowledge.index.layout import CONTENT_KEY, DENSE, INDEXED_KEYS, INDEXED_TIMES, METADATA_KEY, SPARSE, point_id
from knowledge.index.port import ChunkPoint, IndexSpec
from knowledge.index.server_lock import ServerLock
from knowledge.index.server_points import answering, compile_filter, point_of, retried, vector_of
from knowledge.scope import AnyOf, Condition

_PAGE = 256


class ServerWriter:
    """See ``IndexWriter``. ``publish`` is how the store marks a version complete and makes it live; ``lock`` is asked before
    each write whether it still is ours."""

    def __init__(
        self,
        client: QdrantClient,
        *,
        name: str,
        collection: str,
        spec: IndexSpec,
        base: str | None,
        about: Mapping[str, Any],
        on_disk: bool,
        publish: Callable[[str, bool], None],
        lock: ServerLock,
    ) -> None:
        self._client, self._name, self._collection, self._spec = client, name, collection, spec
        self._base, self._about, self._on_disk, self._publish = base, dict(about), on_disk, publish
        self._lock = lock
        self._made = False
        self._done = False
        self._copied: set[Any] = set()
        self._field_types: set[str] = set()

    @property
    def name(self) -> str:
        """The version's name once it is committed."""
        return self._name

    @property
    def spec(self) -> IndexSpec:
        """What it is built with."""
        return self._spec

    def tenants(self, source_roots: Sequence[str] | None) -> list[str]:
        """See ``IndexWriter``."""
        source = self._readable()
        if source is None or (source_roots is not None and not source_roots):
            return []
        where = compile_filter([] if source_roots is None else [AnyOf("source_root", tuple(source_roots))])
        with answering():
            answer = self._client.facet(
                source, f"{METADATA_KEY}.tenant", facet_filter=where, limit=1_000_000, exact=True
            )
        return sorted(str(hit.value) for hit in answer.hits)

    def stored(self, tenant: str) -> dict[str, dict[str, Any]]:
        """See ``IndexWriter``. What another program added stands under its point id."""
        out = {}
        for record in self._records([AnyOf("tenant", (tenant,))], payload=[METADATA_KEY]):
            metadata = (record.payload or {}).get(METADATA_KEY) or {}
            out[str(metadata.get("chunk_id") or record.id)] = metadata
        return out

    def vectors(self, tenant: str, chunk_ids: Sequence[str]) -> dict[str, list[float]]:
        """See ``IndexWriter``."""
        source = self._readable()
        if source is None or not chunk_ids:
            return {}
        by_point = {point_id(tenant, at): at for at in chunk_ids}
        with answering():
            records = self._client.retrieve(source, list(by_point), with_payload=False, with_vectors=[DENSE])
        found = {by_point[str(record.id)]: vector_of(record.vector, DENSE) for record in records}
        return {at: vector for at, vector in found.items() if vector}

    def texts(self, tenant: str, chunk_ids: Sequence[str]) -> dict[str, str]:
        """See ``IndexWriter``."""
        source = self._readable()
        if source is None or not chunk_ids:
            return {}
        by_point = {point_id(tenant, at): at for at in chunk_ids}
        with answering():
            records = self._client.retrieve(source, list(by_point), with_payload=[CONTENT_KEY], with_vectors=False)
        return {by_point[str(record.id)]: str((record.payload or {}).get(CONTENT_KEY, "")) for record in records}

    def upsert(self, points: Sequence[ChunkPoint]) -> None:
        """See ``IndexWriter``."""
        self._make()
        self._index_fields([point.document.metadata for point in points])
        self._put([point_of(point) for point in points])

    def delete(self, tenant: str, chunk_ids: Sequence[str]) -> None:
        """See ``IndexWriter``."""
        if not chunk_ids:
            return
        self._make()
        selector = models.PointIdsList(points=[point_id(tenant, at) for at in chunk_ids])
        with answering():
            retried(lambda: self._checked().delete(self._collection, selector, wait=True))

    def commit(self, *, live: bool = True) -> None:
        """See ``IndexWriter``. What other programs added meanwhile comes along."""
        self._make()
        self._copy()
        with answering():
            self._publish(self._name, live)
        self._done = True

    def abort(self) -> None:
        """See ``IndexWriter``."""
        if self._made and not self._done and self._lock.still_held():  # else whoever has it by now clears it away
            with answering():
                self._client.delete_collection(self._collection)
            self._made = False

    def _checked(self) -> QdrantClient:
        """The client, for one write. Raises ``IndexBusy`` where another has the lock by now."""
        self._lock.check()
        return self._client

    def _readable(self) -> str | None:
        return self._collection if self._made else self._base

    def _records(
        self,
        conditions: Iterable[Condition],
        *,
        payload: bool | list[str],
        vectors: bool = False,
        source: str | None = None,
    ) -> Iterator[models.Record]:
        source = source or self._readable()
        if source is None:
            return
        where = compile_filter(conditions)
        offset: Any = None
        while True:
            with answering():
                records, offset = self._client.scroll(
                    source,
                    scroll_filter=where,
                    limit=_PAGE,
                    offset=offset,
                    with_payload=payload,
                    with_vectors=vectors,
                )
            yield from records
            if offset is None:
                return

    def _make(self) -> None:
        if self._made:
            return
        with answering():
            self._checked().create_collection(
                self._collection,
                vectors_config={
                    DENSE: models.VectorParams(
                        size=self._spec.dimension, distance=models.Distance.COSINE, on_disk=self._on_disk
                    )
                },
                sparse_vectors_config={SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
                metadata=self._about,
            )
        self._made = True
        for key in (*INDEXED_KEYS, "chunk_id"):  # other programs' points are reached by it
            tenant = key == "tenant"
            self._index(
                key,
                models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True)
                if tenant
                else models.PayloadSchemaType.KEYWORD,
            )
        for key in INDEXED_TIMES:
            self._index(key, models.PayloadSchemaType.DATETIME)
        self._copy()

    def _index(self, key: str, schema: models.PayloadSchemaType | models.KeywordIndexParams) -> None:
        with answering():
            self._client.create_payload_index(self._collection, f"{METADATA_KEY}.{key}", schema, wait=True)

    def _index_fields(self, metadatas: Sequence[Mapping[str, Any]]) -> None:
        for key in set(self._spec.fields) - self._field_types:
            value = next((m[key] for m in metadatas if m.get(key) is not None), None)
            if isinstance(value, list):
                value = value[0] if value else None
            if value is not None:
                self._index(key, _schema_of(value))
                self._field_types.add(key)

    def _copy(self) -> None:
        """Bring what the base holds and this collection has not had yet."""
        if self._base is None:
            return
        page: list[models.PointStruct] = []
        fresh = [at.id for at in self._records([], payload=False, source=self._base) if at.id not in self._copied]
        for start in range(0, len(fresh), _PAGE):
            with answering():
                records = self._client.retrieve(
                    self._base, fresh[start : start + _PAGE], with_payload=True, with_vectors=True
                )
            page = [models.PointStruct(id=r.id, vector=_vectors(r.vector), payload=r.payload) for r in records]
            self._index_fields([(r.payload or {}).get(METADATA_KEY) or {} for r in records])
            self._put(page)
        self._copied.update(fresh)

    def _put(self, points: list[models.PointStruct]) -> None:
        if points:
            with answering():
                retried(lambda: self._checked().upsert(self._collection, points, wait=True))


def _vectors(vector: Any) -> Any:
    if vector is None:
        return {}
    return vector if isinstance(vector, dict) else {DENSE: vector}


def _schema_of(value: Any) -> models.PayloadSchemaType:
    if isinstance(value, bool):
        return models.PayloadSchemaType.BOOL
    if isinstance(value, int):
        return models.PayloadSchemaType.INTEGER
    return models.PayloadSchemaType.FLOAT if isinstance(value, float) else models.PayloadSchemaType.KEYWORD
