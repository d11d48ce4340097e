"""A table's rows as a reader reads them: each cell with the header's name for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from knowledge.chunking.markdown import Block, outline

Span = tuple[int, int]
_BAR = re.compile(r"(?<!\\)\|")
_ESCAPED = re.compile(r"\\([|*])")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table. ``header`` is the span of the header row, ``None`` where the text has the table's rows alone; ``cells``
    are the row's own words.
    """

    labelled: str
    header: Span | None
    cells: str = ""


def row_at(text: str, start: int, end: int) -> Row | None:
    """The row of a table that ``text[start:end]`` is, or ``None`` where that is no row, or the header itself.

    ``labelled`` is "Service: Express; Fee: 49 INR" for ``| Express | 49 INR |`` under ``| Service | Fee |``; an empty cell is
    left out, and a cell under an empty header cell, or beyond the header, stands alone.
    """
    line = text[start:end]
    table = _table_at(text, start)
    if "\n" in line or (table is not None and start < table.body):
        return None
    if table is None:
        is_row = line.startswith("|") and len(_BAR.findall(line)) > 1
        return Row(_unnamed(_cells(line)), None, "; ".join(_cells(line))) if is_row else None
    header = _header(text, table)
    names = [cell.replace("**", "").rstrip(": ") for cell in _cells(text[slice(*header)])]
    cells = _cells(line)
    if not any(names):
        return Row(_unnamed(cells), None, "; ".join(cells))
    named = [(names[at] if at < len(names) else "", cell) for at, cell in enumerate(cells)]
    return Row("; ".join(f"{name}: {cell}" if name else cell for name, cell in named if cell), header, "; ".join(cells))


def _unnamed(cells: Sequence[str]) -> str:
    """ "Owner: HR" of a name and its value, else the cells one after another."""
    held = [cell for cell in cells if cell]
    if len(cells) == len(held) == 2:
        return f"{held[0].rstrip(': ')}: {held[1]}"
    return "; ".join(held)


def is_header(text: str, start: int, end: int) -> bool:
    """Whether ``text[start:end]`` is a table's header row, or the rule under it, and nothing more."""
    table = _table_at(text, start)
    return table is not None and start < end <= table.body


def with_header(text: str, start: int, end: int) -> list[Span]:
    """The span, and behind it the header's where it is a table's row: what a quotation needs to be read."""
    row = row_at(text, start, end)
    return [(start, end), row.header] if row and row.header else [(start, end)]


def _table_at(text: str, start: int) -> Block | None:
    return next((block for block in _tables(text) if block.start <= start < block.end), None)


@lru_cache(maxsize=256)
def _tables(text: str) -> tuple[Block, ...]:
    return tuple(block for block in outline(text)[1] if block.kind == "table") if "|" in text else ()


def _header(text: str, table: Block) -> Span:
    stop = text.find("\n", table.start, table.body)
    end = table.body if stop < 0 else stop
    line = text[table.start : end]
    start = table.start + len(line) - len(line.lstrip())
    return start, start + len(line.strip())


def _cells(line: str) -> list[str]:
    """The cells without bars and escapes."""
    inner = line.strip()
    inner = inner[1:] if inner.startswith("|") else inner
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [" ".join(_ESCAPED.sub(r"\1", cell).split()) for cell in _BAR.split(inner)]
