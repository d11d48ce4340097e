"""Milliseconds per stage over the Kartly questions, and the desk's own share: all but model calls and engine calls.

    python benchmarks/latency.py [--chunks 0 10000] [--rounds N] [--chat-ms 300] [--chat-rounds N] [--golden FILE]

Once over the Kartly shelf alone, and once with 10,000 made-up chunks beside it. Each time without a chat model, where the
answer is quoted; with one that takes ``--chat-ms`` for a reply (a server that speaks Ollama's protocol and quotes the first
passage: its own delay counts as the model, LangChain's client as ours); and as ``PolicyRetriever`` gives it to other programs,
over a query embedding. Every question is asked once to warm up, then ``--rounds`` times in turn, and its vector made anew each
time. ``p10`` is near what a quiet machine takes.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.papers import index_papers  # noqa: E402
from evals.golden import read_golden_set  # noqa: E402
from graph.models import open_chat  # noqa: E402
from graph.resources import Resources  # noqa: E402
from graph.settings import Settings  # noqa: E402
from graph.workflow import build_graph  # noqa: E402
from knowledge.index.edge_shard import Shard  # noqa: E402
from knowledge.index.locate import open_store  # noqa: E402
from service.retriever import PolicyRetriever  # noqa: E402
from tests.fakes.ollama import Body, FakeOllama, Reply  # noqa: E402

ENGINE_CALLS = ("query", "payloads", "scroll", "count", "facet")
_PASSAGE = re.compile(r"<passage>\n\[(S\d+)\] .*?\n(.*?)\n</passage>", re.DOTALL)

Ask = Callable[[str], Awaitable[Any]]


class Meter:
    """Seconds spent inside wrapped functions, by name."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = defaultdict(float)

    def wrap(self, owner: Any, attribute: str, name: str) -> None:
        """Replace ``owner.attribute`` by itself with a clock around it."""
        inner: Callable[..., Any] = getattr(owner, attribute)

        def timed(*args: Any, **kwargs: Any) -> Any:
            started = time.perf_counter()
            try:
                return inner(*args, **kwargs)
            finally:
                self.spent[name] += time.perf_counter() - started

        setattr(owner, attribute, timed)


class Figures:
    """Milliseconds of many questions, by name."""

    def __init__(self) -> None:
        self.taken: dict[str, list[float]] = defaultdict(list)

    async def ask(self, ask: Ask, question: str, meter: Meter) -> None:
        """Ask once and note what it took."""
        meter.spent.clear()
        started = time.perf_counter()
        result = await ask(question)
        wall = (time.perf_counter() - started) * 1000
        inside = sum(meter.spent.values()) * 1000
        for name, spent in (result["timings_ms"] if isinstance(result, dict) else {}).items():
            self.taken[name].append(spent)
        self.taken["whole question"].append(wall)
        for name, spent in meter.spent.items():
            self.taken[f"- {name}"].append(spent * 1000)
        self.taken["own share"].append(wall - inside)
        self.taken["over the embedding"].append(wall - meter.spent["embedding"] * 1000)
        self.taken["wall / (models + engine)"].append(wall / inside)

    def show(self, title: str) -> None:
        """Print the table."""
        number = len(self.taken["whole question"])
        print(f"\n{title}; {number} questions asked\n{'':<26}{'median':>9}{'p10':>9}{'p95':>9}")
        for name, values in self.taken.items():
            cuts = statistics.quantiles(values, n=20) if len(values) > 1 else values * 19
            print(f"{name:<26}{statistics.median(values):>9.2f}{cuts[1]:>9.2f}{cuts[18]:>9.2f}")


async def measure(
    title: str, ask: Ask, resources: Resources, questions: Sequence[str], rounds: int, meter: Meter
) -> None:
    """Warm up, ask, and print one table."""
    figures = Figures()
    for question in questions:
        await ask(question)
    for _ in range(rounds):
        for question in questions:
            # A repeated question's vector is remembered; a bench must pay for it each time.
            resources.embedding.forget_queries()
            await figures.ask(ask, question, meter)
    figures.show(title)


def first_passage(delay_s: float) -> Callable[[Body], Reply]:
    """A reply that quotes the first sentence of the first passage."""

    def reply(body: Body) -> Reply:
        found = _PASSAGE.search(body["messages"][1]["content"])
        label, text = found.groups() if found else ("S1", "No passage.")
        first = re.split(r"(?<=[.!?])\s", text.strip())[0]
        return Reply(text=f"{first} [{label}]", delay_s=delay_s)

    return reply


async def measure_all(
    settings: Settings, chunks: int, questions: Sequence[str], given: argparse.Namespace, meter: Meter
) -> None:
    """The three tables of one index."""
    where = f"Kartly and {chunks:,} chunks" if chunks else "Kartly"
    resources = Resources(settings)
    meter.wrap(resources.embedding.encoder(), "encode", "embedding")
    whole = build_graph(resources)
    retriever = PolicyRetriever(resources=resources)

    async def quote(question: str) -> Any:
        return await whole.ainvoke({"question": question})

    await measure(f"{where}, quoted answer", quote, resources, questions, given.rounds, meter)
    await measure(f"{where}, PolicyRetriever", retriever.ainvoke, resources, questions, given.rounds, meter)
    with FakeOllama([first_passage(given.chat_ms / 1000)]) as server:
        chat = open_chat("ollama:llama3.1:8b", ollama_host=server.url)
        graph = build_graph(Resources(settings, embedding=resources.embedding, chat=chat))

        async def ask(question: str) -> Any:
            before = len(server.chats)
            result = await graph.ainvoke({"question": question})
            meter.spent["chat model"] += (len(server.chats) - before) * given.chat_ms / 1000
            return result

        title = f"{where}, a chat model of {given.chat_ms:g} ms"
        some = questions[:: max(1, len(questions) // 20)]
        await measure(title, ask, resources, some, given.chat_rounds, meter)


def main() -> None:
    """Parse the options, build each index and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--golden", type=Path, default=ROOT / "evals" / "golden" / "kartly.jsonl")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--chunks", type=int, nargs="*", default=[0, 10_000])
    parser.add_argument("--chat-ms", type=float, default=300)
    parser.add_argument("--chat-rounds", type=int, default=1)
    given = parser.parse_args()
    questions = [item.question for item in read_golden_set(given.golden).items if not item.history]
    meter = Meter()
    for call in ENGINE_CALLS:
        meter.wrap(Shard, call, "engine")
    for chunks in given.chunks:
        with tempfile.TemporaryDirectory() as folder:
            settings = Settings(data=Path(folder), chat_model=None, small_model=None, judge_model=None)
            index_papers(open_store(settings.index_location()), Resources(settings).embedding, chunks)
            asyncio.run(measure_all(settings, chunks, questions, given, meter))


if __name__ == "__main__":
    main()
