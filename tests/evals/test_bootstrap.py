from __future__ import annotations

import numpy as np
import pytest

from evals.bootstrap import paired_difference, paired_statistic


def test_a_steady_gain_is_clear() -> None:
    first = list(np.linspace(0, 0.8, 50))
    gap = paired_difference(first, [value + 0.1 for value in first])
    assert gap.value == pytest.approx(0.1)
    assert gap.low == pytest.approx(gap.high)
    assert gap.clear


def test_noise_around_zero_is_not_clear() -> None:
    gaps = np.random.default_rng(1).normal(0, 0.3, 200)
    gap = paired_difference([0.0] * 200, list(gaps - gaps.mean() + 0.001))
    assert gap.low < 0 < gap.high
    assert not gap.clear


def test_interval_matches_the_normal_one_of_a_mean() -> None:
    gaps = np.random.default_rng(2).normal(0.05, 0.2, 400)
    gap = paired_difference([0.0] * 400, list(gaps))
    half = 1.96 * gaps.std() / 20
    assert gap.low == pytest.approx(gaps.mean() - half, abs=0.004)
    assert gap.high == pytest.approx(gaps.mean() + half, abs=0.004)


def test_same_data_give_the_same_interval() -> None:
    data = [0.1, 0.4, 0.0, 1.0]
    assert paired_difference([0.0] * 4, data) == paired_difference([0.0] * 4, data)


def test_statistic_passes_over_draws_without_a_value() -> None:
    gap = paired_statistic(3, lambda at: None if len(set(at.tolist())) == 1 else 0.5)
    assert gap is not None
    assert (gap.value, gap.low, gap.high) == (0.5, 0.5, 0.5)
    assert paired_statistic(3, lambda at: None) is None


def test_no_questions_no_difference() -> None:
    assert not paired_difference([], []).clear
