"""Footnotes of tables: "10-20*" in a cell, and "* weekends only" below the table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from knowledge.sentences import split_sentences

_SIGN = r"\*{1,3}|[†‡]{1,2}|[¹²³⁴-⁹]{1,2}|\([0-9a-z]\)|\[(?:[0-9]{1,2}|[a-z])\]|[0-9a-z]\)"
_NOTE = re.compile(rf"[ \t>]*(?:\\(?=\*))?(?P<sign>{_SIGN})(?:[ \t]*)(?=[^\s*])")
_BEHIND_CELL = re.compile(rf"(?<=[^\s(\[*])\s?(?P<sign>{_SIGN})(?=\s*(?:[:;,.]|\s|\Z))")

#: The same in a row as it stands in the text.
_IN_CELL = re.compile(rf"(?<=[^\s(\[*|])\s?(?:\\(?=\*))?(?P<sign>{_SIGN})(?=[ \t]*\|)")


@lru_cache(maxsize=1 << 10)
def footnotes(body: str) -> Mapping[int, tuple[str, str]]:
    """By the number of the sentence, the sign and the text of each footnote under a table of the passage.

    Two lines of one sign are a list, and no footnotes.
    """
    found: dict[int, tuple[str, str]] = {}
    below = False
    if "|" in body:
        for at, (start, end) in enumerate(split_sentences(body)):
            line = body.rfind("\n", 0, start) + 1
            if body[line:end].lstrip(" >").startswith("|"):
                below = True
            elif below and not body[line:start].strip() and (note := _NOTE.match(body, start, end)):
                found[at] = note["sign"], " ".join(body[note.end() : end].split())
    times = Counter(sign for sign, _ in found.values())
    return MappingProxyType({at: note for at, note in found.items() if times[note[0]] == 1})


def signs_in(cells: str) -> set[str]:
    """The signs behind the words of a row, as ``tables.Row.labelled`` tells it; emphasis is none."""
    return {
        found["sign"]
        for cell in cells.split("; ")
        for found in _BEHIND_CELL.finditer(cell)
        if found["sign"][0] != "*" or cell.count("*") == len(found["sign"])
    }


def notes_below(text: str, start: int, end: int, stop: int) -> list[tuple[str, int, int]]:
    """The footnotes of the table ``text[start:end]`` in the lines right below it, before ``stop``: sign, start and end."""
    signs = {found["sign"] for found in _IN_CELL.finditer(text, start, end)}
    out: list[tuple[str, int, int]] = []
    at = end
    while signs and at < stop:
        newline = text.find("\n", at, stop)
        line_end = stop if newline < 0 else newline
        note = _NOTE.match(text, at, line_end)
        if note is not None and note["sign"] in signs:
            out.append((note["sign"], at, at + len(text[at:line_end].rstrip())))
        elif text[at:line_end].strip():
            break
        at = line_end + 1
    times = Counter(sign for sign, _, _ in out)
    return out if all(number == 1 for number in times.values()) else []


def bears(text: str, start: int, end: int, sign: str) -> bool:
    """Whether a cell of the rows ``text[start:end]`` ends with this sign."""
    return any(found["sign"] == sign for found in _IN_CELL.finditer(text, start, end))


def notes_of(cells: str, notes: Mapping[int, tuple[str, str]], behind: int) -> Sequence[int]:
    """The numbers of the footnotes that a row leads to, of those behind the row's own number."""
    signs = signs_in(cells) if notes else set()
    return [at for at, (sign, _) in notes.items() if at > behind and sign in signs]
