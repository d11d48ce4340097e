"""An event loop in a thread of its own, for callers without one."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class LoopThread:
    """Started when first needed and kept, since models and stores hold connections that belong to their loop."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()

    def run(self, asked: Coroutine[Any, Any, T]) -> T:
        """The coroutine's result. It runs in the caller's context, so that callbacks and configuration reach it."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="policydesk-loop", daemon=True).start()
        return asyncio.run_coroutine_threadsafe(asked, self._loop).result()


#: The loop of all synchronous calls of this process.
BACKGROUND = LoopThread()
