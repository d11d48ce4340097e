"""A rule said to be of one thing only: "covers only electric cars" where the rule covers all cars, or cars, vans and more.

An "only" on what a rule is of ("only includes", "applies solely to", "is limited to") is borne out by a list that is closed. An
open list ("including but not limited to"), another item beside the one named, and "all" or "any" of the kind say otherwise.
"""

from __future__ import annotations

import re

from nodes.polarity import denials, neutral
from nodes.words import Word, content, words

_OF = (
    r"(?:includ(?:es?|ing)|compris(?:es?|ing)|cover(?:s|ing)?|means?|contains?|consists? of|appl(?:y|ies) to|extends? to|"
    r"relates? to|refers? to|concerns?|is about|is for|are for|включва\w*|обхваща\w*|важи за|umfasst|enthält)"
)
_EXCLUSIVE = re.compile(
    rf"\b(?:only|solely|exclusively|nothing but|само|единствено|nur) {_OF}\s(?P<one>[^.;:]+)|"
    rf"\b{_OF} (?:only|solely|exclusively|nothing but|no more than|само|единствено|nur)\s(?:(?:to|of|за) )?(?P<two>[^.;:]+)|"
    r"\b(?:applies|apply|extends?) (?:only|solely|exclusively) to\s(?P<three>[^.;:]+)|"
    r"\b(?:is|are|be) (?:limited|restricted|confined) to\s(?P<four>[^.;:]+)",
    re.IGNORECASE,
)
_CLOSED = re.compile(
    r"\b(?:only|solely|exclusively|nothing (?:but|other)|no other|except\w*|other than|"
    r"(?<!not )(?:limited|restricted|confined) to|само|единствено|nur|ausschließlich)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\bnot limited to\b|\bwithout (?:any )?limitation\b(?! (?:of|on|to|in)\b)|\bamong other(?:s| things)\b|"
    r"\band (?:so on|the like)\b|"
    r"\b(?:such as|for example|e\.g\.)|\bof (?:any|every) (?:kind|sort|type|nature)\b|\bмежду другото\b|\bнапример\b|"
    r"\bunter anderem\b|\bzum Beispiel\b",
    re.IGNORECASE,
)
#: What leaves a list open, whatever else the sentence keeps to some.
_UNLIMITED = re.compile(r"\binclud\w+,? (?:but )?(?:is |are )?(?:not limited to|without limitation)", re.IGNORECASE)
_ALL = frozenset("all any every each whatever всички всеки всяка всяко alle jede jeder jedes".split())  # noqa: SIM905
_JOINED = re.compile(
    r"\s*(?:,\s*(?:and/or|and|or)?|/|\band/or\b|\band\b|\bor\b|\bи\b|\bили\b|\bund\b|\boder\b)\s*", re.IGNORECASE
)
#: How many words may stand between "all" and the kind it is said of.
_NEAR = 4


def exclusive_conflict(claim: str, sentence: str) -> str | None:
    """Says so where the sentence adds to what the claim says is all; ``None`` where it does not or is of something else."""
    match = _EXCLUSIVE.search(claim)
    if match is None or denials(neutral(claim)) % 2 or (_CLOSED.search(sentence) and not _UNLIMITED.search(sentence)):
        return None
    named = content(match["one"] or match["two"] or match["three"] or match["four"])
    subject = content(claim[: match.start()])
    held = content(sentence)
    if not named or not (subject & held or not subject) or not (named | subject) & held:
        return None
    if subject and len(subject & held) < len(subject) / 2:
        return None
    if _OPEN.search(sentence) or _of_all(named, words(sentence)) or _beside(named, sentence):
        return "says of one alone what it cites says of more"
    return None


def _of_all(named: frozenset[str], found: tuple[Word, ...]) -> bool:
    """Whether the sentence speaks of all of a kind without what the claim narrows it by: "all cars" of "electric cars"."""
    for at, word in enumerate(found):
        if word.text in _ALL:
            near = {other.stem for other in found[at + 1 : at + 1 + _NEAR] if other.stem}
            if near & named and named - near:
                return True
    return False


def _beside(named: frozenset[str], sentence: str) -> bool:
    """Whether a word that the claim names is an item of a list whose other item it does not name."""
    found = words(sentence)
    for at, word in enumerate(found):
        if word.stem not in named or not word.stem:
            continue
        for step in (-1, 1):
            place = at + step
            while 0 <= place < len(found) and not found[place].stem:
                place += step
            if not 0 <= place < len(found):
                continue
            first, last = sorted((at, place))
            between = sentence[found[first].end : found[last].start]
            if found[place].stem not in named and _JOINED.fullmatch(between):
                return True
    return False
