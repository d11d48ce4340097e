"""Headings and terms of a plain text that its margins tell: manual pages, and pages that a text browser saved.

Titles stand at the margin and what they head stands further in; below a term its definition does. A term and its definition
become one paragraph ("MaxCopies number: The most copies of a job."), since neither says alone what both say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from knowledge.chunking.numbered import plain_headings
from knowledge.loading.plain_lines import indent_of, is_marked

#: A manual page's first line: "lp(1)   Printing   lp(1)".
_MANUAL = re.compile(r"(?P<name>[\w.+:@-]+\(\d\w{0,4}\))(?:\s{2,}\S.*)?\s{2,}(?P=name)\s*")
_TITLE = re.compile(r"[\"“„(<]?[A-ZА-Я0-9].*[^.;,:\s]$|[^a-zа-я]*[^.;,:\s]$")
#: What two blanks part is a term with the beginning of its definition, or columns.
_TERM = re.compile(r"\S+(?: \S+)*(?<![.;,:!?])")
_ITEM = re.compile(r"(?:[-*+•‣▪◦–—]|\d{1,3}[.)]|\(?[a-zа-я]\))\s|[$%>|]")
#: A definition reads like text: a line of code below another does not.
_TEXT = re.compile(r"[\"'“„(\[]?[^\W\d_]\S*(?:\s+\S+){3}")
_ROUND_BULLET = re.compile(r"^(\s+)o(\s{2,}\S)")
_LONGEST_TITLE, _LONGEST_HEAD = 80, 300
_LEAST_TITLES = 3
#: The level of a title at the margin: several head parts, and none of them is the whole text's.
_LEVEL = 2
#: At most so much of the lines stands at the margin, and so much of that must be titles.
_AT_MARGIN, _ARE_TITLES = 0.3, 0.6
#: A title within a part stands so far in, where at most so much of the lines does.
_INNER, _FEW = range(2, 5), 0.1
#: A term's line is so much shorter than most are: a full one goes on in the next.
_SHORT = 0.8
#: So much further in than its term stands a definition.
_STEP = 3


def with_headings(text: str) -> tuple[str, str | None] | None:
    """The text with ``#`` before its titles and each term before its definition, and a manual page's name.

    ``None`` where the margins tell no titles, or where marks or numbers do.
    """
    if is_marked(text):
        return None
    lines, name = _without_frame([line.expandtabs().rstrip() for line in text.split("\n")])
    levels = _levels(lines, most=1.0 if name else _AT_MARGIN)
    if not levels or plain_headings(text):
        return None
    return "\n".join(_with_terms(lines, levels)), name


def _without_frame(lines: list[str]) -> tuple[list[str], str | None]:
    """The lines of a manual page without its head and foot, and its name."""
    held = [at for at, line in enumerate(lines) if line]
    head = _MANUAL.fullmatch(lines[held[0]][:_LONGEST_HEAD]) if held else None
    if head is None:
        return lines, None
    last = held[-1] if lines[held[-1]].endswith(head["name"]) and len(held) > 1 else len(lines)
    return lines[held[0] + 1 : last], head["name"]


def _levels(lines: Sequence[str], *, most: float) -> dict[int, int]:
    """The level of each line that is a title, by its number; nothing where too few are, or too much is at the margin."""
    held = [at for at, line in enumerate(lines) if line]
    indents = {at: indent_of(lines[at]) for at in held}
    titles = [at for at in held if indents[at] == 0 and _is_title(lines, at, indents)]
    if len(titles) < _LEAST_TITLES:
        return {}
    outer = [at for at in held if indents[at] == 0]
    behind = sum(at >= titles[0] for at in outer)
    if len(outer) > most * len(held) or len(titles) < _ARE_TITLES * behind:
        return {}
    levels = dict.fromkeys(titles, _LEVEL)
    for indent in _INNER:
        inner = [at for at in held if indents[at] == indent and at > titles[0]]
        if inner and len(inner) <= _FEW * len(held):
            levels |= {at: _LEVEL + 1 for at in inner if _is_title(lines, at, indents)}
            break
    return levels


def _is_title(lines: Sequence[str], at: int, indents: Mapping[int, int]) -> bool:
    words = lines[at].strip()
    if len(words) > _LONGEST_TITLE or not _TITLE.match(words) or _ITEM.match(words) or (at and lines[at - 1]):
        return False
    below = next((number for number in range(at + 1, len(lines)) if lines[number]), None)
    return below is not None and indents[below] >= indents[at] + 2


def _with_terms(lines: Sequence[str], levels: Mapping[int, int]) -> list[str]:
    lengths = sorted(len(line) for line in lines if line)
    full = _SHORT * lengths[int(0.9 * (len(lengths) - 1))]
    out: list[str] = []
    waiting: list[str] = []  # terms without a definition so far, a blank line below each
    defined = -1
    for at, line in enumerate(lines):
        if at == defined or (waiting and not line):
            continue
        is_term = at not in levels and len(line) <= full and _is_term(lines, at)
        if is_term and not _below(lines, at) and (not waiting or _is_alike(waiting[-1], line)):
            waiting.append(line)
            continue
        alike: list[str] = []
        if is_term and at + 1 not in levels and _defines(line, _below(lines, at)):
            alike = [one.strip() for one in waiting] if waiting and _is_alike(waiting[-1], line) else []
            defined = at + 1
        if not alike:
            out += [part for one in waiting for part in (one, "")]
        waiting = []
        if at in levels:
            out += [f"{'#' * levels[at]} {line.strip()}", ""]
        elif at + 1 == defined:
            out.append(f"{' ' * indent_of(line)}{', '.join([*alike, line.strip()])}: {lines[defined].strip()}")
        else:
            out.append(_ROUND_BULLET.sub(r"\1-\2", line))
    return [*out, *waiting]


def _below(lines: Sequence[str], at: int) -> str:
    return lines[at + 1] if at + 1 < len(lines) else ""


def _defines(term: str, below: str) -> bool:
    """Whether the line below a term begins its definition."""
    return indent_of(below) >= indent_of(term) + _STEP and _TEXT.match(below.strip()) is not None


def _is_term(lines: Sequence[str], at: int) -> bool:
    """Whether a line below a blank one names something and says nothing of it, as far as its shape tells."""
    words = lines[at].strip()
    return lines[at][:1] == " " and _TERM.fullmatch(words) is not None and not _ITEM.match(words) and not lines[at - 1]


def _is_alike(one: str, other: str) -> bool:
    """Whether two terms may be ways to write one: "-u allow:all" and "-u deny:none"."""
    first, second = one.split()[0], other.split()[0]
    return indent_of(one) == indent_of(other) and (first == second or (first[0] == second[0] and first[0] in "-<["))
