"""Qdrant's client in our words: filters, points in the layout of ``langchain-qdrant``, and its errors as sentences."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar
from uuid import UUID

from qdrant_client import models
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse

from knowledge.errors import IndexUnavailable
from knowledge.index.layout import CONTENT_KEY, DENSE, METADATA_KEY, SPARSE, point_id, stored_ids
from knowledge.index.port import ChunkPoint, ListRequest
from knowledge.scope import AnyOf, Condition, NoneOf, Scope, Since

T = TypeVar("T")

#: Candidates that an HNSW search keeps in hand.
HNSW_EF = 160
#: Tries of one write, and seconds before the second one; each further wait is twice as long.
_TRIES = 5
_FIRST_WAIT = 0.5
_BUSY = frozenset({408, 429, 500, 502, 503, 504})


class NotThere(IndexUnavailable):
    """The collection does not exist (any more)."""


@contextmanager
def answering() -> Iterator[None]:
    """Turns the client's errors into ``IndexUnavailable``. The server's own text stays out: it may quote what was sent."""
    try:
        yield
    except UnexpectedResponse as error:
        if error.status_code in {401, 403}:
            raise IndexUnavailable("The Qdrant server refuses the key: check QDRANT_API_KEY.") from error
        if error.status_code == 404:
            raise NotThere("The index version has gone from the Qdrant server: ask again.") from error
        raise IndexUnavailable(f"The Qdrant server answered with an error ({error.status_code}).") from error
    except ValueError as error:
        if "not found" in str(error):  # how the client's in-memory stand-in for a server says 404
            raise NotThere("The index version has gone from the Qdrant server: ask again.") from error
        raise
    except (ApiException, OSError) as error:
        raise IndexUnavailable("The Qdrant server does not answer: check QDRANT_URL and that it is running.") from error


def retried(call: Callable[[], T]) -> T:
    """A write, tried again when the server is away or busy. Writes are by point id, so that twice is as good as once."""
    for attempt in range(_TRIES):
        try:
            return call()
        except ResponseHandlingException:
            if attempt == _TRIES - 1:
                raise
        except UnexpectedResponse as error:
            if error.status_code not in _BUSY or attempt == _TRIES - 1:
                raise
        time.sleep(_FIRST_WAIT * 2**attempt)
    raise AssertionError("unreachable")


def _any_of(key: str, values: Iterable[str | int | bool]) -> list[models.FieldCondition]:
    """Conditions of which one must hold: words, whole numbers and truth values are each matched in their own way."""
    words: list[str] = []
    numbers: list[int] = []
    out = []
    for value in values:
        if isinstance(value, bool):
            out.append(models.FieldCondition(key=key, match=models.MatchValue(value=value)))
        elif isinstance(value, int):
            numbers.append(value)
        else:
            words.append(value)
    if words or not (numbers or out):
        out.append(models.FieldCondition(key=key, match=models.MatchAny(any=words)))
    if numbers:
        out.append(models.FieldCondition(key=key, match=models.MatchAny(any=numbers)))
    return out


def compile_filter(conditions: Iterable[Condition], *more: models.Condition) -> models.Filter:
    """The server's filter for conditions joined by AND."""
    must: list[models.Condition] = list(more)
    must_not: list[models.Condition] = []
    for condition in conditions:
        key = f"{METADATA_KEY}.{condition.key}"
        if isinstance(condition, Since):
            must.append(models.FieldCondition(key=key, range=models.DatetimeRange(gte=condition.moment)))
        elif isinstance(condition, NoneOf):
            must_not.extend(_any_of(key, condition.values))
        else:
            ways = _any_of(key, condition.values)
            must.append(ways[0] if len(ways) == 1 else models.Filter(should=list(ways)))
    return models.Filter(must=must, must_not=must_not or None)


def id_condition(chunk_ids: Iterable[str], scope: Scope) -> models.Filter:
    """The points that these visible ids may stand for: by our point id, by the metadata, or by the id another program gave."""
    stored: defaultdict[str, list[str]] = defaultdict(list)
    for visible in chunk_ids:
        for tenant, chunk_id in stored_ids(visible, scope):
            stored[tenant].append(chunk_id)
    return models.Filter(should=[_stored_as(tenant, names) for tenant, names in stored.items()])


def _stored_as(tenant: str, names: Sequence[str]) -> models.Filter:
    ids: list[int | str | UUID] = [point_id(tenant, name) for name in names]
    ids.extend(known for name in names if (known := _as_point_id(name)) is not None)
    named = models.FieldCondition(key=f"{METADATA_KEY}.chunk_id", match=models.MatchAny(any=list(names)))
    either = models.Filter(should=[models.HasIdCondition(has_id=ids), named])
    return compile_filter([AnyOf("tenant", (tenant,))], either)


def _as_point_id(text: str) -> int | str | None:
    if text.isdecimal():
        return int(text)
    try:
        return str(UUID(text))
    except ValueError:
        return None


def query_of(request: ListRequest, limit: int, scope: Scope) -> models.QueryRequest:
    """One ranked list. Keyword scores count their IDF over the scope's tenants alone, and over what is there now."""
    conditions: list[Condition] = list(scope.conditions())
    if request.defines:
        conditions.append(AnyOf("defines", request.defines))
    if request.mentions:
        conditions.append(AnyOf("mentions", request.mentions))
    more = (id_condition(request.chunk_ids, scope),) if request.chunk_ids else ()
    if request.sparse is not None:
        query: Any = models.SparseVector(indices=list(request.sparse.indices), values=list(request.sparse.values))
        using, params = SPARSE, _tenant_idf(scope)
    else:
        query, using = list(request.dense or ()), DENSE
        params = models.SearchParams(hnsw_ef=max(HNSW_EF, limit))
    return models.QueryRequest(
        query=query,
        using=using,
        filter=compile_filter(conditions, *more),
        params=params,
        limit=limit,
        with_payload=True,
        with_vector=False,
    )


def term_query(token: int, scope: Scope) -> models.QueryRequest:
    """One chunk that holds a token, with its weight: score over weight is the token's IDF over the scope's tenants."""
    return models.QueryRequest(
        query=models.SparseVector(indices=[token], values=[1.0]),
        using=SPARSE,
        filter=compile_filter([scope.tenant_condition()]),
        params=_tenant_idf(scope),
        limit=1,
        with_payload=False,
        with_vector=[SPARSE],
    )


def _tenant_idf(scope: Scope) -> models.SearchParams:
    return models.SearchParams(idf=models.IdfCorpusParams(corpus=compile_filter([scope.tenant_condition()])))


def idf_of(token: int, point: models.ScoredPoint) -> float:
    """The IDF that ``term_query`` brought."""
    held = vector_of(point.vector, SPARSE)
    return float(point.score / held.values[held.indices.index(token)])


def vector_of(vector: Any, name: str) -> Any:
    """A point's vector by name; the unnamed one may come by itself."""
    if isinstance(vector, dict):
        return vector.get(name)
    return vector if name == DENSE else None


def point_of(point: ChunkPoint) -> models.PointStruct:
    """As it is stored."""
    metadata = point.document.metadata
    vector: dict[str, Any] = {}
    if not point.is_parent:
        sparse = models.SparseVector(indices=list(point.sparse.indices), values=list(point.sparse.values))
        vector = {DENSE: list(point.dense), SPARSE: sparse}
    return models.PointStruct(
        id=point_id(str(metadata["tenant"]), str(metadata["chunk_id"])),
        vector=vector,
        payload={CONTENT_KEY: point.document.page_content, METADATA_KEY: metadata},
    )
