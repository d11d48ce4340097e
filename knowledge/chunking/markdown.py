"""The outline of a Markdown-like text: its sections under their headings, and the tables and code blocks that stay whole.

A scanner of lines, not a CommonMark parser: it keeps offsets into the text, takes tens of megabytes in its stride, and what it
does not know (lists, quotes, inline marks) is text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

_ATX = re.compile(r" {0,3}(#{1,6})(?=[ \t\r]|$)")
_UNDERLINE = re.compile(r" {0,3}(?:(=+)|-+)[ \t\r]*$")
_ITEM = re.compile(r"\s*(?:[-*+>|]|\d{1,9}[.)])(?=\s)|\s*[>|]")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
#: A question in bold type on a line of its own heads the answer below it, as on a page of questions and answers.
_STRONG_QUESTION = re.compile(r" {0,3}(\*\*|__)(?=[^\s*_])[^*_]{2,160}\?\1[ \t\r]*$")
_DELIMITER_ROW = re.compile(r"[ \t]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t\r]*$")
_FRONT_MATTER_LINE = re.compile(r"\s*$|\s*#|[\w .-]+:(?:\s|$)|\s+\S|- ")
#: Characters of a text that is small enough to be kept for the next who asks: its title is looked for, then it is cut.
_SHORT = 100_000


@dataclass(frozen=True, slots=True)
class Block:
    """A table or a fenced code block: ``text[start:end]``; ``body`` is where a table's rows begin, behind header and rule."""

    start: int
    end: int
    kind: Literal["table", "code"]
    body: int


@dataclass(frozen=True, slots=True)
class Section:
    """``text[start:end]`` under the headings of ``path``, outermost first, with its whole blocks.

    ``heading_starts`` is where the lines of those headings start.
    """

    path: tuple[str, ...]
    start: int
    end: int
    blocks: tuple[Block, ...] = ()
    heading_starts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading's level, words, the lines that it takes up, and where in them its words start."""

    level: int
    text: str
    start: int
    end: int
    words: int


def front_matter_end(text: str) -> int:
    """Where the text begins behind a YAML block between ``---`` lines; 0 where there is none."""
    lines = _lines(text)
    first = next(lines, None)
    if first is None or text[first[0] : first[1]].rstrip() != "---":
        return 0
    for number, (start, end) in enumerate(lines):
        line = text[start:end]
        if line.rstrip() in ("---", "..."):
            return min(end + 1, len(text)) if number else 0
        if number > 200 or not _FRONT_MATTER_LINE.match(line):
            return 0
    return 0


def sections(text: str, outlined: tuple[Sequence[Heading], Sequence[Block]] | None = None) -> list[Section]:
    """The text cut at its headings, in order; what stands before the first heading has an empty path.

    A heading without text of its own leads its subsections; one with nothing below it is text itself: no word is lost.
    ``outlined``: headings and blocks found in another way than ``outline``.
    """
    headings, blocks = outlined or outline(text)
    out: list[Section] = []
    stack: list[Heading] = []
    edges = [*headings, Heading(0, "", len(text), len(text), len(text))]
    preface = Section((), 0, edges[0].start, tuple(block for block in blocks if block.start < edges[0].start))
    if text[preface.start : preface.end].strip():
        out.append(preface)
    at = len(preface.blocks)
    for heading, following in pairwise(edges):
        while stack and stack[-1].level >= heading.level:
            stack.pop()
        stack.append(heading)
        first = at
        while at < len(blocks) and blocks[at].start < following.start:
            at += 1
        if text[heading.end : following.start].strip():
            out.append(_section(stack, heading.end, following.start, blocks[first:at]))
        elif following.level <= heading.level and heading.text:
            out.append(_section(stack[:-1], heading.words, heading.end, ()))
    return out


def _section(above: Sequence[Heading], start: int, end: int, blocks: Sequence[Block]) -> Section:
    path, starts = tuple(one.text for one in above), tuple(one.start for one in above)
    return Section(path, start, end, tuple(blocks), starts)


def outline(text: str) -> tuple[list[Heading], list[Block]]:
    """All headings and all whole blocks, in order. ``#`` inside a fence is code."""
    headings, blocks = _outline_of_short(text) if len(text) <= _SHORT else _outline(text)
    return list(headings), list(blocks)


def _outline(text: str) -> tuple[list[Heading], list[Block]]:
    headings: list[Heading] = []
    blocks: list[Block] = []
    previous = (0, 0)  # the line before, empty behind a blank line or a block
    alone = False  # whether the line before opened its paragraph, so that an underline makes it a heading
    fence: tuple[int, str] | None = None
    table: list[int] | None = None  # start, rows' start, end
    level = 1  # of the heading in force
    for start, end in _lines(text):
        if fence is not None:
            if _closes(text, start, end, fence[1]):
                blocks.append(Block(fence[0], end, "code", fence[0]))
                fence = None
            continue
        if table is not None:
            if "|" in text[start:end]:
                table[2] = end
                continue
            blocks.append(Block(table[0], table[2], "table", table[1]))
            table = None
        opening = _FENCE.match(text, start, end)
        underline = _UNDERLINE.match(text, start, end) if alone else None
        if opening:
            fence = (start, opening[1])
        elif found := _ATX.match(text, start, end):
            level = len(found[1])
            headings.append(Heading(level, _heading_text(text[found.end() : end]), start, end, found.end()))
        elif underline:
            words = _heading_text(text[slice(*previous)])
            level = 1 if underline[1] else 2
            headings.append(Heading(level, words, previous[0], end, previous[0]))
        elif previous == (0, 0) and (strong := _STRONG_QUESTION.match(text, start, end)):
            words = _heading_text(text[start:end].strip().strip("_*"))
            headings.append(Heading(min(level + 1, 6), words, start, end, strong.end(1)))
        elif "|" in text[slice(*previous)] and _is_delimiter(text, start, end):
            table = [previous[0], min(end + 1, len(text)), end]
        elif text[start:end].strip():
            alone = previous == (0, 0) and not _ITEM.match(text, start, end)
            previous = (start, end)
            continue
        previous, alone = (0, 0), False
    if table is not None:
        blocks.append(Block(table[0], table[2], "table", table[1]))
    if fence is not None:
        blocks.append(Block(fence[0], len(text), "code", fence[0]))
    return headings, blocks


_outline_of_short = lru_cache(maxsize=2)(_outline)


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        if end < 0:
            end = len(text)
        yield start, end
        start = end + 1


def _closes(text: str, start: int, end: int, mark: str) -> bool:
    line = text[start:end].strip()
    return len(line) >= len(mark) and not line.strip(mark[0]) and line[0] == mark[0]


def _is_delimiter(text: str, start: int, end: int) -> bool:
    return "|" in text[start:end] and _DELIMITER_ROW.match(text, start, end) is not None


def _heading_text(line: str) -> str:
    """The words of a heading line, without closing ``#`` and bold marks."""
    words = line.strip()
    bare = words.rstrip("#")
    if bare != words and (not bare or bare[-1] in " \t"):
        words = bare.strip()
    return " ".join(words.replace("**", "").split())


class Trail:
    """The headings in force at any offset of a text, for chunkers that cut across headings."""

    def __init__(self, headings: Sequence[Heading]) -> None:
        self._starts: list[int] = []
        self._paths: list[tuple[str, ...]] = []
        stack: list[Heading] = []
        for heading in headings:
            while stack and stack[-1].level >= heading.level:
                stack.pop()
            stack.append(heading)
            self._starts.append(heading.start)
            self._paths.append(tuple(one.text for one in stack if one.text))

    def at(self, offset: int) -> tuple[str, ...]:
        """Headings that start before ``offset``; one that starts right there is text of what begins there."""
        before = bisect_left(self._starts, offset)
        return self._paths[before - 1] if before else ()
