"""Running a golden set through the graph, one question after another, and keeping what the metrics read.

Sequential on purpose: two questions at once would share the processor, and the latencies would say nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from evals.golden import Item, Judges
from nodes.context import Context
from nodes.state import State

if TYPE_CHECKING:
    from langchain_core.documents import Document

    from graph.workflow import Graph

#: The stages whose order of passages can be measured. ``rerank`` is the final ranking before the budget.
STAGES = ("retrieve", "fuse", "rerank", "fit")
FINAL = "rerank"

#: Metadata key of the corpus record that a chunk was made from; where it stands, it is what a BEIR set judges.
RECORD = "record"

OnDone = Callable[[], None]

#: Asked before anything is measured. No item's own question: vectors of questions are remembered.
WARM_UP = Item(id="warm-up", question="Are the models loaded?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a run of one question left behind.

    Attributes:
        stages: stage -> ids as the set judges them (chunks or documents), best first, each once at its best chunk's rank.
        evidence: what the refusal was decided by; 0 where nothing was found that a threshold could let through.
        dense, keyword: the best cosine and BM25 score of any candidate.
        passages: the texts in the prompt.
        cited: for each distinct citation the ids it may be judged by: chunk, document and record.
        faithfulness: of the answer to the passages, 1 to 5, where a judge rated it.
    """

    item: Item
    stages: Mapping[str, tuple[str, ...]]
    evidence: float = 0.0
    dense: float = 0.0
    keyword: float = 0.0
    threshold: float | None = None
    refused: bool = False
    reason: str | None = None
    reranker: str = "none"
    index_version: str = ""
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    answer: str = ""
    passages: tuple[str, ...] = ()
    cited: tuple[frozenset[str], ...] = ()
    faithfulness: float | None = None


async def run_set(
    graph: Graph, items: Sequence[Item], options: Context, *, judges: Judges, on_done: OnDone | None = None
) -> list[Outcome]:
    """Every item through the graph under the same options, after a question of no set, so that no item waits for models."""
    await run_state(graph, WARM_UP, options)
    outcomes = []
    for item in items:
        outcomes.append(await run_item(graph, item, options, judges=judges))
        if on_done is not None:
            on_done()
    return outcomes


async def run_item(graph: Graph, item: Item, options: Context, *, judges: Judges) -> Outcome:
    """One item through the graph. Errors of models and stores come out as they are: a run with holes is no measurement."""
    return outcome_of(item, await run_state(graph, item, options), judges=judges)


async def run_state(graph: Graph, item: Item, options: Context, *, config: Any = None) -> State:
    """The whole state that a run of the item ends in, with what the graph's output leaves out."""
    state: Any = await graph.ainvoke(
        as_input(item), config, context=options_for(item, options), output_keys=list(State.__annotations__)
    )
    return cast("State", state)


def options_for(item: Item, options: Context) -> Context:
    """The run's options, with the item's own category where the run names none."""
    return replace(options, category=options.category or item.category)


def as_input(item: Item) -> Any:
    """The graph's input: the question, or the conversation that ends with it."""
    from langchain_core.messages import AIMessage, HumanMessage

    if not item.history:
        return {"question": item.question}
    said = [
        HumanMessage(turn["content"]) if turn["role"] in ("user", "human") else AIMessage(turn["content"])
        for turn in item.history
    ]
    return {"messages": [*said, HumanMessage(item.question)]}


def outcome_of(item: Item, state: Mapping[str, Any], *, judges: Judges) -> Outcome:
    """What the metrics read, from a final state."""
    documents: dict[str, Document] = {**(state.get("parents") or {}), **(state.get("candidates") or {})}

    def judged(ids: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(judged_as(name, documents.get(name), item.needed, judges) for name in ids))

    signals = list((state.get("signals") or {}).values())
    cited = {
        (citation["id"], citation["start"], citation["end"]): citation["id"]
        for citation in state.get("citations") or ()
    }
    return Outcome(
        item=item,
        stages={
            "retrieve": judged(by_best_rank([[hit["id"] for hit in one["hits"]] for one in state.get("lists") or ()])),
            "fuse": judged(hit["id"] for hit in state.get("fused") or ()),
            "rerank": judged(hit["id"] for hit in state.get("ranked") or ()),
            "fit": judged(passage["id"] for passage in state.get("context") or ()),
        },
        evidence=0.0 if state.get("refusal_reason") == "nothing_found" else float(state.get("evidence") or 0.0),
        dense=max((signal["dense"] for signal in signals), default=0.0),
        keyword=max((signal["keyword"] for signal in signals), default=0.0),
        threshold=state.get("threshold"),
        refused=bool(state.get("refused")),
        reason=state.get("refusal_reason"),
        reranker=str(state.get("reranker") or "none"),
        index_version=str(state.get("index_version") or ""),
        timings_ms=dict(state.get("timings_ms") or {}),
        warnings=tuple(state.get("warnings") or ()),
        answer=str(state.get("answer") or ""),
        passages=tuple(f"{passage['section']}\n{passage['text']}" for passage in state.get("context") or ()),
        cited=tuple(frozenset(names_of(name, documents.get(name))) for name in cited.values()),
    )


def judged_as(chunk_id: str, document: Document | None, needed: Mapping[str, int], judges: Judges) -> str:
    """The id that a chunk is judged by: its document's (or corpus record's) where the set judges those, else its own.

    A golden line may need a whole document too: then any chunk of it counts as that document.
    """
    metadata = document.metadata if document is not None else {}
    whole = str(metadata.get(RECORD) or metadata.get("document_id") or chunk_id)
    if judges == "documents":
        return whole
    if chunk_id not in needed and whole in needed:
        return whole
    return chunk_id


def names_of(chunk_id: str, document: Document | None) -> set[str]:
    """All ids that a chunk may be asked for by."""
    metadata = document.metadata if document is not None else {}
    return {chunk_id} | {str(metadata[key]) for key in ("document_id", RECORD) if metadata.get(key)}


def by_best_rank(lists: Sequence[Sequence[str]]) -> list[str]:
    """All ids of all lists by their best rank in any, the earlier list first among equals: what was found, before any fusion."""
    best: dict[str, tuple[int, int]] = {}
    for number, ids in enumerate(lists):
        for rank, name in enumerate(ids):
            best[name] = min((rank, number), best.get(name, (rank, number)))
    return sorted(best, key=lambda name: best[name])
