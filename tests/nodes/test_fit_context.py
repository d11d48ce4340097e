"""Fitting: parents for children, no near copies, a budget that holds."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.documents import Document

from knowledge import model_tokens
from nodes.fit_context import cut_to_budget, drop_near_duplicates, fit, gate, surely_fit

RULE = (
    "Electronics can be returned within {days} days of delivery in the original packaging with the invoice of the shop."
)


def document(chunk_id: str, text: str, **metadata: Any) -> Document:
    return Document(
        id=chunk_id, page_content=f"Title\n\n{text}", metadata={"body_start": 7, "title": "Title", **metadata}
    )


def words(text: str) -> int:
    return len(text.split())


def test_a_near_copy_is_dropped_and_one_that_decides_otherwise_is_kept() -> None:
    same = [document("a", RULE.format(days=7)), document("b", RULE.format(days=7) + " Thanks.")]
    assert [str(d.id) for d in drop_near_duplicates(same, limit=5)] == ["a"]
    other = [document("a", RULE.format(days=7)), document("b", RULE.format(days=70))]
    assert len(drop_near_duplicates(other, limit=5)) == 2
    negated = [document("a", RULE.format(days=7)), document("b", RULE.format(days=7).replace("can be", "can not be"))]
    assert len(drop_near_duplicates(negated, limit=5)) == 2


def test_the_budget_ends_the_list_and_a_first_passage_over_it_is_cut_at_a_sentence() -> None:
    long = "One two three four five. Six seven eight nine ten. Eleven twelve."
    passages = fit([document("a", long), document("b", "Short one.")], budget=9, count_tokens=words)
    assert [(p["id"], p["truncated"], p["text"]) for p in passages] == [("a", True, "One two three four five.")]
    both = fit([document("a", "Short one."), document("b", long), document("c", "More.")], budget=6, count_tokens=words)
    assert [p["id"] for p in both] == ["a"]


@given(st.lists(st.text(alphabet="abc. \n", max_size=200), max_size=6), st.integers(1, 60))
def test_passages_never_overflow_the_budget_and_are_labelled_in_order(texts: list[str], budget: int) -> None:
    documents = [document(str(place), text) for place, text in enumerate(texts)]
    passages = fit(documents, budget=budget, count_tokens=words)
    assert sum(words(passage["text"]) for passage in passages) <= budget
    assert [passage["label"] for passage in passages] == [f"S{place}" for place in range(1, len(passages) + 1)]
    for passage in passages:
        assert texts[int(passage["id"])].startswith(passage["text"])


@given(st.text(max_size=300), st.integers(1, 40))
def test_a_cut_is_a_beginning_of_the_text_within_the_budget(text: str, budget: int) -> None:
    cut = cut_to_budget(text, budget=budget, count_tokens=words)
    assert text.startswith(cut) and words(cut) <= budget


def gated(**state: Any) -> dict[str, Any]:
    base = {"missing_identifiers": [], "identifiers": [], "evidence": 0.9, "threshold": 0.5, "model_calls": {}}
    may_expand = state.pop("may_expand", False)
    passages = state.pop("passages", [{"id": "a"}])
    return gate({**base, **state}, passages, may_expand=may_expand)  # type: ignore[typeddict-item,arg-type]


def test_the_gate_goes_by_evidence_and_never_by_ranks() -> None:
    assert not gated()["refused"]
    assert gated(evidence=0.4)["refusal_reason"] == "weak_retrieval"
    assert gated(passages=[])["refusal_reason"] == "nothing_found"
    assert gated(missing_identifiers=["P0999"])["refusal_reason"] == "nothing_found"
    assert not gated(missing_identifiers=["P0999"], identifiers=["p-0420"])["refused"]


def test_auto_expansion_gets_one_more_round_and_no_more() -> None:
    assert gated(evidence=0.4, may_expand=True)["expand_again"]
    assert gated(evidence=0.4, may_expand=True, model_calls={"expand": 2})["refused"]


@given(st.lists(st.text(max_size=60), max_size=5), st.integers(0, 120))
def test_texts_surely_fit_where_their_tokens_do(texts: list[str], budget: int) -> None:
    total = sum(map(model_tokens.count, texts))
    assert surely_fit(texts, budget, model_tokens.count) == (total <= budget)
    assert surely_fit(texts, total, model_tokens.count)


def test_texts_far_from_the_budget_are_not_counted() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text.split())

    long, short = "word " * 40, "Short one."
    assert surely_fit([short, long, short], 400, count)
    assert counted == []
    assert surely_fit([short, long, short], 60, count)
    assert counted == [long]
