from __future__ import annotations

from evals.golden import Item
from evals.running import STAGES, Outcome
from evals.steadiness import small_set_warning, threshold_interval


def outcomes(answerable: list[float], unanswerable: list[float]) -> list[Outcome]:
    return [
        Outcome(
            item=Item(id=f"{kind}{n}", question="?", answerable=kind), stages=dict.fromkeys(STAGES, ()), evidence=value
        )
        for kind, values in ((True, answerable), (False, unanswerable))
        for n, value in enumerate(values)
    ]


def test_few_questions_leave_the_threshold_open() -> None:
    few = threshold_interval(outcomes([0.5, 0.7, 0.9], [0.1, 0.4]))
    many = threshold_interval(outcomes([0.5, 0.7, 0.9] * 20, [0.1, 0.4] * 20))
    assert few[0] <= 0.45 <= few[1]
    assert few[1] - few[0] > many[1] - many[0]
    assert threshold_interval(outcomes([0.5, 0.7, 0.9], [0.1, 0.4])) == few


def test_the_warning_names_counts_and_interval() -> None:
    said = small_set_warning(5, 2, (0.3, 0.55))
    assert said is not None
    assert "5 answerable and 2 unanswerable" in said
    assert "0.300 to 0.550" in said
    assert small_set_warning(30, 3, (0.3, 0.5)) is not None
    assert small_set_warning(20, 10, (0.3, 0.5)) is None
