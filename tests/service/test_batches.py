"""A batch is one request: all of it is checked and charged before any work, and nothing of it outlives its answer."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from service.api import ServeOptions, create_app
from service.auth import KeyStore
from service.batching import AT_ONCE
from service.limits import Running
from tests.service.conftest import bearer, client_of
from tests.service.fakes import MINE, FakeDesk

ASKED = ("/desk/batch", "/chat/batch")


def given(route: str, question: str, **options: Any) -> dict[str, Any]:
    if route.startswith("/chat"):
        return {"messages": [{"type": "human", "content": question}], **options}
    return {"question": question, **options}


def code(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


@pytest.mark.parametrize("route", ASKED)
async def test_when_one_fails_none_runs_on(client: httpx.AsyncClient, fake: FakeDesk, route: str) -> None:
    async def wait_or_fail(state: Any) -> None:
        if "headphones" in state["question"]:
            await asyncio.sleep(0.05)
            raise RuntimeError("nobody foresaw it")
        await asyncio.sleep(60)

    fake.hook = wait_or_fail
    inputs = [given(route, f"items, number {number}") for number in range(5)] + [given(route, "headphones")]
    async with asyncio.timeout(10):
        response = await client.post(route, json={"inputs": inputs})

    assert code(response) == (500, "internal")
    assert (fake.answering_now, fake.desk.running.count) == (0, 0)
    assert fake.desk.running.idle.is_set()


@pytest.mark.parametrize("route", ASKED)
async def test_one_that_can_not_be_used_keeps_all_from_being_asked(
    client: httpx.AsyncClient, fake: FakeDesk, route: str
) -> None:
    for bad in (given(route, ""), given(route, "x" * 2001), given(route, "items", tenant="zeta"), 7):
        response = await client.post(route, json={"inputs": [given(route, "items"), bad]})
        assert code(response) == (400, "bad_question"), bad
    response = await client.post("/desk/batch", json={"inputs": [given("", "items", updated_since="soon")] * 2})

    assert code(response) == (400, "bad_question")
    assert fake.seen == []


@pytest.mark.parametrize("most", [1, 3, 64])
async def test_a_batch_waits_for_its_own_questions(fake: FakeDesk, most: int) -> None:
    fake.desk.running = Running(most=most)
    at_once = 0

    async def count(state: Any) -> None:
        nonlocal at_once
        at_once = max(at_once, fake.answering_now)
        await asyncio.sleep(0)

    fake.hook = count
    async with client_of(create_app(fake.resources, ServeOptions(), desk=fake.desk)) as client:
        response = await client.post("/desk/batch", json={"inputs": [given("", f"items {n}") for n in range(70)]})

    assert response.status_code == 200
    answers = response.json()["output"]
    assert [answer["question"] for answer in answers] == [f"items {number}" for number in range(70)]
    assert at_once <= min(most, AT_ONCE)


async def test_a_batch_is_charged_as_a_whole_or_not_at_all(client: httpx.AsyncClient, keys: KeyStore) -> None:
    headers = bearer(keys.add(MINE, rate=5)[1])

    async def batch(size: int) -> httpx.Response:
        return await client.post("/desk/batch", json={"inputs": [given("", "items")] * size}, headers=headers)

    too_many = await batch(6)
    assert code(too_many) == (429, "rate_limited") and "one batch" in too_many.json()["error"]["message"]
    assert (await batch(4)).status_code == 200
    later = await batch(4)
    assert code(later) == (429, "rate_limited") and 24 <= int(later.headers["Retry-After"]) <= 36
    assert (await batch(1)).status_code == 200
    assert code(await batch(1)) == (429, "rate_limited")


@pytest.mark.parametrize("route", ASKED)
async def test_a_batch_of_nothing_is_nothing(client: httpx.AsyncClient, keys: KeyStore, route: str) -> None:
    headers = bearer(keys.add(MINE, rate=1)[1])
    for _ in range(3):
        response = await client.post(route, json={"inputs": []}, headers=headers)
        assert (response.status_code, response.json()["output"]) == (200, [])


@pytest.mark.parametrize("route", ASKED)
async def test_a_client_that_goes_away_ends_its_batch(app: Any, fake: FakeDesk, route: str) -> None:
    async def wait(state: Any) -> None:
        await asyncio.sleep(60)

    fake.hook = wait
    async with client_of(app) as client:
        asking = asyncio.create_task(client.post(route, json={"inputs": [given(route, "items")] * 5}))
        await fake.arrived(5)
        asking.cancel()
        await asyncio.wait({asking})

    assert (fake.answering_now, fake.desk.running.count) == (0, 0)


async def test_a_stop_waits_for_all_of_a_batch(fake: FakeDesk) -> None:
    fake.desk.running = Running(most=1)
    asked: list[str] = []

    async def stop_after_the_first(state: Any) -> None:
        asked.append(state["question"])
        fake.desk.running.stopping = True
        await asyncio.sleep(0.01)

    fake.hook = stop_after_the_first
    async with client_of(create_app(fake.resources, ServeOptions(), desk=fake.desk)) as client:
        asking = asyncio.create_task(
            client.post("/desk/batch", json={"inputs": [given("", f"items {n}") for n in "abc"]})
        )
        await fake.arrived()
        assert await fake.desk.drained(seconds=10)
        assert len(asked) == 3
        response = await asking

    assert response.status_code == 200 and len(response.json()["output"]) == 3
