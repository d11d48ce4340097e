"""The service's first question, which it asks itself."""

from __future__ import annotations

import asyncio
import gc
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from knowledge.errors import IndexMissing
from service import warming
from service.auth import KeyStore
from service.warming import get_ready, warm
from tests.service.fakes import MINE, OTHERS, FakeDesk


async def test_a_question_is_asked_before_the_first_one(fake: FakeDesk, keys: KeyStore) -> None:
    await warm(fake.desk, keys)

    (context,) = fake.seen
    assert (context.tenant, context.expansion) == (MINE, "none"), "no model is called that writes queries"
    assert not fake.desk.warming


async def test_with_keys_it_is_asked_for_a_tenant_that_has_one(fake: FakeDesk, keys: KeyStore) -> None:
    gone, _ = keys.add("gone")
    keys.revoke(gone.id)
    keys.add(OTHERS)
    await warm(fake.desk, keys)

    assert [context.tenant for context in fake.seen] == [OTHERS]


async def test_where_every_key_is_revoked_nobody_is_asked_for(fake: FakeDesk, keys: KeyStore) -> None:
    gone, _ = keys.add("gone")
    keys.revoke(gone.id)
    await warm(fake.desk, keys)

    assert fake.seen == []


async def test_a_chat_model_is_not_called_for_it(fake: FakeDesk, keys: KeyStore) -> None:
    def fail(state: Any) -> None:
        raise AssertionError("the answering node ran")

    fake.hook, fake.resources.chat = fail, object()
    await warm(fake.desk, keys)

    assert len(fake.seen) == 1, "the search ran"


async def test_it_is_not_ready_until_then(client: httpx.AsyncClient, fake: FakeDesk, keys: KeyStore) -> None:
    release = asyncio.Event()
    fake.hook = lambda state: release.wait()
    asking = asyncio.create_task(warm(fake.desk, keys))
    await fake.arrived()
    before = await client.get("/readyz")
    release.set()
    await asking
    after = await client.get("/readyz")

    assert (before.status_code, before.json()["checks"]["warm_up"]) == (503, "The models are being loaded.")
    assert (after.status_code, after.json()["ready"]) == (200, True)
    assert "warm_up" not in after.json()["checks"]


async def test_what_fails_is_left_to_the_first_question(
    app: Any, fake: FakeDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Any] = []
    monkeypatch.setattr(
        warming, "log", SimpleNamespace(warning=lambda event, **more: told.append((event, more["code"])))
    )
    fake.resources.failure = IndexMissing("There is no index yet; run: policydesk ingest FOLDER")
    async with app.router.lifespan_context(app):
        await asyncio.sleep(0)

    assert told == [("not_ready", "index_missing")]
    assert not fake.desk.warming


async def test_once_warm_the_collector_goes_round_what_is_loaded(fake: FakeDesk, keys: KeyStore) -> None:
    try:
        await get_ready(fake.desk, keys)
        assert gc.get_freeze_count() > 10_000 and not fake.desk.warming
    finally:
        gc.unfreeze()


async def test_the_service_gets_ready_as_it_starts(app: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ready = asyncio.Event()

    async def get_ready(*_: Any) -> None:
        ready.set()

    monkeypatch.setattr("service.api.get_ready", get_ready)
    async with app.router.lifespan_context(app), asyncio.timeout(10):
        await ready.wait()
