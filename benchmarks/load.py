"""Load on ``policydesk serve``: 32 clients for a minute, beside what the model and engine calls alone allow.

    python benchmarks/load.py [--clients 32] [--seconds 60] [--chat-ms 1000]

The service runs as a process of its own; the clients speak HTTP over plain sockets, so that they cost little. The ceiling is
found by recording the calls to the embedding model and the index that each question makes, and repeating just those, from as many
tasks, before and after the load, since a machine is not equally quiet all the time. The processor's milliseconds a question say
the same of both with less noise. Each question is asked in words of its own, so that its vector has to be made; the documents'
sentences are remembered by the service, as they are in real use. Last comes the same with a chat model that takes ``--chat-ms``
for a reply (a server that speaks Ollama's protocol and quotes the first passage): what alone it would allow is its time, and the
calls to the embedding model and the index.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
QUESTIONS = ROOT / "evals" / "golden" / "kartly.jsonl"
#: Memory is compared from here on: models load and caches fill before.
SETTLED_SECONDS = 10.0


@dataclass
class Outcome:
    """What the clients saw. Seconds per answer, and the count of each status."""

    seconds: list[float] = field(default_factory=list)
    statuses: dict[int, int] = field(default_factory=dict)
    lost: int = 0

    def add(self, status: int, seconds: float) -> None:
        """Count one answer."""
        self.seconds.append(seconds)
        self.statuses[status] = self.statuses.get(status, 0) + 1

    def percentile(self, share: float) -> float:
        """Seconds that this share of the answers took at most."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


class Rate(NamedTuple):
    """Questions a second, and the processor's milliseconds that each took."""

    per_second: float
    processor_ms: float

    def __str__(self) -> str:
        return f"{self.per_second:.1f} questions/s, {self.processor_ms:.1f} ms of processor each"


def greetings() -> Iterator[str]:
    """Texts in front of a question that make it one of its own and change nothing else."""
    for words in itertools.product(
        *[("hello", "good morning", "hi", "excuse me", "please", "dear team", "well", "so")] * 6
    ):
        yield f"{', '.join(words)}:"


async def exchange(port: int, path: str, body: bytes, key: str, streams: list[Any]) -> tuple[int, bytes]:
    """One request over a kept connection (``streams`` holds it); status and body."""
    if not streams:
        streams.extend(await asyncio.open_connection("127.0.0.1", port, limit=2**20))
    reader, writer = streams
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    head += f"Authorization: Bearer {key}\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    answered = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    length = int(re.search(r"content-length: (\d+)", answered, re.IGNORECASE)[1])  # type: ignore[index]
    return int(answered.split(" ", 2)[1]), await reader.readexactly(length)


async def clients(port: int, key: str, questions: list[str], *, count: int, seconds: float, path: str) -> Outcome:
    """``count`` clients that ask one question after the other."""
    outcome, end, unique = Outcome(), time.perf_counter() + seconds, greetings()

    async def one(number: int) -> None:
        streams: list[Any] = []
        at = number
        while time.perf_counter() < end:
            started = time.perf_counter()
            try:
                body = json.dumps({"question": f"{next(unique)} {questions[at % len(questions)]}"}).encode()
                status, _ = await exchange(port, path, body, key, streams)
            except (OSError, asyncio.IncompleteReadError):
                outcome.lost += 1
                streams.clear()
                continue
            outcome.add(status, time.perf_counter() - started)
            at += count

    await asyncio.gather(*(one(number) for number in range(count)))
    return outcome


async def ceiling(
    data: Path, questions: list[str], *, count: int, seconds: float, answer: bool, chat_ms: float = 0
) -> Rate:
    """What the calls to the embedding model and the index alone allow, with a wait of ``chat_ms`` where a chat model answers."""
    from graph.resources import Resources
    from graph.settings import Settings
    from graph.workflow import build_graph

    resources: Any = Resources(Settings(data=data))
    calls: list[Callable[[], Awaitable[Any]]] = []
    unique = greetings()

    def recorded(function: Any) -> Any:
        async def call(*given: Any, **named: Any) -> Any:
            calls.append(lambda: function(*given, **named))
            return await function(*given, **named)

        return call

    begin = resources.begin_queries

    async def begun(texts: Sequence[str]) -> Any:
        """Recorded as a text that was not read before, with the wait for its vectors."""
        calls.append(lambda: resources.embed_queries([f"{next(unique)} {text}" for text in texts]))
        return await begin(texts)

    index = await resources.open_index()
    index.search, index.look_ahead = recorded(index.search), recorded(index.look_ahead)
    resources.begin_queries = begun
    resources.embed_sentences = recorded(resources.embed_sentences)
    graph = build_graph(resources, answer=answer)
    scripts = []
    for question in questions:
        calls.clear()
        result: Any = await graph.ainvoke({"question": question})
        scripts.append((list(calls), 0.0 if result["refused"] else chat_ms / 1000))
    done, end = 0, time.perf_counter() + seconds

    async def one(number: int) -> None:
        nonlocal done
        at = number
        while time.perf_counter() < end:
            planned, chat_s = scripts[at % len(scripts)]
            for call in planned:
                await call()
            await asyncio.sleep(chat_s)
            done += 1
            at += count

    started, spent = time.perf_counter(), time.process_time()
    await asyncio.gather(*(one(number) for number in range(count)))
    return Rate(done / (time.perf_counter() - started), (time.process_time() - spent) / done * 1000)


def processor_seconds(pid: int) -> float:
    """Processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int) -> float:
    """Memory of a process in use, in MB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def watch_memory(pid: int, samples: list[tuple[float, float]]) -> None:
    """Note seconds and MB once a second."""
    started = time.perf_counter()
    while True:
        samples.append((time.perf_counter() - started, resident_mb(pid)))
        await asyncio.sleep(1)


def start_service(data: Path, port: int, **settings: str) -> subprocess.Popen[bytes]:
    """``policydesk serve`` on ``port``, once it is ready."""
    import httpx

    environment = {**os.environ, "POLICYDESK_DATA": str(data), "PYTHONPATH": str(ROOT), **settings}
    command = [sys.executable, "-m", "service.cli", "serve", "--port", str(port)]
    with tempfile.NamedTemporaryFile(prefix="policydesk-load-", suffix=".log", delete=False) as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    for _ in range(600):
        try:
            if httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=5).status_code == 200:
                return process
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise SystemExit(f"the service did not become ready; see {log.name}")


async def hang_up(port: int, key: str, question: str) -> None:
    """A client that asks and goes away at once."""
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    body = json.dumps({"question": question}).encode()
    head = f"POST /api/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAuthorization: Bearer {key}\r\n"
    writer.write(head.encode() + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
    await writer.drain()
    await asyncio.sleep(0.01)
    writer.transport.abort()


def running_now(port: int, key: str) -> float:
    """The service's own count of questions that run."""
    import httpx

    text = httpx.get(f"http://127.0.0.1:{port}/metrics", headers={"Authorization": f"Bearer {key}"}, timeout=30).text
    return float(re.search(r"^policydesk_questions_running (\S+)$", text, re.MULTILINE)[1])  # type: ignore[index]


@dataclass(frozen=True)
class Load:
    """A service under load, and who asks it."""

    data: Path
    port: int
    key: str
    questions: list[str]
    process: subprocess.Popen[bytes]
    count: int

    async def press(self, path: str, seconds: float, *, chat_ms: float = 0) -> None:
        """The load on one path beside what the calls alone allow before and after; a line each."""

        async def alone() -> Rate:
            count, answer = self.count, path == "/api/ask"
            enough = seconds / 6 + chat_ms / 100  # the last answers, which are waited for, are to weigh little
            return await ceiling(self.data, self.questions, count=count, seconds=enough, answer=answer, chat_ms=chat_ms)

        before = await alone()
        memory: list[tuple[float, float]] = []
        watching = asyncio.create_task(watch_memory(self.process.pid, memory))
        spent = processor_seconds(self.process.pid)
        outcome = await clients(self.port, self.key, self.questions, count=self.count, seconds=seconds, path=path)
        each = (processor_seconds(self.process.pid) - spent) / max(1, len(outcome.seconds)) * 1000
        watching.cancel()
        rate = Rate(len(outcome.seconds) / seconds, each)
        print(
            f"{path}: {rate}, median {outcome.percentile(0.5) * 1000:.0f} ms, "
            f"p95 {outcome.percentile(0.95) * 1000:.0f} ms, statuses {outcome.statuses}, lost {outcome.lost}"
        )
        after = await alone()
        share = 2 * rate.per_second / (before.per_second + after.per_second)
        print(
            f"  model and engine calls alone: before {before}; after {after}; the service reaches {share:.0%} of them"
        )
        settled = [size for at, size in memory if at >= SETTLED_SECONDS]
        print("  memory, MB, every 10 s from the tenth on:", *(f"{size:.0f}" for size in settled[::10]))


async def measure(data: Path, port: int, options: argparse.Namespace) -> None:
    """Load, memory, clients that hang up, a flood, and a chat model."""
    from benchmarks.latency import first_passage
    from evals.golden import read_golden_set
    from service.auth import KeyStore
    from tests.fakes.ollama import FakeOllama

    keys = KeyStore(data / "keys.json")
    _, key = keys.add("default", rate=0, metrics=True)
    _, slow = keys.add("default", rate=60)
    questions = [item.question for item in read_golden_set(QUESTIONS).items]
    process = start_service(data, port)
    load = Load(data, port, key, questions, process, options.clients)
    try:
        await load.press("/api/ask", options.seconds)
        await load.press("/api/search", options.seconds / 3)
        await asyncio.gather(*(hang_up(port, key, question) for question in questions[: options.clients]))
        await asyncio.sleep(3)
        print(f"{options.clients} clients that hung up: {running_now(port, key):.0f} questions still run")
        flood = await clients(port, slow, questions, count=options.clients, seconds=5, path="/api/search")
        print(f"a flood past 60 questions a minute: statuses {flood.statuses}")
    finally:
        stop(process)
    with FakeOllama([first_passage(options.chat_ms / 1000)]) as server:
        process = start_service(data, port, POLICYDESK_CHAT_MODEL="ollama:llama3.1:8b", OLLAMA_HOST=server.url)
        print(f"with a chat model of {options.chat_ms:g} ms")
        try:
            await replace(load, process=process).press("/api/ask", options.seconds / 3, chat_ms=options.chat_ms)
        finally:
            stop(process)


def stop(process: subprocess.Popen[bytes]) -> None:
    """End the service as an operator does."""
    process.send_signal(signal.SIGTERM)
    process.wait(60)


def main() -> None:
    """Measure on the demo shelf, in a folder of its own."""
    parser = argparse.ArgumentParser(description="Load on policydesk serve.")
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--chat-ms", type=float, default=1000)
    parser.add_argument("--port", type=int, default=8765)
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    with tempfile.TemporaryDirectory(prefix="policydesk-load-") as folder:
        data = Path(folder) / "data"
        environment = {**os.environ, "POLICYDESK_DATA": str(data), "PYTHONPATH": str(ROOT)}
        shelf = str(ROOT / "knowledge" / "kartly")
        subprocess.run([sys.executable, "-m", "service.cli", "ingest", shelf], env=environment, check=True)
        asyncio.run(measure(data, options.port, options))


if __name__ == "__main__":
    main()
