"""A node as the graph runs it: timed, and callable with and without an event loop."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from langchain_core.runnables import RunnableLambda
from langgraph.runtime import Runtime, get_runtime

from graph.background import BACKGROUND
from nodes.context import Context
from nodes.state import State


class Node(Protocol):
    """A step of the graph: state in, partial state out."""

    def __call__(self, state: State, *, runtime: Runtime[Context]) -> Awaitable[dict[str, Any]]:
        """Run it."""


def timed(name: str, node: Node, *, first: bool) -> RunnableLambda[State, dict[str, Any]]:
    """The node, writing its wall time to ``timings_ms``; rounds of a repair add up, ``first`` begins a new question.

    ``invoke`` and ``stream`` without ``await`` run it on the process's background loop.
    """

    async def measured(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
        started = time.perf_counter()
        update = await node(state, runtime=runtime)
        earlier = {} if first else state.get("timings_ms", {})
        spent = (time.perf_counter() - started) * 1000
        return {**update, "timings_ms": {**earlier, name: round(earlier.get(name, 0.0) + spent, 3)}}

    async def run(state: State) -> dict[str, Any]:
        return await measured(state, get_runtime(Context))

    def run_and_wait(state: State) -> dict[str, Any]:
        return BACKGROUND.run(measured(state, get_runtime(Context)))

    return RunnableLambda(run_and_wait, run, name=name)


def route(choose: Callable[[State], str]) -> RunnableLambda[State, str]:
    """A route that a loop runs where it stands: a plain function would be sent through a thread pool each time."""

    async def run(state: State) -> str:
        return choose(state)

    return RunnableLambda(choose, run, name=choose.__name__)
