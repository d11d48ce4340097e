"""Running a graph apart from the run that surrounds it.

LangChain hands a run's callbacks and configuration to whatever runs inside it. A graph behind a door must inherit neither: the
first would stream unchecked drafts and whole stages to whoever listens, the second is the client's to write. LangGraph merges
what it is given into what it inherits, so other callbacks do not help; it has to start where there is nothing to inherit.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine
from contextvars import Context, copy_context
from typing import Any, TypeVar

from langchain_core.runnables.config import var_child_runnable_config

T = TypeVar("T")

_END = object()


async def alone(work: Coroutine[Any, Any, T]) -> T:
    """The result of ``work``, run as a task of its own. Cancelling the caller cancels it."""
    task = asyncio.create_task(work, context=_context())
    try:
        await asyncio.wait({task})
        return task.result()
    finally:
        await _end(task)


async def each_alone(items: AsyncIterator[T]) -> AsyncGenerator[T, None]:
    """The items, made in a task of its own. Closing this ends that task before it returns.

    The task does not wait for a slow reader: a question has dozens of events, or as many as its answer has tokens.
    """
    queue: asyncio.Queue[Any] = asyncio.Queue()

    async def fill() -> None:
        try:
            async for item in items:
                queue.put_nowait(item)
        finally:
            queue.put_nowait(_END)

    task = asyncio.create_task(fill(), context=_context())
    try:
        while (item := await queue.get()) is not _END:
            yield item
        await asyncio.wait({task})
        task.result()
    finally:
        await _end(task)


def _context() -> Context:
    context = copy_context()
    context.run(var_child_runnable_config.set, None)
    return context


async def _end(task: asyncio.Task[Any]) -> None:
    """Cancel the task if it still runs, once, and wait until it is over.

    ``asyncio.wait`` and not ``await task``: a second cancellation of the caller (anyio sends one at every step) would go on to
    the task and break off its clean-up, and LangGraph's nodes would run on.
    """
    if not task.done():
        task.cancel()
        await asyncio.wait({task})
    if not task.cancelled():
        task.exception()  # looked at, so that asyncio does not report it as lost
