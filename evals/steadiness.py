"""How sure a calibrated threshold is: what the rule would have chosen, had other questions of the kind been asked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evals.bootstrap import SEED
from evals.calibrating import MAX_REFUSED_PERCENT, choose
from evals.metrics import refusal_curve
from evals.running import Outcome
from evals.summary import answerability

#: From this many questions of each kind on, one question more or less moves the threshold little.
ENOUGH_ANSWERABLE, ENOUGH_UNANSWERABLE = 20, 10
_DRAWS = 400


def threshold_interval(
    outcomes: Sequence[Outcome], *, max_refused_percent: float = MAX_REFUSED_PERCENT
) -> tuple[float, float]:
    """The 95 % percentile bootstrap interval of the threshold, both kinds of question drawn anew (Efron 1979).

    ``outcomes`` must hold questions of both kinds, as ``calibrate`` demands.
    """
    known = answerability(outcomes)
    kinds = [
        np.array([outcome.evidence for outcome in outcomes if known.get(outcome.item.id) is wanted])
        for wanted in (True, False)
    ]
    answerable = [True] * kinds[0].size + [False] * kinds[1].size
    rng = np.random.default_rng(SEED)
    drawn = []
    for _ in range(_DRAWS):
        evidence = np.concatenate([rng.choice(values, size=values.size) for values in kinds])
        drawn.append(
            choose(refusal_curve(answerable, evidence.tolist()), max_refused_percent=max_refused_percent)["threshold"]
        )
    low, high = np.percentile(drawn, [2.5, 97.5])
    return round(float(low), 6), round(float(high), 6)


def small_set_warning(answerable: int, unanswerable: int, interval: tuple[float, float]) -> str | None:
    """A sentence where there are too few questions of either kind to trust the threshold; ``None`` where there are enough."""
    if answerable >= ENOUGH_ANSWERABLE and unanswerable >= ENOUGH_UNANSWERABLE:
        return None
    return (
        f"{answerable} answerable and {unanswerable} unanswerable questions are few: with others of the kind the threshold could "
        f"have been anything from {interval[0]:.3f} to {interval[1]:.3f} (95 %). Use {ENOUGH_ANSWERABLE} and "
        f"{ENOUGH_UNANSWERABLE} or more."
    )
