"""Two rules told side by side, and a claim that gives one of them what the other one has.

"Adults may borrow 12 items, children 20" says nothing of "children may borrow 12 items"; "cash is accepted, cheques are not" is
not "cheques are accepted, cash is not". What stands side by side are the pieces of a sentence, or two sentences in a row.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from nodes.facts import facts_of
from nodes.multiples import as_read
from nodes.numerals import UNITS
from nodes.polarity import denials, neutral
from nodes.words import words

_CUT = re.compile(r"[;,](?!\d)|\b(?:and|but|while|whereas|или|и|но|а|und|aber)\b", re.IGNORECASE)
#: What parts clauses, and not the items of a list.
_CLAUSES = re.compile(r"[;.](?=\s)|\b(?:but|while|whereas|но|aber|während)\b", re.IGNORECASE)
_HALVES = re.compile(r"[;.](?=\s)|,? \b(?:and|but|while|whereas|и|но|а|und|aber)\b", re.IGNORECASE)
_DURATIONS = frozenset({"time", "months", "business day", "business hour"})
#: The share of the words of both halves that a claim must have to set them side by side again.
_BOTH = 0.7
#: More halves than this are a list, or no sentence.
_FEW = 8
_DENIED, _AFFIRMED = "(not)", "(so)"

_PROBLEM = "gives one thing what it cites gives another"

Value = tuple[str, object]
Half = dict[str, int]


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text around its values: the words before the last one and those behind, in order, without numbers;
    and the sentence that it is a piece of.
    """

    values: frozenset[Value]
    before: tuple[str, ...]
    behind: tuple[str, ...]
    sentence: str

    @property
    def said(self) -> frozenset[str]:
        """All of its words."""
        return frozenset(self.before + self.behind)


def crossed(claim: str, sentences: Sequence[str]) -> str | None:
    """Says so where the claim gives one thing what the sentences, in the order of their text, give to another; else ``None``."""
    return _crossed_values(claim, sentences) or _crossed_halves(claim, sentences)


def _crossed_values(claim: str, sentences: Sequence[str]) -> str | None:
    told = [piece for sentence in sentences for piece in _pieces(sentence)]
    for mine in _pieces(claim):
        for kind, value in mine.values:
            own = [piece for piece in told if (kind, value) in piece.values]
            others = [
                piece
                for piece in told
                if (kind, value) not in piece.values and any(other == kind for other, _ in piece.values)
            ]
            if own and any(all(_takes(mine, one, other) for one in own) for other in others):
                return _PROBLEM
    return None


def _takes(mine: Piece, own: Piece, other: Piece) -> bool:
    """Whether the claim's piece names what the other piece is of, and not what its value's own piece is of."""
    for side, other_side, first in ((own.before, other.before, True), (own.behind, other.behind, False)):
        apart = [word for word in side if word not in other.said]
        rival = [word for word in other_side if word not in own.said]
        if not apart or not rival:
            continue
        at = 0 if first else -1
        if own.sentence == other.sentence and 2 * len(other.said) <= len(own.said):
            apart = [apart[at]]  # the other one leaves out what they have in common
        # Only what begins one side, or ends the other, names what a piece is of.
        return rival[at] == other_side[at] and rival[at] in mine.said and not mine.said & set(apart)
    return False


@lru_cache(maxsize=1 << 12)
def _pieces(text: str) -> tuple[Piece, ...]:
    """A text cut so that each piece holds values, its neighbours without any joined to it."""
    read = as_read(text)
    cuts = [0, *(match.end() for match in _CUT.finditer(read)), len(read)]
    spans: list[tuple[int, int]] = []
    start = 0
    for before, end in pairwise(cuts):
        if _values(read[before:end]):
            spans.append((start, end))
            start = end
    if spans:
        spans[-1] = (spans[-1][0], len(read))
    return tuple(_piece(read[start:end], text) for start, end in spans)


def _piece(text: str, sentence: str) -> Piece:
    facts = facts_of(text)
    spans = [(quantity.start, quantity.end) for quantity in facts.quantities]
    spans += [(date.start, date.end) for date in facts.dates]
    last = max((end for _, end in spans), default=0)
    found = [
        word
        for word in words(text)
        if word.stem
        and word.text not in UNITS
        and word.text not in facts.weekdays
        and not any(start <= word.start < end for start, end in spans)
    ]
    before = tuple(word.stem for word in found if word.start < last or not last)
    return Piece(_values(text), before, tuple(word.stem for word in found if word.start >= last > 0), sentence)


@lru_cache(maxsize=1 << 12)
def _values(text: str) -> frozenset[Value]:
    facts = facts_of(text)
    found: set[Value] = set()
    for quantity in facts.quantities:
        kind, size = quantity.measure
        found.add(("duration", (kind, size)) if kind in _DURATIONS else (kind, size))
    found |= {("date", date.readings) for date in facts.dates}
    return frozenset(found | {("weekday", day) for day in facts.weekdays})


def _crossed_halves(claim: str, sentences: Sequence[str]) -> str | None:
    """Two halves, each with a part of one and of the other of two halves of the source."""
    mine = _halves(claim)
    if not 2 <= len(mine) <= _FEW:
        return None
    told = [_halves(sentence) for sentence in sentences]
    rows = [*told, *((one[-1], other[0]) for one, other in pairwise(told) if one and other)]
    for halves in rows:
        for one, other in pairwise(halves):
            if any(_cross(first, second, one, other) for first, second in pairwise(mine)):
                return _PROBLEM
    return None


def _cross(first: Half, second: Half, one: Half, other: Half) -> bool:
    """Whether the first half of a claim has the start of one half of the source with the end of the other, and the second half
    the rest. Words that both halves of the claim have, or both of the source, tell nothing.
    """
    ours, theirs = one.keys() - other.keys(), other.keys() - one.keys()
    parts = first.keys() & ours, second.keys() & theirs, first.keys() & theirs, second.keys() & ours
    if not all(parts) or first.keys() & second.keys() & (ours | theirs):
        return False
    if len((first.keys() | second.keys()) & (ours | theirs)) < _BOTH * len(ours | theirs):
        return False
    # "Sends a link by email and SMS" in another order has the start of one with the end of the other too, but of one alone.
    return _same_end(one, parts[0], other, parts[1]) and _same_end(other, parts[2], one, parts[3])


def _same_end(one: Half, mine: AbstractSet[str], other: Half, theirs: AbstractSet[str]) -> bool:
    here, there = _end(one, mine), _end(other, theirs)
    return here is None or there is None or here == there


def _end(half: Half, said: AbstractSet[str]) -> bool | None:
    """Whether words stand in the second part of a half; ``None`` where it is too short to tell, or of what no place tells."""
    places = [half[word] for word in said if half[word] >= 0]
    last = max(half.values())
    return sum(places) / len(places) > last / 2 if places and last > 0 else None


@lru_cache(maxsize=1 << 12)
def _halves(text: str) -> tuple[Half, ...]:
    """The words of each half with their places, and whether it denies where it is a clause of its own: that has no place."""
    out: list[Half] = []
    start = 0
    cuts = [match.span() for match in _HALVES.finditer(text)]
    clauses = not cuts or _CLAUSES.search(text) is not None
    for end, after in [*cuts, (len(text), len(text))]:
        part, start = text[start:end], after
        said = dict.fromkeys(word.stem for word in words(part) if word.stem)
        if said:
            half = {stem: at for at, stem in enumerate(said)}
            denied = denials(neutral(part)) % 2
            if clauses and (denied or len(said) > 1):
                half[_DENIED if denied else _AFFIRMED] = -1
            out.append(half)
    return tuple(out)
