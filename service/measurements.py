"""What the terminal shows of a measurement: a table of metrics, an ablation, an explanation, a calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from evals.ablating import DECIDING, Row, sentences
from evals.calibrating import Calibration, thinned
from evals.metrics import CITATION, RANKING, REFUSAL, as_row

if TYPE_CHECKING:
    from evals.bootstrap import Difference
    from evals.why import Explanation

#: Columns from which an ablation's intervals have room beside their values.
_WIDE = 132


def print_summary(summary: Mapping[str, Any], *, answers: bool = False) -> None:
    """The metrics of the whole set and of each kind, then the refusal signals and the latencies."""
    console = Console(highlight=False)
    console.print(
        Text(
            f"{summary['set']}: {summary['questions']} questions, {summary['judged']} judged, after {summary['stage']}"
        )
    )
    rows = {"all": summary["metrics"], **summary["by_kind"]}
    console.print(_metrics("ranking", RANKING, rows))
    if any(summary["metrics"][name] is not None for name in REFUSAL):
        console.print(_metrics("refusal", REFUSAL, rows))
        told = summary["refusal"]["auroc"]
        console.print(
            Text("AUROC by signal: " + ", ".join(f"{name} {told[name]:.3f}" for name in told if told[name] is not None))
        )
        for rival in ("dense", "keyword"):
            gap = summary["refusal"].get(f"evidence_minus_{rival}")
            if gap:
                console.print(Text(f"  evidence minus {rival}: {_gap(gap)}", style="dim"))
    console.print(_refused(summary))
    if answers:
        console.print(_metrics("citations", CITATION, rows))
    console.print(_latency(summary["latency_ms"]))


def print_ablation(name: str, questions: int, rows: Sequence[Row]) -> None:
    """One row a change, with the differences to the full pipeline and what they say."""
    console = Console(highlight=False)
    title = Text(f"{name}: {questions} questions, changed run minus full pipeline")
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    wide = console.width >= _WIDE
    table.add_column("change", min_width=18)
    for metric in DECIDING:
        table.add_column(_short(metric), justify="right", no_wrap=True)
    table.add_column("changed", justify="right", no_wrap=True)
    table.add_column("ms", justify="right", no_wrap=True)
    for row in rows:
        gaps = [_gap_cell(row.differences.get(metric), wide=wide) for metric in DECIDING]
        change = Text.assemble(row.name, (f"\n– {row.verdict}", "dim"))
        table.add_row(change, *gaps, Text(str(row.changed)), Text(f"{row.ms:+.1f}"))
    console.print(table)
    more = "" if wide else f"; intervals: --json, or a terminal of {_WIDE} columns"
    console.print(Text(f"* clear of luck: the 95 % interval holds no zero{more}", style="dim"))
    for sentence in sentences(rows):
        console.print(Text(sentence))


def _gap_cell(gap: Difference | None, *, wide: bool) -> Text:
    """A difference, coloured and with a star where it is clear of luck; with its interval where the table is wide."""
    if gap is None:
        return Text("–")
    style = "" if not gap.clear else "green" if gap.value > 0 else "red"
    value = f"{gap.value:+.3f}{'*' if gap.clear else ' '}"
    interval = f"[{gap.low:+.3f}, {gap.high:+.3f}]"
    return Text(f"{value} {interval}" if wide else value, style=style)


def print_explanation(found: Explanation) -> None:
    """The stage in a sentence, the chunk's place in every list, and every change that was tried."""
    console = Console(highlight=False)
    console.print(Text(f"{found.chunk_id or found.expected}: {found.lost.replace('_', ' ')}", style="bold"))
    console.print(Text(found.sentence))
    if found.places:
        table = Table(title="its place", title_justify="left")
        for column, justify in (("list", "left"), ("rank", "right"), ("score", "right"), ("last one through", "left")):
            table.add_column(column, justify=justify)  # type: ignore[arg-type]
        for place in found.places:
            beaten = "–"
            if place.beaten_by is not None:
                beaten = f"{place.beaten_by} at {place.beaten_by_rank}, {place.beaten_by_score:.4f}"
            rank = "–" if place.rank is None else str(place.rank)
            score = "–" if place.score is None else f"{place.score:.4f}"
            table.add_row(Text(place.where), rank, score, Text(beaten))
        console.print(table)
    if found.attempts:
        table = Table(title="tried", title_justify="left")
        for column in ("change", "would keep it"):
            table.add_column(column)
        for attempt in found.attempts:
            kept = Text(f"yes, as passage {attempt.rank}", style="green") if attempt.kept else Text("no", style="dim")
            table.add_row(Text(attempt.change), kept)
        console.print(table)


def print_calibration(found: Calibration, *, key: str, path: Path) -> None:
    """The curve, the threshold chosen, and where it was written."""
    console = Console(highlight=False)
    table = Table(title="refused, by threshold", title_justify="left")
    for column in ("threshold", "answerable", "unanswerable", ""):
        table.add_column(column, justify="right" if column else "left")
    rows = thinned(found.curve)
    chosen = min(rows, key=lambda row: abs(row["threshold"] - found.threshold))
    for row in rows:
        mark = "◂ nearest to the one chosen" if row is chosen else ""
        shares = (f"{row['answerable_refused']:.1%}", f"{row['unanswerable_refused']:.1%}")
        table.add_row(f"{row['threshold']:.3f}", *shares, mark)
    console.print(table)
    tells = "" if found.auroc is None else f" AUROC {found.auroc:.3f}."
    console.print(
        Text(
            f"Threshold {found.threshold:.3f}: refuses {found.answerable_refused:.1%} of {found.answerable} answerable and "
            f"{found.unanswerable_refused:.1%} of {found.unanswerable} unanswerable questions.{tells}"
        )
    )
    console.print(Text(f"Rule: {found.rule}. Written to {path} for {key}.", style="dim"))


def _metrics(title: str, names: Sequence[str], rows: Mapping[str, Mapping[str, Any]]) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("kind", no_wrap=True)
    for name in names:
        table.add_column(_short(name), justify="right")
    for kind, values in rows.items():
        if any(values.get(name) is not None for name in names):
            table.add_row(Text(kind.replace("_", " ")), *as_row(values, names))
    return table


def _refused(summary: Mapping[str, Any]) -> Table:
    """The share refused of each kind, and of its answerable questions: a right passage is no help where they are refused."""
    table = Table(title="refused", title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for column in ("kind", "questions", "refused", "of the answerable"):
        table.add_column(column, justify="left" if column == "kind" else "right", no_wrap=True)
    for kind, values in summary["by_kind"].items():
        cells = as_row(values, ("refused", "refused_answerable"))
        table.add_row(Text(kind.replace("_", " ")), str(values["questions"]), *cells)
    every = as_row(summary["refusal"], ("refused_answerable",))
    table.add_row("all", str(summary["questions"]), f"{summary['refused']:.3f}", *every)
    return table


def _short(name: str) -> str:
    """A metric's name as a narrow terminal can show nine of them."""
    return (
        name.replace("recall@", "R@")
        .replace("ndcg", "nDCG")
        .replace("mrr", "MRR")
        .removeprefix("refusal_")
        .replace("_", " ")
    )


def _latency(latency: Mapping[str, Mapping[str, float]]) -> Table:
    table = Table(title="milliseconds a question", title_justify="left")
    for column in ("stage", "p50", "p95"):
        table.add_column(column, justify="left" if column == "stage" else "right")
    for stage, values in latency.items():
        table.add_row(stage, f"{values['p50']:.2f}", f"{values['p95']:.2f}")
    return table


def _gap(gap: Mapping[str, float]) -> str:
    return f"{gap['value']:+.3f} [{gap['low']:+.3f}, {gap['high']:+.3f}]"
