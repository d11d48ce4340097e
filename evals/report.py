"""The HTML report of a run: one file, pictures inside it, nothing loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evals import pictures
from evals.ablating import DECIDING, Row, sentences
from evals.metrics import CITATION, REFUSAL, as_row, mean, refusal_curve
from evals.running import STAGES, Outcome
from evals.summary import answerability, stage_scores

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WORST = 20
_STYLE = Path(__file__).with_name("report.css")
_LABELS = {"recall@5": "recall@5", "all@5": "every needed passage in 5", "mrr": "MRR", "ndcg@10": "nDCG@10"}


@dataclass(frozen=True, kw_only=True)
class Report:
    """What a page is made of. ``summary`` is what ``summarise`` returns; ``rows`` the ablation, where one was run."""

    name: str
    about: str
    summary: Mapping[str, Any]
    outcomes: Sequence[Outcome]
    stage: str
    rows: Sequence[Row] = field(default_factory=tuple)


def write_report(report: Report, folder: Path) -> Path:
    """Write ``folder/index.html`` and return its path; the folder is made where it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "index.html"
    path.write_text(page(report), encoding="utf-8")
    return path


def page(report: Report) -> str:
    """The page's HTML."""
    summary = report.summary
    parts = [
        f"<h1>{escape(report.name)}</h1><p class=sub>{escape(report.about)}</p>",
        _tiles(summary),
        *_figures(report),
        _ablation(report.rows),
        _kinds(summary["by_kind"]),
        _worst(report),
        _misjudged(report),
    ]
    style = _STYLE.read_text(encoding="utf-8")
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{escape(report.name)} · Policy Desk evaluation</title>"
        f"<meta name=viewport content='width=device-width, initial-scale=1'><style>{style}</style></head>"
        f"<body>{''.join(parts)}</body></html>\n"
    )


def stage_means(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    """Stage -> metric -> mean over the judged questions; empty where none is judged."""
    out: dict[str, dict[str, float]] = {}
    for stage in STAGES:
        scores = stage_scores(outcomes, stage)
        if scores:
            out[stage] = {name: value for name, value in mean(scores.values()).items() if value is not None}
    return out


def lost_at(outcome: Outcome) -> str:
    """The first stage whose first ten lack a needed passage that the stage before had, or ``never found``."""
    needed = set(outcome.item.needed)
    if not needed <= set(outcome.stages["retrieve"]):
        return "never found"
    for stage, depth in (("fuse", 20), ("rerank", 5), ("fit", len(outcome.stages["fit"]))):
        if not needed <= set(outcome.stages[stage][:depth]):
            return {"fuse": "fused too low", "rerank": "ranked too low", "fit": "not fitted"}[stage]
    return "kept"


def _tiles(summary: Mapping[str, Any]) -> str:
    metrics = summary["metrics"]
    shown = [(name, label) for name, label in _LABELS.items() if metrics.get(name) is not None]
    shown += [(name, name.replace("_", " ")) for name in (*REFUSAL, *CITATION) if metrics.get(name) is not None]
    tiles = [f"<div class=tile><b>{metrics[name]:.3f}</b><span>{escape(label)}</span></div>" for name, label in shown]
    total = summary["latency_ms"].get("total")
    if total:
        tiles.append(f"<div class=tile><b>{total['p50']:.0f} ms</b><span>median a question</span></div>")
    return f"<div class=tiles>{''.join(tiles)}</div>"


def _figures(report: Report) -> list[str]:
    drawn = []
    by_stage = stage_means(report.outcomes)
    if by_stage:
        drawn.append(pictures.recall_by_stage(by_stage))
    kinds = _kind_table(report.outcomes)
    if len(kinds) > 1:
        drawn.append(pictures.kinds_by_stage(kinds, metric="recall@5"))
    known = answerability(report.outcomes)
    if len(set(known.values())) == 2:
        drawn.append(_refusal_figure(report, known))
    if report.summary["latency_ms"]:
        drawn.append(pictures.latency_by_stage(report.summary["latency_ms"]))
    if report.rows:
        drawn.append(pictures.ablation([row.as_json() for row in report.rows], DECIDING))
    return [f"<figure>{pictures.as_svg(figure)}</figure>" for figure in drawn]


def _refusal_figure(report: Report, known: Mapping[str, bool]) -> Figure:
    rows = [outcome for outcome in report.outcomes if outcome.item.id in known]
    answerable = [known[outcome.item.id] for outcome in rows]
    return pictures.refusal_curve(
        refusal_curve(answerable, [outcome.evidence for outcome in rows]),
        threshold=rows[0].threshold or None,
        auroc=report.summary["metrics"]["refusal_auroc"],
        counts=(sum(answerable), len(answerable) - sum(answerable)),
    )


def _kind_table(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    table: dict[str, dict[str, float]] = {}
    scores = {stage: stage_scores(outcomes, stage) for stage in STAGES}
    for kind in dict.fromkeys(outcome.item.kind for outcome in outcomes if outcome.item.kind and outcome.item.needed):
        mine = [outcome.item.id for outcome in outcomes if outcome.item.kind == kind and outcome.item.needed]
        table[str(kind)] = {
            stage: sum(rows[at]["recall@5"] for at in mine) / len(mine) for stage, rows in scores.items()
        }
    return table


def _ablation(rows: Sequence[Row]) -> str:
    if not rows:
        return ""
    head = "".join(f"<th class=n>{escape(name)}</th>" for name in DECIDING)
    body = "".join(
        f"<tr><td>{escape(row.name)}</td>{_gaps(row)}<td class=n>{row.changed}</td><td>{escape(row.verdict)}</td></tr>"
        for row in rows
    )
    said = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences(rows))
    return (
        f"<h2>What each stage and option brings</h2><ul>{said}</ul><div class=wide><table><tr><th>change</th>{head}"
        f"<th class=n>questions changed</th><th>verdict</th></tr>{body}</table></div>"
        "<p class=sub>Changed run minus full pipeline, the same questions in pairs; 95 % intervals by bootstrap.</p>"
    )


def _gaps(row: Row) -> str:
    cells = []
    for name in DECIDING:
        gap = row.differences.get(name)
        if gap is None:
            cells.append("<td class=n>–</td>")
            continue
        shade = "" if not gap.clear else " good" if gap.value > 0 else " bad"
        cells.append(f"<td class='n{shade}'>{gap.value:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]</td>")
    return "".join(cells)


def _kinds(by_kind: Mapping[str, Mapping[str, Any]]) -> str:
    if not by_kind:
        return ""
    names = ("recall@1", "recall@5", "all@5", "mrr", "ndcg@10")
    head = "".join(f"<th class=n>{name}</th>" for name in names)
    rows = "".join(
        f"<tr><td>{escape(kind.replace('_', ' '))}</td><td class=n>{row['questions']}</td>"
        + "".join(f"<td class=n>{cell}</td>" for cell in as_row(row, names))
        + f"<td class=n>{row['refused']:.3f}</td></tr>"
        for kind, row in by_kind.items()
    )
    return (
        f"<h2>By kind of question</h2><div class=wide><table><tr><th>kind</th><th class=n>questions</th>{head}"
        f"<th class=n>refused</th></tr>{rows}</table></div>"
    )


def _worst(report: Report) -> str:
    """The questions to look at first: those that lack most, with the stage that lost it."""
    scores = stage_scores(report.outcomes, report.stage)
    short = [one for one in report.outcomes if one.item.id in scores and scores[one.item.id]["recall@5"] < 1]
    short.sort(key=lambda one: (scores[one.item.id]["recall@5"], scores[one.item.id]["mrr"]))
    if not short:
        return ""
    rows = "".join(
        f"<tr><td>{escape(_clipped(one.item.question))}</td><td>{_ranks(one, report.stage)}</td><td>{lost_at(one)}</td></tr>"
        for one in short[:WORST]
    )
    return (
        f"<h2>Look at these first: a needed passage is not in the first five ({len(short)})</h2><div class=wide><table>"
        f"<tr><th>question</th><th>needed, and its rank</th><th>lost</th></tr>{rows}</table></div>"
    )


def _misjudged(report: Report) -> str:
    """Questions refused that the documents answer, and answered that they don't."""
    known = answerability(report.outcomes)
    wrong = [one for one in report.outcomes if one.item.id in known and known[one.item.id] == one.refused]
    if not wrong:
        return ""
    wrong.sort(key=lambda one: (known[one.item.id], abs(one.evidence - (one.threshold or 0))))
    rows = "".join(
        f"<tr><td>{escape(_clipped(one.item.question))}</td><td>{'refused' if one.refused else 'let through'}</td>"
        f"<td class=n>{one.evidence:.3f}</td></tr>"
        for one in wrong[:WORST]
    )
    return (
        f"<h2>Refused or let through wrongly: {len(wrong)}</h2><div class=wide><table><tr><th>question</th><th>was</th>"
        f"<th class=n>evidence</th></tr>{rows}</table></div>"
    )


def _ranks(outcome: Outcome, stage: str) -> str:
    order = list(outcome.stages[stage])
    ranks = {name: order.index(name) + 1 if name in order else 0 for name in outcome.item.needed}
    shown = sorted(ranks.items(), key=lambda pair: pair[1] or 10**6)
    more = f" and {len(shown) - 4} more" if len(shown) > 4 else ""
    return ", ".join(f"<code>{escape(name)}</code> {rank or '–'}" for name, rank in shown[:4]) + more


def _clipped(text: str, limit: int = 160) -> str:
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"
