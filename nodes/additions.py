"""What a sentence adds to its source: "a laptop and a monitor" where the source gives a laptop.

A sentence is cut at its commas and conjunctions. A piece behind the first is an addition where no cited passage has its words,
while the rest of the sentence is the source's; whether it says the same in other words, its embedding tells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache

from nodes.acts import told_in_other_words
from nodes.numerals import quantities
from nodes.words import content, stem, words

_CUT = re.compile(
    r"[,;]|\b(?:and|or|as well as|plus|but|(?<!in )(?<!on )(?<!for )(?<!to )(?<!of )(?<!from )which|"
    r"und|oder|sowie|и|или|както и|but also)\b",
    re.IGNORECASE,
)
#: The share of a piece's rest that the source must hold for the piece to be an addition: where all its words are new, and where
#: some are.
_REST, _COPY = 0.6, 0.85
#: A piece whose cosine with some piece of the source reaches this says the same in other words. Measured: additions are at 0.1 to
#: 0.45, other words at 0.7 and above.
SAME = 0.5
_FREE = re.compile(
    r"\b(?:free of (?:charge|cost)|(?:at no|without) (?:\w+ )?(?:charge|cost)|for (?:free|nothing))\b", re.IGNORECASE
)
#: Words that join and grade, and add nothing by themselves.
_NOTHING = frozenset(
    stem(word)
    for word in (
        "however", "longer", "shorter", "later", "earlier", "less", "fewer", "larger", "smaller", "older", "younger",
        "bigger", "sooner", "faster", "better", "worse", "cheaper", "higher", "lower", "therefore", "thus", "hence",
        "instead", "respectively", "unfortunately", "please", "note", "yes", "accordingly", "namely", "say",
        "take", "need", "require", "last", "come", "give", "mean", "count", "apply", "possible",
        "otherwise", "whatever", "whichever", "whoever", "wherever", "regardless", "irrespective",
        "one", "example", "instance", "eg", "above", "below", "over", "upwards",
    )
)  # fmt: skip


def additions(claim: str, held: AbstractSet[str], sentences: Sequence[str]) -> list[str]:
    """The pieces of a claim that may be additions. ``held``: the stems of what is cited and of the question."""
    pieces = pieces_of(claim)
    if len(pieces) < 2:
        return []
    whole = content(claim)
    held = frozenset(held).union(*(told_in_other_words(claim, sentence) for sentence in sentences))
    out = []
    for piece in pieces[1:]:
        said = _stems(_FREE.sub("free", piece) if "free" in held else piece)
        new = frozenset(word for word in said - held - _NOTHING if f"un{word}" not in held)
        if not new:
            continue
        rest = whole - said
        near = max((len(rest & content(sentence)) / len(rest) for sentence in sentences), default=0.0) if rest else 0.0
        if near >= (_REST if new == said else _COPY):
            out.append(piece)
    return out


def nearest(claim: str, sentences: Sequence[str], count: int = 2) -> list[str]:
    """The pieces of the sentences that hold most of the claim's words, and these sentences: what a piece may say again."""
    whole = content(claim)
    best = sorted(sentences, key=lambda sentence: -len(whole & content(sentence)))[:count]
    return [text for sentence in best for text in (sentence, *pieces_of(sentence))]


@lru_cache(maxsize=1 << 12)
def pieces_of(text: str) -> tuple[str, ...]:
    """The pieces of a text between commas and conjunctions."""
    return tuple(piece.strip(" .!?\n") for piece in _CUT.split(text) if content(piece))


def _stems(piece: str) -> frozenset[str]:
    counted = {word.stem for quantity in quantities(piece) for word in words(quantity.text)}
    return frozenset(said for said in content(piece) - counted if not said.isdecimal())
