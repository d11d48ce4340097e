"""What a rule sets aside at its end: "kept in the shed, but not in the hallway", "forwarded, not answered"."""

from __future__ import annotations

import re

from nodes.polarity import denials, neutral
from nodes.words import content

_SET_ASIDE = re.compile(
    r"(?:,|\bbut|, but|\band|, and) not (?!only\b|just\b|merely\b|necessarily\b|\w+ than\b|until\b|before\b|if\b|when\b)"
    r"(?P<what>[^,.;:]+)(?=\W*\Z)",
    re.IGNORECASE,
)
_INSTEAD = re.compile(r"\b(?:instead|rather than)\b", re.IGNORECASE)
_LETTER = re.compile(r"\b[A-HJ-Z]\b")
#: The share of a claim's other words that the rule must have for it to speak of the same.
_SAME_THING = 0.6


def set_aside(claim: str, sentence: str) -> str:
    """Says so where the claim affirms what the sentence sets aside; else an empty text."""
    found = _SET_ASIDE.search(sentence)
    if found is None or _INSTEAD.search(claim):
        return ""
    if denials(neutral(claim)) != denials(neutral(sentence[: found.start()])):
        return ""
    what, before, mine = _said(found["what"]), _said(sentence[: found.start()]), _said(claim)
    apart, rest = what - before, mine - what
    if not apart or not apart <= mine or not rest:
        return ""
    return "says the opposite of what it cites" if len(rest & before) >= _SAME_THING * len(rest) else ""


def _said(text: str) -> frozenset[str]:
    """The stems of a text, and the single letters that name which zone or group is meant."""
    return content(text).union(_LETTER.findall(text))
