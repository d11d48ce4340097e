"""Words that come in pairs of opposites: a copy of a rule with ``after`` where the rule says ``before`` says another thing.

Only a swap counts: the claim has one word of a pair and not the other, the source has it the other way round, and the same
content word stands beside both. Opposites that deny ("accepted" and "declined") are counted in ``polarity``.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import combinations, pairwise

from knowledge.codes import fold
from nodes.numerals import NUMBER_WORDS
from nodes.words import Word, words

_PAIRS = tuple(
    (re.compile(rf"(?:{one})\Z"), re.compile(rf"(?:{other})\Z"))
    for one, other in (
        ("before|преди", "after|след"),
        ("open", "closed|shut"),
        ("full|пъл(?:ен|на|но|ни)", "empty|праз(?:ен|на|но|ни)"),
        ("original", "new"),
        ("most|many|повечето", "few|малко"),
        ("normal", "abnormal|unusual"),
        ("attached", "removed|detached"),
        ("right|correct", "wrong|incorrect"),
        ("collects?", "leaves"),
        ("new|нов\\w*", "old|used|second-hand|стар\\w*"),
        ("noon|обяд", "midnight|полунощ"),
        ("keeps?|kept|stays?|remains?|retains?", "loses?|lost|goes|leaves|forfeits?|forgoes"),
        ("keeps?|kept|withholds?|withheld|retain(?:s|ed)?", "(?:refund|reimburse|repa)(?:s|ed|id|ys?)?"),
        ("keeps?|retains?|пази|запазва", "erases?|erased|deletes?|deleted|removes?|removed|изтрива"),
        ("separate(?:ly)?|independent(?:ly)?|отдел\\w+", "part|joint(?:ly)?|together|заедно|част"),
        (
            "compl(?:y|ies|ied)|observ(?:es?|ed)|follow(?:s|ed)?|respect(?:s|ed)?|спазва\\w*",
            "breach(?:es|ed)?|violat(?:es?|ed)|disobeys?|наруша\\w+",
        ),
        ("next|following|следващ\\w*", "same|previous|preceding|същ\\w+|предишн\\w+|предходн\\w+"),
        ("earlier|sooner|по-рано", "later|по-късно"),
        ("more|longer|larger|bigger|greater|голям\\w*", "less|fewer|shorter|smaller|мал(?:ък|ка|ко|ки)"),
        ("longest|largest|biggest|greatest", "shortest|smallest|fewest"),
        (
            "start(?:s|ed|ing)?|begin(?:s|ning)?|започва\\w*",
            "end(?:s|ed|ing)?|finish(?:es|ed)?|expires?|свършва\\w*|изтича\\w*",
        ),
        ("accept(?:s|ed)?|approv(?:es?|ed)|одобрен\\w*", "reject(?:s|ed)|отхвърлен\\w*"),
        ("public", "private"),
        ("domestic|national|inland", "international|foreign|abroad"),
        ("personal", "business"),
        ("sender|seller|lender|employer|landlord", "recipient|buyer|borrower|employee|tenant"),
        ("indoors?", "outdoors?"),
        ("online", "offline"),
        ("oral(?:ly)?|verbal(?:ly)?|устно", "written|писмено"),
        ("hot|warm", "cold|cool"),
        ("hard", "soft"),
        ("clean", "dirty"),
        ("slow(?:ly)?", "fast|quick(?:ly)?"),
        ("short", "long"),
        ("low", "high"),
        ("small", "large|big"),
        ("internal", "external"),
        ("cheap(?:er|est)?", "expensive|dearer"),
        ("morning", "afternoon|evening|night"),
        ("weekdays?", "weekends?"),
        ("day|daytime", "night"),
        ("single", "multiple|several"),
        ("both", "neither"),
        ("gross|бруто|брутн\\w+", "net|нето|нетн\\w+"),
        ("partial(?:ly)?|partly", "full|fully|complete(?:ly)?"),
        ("free", "chargeable|billable"),
        ("up", "down"),
        ("top", "bottom"),
        ("front", "back"),
        ("left", "right"),
        ("early|punctual(?:ly)?|time|рано", "late|късно"),
        ("on", "off"),
        ("wet", "dry"),
        ("increas(?:e|es|ed|ing)|увеличава\\w*", "(?:reduc|decreas)(?:e|es|ed|ing)|намалява\\w*"),
        ("add(?:s|ed|ing)?", "deduct(?:s|ed|ing)?|subtract(?:s|ed|ing)?"),
        ("first|първ(?:и|ия|ият|ите|а|ата|о|ото)", "last|последн\\w+"),
        ("higher", "lower"),
        ("inside|within", "outside|beyond"),
        ("above", "below"),
        ("same", "different"),
        ("optional|voluntary", "mandatory|required|compulsory"),
        ("temporar(?:y|ily)", "permanent(?:ly)?"),
    )
)
_COLOURS = (
    "off",
    "red",
    "green",
    "white",
    "blue",
    "yellow",
    "orange",
    "black",
    "grey|gray",
    "зелен\\w*",
    "червен\\w*",
    "rot|rote",
    "grün|grüne",
)
_HOW_OFTEN = (
    "daily|ежедневно|дневно",
    "weekly|седмично",
    "monthly|месечно",
    "quarterly|тримесечно|тримесечие",
    "yearly|annually|annual|годишно",
)
_FORMS = (
    *_PAIRS,
    *(
        (re.compile(rf"(?:{one})\Z"), re.compile(rf"(?:{other})\Z"))
        for group in (_COLOURS, _HOW_OFTEN)
        for one, other in combinations(group, 2)
    ),
)
_NEAR = 4
_LISTED = frozenset({"and", "or", "a", "an", "the", "и", "или", "und", "oder"})
_JOINING = re.compile(r",|\b(?:and|or|и|или|und|oder)\b", re.IGNORECASE)
_EITHER = re.compile(r"\b(\w+) (?:or|or not|and|или|и) (\w+)\b", re.IGNORECASE)
_OR = frozenset({"or", "или"})


def swaps(claim: str, source: str) -> int:
    """How many words of the claim stand where the source has their opposite."""
    mine, theirs = words(fold(claim)), words(fold(source))
    places, others = _places(claim), _places(source)
    found = 0
    for pair in places.keys() & {(number, 1 - side) for number, side in others}:
        opposite = (pair[0], 1 - pair[1])
        if opposite in places or pair in others:
            continue
        found += any(
            _beside(mine, here) & _beside(theirs, there) for here in places[pair] for there in others[opposite]
        )
    return found


def exchanged(claim: str, source: str) -> str:
    """A copy in which two words changed places: "hands over the old item and collects the new one" the other way round."""
    mine, theirs = words(claim), words(source)
    places = [at for at, (one, other) in enumerate(zip(mine, theirs, strict=False)) if one.text != other.text]
    if len(mine) != len(theirs) or len(places) != 2:
        return ""
    first, last = places
    if (mine[first].text, mine[last].text) != (theirs[last].text, theirs[first].text):
        return ""
    folded = fold(source)
    items = [word for word in theirs[first : last + 1] if word.text not in _LISTED]
    if all(_JOINING.search(folded, one.end, other.start) for one, other in pairwise(items)):
        return ""  # "phones or computers" in another order
    return f"{mine[first].text!r} and {mine[last].text!r} changed places"


def either_way(claim: str, source: str) -> str:
    """What the claim says of both of two opposites, and the source of one: "with the lamp on or off"."""
    mine, theirs = (Counter(word.text for word in words(text)) for text in (claim, source))
    told = {frozenset((match[1].casefold(), match[2].casefold())) for match in _EITHER.finditer(fold(source))}
    for match in _EITHER.finditer(fold(claim)):
        one, other = match[1].casefold(), match[2].casefold()
        opposed = {(number, 1 - side) for number, side in _sides(other)} & set(_sides(one))
        held = theirs[one] + theirs[other]
        if opposed and frozenset((one, other)) not in told and 0 < held < mine[one] + mine[other]:
            return f"says {match[0]!r} of what it cites for one of both"
    return ""


@lru_cache(maxsize=1 << 12)
def _places(text: str) -> dict[tuple[int, int], list[int]]:
    """Where a text has a word of a pair, by the pair's number and side."""
    found: dict[tuple[int, int], list[int]] = {}
    found_words = words(fold(text))
    for at, word in enumerate(found_words):
        if at and found_words[at - 1].text in _OR and not (at > 1 and _opposed(found_words[at - 2].text, word.text)):
            continue  # "7 days or less" is a bound, "on or off" is both
        for key in _sides(word.text):
            found.setdefault(key, []).append(at)
    return found


def _opposed(one: str, other: str) -> bool:
    return not {(number, 1 - side) for number, side in _sides(other)}.isdisjoint(_sides(one))


@lru_cache(maxsize=1 << 13)
def _sides(word: str) -> tuple[tuple[int, int], ...]:
    return tuple((number, side) for number, pair in enumerate(_FORMS) for side in (0, 1) if pair[side].match(word))


def _beside(text: tuple[Word, ...], at: int) -> set[tuple[int, str]]:
    """The nearest content word on each side. None where a number follows: a bound on a quantity is compared as one."""
    after = next((word for word in text[at + 1 : at + 1 + _NEAR] if word.stem), None)
    than = at + 1 < len(text) and text[at + 1].text == "than"
    if after is not None and (after.text[0].isdigit() or (than and after.text in NUMBER_WORDS)):
        return set()
    before = next((word for word in reversed(text[max(0, at - _NEAR) : at]) if word.stem), None)
    return {(side, word.stem) for side, word in ((-1, before), (1, after)) if word is not None}
