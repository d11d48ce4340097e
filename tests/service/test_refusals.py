"""Under a refusal nothing stands that could be taken for its source; what was found can still be looked into."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from nodes.context import Context
from service.retriever import as_tool
from tests.service.fakes import MINE, FakeDesk

FOUND = ["returns#1", "electronics#1"]
ASK = {"question": "When can items and headphones be returned?"}
CHAT = {"messages": [{"type": "human", "content": ASK["question"]}]}
TEXTS = ("30 days", "7 days")

DOORS: list[tuple[str, Any]] = [
    ("/api/ask", ASK),
    ("/api/ask/stream", ASK),
    *[(f"/desk/{call}", {"input": ASK}) for call in ("invoke", "stream", "stream_log")],
    ("/desk/batch", {"inputs": [ASK]}),
    *[(f"/chat/{call}", {"input": CHAT}) for call in ("invoke", "stream", "stream_log")],
    ("/chat/batch", {"inputs": [CHAT]}),
]


@pytest.mark.parametrize(("route", "body"), DOORS, ids=[route for route, _ in DOORS])
async def test_a_refusal_brings_no_passage(client: httpx.AsyncClient, fake: FakeDesk, route: str, body: Any) -> None:
    answered = await client.post(route, json=body)
    assert any(text in answered.text for text in TEXTS)
    fake.weak = True

    response = await client.post(route, json=body)

    assert response.status_code == 200 and "weak_retrieval" in response.text
    assert not any(text in response.text for text in TEXTS)


async def test_what_was_found_is_told_by_its_ids(client: httpx.AsyncClient, fake: FakeDesk) -> None:
    fake.weak = True
    result = (await client.post("/api/ask", json=ASK)).json()

    assert (result["refused"], result["context"], result["citations"]) == (True, [], [])
    assert result["chunk_ids"] == FOUND and [hit["id"] for hit in result["ranked"]] == FOUND


async def test_the_stage_view_of_the_search_keeps_its_passages(client: httpx.AsyncClient, fake: FakeDesk) -> None:
    fake.weak = True
    result = (await client.post("/api/search", json=ASK)).json()

    assert result["refused"] and [passage["id"] for passage in result["context"]] == FOUND


async def test_the_log_names_the_chunks_of_a_refusal(
    client: httpx.AsyncClient, fake: FakeDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[dict[str, Any]] = []
    logger = SimpleNamespace(info=lambda event, **held: lines.append(held))
    monkeypatch.setattr("service.observability.log", logger)
    fake.weak = True
    await client.post("/api/ask", json=ASK)

    assert (lines[0]["reason"], lines[0]["chunk_ids"]) == ("weak_retrieval", FOUND)


def test_an_agents_tool_brings_none_either(fake: FakeDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.retriever.build_graph", lambda resources, **_: fake.desk.answering)
    fake.weak = True
    tool = as_tool(fake.resources, context=Context(tenant=MINE))

    said = tool.invoke({"type": "tool_call", "id": "1", "name": tool.name, "args": ASK})

    assert said.artifact["refused"] and said.artifact["context"] == []
    assert not any(text in said.content for text in TEXTS)
