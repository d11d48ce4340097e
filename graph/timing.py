"""Milliseconds per node, kept in the state."""

from __future__ import annotations

import time
from collections.abc import Awaitable
from typing import Any, Protocol

from langgraph.runtime import Runtime

from nodes.context import Context
from nodes.state import State


class Node(Protocol):
    """A step of the graph: state in, partial state out."""

    def __call__(self, state: State, *, runtime: Runtime[Context]) -> Awaitable[dict[str, Any]]:
        """Run it."""


def timed(name: str, node: Node, *, first: bool) -> Node:
    """The node, writing its wall time to ``timings_ms``; rounds of a repair add up, ``first`` begins a new question."""

    async def run(state: State, *, runtime: Runtime[Context]) -> dict[str, Any]:
        started = time.perf_counter()
        update = await node(state, runtime=runtime)
        earlier = {} if first else state.get("timings_ms", {})
        spent = (time.perf_counter() - started) * 1000
        return {**update, "timings_ms": {**earlier, name: round(earlier.get(name, 0.0) + spent, 3)}}

    return run
