"""A node as the graph runs it: timed, and callable with and without an event loop."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from langgraph.runtime import Runtime
from langgraph.utils.runnable import RunnableCallable  # type: ignore[attr-defined]

from graph.background import BACKGROUND
from nodes.context import Context
from nodes.state import State


class Node(Protocol):
    """A step of the graph: state in, partial state out."""

    def __call__(self, state: State, *, runtime: Runtime[Context]) -> Awaitable[dict[str, Any]]:
        """Run it."""


def timed(name: str, node: Node, *, first: bool) -> RunnableCallable:
    """The node, writing its wall time to ``timings_ms``; rounds of a repair add up, ``first`` begins a new question.

    ``invoke`` and ``stream`` without ``await`` run it on the process's background loop. A trace shows the graph's own run of the
    node; a second one of the function inside would say nothing more.
    """

    async def run(state: State, *, runtime: Runtime[Context]) -> dict[str, Any]:
        started = time.perf_counter()
        update = await node(state, runtime=runtime)
        earlier = {} if first else state.get("timings_ms", {})
        spent = (time.perf_counter() - started) * 1000
        return {**update, "timings_ms": {**earlier, name: round(earlier.get(name, 0.0) + spent, 3)}}

    def run_and_wait(state: State, *, runtime: Runtime[Context]) -> dict[str, Any]:
        return BACKGROUND.run(run(state, runtime=runtime))

    return RunnableCallable(run_and_wait, run, name=name, trace=False)


def route(choose: Callable[[State], str]) -> RunnableCallable:
    """A route that a loop runs where it stands: a plain function would be sent through a thread pool each time."""

    async def run(state: State) -> str:
        return choose(state)

    return RunnableCallable(choose, run, name=choose.__name__, trace=False)
