"""Which sentences of like words are no repetition: they give another number, bound or party, as a rule's parallel cases do.

"For less than a year you get four weeks" does not repeat "For over a year you get two weeks for every year".
"""

from __future__ import annotations

import re
from functools import lru_cache

from nodes.numerals import NUMBER_WORDS
from nodes.parties import is_third_party, parties_in

_ITEM_NUMBER = re.compile(r"^\W*\d{1,3}(?:\.\d{1,3})*[.)]\s")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
_BOUNDS = {
    "under": r"less|fewer|under|below|before|until|within|at most|up to|първите|по-малко|под|преди|до",
    "over": r"more than|over|above|after|longer than|at least|exceed\w*|повече|над|след|поне",
}
_OF_BOUNDS = {name: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for name, words in _BOUNDS.items()}

Marks = tuple[frozenset[str], frozenset[str], frozenset[str]]


def are_apart(one: str, other: str) -> bool:
    """Whether both texts give numbers, bounds or third parties, and not the same."""
    return any(a and b and a != b for a, b in zip(_marks(one), _marks(other), strict=True))


@lru_cache(maxsize=1 << 12)
def _marks(text: str) -> Marks:
    said = _ITEM_NUMBER.sub("", text)
    numbers = (found.casefold() for found in _NUMBER.findall(said))
    return (
        frozenset(found for found in numbers if found[0].isdigit() or (found in NUMBER_WORDS and found != "one")),
        frozenset(name for name, words in _OF_BOUNDS.items() if words.search(said)),
        frozenset(party for party in parties_in(said) if is_third_party(party)),
    )
