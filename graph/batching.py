"""Questions that wait for the embedding model at once go through it together: a batch costs little more than one text."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial

Vectors = list[list[float]]


class Batcher:
    """Gathers what comes while ``encode`` is busy. A text that comes alone is encoded at once, so nobody waits for company.

    ``encode`` is called from one thread at a time, with at most ``most`` texts unless one caller alone brings more. Callers may
    come from any event loop.
    """

    def __init__(self, encode: Callable[[list[str]], Vectors], *, most: int = 32) -> None:
        self._encode, self._most = encode, most
        self._lock = threading.Lock()
        self._waiting: list[tuple[list[str], Future[Vectors]]] = []
        self._busy = False

    async def __call__(self, texts: Sequence[str]) -> Vectors:
        """The vectors of ``texts``, in their order. Raises what ``encode`` raises."""
        return await (await self.begin(texts))

    async def begin(self, texts: Sequence[str]) -> asyncio.Future[Vectors]:
        """The vectors to come. Comes back once ``encode`` is at work, so that the caller's own work takes none of its time: a
        thread that was only asked to begin waits for Python's lock as long as its caller is busy.
        """
        loop = asyncio.get_running_loop()
        future: Future[Vectors] = Future()
        coming = asyncio.wrap_future(future, loop=loop)
        with self._lock:
            self._waiting.append((list(texts), future))
            begins, self._busy = not self._busy, True
        if begins:
            at_work = asyncio.Event()
            loop.run_in_executor(None, self._work, partial(loop.call_soon_threadsafe, at_work.set))
            try:
                await at_work.wait()
            except asyncio.CancelledError:
                coming.cancel()
                raise
        return coming

    def _work(self, tell: Callable[[], object]) -> None:
        with suppress(RuntimeError):  # the loop of who began may be closed; others may still wait
            tell()
        while batch := self._take():
            texts = [text for mine, _ in batch for text in mine]
            try:
                vectors = self._encode(texts)
            except BaseException as error:
                for _, future in batch:
                    future.set_exception(error)
                continue
            at = 0
            for mine, future in batch:
                future.set_result(vectors[at : at + len(mine)])
                at += len(mine)

    def _take(self) -> list[tuple[list[str], Future[Vectors]]]:
        """The next callers whose texts fit one batch; those who went away are passed over. None: the work is done."""
        batch: list[tuple[list[str], Future[Vectors]]] = []
        size = 0
        with self._lock:
            while self._waiting and (not batch or size + len(self._waiting[0][0]) <= self._most):
                texts, future = self._waiting.pop(0)
                if future.set_running_or_notify_cancel():
                    batch.append((texts, future))
                    size += len(texts)
            self._busy = bool(batch)
        return batch
