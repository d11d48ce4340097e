"""PDF to text with page numbers, through PDFium. Headings are the document's own bookmarks, where it has any."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence

import pypdfium2 as pdfium

from knowledge.loading.blocks import flat
from knowledge.loading.markdown import first_line
from knowledge.loading.parsed import Parsed, UnreadableError, clean

#: PDFium keeps global state and must not be entered twice at once.
_LOCK = threading.Lock()
#: PDFium's mark for a hyphen that only a line's end asked for.
_LINE_HYPHEN = re.compile("[\x02\ufffe\u00ad][ \t]*\r?\n?")
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
_PAGE_NUMBER = re.compile(
    r"\W*(?:(?:page|p\.|стр\.?|страница)\s*)?(?:\d{1,4}|[ivxlc]{1,6})(?:\s*(?:/|of|от)\s*\d{1,4})?\W*$", re.IGNORECASE
)
_NO_TITLE = re.compile(r"microsoft (?:word|powerpoint)|untitled|^\W*$|\.(?:docx?|pdf|indd|rtf|odt|tex)$", re.IGNORECASE)
_EDGE_LINES = 2
_LEAST_PAGES = 4
_MAX_BOOKMARKS = 20_000
_MAX_TEXT = 100_000_000


def read_pdf(data: bytes) -> Parsed:
    """The text of all pages in order, running heads and page numbers taken off, and where each page begins."""
    with _LOCK:
        pages, bookmarks, title = _extract(data)
    if not any(page.strip() for page in pages):
        raise UnreadableError("has no text in it, only pictures (a scan?): run text recognition (OCR) on it first")
    lines = [page.split("\n") for page in pages]
    _drop_running_lines(lines)
    for number, page in enumerate(lines):
        _mark_headings(page, bookmarks.get(number, ()))
    text, starts = _join(["\n".join(_with_paragraphs(page)).strip("\n") for page in lines])
    bare = [number for number, page in enumerate(pages, start=1) if not page.strip()]
    notes = (f"{len(bare)} of its {len(pages)} pages hold no text (first: page {bare[0]}).",) if bare else ()
    return Parsed(text, title or first_line(text), tuple(starts), notes)


def _extract(data: bytes) -> tuple[list[str], dict[int, list[tuple[int, str]]], str | None]:
    """Page texts, bookmarks by page as (level from 0, title), and the title that the file gives itself."""
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if "password" in str(error).lower():
            raise UnreadableError("is encrypted: remove its password first") from None
        raise UnreadableError(f"is not a PDF that can be opened ({error})") from None
    try:
        pages: list[str] = []
        size = 0
        for number in range(len(document)):
            pages.append(_page_text(document, number))
            size += len(pages[-1])
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


def _page_text(document: pdfium.PdfDocument, number: int) -> str:
    page = document[number]
    try:
        held = page.get_textpage()
        try:
            text = held.get_text_range(errors="ignore")
        finally:
            held.close()
    finally:
        page.close()
    text = clean(_LINE_HYPHEN.sub("", text)).translate(_LIGATURES)
    return unicodedata.normalize("NFC", text)


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


def _drop_running_lines(pages: Sequence[list[str]]) -> None:
    """Empty the lines at the pages' edges that most pages repeat, and bare page numbers there."""
    if len(pages) < _LEAST_PAGES:
        return
    seen: Counter[str] = Counter()
    for page in pages:
        seen.update({_shape(page[at]) for at in _edges(page)})
    for page in pages:
        for at in _edges(page):
            if _PAGE_NUMBER.fullmatch(page[at]) or seen[_shape(page[at])] > 0.6 * len(pages):
                page[at] = ""


def _edges(page: Sequence[str]) -> list[int]:
    held = [at for at, line in enumerate(page) if line.strip()]
    return sorted({*held[:_EDGE_LINES], *held[-_EDGE_LINES:]})


def _shape(line: str) -> str:
    """A line with its numbers left out, so that "Page 3" and "Page 4" are one."""
    return re.sub(r"\d+", "#", flat(line)).casefold()


def _mark_headings(page: list[str], bookmarks: Sequence[tuple[int, str]]) -> None:
    """Turn the lines that a bookmark of this page names into Markdown headings; a title may run over two lines."""
    for at, line in enumerate(page):
        if line.startswith("#"):
            page[at] = "\\" + line
    shapes = [flat(line).casefold() for line in page]
    begin = 0
    for level, title in bookmarks:
        wanted = title.casefold()
        for at in range(begin, len(page)):
            joined = f"{shapes[at]} {shapes[at + 1]}" if at + 1 < len(page) else ""
            length = 1 if _names(shapes[at], wanted) else 2 if shapes[at] and _names(joined, wanted) else 0
            if length:
                words = flat(" ".join(page[at : at + length]))
                page[at : at + length] = [f"\n{'#' * min(level + 1, 6)} {words}\n", *[""] * (length - 1)]
                begin = at + length
                break


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
            runs_on = last[-1] not in ".!?:;" and page[:1].islower()
            parts.append("\n" if runs_on else "\n\n")
            size += len(parts[-1])
        starts.append((number, size))
        parts.append(page)
        size += len(page)
        last = page.rstrip() or last
    return "".join(parts), starts
