"""Which of two things comes first: "A wins over B" is not "B wins over A", and "A instead of B" is not "B instead of A"."""

from __future__ import annotations

import re
from functools import lru_cache

from nodes.words import content

_RANK = r"(?:precedence|priority)"
#: What stands before it comes first, by what it is said of.
_FIRST = {
    "over": re.compile(
        rf"\b(?:(?:wins?|prevails?|won|prevailed) over|(?:takes?|has|have|took) {_RANK} over|overrides?|overrode|supersedes?|"
        r"outranks?|trumps?|ha(?:s|ve) precedence on|има предимство пред)\b",
        re.IGNORECASE,
    ),
    "instead": re.compile(r"\b(?:instead of|rather than|in place of|вместо|anstelle von|statt)\b", re.IGNORECASE),
}
#: What stands before it comes second.
_SECOND = re.compile(
    r"\b(?:(?:gives?|gave|giving) way to|yields? to|loses? (?:out )?to|"
    r"(?:is|are) (?:overridden|superseded|outranked|trumped|replaced) by|"
    rf"(?:is|are) (?:subordinate|secondary) to|cedes? (?:{_RANK} )?to|отстъпва на)\b",
    re.IGNORECASE,
)
_PAUSE = re.compile(r"[,;:.()]")


def precedence_conflict(claim: str, sentence: str) -> str | None:
    """Says so where the claim puts first what the sentence puts second; ``None`` where it does not, or neither ranks them."""
    for kind, first, second in _orders(claim):
        for other, leading, following in _orders(sentence):
            kept = first & leading and second & following
            turned = first & following and (second & leading or not leading)
            if kind == other and turned and not kept:
                return "puts first what it cites puts second"
    return None


@lru_cache(maxsize=1 << 12)
def _orders(text: str) -> tuple[tuple[str, frozenset[str], frozenset[str]], ...]:
    """By kind the stems of what comes first and of what comes second, those of both left out."""
    found = []
    for kind, pattern in (*_FIRST.items(), ("over", _SECOND)):
        match = pattern.search(text)
        if match is None:
            continue
        first, second = _sides(text, match.start(), match.end())
        if pattern is _SECOND:
            first, second = second, first
        found.append((kind, first - second, second - first))
    return tuple(found)


def _sides(text: str, start: int, end: int) -> tuple[frozenset[str], frozenset[str]]:
    """The stems before and behind, each up to a pause; of a fronted "instead of A, B" the B and the A."""
    if not any(map(str.isalnum, text[:start])):
        rest = _PAUSE.split(text[end:], maxsplit=1)
        return content(rest[1] if len(rest) > 1 else ""), content(rest[0])
    return content(_PAUSE.split(text[:start])[-1]), content(_PAUSE.split(text[end:], maxsplit=1)[0])
