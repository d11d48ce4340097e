"""Every error that the API can answer with: its status, its code, its field, in one body shape."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest

from knowledge.errors import BadQuestion, IndexMismatch, IndexMissing, IndexUnavailable, ModelUnavailable
from service.auth import KeyStore
from service.limits import Running
from tests.service.conftest import bearer
from tests.service.fakes import MINE, FakeDesk

ROUTES = ("/api/ask", "/api/search", "/api/ask/stream")
QUESTION = {"question": "When can items be returned?"}


def problem(response: httpx.Response) -> dict[str, Any]:
    body = response.json()
    assert set(body) == {"error"}
    assert set(body["error"]) == {"code", "message", "field"}
    assert body["error"]["message"].endswith((".", "?")) or "policydesk" in body["error"]["message"]
    return dict(body["error"])


UNUSABLE: list[tuple[Any, str | None]] = [
    ({"question": ""}, "question"),
    ({"question": "   "}, "question"),
    ({"question": "?!"}, "question"),
    ({"question": "x" * 2001}, "question"),
    ({}, "question"),
    ({"messages": []}, "question"),
    ({"question": "a day", "messages": [{"role": "user", "content": "a day"}]}, "messages"),
    ({"messages": [{"role": "assistant", "content": "a day"}]}, "messages"),
    ({"messages": [{"role": "user", "content": " "}]}, "messages"),
    ({**QUESTION, "top_k": 0}, "top_k"),
    ({**QUESTION, "top_k": 9}, "top_k"),
    ({**QUESTION, "top_k": "many"}, "top_k"),
    ({**QUESTION, "tenant": "zeta"}, "tenant"),
    ({**QUESTION, "allowed_categories": ["hr"]}, "allowed_categories"),
    ({**QUESTION, "threshold": 2}, "threshold"),
    ({**QUESTION, "updated_since": "yesterday"}, "updated_since"),
    ({**QUESTION, "expansion": "guess"}, "expansion"),
    ({**QUESTION, "reranker": "cross-encoder:/etc"}, "reranker"),
    ({**QUESTION, "fields": {"tier": {"gt": 1}}}, "fields.tier"),
    ({"question": 7}, "question"),
    ([], None),
]


@pytest.mark.parametrize("route", ROUTES)
async def test_what_cannot_be_used_is_a_400(client: httpx.AsyncClient, route: str) -> None:
    for body, field in UNUSABLE:
        response = await client.post(route, json=body)
        assert response.status_code == 400, body
        said = problem(response)
        assert said["code"] == "bad_question"
        assert said["field"] == field or (field and str(said["field"]).startswith(f"{field}.")), body


NO_CONVERSATION: list[tuple[Any, str]] = [
    ("When?", "messages"),
    ({}, "messages"),
    ([7], "messages.0"),
    ([None], "messages.0"),
    ([["user", "When?"]], "messages.0"),
    ([{"role": "system", "content": "obey"}], "messages.0.role"),
    ([{"content": "When?"}], "messages.0.role"),
    ([{"role": "user"}], "messages.0.content"),
    ([{"role": "user", "content": None}], "messages.0.content"),
    ([{"role": "user", "content": 7}], "messages.0.content"),
    ([{"role": "user", "content": [{"type": "image_url"}]}], "messages.0.content"),
]


@pytest.mark.parametrize(("messages", "field"), NO_CONVERSATION)
async def test_what_is_no_conversation_is_told_what_one_looks_like(
    client: httpx.AsyncClient, messages: Any, field: str
) -> None:
    given = {"messages": messages}
    for path, body in (
        *((route, given) for route in ROUTES),
        ("/desk/invoke", {"input": given}),
        ("/desk/batch", {"inputs": [given]}),
        ("/desk/stream", {"input": given}),
    ):
        response = await client.post(path, json=body)
        said = problem(response)
        assert (response.status_code, said["code"], said["field"]) == (400, "bad_question", field), path
        assert '{"role": "user", "content": "May I return it?"}' in said["message"], path


async def test_the_chat_door_shows_langchains_messages(client: httpx.AsyncClient) -> None:
    for messages in ("When?", [7], [{"role": "user", "content": "When?"}], [{"type": "human"}]):
        response = await client.post("/chat/invoke", json={"input": {"messages": messages}})
        assert response.status_code == 400
        assert '{"type": "human", "content": "May I return it?"}' in problem(response)["message"]


@pytest.mark.parametrize("route", [*ROUTES, "/desk/invoke", "/desk/batch", "/desk/stream", "/chat/invoke"])
async def test_a_body_that_is_no_json_is_a_400(client: httpx.AsyncClient, route: str) -> None:
    for content in (b"{", b"\xff\xfe", b"[" * 4000, b'{"question": "\\ud800 days"}', b""):
        response = await client.post(route, content=content, headers={"Content-Type": "application/json"})
        assert response.status_code == 400, content
        problem(response)


NASTY: list[Any] = [
    None,
    [],
    {},
    "x",
    7,
    {"input": None},
    {"input": []},
    {"input": "When?"},
    {"input": {"question": ["When?"]}},
    {"input": {"messages": {}}},
    {"input": {"messages": [None]}},
    {"input": {"messages": [{"type": "human", "content": [{"type": "image_url"}]}]}},
    {"input": {"messages": [{"type": "tool", "content": "x", "tool_call_id": "1"}]}},
    {"input": {"messages": [{"type": "ai", "content": "I speak last."}]}},
    {"inputs": None},
    {"inputs": {}},
    {"inputs": [None]},
    {"inputs": [{}]},
    {"inputs": [QUESTION], "config": [{}, {}]},
    {"input": QUESTION, "config": []},
    {"input": QUESTION, "config": 7},
    {"input": QUESTION, "kwargs": 7},
    {"inputs": [QUESTION], "config": 7},
]


@pytest.mark.parametrize(
    "route", ["/desk/invoke", "/desk/batch", "/desk/stream", "/desk/stream_log", "/chat/invoke", "/chat/batch"]
)
async def test_nothing_sent_to_langserve_brings_it_down(client: httpx.AsyncClient, route: str) -> None:
    for body in NASTY:
        response = await client.post(route, json=body)
        assert response.status_code in (200, 400), (body, response.text)
        if response.status_code == 400:
            problem(response)


async def test_a_surrogate_in_a_langserve_input_is_a_400(client: httpx.AsyncClient) -> None:
    for route, inputs in (("/desk/invoke", "input"), ("/desk/batch", "inputs")):
        given = b'{"question": "\\ud800 days"}'
        content = b'{"%s": %s}' % (inputs.encode(), given if inputs == "input" else b"[" + given + b"]")
        response = await client.post(route, content=content, headers={"Content-Type": "application/json"})
        assert response.status_code == 400, route


async def test_an_unknown_category_is_a_400_that_names_the_field(client: httpx.AsyncClient, fake: FakeDesk) -> None:
    def unknown(state: Any) -> None:
        raise BadQuestion("Unknown category 'toys'; the documents have: general.", field="category")

    fake.hook = unknown
    response = await client.post("/api/ask", json={**QUESTION, "category": "toys"})

    assert response.status_code == 400
    assert problem(response) == {
        "code": "bad_question",
        "message": "Unknown category 'toys'; the documents have: general.",
        "field": "category",
    }


@pytest.mark.parametrize("path", ["/api/documents", "/api/chunks/returns%231", "/metrics", "/desk/input_schema"])
@pytest.mark.parametrize("given", [{}, {"Authorization": "Bearer pd_x_y"}, {"Authorization": "Basic cGQ6cGQ="}])
async def test_without_a_valid_key_it_is_a_401(
    client: httpx.AsyncClient, mine: str, path: str, given: dict[str, str]
) -> None:
    response = await client.get(path, headers=given)

    assert response.status_code == 401
    assert problem(response)["code"] == "unauthorized"
    assert response.headers["www-authenticate"] == "Bearer"


async def test_what_the_key_may_not_see_is_a_403(client: httpx.AsyncClient, keys: KeyStore) -> None:
    _, key = keys.add(MINE, categories=("electronics",), rate=0)
    response = await client.post("/api/ask", json={**QUESTION, "category": "hr"}, headers=bearer(key))

    assert response.status_code == 403
    assert problem(response)["code"] == "forbidden"
    assert problem(response)["field"] == "category"


async def test_metrics_need_the_right_to_read_them(client: httpx.AsyncClient, keys: KeyStore, mine: str) -> None:
    _, watcher = keys.add("ops", metrics=True)

    assert (await client.get("/metrics", headers=bearer(mine))).status_code == 403
    assert (await client.get("/metrics", headers=bearer(watcher))).status_code == 200


async def test_what_is_not_there_is_a_404(client: httpx.AsyncClient) -> None:
    missing = await client.get("/api/chunks/nothing%239")
    nowhere = await client.get("/api/nowhere")

    assert (missing.status_code, problem(missing)["code"]) == (404, "not_found")
    assert (nowhere.status_code, problem(nowhere)["code"]) == (404, "not_found")


async def test_the_wrong_method_is_a_405(client: httpx.AsyncClient) -> None:
    response = await client.get("/api/ask")

    assert (response.status_code, problem(response)["code"]) == (405, "method_not_allowed")


@pytest.mark.parametrize("route", [*ROUTES, "/desk/invoke", "/desk/batch"])
async def test_a_body_over_the_limit_is_a_413(client: httpx.AsyncClient, route: str) -> None:
    async def slowly() -> Any:
        for _ in range(10):
            yield b"x" * 1000

    announced = await client.post(route, content=b"x" * 9000)
    streamed = await client.post(route, content=slowly())

    assert (announced.status_code, problem(announced)["code"]) == (413, "too_large")
    assert (streamed.status_code, problem(streamed)["code"]) == (413, "too_large")


@pytest.mark.parametrize("route", ROUTES)
async def test_over_the_keys_limit_it_is_a_429(client: httpx.AsyncClient, keys: KeyStore, route: str) -> None:
    _, key = keys.add(MINE, rate=2)
    answers = [await client.post(route, json=QUESTION, headers=bearer(key)) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert problem(answers[-1])["code"] == "rate_limited"
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 30


async def test_each_question_of_a_batch_counts_against_the_limit(client: httpx.AsyncClient, keys: KeyStore) -> None:
    _, key = keys.add(MINE, rate=3)
    response = await client.post("/desk/batch", json={"inputs": [QUESTION] * 4}, headers=bearer(key))

    assert (response.status_code, problem(response)["code"]) == (429, "rate_limited")


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (
            ModelUnavailable("The model m can't be reached at http://10.1.2.3:11434; start it."),
            502,
            "model_unavailable",
        ),
        (IndexUnavailable("Qdrant at http://10.1.2.3:6333 does not answer."), 502, "index_unavailable"),
        (IndexMissing("There is no index yet; run: policydesk ingest FOLDER"), 503, "index_missing"),
        (IndexMismatch("The index was built with another model; ingest again."), 503, "index_mismatch"),
        (RuntimeError("a secret of the inside"), 500, "internal"),
    ],
)
async def test_what_fails_behind_it_has_its_status(
    client: httpx.AsyncClient, fake: FakeDesk, error: Exception, status: int, code: str
) -> None:
    def fail(state: Any) -> None:
        raise error

    fake.hook = fail
    response = await client.post("/api/ask", json=QUESTION)

    assert response.status_code == status
    assert problem(response)["code"] == code
    assert "10.1.2.3" not in response.text, "where the models listen is not the caller's business"
    assert "secret of the inside" not in response.text


async def test_a_failure_in_a_stream_is_its_last_event(client: httpx.AsyncClient, fake: FakeDesk) -> None:
    def fail(state: Any) -> None:
        raise ModelUnavailable("The model m can't be reached; start it.")

    fake.hook = fail
    response = await client.post("/api/ask/stream", json=QUESTION)

    name, data = response.text.strip().split("\r\n\r\n")[-1].split("\r\n")
    assert name == "event: error"
    assert json.loads(data.removeprefix("data: "))["error"]["code"] == "model_unavailable"


async def test_more_than_may_run_at_once_is_a_503(client: httpx.AsyncClient, fake: FakeDesk) -> None:
    release = asyncio.Event()
    fake.desk.running = Running(most=2)
    fake.hook = lambda state: release.wait()
    asked = [asyncio.create_task(client.post("/api/ask", json=QUESTION)) for _ in range(2)]
    await fake.arrived(2)
    turned_away = await client.post("/api/ask", json=QUESTION)
    release.set()
    answered = await asyncio.gather(*asked)

    assert (turned_away.status_code, problem(turned_away)["code"]) == (503, "overloaded")
    assert turned_away.headers["retry-after"]
    assert [answer.status_code for answer in answered] == [200, 200]


async def test_a_stopping_service_finishes_what_runs_and_takes_nothing_new(
    client: httpx.AsyncClient, fake: FakeDesk
) -> None:
    release = asyncio.Event()
    fake.hook = lambda state: release.wait()
    asked = asyncio.create_task(client.post("/api/ask", json=QUESTION))
    await fake.arrived()
    fake.desk.running.stopping = True
    refused = await client.post("/api/ask", json=QUESTION)
    ready = await client.get("/readyz")
    assert not await fake.desk.drained(seconds=0.01)
    release.set()

    assert (refused.status_code, problem(refused)["code"]) == (503, "stopping")
    assert ready.status_code == 503
    assert (await asked).status_code == 200
    assert await fake.desk.drained(seconds=1)
