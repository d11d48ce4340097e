from __future__ import annotations

import pytest

from evals.comparing import compared
from evals.golden import Item
from evals.running import STAGES, Outcome
from evals.summary import answerability, summarise


def outcome(
    number: int,
    ranked: tuple[str, ...] = (),
    *,
    needed: str | None = None,
    answerable: bool | None = None,
    kind: str | None = None,
    refused: bool = False,
    evidence: float = 0.5,
    **more: object,
) -> Outcome:
    item = Item(
        id=str(number),
        question="?",
        needed={needed: 1} if needed else {},
        answerable=answerable,
        kind=kind,
        facts=("7 days",),
    )
    return Outcome(
        item=item,
        stages={**dict.fromkeys(STAGES, ranked), "retrieve": ranked[::-1]},
        evidence=evidence,
        refused=refused,
        timings_ms={"retrieve": 10.0 * number},
        **more,  # type: ignore[arg-type]
    )


RUN = [
    outcome(1, ("a", "b"), needed="a", kind="name", evidence=0.9),
    outcome(2, ("b", "a"), needed="a", kind="code", evidence=0.8),
    outcome(3, ("b",), kind="absent", answerable=False, refused=True, evidence=0.1),
]


def test_shape_is_the_one_promised() -> None:
    summary = summarise(RUN)
    assert set(summary["metrics"]) == {
        *("recall@1", "recall@3", "recall@5", "recall@10", "all@5", "all@10", "mrr", "ndcg@10"),
        *("refusal_precision", "refusal_recall", "refusal_auroc"),
    }
    assert summary["questions"] == 3
    assert summary["judged"] == 2
    assert set(summary["by_kind"]) == {"name", "code", "absent"}
    assert summary["latency_ms"]["total"]["p50"] == 20


def test_each_metric_counts_its_own_questions() -> None:
    metrics = summarise(RUN)["metrics"]
    assert metrics["recall@1"] == 0.5
    assert metrics["mrr"] == 0.75
    assert metrics["refusal_precision"] == metrics["refusal_recall"] == metrics["refusal_auroc"] == 1
    by_kind = summarise(RUN)["by_kind"]
    assert by_kind["name"]["recall@1"] == 1
    assert by_kind["absent"]["recall@1"] is None
    assert (by_kind["absent"]["refused"], by_kind["code"]["refused"]) == (1, 0)


def test_the_share_refused_of_what_has_an_answer_is_told_by_kind() -> None:
    refused = outcome(4, ("a",), needed="a", kind="code", refused=True, evidence=0.3)
    summary = summarise([*RUN, refused])
    shares = {kind: row["refused_answerable"] for kind, row in summary["by_kind"].items()}
    assert shares == {"name": 0, "code": 0.5, "absent": None}
    assert summary["refusal"]["refused_answerable"] == pytest.approx(1 / 3, abs=1e-5)
    assert summary["refused"] == 0.5


def test_stage_chooses_the_order() -> None:
    assert summarise(RUN, stage="retrieve")["metrics"]["recall@1"] == 0.5
    assert summarise(RUN[:1], stage="retrieve")["metrics"]["recall@1"] == 0
    assert summarise(RUN[:1], stage="rerank")["metrics"]["recall@1"] == 1


def test_a_needed_question_is_answerable_where_the_set_marks_any() -> None:
    assert answerability(RUN) == {"1": True, "2": True, "3": False}
    assert answerability(RUN[:2]) == {}
    assert summarise(RUN[:2])["metrics"]["refusal_auroc"] is None


def test_signals_are_compared_in_pairs() -> None:
    rows = [
        outcome(n, answerable=n < 40, evidence=float(n < 40), dense=((n * 37) % 80) / 80, keyword=0.5)
        for n in range(80)
    ]
    refusal = summarise(rows)["refusal"]
    assert refusal["auroc"]["evidence"] == 1
    assert refusal["auroc"]["keyword"] == 0.5
    assert refusal["evidence_minus_dense"]["low"] > 0
    assert (refusal["answerable"], refusal["unanswerable"]) == (40, 40)


def test_citations_are_measured_where_answers_were_written() -> None:
    rows = [
        outcome(
            1, ("a",), needed="a", answer="Within 7 days.", cited=(frozenset({"a#1", "a"}), frozenset({"b#1", "b"}))
        ),
        outcome(2, ("a",), needed="a", refused=True),
        outcome(3, answerable=False, answer="Invented.", cited=(frozenset({"b#1"}),)),
    ]
    metrics = summarise(rows, answers=True)["metrics"]
    assert metrics["citation_precision"] == 0.5
    assert metrics["citation_recall"] == 0.5
    assert metrics["fact_recall"] == 0.5
    assert "citation_precision" not in summarise(rows)["metrics"]


def test_two_versions_in_pairs() -> None:
    better = [outcome(n, ("a", "b"), needed="a") for n in range(1, 20)]
    worse = [outcome(n, ("b", "a"), needed="a") for n in range(1, 20)]
    rows = {row.metric: row for row in compared(worse, better)}
    assert (rows["recall@1"].first, rows["recall@1"].second) == (0, 1)
    assert rows["mrr"].difference.value == pytest.approx(0.5)
    assert rows["mrr"].difference.clear
    assert not rows["recall@5"].difference.clear
    assert compared([outcome(1)], [outcome(1)]) == []
