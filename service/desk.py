"""The one way in which every door asks: under the caller's scope, within its limits, counted and logged."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from graph.resources import Resources
from graph.workflow import Graph, build_graph
from nodes.context import Context, resolve
from nodes.state import as_json
from service.apart import alone, each_alone
from service.auth import Caller, current_caller
from service.errors import RateLimited
from service.limits import RateLimiter, Running
from service.observability import Metrics, Question
from service.results import answer_of
from service.schemas import Ask


@dataclass(frozen=True, kw_only=True)
class Admitted:
    """A question that may be asked."""

    input: Any
    context: Context
    question: Question


@dataclass(kw_only=True)
class Desk:
    """The graph, its resources and what guards them. One a process."""

    resources: Resources
    limiter: RateLimiter = field(default_factory=RateLimiter)
    running: Running = field(default_factory=lambda: Running(most=64))
    metrics: Metrics = field(default_factory=Metrics)
    answering: Graph = None  # type: ignore[assignment]  # built from the resources where none is given
    searching: Graph = None  # type: ignore[assignment]
    warming: bool = False  # the models are being loaded: questions are answered, but the first ones wait

    def __post_init__(self) -> None:
        self.answering = self.answering or build_graph(self.resources)
        self.searching = self.searching or build_graph(self.resources, answer=False)

    def admit(self, ask: Ask, *, door: str, charged: bool = False) -> Admitted:
        """Check a question and charge it to its caller, before any work is done; ``charged``: with its batch it was.

        Raises ``Forbidden`` without a caller, ``BadQuestion``, ``RateLimited``, ``Stopping``.
        """
        if not charged:
            self.charge([ask])
        caller = current_caller()
        question = Question(id=uuid.uuid4().hex, door=door, tenant=caller.tenant, key_id=caller.key_id)
        return Admitted(input=ask.graph_input(), context=_context(ask, caller), question=question)

    def charge(self, asks: Sequence[Ask]) -> None:
        """Check several questions and charge all of them or, where one can't be asked, none. Raises as ``admit``."""
        caller = current_caller()
        for ask in asks:
            resolve(_context(ask, caller), self.resources.settings.defaults())
        self.running.check_open()
        try:
            self.limiter.charge(caller, len(asks))
        except RateLimited:
            self.metrics.rate_limited.inc(len(asks))
            raise

    async def run(self, admitted: Admitted, *, answer: bool = True) -> dict[str, Any]:
        """The result in the shape of ``ask --json`` or ``search --json``, with the question's ``id``.

        Raises what the graph raises.
        """
        with self.running.question(), self.metrics.observe(admitted.question):
            graph = self.answering if answer else self.searching
            state: Any = await alone(graph.ainvoke(admitted.input, context=admitted.context))
            return admitted.question.finish(answer_of(state) if answer else as_json(state, answer=False))

    async def stream(self, admitted: Admitted) -> AsyncIterator[tuple[str, dict[str, Any]]]:
        """The question as it is worked on: ``("tasks", …)`` as nodes start and end, ``("custom", …)`` what they report, and last
        ``("result", …)``. Leaving early stops the work.
        """
        with self.running.question(), self.metrics.observe(admitted.question):
            state: Any = {}
            events: Any = self.answering.astream(
                admitted.input, context=admitted.context, stream_mode=["tasks", "custom", "values"]
            )
            async with aclosing(each_alone(events)) as apart:
                async for mode, event in apart:
                    if mode == "values":
                        state = event
                    else:
                        yield mode, event
            yield "result", admitted.question.finish(answer_of(state))

    async def drained(self, *, seconds: float) -> bool:
        """Wait until no question runs, at most ``seconds``; whether that was reached."""
        try:
            await asyncio.wait_for(self.running.idle.wait(), seconds)
        except TimeoutError:
            return False
        return True


def _context(ask: Ask, caller: Caller) -> Context:
    return ask.context(tenant=caller.tenant, categories=caller.categories)
