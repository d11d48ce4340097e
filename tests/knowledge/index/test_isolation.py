"""No tenant sees another's chunks: random tenants, categories, documents and questions, on both engines.

The last tests take the filter out of one place after another and ask that the check notices, so that it is known to bite.
"""

from __future__ import annotations

import asyncio
import logging
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowledge.errors import BadInput
from knowledge.index import edge, edge_shard, server, server_points
from knowledge.index.port import ChunkIndex, ChunkPoint, ListRequest, QueryVectors
from knowledge.index.terms import TermCounts
from knowledge.scope import SHARED_TENANT, AnyOf, Condition, Scope
from tests.knowledge.index.engines import ENGINES, chunk, embed, open_engine, parent, sparse, tokens, write

TENANTS = ("acme", "bolt", SHARED_TENANT)
CATEGORIES = ("general", "electronics", "clothing")
WORDS = ("return", "parcel", "damage", "warranty", "refund", "invoice")
SECRET = "secretof"

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
chunks = st.tuples(
    st.sampled_from(TENANTS),
    st.sampled_from(("rules", "manual", "terms")),
    st.integers(1, 3),
    st.sampled_from(CATEGORIES),
    st.sampled_from(("active", "repealed")),
    st.sampled_from(("en", "de")),
    texts,
)
shelves = st.lists(chunks, min_size=1, max_size=14, unique_by=lambda c: c[:3])
scopes = st.builds(
    Scope,
    tenant=st.sampled_from((*TENANTS, "nobody")),
    include_shared=st.booleans(),
    categories=st.sampled_from(((), ("electronics",), ("clothing", "electronics"))),
    allowed_categories=st.sampled_from(((), ("clothing",))),
    document_ids=st.sampled_from(((), ("rules",), ("rules", "manual"))),
    languages=st.sampled_from(((), ("en",))),
    include_repealed=st.booleans(),
)
MANY = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))


def points_of(shelf: list[tuple[Any, ...]]) -> list[ChunkPoint]:
    """Each text names its tenant by a word that nobody else has."""
    out = []
    for tenant, document, number, category, status, language, text in shelf:
        about = {"category": category, "status": status, "language": language, "source": f"{SECRET}{tenant}.md"}
        at = f"{document}#{number}"
        marks = {"mentions": ["rx-7"], "defines": [f"id-{tenant}", "rx-9"], "parent_id": f"{document}#p1"}
        out.append(chunk(at, f"{text} {SECRET}{tenant}", tenant, **about, **marks))
        out.append(parent(f"{document}#p1", f"{text} {SECRET}{tenant}", tenant))
    return list({(p.document.metadata["tenant"], p.document.id): p for p in out}.values())


def foreign(scope: Scope) -> list[str]:
    return [f"{SECRET}{tenant}" for tenant in TENANTS if tenant not in scope.tenants()]


async def check(index: ChunkIndex, alone: ChunkIndex, points: list[ChunkPoint], scope: Scope, question: str) -> None:
    """``alone`` holds what the scope's tenants have and nothing else: every answer must be the same from both."""
    admitted = [p for p in points if not p.is_parent and scope.admits(p.document.metadata)]
    asked = f"{question} {' '.join(foreign(scope))}"
    vector, weights = embed(asked), sparse(asked)
    everything = [point.document.id or "" for point in points] + [
        f"{t}::{p.document.id}" for t in TENANTS for p in points
    ]
    requests = [
        ListRequest(limit=30, dense=vector),
        ListRequest(limit=30, sparse=weights),
        ListRequest(limit=30, dense=vector, mentions=("rx-7",)),
        ListRequest(limit=30, sparse=weights, defines=("rx-9", *(f"id-{t}" for t in TENANTS))),
        ListRequest(limit=30, dense=vector, chunk_ids=tuple(everything)),
        ListRequest(limit=30, sparse=weights, chunk_ids=tuple(everything)),
    ]
    outcomes = []
    for one in (index, alone):
        result = await one.search(requests, scope, terms=tokens(asked), score_by=QueryVectors(vector, weights))
        fetched = await one.fetch(everything, scope)
        values = {
            key: await one.values(key, scope) for key in ("tenant", "category", "document_id", "language", "defines")
        }
        listed = await one.documents(scope)
        outcomes.append(
            (
                [[(f.id, round(f.score, 4), f.document.page_content) for f in row] for row in result.lists],
                {token: round(value, 4) for token, value in result.idf.items()},
                {at: tuple(round(value, 4) for value in both) for at, both in result.scores.items()},
                [(d.id, d.page_content) for d in fetched],
                values,
                [(d.id, d.page_content) for d in listed],
                await one.count(scope),
            )
        )
        seen = repr((result, fetched, values, listed))
        assert not [secret for secret in foreign(scope) if secret in seen]
        assert len(listed) == await one.count(scope) == len(admitted) == len(result.lists[0])
        for document in (*listed, *(found.document for row in result.lists for found in row)):
            assert scope.admits(document.metadata)
    assert outcomes[0] == outcomes[1]
    for bad in ("source_root", "no-such-key"):
        with pytest.raises(BadInput) as caught:
            await index.values(bad, scope)
        assert not [secret for secret in foreign(scope) if secret in str(caught.value)]


def run_check(engine: str, shelf: list[tuple[Any, ...]], scope: Scope, question: str) -> None:
    points = points_of(shelf)
    own = [p for p in points if p.document.metadata["tenant"] in scope.tenants()]
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        both, alone = open_engine(engine, Path(folder) / "both"), open_engine(engine, Path(folder) / "alone")
        write(both, points)
        # A version needs a point; one that the scope can't see stands in where the tenants have none.
        write(alone, own or [chunk("other#1", "x", tenant="unseen")])

        async def compare() -> None:
            await check(await both.current(), await alone.current(), points, scope, question)

        asyncio.run(compare())


@pytest.mark.parametrize("engine", ENGINES)
@MANY
@given(shelf=shelves, scope=scopes, question=texts)
def test_a_scope_sees_what_an_index_of_its_own_would_show(
    engine: str, shelf: list[tuple[Any, ...]], scope: Scope, question: str
) -> None:
    heard: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: heard.append(record.getMessage())  # type: ignore[method-assign]
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        run_check(engine, shelf, scope, question)
    finally:
        root.removeHandler(handler)
        root.setLevel(before)
    assert not [line for line in heard if SECRET in line]


SHELF = [
    ("acme", "rules", 1, "general", "active", "en", "return parcel"),
    ("acme", "rules", 2, "clothing", "repealed", "en", "damage"),
    ("bolt", "rules", 1, "general", "active", "en", "return parcel damage"),
    ("bolt", "manual", 2, "electronics", "active", "de", "warranty"),
    (SHARED_TENANT, "terms", 1, "general", "active", "en", "refund"),
]
ACME = Scope(tenant="acme")


def without_tenant(compile_filter: Callable[..., Any]) -> Callable[..., Any]:
    """The same, but it forgets the tenant."""

    def compiled(conditions: Any, *more: Any) -> Any:
        kept: list[Condition] = [c for c in conditions if not (isinstance(c, AnyOf) and c.key == "tenant")]
        return compile_filter(kept, *more)

    return compiled


class Open(Scope):
    """A scope whose conditions are all of them but the tenant's, for one request alone."""

    def conditions(self) -> tuple[Condition, ...]:
        return super().conditions()[1:]


def leaky(query: Callable[..., Any], which: Callable[[ListRequest], bool]) -> Callable[..., Any]:
    def asked(request: ListRequest, limit: int, scope: Scope) -> Any:
        return query(request, limit, Open(tenant=scope.tenant) if which(request) else scope)

    return asked


LISTS: dict[str, Callable[[ListRequest], bool]] = {
    "dense": lambda r: r.dense is not None and not (r.mentions or r.chunk_ids),
    "keyword": lambda r: r.sparse is not None and not (r.defines or r.chunk_ids),
    "mentions": lambda r: bool(r.mentions),
    "defines": lambda r: bool(r.defines),
    "dense of known chunks": lambda r: bool(r.chunk_ids) and r.dense is not None,
    "keyword of known chunks": lambda r: bool(r.chunk_ids) and r.sparse is not None,
}


@pytest.fixture
def patch() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as context:
        yield context


def notices(engine: str) -> bool:
    try:
        run_check(engine, SHELF, ACME, "return")
    except AssertionError:
        return True
    return False


@pytest.mark.parametrize("engine", ENGINES)
def test_the_check_passes_where_nothing_leaks(engine: str) -> None:
    assert not notices(engine)


@pytest.mark.parametrize("leak", LISTS)
@pytest.mark.parametrize("engine", ENGINES)
def test_the_check_notices_a_filter_missing_from_one_list(engine: str, leak: str, patch: pytest.MonkeyPatch) -> None:
    if engine == "edge":
        patch.setattr(edge, "_query", leaky(edge._query, LISTS[leak]))
        if "known" in leak:
            patch.setattr(edge, "id_condition", _ids_of_all(edge.id_condition))
    else:
        patch.setattr(server, "query_of", leaky(server_points.query_of, LISTS[leak]))
        if "known" in leak:
            patch.setattr(server_points, "id_condition", _ids_of_all(server_points.id_condition))
    assert notices(engine)


def _ids_of_all(condition: Callable[..., Any]) -> Callable[..., Any]:
    """Ids of a tenant's chunks name that tenant's points alone, a second wall; it has to fall for the first to be tried."""
    if condition is server_points.id_condition:
        return lambda ids, scope: server_points.models.Filter(
            should=[condition(ids, replace(Scope(tenant=scope.tenant), tenant=tenant)) for tenant in TENANTS]
        )
    return lambda ids, scope: edge_shard.qe.Filter(
        should=[condition(ids, replace(Scope(tenant=scope.tenant), tenant=tenant)) for tenant in TENANTS]
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_the_check_notices_an_idf_counted_over_all(engine: str, patch: pytest.MonkeyPatch) -> None:
    if engine == "edge":
        counted = TermCounts.idf
        patch.setattr(TermCounts, "idf", lambda self, terms, tenants: counted(self, terms, TENANTS))
    else:
        everyone = Scope(tenant="bolt", include_shared=True)
        asked = server_points.term_query
        patch.setattr(server, "term_query", lambda token, scope: asked(token, everyone))
    assert notices(engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_check_notices_counts_over_all(engine: str, patch: pytest.MonkeyPatch) -> None:
    module = edge if engine == "edge" else server
    patch.setattr(module, "compile_filter", without_tenant(module.compile_filter))
    assert notices(engine)
