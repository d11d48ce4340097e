"""What each stage and option brings: one change at a time against the same questions, in pairs, with intervals.

Options are changed by running the whole graph again. A list is taken away by running the graph again from ``fuse`` on, with the
state that the full run had after ``retrieve``; so every later stage is the real one.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from evals.bootstrap import Difference, paired_difference, paired_statistic
from evals.golden import GoldenSet, Item
from evals.metrics import auroc
from evals.running import FINAL, WARM_UP, Outcome, options_for, outcome_of, run_state
from evals.summary import answerability, stage_scores
from nodes.context import Context, Defaults
from nodes.state import RankedList, State

if TYPE_CHECKING:
    from graph.workflow import Graph

#: The metrics that are compared; the first three decide the verdict.
COMPARED = ("recall@5", "all@5", "ndcg@10", "mrr")
DECIDING = COMPARED[:3]

#: From the state after ``retrieve`` to the keys that differ.
Edit = Callable[[State], Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing done differently. ``removes``: something is switched off, so a loss says that it brings something.

    Attributes:
        options: per-question options set over the run's.
        edit: what is changed of what ``retrieve`` returned, before it is fused.
        stage: where the order is measured.
    """

    name: str
    removes: bool
    options: Mapping[str, Any] = field(default_factory=dict)
    edit: Edit | None = None
    stage: str = FINAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A change and what it did. ``changed``: questions whose order at the stage differs; ``ms``: the median of what a
    question took longer, its embedding aside.
    """

    name: str
    removes: bool
    stage: str
    differences: Mapping[str, Difference]
    changed: int
    ms: float
    verdict: str

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self) | {"differences": {name: asdict(gap) for name, gap in self.differences.items()}}


def changes_for(options: Context, defaults: Defaults, *, has_chat: bool) -> list[Change]:
    """Every stage and option that can be changed on this machine, given what the run itself uses."""
    candidate_k = options.candidate_k or defaults.candidate_k
    rerank_k = options.rerank_k or defaults.rerank_k
    expansion = options.expansion or defaults.expansion
    reranker = options.reranker or defaults.reranker
    out = [
        Change(name="without the dense list", removes=True, edit=_without("dense")),
        Change(name="without the keyword list", removes=True, edit=_without("keyword")),
        Change(name="without identifiers", removes=True, edit=_without_identifiers),
        Change(name="without references", removes=True, edit=_without_references),
        Change(name="without list weights", removes=True, edit=_equal_weights),
    ]
    if reranker != "none":
        out.append(Change(name="without the reranker", removes=True, options={"reranker": "none"}))
    for other in ("evidence", "llm"):
        if other not in (reranker, "evidence" if reranker == "auto" else "") and (other != "llm" or has_chat):
            out.append(Change(name=f"reranker {other}", removes=False, options={"reranker": other}))
    if expansion != "none":
        out.append(Change(name=f"without expansion ({expansion})", removes=True, options={"expansion": "none"}))
    if has_chat:
        out += [
            Change(name=f"expansion {name}", removes=False, options={"expansion": name})
            for name in ("multi_query", "decompose", "hyde")
            if name != expansion
        ]
    for key, value in (("candidate_k", candidate_k), ("rerank_k", rerank_k)):
        out += [
            Change(name=f"{key} {changed} instead of {value}", removes=False, options={key: changed})
            for changed in (max(5, value // 2), min(100, value * 2))
            if changed != value
        ]
    deeper = {"candidate_k": min(100, candidate_k * 2), "rerank_k": min(100, rerank_k * 2)}
    name = " and ".join(f"{key} {value}" for key, value in deeper.items())
    out.append(Change(name=name, removes=False, options=deeper))
    top_k = options.top_k or defaults.top_k
    if top_k < 8:
        out.append(Change(name=f"top_k 8 instead of {top_k}", removes=False, options={"top_k": 8}, stage="fit"))
    return out


async def ablate(
    graph: Graph,
    golden: GoldenSet,
    options: Context,
    changes: Sequence[Change],
    *,
    on_done: Callable[[], None] | None = None,
) -> tuple[list[Outcome], list[Row]]:
    """The full run's outcomes, and a row for each change. ``graph`` must have a checkpointer, to be run from its middle.

    A question goes through all changes before the next one, so that a machine that grows slower slows all of them alike. The
    changes are compared with its second run, since only the first, which is returned, embeds the question. ``on_done`` is called
    ``len(items) * (1 + len(changes))`` times.
    """
    tell = on_done or (lambda: None)
    first: list[Outcome] = []
    full: list[Outcome] = []
    changed: list[list[Outcome]] = [[] for _ in changes]
    await _whole(graph, WARM_UP, options)
    for item in golden.items:
        first.append(outcome_of(item, await _whole(graph, item, options), judges=golden.judges))
        state = await _whole(graph, item, options)
        full.append(outcome_of(item, state, judges=golden.judges))
        tell()
        for change, outcomes in zip(changes, changed, strict=True):
            other = await _changed(graph, item, options, change, state)
            outcomes.append(outcome_of(item, other, judges=golden.judges))
            tell()
    return first, [compare(change, full, outcomes) for change, outcomes in zip(changes, changed, strict=True)]


async def _changed(graph: Graph, item: Item, options: Context, change: Change, state: State) -> State:
    if change.edit is None:
        return await _whole(graph, item, replace(options, **change.options))
    return await rerun_from_fuse(graph, state, options_for(item, options), change.edit(state))


async def rerun_from_fuse(graph: Graph, state: State, context: Context, edited: Mapping[str, Any]) -> State:
    """The run's end, had ``retrieve`` returned the edited keys: the graph goes on from ``fuse`` in a thread of its own."""
    config: Any = {"configurable": {"thread_id": uuid.uuid4().hex}}
    kept = {
        key: value for key, value in state.items() if key not in ("messages", "fused", "ranked", "context", "answer")
    }
    timings = {name: ms for name, ms in state["timings_ms"].items() if name not in ("fuse", "rerank", "fit_context")}
    changed = {**kept, "timings_ms": timings, "refused": False, "refusal_reason": None, **edited}
    await graph.aupdate_state(config, changed, as_node="retrieve")
    out = await graph.ainvoke(None, config, context=context, output_keys=list(State.__annotations__))
    await _forget(graph, config)
    return out  # type: ignore[return-value]


def compare(change: Change, full: Sequence[Outcome], other: Sequence[Outcome]) -> Row:
    """The paired differences, changed run minus full run, and what they say."""
    first, second = stage_scores(full, change.stage), stage_scores(other, change.stage)
    differences = {
        name: paired_difference([first[at][name] for at in first], [second[at][name] for at in first])
        for name in COMPARED
        if first
    }
    gain = _auroc_difference(full, other)
    if gain is not None:
        differences["refusal_auroc"] = gain
    changed = sum(a.stages[change.stage] != b.stages[change.stage] for a, b in zip(full, other, strict=True))
    spent = [sum(b.timings_ms.values()) - sum(a.timings_ms.values()) for a, b in zip(full, other, strict=True)]
    return Row(
        name=change.name,
        removes=change.removes,
        stage=change.stage,
        differences=differences,
        changed=changed,
        ms=round(float(np.median(spent)), 3),
        verdict=verdict(differences, changed=changed, removes=change.removes),
    )


def verdict(differences: Mapping[str, Difference], *, changed: int, removes: bool) -> str:
    """In words: whether what was taken away brings something, or whether the other value is better, beyond luck."""
    if not changed:
        return "changes nothing here"
    clear = [differences[name].value for name in DECIDING if name in differences and differences[name].clear]
    lower, higher = any(value < 0 for value in clear), any(value > 0 for value in clear)
    if lower and higher:
        return "mixed: some metrics rise, some fall"
    if removes:
        return "brings something" if lower else "hurts here" if higher else "brings nothing measurable here"
    return "worse" if lower else "better" if higher else "no clear difference"


def _auroc_difference(full: Sequence[Outcome], other: Sequence[Outcome]) -> Difference | None:
    known = answerability(full)
    at = [number for number, outcome in enumerate(full) if outcome.item.id in known]
    answerable = np.array([known[full[number].item.id] for number in at], dtype=bool)
    before = np.array([full[number].evidence for number in at])
    after = np.array([other[number].evidence for number in at])

    def gain(drawn: Any) -> float | None:
        first = auroc(answerable[drawn], before[drawn])
        second = auroc(answerable[drawn], after[drawn])
        return None if first is None or second is None else second - first

    return paired_statistic(len(at), gain, draws=300) if at else None


async def _whole(graph: Graph, item: Item, options: Context) -> State:
    config: Any = {"configurable": {"thread_id": uuid.uuid4().hex}}
    state = await run_state(graph, item, options, config=config)
    await _forget(graph, config)
    return state


async def _forget(graph: Graph, config: Any) -> None:
    """Thousands of runs would otherwise pile up their states in the checkpointer."""
    saver: Any = graph.checkpointer
    await saver.adelete_thread(config["configurable"]["thread_id"])


def _without(kind: str) -> Edit:
    return lambda state: {"lists": [one for one in state["lists"] if one["kind"] != kind]}


def _without_identifiers(state: State) -> Mapping[str, Any]:
    """As if none had been recognised: no exact list, no mark on a candidate, no refusal by name."""
    signals = {name: {**known, "exact": False} for name, known in state["signals"].items()}
    return {**_without("exact")(state), "signals": signals, "identifiers": [], "missing_identifiers": []}


def _without_references(state: State) -> Mapping[str, Any]:
    """As if no passage sent the reader on."""
    return {**_without("reference")(state), "sent_on": []}


def _equal_weights(state: State) -> Mapping[str, Any]:
    return {"lists": [RankedList(**{**one, "weight": 1.0}) for one in state["lists"]]}


def sentences(rows: Sequence[Row]) -> Iterator[str]:
    """What a reader should take home, one sentence a group of rows."""
    for wanted, text in (
        ("brings something", "Earns its place: {}."),
        ("brings nothing measurable here", "Brings nothing measurable here: {}."),
        ("changes nothing here", "Changes not one order here: {}."),
        ("hurts here", "Hurts here: {}."),
        ("better", "Worth trying: {}."),
    ):
        names = [row.name.removeprefix("without ") for row in rows if row.verdict == wanted]
        if names:
            yield text.format(", ".join(names))
