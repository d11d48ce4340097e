"""Lines of a PDF that layout alone explains: a table's row whose cells nearly touch, and a list whose bullets are drawn.

A column is as wide as its longest cell, so that cell nearly touches the next one: the gap is hardly wider than a blank. The rows
around it say where the columns are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from knowledge.loading.pdf_layout import Cell, Line, columns_end, stands_in_columns

#: From so many rows, columns are known.
_ROWS = 2
#: An item stands this many times the type's size to the right of the text, and ends before this share of the text's width.
_INDENT, _SHORT = 1.2, 0.85
#: Points by which the items of one list may differ in where they begin.
_STRAIGHT = 1.0
#: What numbers or marks an item by itself.
_HAS_SIGN = re.compile(r"[-•‣▪◦*–—§(\[\d]|\w{1,3}[.)]\s")


def with_tight_rows(page: Sequence[Line]) -> list[Line]:
    """The page's lines, where a row next to at least two others is parted in their columns even if its cells nearly touch."""
    lines = list(page)
    at = 0
    while at < len(lines):
        end = columns_end(lines, at)
        if end - at < _ROWS:
            at = max(end, at + 1)
            continue
        while at > 0 and (row := _parted(lines[at - 1], lines[at:end])) is not None:
            lines[at - 1] = row
            at -= 1
        grown = end
        while grown < len(lines) and (row := _parted(lines[grown], lines[at:grown])) is not None:
            lines[grown] = row
            grown = columns_end(lines, grown, lines[at : grown + 1])
        at = max(grown, at + 1)
    return lines


def _parted(line: Line, rows: Sequence[Line]) -> Line | None:
    """The line with cells in the columns of these rows; ``None`` where it has no place in them."""
    width = len(rows[0].cells)
    if not line.pieces or len(line.cells) >= width:
        return None
    # A column begins behind the last word of the one before it.
    begins = [max(row.cells[at].right for row in rows) for at in range(width - 1)]
    columns: list[list[Cell]] = [[] for _ in range(width)]
    for piece in line.pieces:
        columns[sum(piece.left >= begin for begin in begins)].append(piece)
    if not all(columns):
        return None
    cells = tuple(Cell(" ".join(one.text for one in held), held[0].left, held[-1].right) for held in columns)
    parted = replace(line, cells=cells)
    return parted if stands_in_columns([*rows, parted]) else None


def list_items(page: Sequence[Line]) -> set[int]:
    """The lines that are items of a list without signs: several short ones below each other, set in from the text."""
    left, right = _edges(page)
    out: set[int] = set()
    run: list[int] = []
    for at, line in enumerate([*page, Line("", 0.0, False, ())]):
        if run and not (_may_be_item(line, left, right) and abs(_left(line) - _left(page[run[-1]])) <= _STRAIGHT):
            out.update(run if len(run) > 1 else ())
            run = []
        if _may_be_item(line, left, right):
            run.append(at)
    return out


def _may_be_item(line: Line, left: float, right: float) -> bool:
    if len(line.cells) != 1 or line.bold or not line.size:
        return False
    inset = line.cells[0].left >= left + _INDENT * line.size
    short = line.cells[0].right <= left + _SHORT * (right - left)
    text = line.text.strip()
    return inset and short and text[-1] not in ".:?!" and not _HAS_SIGN.match(text)


def _left(line: Line) -> float:
    return line.cells[0].left


def _edges(page: Sequence[Line]) -> tuple[float, float]:
    """Where most of the page's text begins, and where its longest line ends, in points."""
    lefts: Counter[float] = Counter()
    for line in page:
        if line.cells:
            lefts[round(line.cells[0].left)] += len(line.text)
    right = max((line.cells[-1].right for line in page if line.cells), default=0.0)
    return (lefts.most_common(1)[0][0] if lefts else 0.0), right
