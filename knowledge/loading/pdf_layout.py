"""What a PDF page's layout says of its lines: which are headings, by size and weight, and which are rows of a table, by gaps.

Only a few characters of a line are looked at for its type, and only the blanks for its gaps: a page costs milliseconds.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from knowledge.loading.blocks import flat
from knowledge.loading.pdf_text import LINE_HYPHEN, plain
from knowledge.loading.raised import marks_of

_BOLD_NAME = re.compile(r"bold|black|heavy|demi", re.IGNORECASE)
_FORCE_BOLD = 1 << 18
_BOLD_WEIGHT = 600
#: A heading's size over the text's; less is a caption or a rounding.
_LARGER = 1.1
_MOST_LEVELS = 5
_MAX_HEADING, _MAX_BOLD_HEADING = 160, 80
#: Where more of the text than this share is headings, size and weight mark something else, as on slides.
_MOST_HEADINGS = 0.35
#: A gap between words from this many times the type's size on parts two cells; a blank is a quarter.
_CELL_GAP = 0.9
#: A blank's width, and how much wider than the line's blanks a gap must be to part cells where the rows around it do.
_BLANK, _WIDE_BLANK = 0.25, 1.3
#: Type of less than this share of its neighbour's size is raised; and where a raised number may stand.
_RAISED = 0.85
_NUMBER_BEHIND = re.compile(r"\S*?[^\W_](?P<number>\d+)[.,;:)]*(?=\s|\Z)")
_FIRST_NUMBER = re.compile(r"\s*(\d{1,2})\s?([^\W\d_])")
_LEAST_ROWS = 3
_LONG_CELL = 45
#: Addresses, and the dots that lead to a page number in a table of contents.
_NO_HEADING = re.compile(r"://|\S@\S|(?:\.\s?){4}|^[-–—]\s?\d+\s?[-–—]$")
_NUMBERED_HEADING = re.compile(
    r"(?:(?:article|section|чл\.|глава|раздел)\s*)?\d{1,3}(?:\.\d{1,3})*[.)]\s", re.IGNORECASE
)
_NUMBER_ALONE = re.compile(r"(?:[\divxlc]+[.)]?)+|[a-z][.)]|§|(?:article|section|чл\.|раздел)\s*\S*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Cell:
    """A stretch of a line between two gaps, and where it stands on the page, in points."""

    text: str
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class Line:
    """A line as it looks: its type's size in points (0 where characters differ), whether it is bold, and its cells.

    ``pieces``: the cells parted also at gaps that are only a little wider than the line's blanks, where there are such.
    """

    text: str
    size: float
    bold: bool
    cells: tuple[Cell, ...]
    pieces: tuple[Cell, ...] = ()


def lines_of(page: pdfium.PdfTextPage, text: str) -> list[Line]:
    """The page's lines, of the text as PDFium gives it. Where its characters are not those counted, lines have no looks.

    A line that ends within a word goes on in the next one: they are one line here, the mark of the hyphen kept.
    """
    known = page.count_chars() == len(text)
    out: list[Line] = []
    at = 0
    while at < len(text):
        stop = text.find("\n", at)
        while stop >= 0 and LINE_HYPHEN.fullmatch(text[:stop].rstrip("\r")[-1:]):
            stop = text.find("\n", stop + 1)
        end = len(text) if stop < 0 else stop
        line = text[at:end].rstrip("\r")
        out.append(_line(page, line, at) if known and line.strip() else Line(line, 0.0, False, ()))
        at = end + 1
    return out


def _line(page: pdfium.PdfTextPage, line: str, start: int) -> Line:
    shown = [at for at, character in enumerate(line) if not character.isspace()]
    sampled = {start + shown[0], start + shown[len(shown) // 2], start + shown[-1]}
    sizes = {round(2 * _size(page, at)) / 2 for at in sampled}
    size = sizes.pop() if len(sizes) == 1 else 0.0
    cells, pieces = ((), ()) if LINE_HYPHEN.search(line) else _cells(page, line, start)
    found = Line(line, size, all(_is_bold(page, at) for at in sampled), cells, pieces)
    raised = _raised(page, line, start)
    return _respelt(found, raised) if raised else found


def _raised(page: pdfium.PdfTextPage, line: str, start: int) -> dict[str, str]:
    """The words of the line with a raised number at their end (or alone at the line's beginning), and how they are to be read."""
    out: dict[str, str] = {}
    first = _FIRST_NUMBER.match(line)
    if first and _size(page, start + first.start(1)) < _RAISED * _size(page, start + first.start(2)):
        out[first[1]] = f"[{first[1]}]"
    for found in _NUMBER_BEHIND.finditer(line):
        end = found.end("number")
        usual, at = _size(page, start + found.start()), end
        while at > end - 2 and at > found.start("number") and _size(page, start + at - 1) < _RAISED * usual:
            at -= 1
        if at < end:
            opens, closes = marks_of(line[at:end], line[found.start() : at])
            out[found[0]] = f"{line[found.start() : at]}{opens}{line[at:end]}{closes}{line[end : found.end()]}"
    return out


def _respelt(line: Line, words: Mapping[str, str]) -> Line:
    """The line with these words read in another way."""

    def read(text: str) -> str:
        return " ".join(words.get(word, word) for word in text.split(" "))

    cells = tuple(replace(cell, text=read(cell.text)) for cell in line.cells)
    pieces = tuple(replace(piece, text=read(piece.text)) for piece in line.pieces)
    return replace(line, text=read(line.text), cells=cells, pieces=pieces)


def _size(page: pdfium.PdfTextPage, at: int) -> float:
    """The size as it is printed: many pages scale a font of size 1."""
    matrix = raw.FS_MATRIX()
    scale = math.hypot(matrix.c, matrix.d) if raw.FPDFText_GetMatrix(page, at, matrix) else 1.0
    return float(raw.FPDFText_GetFontSize(page, at)) * (scale or 1.0)


def _is_bold(page: pdfium.PdfTextPage, at: int) -> bool:
    if raw.FPDFText_GetFontWeight(page, at) >= _BOLD_WEIGHT:
        return True
    name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    length = raw.FPDFText_GetFontInfo(page, at, name, 128, flags)
    return bool(flags.value & _FORCE_BOLD) or (
        0 < length <= 128 and bool(_BOLD_NAME.search(name.value.decode("latin-1")))
    )


def _cells(page: pdfium.PdfTextPage, line: str, start: int) -> tuple[tuple[Cell, ...], tuple[Cell, ...]]:
    """The line's cells, and its pieces where they are more."""
    words = [match.span() for match in re.finditer(r"\S+", line)]
    size = _size(page, start + words[0][0])
    sides = [(_sides(page, start + first)[0], _sides(page, start + last - 1)[1]) for first, last in words]
    gaps = [here[0] - before[1] for before, here in pairwise(sides)]
    blank = max(_BLANK * size, min(gaps, default=0.0))
    cells = _parted(line, words, sides, [gap > _CELL_GAP * size for gap in gaps])
    if not any(_WIDE_BLANK * blank < gap <= _CELL_GAP * size for gap in gaps):
        return cells, ()
    return cells, _parted(line, words, sides, [gap > _WIDE_BLANK * blank for gap in gaps])


def _parted(
    line: str, words: Sequence[tuple[int, int]], sides: Sequence[tuple[float, float]], parts: Sequence[bool]
) -> tuple[Cell, ...]:
    """The line cut at the gaps that part it."""
    edges = [0, *(at for at, cut in enumerate(parts, start=1) if cut), len(words)]
    return tuple(
        Cell(plain(line[words[first][0] : words[last - 1][1]]).rstrip(), sides[first][0], sides[last - 1][1])
        for first, last in pairwise(edges)
    )


def _sides(page: pdfium.PdfTextPage, at: int) -> tuple[float, float]:
    box = raw.FS_RECTF()
    return (float(box.left), float(box.right)) if raw.FPDFText_GetLooseCharBox(page, at, box) else (0.0, 0.0)


def heading_levels(pages: Sequence[Sequence[Line]]) -> list[dict[int, int]]:
    """For each page the lines that are headings, and their level from 1: larger type first, then bold type of the text's size."""
    weights: Counter[float] = Counter()
    for page in pages:
        for line in page:
            weights[line.size] += len(line.text)
    del weights[0.0]
    if not weights:
        return [{} for _ in pages]
    body = weights.most_common(1)[0][0]
    found = [
        {at: (line.size, line.bold) for at, line in enumerate(page) if _is_heading(page, at, body)} for page in pages
    ]
    marked = sum(len(page[at].text) for page, headings in zip(pages, found, strict=True) for at in headings)
    if marked > _MOST_HEADINGS * sum(len(line.text) for page in pages for line in page):
        return [{} for _ in pages]
    sizes = sorted({style for page in found for style in page.values()}, reverse=True)
    return [{at: min(sizes.index(style) + 1, _MOST_LEVELS) for at, style in page.items()} for page in found]


def _is_heading(page: Sequence[Line], at: int, body: float) -> bool:
    line = page[at]
    words = flat(line.text)
    if not any(map(str.isalpha, words)) or words[-1] in ".;," or words[0] in "•‣▪◦*-–—" or _NO_HEADING.search(words):
        return False
    parted = len(line.cells) > 1 and not (len(line.cells) == 2 and _NUMBER_ALONE.fullmatch(line.cells[0].text))
    if parted:
        return False
    if line.size >= _LARGER * body:
        return len(words) <= _MAX_HEADING
    near = [page[other] for other in (at - 1, at + 1) if 0 <= other < len(page) and page[other].text.strip()]
    return (
        line.bold
        and line.size >= body
        and len(words) <= _MAX_BOLD_HEADING
        and words[-1] != ":"
        and not any(other.bold and other.size == line.size and not _both_numbered(line, other) for other in near)
    )


def _both_numbered(line: Line, other: Line) -> bool:
    """Whether two bold lines are two headings, as above an article that was repealed, and not one that wraps."""
    return all(_NUMBERED_HEADING.match(flat(one.text)) for one in (line, other))


@dataclass(frozen=True, slots=True)
class Table:
    """The lines ``start`` to ``end`` (behind the last) of a page. ``continues`` the table that ended the page before."""

    start: int
    end: int
    continues: bool = False


def tables(page: Sequence[Line], above: Sequence[Line] = ()) -> list[Table]:
    """The tables that have a header: cells under one another, parted by gaps. ``above``: the rows that end the page before."""
    out: list[Table] = []
    at = next((at for at, line in enumerate(page) if line.text.strip()), len(page))
    end = columns_end(page, at, above) if above and at < len(page) else at
    if end > at and not _has_header(page[at:end]):
        out.append(Table(at, end, continues=True))
        at = end
    while at < len(page):
        end = columns_end(page, at)
        if end - at >= _LEAST_ROWS and _has_header(page[at:end]) and not _is_prose(page[at:end]):
            out.append(Table(at, end))
        at = max(end, at + 1)
    return out


def columns_end(page: Sequence[Line], at: int, above: Sequence[Line] = ()) -> int:
    """Where the lines from ``at`` on cease to stand in columns, those of ``above`` where there are some."""
    end = at
    width = len(above[0].cells if above else page[at].cells)
    while end < len(page) and len(page[end].cells) == width > 1 and stands_in_columns([*above, *page[at : end + 1]]):
        end += 1
    return end


def stands_in_columns(rows: Sequence[Line]) -> bool:
    """Whether an empty gutter runs down between any two columns."""
    width = len(rows[0].cells)
    return all(
        max(row.cells[at].right for row in rows) < min(row.cells[at + 1].left for row in rows)
        for at in range(width - 1)
    )


def _has_header(rows: Sequence[Line]) -> bool:
    """A first row in bold, or one without digits over rows that have them: other first rows are no names for what is below."""
    first, rest = rows[0], rows[1:]
    if first.bold and not all(row.bold for row in rest):
        return True
    return not re.search(r"\d", first.text) and all(re.search(r"\d", row.text) for row in rest)


def _is_prose(rows: Sequence[Line]) -> bool:
    """Two columns of running text, side by side."""
    lengths = [len(cell.text) for row in rows for cell in row.cells]
    return len(rows[0].cells) == 2 and sum(lengths) / len(lengths) > _LONG_CELL / 1.5
