"""Metrics of a run: ranking by ``ir_measures`` (which asks trec_eval), refusal and latency by ranks and percentiles.

Pure functions over plain values. Ranking metrics count only questions with a positive judgement, refusal metrics only those
known to be answerable or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Ranking metrics in the order they are shown. ``all@k``: 1 where every needed passage stands in the first k, else 0.
RANKING = ("recall@1", "recall@3", "recall@5", "recall@10", "all@5", "all@10", "mrr", "ndcg@10")
REFUSAL = ("refusal_precision", "refusal_recall", "refusal_auroc")
CITATION = ("citation_precision", "citation_recall", "fact_recall", "faithfulness")

Judged = Mapping[str, Mapping[str, int]]
Scores = dict[str, dict[str, float]]
Flags = NDArray[np.bool_]
Values = NDArray[np.float64]


def ranking_scores(judged: Judged, rankings: Mapping[str, Sequence[str]]) -> Scores:
    """Question id -> metric -> value, for every judged question; one that is not ranked scores 0.

    ``rankings`` holds ids best first, each once. recall@k = needed in the first k / needed; mrr = 1 / rank of the first needed;
    nDCG@10 as trec_eval's ndcg_cut_10 (linear gain).
    """
    import ir_measures
    from ir_measures import RR, R, nDCG

    named = {
        R @ 1: "recall@1",
        R @ 3: "recall@3",
        R @ 5: "recall@5",
        R @ 10: "recall@10",
        RR: "mrr",
        nDCG @ 10: "ndcg@10",
    }
    qrels = {question: dict(needed) for question, needed in judged.items() if needed}
    if not qrels:
        return {}
    # Scores fall by rank, so that trec_eval, which sorts by score, sees the order that was given.
    run = {question: {name: -float(rank) for rank, name in enumerate(rankings.get(question, ()))} for question in qrels}
    scores: Scores = {question: {} for question in qrels}
    for value in ir_measures.iter_calc(list(named), qrels, run):
        scores[value.query_id][named[value.measure]] = float(value.value)
    for row in scores.values():
        for depth in (5, 10):
            row[f"all@{depth}"] = float(row[f"recall@{depth}"] >= 1.0)
    return {question: {name: row[name] for name in RANKING} for question, row in scores.items()}


def mean(scores: Iterable[Mapping[str, float]], names: Sequence[str] = RANKING) -> dict[str, float | None]:
    """The mean of each metric over the questions; ``None`` where there is none."""
    rows = list(scores)
    return {name: _rounded(np.mean([row[name] for row in rows])) if rows else None for name in names}


def refusal_scores(
    answerable: Sequence[bool], refused: Sequence[bool], evidence: Sequence[float]
) -> dict[str, float | None]:
    """Precision and recall of refusing the unanswerable, and the AUROC with which ``evidence`` tells answerable from not.

    ``None`` where it is not defined: recall without an unanswerable question, precision where nothing was refused and nothing
    had to be, AUROC with one class alone. Refusing nothing where something had to be refused has precision 0.
    """
    wrong = [not value for value in answerable]
    hits = sum(one and other for one, other in zip(wrong, refused, strict=True))
    precision = hits / sum(refused) if any(refused) else (0.0 if any(wrong) else None)
    return {
        "refusal_precision": None if precision is None else _rounded(precision),
        "refusal_recall": _rounded(hits / sum(wrong)) if any(wrong) else None,
        "refusal_auroc": auroc(answerable, evidence),
    }


def auroc(positive: Sequence[bool] | Flags, scores: Sequence[float] | Values) -> float | None:
    """How often a positive scores above a negative, ties counting half; ``None`` with one class alone.

    By ranks: U / (positives * negatives) of Mann and Whitney (Hanley and McNeil 1982), fast enough to be drawn a thousand times.
    """
    from scipy.stats import rankdata  # type: ignore[import-untyped]

    flags = np.asarray(positive, dtype=bool)
    positives = int(flags.sum())
    negatives = flags.size - positives
    if not positives or not negatives:
        return None
    above = float(rankdata(np.asarray(scores, dtype=np.float64))[flags].sum()) - positives * (positives + 1) / 2
    return _rounded(above / (positives * negatives))


def citation_scores(
    needed: Sequence[str], cited: Sequence[set[str]], facts: Sequence[str], answer: str
) -> dict[str, float | None]:
    """One answer against what it needed. Each citation is the set of ids it may be judged by (chunk, record, document).

    Precision: citations that are needed ones, of all distinct citations. Recall: needed ones that are cited. Fact recall:
    facts that the answer holds, white space and case apart. ``None`` where there is nothing to count.
    """
    wanted = set(needed)
    right = sum(bool(names & wanted) for names in cited)
    reached = wanted & set().union(*cited)
    said = _plain(answer)
    return {
        "citation_precision": right / len(cited) if cited and wanted else None,
        "citation_recall": len(reached) / len(wanted) if wanted else None,
        "fact_recall": sum(_plain(fact) in said for fact in facts) / len(facts) if facts else None,
    }


def mean_of_known(rows: Sequence[Mapping[str, float | None]], names: Sequence[str]) -> dict[str, float | None]:
    """The mean of each metric over the rows where it is defined."""
    out: dict[str, float | None] = {}
    for name in names:
        known = [value for row in rows if (value := row.get(name)) is not None]
        out[name] = _rounded(np.mean(known)) if known else None
    return out


def latencies(timings: Sequence[Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Stage -> median and 95th percentile in milliseconds, stages in their order, and the whole under ``total``."""
    stages = dict.fromkeys(stage for row in timings for stage in row)
    columns: dict[str, NDArray[np.float64]] = {
        stage: np.array([row[stage] for row in timings if stage in row]) for stage in stages
    }
    if timings:
        columns["total"] = np.array([sum(row.values()) for row in timings])
    return {
        stage: {"p50": round(float(np.percentile(values, 50)), 3), "p95": round(float(np.percentile(values, 95)), 3)}
        for stage, values in columns.items()
    }


def refusal_curve(answerable: Sequence[bool], evidence: Sequence[float]) -> list[dict[str, float]]:
    """What each threshold would do: refuse where evidence < threshold. One row a distinct outcome, thresholds rising.

    ``answerable_refused`` and ``unanswerable_refused`` are shares, 0 to 1. A threshold stands in the middle of the gap
    between two neighbouring evidences, where it is safest against small shifts of either.
    """
    values = sorted({round(value, 4) for value in evidence})  # nearer ones differ by noise alone
    cuts = [0.0, *((low + high) / 2 for low, high in pairwise(values))]
    good = np.array([e for ok, e in zip(answerable, evidence, strict=True) if ok])
    bad = np.array([e for ok, e in zip(answerable, evidence, strict=True) if not ok])
    return [
        {
            "threshold": float(cut),
            "answerable_refused": float((good < cut).mean()) if good.size else 0.0,
            "unanswerable_refused": float((bad < cut).mean()) if bad.size else 0.0,
        }
        for cut in cuts
    ]


def as_row(values: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Values as a table shows them: three decimals, a dash for what is not defined."""
    return ["–" if values.get(name) is None else f"{values[name]:.3f}" for name in names]


def _rounded(value: Any) -> float:
    return round(float(value), 6)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
