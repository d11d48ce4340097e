"""How many there are of a thing: "three blank pages" where the rule has two."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache

from nodes.facts import facts_of
from nodes.multiples import as_read
from nodes.words import words

_THING = re.compile(r" ((?:(?:blank|full|equal|different|unused|separate|more|other|new) )?[^\W\d_]{3,})")
#: A number that ends what is said, or is joined to the next one.
_NO_THING = re.compile(r"\s*(?:[,;.:)]|\Z|(?:and|or|to|for|from|per|и|или|und|oder)\b)", re.IGNORECASE)
_ONE_THING = re.compile(r"\b(?:one|a single|един|една|едно) ([^\W\d_]{3,})", re.IGNORECASE)


def count_conflict(claim: str, sentence: str) -> str:
    """Another number of the same things: "three blank pages" where the sentence has two."""
    return never_counted(claim, [sentence]) or ""


@lru_cache(maxsize=1 << 12)
def _counts(text: str) -> tuple[tuple[Decimal, str], ...]:
    """The numbers without a unit, each with the stem of the last word right behind it: what is counted."""
    found = []
    for quantity in facts_of(text).quantities:
        behind = _THING.match(as_read(text)[quantity.end :]) if not quantity.unit else None
        if behind and (thing := words(behind[1])[-1].stem):
            found.append((quantity.value, thing))
    found += [(Decimal(1), words(match[1])[-1].stem) for match in _ONE_THING.finditer(as_read(text))]
    return tuple((value, thing) for value, thing in found if thing)


@lru_cache(maxsize=1 << 12)
def _bare(text: str) -> frozenset[Decimal]:
    """The numbers that stand without a unit and without the thing that they count."""
    read = as_read(text)
    return frozenset(
        quantity.value
        for quantity in facts_of(text).quantities
        if not quantity.unit and _NO_THING.match(read, quantity.end)
    )


def never_counted(claim: str, sentences: Sequence[str]) -> str | None:
    """A number of things of which the sentences give other numbers alone, or ``None``: "two phones" of "3 phones, 2 seconds"."""
    told = [count for sentence in sentences for count in _counts(sentence)]
    # "Adults may borrow 12 items, children 20": the second number counts what the first one does.
    bare = {value for sentence in sentences for value in _bare(sentence)}
    for value, thing in _counts(claim):
        rivals = [other for other, same in told if same == thing]
        if rivals and value not in bare.union(rivals):
            return f"the number {value} is not what it cites for this: {rivals[0]}"
    return None
