"""Bodies of every make: what can be read is read alike at every door, and what can't is told in words about the request."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from tests.service.fakes import FakeDesk

QUESTION = {"question": "When can items be returned?"}
API = ("/api/ask", "/api/search", "/api/ask/stream")
LANGSERVE = ("/desk/invoke", "/desk/batch", "/desk/stream", "/desk/stream_log")
JSON = {"Content-Type": "application/json"}


def wrapped(route: str, given: Any) -> Any:
    """A question as the route takes it."""
    if route in API:
        return given
    return {"inputs": [given]} if route.endswith("batch") else {"input": given}


def problem(response: httpx.Response) -> dict[str, Any]:
    error: dict[str, Any] = response.json()["error"]
    assert list(error) == ["code", "message", "field"] and error["message"].endswith(".")
    return error


@pytest.mark.parametrize("route", [*API, *LANGSERVE])
@pytest.mark.parametrize(
    "kind", [None, "text/plain", "text/plain; a=application/json", "multipart/form-data; boundary=x"]
)
async def test_a_body_that_is_not_said_to_be_json_is_a_415(
    client: httpx.AsyncClient, fake: FakeDesk, route: str, kind: str | None
) -> None:
    """A foreign page may send those, without asking, to a service that listens on this machine."""
    content = json.dumps(wrapped(route, QUESTION)).encode()
    response = await client.post(route, content=content, headers={"Content-Type": kind} if kind else {})

    assert (response.status_code, problem(response)["code"]) == (415, "unsupported_media_type")
    assert "application/json" in problem(response)["message"]
    assert fake.seen == []


@pytest.mark.parametrize("route", [*API, *LANGSERVE])
@pytest.mark.parametrize("kind", ["application/json", "APPLICATION/JSON; charset=utf-8", "application/vnd.api+json"])
async def test_any_name_of_json_will_do(client: httpx.AsyncClient, route: str, kind: str) -> None:
    content = b"\xef\xbb\xbf" + json.dumps(wrapped(route, QUESTION)).encode()
    assert (await client.post(route, content=content, headers={"Content-Type": kind})).status_code == 200


@pytest.mark.parametrize("route", [*API, *LANGSERVE])
@pytest.mark.parametrize(
    "content",
    [b"{", b"\x1f\x8b\x08gzip", b'{"question": "\xff"}', b"[" * 7000, b'{"top_k": ' + b"9" * 5000 + b"}"],
    ids=["cut off", "compressed", "not UTF-8", "too deep", "a number too long"],
)
async def test_what_is_no_json_is_told_alike(client: httpx.AsyncClient, route: str, content: bytes) -> None:
    response = await client.post(route, content=content, headers=JSON)

    assert response.status_code == 400
    assert problem(response) == {"code": "bad_request", "message": "The body is not valid JSON.", "field": None}


WRONG: list[tuple[dict[str, Any], str, str]] = [
    *[({"top_k": value}, "top_k", "top_k must be a number.") for value in (True, False, "3")],
    ({"top_k": []}, "top_k", "top_k must be a whole number."),
    ({"top_k": 2.5}, "top_k", "top_k must be a whole number."),
    ({"top_k": 0}, "top_k", "top_k must be at least 1."),
    ({"top_k": 9}, "top_k", "top_k must be at most 8."),
    ({"rerank_k": True}, "rerank_k", "rerank_k must be a number."),
    ({"threshold": True}, "threshold", "threshold must be a number."),
    ({"threshold": "0.5"}, "threshold", "threshold must be a number."),
    ({"include_repealed": "yes"}, "include_repealed", "include_repealed must be true or false."),
    ({"include_repealed": 1}, "include_repealed", "include_repealed must be true or false."),
    ({"category": ""}, "category", "category is empty."),
    ({"category": ["hr"]}, "category", "category must be a text."),
    ({"category": "hr\n"}, "category", "category must be one line of text."),
    ({"document_ids": "hr"}, "document_ids", "document_ids must be a list."),
    ({"document_ids": [""]}, "document_ids.0", "document_ids.0 is empty."),
    ({"document_ids": ["a"] * 101}, "document_ids", "document_ids is too long: 100 at most, not 101."),
    ({"fields": []}, "fields", "fields must be a JSON object."),
    *[
        ({"fields": {"tier": value}}, "fields.tier", "Filter 'tier' takes a text, a whole number, true or false, or a list")
        for value in (1.5, None, {"gt": 1}, "", [None], "a\nb")
    ],
    ({"fields": {"": "x"}}, "fields.", "A name in fields must be one line of 1 to 200 characters."),
    ({"messages": [{"role": "user", "content": "x" * 8001}], "question": None}, "messages.0.content", "is too long"),
]  # fmt: skip


@pytest.mark.parametrize("route", [*API, *LANGSERVE])
async def test_a_wrong_value_is_told_in_words_about_the_request(client: httpx.AsyncClient, route: str) -> None:
    for options, field, message in WRONG:
        response = await client.post(route, json=wrapped(route, {**QUESTION, **options}))
        told = problem(response)
        assert (response.status_code, told["code"]) == (400, "bad_question"), options
        assert told["field"] == field and message in told["message"], (options, told)
        assert not any(inner in response.text for inner in ("function", "constrained", "validat", "0x", "[key]")), (
            options
        )


async def test_whole_numbers_with_a_point_are_whole(client: httpx.AsyncClient, fake: FakeDesk) -> None:
    response = await client.post("/api/ask", content=b'{"question": "items", "top_k": 3.0}', headers=JSON)

    assert response.status_code == 200 and fake.seen[-1].top_k == 3


@pytest.mark.parametrize("route", [*LANGSERVE, "/chat/invoke", "/chat/stream"])
async def test_nothing_for_a_config_is_no_config(client: httpx.AsyncClient, route: str) -> None:
    given = {"messages": [{"type": "human", "content": "items"}]} if "chat" in route else QUESTION
    response = await client.post(route, json={**wrapped(route, given), "config": None, "kwargs": None})

    assert response.status_code == 200 and "30 days" in response.text


@pytest.mark.parametrize(
    ("route", "body", "message"),
    [
        ("/api/ask", None, "The body is empty: send a JSON object."),
        ("/api/ask", [], "The body must be a JSON object."),
        ("/desk/invoke", [], "The body must be a JSON object."),
        ("/desk/invoke", {}, "input is missing."),
        ("/desk/invoke", {"input": "When?"}, "The input must be a JSON object."),
        ("/chat/invoke", {"input": "When?"}, "The input must be a JSON object."),
        ("/desk/batch", {"inputs": ["When?"]}, "The input must be a JSON object."),
        ("/chat/invoke", {"input": {"messages": []}}, "messages is empty."),
    ],
)
async def test_a_body_of_another_shape_is_told(client: httpx.AsyncClient, route: str, body: Any, message: str) -> None:
    response = await client.post(route, json=body)

    assert (response.status_code, problem(response)["message"]) == (400, message)


@pytest.mark.parametrize(
    "path", ["/", "/healthz", "/readyz", "/openapi.json", "/web/app.js", "/api/documents", "/metrics"]
)
async def test_head_is_get_without_the_body(client: httpx.AsyncClient, path: str) -> None:
    got, head = await client.get(path), await client.head(path)

    assert (head.status_code, head.content) == (got.status_code, b"") == (200, b"")
    assert {*got.headers} == {*head.headers} and head.headers["content-type"] == got.headers["content-type"]


async def test_head_of_what_answers_no_get_is_a_405(client: httpx.AsyncClient) -> None:
    assert (await client.head("/api/ask")).status_code == 405
    assert (await client.head("/nowhere")).status_code == 404
