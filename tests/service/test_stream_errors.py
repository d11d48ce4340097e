"""What goes wrong in a LangServe stream leaves with its own status, and breaks no connection."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx
import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langserve import RemoteRunnable

from knowledge.errors import IndexMissing, IndexUnavailable, ModelUnavailable
from service.auth import KeyStore
from tests.service.conftest import BASE, bearer, client_of
from tests.service.fakes import MINE, FakeDesk

HUMAN = {"type": "human", "content": "items"}
ASKED: dict[str, Any] = {"/desk": {"question": "items"}, "/chat": {"messages": [HUMAN]}}
STREAMS = ("/desk/stream", "/desk/stream_log", "/chat/stream", "/chat/stream_log")
FAILURES: list[tuple[Exception, int, str]] = [
    (ModelUnavailable("The model llama can't be reached at http://inner:11434."), 502, "model_unavailable"),
    (IndexUnavailable("Qdrant does not answer at http://inner:6333."), 502, "index_unavailable"),
    (IndexMissing("There is no index yet; run: policydesk ingest"), 503, "index_missing"),
    (RuntimeError("nobody foresaw zirconium"), 500, "internal"),
]


def told(response: httpx.Response) -> tuple[int, dict[str, Any]]:
    """The error of a response, or of a stream's last event."""
    if response.status_code != 200:
        return response.status_code, response.json()["error"]
    events = re.findall(r"event: (\w+)\r\n(?:data: (.*)\r\n)?\r\n", response.text)
    assert events[-1][0] == "error" and [name for name, _ in events].count("error") == 1
    data = json.loads(events[-1][1])
    return data.pop("status_code"), data


@pytest.mark.parametrize("route", STREAMS)
@pytest.mark.parametrize(("error", "status", "code"), FAILURES, ids=lambda given: str(given)[:20])
async def test_a_failure_has_its_status(
    client: httpx.AsyncClient, fake: FakeDesk, route: str, error: Exception, status: int, code: str
) -> None:
    def fails(state: Any) -> None:
        raise error

    fake.hook = fails
    response = await client.post(route, json={"input": ASKED[route[:5]]})

    told_status, problem = told(response)
    assert (told_status, problem["code"]) == (status, code)
    assert "inner" not in response.text and "zirconium" not in response.text
    fake.hook = None
    assert (await client.post(route, json={"input": ASKED[route[:5]]})).text.rstrip().endswith("event: end")


@pytest.mark.parametrize("route", STREAMS)
async def test_over_the_keys_limit_it_is_a_429(client: httpx.AsyncClient, keys: KeyStore, route: str) -> None:
    headers = bearer(keys.add(MINE, rate=1)[1])
    given = {"input": ASKED[route[:5]]}
    assert (await client.post(route, json=given, headers=headers)).status_code == 200

    response = await client.post(route, json=given, headers=headers)

    status, problem = told(response)
    assert (status, problem["code"]) == (429, "rate_limited")
    if not route.endswith("_log"):  # whose first event comes before the question is asked
        assert response.status_code == 429 and int(response.headers["Retry-After"]) >= 1


@pytest.mark.parametrize("route", ["/chat/stream", "/chat/stream_log"])
@pytest.mark.parametrize(
    "messages",
    [
        [{"type": "ai", "content": "Only an answer."}],
        [HUMAN, {"type": "human", "content": ""}],
        [{"type": "human", "content": "x" * 2001}],
        [{"type": "ai", "content": "x" * 8001}, HUMAN],
        [{"type": "human", "content": [{"type": "image_url", "image_url": {"url": "http://x/y.png"}}]}],
    ],
    ids=["only the assistant", "empty", "too long", "a turn too long", "an image alone"],
)
async def test_a_conversation_that_asks_nothing_is_a_400(
    client: httpx.AsyncClient, route: str, messages: list[Any]
) -> None:
    status, problem = told(await client.post(route, json={"input": {"messages": messages}}))

    assert (status, problem["code"], problem["field"]) == (400, "bad_question", "messages")


async def test_langserves_client_is_told_the_status(app: Any, fake: FakeDesk) -> None:
    def fails(state: Any) -> None:
        raise ModelUnavailable("The model is down.")

    desk, chat = RemoteRunnable(f"{BASE}/desk/"), RemoteRunnable(f"{BASE}/chat/")
    for runnable in (desk, chat):
        runnable.async_client = client_of(app, raises=False)
        runnable.async_client.base_url = runnable.url
    with pytest.raises(httpx.HTTPStatusError) as caught:
        _ = [piece async for piece in chat.astream({"messages": [AIMessage("Only an answer.")]})]
    assert caught.value.response.status_code == 400
    fake.hook = fails
    for runnable, given in ((desk, {"question": "items"}), (chat, {"messages": [HumanMessage("items")]})):
        with pytest.raises(httpx.HTTPStatusError) as caught:
            _ = [piece async for piece in runnable.astream(given)]
        assert caught.value.response.status_code == 502
