from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from evals.ablating import Change, ablate, changes_for, rerun_from_fuse, sentences, verdict
from evals.bootstrap import Difference
from evals.golden import GoldenSet, Item
from evals.running import run_state
from graph.workflow import build_graph
from nodes.context import Context, Defaults
from tests.evals.desk import chunk, desk

UP, DOWN, FLAT = Difference(0.1, 0.05, 0.2), Difference(-0.1, -0.2, -0.05), Difference(0.0, -0.1, 0.1)


def golden(*items: Item) -> GoldenSet:
    return GoldenSet(name="small", items=items, judges="chunks", path=Path("small.jsonl"))


@pytest.mark.parametrize(
    ("gaps", "removes", "said"),
    [
        ((DOWN, FLAT), True, "brings something"),
        ((UP, FLAT), True, "hurts here"),
        ((FLAT, FLAT), True, "brings nothing measurable here"),
        ((UP, DOWN), True, "mixed: some metrics rise, some fall"),
        ((UP, FLAT), False, "better"),
        ((DOWN, FLAT), False, "worse"),
        ((FLAT, FLAT), False, "no clear difference"),
    ],
)
def test_verdicts(gaps: tuple[Difference, Difference], removes: bool, said: str) -> None:
    named = dict(zip(("recall@5", "ndcg@10"), gaps, strict=True))
    assert verdict(named, changed=3, removes=removes) == said
    assert verdict(named, changed=0, removes=removes) == "changes nothing here"


def test_every_change_differs_from_the_run() -> None:
    changes = changes_for(Context(), Defaults(), has_chat=False)
    names = [change.name for change in changes]
    assert "without the reranker" in names
    assert "candidate_k 40 instead of 20" in names
    assert not any("expansion" in name or "llm" in name for name in names)
    with_chat = [change.name for change in changes_for(Context(expansion="hyde"), Defaults(), has_chat=True)]
    assert "without expansion (hyde)" in with_chat
    assert "expansion decompose" in with_chat
    assert "expansion hyde" not in with_chat
    plain = [change.name for change in changes_for(Context(reranker="none", top_k=8), Defaults(), has_chat=False)]
    assert "reranker evidence" in plain
    assert not any(name.startswith(("without the reranker", "top_k")) for name in plain)


def test_a_list_taken_away_is_missing_from_every_later_stage(tmp_path: Path) -> None:
    words = chunk("words#1", "Damaged headphones are to be reported.")
    graph = build_graph(desk(tmp_path, [words, chunk("other#1", "Shirts are washed.")]), InMemorySaver(), answer=False)

    async def run() -> None:
        item = Item(id="q", question="Which damaged headphones are reported?")
        config = {"configurable": {"thread_id": "full"}}
        full = await run_state(graph, item, Context(), config=config)
        assert {one["kind"] for one in full["lists"]} == {"dense", "keyword"}
        keyword = [one for one in full["lists"] if one["kind"] == "keyword"]
        rerun = await rerun_from_fuse(graph, full, Context(), {"lists": keyword})
        assert [hit["id"] for hit in rerun["fused"]] == ["words#1"]
        assert [passage["id"] for passage in rerun["context"]] == ["words#1"]
        assert len(full["fused"]) == 2
        same = await rerun_from_fuse(graph, full, Context(), {})
        assert (same["fused"], same["ranked"], same["context"]) == (full["fused"], full["ranked"], full["context"])

    asyncio.run(run())


def test_the_list_that_finds_is_said_to_bring_something(tmp_path: Path) -> None:
    fillers = [chunk(f"filler{n}#1", f"Parcel {chr(97 + n) * 4} travels by road.") for n in range(12)]
    codes = [chunk(f"code{n}#1", f"Notes on part AX-{n}{n}7, kept short.") for n in range(9)]
    graph = build_graph(desk(tmp_path, [*fillers, *codes]), InMemorySaver(), answer=False)
    items = [Item(id=str(n), question=f"Parcel road travels: AX-{n}{n}7?", needed={f"code{n}#1": 1}) for n in range(9)]
    offered = {change.name: change for change in changes_for(Context(), Defaults(), has_chat=False)}
    changes = [
        offered["without identifiers"],
        offered["without references"],
        Change(name="candidate_k 1", removes=False, options={"candidate_k": 1}),
    ]
    done: list[None] = []
    outcomes, rows = asyncio.run(ablate(graph, golden(*items), Context(), changes, on_done=lambda: done.append(None)))
    assert len(outcomes) == 9
    assert len(done) == 9 * 4
    verdicts = {row.name: row.verdict for row in rows}
    assert verdicts["without identifiers"] == "brings something"
    assert verdicts["without references"] == "changes nothing here"
    assert rows[0].differences["ndcg@10"].value < 0
    assert rows[0].changed == 9
    assert "Earns its place: identifiers." in list(sentences(rows))
