"""Titles of a plain text that a row of signs underlines, as in reStructuredText and many a README, as Markdown's headings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from knowledge.loading.plain_lines import indent_of, is_marked

_RULE = re.compile(r"([=\-~^\"'`+*#:._])\1{2,}")
#: A list's item, a quote or a row, and columns: what a row of signs stands below for another reason.
_NO_TITLE = re.compile(r"\s*(?:[-*+•>|]|\d{1,9}[.)])\s|\s*[>|]|.*\S(?: {3,}|\t)\S|.*[.;,]\s*$")
_LONGEST = 120
#: One underlined line alone may be a signature or the head of a column.
_LEAST = 2
_DEEPEST = 6


class _Title(NamedTuple):
    """A title with the lines that it and its rules take up; ``style`` is the sign and whether a rule stands above, too."""

    words: str
    first: int
    last: int
    style: tuple[str, bool]


def with_headings(text: str) -> str | None:
    """The text with ``#`` before its underlined titles and without their rules; ``None`` where it has too few, or marks its own.

    Which sign stands for which level each text chooses by using it: the first is the highest. Where it heads several parts, none
    of them is the whole text's title.
    """
    if is_marked(text):
        return None
    lines = text.split("\n")
    titles = list(_titles(lines))
    if len(titles) < _LEAST:
        return None
    top = 1 if sum(title.style == titles[0].style for title in titles) == 1 else 2
    levels: dict[tuple[str, bool], int] = {}
    out: list[str] = []
    at = 0
    for title in titles:
        level = levels.setdefault(title.style, min(len(levels) + top, _DEEPEST))
        out += [*lines[at : title.first], f"{'#' * level} {title.words}"]
        at = title.last + 1
    return "\n".join([*out, *lines[at:]])


def _titles(lines: Sequence[str]) -> Iterator[_Title]:
    behind = 0  # what comes first behind the title before: one rule is not read twice
    for at in range(1, len(lines)):
        rule = _RULE.fullmatch(lines[at].strip())
        words = lines[at - 1].strip()
        if rule is None or at - 1 < behind or not _is_title(lines[at - 1], len(rule[0])):
            continue
        above = lines[at - 2] if at - 2 >= behind else ""
        over = above.rstrip() == lines[at].rstrip()
        if (above.strip() or indent_of(lines[at - 1]) != indent_of(lines[at])) and not over:
            continue
        behind = at + 1
        yield _Title(" ".join(words.split()), at - 2 if over else at - 1, at, (rule[1], over))


def _is_title(line: str, rule: int) -> bool:
    """Whether a line is the title above a rule of so many signs: about as long as it is."""
    length = len(line.strip())
    if not 0 < length <= _LONGEST or _RULE.fullmatch(line.strip()) or _NO_TITLE.match(line):
        return False
    return length - 1 <= rule <= length + max(4, length)
