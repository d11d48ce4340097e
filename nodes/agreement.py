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
from itertools import combinations

from nodes.additions import pieces_of
from nodes.alternatives import set_aside
from nodes.bounds import added_bound
from nodes.counts import count_conflict, never_counted
from nodes.duties import bond_conflict, freely_conflict, says_freely
from nodes.exceptions import reach_conflict, times_conflict
from nodes.exclusive import exclusive_conflict
from nodes.facts import Facts, facts_of
from nodes.numerals import one_of, periods, single_units
from nodes.opposites import either_way, exchanged, swaps
from nodes.parties import party_conflict, party_words
from nodes.polarity import COMPARABLE, contradicts, denials, neutral
from nodes.precedence import precedence_conflict
from nodes.small_words import changed_small_word
from nodes.terms import term_conflict, tied_stems
from nodes.times import told_alike
from nodes.words import stem, words

_NEAR_COPY = 0.8
#: A sentence with this share of the claim's words counts the same things.
_SAME_THING = 0.5
#: Fewer words than this beside an event or a party tell nothing.
_TIED = 1
_ALL = re.compile(r"\b(?:all|every|any|always|everywhere|всички|всеки|всяка|всяко|винаги)\b", re.IGNORECASE)
_SOME = re.compile(
    r"\b(?:most|some|certain|selected|several|usually|sometimes|повечето|някои|избрани|обикновено)\b", re.IGNORECASE
)
_PERIOD_STEMS = frozenset(
    stem(word) for word in ("hours", "days", "weeks", "months", "years", "дни", "часа", "месеца", "години")
)
_DURATIONS = frozenset({"time", "months", "business day", "business hour"})

Measure = tuple[str, Decimal | str, str]


def disagreement(claim: str, sentences: Sequence[str]) -> str | None:
    """What every comparable sentence says otherwise than the claim, or ``None`` where one agrees or none is comparable."""
    mine, wanted = _of(claim), plain_words(claim) - party_words(claim)
    found = []
    for sentence in sentences:
        for problem in _problems(claim, sentence):
            # A sentence without the claim's quantities bears none of them out.
            if problem or not mine or mine & _of(sentence):
                found.append((len(wanted & plain_words(sentence)), problem))
    # Nor does one bear the claim out that shares less of it, parties apart, than one that says otherwise.
    nearest = max((shared for shared, problem in found if problem), default=0)
    if all(problem for shared, problem in found if shared >= nearest):
        return next((problem for _, problem in found if problem), None)
    return None


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
    claim = told_alike(claim, sentence)
    opposite = contradicts(claim, sentence)
    if opposite is None and (swapped := swaps(claim, sentence)) % 2:
        # The word and its opposite speak of the same, so they count as shared; a denial of one is the other.
        denied = denials(neutral(claim)) % 2 != denials(neutral(sentence)) % 2
        opposite = (_share(claim, sentence, swapped) >= COMPARABLE and not denied) or None
    fact = fact_conflict(claim, sentence)
    other = tie_conflict(claim, sentence) or precedence_conflict(claim, sentence)
    for asked in (times_conflict, _freely, exclusive_conflict):
        said = asked(claim, sentence)
        other = other or (other if said is None else said)
    if opposite is None and fact is None and other is None:
        return []
    if not (opposite or fact or other) and says_freely(claim) and not says_freely(sentence):
        return []  # a sentence that leaves nobody a choice bears none out
    return ["says the opposite of what it cites"] if opposite else [fact or other or None]


def tie_conflict(claim: str, sentence: str) -> str | None:
    """Another event, rate, range or party than the sentence has; an empty text where none, ``None`` where not comparable.

    Events and parties may be what differs, so they are left out of what must be shared.
    """
    mine, theirs = plain_words(claim), plain_words(sentence)
    found = None
    for apart, conflict in ((tied_stems(claim), term_conflict), (party_words(claim), party_conflict)):
        wanted = mine - apart - _PERIOD_STEMS
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
    near_copy = _near(one, other)
    found = (
        _number_conflict(mine, theirs, near_copy)
        or count_conflict(claim, sentence)
        or _date_conflict(mine, theirs)
        or _code_conflict(mine, theirs)
    )
    if not found and _near(one - _PERIOD_STEMS, other - _PERIOD_STEMS):
        found = _period_conflict(claim, sentence)
    if not found and _ALL.search(claim) and _SOME.search(sentence) and not _ALL.search(sentence):
        return "says of all what it cites for some"
    found = found or reach_conflict(claim, sentence, near_copy)
    if near_copy:
        found = found or exchanged(claim, sentence) or either_way(claim, sentence) or added_bound(claim, sentence)
    found = found or changed_small_word(claim, sentence) or set_aside(claim, sentence)
    return found or _pair_conflict(claim, sentence) or bond_conflict(claim, sentence, one, other, near_copy)


def _near(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two sentences say nearly the same words."""
    return len(one & other) >= _NEAR_COPY * len(one | other) > 0


def _freely(claim: str, sentence: str) -> str | None:
    return freely_conflict(claim, sentence, plain_words)


def _pair_conflict(claim: str, sentence: str) -> str:
    """Two quantities told of one thing that the sentence gives of two: "60% for the first 4 weeks" of "100% for the first 4 weeks
    and 60% for the following 8".
    """
    theirs = [held for piece in pieces_of(sentence) if (held := _of(piece))]
    for piece in pieces_of(claim):
        mine = sorted(_of(piece), key=str)
        for one, other in combinations(mine, 2):
            if one[0] == other[0] or any({one, other} <= held for held in theirs):
                continue
            if _apart(one, other, theirs) and _apart(other, one, theirs):
                return "puts together quantities that what it cites gives of different things"
    return ""


def _apart(
    one: tuple[str, Decimal], other: tuple[str, Decimal], theirs: Sequence[frozenset[tuple[str, Decimal]]]
) -> bool:
    """Whether the sentence gives the one with another value of the other's kind."""
    return any(
        one in held and any(kind == other[0] and (kind, value) != other for kind, value in held) for held in theirs
    )


def _of(piece: str) -> frozenset[tuple[str, Decimal]]:
    return frozenset(quantity.measure for quantity in facts_of(piece).quantities if quantity.unit)


def _number_conflict(mine: Facts, theirs: Facts, near_copy: bool) -> str:
    claimed, said = _measures(mine), _measures(theirs)
    held, claims = {item[:2] for item in said}, {item[:2] for item in claimed}
    values = {value for _, value in held} | {quantity.value for quantity in theirs.quantities}
    for kind, value, written in claimed:
        if (kind, value) in held or (not kind and value in values):
            continue
        rivals = [item[2] for item in said if _same_kind(item[0], kind) and item[:2] not in claims]
        if rivals:
            return f"the number {written} is not what it cites for this: {rivals[0]}"
        if near_copy and any(_same_kind(item[0], kind) for item in said):
            return f"the number {written} is one more than it cites for this"
    return _recounted(mine, theirs) if near_copy else ""


def _recounted(mine: Facts, theirs: Facts) -> str:
    """As many numbers, not the same ones: "15 days, not the general 15 days" of "15 days, not the general 30 days"."""
    claimed, said = _measures(mine), _measures(theirs)
    if _ages_apart(mine) == _ages_apart(theirs):
        return ""  # "if you are 16" of "16-year-olds"
    if len(claimed) == len(said) and Counter(m[:2] for m in claimed) != Counter(m[:2] for m in said):
        return "a number stands where what it cites has another"
    return ""


def _ages_apart(facts: Facts) -> list[tuple[Decimal, str]]:
    """The numbers with their units, but for years, which go without saying of an age."""
    return sorted((one.value, one.unit.removesuffix("year")) for one in facts.quantities)


def recounted(claim: str, sentences: Sequence[str]) -> str | None:
    """A copied sentence, of one rule or two, in which a number stands for another, or ``None``."""
    copied = [sentence for sentence in sentences if _near(plain_words(claim), plain_words(sentence))]
    problems = [_recounted(facts_of(claim), facts_of(sentence)) for sentence in copied]
    if problems and all(problems) and problems[0]:
        return problems[0]
    return never_counted(claim, [sentence for sentence in sentences if _share(claim, sentence) >= _SAME_THING])


def _period_conflict(claim: str, sentence: str) -> str:
    """A copy with "unused hours" for "unused days"."""
    mine, theirs = periods(claim), periods(sentence)
    swapped = sorted(mine - theirs)
    told = _of(claim) | {one_of(unit).measure for unit in single_units(claim)}
    given = _of(sentence) | {one_of(unit).measure for unit in single_units(sentence)}
    if len(mine) == len(theirs) and swapped and not any(kind in _DURATIONS for kind, _ in told & given):
        return f"the {swapped[0]} stands where what it cites has the {sorted(theirs - mine)[0]}"
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
        if not quantity.unit and quantity.start == 1:
            continue  # "(2) The holder …" numbers a paragraph
        kind, value = quantity.measure
        written = quantity.text.strip()
        found.append((kind, written if not quantity.unit and "." in written else value, written))
    return found


def _same_kind(one: str, other: str) -> bool:
    return one == other or (one in _DURATIONS and other in _DURATIONS)
