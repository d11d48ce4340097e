"""What each door gives: shapes, streams, LangServe's own client, the end of a connection, the OpenAPI description."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from langchain_core.messages import HumanMessage
from langserve import RemoteRunnable

from nodes.state import ASK_KEYS, SEARCH_KEYS
from service.schemas import AskResult, Chunk, Documents, SearchResult
from tests.service.conftest import BASE, client_of
from tests.service.fakes import FakeDesk

QUESTION = {"question": "When can items be returned?"}


def events_of(text: str) -> list[tuple[str, Any]]:
    blocks = [block.split("\r\n") for block in text.strip().split("\r\n\r\n")]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in blocks]


async def test_ask_gives_the_json_of_the_command_line_and_an_id(client: httpx.AsyncClient) -> None:
    result = (await client.post("/api/ask", json=QUESTION)).json()

    assert list(result) == ["id", *ASK_KEYS] == list(AskResult.model_fields)
    assert list(result)[1:6] == ["question", "answer", "refused", "refusal_reason", "citations"], (
        "what is read comes first"
    )
    assert list(result)[-3:] == ["ranked", "fused", "lists"], "the long lists come last"
    assert result["answer"] == "Items can be returned within 30 days of delivery. [S1]"
    AskResult.model_validate(result)


async def test_search_calls_no_answer_model(client: httpx.AsyncClient, fake: FakeDesk) -> None:
    def fail(state: Any) -> None:
        raise AssertionError("the answering node ran")

    fake.hook = fail
    result = (await client.post("/api/search", json=QUESTION)).json()

    assert list(result) == ["id", *SEARCH_KEYS] == list(SearchResult.model_fields)
    assert result["context"][0]["id"] == "returns#1"
    SearchResult.model_validate(result)


async def test_a_refusal_has_a_reason_and_no_citations(client: httpx.AsyncClient) -> None:
    result = (await client.post("/api/ask", json={"question": "Who discovered penicillin?"})).json()

    assert (result["refused"], result["refusal_reason"], result["citations"]) == (True, "nothing_found", [])


async def test_a_conversation_is_asked_by_its_last_message(client: httpx.AsyncClient) -> None:
    messages = [
        {"role": "user", "content": "Tell me of managers."},
        {"role": "assistant", "content": "They manage."},
        {"role": "user", "content": QUESTION["question"]},
    ]
    result = (await client.post("/api/ask", json={"messages": messages})).json()

    assert result["question"] == QUESTION["question"]


async def test_the_stream_tells_stages_then_drafts_then_the_result(client: httpx.AsyncClient) -> None:
    response = await client.post("/api/ask/stream", json=QUESTION)
    events = events_of(response.text)

    assert response.headers["content-type"].startswith("text/event-stream")
    assert [name for name, _ in events] == ["stage", "stage", "stage", "draft", "stage", "result"]
    assert events[0][1] == {"stage": "retrieve", "status": "started"}
    assert events[1][1] == {"stage": "retrieve", "status": "done", "ms": 1.5, "found": 2}
    assert events[3][1] == {"text": "Items "}
    whole = (await client.post("/api/ask", json=QUESTION)).json()
    assert {**events[-1][1], "id": 0} == {**whole, "id": 0}


async def test_documents_and_chunks_are_shown(client: httpx.AsyncClient) -> None:
    listed = (await client.get("/api/documents?limit=2&offset=1")).json()
    chunk = (await client.get("/api/chunks/electronics%231")).json()

    assert listed["total"] == 3
    assert [item["id"] for item in listed["documents"]] == ["returns", "wages"]
    assert listed["categories"] == {"electronics": 1, "general": 1, "hr": 1}
    assert chunk["text"] == "Headphones can be returned within 7 days."
    assert "tenant" not in chunk
    Documents.model_validate(listed)
    Chunk.model_validate(chunk)


async def test_readiness_says_what_is_missing(client: httpx.AsyncClient, fake: FakeDesk) -> None:
    from knowledge.errors import IndexMissing

    fake.resources.failure = IndexMissing("There is no index yet; run: policydesk ingest FOLDER")
    response = await client.get("/readyz")

    assert response.status_code == 503
    assert response.json()["ready"] is False
    assert response.json()["checks"]["index"].startswith("There is no index yet")
    assert (await client.get("/healthz")).status_code == 200


async def test_the_page_loads_only_its_own_files(client: httpx.AsyncClient) -> None:
    page = await client.get("/")
    policy = page.headers["content-security-policy"]

    assert page.status_code == 200 and "<textarea" in page.text
    assert "default-src 'none'" in policy and "script-src 'self'" in policy and "unsafe" not in policy
    for path in ("app.js", "api.js", "answer.js", "dom.js", "source.js", "stages.js", "style.css", "icon.svg"):
        served = await client.get(f"/web/{path}")
        assert served.status_code == 200, path
        assert "://" not in served.text.replace("http://www.w3.org/2000/svg", ""), f"{path} names another host"


def test_nothing_of_the_page_parses_text_as_markup() -> None:
    for script in (Path(__file__).parents[2] / "service" / "web").glob("*.js"):
        text = script.read_text()
        for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "DOMParser"):
            assert way not in text, f"{script.name} uses {way}"


async def test_a_client_that_goes_away_leaves_nothing_running(app: Any, fake: FakeDesk) -> None:
    for path in ("/api/ask", "/api/ask/stream", "/desk/invoke", "/desk/batch", "/desk/stream"):
        body = {"/desk/invoke": {"input": QUESTION}, "/desk/stream": {"input": QUESTION}}.get(path, QUESTION)
        body = {"inputs": [QUESTION, QUESTION]} if path == "/desk/batch" else body
        await _ask_and_hang_up(app, fake, path, json.dumps(body).encode())
        assert fake.desk.running.count == 0, path
        await asyncio.sleep(0.05)
        assert fake.answering_now == 0, path


async def _ask_and_hang_up(app: Any, fake: FakeDesk, path: str, body: bytes) -> None:
    """As a server sees it: the request, then, once the question runs, the end of the connection."""
    fake.hook = lambda state: asyncio.Event().wait()
    left = asyncio.Event()
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if waiting:
            return waiting.pop()
        await left.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        return

    headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b""}
    scope |= {"headers": headers, "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http"}
    scope |= {"client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80), "root_path": ""}
    serving = asyncio.create_task(app(scope, receive, send))
    await fake.arrived()
    left.set()
    async with asyncio.timeout(5):
        await serving


async def test_langserves_client_invokes_batches_and_streams(app: Any) -> None:
    desk = RemoteRunnable(f"{BASE}/desk/")
    desk.async_client = client_of(app)
    desk.async_client.base_url = f"{BASE}/desk/"

    one = await desk.ainvoke(QUESTION)
    many = await desk.abatch([QUESTION, {"question": "Who discovered penicillin?"}])
    pieces = [piece async for piece in desk.astream(QUESTION)]

    assert one["answer"].startswith("Items can be returned")
    assert [result["refused"] for result in many] == [False, True]
    assert [list(piece) for piece in pieces[:2]] == [["stages"], ["stages"]]
    assert pieces[-1]["citations"][0]["id"] == "returns#1"


async def test_langserves_chat_takes_messages_and_gives_a_message(app: Any) -> None:
    chat = RemoteRunnable(f"{BASE}/chat/")
    chat.async_client = client_of(app)
    chat.async_client.base_url = f"{BASE}/chat/"

    reply = await chat.ainvoke({"messages": [HumanMessage(QUESTION["question"])]})
    streamed = [piece async for piece in chat.astream({"messages": [HumanMessage(QUESTION["question"])]})]

    assert reply.type == "ai"
    assert reply.content == "Items can be returned within 30 days of delivery. [S1]"
    assert reply.response_metadata["citations"][0]["id"] == "returns#1"
    assert streamed[-1].content == reply.content
    spoken = [HumanMessage("Tell me of managers."), reply, *streamed, HumanMessage(QUESTION["question"])]
    assert (await chat.ainvoke({"messages": spoken})).content == reply.content, "what it gave, it takes back"


async def test_langserve_shows_no_draft_and_no_inner_stage(client: httpx.AsyncClient) -> None:
    """What is not checked does not leave, also not as a step of a nested run."""
    for path in ("/desk/stream", "/desk/stream_log", "/chat/stream_log"):
        given = {"messages": [{"type": "human", "content": QUESTION["question"]}]} if "chat" in path else QUESTION
        response = await client.post(path, json={"input": given})
        assert response.status_code == 200
        assert "Items can be returned" in response.text
        assert '"Items "' not in response.text
        assert "generate_answer" not in response.text.replace('"stage":"generate_answer"', "")
    assert (await client.post("/desk/stream_events", json={"input": QUESTION})).status_code == 404


@pytest.mark.parametrize("path", ["/desk/playground/", "/chat/playground/"])
async def test_the_playgrounds_load(client: httpx.AsyncClient, path: str) -> None:
    page = await client.get(path)

    assert page.status_code == 200
    assert "<script" in page.text


async def test_openapi_has_examples_and_the_errors(client: httpx.AsyncClient) -> None:
    described = (await client.get("/openapi.json")).json()

    for path in ("/api/ask", "/api/search", "/api/ask/stream"):
        post = described["paths"][path]["post"]
        assert {"400", "401", "403", "413", "429", "502", "503"} <= set(post["responses"])
        assert "422" not in post["responses"], "the service answers 400"
        assert post["requestBody"]["content"]["application/json"]["examples"]
