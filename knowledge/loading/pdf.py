"""PDF to text with page numbers, through PDFium.

Headings are the document's own bookmarks, where it has any, else the lines in larger or bolder type.
"""

from __future__ import annotations

import re
import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pypdfium2 as pdfium

from knowledge.loading.blocks import flat
from knowledge.loading.parsed import Parsed, UnreadableError
from knowledge.loading.pdf_columns import list_items, with_tight_rows
from knowledge.loading.pdf_layout import Line, heading_levels, lines_of, tables
from knowledge.loading.pdf_text import drop_contents, drop_running_lines, join_words
from knowledge.loading.titles import first_line

#: PDFium keeps global state and must not be entered twice at once.
_LOCK = threading.Lock()
#: What programs write where nobody gave a title, and file names.
_NO_TITLE = re.compile(
    r"microsoft (?:word|powerpoint)|untitled|^\W*$|^\(?anonymous\)?$|^(?:document|layout|slide|presentation|book|folie)\s?\d*$"
    r"|^powerpoint presentation$|\.(?:docx?|pdf|indd|rtf|odt|tex|pptx?|xlsx?)$|^[^\s_]*_\S*$",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?:\d{1,3}[.)]|\d{1,3}(?:\.\d{1,3})+|article|section|чл\.|глава|раздел)\s?", re.IGNORECASE)
_ESCAPED_BAR = "\\|"
_HEADER = re.compile(r"\|[^\n]*\n\|(?: --- \|)+$", re.MULTILINE)
_MAX_BOOKMARKS = 20_000
_MAX_TEXT = 100_000_000


def read_pdf(data: bytes) -> Parsed:
    """The text of all pages in order, running heads and page numbers taken off, and where each page begins."""
    with _LOCK:
        looks, bookmarks, title = _extract(data)
    if not any(line.text.strip() for page in looks for line in page):
        raise UnreadableError("has no text in it, only pictures (a scan?): run text recognition (OCR) on it first")
    lines = join_words([[line.text for line in page] for page in looks])
    drop_running_lines(lines)
    drop_contents(lines)
    shown = [
        with_tight_rows(
            [
                replace(line, text=text) if text else Line(text, line.size, line.bold, ())
                for line, text in zip(page, texts, strict=True)
            ]
        )
        for page, texts in zip(looks, lines, strict=True)
    ]
    levels = heading_levels(shown) if not bookmarks else [{} for _ in shown]
    own_title = title or _first_heading(shown, levels)
    last_rows: Sequence[Line] = ()
    for number, page in enumerate(shown):
        _mark_items(lines[number], page, levels[number])
        last_rows = _mark_tables(lines[number], page, last_rows)
        _mark_headings(lines[number], bookmarks.get(number, ()))
        _mark_larger(lines[number], levels[number])
    text, starts = _join(["\n".join(_with_paragraphs(page)).strip("\n") for page in lines])
    bare = [number for number, page in enumerate(looks, start=1) if not any(line.text.strip() for line in page)]
    notes = (f"{len(bare)} of its {len(looks)} pages hold no text (first: page {bare[0]}).",) if bare else ()
    return Parsed(text, own_title or first_line(text), tuple(starts), notes)


def _extract(data: bytes) -> tuple[list[list[Line]], dict[int, list[tuple[int, str]]], str | None]:
    """The pages' lines, bookmarks by page as (level from 0, title), and the title that the file gives itself."""
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if "password" in str(error).lower():
            raise UnreadableError("is encrypted: remove its password first") from None
        raise UnreadableError(f"is not a PDF that can be opened ({error})") from None
    try:
        pages: list[list[Line]] = []
        size = 0
        for number in range(len(document)):
            pages.append(_page_lines(document, number))
            size += sum(len(line.text) for line in pages[-1])
            if size > _MAX_TEXT:
                raise UnreadableError(
                    f"holds over {_MAX_TEXT // 1_000_000} million characters: split it into smaller files"
                )
        title = document.get_metadata_value("Title").strip()
        return pages, _bookmarks(document), None if _NO_TITLE.search(title) else title
    except pdfium.PdfiumError as error:
        raise UnreadableError(f"is a damaged PDF ({error})") from None
    finally:
        document.close()


def _page_lines(document: pdfium.PdfDocument, number: int) -> list[Line]:
    page = document[number]
    try:
        held = page.get_textpage()
        try:
            return lines_of(held, held.get_text_range(errors="ignore"))
        finally:
            held.close()
    finally:
        page.close()


def _bookmarks(document: pdfium.PdfDocument) -> dict[int, list[tuple[int, str]]]:
    out: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for count, bookmark in enumerate(document.get_toc()):
        if count >= _MAX_BOOKMARKS:
            break
        target = bookmark.get_dest()
        title = flat(bookmark.get_title())
        page = target.get_index() if target else None
        if page is not None and title:
            out[page].append((bookmark.level, title))
    return out


def _first_heading(pages: Sequence[Sequence[Line]], levels: Sequence[dict[int, int]]) -> str | None:
    """The heading of the first page in the largest type of all, or none: headings of chapters are no title."""
    headings = [(level, number, at) for number, page in enumerate(levels) for at, level in page.items()]
    largest = [(number, at) for level, number, at in headings if level == min(headings)[0]]
    if len(largest) == 1 and largest[0][0] == 0:
        return flat(pages[0][largest[0][1]].text)
    return None


def _mark_tables(page: list[str], looks: Sequence[Line], above: Sequence[Line]) -> Sequence[Line]:
    """Turn the rows of a table into Markdown's, and return those that end the page: the next one may go on with them."""
    last: Sequence[Line] = ()
    for table in tables(looks, above):
        rows = looks[table.start : table.end]
        for at, row in enumerate(rows, start=table.start):
            page[at] = f"| {' | '.join(flat(cell.text).replace('|', _ESCAPED_BAR) for cell in row.cells)} |"
        if not table.continues:
            page[table.start] = f"\n{page[table.start]}\n|{' --- |' * len(rows[0].cells)}"
        page[table.end - 1] += "\n"
        last = () if any(line.text.strip() for line in looks[table.end :]) else rows
    return last


def _mark_items(page: list[str], looks: Sequence[Line], headings: Mapping[int, int]) -> None:
    """Give the items of a list the bullets that are only drawn on the page."""
    items = list_items(looks) - headings.keys()
    for at in items:
        page[at] = f"{'' if at - 1 in items else chr(10)}- {flat(page[at])}{'' if at + 1 in items else chr(10)}"


def _mark_larger(page: list[str], levels: Mapping[int, int]) -> None:
    """Turn headings told by their type into Markdown's; one that goes on in the next line is one heading."""
    for at, level in levels.items():
        words = flat(page[at])
        if words and levels.get(at - 1) == level and page[at - 1].startswith("\n#") and not _NUMBERED.match(words):
            words = f"{page[at - 1].strip().lstrip('#').strip()} {words}"
            page[at - 1] = ""
        if words:
            page[at] = f"\n{'#' * level} {words}\n"


def _mark_headings(page: list[str], bookmarks: Sequence[tuple[int, str]]) -> None:
    """Turn the lines that a bookmark of this page names into Markdown headings; a title may run over two lines."""
    for at, line in enumerate(page):
        if line.startswith("#"):
            page[at] = "\\" + line
    shapes = [_bare(line) for line in page]
    begin = 0
    for level, title in bookmarks:
        wanted = _bare(title)
        for at in range(begin, len(page)):
            joined = f"{shapes[at]} {shapes[at + 1]}" if at + 1 < len(page) else ""
            length = 1 if _names(shapes[at], wanted) else 2 if shapes[at] and _names(joined, wanted) else 0
            if length:
                words = flat(" ".join(page[at : at + length]))
                page[at : at + length] = [f"\n{'#' * min(level + 1, 6)} {words}\n", *[""] * (length - 1)]
                begin = at + length
                break


def _bare(text: str) -> str:
    """Small letters without hyphens, which bookmarks leave out where the line breaks."""
    return flat(text).casefold().replace("-", "")


def _names(line: str, title: str) -> bool:
    """Whether the line is the title, with or without its number ("2.1 Scope" for "Scope")."""
    return line == title or (
        line.endswith(title)
        and re.fullmatch(r"[\divxlca-zа-я]{0,4}[\d.]*[.)]?", line[: -len(title)].strip()) is not None
    )


def _with_paragraphs(page: Sequence[str]) -> list[str]:
    """A blank line behind each line that ends a sentence well before the others end: pages have no marks for paragraphs."""
    lengths = sorted(len(line) for line in page if line.strip())
    usual = lengths[int(0.8 * (len(lengths) - 1))] if lengths else 0
    out: list[str] = []
    for line in page:
        ends = line.rstrip().endswith((".", "!", "?", ":")) and len(line) < 0.8 * usual
        # What stands behind a table or a list is no row and no item of it.
        ends = ends or (line.endswith("\n") and line.lstrip().startswith(("|", "- ")))
        out.append(line.rstrip() + "\n" if ends else line.rstrip())
    return out


def _join(pages: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """All pages as one text. A sentence that runs over a page's end runs on."""
    parts: list[str] = []
    starts: list[tuple[int, int]] = []
    size = 0
    last = ""
    for number, page in enumerate(pages, start=1):
        if last and page:
            rows = last[-1] == "|" and page[0] == "|" and not _HEADER.match(page)
            runs_on = rows or (last[-1] not in ".!?:;" and page[:1].islower())
            parts.append("\n" if runs_on else "\n\n")
            size += len(parts[-1])
        starts.append((number, size))
        parts.append(page)
        size += len(page)
        last = page.rstrip() or last
    return "".join(parts), starts
