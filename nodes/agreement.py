"""Whether a claim agrees with the sentence of the source that speaks of the same: in sign, numbers, dates and codes.

A number that stands somewhere in a passage is not thereby the number of this rule: where the sentence that holds the claim's
words gives another one of the same kind, the claim is wrong.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache

from nodes.facts import Facts, facts_of
from nodes.opposites import swaps
from nodes.parties import party_conflict, party_words
from nodes.polarity import COMPARABLE, contradicts
from nodes.terms import anchor_stems, term_conflict
from nodes.words import words

_NEAR_COPY = 0.8
#: Fewer words than this beside an event or a party tell nothing.
_TIED = 1
_ALL = re.compile(r"\b(?:all|every|any|always|everywhere|всички|всеки|всяка|всяко|винаги)\b", re.IGNORECASE)
_SOME = re.compile(
    r"\b(?:most|some|certain|selected|several|usually|sometimes|повечето|някои|избрани|обикновено)\b", re.IGNORECASE
)
_DUTY = re.compile(r"\b(?:must|shall|required|mandatory|ha(?:s|ve) to|needs?|трябва|длъжен|длъжни)\b", re.IGNORECASE)
_CHOICE = re.compile(
    r"\b(?:may|might|optional(?:ly)?|voluntar(?:y|ily)|if you (?:like|wish)|по желание)\b", re.IGNORECASE
)
_DURATIONS = frozenset({"time", "months", "business day"})

Measure = tuple[str, Decimal | str, str]


def disagreement(claim: str, sentences: Sequence[str]) -> str | None:
    """What every comparable sentence says otherwise than the claim, or ``None`` where one agrees or none is comparable."""
    problems = [problem for sentence in sentences for problem in _problems(claim, sentence)]
    return next((problem for problem in problems if problem), None) if problems and all(problems) else None


@lru_cache(maxsize=1 << 13)
def plain_words(text: str) -> frozenset[str]:
    """The stems of the content words without numbers, dates and codes: what a sentence speaks of."""
    facts = facts_of(text)
    spans = [(date.start, date.end) for date in facts.dates]
    spelled = {word.text for quantity in facts.quantities for word in words(quantity.text)}
    return frozenset(
        word.stem
        for word in words(text)
        if word.stem
        and word.stem not in facts.codes
        and word.text not in spelled
        and not word.text.isdecimal()
        and not any(start <= word.start < end for start, end in spans)
    )


def _problems(claim: str, sentence: str) -> list[str | None]:
    """Nothing where the sentence is not comparable; else one problem, or one ``None``."""
    opposite = contradicts(claim, sentence)
    if opposite is None and (swapped := swaps(claim, sentence)) % 2:
        # The word and its opposite speak of the same, so they count as shared.
        opposite = _share(claim, sentence, swapped) >= COMPARABLE or None
    fact = fact_conflict(claim, sentence)
    other = tie_conflict(claim, sentence)
    if opposite is None and fact is None and other is None:
        return []
    return ["says the opposite of what it cites"] if opposite else [fact or other or None]


def tie_conflict(claim: str, sentence: str) -> str | None:
    """Another event, rate, range or party than the sentence has; an empty text where none, ``None`` where not comparable.

    Events and parties may be what differs, so they are left out of what must be shared.
    """
    mine, theirs = plain_words(claim), plain_words(sentence)
    found = None
    for apart, conflict in ((anchor_stems(claim), term_conflict), (party_words(claim), party_conflict)):
        wanted = mine - apart
        if len(wanted) >= _TIED and len(wanted & theirs) / len(wanted) >= COMPARABLE:
            found = found or conflict(claim, sentence) or ""
    return found


def _share(claim: str, sentence: str, more: int = 0) -> float:
    """The share of the claim's plain words that the sentence holds, ``more`` counted as held."""
    mine = plain_words(claim)
    return (len(mine & plain_words(sentence)) + more) / len(mine) if mine else 0.0


def fact_conflict(claim: str, sentence: str) -> str | None:
    """The fact that the sentence gives otherwise; an empty text where none, ``None`` where it speaks of something else."""
    one, other = plain_words(claim), plain_words(sentence)
    if _share(claim, sentence) < COMPARABLE:
        return None
    mine, theirs = facts_of(claim), facts_of(sentence)
    near_copy = len(one & other) / len(one | other) >= _NEAR_COPY
    found = _number_conflict(mine, theirs, near_copy) or _date_conflict(mine, theirs) or _code_conflict(mine, theirs)
    if not found and _ALL.search(claim) and _SOME.search(sentence) and not _ALL.search(sentence):
        return "says of all what it cites for some"
    if not found and near_copy and _CHOICE.search(claim) and not _CHOICE.search(sentence):
        return "makes a choice of what it cites as a duty" if _DUTY.search(sentence) else found
    return found


def _number_conflict(mine: Facts, theirs: Facts, near_copy: bool) -> str:
    claimed, said = _measures(mine), _measures(theirs)
    held, claims = {item[:2] for item in said}, {item[:2] for item in claimed}
    for kind, value, written in claimed:
        if (kind, value) in held or (not kind and any(value == other for _, other in held)):
            continue
        rivals = [item[2] for item in said if _same_kind(item[0], kind) and item[:2] not in claims]
        if rivals:
            return f"the number {written} is not what it cites for this: {rivals[0]}"
        if near_copy and any(_same_kind(item[0], kind) for item in said):
            return f"the number {written} is one more than it cites for this"
    if near_copy and len(claimed) == len(said) and Counter(m[:2] for m in claimed) != Counter(m[:2] for m in said):
        return "a number stands where what it cites has another"
    return ""


def _date_conflict(mine: Facts, theirs: Facts) -> str:
    for date in mine.dates:
        if theirs.dates and not any(date.agrees_with(other) for other in theirs.dates):
            return f"the date {date.text} is not what it cites for this: {theirs.dates[0].text}"
    return ""


def _code_conflict(mine: Facts, theirs: Facts) -> str:
    rivals = [written for code, written in theirs.codes.items() if code not in mine.codes]
    for code, written in mine.codes.items():
        if rivals and code not in theirs.codes:
            return f"the code {written} is not what it cites for this: {rivals[0]}"
    return ""


def _measures(facts: Facts) -> list[Measure]:
    """Kind, magnitude and spelling of each quantity. A bare number with a decimal point may be a version: its digits count."""
    found: list[Measure] = []
    for quantity in facts.quantities:
        kind, value = quantity.measure
        written = quantity.text.strip()
        found.append((kind, written if not quantity.unit and "." in written else value, written))
    return found


def _same_kind(one: str, other: str) -> bool:
    return one == other or (one in _DURATIONS and other in _DURATIONS)
