"""What a question costs in model tokens, by option: the desk's own nodes, prompts and passages, with a model that only counts.

    python -m benchmarks.tokens [--golden FILE] [--shelf FOLDER] [--price IN OUT]

Every question of the set is retrieved and fitted as usual; then each node that calls a model is run on that state. Input tokens
are those of the prompts as sent, by the desk's own token counter (a chat model's tokenizer differs by a tenth or two, and adds a
few tokens a message). Replies are stand-ins of the length that is asked for: the answer is the desk's own quoted one, a
paraphrase is as long as the question, an invented passage as long as the one found first. ``--price`` is per million tokens.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from langchain_core.language_models import BaseChatModel
from langgraph.runtime import Runtime

from evals.golden import Item, read_golden_set
from evals.running import as_input
from graph.resources import Resources
from graph.settings import Settings
from graph.workflow import build_graph
from knowledge.index.locate import open_store
from knowledge.ingest import ingest
from knowledge.model_tokens import count
from nodes.check_faithfulness import check_faithfulness
from nodes.context import Context, Defaults
from nodes.expand_query import PARAPHRASES, SUB_QUESTIONS, expand_query
from nodes.generate_answer import generate_answer
from nodes.rerank import rerank
from nodes.rewrite_query import rewrite_query
from nodes.state import State
from tests.graph.scripted import Scripted

ROOT = Path(__file__).resolve().parent.parent
EXPANSIONS = ("multi_query", "decompose", "hyde")
#: The order of the table, and what each option adds to a question.
OPTIONS = {
    "rewrite": "rewriting a follow-up (questions with a history alone)",
    "multi_query": "expansion multi_query",
    "decompose": "expansion decompose",
    "hyde": "expansion hyde",
    "rerank": "reranker llm",
    "answer": "the answer itself",
    "judge": "judge",
    "repair": "a repair round (where a sentence failed the check)",
}


def counted(chat: Scripted) -> list[tuple[int, int]]:
    """The input and output tokens of each call that the model answered."""
    written = count(chat.answers[0])
    return [(sum(count(message.text) for message in prompt), written) for prompt in chat.seen]


@dataclass
class Cost:
    """Calls, input tokens and output tokens of one option, a question each."""

    calls: list[int] = field(default_factory=list)
    read: list[int] = field(default_factory=list)
    written: list[int] = field(default_factory=list)

    def add(self, calls: Sequence[tuple[int, int]]) -> None:
        """One question's calls."""
        self.calls.append(len(calls))
        self.read.append(sum(read for read, _ in calls))
        self.written.append(sum(written for _, written in calls))

    def mean(self) -> tuple[float, float, float]:
        """Calls, input and output tokens of a mean question."""
        number = max(len(self.calls), 1)
        return sum(self.calls) / number, sum(self.read) / number, sum(self.written) / number

    def per_thousand(self, price: tuple[float, float]) -> float:
        """What 1,000 questions cost at so much a million input and output tokens."""
        _, read, written = self.mean()
        return (read * price[0] + written * price[1]) / 1_000


class Bench:
    """One state after another through the nodes that call a model."""

    def __init__(self, resources: Resources) -> None:
        self.resources = resources
        self.defaults: Defaults = resources.settings.defaults()
        self.searching = build_graph(resources, answer=False)
        self.costs = {name: Cost() for name in OPTIONS}
        self.refused = 0

    async def question(self, item: Item) -> None:
        """Retrieve, then count every option."""
        context = Context(category=item.category)
        found: Any = await self.searching.ainvoke(
            cast(Any, as_input(item)), context=context, output_keys=list(State.__annotations__)
        )
        state = cast(State, found)
        if item.history:
            given = cast(State, {**as_input(item)})
            await self._counted("rewrite", item.question, lambda chat: rewrite_query(given, self._run(), chat=chat))
        await self._expansions(state)
        await self._reranking(state)
        if state["refused"]:
            self.refused += 1
            for name in ("answer", "judge", "repair"):
                self.costs[name].add([])  # a refusal calls no model
            return
        await self._answering(state)

    async def _expansions(self, state: State) -> None:
        question = state["standalone_question"]
        longest = state["context"][0]["text"] if state["context"] else question
        replies = {
            "multi_query": json.dumps([question] * PARAPHRASES, ensure_ascii=False),
            "decompose": json.dumps([question] * min(SUB_QUESTIONS, 3), ensure_ascii=False),
            "hyde": longest,
        }
        fresh = cast(State, {**state, "queries": []})
        for name in EXPANSIONS:
            run = self._run(Context(expansion=name))
            await self._counted(
                name,
                replies[name],
                lambda chat, run=run: expand_query(fresh, run, chat=chat, defaults=self.defaults),  # type: ignore[misc]
            )

    async def _reranking(self, state: State) -> None:
        r = self.resources
        scores = json.dumps({str(number): 5 for number in range(1, 11)})
        await self._counted(
            "rerank",
            scores,
            lambda chat: rerank(
                state,
                self._run(Context(reranker="llm")),
                open_reranker=r.open_reranker,
                chat=chat,
                known_languages=r.known_languages,
                read_unrelated=r.unrelated,
                read_threshold=r.threshold,
                defaults=self.defaults,
            ),
        )

    async def _answering(self, state: State) -> None:
        r, run = self.resources, self._run()
        draft = await r.extract(state)
        await self._counted("answer", draft, lambda chat: generate_answer(state, run, chat=chat, extract=r.extract))
        drafted = cast(State, {**state, "draft": draft, "model": "counting", "findings": [], "repairs": 0})
        await self._counted(
            "judge", "5", lambda judge: check_faithfulness(drafted, run, judge=judge, embed=r.embed_sentences)
        )
        # The first citation names a passage that is not there, which is what a model gets wrong most simply.
        faulty = cast(State, {**drafted, "draft": draft.replace("[S", "[S9", 1)})
        found = await check_faithfulness(faulty, run, judge=None, embed=r.embed_sentences)
        repairing = cast(State, {**faulty, "findings": found.get("findings") or found["verdict"]["sentences"]})
        await self._counted("repair", draft, lambda chat: generate_answer(repairing, run, chat=chat, extract=r.extract))

    async def _counted(self, name: str, reply: str, ask: Callable[[BaseChatModel], Awaitable[Any]]) -> None:
        chat = Scripted(answers=[reply])
        await ask(chat)
        self.costs[name].add(counted(chat))

    def _run(self, context: Context | None = None) -> Runtime[Context]:
        return Runtime(context=context or Context(), stream_writer=lambda event: None)


async def measure(resources: Resources, items: Sequence[Item]) -> Bench:
    """All options over all questions."""
    bench = Bench(resources)
    for item in items:
        await bench.question(item)
    return bench


def table(costs: dict[str, Cost], price: tuple[float, float]) -> str:
    """One line an option, and the sums that people ask for."""
    lines = [
        f"| adds | questions | calls | tokens in | tokens out | 1,000 questions at {price[0]:g} in, {price[1]:g} out |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, words in OPTIONS.items():
        calls, read, written = costs[name].mean()
        lines.append(
            f"| {words} | {len(costs[name].calls)} | {calls:.1f} | {read:,.0f} | {written:,.0f} "
            f"| {costs[name].per_thousand(price):,.2f} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Ingest the shelf, count, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--golden", type=Path, default=ROOT / "evals" / "golden" / "kartly.jsonl")
    parser.add_argument("--shelf", type=Path, default=ROOT / "knowledge" / "kartly")
    parser.add_argument("--price", type=float, nargs=2, default=[1.0, 4.0], metavar=("IN", "OUT"))
    given = parser.parse_args()
    items = read_golden_set(given.golden).items
    with tempfile.TemporaryDirectory() as folder:
        resources = Resources(Settings(data=Path(folder)))
        ingest([given.shelf], store=open_store(resources.settings.index_location()), embedding=resources.embedding)
        bench = asyncio.run(measure(resources, items))
    print(f"{len(items)} questions, {bench.refused} of them refused before any answer model is called")
    print(table(bench.costs, (given.price[0], given.price[1])))


if __name__ == "__main__":
    main()
