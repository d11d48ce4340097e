"""Texts that wait together are encoded together; each caller gets its own vectors, whatever becomes of the others."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from graph.batching import Batcher


class Encoder:
    """Encodes a text as its length, and can be held back."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.free = threading.Event()
        self.free.set()
        self.begun = threading.Event()

    def __call__(self, texts: list[str]) -> list[list[float]]:
        self.batches.append(texts)
        self.begun.set()
        self.free.wait(5)
        if "bad" in texts:
            raise ValueError("bad")
        return [[float(len(text))] for text in texts]


async def test_what_comes_while_the_encoder_is_busy_goes_together() -> None:
    encoder = Encoder()
    encoder.free.clear()
    embed = Batcher(encoder, most=4)
    first = asyncio.create_task(embed(["a"]))
    await asyncio.to_thread(encoder.begun.wait)
    others = [asyncio.create_task(embed(["b" * size, "c"])) for size in (2, 3, 4)]
    await asyncio.sleep(0)
    encoder.free.set()

    assert await first == [[1.0]]
    assert [await other for other in others] == [[[2.0], [1.0]], [[3.0], [1.0]], [[4.0], [1.0]]]
    assert [len(batch) for batch in encoder.batches] == [1, 4, 2]


async def test_one_caller_may_bring_more_than_a_batch() -> None:
    encoder = Encoder()
    assert len(await Batcher(encoder, most=2)(["x"] * 5)) == 5


async def test_who_goes_away_is_passed_over_and_a_failure_is_not_the_next_ones() -> None:
    encoder = Encoder()
    encoder.free.clear()
    embed = Batcher(encoder, most=1)
    first, gone, bad, last = (asyncio.create_task(embed([text])) for text in ("a", "gone", "bad", "last"))
    await asyncio.to_thread(encoder.begun.wait)
    gone.cancel()
    await asyncio.sleep(0)
    encoder.free.set()

    assert await first == [[1.0]]
    with pytest.raises(ValueError, match="bad"):
        await bad
    assert await last == [[4.0]]
    assert ["gone"] not in encoder.batches
    assert await embed(["again"]) == [[5.0]], "it works on after all that"


async def test_who_begins_goes_on_once_the_encoder_is_at_work() -> None:
    encoder = Encoder()
    encoder.free.clear()
    embed = Batcher(encoder)
    coming = await embed.begin(["abc"])
    beside = await embed.begin(["four"])
    assert not coming.done() and not beside.done()
    await asyncio.to_thread(encoder.begun.wait)
    encoder.free.set()

    assert await coming == [[3.0]]
    assert await beside == [[4.0]]


async def test_who_goes_away_while_it_begins_leaves_nothing_behind() -> None:
    encoder, threads = Encoder(), asyncio.get_running_loop()
    busy = threading.Event()
    embed = Batcher(encoder)
    with ThreadPoolExecutor(1) as pool:
        threads.set_default_executor(pool)
        pool.submit(busy.wait, 30)  # nobody is free to begin
        gone = asyncio.create_task(embed(["gone"]))
        await asyncio.sleep(0)
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        busy.set()
        assert await embed(["next"]) == [[4.0]]
    assert encoder.batches == [["next"]]


def test_a_loop_that_is_closed_meanwhile_keeps_nobody_waiting() -> None:
    """Who began goes away with its loop; who waits behind it is served."""
    encoder = Encoder()
    encoder.free.clear()
    embed = Batcher(encoder)
    tell = embed._work
    begun = threading.Event()

    def late(say: Callable[[], object]) -> None:
        begun.set()
        encoder.free.wait(5)
        tell(say)

    embed._work = late  # type: ignore[method-assign]
    loop = asyncio.new_event_loop()
    with ThreadPoolExecutor(1) as pool:
        loop.set_default_executor(pool)
        task = loop.create_task(embed(["first"]))
        loop.run_until_complete(asyncio.sleep(0))
        begun.wait(5)
        task.cancel()
        loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
        loop.close()
        encoder.free.set()
    assert asyncio.run(embed(["second"])) == [[6.0]]


def test_callers_come_from_several_loops() -> None:
    embed, found = Batcher(Encoder()), []

    async def ask(size: int) -> None:
        for _ in range(20):
            found.append((await embed(["x" * size]))[0][0] == size)

    threads = [threading.Thread(target=lambda size=size: asyncio.run(ask(size))) for size in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(found) == 160 and all(found)
