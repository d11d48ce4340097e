"""Choosing the refusal threshold from labelled questions, by a rule that is stated and kept with the result.

The rule: among the thresholds that refuse at most N % of the answerable questions, take the one that refuses most of the
unanswerable; among equals the one that refuses fewest answerable, then the lowest. It stands in the middle of the gap between
two neighbouring evidences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evals.metrics import auroc, refusal_curve
from evals.running import Outcome
from evals.summary import answerability
from knowledge.errors import BadInput

MAX_REFUSED_PERCENT = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A threshold and what it does on the questions it was chosen with. Shares are 0 to 1."""

    threshold: float
    rule: str
    answerable: int
    unanswerable: int
    answerable_refused: float
    unanswerable_refused: float
    auroc: float | None
    curve: tuple[dict[str, float], ...]

    def as_entry(self, *, golden: str) -> dict[str, Any]:
        """What ``calibration.json`` keeps."""
        return {
            "threshold": self.threshold,
            "rule": self.rule,
            "golden": golden,
            "answerable": self.answerable,
            "unanswerable": self.unanswerable,
            "answerable_refused": round(self.answerable_refused, 6),
            "unanswerable_refused": round(self.unanswerable_refused, 6),
            "auroc": self.auroc,
        }


def calibrate(outcomes: Sequence[Outcome], *, max_refused_percent: float = MAX_REFUSED_PERCENT) -> Calibration:
    """The threshold by the rule. Raises ``BadInput`` where the set lacks answerable or unanswerable questions."""
    known = answerability(outcomes)
    rows = [outcome for outcome in outcomes if outcome.item.id in known]
    answerable = [known[outcome.item.id] for outcome in rows]
    if len(set(answerable)) < 2:
        lacking = "unanswerable" if any(answerable) else "answerable"
        raise BadInput(f'The golden set has no {lacking} questions: mark some with "answerable" to calibrate on it.')
    evidence = [outcome.evidence for outcome in rows]
    curve = refusal_curve(answerable, evidence)
    best = choose(curve, max_refused_percent=max_refused_percent)
    return Calibration(
        threshold=round(best["threshold"], 6),
        rule=f"at most {max_refused_percent:g} % of answerable questions refused, then most unanswerable ones",
        answerable=sum(answerable),
        unanswerable=len(answerable) - sum(answerable),
        answerable_refused=best["answerable_refused"],
        unanswerable_refused=best["unanswerable_refused"],
        auroc=auroc(answerable, evidence),
        curve=tuple(curve),
    )


def choose(curve: Sequence[dict[str, float]], *, max_refused_percent: float) -> dict[str, float]:
    """The row of the curve that the rule picks; the first row (refuse nothing) always satisfies it."""
    allowed = [row for row in curve if row["answerable_refused"] * 100 <= max_refused_percent + 1e-9]
    return min(allowed, key=lambda row: (-row["unanswerable_refused"], row["answerable_refused"], row["threshold"]))


def thinned(curve: Sequence[dict[str, float]], rows: int = 15) -> list[dict[str, float]]:
    """At most ``rows`` rows spread evenly over the curve, its ends kept, for printing."""
    if len(curve) <= rows:
        return list(curve)
    last = len(curve) - 1
    return [curve[at] for at in sorted({round(step * last / (rows - 1)) for step in range(rows)})]
