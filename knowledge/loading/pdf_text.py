"""A PDF's lines put right: words that a line's end cut in two, and lines that stand on page after page."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

from knowledge.loading.blocks import flat
from knowledge.loading.parsed import clean

#: PDFium's marks for a hyphen at a line's end, with the line end that may stand behind it.
LINE_HYPHEN = re.compile("[\x02\ufffe\u00ad][ \t]*\r?\n?")
_CUT_WORD = re.compile(rf"(?P<left>[^\W_]*){LINE_HYPHEN.pattern}(?P<right>[^\W_]*)")
_WORD = re.compile(r"[^\W\d_]+")
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
#: A line of a table of contents, by the dots that lead to its page, and one without them, which stands near such.
#: The title ends before the first of the dots, and they are taken all at once, so that a line of nothing else costs no more.
_LED = re.compile(r"(?P<title>\S(?:.*?[^\s.…])?)\s*+(?:(?:\.\s?){4,}+|…++\s*+)(?P<page>\d{1,4})\s*+")
_UNLED = re.compile(r"(?P<title>\S.*?)\s+(?P<page>\d{1,4})\s*")
_CONTENTS = re.compile(r"\W*(?:table of )?contents\W*|\W*съдържание\W*", re.IGNORECASE)
_LEAST_CONTENTS, _NEAR, _LONGEST_ENTRY = 5, 3, 300
#: So much of a table of contents must stand in the text, too: a price list's lines do not.
_SAID = 0.7
#: Of fewer pages the first line is a running head where it is the same on so many.
_LEAST_REPEATS = 3
#: A line at the pages' edges that stands on more than this share of them is no text of theirs: left and right pages may differ.
_REPEATED = 0.35
_LONGEST_RUNNING = 150
_MOST_NUMBERS = 4


def join_words(pages: Sequence[Sequence[str]]) -> list[list[str]]:
    """The lines, plain, with cut words joined.

    The hyphen stays where it belongs to the word: before capitals and digits (AX-204), and where the document writes it within a
    line ("self-service"). "ex-ample" is "example" where the document writes that elsewhere.
    """
    open_forms = Counter(
        match.casefold() for page in pages for line in page for match in _HYPHENATED.findall(line) if match
    )

    @cache
    def words() -> frozenset[str]:
        return frozenset(word.casefold() for page in pages for line in page for word in _WORD.findall(line))

    def joined(match: re.Match[str]) -> str:
        left, right = match["left"], match["right"]
        keeps = (
            not left
            or not right
            or not right[0].islower()
            or left.isupper()
            or left[-1].isdigit()
            or (left.casefold() in _JOINED_OPENLY and f"{left}{right}".casefold() not in words())
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


def drop_contents(pages: Sequence[list[str]]) -> None:
    """Empty the lines of a table of contents: they say nothing but where what they name stands, and the headings say that.

    It is one where the pages that dots lead to rise and most titles stand in the text again; a price list has neither.
    """
    places = [(number, at) for number, page in enumerate(pages) for at, line in enumerate(page) if line.strip()]
    led = [_LED.fullmatch(pages[number][at][:_LONGEST_ENTRY]) for number, at in places]
    titles = [(int(found["page"]), _title(found["title"])) for found in led if found]
    if len(titles) < _LEAST_CONTENTS or any(one[0] > other[0] for one, other in pairwise(titles)):
        return
    said = {_title(pages[number][at]) for (number, at), found in zip(places, led, strict=True) if not found}
    if sum(title in said for _, title in titles) < _SAID * len(titles):
        return
    for nth, ((number, at), found) in enumerate(zip(places, led, strict=True)):
        line = pages[number][at]
        unled = _UNLED.fullmatch(line[:_LONGEST_ENTRY]) if any(led[max(0, nth - _NEAR) : nth + _NEAR + 1]) else None
        names = unled is not None and _title(unled["title"]) in said
        if found or names or (_CONTENTS.fullmatch(line) and any(led[nth + 1 : nth + _NEAR + 1])):
            pages[number][at] = ""


def _title(line: str) -> str:
    """A title in small letters, without its number and what parts its words."""
    return "".join(_WORD.findall(line.casefold()))


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
