from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage, HumanMessage

from evals.golden import Item
from evals.running import RECORD, as_input, by_best_rank, judged_as, options_for, outcome_of
from nodes.context import Context
from tests.evals.desk import chunk

ITEM = Item(id="q", question="?", needed={"a#2": 1})


def state(**more: Any) -> dict[str, Any]:
    chunks = [chunk("a#1", "x"), chunk("a#2", "x"), chunk("b#1", "x", **{RECORD: "b-record"})]
    hits = [{"id": name, "score": 1.0} for name in ("a#1", "b#1", "a#2")]
    return {
        "candidates": {str(one.id): one for one in chunks},
        "lists": [{"query": "?", "kind": "dense", "weight": 1.0, "hits": hits[:2]}, {"query": "?", "hits": hits[2:]}],
        "fused": hits,
        "ranked": hits[::-1],
        "context": [{"id": "a#2", "section": "A", "text": "x"}],
        "signals": {"a#1": {"dense": 0.2, "keyword": 3.0}, "a#2": {"dense": 0.7, "keyword": 1.0}},
        "evidence": 0.6,
        **more,
    }


def test_chunks_are_judged_by_their_own_ids_or_their_documents() -> None:
    by_chunk = outcome_of(ITEM, state(), judges="chunks").stages
    assert by_chunk["rerank"] == ("a#2", "b#1", "a#1")
    assert by_chunk["fit"] == ("a#2",)
    by_document = outcome_of(ITEM, state(), judges="documents").stages
    assert by_document["rerank"] == ("a", "b-record")
    assert by_document["fuse"] == ("a", "b-record")


def test_a_golden_line_may_need_a_whole_document() -> None:
    assert judged_as("b#1", chunk("b#1", "x"), {"b": 1}, "chunks") == "b"
    assert judged_as("b#1", chunk("b#1", "x"), {"b#1": 1, "b": 1}, "chunks") == "b#1"
    assert judged_as("gone#1", None, {}, "documents") == "gone#1"


def test_best_signals_and_evidence() -> None:
    outcome = outcome_of(ITEM, state(), judges="chunks")
    assert (outcome.dense, outcome.keyword, outcome.evidence) == (0.7, 3.0, 0.6)
    nothing = outcome_of(ITEM, state(refused=True, refusal_reason="nothing_found"), judges="chunks")
    assert nothing.evidence == 0
    weak = outcome_of(ITEM, state(refused=True, refusal_reason="weak_retrieval"), judges="chunks")
    assert weak.evidence == 0.6


def test_retrieved_order_is_by_best_rank_then_list() -> None:
    assert by_best_rank([["a", "b", "c"], ["c", "d", "a"]]) == ["a", "c", "b", "d"]


def test_citations_are_counted_once_a_quote() -> None:
    cited = [
        {"id": "b#1", "start": 0, "end": 5},
        {"id": "b#1", "start": 0, "end": 5},
        {"id": "a#1", "start": 1, "end": 2},
    ]
    outcome = outcome_of(ITEM, state(citations=cited), judges="chunks")
    assert set(outcome.cited) == {frozenset({"b#1", "b", "b-record"}), frozenset({"a#1", "a"})}


def test_conversations_become_messages() -> None:
    item = Item(
        id="q", question="And now?", history=({"role": "user", "content": "A?"}, {"role": "assistant", "content": "B."})
    )
    assert [type(message) for message in as_input(item)["messages"]] == [HumanMessage, AIMessage, HumanMessage]
    assert as_input(ITEM) == {"question": "?"}


def test_a_questions_category_stands_where_the_run_names_none() -> None:
    item = Item(id="q", question="?", category="clothing")
    assert options_for(item, Context(top_k=3)).category == "clothing"
    assert options_for(item, Context(top_k=3)).top_k == 3
    assert options_for(item, Context(category="general")).category == "general"
