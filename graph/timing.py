"""Milliseconds per node, kept in the state."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

from langgraph.runtime import Runtime

from nodes.context import Context
from nodes.state import State

Node = Callable[[State, Runtime[Context]], Awaitable[dict[str, Any]]]


def timed(name: str, node: Node, *, first: bool) -> Node:
    """The node, writing its wall time to ``timings_ms``; rounds of a repair add up, ``first`` begins a new question."""

    async def run(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
        started = time.perf_counter()
        update = await node(state, runtime)
        earlier = {} if first else state.get("timings_ms", {})
        spent = (time.perf_counter() - started) * 1000
        return {**update, "timings_ms": {**earlier, name: round(earlier.get(name, 0.0) + spent, 3)}}

    return run
