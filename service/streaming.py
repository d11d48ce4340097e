"""A question as server-sent events: ``stage`` as the graph works, ``draft`` while a model writes, then ``result`` or ``error``.

Drafts are unchecked: a reader may show them as such, and throws them away when ``result`` comes or ``discard`` says that the
model starts over.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from sse_starlette import ServerSentEvent

from service.desk import Admitted, Desk
from service.errors import report

Event = tuple[str, dict[str, Any]]


async def server_sent(events: AsyncIterator[Event]) -> AsyncIterator[ServerSentEvent]:
    """The events as they go over the wire. An error ends the stream as an event of its own."""
    try:
        async for name, data in events:
            yield ServerSentEvent(json.dumps(data, ensure_ascii=False), event=name)
    except Exception as error:
        yield ServerSentEvent(json.dumps(report(error), ensure_ascii=False), event="error")


async def ask_events(desk: Desk, admitted: Admitted) -> AsyncIterator[Event]:
    """``stage`` with ``{stage, status, ...}``, ``draft`` with ``{text}``, ``discard`` with ``{}``, ``result`` with everything."""
    async for kind, event in desk.stream(admitted):
        if kind == "tasks":
            shaped = _stage_of(event)
        elif kind == "custom":
            shaped = _report_of(event)
        else:
            shaped = kind, event
        if shaped is not None:
            yield shaped


def _stage_of(event: Mapping[str, Any]) -> Event | None:
    """A node that starts, or one that ended with how much it found."""
    stage = {"stage": event["name"]}
    if "result" not in event:
        return "stage", {**stage, "status": "started"}
    if event.get("error"):
        return None  # the stream itself ends with the error
    result = dict(event["result"] or {})
    spent = (result.get("timings_ms") or {}).get(event["name"])
    return "stage", {**stage, "status": "done", "ms": spent, "found": _found(event["name"], result)}


def _found(stage: str, result: Mapping[str, Any]) -> int | None:
    """How many things a stage handed on: queries, candidates, ranked chunks or passages."""
    keys = {
        "expand_query": "queries",
        "retrieve": "candidates",
        "fuse": "fused",
        "rerank": "ranked",
        "fit_context": "context",
    }
    values = result.get(keys.get(stage, ""))
    return len(values) if values is not None else None


def _report_of(event: Mapping[str, Any]) -> Event | None:
    """What a node says while it works."""
    if event.get("event") == "draft":
        return "draft", {"text": event["token"]}
    if event.get("event") == "repair":
        return "discard", {}
    return None
