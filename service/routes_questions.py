"""``/api/ask``, ``/api/search`` and ``/api/ask/stream``."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body
from fastapi.openapi.models import Example
from fastapi.responses import JSONResponse
from sse_starlette import EventSourceResponse

from service.desk import Desk
from service.schemas import EXAMPLES, Ask, AskResult, ErrorBody, SearchResult
from service.streaming import ask_events, server_sent

PING_SECONDS = 15

_NAMES = ("A question", "With a filter", "A follow-up")
_BODY = Body(openapi_examples={name: Example(value=value) for name, value in zip(_NAMES, EXAMPLES, strict=True)})

_WORDS = {
    400: ("The request can't be used as given.", "bad_question", "top_k must be from 1 to 8.", "top_k"),
    401: ("No key, or not a valid one.", "unauthorized", "This needs a valid key.", None),
    403: ("The key may not see this.", "forbidden", "Your key may not search the category 'hr'.", "category"),
    404: ("There is no such thing for this key.", "not_found", "There is no chunk 'returns#9'.", "id"),
    408: ("The body came too slowly.", "too_slow", "The request's body did not arrive within 30 s.", None),
    413: ("The body is too large.", "too_large", "The request's body is over 65,536 bytes; send less.", None),
    415: (
        "The body is not said to be JSON.",
        "unsupported_media_type",
        "Send JSON, with the header Content-Type: application/json.",
        None,
    ),
    429: ("Over the key's limit.", "rate_limited", "This key may ask 60 questions a minute; try again in 1 s.", None),
    502: ("A model or the store failed.", "model_unavailable", "The model llama3.1:8b can't be reached.", None),
    503: ("Not ready, too busy, or stopping.", "index_missing", "There is no index yet; run: policydesk ingest", None),
}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The error responses of a route, with an example each, for OpenAPI."""
    out: dict[int | str, dict[str, Any]] = {}
    for status in statuses:
        words, code, message, field = _WORDS[status]
        example = {"error": {"code": code, "message": message, "field": field}}
        out[status] = {
            "model": ErrorBody,
            "description": words,
            "content": {"application/json": {"example": example}},
        }
    return out


_ALL = (400, 401, 403, 408, 413, 415, 429, 502, 503)


def question_routes(desk: Desk) -> APIRouter:
    """The routes that ask."""
    router = APIRouter(prefix="/api", tags=["questions"])

    @router.post(
        "/ask",
        summary="Answer a question, with citations, or refuse",
        response_model=None,
        responses={200: {"model": AskResult}, **problems(*_ALL)},
    )
    async def ask(body: Annotated[Ask, _BODY]) -> JSONResponse:
        return JSONResponse(await desk.run(desk.admit(body, door="http")))

    @router.post(
        "/search",
        summary="Every stage of the retrieval; no answer model is called",
        response_model=None,
        responses={200: {"model": SearchResult}, **problems(*_ALL)},
    )
    async def search(body: Annotated[Ask, _BODY]) -> JSONResponse:
        return JSONResponse(await desk.run(desk.admit(body, door="http-search"), answer=False))

    @router.post(
        "/ask/stream",
        summary="As /api/ask, as server-sent events: stage, draft, discard, then result or error",
        response_class=EventSourceResponse,
        responses={
            200: {
                "description": "Server-sent events.",
                "content": {"text/event-stream": {}},
            },
            **problems(*_ALL),
        },
    )
    async def stream(body: Annotated[Ask, _BODY]) -> EventSourceResponse:
        admitted = desk.admit(body, door="http-stream")  # what is wrong from the start is an HTTP status, not an event
        return EventSourceResponse(server_sent(ask_events(desk, admitted)), ping=PING_SECONDS)

    return router
