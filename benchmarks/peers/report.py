"""The tables: what a run measured, beside ours, in Markdown; and how they get into a document."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers.catalogue import BY_KEY, OURS
from benchmarks.peers.scores import QUALITY, ratio
from knowledge.errors import BadInput

BEGIN, END = "<!-- peers: begin -->", "<!-- peers: end -->"
_HEADINGS = {"all@5": "all needed@5", "ndcg@10": "nDCG@10"}
Row = Mapping[str, Any]

#: Heading, where the figure stands, and its decimals.
_TIMES = (
    ("median ms", ("plain", "median_ms"), 1),
    ("p95 ms", ("plain", "p95_ms"), 1),
    ("own embedding ms", ("plain", "embed_ms"), 1),
    ("left over it ms", ("plain", "left_ms"), 1),
    ("over a bare embedding ms", ("plain", "over_bare_ms"), 1),
    ("one BLAS thread: median ms", ("one_blas", "median_ms"), 1),
    ("left over its own ms", ("one_blas", "left_ms"), 1),
    ("over a bare one ms", ("one_blas", "over_bare_ms"), 1),
)
#: May lie near zero or below, where a ratio says nothing.
_NO_RATIO = "over_bare_ms"
_SIZES = (
    ("ingest chunks/s", ("chunks_per_s",), 0),
    ("peak MB, ingest", ("ingest_peak_mb",), 0),
    ("peak MB, asking", ("peak_mb",), 0),
    ("index MB", ("index_mb",), 1),
)


def tables(run: Mapping[str, Any]) -> str:
    """Everything that a run found, as Markdown."""
    machine = run["machine"]
    parts = [
        f"Measured {run['when']} on {machine['cores']} cores, {machine['memory_gb']:.0f} GB, {machine['system']}, "
        f"checkout {run['checkout']}. In brackets: the figure divided by ours.",
    ]
    for corpus in run["corpora"]:
        parts += [
            f"### {corpus['name']}: {corpus['chunks']:,} chunks, {corpus['questions']} questions",
            *_corpus(corpus),
        ]
    parts += ["### Versions", _versions(run)]
    notes = [f"- {BY_KEY[key].label} is left out: {reason}." for key, reason in run["left_out"].items()]
    parts += (
        ["### Left out", "\n".join([*notes, *(f"- {note}" for note in run["notes"])])] if notes or run["notes"] else []
    )
    return "\n\n".join(parts) + "\n"


def _corpus(corpus: Mapping[str, Any]) -> list[str]:
    systems: Mapping[str, Row] = corpus["systems"]
    quality = [(_HEADINGS.get(name, name), ("quality", name), 3) for name in QUALITY]
    out = [_table(systems, quality), _table(systems, _TIMES)]
    encoding = "with encoding" if corpus["encoded"] else "with stored vectors, so without encoding"
    sizes = [(f"{name} ({encoding})" if name.startswith("ingest") else name, at, digits) for name, at, digits in _SIZES]
    out.append(_table(systems, sizes, last=("index kept", lambda row: "on disk" if row["on_disk"] else "in memory")))
    return [table for table in out if table]


def _table(
    systems: Mapping[str, Row],
    columns: Sequence[tuple[str, tuple[str, ...], int]],
    *,
    last: tuple[str, Callable[[Row], str]] | None = None,
) -> str:
    columns = [column for column in columns if any(_at(row, column[1]) is not None for row in systems.values())]
    if not columns:
        return ""
    heads = ["system", *(name for name, _, _ in columns), *([last[0]] if last else [])]
    lines = ["| " + " | ".join(heads) + " |", "| " + " | ".join("---" for _ in heads) + " |"]
    ours = systems.get(OURS, {})
    for key, row in systems.items():
        cells = [
            _cell(_at(row, at), _at(ours, at), digits, alone=key == OURS or at[-1] == _NO_RATIO)
            for _, at, digits in columns
        ]
        name = f"**{BY_KEY[key].label}**" if key == OURS else BY_KEY[key].label
        lines.append("| " + " | ".join([name, *cells, *([last[1](row)] if last else [])]) + " |")
    return "\n".join(lines)


def _at(row: Row, path: tuple[str, ...]) -> float | None:
    value: Any = row
    for name in path:
        value = value.get(name) if value else None
    return None if value is None else float(value)


def _cell(value: float | None, ours: float | None, digits: int, *, alone: bool) -> str:
    if value is None:
        return "–"
    text = f"{value:,.{digits}f}"
    text = text.removeprefix("0") if digits == 3 and value < 1 else text
    times = None if alone else ratio(value, ours)
    return text if times is None else f"{text} ({times:.2f})"


def _versions(run: Mapping[str, Any]) -> str:
    found: dict[str, Mapping[str, str]] = {}
    for corpus in run["corpora"]:
        found |= {key: row["versions"] for key, row in corpus["systems"].items()}
    lines = [
        f"- {BY_KEY[key].label}: " + ", ".join(f"{name} {version}" for name, version in versions.items())
        for key, versions in found.items()
    ]
    return "\n".join(lines)


def check_marks(path: Path) -> str:
    """The document, which has both marks. Raises ``BadInput`` where it does not, before anything is measured."""
    held = path.read_text("utf-8") if path.is_file() else ""
    if BEGIN not in held or END not in held:
        raise BadInput(f"{path} needs a line {BEGIN} and, below it, a line {END}: the tables go between them.")
    return held


def put_into(path: Path, text: str) -> None:
    """Replace what stands between the marks of a document. Raises ``BadInput`` where there are none."""
    held = check_marks(path)
    pattern = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)
    path.write_text(pattern.sub(lambda _: f"{BEGIN}\n\n{text}\n{END}", held), "utf-8")
