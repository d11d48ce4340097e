"""An HTML table as rows of cells; tables that only lay a page out are told apart."""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree

from knowledge.loading.blocks import LINE_BREAK
from knowledge.loading.html_frame import is_note_reference, words_of
from knowledge.loading.raised import marks_of

#: A cell may ask for thousands of columns; none that is read by people has.
_MAX_COLUMNS = 60
_LAYOUT = frozenset({"table", "h1", "h2", "h3", "h4", "ul", "ol", "pre", "form", "section", "article"})
_BREAKS = frozenset({"br", "p", "div", "li"})
Drops = Callable[[etree._Element], bool]


def data_rows(table: etree._Element, drops: Drops) -> list[list[str]] | None:
    """The rows, header first, spanned cells said in every row that they span; ``None`` for a table that lays out.

    A table lays out when its cells hold headings, lists or tables, or when it says so itself.
    """
    if table.get("role") in ("presentation", "none"):
        return None
    rows = [row for row in table.iter("tr") if not drops(row)]
    cells = [[cell for cell in row if cell.tag in ("td", "th")] for row in rows]
    if any(inside.tag in _LAYOUT for row in cells for cell in row for inside in cell.iter() if inside is not cell):
        return None
    if max((len(row) for row in cells), default=0) < 2 or len(rows) < 2:
        return None
    grid: list[list[str]] = []
    spanned: dict[int, tuple[int, str]] = {}  # column -> rows still to fill, and with what
    for row in cells:
        line: list[str] = []
        for cell in row:
            _fill_spanned(line, spanned)
            text = _cell_text(cell, drops)
            width, height = _span(cell, "colspan"), _span(cell, "rowspan")
            for offset in range(min(width, _MAX_COLUMNS - len(line))):
                said = text if offset == 0 else ""
                if height > 1:
                    spanned[len(line)] = (height - 1, said)
                line.append(said)
        _fill_spanned(line, spanned)
        grid.append(line)
    return grid


def names_columns(table: etree._Element, drops: Drops) -> bool | None:
    """Whether the first row names the columns, as far as the page says: all ``th``, or ``th`` only down the first column."""
    rows = [[cell.tag for cell in row if cell.tag in ("td", "th")] for row in table.iter("tr") if not drops(row)]
    if all(tag == "th" for tag in rows[0]):
        return True
    return False if all(row[:1] == ["th"] and "th" not in row[1:] for row in rows) else None


def _fill_spanned(line: list[str], spanned: dict[int, tuple[int, str]]) -> None:
    while len(line) in spanned:
        left, text = spanned.pop(len(line))
        if left > 1:
            spanned[len(line)] = (left - 1, text)
        line.append(text)


def _span(cell: etree._Element, name: str) -> int:
    value = cell.get(name) or "1"
    return max(1, int(value)) if value.isascii() and value.isdigit() and len(value) < 6 else 1


def _cell_text(cell: etree._Element, drops: Drops) -> str:
    parts: list[str] = []
    raised: list[str] = []  # what closes each raised text that is open
    walk = etree.iterwalk(cell, events=("start", "end"))
    for event, element in walk:
        if event == "start":
            if element is not cell and drops(element):
                walk.skip_subtree()
                continue
            if element.tag == "a" and parts and not raised and is_note_reference(element):
                parts.append(f"[{words_of(element).strip()}]" if "".join(parts).strip() else words_of(element))
                walk.skip_subtree()
                continue
            if element.tag in _BREAKS:
                parts.append(LINE_BREAK)
            if element.tag == "sup":
                opens, closes = marks_of(words_of(element), "".join(parts))
                parts.append(opens)
                raised.append(closes)
            parts.append(element.text or "")
        elif element is not cell:
            if element.tag == "sup" and raised:
                parts.append(raised.pop())
            parts.append(element.tail or "")
    return "".join(parts)
