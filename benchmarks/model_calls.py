"""Model calls a question, and wall time against the sum of model time: do independent calls run side by side?

    python -m benchmarks.model_calls [--delay SECONDS]

The graph runs over the Kartly shelf against a server that speaks Ollama's protocol and takes ``--delay`` seconds for each reply.
"wall/sum" is below 1 where calls ran side by side; "rest" is the wall time less the rounds that had to follow each other: the
desk's own work, with its embedding model. Run it from the checkout: the server is the tests'.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from graph.models import open_chat
from graph.resources import Resources
from graph.settings import Settings
from graph.workflow import build_graph
from knowledge.index.locate import open_store
from knowledge.ingest import ingest
from tests.fakes.ollama import Body, FakeOllama, Reply

ROOT = Path(__file__).resolve().parent.parent
QUESTION = "How long do I have to return electronics?"
FOLLOW_UP = [
    {"role": "user", "content": "Can I return a jacket?"},
    {"role": "assistant", "content": "Yes, within 15 days."},
    {"role": "user", "content": "And electronics?"},
]
SEVEN = "Electronics can be returned within 7 days of delivery [S{n}]."
INSPECTED = "An electronics return must include the purchase invoice [S{n}]."
WRONG = "Electronics can be returned within 70 days of delivery [S{n}]."


@dataclass(frozen=True, kw_only=True)
class Case:
    """One way of asking. ``rounds``: calls that have to wait for one another, as the design has it."""

    name: str
    rounds: int
    given: dict[str, Any] = field(default_factory=lambda: {"question": QUESTION})
    options: dict[str, Any] = field(default_factory=dict)
    answers: tuple[str, ...] = (SEVEN,)
    judge: bool = False


ALL_EXPANSIONS = {"expansion": "multi_query,decompose,hyde"}
CASES = (
    Case(name="refused before generation", rounds=0, given={"question": "Who won the chess championship of 1972?"}),
    Case(name="everything off", rounds=1),
    Case(name="rewrite, 3 expansions", rounds=3, given={"messages": FOLLOW_UP}, options=ALL_EXPANSIONS),
    Case(name="llm reranker", rounds=2, options={"reranker": "llm"}),
    Case(name="judge, two sentences", rounds=2, answers=(f"{SEVEN} {INSPECTED}",), judge=True),
    Case(name="repair", rounds=2, answers=(WRONG, SEVEN)),
    Case(
        name="all of them",
        rounds=7,
        given={"messages": FOLLOW_UP},
        options={**ALL_EXPANSIONS, "reranker": "llm"},
        answers=(f"{SEVEN} {WRONG}", f"{SEVEN} {INSPECTED}"),
        judge=True,
    ),
)


def replies(case: Case, delay_s: float) -> Callable[[Body], Reply]:
    """What the server says to each kind of prompt, after the delay."""
    answers = list(case.answers)

    def reply(body: Body) -> Reply:
        system, user = body["messages"][0]["content"], body["messages"][-1]["content"]
        if "support the statement?" in user:
            return Reply(text="yes", yes=0.9, delay_s=delay_s)
        if "stand" in system and "Conversation:" in user:
            return Reply(text="How long do I have to return electronics?", delay_s=delay_s)
        if "You rate how well" in system:
            return Reply(text='{"1": 9, "2": 7, "3": 5}', delay_s=delay_s)
        if "You help a search engine" in system:
            return Reply(text='["Return period of electronics", "Days to send electronics back"]', delay_s=delay_s)
        text = answers.pop(0) if len(answers) > 1 else answers[0]
        return Reply(text=text.replace("{n}", label_of_rule(body)), delay_s=delay_s)

    return reply


def label_of_rule(body: Body) -> str:
    """The number of the passage that holds the electronics rule in the prompt."""
    prompt = body["messages"][1]["content"]
    before = prompt.partition("Electronics can be returned within")[0]
    return before.rpartition("[S")[2].partition("]")[0] or "1"


async def run(case: Case, settings: Settings, delay_s: float) -> tuple[dict[str, int], int, int, float]:
    """The calls by kind, the calls that the server saw, the most at once, and the wall time in seconds."""
    with FakeOllama([replies(case, delay_s)]) as server:
        chat = open_chat("ollama:llama3.1:8b", ollama_host=server.url)
        resources = Resources(settings, chat=chat, judge=chat if case.judge else None)
        graph = build_graph(resources)
        await build_graph(resources, answer=False).ainvoke({"question": QUESTION})  # loads what is loaded once
        server.requests.clear()
        started = time.perf_counter()
        result = await graph.ainvoke(cast(Any, case.given), context=cast(Any, case.options))
        wall = time.perf_counter() - started
        return result["model_calls"], len(server.chats), server.most_at_once, wall


async def measure(settings: Settings, delay_s: float) -> None:
    """Ask each way once, and print the table."""
    print(f"one reply takes {delay_s:g} s")
    print(f"{'case':<27}{'calls':>6}{'at once':>9}{'sum s':>8}{'wall s':>8}{'wall/sum':>10}{'rest ms':>9}  by kind")
    for case in CASES:
        made, seen, at_once, wall = await run(case, settings, delay_s)
        if sum(made.values()) != seen:
            raise SystemExit(f"{case.name}: {sum(made.values())} calls were counted, {seen} were made")
        total = seen * delay_s
        ratio = f"{wall / total:.2f}" if total else "-"
        rest = (wall - case.rounds * delay_s) * 1000
        kinds = ", ".join(f"{name} {count}" for name, count in made.items() if count) or "none"
        print(f"{case.name:<27}{seen:>6}{at_once:>9}{total:>8.2f}{wall:>8.2f}{ratio:>10}{rest:>9.0f}  {kinds}")


def main() -> None:
    """Parse the options, ingest and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--delay", type=float, default=0.5, metavar="SECONDS")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data=Path(folder), chat_model=None, judge_model=None, small_model=None)
        store = open_store(settings.index_location())
        ingest([ROOT / "knowledge" / "kartly"], store=store, embedding=Resources(settings).embedding)
        asyncio.run(measure(settings, given.delay))


if __name__ == "__main__":
    main()
