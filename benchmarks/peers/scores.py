"""Figures of one system on one corpus, and what they are beside ours."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.peers.corpora import Question
from evals.metrics import mean, ranking_scores

QUALITY = ("recall@1", "recall@5", "all@5", "ndcg@10")


def quality(questions: Sequence[Question], answers: Sequence[Mapping[str, Any]]) -> dict[str, float | None]:
    """Means over the questions; ``answers`` in their order, each with its ranking under ``ids``."""
    judged = {one.id: dict(one.needed) for one in questions}
    rankings = {one.id: list(answer["ids"]) for one, answer in zip(questions, answers, strict=True)}
    return mean(ranking_scores(judged, rankings).values(), QUALITY)


def costs(
    answers: Sequence[Mapping[str, Any]], bare: Sequence[Mapping[str, Any]] | None = None
) -> dict[str, float | None]:
    """Milliseconds: median and p95 of retrieving, median of the system's own embedding, and the median of what is left over it.

    ``bare``: the same questions embedded by sentence-transformers in a process that holds nothing else; what is left over that
    is ``over_bare_ms``.
    """
    took = [float(answer["retrieve_ms"]) for answer in answers]
    own = [float(answer["embed_ms"]) for answer in answers]
    return {
        "median_ms": statistics.median(took),
        "p95_ms": percentile(took, 0.95),
        "embed_ms": statistics.median(own),
        "left_ms": _left(took, own),
        "over_bare_ms": _left(took, [float(answer["embed_ms"]) for answer in bare]) if bare else None,
    }


def _left(took: Sequence[float], embedding: Sequence[float]) -> float:
    return statistics.median(one - other for one, other in zip(took, embedding, strict=True))


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least that share of them do not exceed (nearest rank)."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def ratio(value: float | None, ours: float | None) -> float | None:
    """How many times ours it is; ``None`` where there is nothing to divide by."""
    return value / ours if value is not None and ours is not None and ours > 0 else None
