"""A batch as one request: checked and charged as a whole before any work, a few questions at once, and over when one fails.

LangChain's own batch starts everything at once, and what was started runs on after one question has failed and the caller has
been told so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import get_config_list

T = TypeVar("T")

#: Questions of one batch that run at once; other callers' have room beside them.
AT_ONCE = 16


class Charged(dict[str, Any]):
    """An input whose batch was checked and charged already."""


async def batched(
    ask: Callable[[Any, RunnableConfig], Awaitable[Any]],
    inputs: Sequence[Any],
    config: RunnableConfig | Sequence[RunnableConfig] | None,
    *,
    at_once: int,
) -> list[Any]:
    """The answers to inputs that are charged already, in their order. Raises the first error."""
    gate = asyncio.Semaphore(max(1, min(AT_ONCE, at_once)))

    async def one(given: Any, its: RunnableConfig) -> Any:
        async with gate:
            return await ask(Charged(given), its)

    configs = get_config_list(config, len(inputs))
    return await all_or_none([one(given, its) for given, its in zip(inputs, configs, strict=True)])


async def all_or_none(work: Sequence[Awaitable[T]]) -> list[T]:
    """All results; or the first error, once all the rest has been ended."""
    tasks = [asyncio.ensure_future(each) for each in work]
    if not tasks:
        return []
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
    failed = [task for task in tasks if not task.cancelled() and task.exception()]
    return [task.result() for task in (*failed, *tasks)]
