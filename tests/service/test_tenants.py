"""One tenant's key at every door, with the other tenant's name put wherever a request can carry one: never a byte of theirs."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from langserve import RemoteRunnable
from langserve.lzstring import LZString

from knowledge.errors import Forbidden
from nodes.context import Context
from service.api import create_app
from service.auth import KeyStore, current_caller
from service.langserve_routes import chat_runnable, desk_runnable
from service.retriever import PolicyRetriever, as_tool
from service.schemas import Ask
from tests.service.conftest import BASE, bearer, client_of
from tests.service.fakes import MINE, OTHERS, SECRET, FakeDesk

QUESTION = f"When can items be returned, what of the {SECRET} headphones?"
ASK = {"question": QUESTION}

WIDENING_HEADERS = [
    {},
    {"X-Tenant": OTHERS, "X-Policydesk-Tenant": OTHERS, "Tenant": OTHERS},
    {"Cookie": f"tenant={OTHERS}"},
    {"X-Auth-Scheme": "langsmith"},
]
WIDENING_BODIES = [
    {"tenant": OTHERS},
    {"context": {"tenant": OTHERS}},
    {"config": {"configurable": {"tenant": OTHERS}}},
    {"configurable": {"tenant": OTHERS}},
    {"scope": {"tenant": OTHERS}},
    {"allowed_categories": []},
    {"include_shared": True},
    {"fields": {"tenant": OTHERS}},
    {"fields": {"tenant": [MINE, OTHERS]}},
    {"document_ids": ["plan"]},
    {"thread_id": f"{OTHERS}-1"},
    {"messages": [{"role": "user", "content": QUESTION, "tenant": OTHERS}]},
]
WIDENING_CONFIGS = [
    {"configurable": {"tenant": OTHERS}},
    {"configurable": {"thread_id": f"{OTHERS}-1", "context": {"tenant": OTHERS}}},
    {"metadata": {"tenant": OTHERS, "policydesk_caller": OTHERS}},
    {"tags": [OTHERS], "context": {"tenant": OTHERS}},
]


def assert_not_theirs(response: httpx.Response) -> None:
    held = response.text.replace(SECRET + " headphones?", "")  # the question itself comes back
    assert SECRET not in held
    assert "90 days" not in held
    assert "plan#1" not in held


@pytest.mark.parametrize("route", ["/api/ask", "/api/search", "/api/ask/stream"])
async def test_headers_do_not_widen(client: httpx.AsyncClient, mine: str, theirs: str, route: str) -> None:
    for headers in WIDENING_HEADERS:
        response = await client.post(route, json=ASK, headers={**headers, **bearer(mine)})
        assert response.status_code == 200
        assert "30 days" in response.text
        assert_not_theirs(response)


@pytest.mark.parametrize("route", ["/api/ask", "/api/search", "/api/ask/stream"])
async def test_bodies_do_not_widen(client: httpx.AsyncClient, mine: str, theirs: str, route: str) -> None:
    for body in WIDENING_BODIES:
        response = await client.post(route, json={**ASK, **body}, headers=bearer(mine))
        assert response.status_code in (200, 400)
        assert_not_theirs(response)


async def test_query_strings_do_not_widen(client: httpx.AsyncClient, mine: str, theirs: str) -> None:
    response = await client.post(f"/api/ask?tenant={OTHERS}", json=ASK, headers=bearer(mine))
    listed = await client.get(f"/api/documents?tenant={OTHERS}", headers=bearer(mine))

    assert_not_theirs(response)
    assert_not_theirs(listed)
    assert {item["id"] for item in listed.json()["documents"]} == {"returns", "electronics", "wages"}


async def test_a_chunk_of_theirs_does_not_exist(client: httpx.AsyncClient, mine: str, theirs: str) -> None:
    same_name = await client.get("/api/chunks/returns%231", headers=bearer(mine))
    foreign = await client.get("/api/chunks/plan%231", headers=bearer(mine))
    nowhere = await client.get("/api/chunks/none%231", headers=bearer(mine))

    assert "30 days" in same_name.json()["text"]
    assert foreign.status_code == nowhere.status_code == 404
    assert foreign.text.replace("plan", "none") == nowhere.text, "the answer does not tell whether it exists"


@pytest.mark.parametrize("route", ["/desk/invoke", "/desk/batch", "/desk/stream", "/desk/stream_log"])
async def test_langserve_does_not_widen(client: httpx.AsyncClient, mine: str, theirs: str, route: str) -> None:
    given = {"inputs": [ASK, ASK]} if route.endswith("batch") else {"input": ASK}
    for config in ({}, *WIDENING_CONFIGS):
        for headers in WIDENING_HEADERS:
            response = await client.post(route, json={**given, "config": config}, headers={**headers, **bearer(mine)})
            assert response.status_code == 200
            assert "30 days" in response.text
            assert_not_theirs(response)


async def test_langserves_config_hashes_do_not_widen(client: httpx.AsyncClient, mine: str, theirs: str) -> None:
    for config in WIDENING_CONFIGS:
        hashed = LZString.compressToEncodedURIComponent(json.dumps(config))
        for call, given in (("invoke", {"input": ASK}), ("batch", {"inputs": [ASK]}), ("stream", {"input": ASK})):
            response = await client.post(f"/desk/c/{hashed}/{call}", json=given, headers=bearer(mine))
            assert response.status_code == 200
            assert "30 days" in response.text
            assert_not_theirs(response)


async def test_langserve_inputs_do_not_widen(client: httpx.AsyncClient, mine: str, theirs: str) -> None:
    for given in WIDENING_BODIES:
        one = await client.post("/desk/invoke", json={"input": {**ASK, **given}}, headers=bearer(mine))
        many = await client.post("/desk/batch", json={"inputs": [{**ASK, **given}]}, headers=bearer(mine))
        for response in (one, many):
            assert response.status_code in (200, 400)
            assert_not_theirs(response)


async def test_chat_does_not_widen(client: httpx.AsyncClient, mine: str, theirs: str) -> None:
    messages = [{"type": "human", "content": QUESTION, "additional_kwargs": {"tenant": OTHERS}}]
    for route, body in (
        ("/chat/invoke", {"input": {"messages": messages}}),
        ("/chat/batch", {"inputs": [{"messages": messages}]}),
        ("/chat/stream", {"input": {"messages": messages}}),
        ("/chat/invoke", {"input": {"messages": messages, "tenant": OTHERS}}),
        ("/chat/invoke", {"input": {"messages": messages}, "config": {"metadata": {"tenant": OTHERS}}}),
    ):
        assert_not_theirs(await client.post(route, json=body, headers=bearer(mine)))


async def test_two_tenants_at_once_get_their_own(client: httpx.AsyncClient, mine: str, theirs: str) -> None:
    import asyncio

    routes = ["/api/ask", "/desk/invoke", "/desk/batch"] * 8
    bodies = {"/api/ask": ASK, "/desk/invoke": {"input": ASK}, "/desk/batch": {"inputs": [ASK, ASK]}}
    asked = [
        client.post(route, json=bodies[route], headers=bearer(key))
        for at, route in enumerate(routes)
        for key in ((mine, theirs) if at % 2 else (theirs, mine))
    ]
    answers = await asyncio.gather(*asked)

    for at, response in enumerate(answers):
        is_mine = (at % 2 == 0) == bool((at // 2) % 2)
        assert ("30 days" in response.text) is is_mine
        assert ("90 days" in response.text) is not is_mine


async def test_langserves_own_client_gets_its_scope_in_every_call(app: Any, mine: str, theirs: str) -> None:
    runnable = RemoteRunnable(f"{BASE}/desk/", headers=bearer(mine))
    runnable.async_client = client_of(app, headers=bearer(mine))
    runnable.async_client.base_url = f"{BASE}/desk/"

    one = await runnable.ainvoke(ASK)
    many = await runnable.abatch([ASK, ASK])
    pieces = [piece async for piece in runnable.astream(ASK)]

    for result in (one, *many, pieces[-1]):
        assert "30 days" in result["answer"]
        assert SECRET not in json.dumps(result["context"])


async def test_without_a_caller_every_runnable_refuses(fake: FakeDesk) -> None:
    """Called from a program that set no caller, or through a layer that lost it, nothing falls back to a tenant."""
    for runnable in (desk_runnable(fake.desk), chat_runnable(fake.desk)):
        given = ASK if runnable.get_name().startswith("desk") else {"messages": []}
        with pytest.raises((Forbidden, Exception)) as caught:
            await runnable.abatch([given, given])
        assert not isinstance(caught.value, AssertionError)
    with pytest.raises(Forbidden):
        await desk_runnable(fake.desk).ainvoke(ASK)
    with pytest.raises(Forbidden):
        fake.desk.admit(Ask(question=QUESTION), door="test")
    assert fake.seen == []


async def test_the_caller_of_one_request_is_gone_with_it(client: httpx.AsyncClient, mine: str) -> None:
    await client.post("/api/ask", json=ASK, headers=bearer(mine))

    with pytest.raises(Forbidden):
        current_caller()


async def test_a_key_limited_to_categories_is_limited_without_a_filter_too(
    client: httpx.AsyncClient, keys: KeyStore
) -> None:
    _, key = keys.add(MINE, categories=("electronics",), rate=0)
    ask = {"question": "What bonus do managers earn, and when can headphones and items be returned?"}
    for route in ("/api/ask", "/api/search", "/desk/invoke", "/desk/batch"):
        body = {"/desk/invoke": {"input": ask}, "/desk/batch": {"inputs": [ask]}}.get(route, ask)
        response = await client.post(route, json=body, headers=bearer(key))
        assert "7 days" in response.text and "30 days" in response.text, "its own category and general"
        assert "9 percent" not in response.text, route
    listed = await client.get("/api/documents", headers=bearer(key))
    assert listed.json()["categories"] == {"electronics": 1, "general": 1}
    assert (await client.get("/api/chunks/wages%231", headers=bearer(key))).status_code == 404


async def test_a_tenant_is_not_the_local_one_once_keys_are_set(app: Any, keys: KeyStore, theirs: str) -> None:
    """The service's own tenant setting is for a desk without keys; with keys it gives nobody anything."""
    async with client_of(app) as client:
        assert (await client.post("/api/ask", json=ASK)).status_code == 401
        response = await client.post("/api/ask", json=ASK, headers=bearer(theirs))
    assert "90 days" in response.text
    assert "30 days" not in response.text


async def test_revoking_the_last_key_does_not_open_the_service(app: Any, keys: KeyStore, mine: str) -> None:
    keys.revoke(keys.list()[0].id)
    async with client_of(app) as client:
        assert (await client.post("/api/ask", json=ASK)).status_code == 401
        assert (await client.post("/api/ask", json=ASK, headers=bearer(mine))).status_code == 401
        keys.path.unlink()
        assert (await client.post("/api/ask", json=ASK)).status_code == 401


async def test_a_broken_keys_file_lets_nobody_in(app: Any, keys: KeyStore, mine: str) -> None:
    keys.path.write_text("{")
    async with client_of(app, raises=False) as client:
        for headers in ({}, bearer(mine)):
            response = await client.post("/api/ask", json=ASK, headers=headers)
            assert response.status_code == 500
            assert response.json()["error"]["code"] == "internal"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", ""])
async def test_without_keys_only_this_machine_is_answered(app: Any, host: str) -> None:
    async with client_of(app) as client:
        assert (await client.post("/api/ask", json=ASK, headers={"Host": host})).status_code == 403
        assert (await client.get("/", headers={"Host": host})).status_code == 403


async def test_cors_is_closed_unless_set(fake: FakeDesk, app: Any) -> None:
    from service.api import ServeOptions

    origin = {"Origin": "https://shop.example", "Access-Control-Request-Method": "POST"}
    opened = create_app(fake.resources, ServeOptions(cors_origins=("https://shop.example",)), desk=fake.desk)
    async with client_of(app) as client:
        assert "access-control-allow-origin" not in (await client.options("/api/ask", headers=origin)).headers
    async with client_of(opened) as client:
        assert (await client.options("/api/ask", headers=origin)).headers["access-control-allow-origin"]
        other = {**origin, "Origin": "https://evil.example"}
        assert "access-control-allow-origin" not in (await client.options("/api/ask", headers=other)).headers


async def test_no_log_line_holds_text_or_another_tenant(
    client: httpx.AsyncClient, mine: str, theirs: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions: list[dict[str, Any]] = []
    monkeypatch.setattr(
        "service.observability.log",
        SimpleNamespace(info=lambda event, **held: questions.append({"event": event, **held})),
    )
    await client.post("/api/ask", json=ASK, headers=bearer(mine))

    assert len(questions) == 1
    written = json.dumps(questions)
    assert questions[0]["tenant"] == MINE and questions[0]["chunk_ids"] == ["returns#1", "electronics#1"]
    assert questions[0]["timings_ms"] == {"retrieve": 1.5}
    assert "30 days" not in written and "items" not in written and SECRET not in written and OTHERS not in written


async def test_metrics_name_no_tenant(client: httpx.AsyncClient) -> None:
    await client.post("/api/ask", json=ASK)
    text = (await client.get("/metrics")).text

    assert 'policydesk_questions_total{door="http",outcome="answered"} 1.0' in text
    assert MINE not in text and "returns#1" not in text


def test_an_agent_cannot_choose_whose_documents(fake: FakeDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.retriever.build_graph", lambda resources, **_: fake.desk.answering)
    tool = as_tool(fake.resources, context=Context(tenant=MINE))

    said = tool.invoke({"type": "tool_call", "id": "1", "name": tool.name, "args": {**ASK, "tenant": OTHERS}})

    assert "30 days" in said.content and "90 days" not in said.content
    assert set(tool.args) == {"question"}


def test_the_retriever_keeps_its_scope(fake: FakeDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.retriever.build_graph", lambda resources, **_: fake.desk.searching)
    retriever = PolicyRetriever(resources=fake.resources, context=Context(tenant=MINE))

    found = retriever.invoke(QUESTION, config={"configurable": {"tenant": OTHERS}, "metadata": {"tenant": OTHERS}})

    assert [document.id for document in found] == ["returns#1", "electronics#1"]
    assert all(document.metadata["score"] == 1.0 for document in found)
