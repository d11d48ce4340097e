"""How much a caller may ask: a token bucket a key, and a lid on the questions that run at once."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from service.auth import Caller
from service.errors import Overloaded, RateLimited, Stopping


class RateLimiter:
    """A token bucket per key: ``rate`` tokens a minute, as many at once. Lives in one process; not shared between processes."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def charge(self, caller: Caller, questions: int = 1) -> None:
        """Take so many questions from the caller's bucket. Raises ``RateLimited``, and takes none, when it holds fewer."""
        if caller.rate <= 0 or questions == 0:
            return
        now, per_second = self._clock(), caller.rate / 60
        tokens, seen = self._buckets.get(caller.key_id, (float(caller.rate), now))
        tokens = min(float(caller.rate), tokens + (now - seen) * per_second)
        enough = tokens >= questions
        self._buckets[caller.key_id] = (tokens - questions if enough else tokens, now)
        if enough:
            return
        said = f"This key may ask {caller.rate} questions a minute"
        if questions > caller.rate:
            raise RateLimited(f"{said}, so no more than that in one batch; this one has {questions:,}.", retry_after=60)
        wait = max(1, math.ceil((questions - tokens) / per_second))
        raise RateLimited(f"{said}; try again in {wait} s.", retry_after=wait)


class Running:
    """Counts the questions that run, so that a stop can wait for them and a flood is turned away."""

    def __init__(self, *, most: int) -> None:
        self.most = most
        self.count = 0
        self.idle = asyncio.Event()
        self.idle.set()
        self.stopping = False
        self._batches = 0

    def check_open(self) -> None:
        """Raises ``Stopping`` once the service is shutting down."""
        if self.stopping:
            raise Stopping("The service is shutting down; ask again in a moment.")

    @contextmanager
    def question(self) -> Iterator[None]:
        """Holds a place for one question. Raises ``Overloaded`` when none is left."""
        if self.count >= self.most:
            raise Overloaded(f"{self.most} questions are running already; ask again in a moment.")
        self.count += 1
        self.idle.clear()
        try:
            yield
        finally:
            self.count -= 1
            self._tell()

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Within it a stop waits, also between two questions. Takes no place."""
        self._batches += 1
        self.idle.clear()
        try:
            yield
        finally:
            self._batches -= 1
            self._tell()

    def _tell(self) -> None:
        if self.count == 0 and self._batches == 0:
            self.idle.set()
