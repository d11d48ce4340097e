"""From outcomes to the figures of a set: the JSON of ``policydesk eval --json``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from evals.bootstrap import paired_statistic
from evals.metrics import (
    CITATION,
    RANKING,
    Scores,
    auroc,
    citation_scores,
    latencies,
    mean,
    mean_of_known,
    ranking_scores,
    refusal_scores,
)
from evals.running import FINAL, Outcome


def summarise(outcomes: Sequence[Outcome], *, stage: str = FINAL, answers: bool = False) -> dict[str, Any]:
    """``{"metrics", "by_kind", "latency_ms", "refused", …, "refusal"}``; with ``answers`` citation metrics too."""
    scores = stage_scores(outcomes, stage)
    known = answerability(outcomes)
    kinds = dict.fromkeys(outcome.item.kind for outcome in outcomes if outcome.item.kind)
    return {
        "metrics": _metrics(outcomes, scores, known, answers=answers),
        "by_kind": {
            kind: _metrics(part, scores, known, answers=answers)
            | {"questions": len(part), "refused": _share_refused(part)}
            | refused_answerable(part)
            for kind in kinds
            if (part := [outcome for outcome in outcomes if outcome.item.kind == kind])
        },
        "latency_ms": latencies([outcome.timings_ms for outcome in outcomes]),
        "questions": len(outcomes),
        "refused": _share_refused(outcomes),
        "judged": len(scores),
        "refusal": refusal_signals(outcomes, known) | refused_answerable(outcomes),
    }


def stage_scores(outcomes: Sequence[Outcome], stage: str) -> Scores:
    """Question id -> ranking metrics of that stage's order, for the judged questions."""
    return ranking_scores(
        {outcome.item.id: outcome.item.needed for outcome in outcomes},
        {outcome.item.id: outcome.stages[stage] for outcome in outcomes},
    )


def answerability(outcomes: Sequence[Outcome]) -> dict[str, bool]:
    """Question id -> answerable, where known. In a set that marks any question, one that needs a passage is answerable."""
    marked = any(outcome.item.answerable is not None for outcome in outcomes)
    known: dict[str, bool] = {}
    for outcome in outcomes:
        item = outcome.item
        if item.answerable is not None:
            known[item.id] = item.answerable
        elif marked and item.needed:
            known[item.id] = True
    return known


def refused_answerable(outcomes: Sequence[Outcome]) -> dict[str, float | None]:
    """``{"refused_answerable"}``: the share refused of the questions that have an answer, or ``None`` where none has.

    What needs a passage has an answer, unless the set says otherwise: retrieval may be right where the gate is wrong.
    """
    asked = [one for one in outcomes if one.item.answerable or (one.item.answerable is None and one.item.needed)]
    return {"refused_answerable": _share_refused(asked) if asked else None}


def refusal_signals(outcomes: Sequence[Outcome], known: dict[str, bool]) -> dict[str, Any]:
    """How well each signal tells answerable from unanswerable (AUROC), and whether ``evidence`` beats the others, in pairs."""
    rows = [outcome for outcome in outcomes if outcome.item.id in known]
    answerable = np.array([known[outcome.item.id] for outcome in rows], dtype=bool)
    signals = {
        name: np.array([getattr(outcome, name) for outcome in rows], dtype=np.float64)
        for name in ("evidence", "dense", "keyword")
    }
    out: dict[str, Any] = {
        "answerable": int(answerable.sum()),
        "unanswerable": int((~answerable).sum()),
        "auroc": {name: auroc(answerable, values) for name, values in signals.items()},
    }
    if out["answerable"] and out["unanswerable"]:
        for rival in ("dense", "keyword"):

            def gain(at: Any, rival: str = rival) -> float | None:
                ours = auroc(answerable[at], signals["evidence"][at])
                theirs = auroc(answerable[at], signals[rival][at])
                return None if ours is None or theirs is None else ours - theirs

            difference = paired_statistic(len(rows), gain)
            out[f"evidence_minus_{rival}"] = None if difference is None else asdict(difference)
    return out


def _metrics(
    outcomes: Sequence[Outcome], scores: Scores, known: dict[str, bool], *, answers: bool
) -> dict[str, float | None]:
    rows = [outcome for outcome in outcomes if outcome.item.id in known]
    metrics = mean((scores[outcome.item.id] for outcome in outcomes if outcome.item.id in scores), RANKING)
    metrics |= refusal_scores(
        [known[outcome.item.id] for outcome in rows],
        [outcome.refused for outcome in rows],
        [outcome.evidence for outcome in rows],
    )
    if answers:
        asked = [outcome for outcome in outcomes if known.get(outcome.item.id, True)]
        metrics |= mean_of_known(
            [
                citation_scores(list(o.item.needed), [set(names) for names in o.cited], o.item.facts, o.answer)
                | {"faithfulness": o.faithfulness}
                for o in asked
            ],
            CITATION,
        )
    return metrics


def _share_refused(outcomes: Sequence[Outcome]) -> float:
    return round(sum(outcome.refused for outcome in outcomes) / len(outcomes), 6)
