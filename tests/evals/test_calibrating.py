from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.calibrating import calibrate, choose, thinned
from evals.golden import Item
from evals.metrics import refusal_curve
from evals.running import STAGES, Outcome
from knowledge.errors import BadInput


def outcome(number: int, answerable: bool | None, evidence: float) -> Outcome:
    item = Item(id=str(number), question="?", answerable=answerable)
    return Outcome(item=item, stages=dict.fromkeys(STAGES, ()), evidence=evidence)


def test_a_gap_between_the_classes_is_cut_in_its_middle() -> None:
    rows = [outcome(n, True, 0.8) for n in range(5)] + [outcome(n, False, 0.2) for n in range(5, 9)]
    found = calibrate(rows)
    assert found.threshold == pytest.approx(0.5)
    assert (found.answerable_refused, found.unanswerable_refused) == (0, 1)
    assert (found.answerable, found.unanswerable, found.auroc) == (5, 4, 1)
    assert "3 %" in found.rule
    assert found.as_entry(golden="kartly")["golden"] == "kartly"


def test_no_more_answerable_refused_than_allowed() -> None:
    rows = [outcome(n, True, 0.1 + n / 100) for n in range(50)] + [outcome(n, False, 0.3) for n in range(50, 60)]
    assert calibrate(rows, max_refused_percent=10).answerable_refused <= 0.1
    assert calibrate(rows, max_refused_percent=10).unanswerable_refused == 0
    generous = calibrate(rows, max_refused_percent=60)
    assert generous.unanswerable_refused == 1
    assert generous.threshold == pytest.approx(0.305, abs=1e-4)


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=2), st.floats(0, 30))
def test_the_rule_holds_on_any_set(rows: list[tuple[bool, float]], percent: float) -> None:
    curve = refusal_curve([ok for ok, _ in rows], [evidence for _, evidence in rows])
    best = choose(curve, max_refused_percent=percent)
    assert best["answerable_refused"] * 100 <= percent + 1e-6
    for row in curve:
        if row["answerable_refused"] * 100 <= percent:
            assert row["unanswerable_refused"] <= best["unanswerable_refused"]


def test_one_class_alone_is_told() -> None:
    with pytest.raises(BadInput, match="no unanswerable"):
        calibrate([outcome(1, True, 0.5), outcome(2, None, 0.1)])


def test_thinned_keeps_the_ends() -> None:
    curve = [{"threshold": float(n)} for n in range(100)]
    rows = thinned(curve, 10)
    assert len(rows) == 10
    assert (rows[0], rows[-1]) == (curve[0], curve[-1])
    assert thinned(curve[:4]) == curve[:4]
