"""What only a server has: errors on the way, old versions of it, and (marked live) the contract against a real one."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from qdrant_client import models
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from knowledge.errors import IndexUnavailable
from knowledge.index import server_points
from knowledge.index.server_store import Clients, ServerStore, connect
from knowledge.scope import Scope
from tests.knowledge.index.engines import both, chunk, ids, memory_clients, spec, tokens, write

A = Scope(tenant="a")


def response(status: int) -> UnexpectedResponse:
    return UnexpectedResponse(status, "no", b"the tenant's own words", httpx.Headers())


async def test_a_server_that_does_not_answer(tmp_path: Path) -> None:
    store = ServerStore(connect("http://127.0.0.1:9", None), "policydesk", tmp_path)
    with pytest.raises(IndexUnavailable, match="check QDRANT_URL"):
        await store.current()
    with pytest.raises(IndexUnavailable, match="check QDRANT_URL"):
        store.versions()


@pytest.mark.parametrize(("status", "said"), [(401, "QDRANT_API_KEY"), (500, r"error \(500\)"), (404, "ask again")])
def test_errors_say_what_to_do_and_never_what_was_sent(status: int, said: str) -> None:
    with pytest.raises(IndexUnavailable, match=said) as caught, server_points.answering():
        raise response(status)
    assert "own words" not in str(caught.value)


@pytest.mark.parametrize("fault", [response(503), ResponseHandlingException(OSError("reset"))])
def test_writes_are_tried_again_while_the_server_is_away(fault: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(server_points.time, "sleep", waits.append)
    faults = [fault, fault]

    def call() -> str:
        if faults:
            raise faults.pop()
        return "written"

    assert server_points.retried(call) == "written"
    assert waits == [0.5, 1.0]
    faults = [fault] * 9
    with pytest.raises(type(fault)):
        server_points.retried(call)
    assert len(faults) == 4


def test_a_refused_write_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_points.time, "sleep", lambda seconds: pytest.fail("waited"))
    with pytest.raises(UnexpectedResponse):
        server_points.retried(lambda: (_ for _ in ()).throw(response(400)))


def test_an_old_server_is_refused(tmp_path: Path) -> None:
    clients = memory_clients()
    store = ServerStore(clients, "policydesk", tmp_path)
    clients.sync.info = lambda: SimpleNamespace(version="1.18.2")  # type: ignore[method-assign, assignment, return-value]
    with pytest.raises(IndexUnavailable, match=r"1\.18\.2.*1\.19 or newer"):
        store.writer(spec())


async def test_two_indexes_on_one_server_keep_apart(tmp_path: Path) -> None:
    clients = memory_clients()
    ours, theirs = ServerStore(clients, "desk", tmp_path), ServerStore(clients, "desk_two", tmp_path)
    write(ours, [chunk("returns#1", "goods")])
    write(theirs, [chunk("damage#1", "harm"), chunk("damage#2", "harm")])
    theirs.writer(spec()).upsert([chunk("half#1", "half")])
    write(ours, [chunk("returns#1", "goods again")])
    assert [info.name for info in ours.versions()] == ["v0001", "v0002"]
    assert [info.name for info in theirs.versions()] == ["v0001"]
    assert await (await ours.current()).count(A) == 1
    assert await (await theirs.current()).count(A) == 2


async def test_vectors_on_disk_is_a_setting(tmp_path: Path) -> None:
    clients = memory_clients()
    write(ServerStore(clients, "policydesk", tmp_path, on_disk=True), [chunk("returns#1", "goods")])
    vectors = clients.sync.get_collection("policydesk").config.params.vectors
    assert isinstance(vectors, dict) and vectors[""].on_disk is True


def test_every_filtered_field_has_an_index_and_the_tenants_knows_it(tmp_path: Path) -> None:
    clients = memory_clients()
    made: dict[str, Any] = {}
    clients.sync.create_payload_index = lambda collection, key, schema, wait: made.update({key: schema})  # type: ignore[method-assign, assignment, return-value, misc]
    points = [chunk("returns#1", "goods", price_tier=2, sale=True, course="x")]
    write(ServerStore(clients, "policydesk", tmp_path), points, fields=("price_tier", "sale", "course", "unused"))
    assert made["metadata.tenant"].is_tenant is True
    assert made["metadata.updated_at"] == models.PayloadSchemaType.DATETIME
    assert made["metadata.price_tier"] == models.PayloadSchemaType.INTEGER
    assert made["metadata.sale"] == models.PayloadSchemaType.BOOL
    assert {f"metadata.{key}" for key in ("category", "document_id", "language", "status", "course")} <= set(made)
    assert "metadata.unused" not in made


@pytest.fixture
def live(tmp_path: Path) -> Iterator[ServerStore]:
    """A real server's store under an alias of its own, emptied afterwards."""
    clients: Clients = connect(os.environ["QDRANT_URL"], os.environ.get("QDRANT_API_KEY"))
    alias = f"test-{uuid.uuid4().hex[:8]}"
    yield ServerStore(clients, alias, tmp_path)
    for collection in clients.sync.get_collections().collections:
        if collection.name.startswith((f"{alias}_", f"{alias}.")):
            clients.sync.delete_collection(collection.name)


@pytest.mark.live
@pytest.mark.skipif("QDRANT_URL" not in os.environ, reason="QDRANT_URL names no server")
async def test_against_a_live_server(live: ServerStore, tmp_path: Path) -> None:
    points = [
        chunk("returns#1", "Goods may be returned within thirty days", sale=True),
        chunk("damage#1", "Report damage within two days", updated_at="2026-03-02T00:00:00+00:00"),
        *(chunk(f"noise{n}#1", "goods returned goods", tenant="b") for n in range(20)),
    ]
    stand_in = ServerStore(memory_clients(), "policydesk", tmp_path)
    for store in (live, stand_in):
        write(store, points, fields=("sale",))
    asked, terms = both("goods returned within two days"), tokens("goods damage days")
    for scope in (A, Scope(tenant="a", fields={"sale": (True,)}), Scope(tenant="b"), Scope(tenant="nobody")):
        real, copy = [await (await store.current()).search(asked, scope, terms=terms) for store in (live, stand_in)]
        assert [ids(row) for row in real.lists] == [ids(row) for row in copy.lists]
        assert real.idf == pytest.approx(copy.idf, abs=1e-4)
    index = await live.current()
    assert await index.values("document_id", A) == {"returns": 1, "damage": 1}
    assert ids(await index.fetch(["damage#1", "noise1#1"], A)) == ["damage#1"]
    write(live, points[:1])
    assert await (await live.current()).count(A) == 1
    assert await index.count(A) == 2
