"""A PDF's lines put right: words that a line's end cut in two, and lines that stand on page after page."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

from knowledge.loading.blocks import flat
from knowledge.loading.parsed import clean

#: PDFium's marks for a hyphen at a line's end, with the line end that may stand behind it.
LINE_HYPHEN = re.compile("[\x02\ufffe\u00ad][ \t]*\r?\n?")
_CUT_WORD = re.compile(rf"(?P<left>[^\W_]*){LINE_HYPHEN.pattern}(?P<right>[^\W_]*)")
_HYPHENATED = re.compile(r"[^\W\d_]+-[^\W\d_]+")
#: Beginnings that English joins with a hyphen whatever follows.
_JOINED_OPENLY = frozenset({"self", "non", "ex", "well", "cross", "high", "low", "long", "short", "half", "all"})
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
_PAGE_NUMBER = re.compile(
    r"\W*(?:(?:page|p\.|стр\.?|страница)\s*)?(?:\d{1,4}|[ivxlc]{1,6})(?:\s*(?:/|of|от)\s*\d{1,4})?\W*$", re.IGNORECASE
)
_PAGE_OF = re.compile(r"\W*(?:page|p\.|стр\.?|страница)?\s*(\d{1,4})\s*(?:/|of|от)\s*(\d{1,4})\W*", re.IGNORECASE)
_EDGE_LINES = 2
_ROUNDS = 3
_LEAST_PAGES = 4
#: Of fewer pages the first line is a running head where it is the same on so many.
_LEAST_REPEATS = 3
#: A line at the pages' edges that stands on more than this share of them is no text of theirs: left and right pages may differ.
_REPEATED = 0.35
_LONGEST_RUNNING = 150
_MOST_NUMBERS = 4


def join_words(pages: Sequence[Sequence[str]]) -> list[list[str]]:
    """The lines, plain, with cut words joined.

    The hyphen stays where it belongs to the word: before capitals and digits (AX-204), and where the document writes it within a
    line ("self-service").
    """
    open_forms = Counter(
        match.casefold() for page in pages for line in page for match in _HYPHENATED.findall(line) if match
    )

    def joined(match: re.Match[str]) -> str:
        left, right = match["left"], match["right"]
        keeps = (
            not left
            or not right
            or not right[0].islower()
            or left.isupper()
            or left[-1].isdigit()
            or left.casefold() in _JOINED_OPENLY
            or f"{left}-{right}".casefold() in open_forms
        )
        return f"{left}-{right}" if keeps else left + right

    return [
        [plain(_CUT_WORD.sub(joined, line) if LINE_HYPHEN.search(line) else line) for line in page] for page in pages
    ]


def plain(line: str) -> str:
    """Ligatures as letters, nothing invisible, composed letters (NFC)."""
    return unicodedata.normalize("NFC", clean(line).translate(_LIGATURES))


def drop_running_lines(pages: Sequence[list[str]]) -> None:
    """Empty the lines at the pages' edges that many pages repeat, and bare page numbers there.

    "Page 3 of 25" and "Page 4 of 25" are one line, since the number goes up with the page; "zone 1: 10 EUR" and "zone 2: 20 EUR"
    are two.
    """
    if len(pages) < _LEAST_PAGES:
        _drop_few(pages)
        return
    for _ in range(_ROUNDS):
        seen: Counter[str] = Counter()
        for number, page in enumerate(pages):
            seen.update({key for at in _edges(page) for key in _keys(page[at], number)})
        least = max(3, int(_REPEATED * len(pages)) + 1)
        dropped = False
        for number, page in enumerate(pages):
            for at in _edges(page):
                line = page[at]
                repeats = len(line) <= _LONGEST_RUNNING and any(seen[key] >= least for key in _keys(line, number))
                if repeats or _PAGE_NUMBER.fullmatch(line):
                    page[at] = ""
                    dropped = True
        if not dropped:
            return


def _drop_few(pages: Sequence[list[str]]) -> None:
    """Of a few pages only what is sure: "Page 1 of 3" on the first of three, and a first line that all share, once."""
    for number, page in enumerate(pages, start=1):
        for at in _edges(page):
            told = _PAGE_OF.fullmatch(page[at])
            if told and (int(told[1]), int(told[2])) == (number, len(pages)):
                page[at] = ""
    heads = [next((number for number, line in enumerate(page) if line.strip()), None) for page in pages]
    lines = {"" if head is None else flat(page[head]) for page, head in zip(pages, heads, strict=True)}
    if len(pages) < _LEAST_REPEATS or len(lines) != 1 or "" in lines:
        return
    for page, head in zip(pages[1:], heads[1:], strict=True):
        if head is not None:
            page[head] = ""


def _edges(page: Sequence[str]) -> list[int]:
    held = [at for at, line in enumerate(page) if line.strip()]
    return sorted({*held[:_EDGE_LINES], *held[-_EDGE_LINES:]})


def _keys(line: str, page: int) -> Iterator[str]:
    """What a line is known by: itself, and itself with one of its numbers told by how far it is from the page's."""
    words = flat(line).casefold()
    yield words
    for count, match in enumerate(re.finditer(r"\d{1,5}", words)):
        if count < _MOST_NUMBERS:
            yield f"{words[: match.start()]}#{int(match[0]) - page}{words[match.end() :]}"
