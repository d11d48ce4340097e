from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.metrics import (
    auroc,
    citation_scores,
    latencies,
    mean,
    ranking_scores,
    refusal_curve,
    refusal_scores,
)

IDS = [f"c{number}" for number in range(15)]


def test_ranking_by_hand() -> None:
    row = ranking_scores({"q": {"a": 1, "b": 1}}, {"q": ["x", "a", "y", "z", "w", "b"]})["q"]
    assert row["recall@1"] == 0
    assert row["recall@3"] == row["recall@5"] == 0.5
    assert row["recall@10"] == 1
    assert (row["all@5"], row["all@10"]) == (0, 1)
    assert row["mrr"] == 0.5
    found = 1 / math.log2(3) + 1 / math.log2(7)
    assert row["ndcg@10"] == pytest.approx(found / (1 + 1 / math.log2(3)))


def test_unjudged_questions_are_left_out_and_unranked_ones_score_zero() -> None:
    scores = ranking_scores({"q": {"a": 1}, "r": {}, "s": {"b": 1}}, {"s": ["b"]})
    assert set(scores) == {"q", "s"}
    assert scores["q"]["recall@10"] == scores["q"]["mrr"] == 0
    assert mean(scores.values())["recall@1"] == 0.5


def test_nothing_judged_has_no_means() -> None:
    assert ranking_scores({"q": {}}, {"q": ["a"]}) == {}
    assert mean([])["mrr"] is None


@given(st.permutations(IDS), st.sets(st.sampled_from(IDS), min_size=1, max_size=6))
def test_ranking_agrees_with_plain_arithmetic(order: list[str], needed: set[str]) -> None:
    row = ranking_scores({"q": dict.fromkeys(needed, 1)}, {"q": order})["q"]
    for depth in (1, 3, 5, 10):
        assert row[f"recall@{depth}"] == pytest.approx(len(needed & set(order[:depth])) / len(needed), abs=1e-4)
    assert row["all@10"] == float(needed <= set(order[:10]))
    assert row["mrr"] == pytest.approx(1 / (min(map(order.index, needed)) + 1), abs=1e-4)


def test_refusal_by_hand() -> None:
    scores = refusal_scores([True, True, False, False], [True, False, True, False], [0.6, 0.9, 0.1, 0.7])
    assert scores == {"refusal_precision": 0.5, "refusal_recall": 0.5, "refusal_auroc": 0.75}


def test_refusal_where_it_is_not_defined() -> None:
    assert refusal_scores([True, True], [False, False], [0.5, 0.6]) == dict.fromkeys(
        ("refusal_precision", "refusal_recall", "refusal_auroc")
    )
    assert refusal_scores([True, False], [False, False], [0.5, 0.6])["refusal_precision"] == 0
    assert auroc([], []) is None


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.2, 0.5, 0.7, 1.0])), min_size=2, max_size=30))
def test_auroc_agrees_with_counting_pairs(rows: list[tuple[bool, float]]) -> None:
    good = [score for positive, score in rows if positive]
    bad = [score for positive, score in rows if not positive]
    found = auroc([positive for positive, _ in rows], [score for _, score in rows])
    if not good or not bad:
        assert found is None
    else:
        wins = sum((one > other) + (one == other) / 2 for one in good for other in bad)
        assert found == pytest.approx(wins / (len(good) * len(bad)), abs=1e-6)


def test_refusal_curve_refuses_below() -> None:
    curve = refusal_curve([True, False, True], [0.8, 0.2, 0.4])
    assert [row["threshold"] for row in curve] == pytest.approx([0, 0.3, 0.6])
    assert [row["unanswerable_refused"] for row in curve] == [0, 1, 1]
    assert [row["answerable_refused"] for row in curve] == [0, 0, 0.5]


def test_citations_by_chunk_or_document() -> None:
    scores = citation_scores(
        ["a#1", "b"], [{"a#1", "a"}, {"b#3", "b"}, {"c#1", "c"}], ["7 days", "48  hours"], "Within 7\ndays."
    )
    assert scores["citation_precision"] == pytest.approx(2 / 3)
    assert scores["citation_recall"] == 1
    assert scores["fact_recall"] == 0.5
    assert citation_scores([], [], [], "") == dict.fromkeys(("citation_precision", "citation_recall", "fact_recall"))


def test_latencies_by_stage_and_in_all() -> None:
    out = latencies([{"retrieve": 10.0, "fuse": 1.0}, {"retrieve": 20.0, "fuse": 1.0}])
    assert out["retrieve"]["p50"] == 15
    assert out["total"]["p50"] == 16
    assert out["total"]["p95"] == pytest.approx(20.5)
    assert latencies([]) == {}
