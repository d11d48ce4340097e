"""Copies of a rule in which a small word was changed: "and" for "or", "after" for "within", "some" for "every"."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product

from nodes.polarity import denials, neutral
from nodes.words import words

#: Small words by what they mean; those of no group say nothing that is compared.
_MEANINGS = {
    "earlier": "before until till преди до vor bis",
    "later": "after since following след nach seit",
    "inside": "within during in inside throughout в във innerhalb während",
    "outside": "outside beyond извън außerhalb",
    "both": "and и und",
    "either": "or или oder",
    "with": "with с със mit",
    "without": "without без ohne",
    "condition": "when if once where whenever когато ако wenn falls",
    "all": "every each all any всеки всяка всяко всички alle jede jeder",
    "some": "some few several certain selected някои няколко einige",
    "most": "most повечето",
    "more": "over above над über",
    "less": "under below под unter",
}
_MEANING_OF = {word: meaning for meaning, group in _MEANINGS.items() for word in group.split()}
#: What may stand for one another: "once it passes" is "after it passes".
_ALIKE = ({"later", "condition"}, {"inside", "condition"}, {"inside", "earlier"}, {"inside", "with"}, {"later", "more"})
_MOST_CHANGED = 2
#: Words before which a rule may begin behind its number: "Art. 42. (1)".
_NUMBERED = 4


def changed_small_word(claim: str, source: str) -> str:
    """A copy, perhaps of the first part, that differs in one place by a small word of another meaning; or an empty text."""
    mine, theirs = _texts(claim), _texts(source)
    if mine and mine[0] in theirs[1:_NUMBERED]:
        theirs = theirs[theirs.index(mine[0]) :]
    ahead = next((at for at, (one, other) in enumerate(zip(mine, theirs, strict=False)) if one != other), len(mine))
    here, there = next(_changes(mine[ahead:], theirs[ahead:]), ((), ()))
    said, cited = ({_MEANING_OF[word] for word in part if word in _MEANING_OF} for part in (here, there))
    if not said or not cited or said & cited or any(said | cited <= alike for alike in _ALIKE):
        return ""
    if said | cited == {"both", "either"} and denials(neutral(source)):
        return ""  # neither of both
    return f"says {' '.join(here)!r} where what it cites says {' '.join(there)!r}"


def _changes(mine: tuple[str, ...], theirs: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The words at the start of two texts that differ, where the claim goes on as the source does; it may end earlier."""
    for here, there in product(range(1, _MOST_CHANGED + 1), repeat=2):
        rest = mine[here:]
        if rest and rest == theirs[there : there + len(rest)]:
            yield mine[:here], theirs[:there]


@lru_cache(maxsize=1 << 13)
def _texts(text: str) -> tuple[str, ...]:
    return tuple(word.text for word in words(text))
