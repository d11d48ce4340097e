"""Pictures of a run, drawn with matplotlib and kept as SVG text, so that a page holds them without further files.

Colours are told apart by the colour-blind (Okabe and Ito); every line and bar is labelled where it stands, so no legend has to be
matched by colour.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from knowledge.errors import BadInput

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, MUTED, GRID = "#1f2933", "#6b7680", "#e3e7eb"
BLUE, ORANGE, GREEN, RED, PURPLE = "#0072b2", "#e69f00", "#009e73", "#d55e00", "#9467a8"
_STYLE: Any = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Arial", "sans-serif"],
    "font.size": 10,
    "axes.edgecolor": GRID,
    "axes.labelcolor": MUTED,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": INK,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "grid.color": GRID,
    "svg.fonttype": "path",
    "svg.hashsalt": "policydesk",
}
#: Keeps grid lines from running through a label.
_CLEAR = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
_STAGE_NAMES = {"retrieve": "retrieved", "fuse": "fused", "rerank": "reranked", "fit": "fitted"}


def recall_by_stage(by_stage: Mapping[str, Mapping[str, float]]) -> Figure:
    """Where needed passages are gained and lost: one line a metric over the stages, ``stage -> metric -> 0 to 1``."""
    figure, axes = _figure(7.2, 3.9)
    names = [
        name for name in ("recall@10", "recall@5", "all@5", "recall@1") if all(name in row for row in by_stage.values())
    ]
    at = range(len(by_stage))
    lowest = min((row[name] for row in by_stage.values() for name in names), default=0.0)
    floor = max(0.0, round(lowest - 0.15, 1))
    ends: list[tuple[float, str, str]] = []
    for name, colour in zip(names, (GREEN, BLUE, PURPLE, ORANGE), strict=False):
        values = [row[name] for row in by_stage.values()]
        axes.plot(at, values, color=colour, linewidth=2.2, marker="o", markersize=5)
        ends.append((values[-1], f"{name}  {values[-1]:.3f}", colour))
    for height, text, colour in _spread(ends, gap=0.062 * (1 - floor)):
        axes.annotate(
            text,
            (len(by_stage) - 1, height),
            xytext=(10, 0),
            textcoords="offset points",
            va="center",
            color=colour,
            bbox=_CLEAR,
        )
    axes.set_xticks(list(at), [_STAGE_NAMES.get(stage, stage) for stage in by_stage])
    axes.set_xlim(-0.15, len(by_stage) - 1 + 0.85)
    axes.set_ylim(floor, floor + (1 - floor) * 1.04)
    axes.grid(axis="y")
    _title(axes, "Are the needed passages there, stage by stage?")
    return figure


def kinds_by_stage(table: Mapping[str, Mapping[str, float]], *, metric: str) -> Figure:
    """Which kind of question is lost where: a number and a shade for each ``kind -> stage``."""
    stages = list(next(iter(table.values())))
    figure, axes = _figure(7.2, 1.1 + 0.42 * len(table))
    values = [[row[stage] for stage in stages] for row in table.values()]
    axes.imshow(values, cmap="YlGnBu", vmin=0, vmax=1.35, aspect="auto")
    for y, row in enumerate(values):
        for x, value in enumerate(row):
            axes.text(x, y, f"{value:.2f}", ha="center", va="center", color="white" if value > 0.85 else INK)
    axes.set_xticks(range(len(stages)), [_STAGE_NAMES.get(stage, stage) for stage in stages])
    axes.xaxis.tick_top()
    axes.set_yticks(range(len(table)), [kind.replace("_", " ") for kind in table])
    for side in axes.spines.values():
        side.set_visible(False)
    _title(axes, f"{metric} by kind of question", pad=26)
    return figure


def latency_by_stage(latency: Mapping[str, Mapping[str, float]]) -> Figure:
    """Median (bar) and 95th percentile (tick) of each stage in milliseconds, in the order of the run."""
    stages = list(latency)
    figure, axes = _figure(7.2, 1.0 + 0.36 * len(stages))
    for row, stage in enumerate(stages):
        p50, p95 = latency[stage]["p50"], latency[stage]["p95"]
        whole = stage == "total"
        axes.barh(row, p50, height=0.58, color=INK if whole else BLUE)
        axes.plot([p50, p95], [row, row], color=MUTED, linewidth=1)
        axes.plot([p95, p95], [row - 0.2, row + 0.2], color=MUTED, linewidth=1.6)
        axes.annotate(
            f"{_ms(p50)}  ({_ms(p95)})", (p95, row), xytext=(8, 0), textcoords="offset points", va="center", color=MUTED
        )
    axes.set_yticks(range(len(stages)), [stage.replace("_", " ") for stage in stages])
    axes.invert_yaxis()
    axes.set_xlim(0, max((row["p95"] for row in latency.values()), default=1) * 1.3 or 1)
    axes.set_xlabel("milliseconds a question: median (95th percentile)")
    axes.grid(axis="x")
    _title(axes, "Where the time goes")
    return figure


def refusal_curve(
    curve: Sequence[Mapping[str, float]], *, threshold: float | None, auroc: float | None, counts: tuple[int, int]
) -> Figure:
    """What each threshold would refuse; ``counts``: answerable and unanswerable questions. The one in use is a vertical line."""
    figure, axes = _figure(7.2, 3.9)
    cuts = [*(row["threshold"] for row in curve), 1.0]
    lines = (
        ("unanswerable_refused", f"unanswerable, {counts[1]}", GREEN),
        ("answerable_refused", f"answerable, {counts[0]}", RED),
    )
    for key, name, colour in lines:
        shares = [row[key] for row in curve]
        axes.step(cuts, [*shares, shares[-1]], where="post", color=colour, linewidth=2.2)
        axes.annotate(
            name, (1.0, shares[-1]), xytext=(8, 6 if colour == GREEN else -8), textcoords="offset points", color=colour
        )
    if threshold is not None:
        axes.axvline(threshold, color=INK, linewidth=1.2, linestyle=(0, (4, 3)))
        axes.annotate(
            f"in use: {threshold:.2f}",
            (threshold, 1.04),
            xytext=(5, 0),
            textcoords="offset points",
            va="bottom",
            fontsize=9,
        )
    axes.set_xlim(0, 1.28)
    axes.set_xticks([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    axes.set_ylim(-0.02, 1.04)
    axes.set_xlabel("threshold on the evidence")
    axes.set_ylabel("share refused")
    axes.grid(axis="y")
    tells = "" if auroc is None else f" (AUROC {auroc:.3f})"
    _title(axes, f"Refused questions by threshold{tells}", pad=22)
    return figure


def ablation(rows: Sequence[Mapping[str, Any]], metrics: Sequence[str]) -> Figure:
    """What each change does to each metric: the difference to the full pipeline with its 95 % interval."""
    import matplotlib.pyplot as plt

    with plt.rc_context(_STYLE):
        figure, panels = plt.subplots(
            1, len(metrics), figsize=(3.0 + 2.5 * len(metrics), 1.5 + 0.36 * len(rows)), sharey=True, squeeze=False
        )
        figure.patch.set_facecolor("white")
        for axes, metric in zip(panels[0], metrics, strict=True):
            _forest(axes, rows, metric)
        panels[0][0].set_yticks(range(len(rows)), [row["name"] for row in rows])
        panels[0][0].invert_yaxis()
        figure.suptitle(
            "What changes, against the full pipeline", x=0.01, ha="left", fontsize=12, fontweight="bold", color=INK
        )
        figure.tight_layout()
    return figure


def _forest(axes: Axes, rows: Sequence[Mapping[str, Any]], metric: str) -> None:
    reach = 0.02
    for at, row in enumerate(rows):
        gap = row["differences"].get(metric)
        if gap is None:
            continue
        clear = gap["low"] > 0 or gap["high"] < 0
        colour = MUTED if not clear else RED if gap["value"] < 0 else GREEN
        axes.plot([gap["low"], gap["high"]], [at, at], color=colour, linewidth=2.2, solid_capstyle="round")
        axes.plot(gap["value"], at, marker="o", markersize=6, color=colour)
        reach = max(reach, abs(gap["low"]), abs(gap["high"]))
    axes.axvline(0, color=INK, linewidth=1)
    axes.set_xlim(-reach * 1.15, reach * 1.15)
    axes.locator_params(axis="x", nbins=5)
    axes.grid(axis="x")
    _title(axes, metric, pad=8, size=10)


def as_svg(figure: Figure) -> str:
    """The picture as an ``<svg>`` element, closed and ready for a page."""
    import matplotlib.pyplot as plt

    out = io.StringIO()
    with plt.rc_context(_STYLE):
        figure.savefig(out, format="svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)
    text = out.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    return text.strip()


def check_drawing() -> None:
    """Raises ``BadInput`` where matplotlib is not installed; called before a long run, not after it."""
    try:
        import matplotlib
    except ImportError:
        raise BadInput(
            "A report needs matplotlib; run: pip install 'policydesk[report]' (in a checkout: -e '.[report]')",
            field="report",
        ) from None
    matplotlib.use("Agg")


def _figure(width: float, height: float) -> tuple[Figure, Axes]:
    import matplotlib.pyplot as plt

    with plt.rc_context(_STYLE):
        figure, axes = plt.subplots(figsize=(width, height))
    figure.patch.set_facecolor("white")
    return figure, axes


def _title(axes: Axes, text: str, *, pad: float = 14, size: float = 12) -> None:
    axes.set_title(text, loc="left", pad=pad, fontsize=size, fontweight="bold", color=INK)


def _spread(labels: Sequence[tuple[float, str, str]], *, gap: float) -> list[tuple[float, str, str]]:
    """Labels moved apart, so that none lies on another: each at least ``gap`` below the one above it."""
    out: list[tuple[float, str, str]] = []
    for height, text, colour in sorted(labels, key=lambda label: -label[0]):
        out.append((min(height, out[-1][0] - gap) if out else height, text, colour))
    return out


def _ms(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"
