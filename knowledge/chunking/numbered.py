"""Rules whose headings are numbers: "13. Title of the rule", "13.2 Title". Weaker than "Rule 13": any list is numbered too."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

#: More words than this are no title, and more characters neither.
TITLE_WORDS = 14
TITLE_CHARACTERS = 120
_HEADED = re.compile(
    r"^[ \t]{0,8}(?:#{1,6}[ \t]+)?(?:\*\*|__)?"
    r"(?P<number>\d{1,3}(?:\.\d{1,3}){0,3}[A-Za-zА-я]?|[A-Z](?:(?:\.\d{1,3}){1,3}|(?=\.[ \t])))(?P<stop>[.)]?)(?:\*\*|__)?"
    r"[ \t]+(?P<title>[^\W\d_][^\n]*)$",
    re.MULTILINE,
)
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n[ \t\r]*\Z")
_BLANK_BELOW = re.compile(r"[ \t\r]*\n[ \t\r]*\n")
_NUMBERED_LINE = re.compile(r"\n[ \t]*\d{1,3}[.)][ \t]")
#: Characters of a text that is small enough to be kept for the next who asks: how it is cut depends on it, then it is cut.
_SHORT = 100_000
#: A title that text follows in its line.
_LEADING_TITLE = re.compile(r"([^.:\n]{1,80})[.:](?=[ \t]+[\"“„«(]?[^\W\d_a-zа-я])")
#: Words of up to so many letters are written small in a title.
_SMALL = 4
#: More than any number that a heading has.
_BEHIND_ALL = 1000
#: So many titles that numbers open make headings of them in a text that has no others.
_LEAST_HEADINGS = 3


@dataclass(frozen=True, slots=True)
class NumberedHeading:
    """A heading that its number opens: ``number``, the ``stop`` behind it and ``title``, and its line ``text[start:end]``."""

    number: str
    stop: str
    title: str
    start: int
    end: int

    @property
    def depth(self) -> int:
        """0 of "13.", 1 of "13.2"."""
        return self.number.count(".")

    @property
    def order(self) -> tuple[tuple[int, str], ...]:
        """What numbers are sorted by: 13.2 stands before 13.10, 13 before 13a, and all before the appendix A."""
        parts = (re.fullmatch(r"(\d*)(\D?)", part) for part in self.number.split("."))
        return tuple((int(part[1] or _BEHIND_ALL), part[2]) for part in parts if part)

    @property
    def letter(self) -> str:
        """The appendix that it heads or stands in; empty for a number."""
        return self.number[0] if self.number[0].isalpha() else ""


@dataclass(slots=True)
class _Block:
    """The lines up to the next blank one, kept for the next title in them: they are looked through once, not once a title."""

    end: int = -1
    last: int = -1

    def is_listed(self, text: str, at: int) -> bool:
        """Whether another numbered line follows ``at`` without a blank line between; asked from the text's start on."""
        if at > self.end:
            below = _BLANK_BELOW.search(text, at)
            self.end = below.start() if below else len(text)
            self.last = max((found.start() for found in _NUMBERED_LINE.finditer(text, at, self.end)), default=-1)
        return at <= self.last


def numbered_headings(text: str, headings: Sequence[int], parts: Sequence[int]) -> list[NumberedHeading]:
    """The headings of a text that numbers open, in order; behind numbers also an appendix's letter, "A. Title", "A.1. Title".

    A heading of Markdown is one by itself. A plain line is one where it stands apart, looks like a title, has text below it and
    counts on from the one before; entries of a list, which follow each other, are none. ``headings``: where Markdown's headings
    start; ``parts``: where anything starts under which the numbers may begin anew; both ascending.
    """
    known = frozenset(headings)
    block = _Block()
    titled = [
        NumberedHeading(found["number"], found["stop"], title, found.start(), end)
        for found in _HEADED.finditer(text)
        for title, end in _titles(text, found, block, is_heading=found.start() in known)
    ]
    listed = set(_entries(text, titled))
    out: list[NumberedHeading] = []
    for one in titled:
        plain = one.start not in known
        if one.letter and not (plain and _is_appended(out, one) and _is_apart(text, one.start, one.end)):
            continue
        if plain and (one.start in listed or not _stands_apart(text, one) or not _counts_on(out, one, parts)):
            continue
        out.append(one)
    return out


def plain_headings(text: str) -> list[NumberedHeading]:
    """The headings of a text without marks: three or more numbered titles, each between blank lines and without a stop.

    Titles of one depth stand at one margin, and their numbers rise. A list that a colon leads stays a list, and so do entries
    that follow each other.
    """
    found = _plain_of_short(text) if len(text) <= _SHORT else _plain(text)
    return list(found)


def _plain(text: str) -> list[NumberedHeading]:
    titled: list[NumberedHeading] = []
    for found in _HEADED.finditer(text):
        one = NumberedHeading(
            found["number"], found["stop"], found["title"].rstrip(" \t\r*_"), found.start(), found.end()
        )
        is_marked = "#" in text[one.start : found.start("number")]
        is_candidate = not is_marked and (one.stop == "." or one.depth > 0) and is_title(one.title.removesuffix("?"))
        if is_candidate and _is_apart(text, one.start, one.end):
            titled.append(one)
    listed = set(_entries(text, titled))
    out: list[NumberedHeading] = []
    margins: dict[int, int] = {}
    entry: tuple[int, int] | None = None  # the margin and the number of the last entry of a list that a colon leads
    for one in titled:
        margin = len(text[one.start : one.end]) - len(text[one.start : one.end].lstrip())
        if not one.depth and one.number == "1" and text[max(0, one.start - 80) : one.start].rstrip()[-1:] == ":":
            entry = margin, 1
            continue
        if not one.depth and entry == (margin, one.order[0][0] - 1):
            entry = margin, one.order[0][0]
            continue
        if one.start in listed or margins.get(one.depth, margin) != margin or not _counts_on(out, one, ()):
            continue
        if not one.letter or _is_appended(out, one):
            margins[one.depth] = margin
            out.append(one)
    return out if len(out) >= _LEAST_HEADINGS else []


_plain_of_short = lru_cache(maxsize=2)(_plain)


def _is_appended(before: Sequence[NumberedHeading], one: NumberedHeading) -> bool:
    """Whether a letter goes on behind numbers, from A on, or behind the letter before."""
    if not before:
        return False
    last = before[-1].letter
    return one.letter == last or one.letter == (chr(ord(last) + 1) if last else "A")


def _titles(text: str, found: re.Match[str], block: _Block, *, is_heading: bool) -> Iterator[tuple[str, int]]:
    """The line's title and where it ends, if it has one: all of the line, or what leads its text ("4. Rent. The tenant pays")."""
    line = found["title"].rstrip(" \t\r*_")
    if is_heading:
        yield line, found.end()
    elif (
        (leading := _LEADING_TITLE.match(line))
        and _is_in_capitals(leading[1])
        and not block.is_listed(text, found.end())
    ):
        yield leading[0], found.start("title") + leading.end()
    elif is_title(line.removesuffix("?")) or (
        is_title(line.removesuffix(".")) and ". " not in line and _is_apart(text, found.start(), found.end())
    ):
        yield line, found.end()


def _is_in_capitals(title: str) -> bool:
    """Whether a title's words begin with capitals, small ones apart: "Grant of Patent License", and no sentence."""
    return is_title(title) and all(not word[0].islower() for word in title.split() if len(word) > _SMALL)


def _stands_apart(text: str, one: NumberedHeading) -> bool:
    """Whether a plain line with a number like a heading's is parted from what is above it, and not continued below."""
    if one.stop != "." and not one.depth:
        return False
    below = text[one.end : one.end + 80].lstrip()
    return _is_begun(text, one.start) and bool(below) and not below[0].islower()


def _is_apart(text: str, start: int, end: int) -> bool:
    """Whether a line stands between blank lines."""
    return _is_begun(text, start) and _BLANK_BELOW.match(text, end) is not None


def _is_begun(text: str, start: int) -> bool:
    """Whether what is above a line has ended."""
    above = text[max(0, start - 80) : start]
    return not above.strip() or _BLANK_LINE.search(above) is not None


def is_title(line: str) -> bool:
    """A short line that begins like a title and does not end like a sentence."""
    return (
        0 < len(line) <= TITLE_CHARACTERS
        and len(line.split()) <= TITLE_WORDS
        and line[0].isupper()
        and line[-1] not in ".;:,!?-–—"
    )


def _entries(text: str, titled: Sequence[NumberedHeading]) -> Iterator[int]:
    """Where the entries of lists start: lines of one depth that follow each other without text between."""
    for one, following in pairwise(titled):
        gap = text[one.end : min(following.start, one.end + 200)]
        if one.depth == following.depth and following.start - one.end < 200 and not gap.strip():
            yield one.start
            yield following.start


def _counts_on(before: Sequence[NumberedHeading], one: NumberedHeading, parts: Sequence[int]) -> bool:
    if not before or before[-1].order < one.order:
        return True
    at = bisect_left(parts, before[-1].end)
    return at < len(parts) and parts[at] <= one.start
