"""Qdrant Edge, the embedded engine, in our words: an open folder, its configuration, filters and points.

Only this file and ``edge.py`` import the engine, which is in beta. A folder is made without a write-ahead log, because any number
of processes may then hold it open at once; what was flushed is there after a crash, no more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import qdrant_edge as qe

from knowledge.errors import IndexUnavailable
from knowledge.index.layout import (
    CONTENT_KEY,
    DENSE,
    INDEXED_KEYS,
    INDEXED_TIMES,
    METADATA_KEY,
    SPARSE,
    point_id,
    stored_ids,
)
from knowledge.index.port import ChunkPoint
from knowledge.index.ranking import Row
from knowledge.scope import AnyOf, Condition, NoneOf, Scope, Since

#: Up to this many chunks every search is exact, which takes 2 ms at most and saves building a graph; above it HNSW is built.
EXACT_UP_TO = 20_000
#: Points a page when a whole version is read.
_PAGE = 2_000


#: Beside the metadata: "field=True" for each truth value, because the engine's Python side matches True as the number 1.
_FLAGS = "flags"


def _any_of(name: str, values: Iterable[str | int | bool]) -> list[qe.FieldCondition]:
    """Conditions of which one must hold: words, whole numbers and truth values are each matched in their own way."""
    key = f"{METADATA_KEY}.{name}"
    words, numbers, out = [], [], []
    for value in values:
        if isinstance(value, bool):
            out.append(qe.FieldCondition(_FLAGS, match=qe.MatchAny([f"{name}={value}"])))
        elif isinstance(value, int):
            numbers.append(value)
        else:
            words.append(value)
    if len(words) == 1:  # a fifth of the time that a choice of one takes, and every search asks for a tenant
        out.append(qe.FieldCondition(key, match=qe.MatchValue(words[0])))
    elif words or not (numbers or out):
        out.append(qe.FieldCondition(key, match=qe.MatchAny(words)))
    if numbers:
        out.append(qe.FieldCondition(key, match=qe.MatchAny(numbers)))
    return out


def _condition(condition: AnyOf | Since) -> qe.FieldCondition | qe.Filter:
    if isinstance(condition, Since):
        key = f"{METADATA_KEY}.{condition.key}"
        return qe.FieldCondition(key, range=qe.RangeDateTime(gte=condition.moment.isoformat()))
    ways = _any_of(condition.key, condition.values)
    return ways[0] if len(ways) == 1 else qe.Filter(should=list(ways))


def compile_filter(conditions: Iterable[Condition], *more: qe.FieldCondition | qe.HasIdCondition) -> qe.Filter:
    """The engine's filter for conditions joined by AND."""
    must: list[Any] = list(more)
    must_not: list[Any] = []
    for condition in conditions:
        if isinstance(condition, NoneOf):
            must_not.extend(_any_of(condition.key, condition.values))
        else:
            must.append(_condition(condition))
    return qe.Filter(must=must, must_not=must_not or None)


def points_condition(ids: Iterable[int]) -> qe.HasIdCondition:
    """The points whose UUIDs have these numbers."""
    return qe.HasIdCondition({UUID(int=at) for at in ids})


def id_condition(chunk_ids: Iterable[str], scope: Scope) -> qe.HasIdCondition:
    """The points that these visible ids may stand for."""
    return qe.HasIdCondition({UUID(point_id(*pair)) for visible in chunk_ids for pair in stored_ids(visible, scope)})


class Shard:
    """An open folder of the engine. Its own errors become ``IndexUnavailable``."""

    def __init__(self, folder: Path, shard: qe.EdgeShard) -> None:
        self._folder = folder
        self._shard = shard
        self._indexed = set(shard.info().payload_schema)

    @classmethod
    def open(cls, folder: Path) -> Shard:
        """Load an existing folder. Raises ``IndexUnavailable``."""
        try:
            return cls(folder, qe.EdgeShard.load(str(folder)))
        except Exception as error:  # the engine raises nothing narrower
            raise IndexUnavailable(f"The index folder {folder} can't be opened: {error}") from error

    @classmethod
    def create(cls, folder: Path, dimension: int) -> Shard:
        """A new folder for vectors of that dimension."""
        folder.mkdir(parents=True, exist_ok=True)
        config = qe.EdgeConfig(
            vectors={DENSE: qe.EdgeVectorParams(dimension, qe.Distance.Cosine)},
            sparse_vectors={SPARSE: qe.EdgeSparseVectorParams(modifier=qe.Modifier.Idf)},
            # Kilobytes of vectors that a segment may hold without a graph.
            optimizers=qe.EdgeOptimizersConfig(indexing_threshold=EXACT_UP_TO * dimension * 4 // 1024),
            wal_enabled=False,
        )
        shard = cls(folder, qe.EdgeShard.create(str(folder), config))
        for key in INDEXED_KEYS:
            tenant = key == "tenant"
            schema = qe.KeywordIndexParams(is_tenant=True) if tenant else qe.PayloadSchemaType.Keyword
            shard._index(f"{METADATA_KEY}.{key}", schema)
        for key in INDEXED_TIMES:
            shard._index(f"{METADATA_KEY}.{key}", qe.PayloadSchemaType.Datetime)
        return shard

    def _index(self, path: str, schema: qe.PayloadSchemaType | qe.KeywordIndexParams) -> None:
        if path not in self._indexed:  # each costs a dozen files
            self._shard.update(qe.UpdateOperation.create_field_index(path, schema))
            self._indexed.add(path)

    def index_fields(self, fields: Iterable[str], metadatas: Sequence[Mapping[str, Any]]) -> None:
        """Index the further fields by the type of the first value seen; called before the points are written."""
        for key in fields:
            value = next((m[key] for m in metadatas if m.get(key) is not None), None)
            if isinstance(value, list):
                value = value[0] if value else None
            if value is not None:
                self._index(f"{METADATA_KEY}.{key}", _schema_of(value))
            if isinstance(value, bool):
                self._index(_FLAGS, qe.PayloadSchemaType.Keyword)

    def query(self, requests: Sequence[qe.QueryRequest]) -> list[Row]:
        """Ranked points a request, without payload: the number of each point's UUID, which is looked up faster, and its score."""
        found = self._shard.query_batch(qe.QueryBatchRequest(list(requests)))
        return [[(_uuid(point.id).int, point.score) for point in points] for points in found]

    def payloads(self, ids: Sequence[int]) -> dict[int, dict[str, Any]]:
        """Payloads by the number of the point's UUID; absent points are absent."""
        records = self._shard.retrieve([UUID(int=at) for at in ids], True, False)
        return {_uuid(record.id).int: record.payload or {} for record in records}

    def vectors(self, ids: Sequence[str], name: str) -> dict[str, Any]:
        """The vector of that name by point id, of those points that have one."""
        records = self._shard.retrieve([UUID(at) for at in ids], False, [name])
        out: dict[str, Any] = {}
        for record in records:
            vector: Any = record.vector
            if isinstance(vector, dict):
                vector = vector.get(name)
            if vector:  # the unnamed vector comes as a plain list
                out[str(record.id)] = vector
        return out

    def scroll(self, where: qe.Filter, *, content: bool) -> Iterator[tuple[str, dict[str, Any]]]:
        """Id and payload of all points that the filter admits; without ``content`` the metadata alone."""
        wanted: bool | list[str] = True if content else [METADATA_KEY]
        offset: Any = None
        while True:
            request = qe.ScrollRequest(offset=offset, limit=_PAGE, filter=where, with_payload=wanted, with_vector=False)
            records, offset = self._shard.scroll(request)
            for record in records:
                yield str(record.id), record.payload or {}
            if offset is None:
                return

    def count(self, where: qe.Filter) -> int:
        """How many points the filter admits."""
        return self._shard.count(qe.CountRequest(exact=True, filter=where))

    def facet(self, key: str, where: qe.Filter) -> dict[str, int]:
        """The values of an indexed metadata key with their counts."""
        request = qe.FacetRequest(f"{METADATA_KEY}.{key}", limit=1_000_000, exact=True, filter=where)
        return {str(getattr(hit.value, "value", hit.value)): hit.count for hit in self._shard.facet(request)}

    def upsert(self, points: Sequence[ChunkPoint]) -> None:
        """Write points; those of the same id are replaced."""
        self._shard.update(qe.UpdateOperation.upsert_points([_point(point) for point in points]))

    def delete(self, ids: Sequence[str]) -> None:
        """Remove points; unknown ids are passed over."""
        self._shard.update(qe.UpdateOperation.delete_points([UUID(at) for at in ids]))

    def finish(self) -> None:
        """Build what big segments need for fast search, drop what was deleted, and flush to disk."""
        while self._shard.optimize():
            pass
        self._shard.flush()

    def close(self) -> None:
        """Close the folder."""
        self._shard.close()


def _uuid(at: int | UUID | str) -> UUID:
    return at if isinstance(at, UUID) else UUID(str(at))


def _schema_of(value: Any) -> qe.PayloadSchemaType:
    if isinstance(value, bool):
        return qe.PayloadSchemaType.Bool
    if isinstance(value, int):
        return qe.PayloadSchemaType.Integer
    return qe.PayloadSchemaType.Float if isinstance(value, float) else qe.PayloadSchemaType.Keyword


def _each(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _point(point: ChunkPoint) -> qe.Point:
    metadata = point.document.metadata
    vector: dict[str, Any] = {}
    if not point.is_parent:
        sparse = qe.SparseVector(list(point.sparse.indices), list(point.sparse.values))
        vector = {DENSE: list(point.dense), SPARSE: sparse}
    payload = {CONTENT_KEY: point.document.page_content, METADATA_KEY: metadata}
    held = [(key, value) for key, value in metadata.items() if isinstance(value, (bool, list))]
    if flags := [f"{key}={each}" for key, value in held for each in _each(value) if isinstance(each, bool)]:
        payload[_FLAGS] = flags
    return qe.Point(UUID(point_id(str(metadata["tenant"]), str(metadata["chunk_id"]))), vector, payload)
