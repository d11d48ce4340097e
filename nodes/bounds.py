"""Which side of a number or a date is meant: "within 7 days" or "after 7 days", "at least" or "at most", "from" or "until"."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise

from nodes.dates import Date, dates
from nodes.multiples import as_read
from nodes.numerals import UNITS, Quantity, quantities
from nodes.words import content

#: "No later than 7 days" is a bound, not a denial.
_NOT = r"(?:(?:must|may|shall|should|can|is|are|do|does)(?: not|n['’]t)|cannot|can['’]t|no|not)(?: (?:be )?\w+)?"
AT_MOST = re.compile(
    rf"\b{_NOT} (?:later|more|longer|greater|further|over|exceeding|higher|taller|larger|bigger|heavier|wider|"
    r"deeper|older) than\b|"
    r"\b(?:does|do|must|may) not exceed\b|\bnot exceeding\b|"
    r"\bне по-(?:късно|голям\w*|дълг\w+) от\b|\bне повече от\b|\bnicht (?:mehr|länger|später) als\b",
    re.IGNORECASE,
)
AT_LEAST = re.compile(
    rf"\b{_NOT} (?:less|fewer|earlier|sooner|shorter|lower|smaller|younger|lighter) than\b|"
    r"\bне по-(?:мал\w+|рано|къс\w+) от\b",
    re.IGNORECASE,
)
_UPPER = re.compile(
    r"\b(?:within|up to|at most|maximum(?: of)?|under|less than|fewer than|below|before|by|until|in the first|inside|"
    r"earlier than|sooner than|not exceeding|smaller than|younger than|до|под|"
    r"по-млад\w* от|в срок|в рамките на|най-късно|по-мал\w+ от|най-много|преди|höchstens|maximal|bis zu|"
    r"innerhalb(?: von)?|spätestens|weniger als)\W+(?:\w+\W+){0,2}\Z",
    re.IGNORECASE,
)
_LOWER = re.compile(
    r"\b(?:after|more than|over|above|beyond|exceed(?:s|ing|ed)?|later than|longer than|at least|minimum(?: of)?|past|"
    r"outside|from|since|larger than|greater than|older than|once|"
    r"след|над|повече от|най-рано|по-голям\w* от|поне|най-малко|по-късно от|минимум|mindestens|"
    r"minimal|mehr als|über|frühestens)\W+(?:\w+\W+){0,2}\Z",
    re.IGNORECASE,
)
_TERM_IS = re.compile(
    r"\b(?:window|period|term|limit|deadline|срок\w*)\b[^.;:,]{0,24}\b(?:is|are|of|lasts?|е|от)\W+\Z", re.IGNORECASE
)
#: "You have 7 days to return it": a time to act in.
_HAVE = re.compile(r"\b(?:have|has|get|gets|given|allow(?:s|ed)?)\W+(?:\w+\W+)?\Z", re.IGNORECASE)
_TO_ACT = re.compile(r"\A[^.,;:]{0,60}\bto \w+", re.IGNORECASE)
_AHEAD = re.compile(r"\A\W*(?:before|prior to|in advance|ahead)\b", re.IGNORECASE)
#: "Cancel up to 24 hours before" is no later than that, "book up to 14 days ahead" no earlier: it may be either.
_OPEN_AHEAD = re.compile(r"\b(?:up to|until|till|до|bis(?: zu)?)\W+(?:\w+\W+)?\Z", re.IGNORECASE)
_LATE_EARLY = re.compile(r"\b(?:later|earlier|sooner) than\W*\Z", re.IGNORECASE)
_MORE_AFTER = re.compile(
    r"\A\W*(?:or more|or longer|and (?:over|above|more|up)|or (?:above|over|later|older)|upwards?|"
    r"(?:have|has) (?:passed|elapsed)|"
    r"(?:и|или) (?:повече|нагоре)|нагоре|[^.,;:()]{0,40}\b(?:at (?:the )?(?:earliest|least|minimum)|най-рано)\b)",
    re.IGNORECASE,
)
_LESS_AFTER = re.compile(
    r"\A\W*(?:or (?:less|fewer|under|earlier|younger|sooner|below)|and (?:under|below|less)|(?:или|и) (?:по-малко|надолу)|"
    r"[^.,;:()]{0,40}\b(?:at (?:the )?(?:latest|most|maximum)|най-късно)\b)",
    re.IGNORECASE,
)
_TO = re.compile(r"\s*(?:to|-|or|and|до|или|и|bis)\s*", re.IGNORECASE)
_REST = re.compile(
    r"\b(?:(?P<more>higher|larger|longer|later|greater|bigger|heavier|older)|"
    r"lower|smaller|shorter|earlier|lesser|lighter|younger) (?!than\b)[^\W\d]",
    re.IGNORECASE,
)
_STATED = re.compile(
    r"\b(?:at least|at most|(?:more|less|fewer) than|a (?:minimum|maximum) of|поне|най-малко|най-много|повече от|по-малко от)\W+"
    r"(?:[A-Z]{3}\W+)?\Z",
    re.IGNORECASE,
)
#: A rule from a date on: "от" before anything else is "of".
_FROM_DATE = re.compile(r"(?<!рано )(?<!късно )\bот\W+\Z", re.IGNORECASE)
_SINGLE = re.compile(r"\ban? (second|minute|hour|day|week|fortnight|month|year)\b", re.IGNORECASE)


def bounds_differ(claim: str, source: str) -> bool:
    """Whether the texts put the same quantity on opposite sides: "within 7 days" and "after 7 days"."""
    dated = [(date, _date_bound(source, date)) for date in dates(as_read(source))]
    for date in dates(as_read(claim)):
        mine = _date_bound(claim, date)
        others = [bound for other, bound in dated if bound and date.agrees_with(other)]
        if mine and others:
            return mine not in others
    theirs = {quantity.measure: bound_of(source, quantity) for quantity in _bounded(source)}
    rest = _of_the_rest(claim, source)
    for quantity in _bounded(claim):
        mine, other = bound_of(claim, quantity), theirs.get(quantity.measure, 0)
        if mine and other and mine not in (other, rest):
            return True
    return False


def _of_the_rest(claim: str, source: str) -> int:
    """The side of "higher ones" and "later cancellations", where the claim says what the source says of them: it holds beyond the
    quantity before.
    """
    told = _REST.search(source)
    if told is None:
        return 0
    cut = max(source.rfind(mark, 0, told.start()) for mark in (". ", "; ", ", ")) + 1
    said = {word for word in content(claim) if not word[0].isdigit()}
    before, behind = content(source[:cut]), content(source[cut:])
    nearer = len(said & (behind - before)) > len(said & (before - behind))
    return (1 if told["more"] else -1) if nearer else 0


def added_bound(claim: str, source: str) -> str:
    """A copy with a bound to a quantity that the source gives without one: "costs at least INR 49"."""
    held, read = quantities(source), as_read(source)
    ends = {
        at
        for one, other in pairwise(held)
        if _TO.fullmatch(read, one.end, other.start)
        for at in (one.start, other.start)
    }
    exact = {one.measure for one in held if one.unit and one.start not in ends and not bound_of(source, one)}
    for quantity in quantities(claim):
        bound = _STATED.search(as_read(claim), max(0, quantity.start - 24), quantity.start)
        if bound and quantity.measure in exact and bound[0].casefold() not in as_read(source).casefold():
            return f"says {bound[0].strip()!r} of a number that what it cites gives without it"
    return ""


def _date_bound(text: str, date: Date) -> int:
    """The side of a date that is meant, as of a quantity; "от 1 януари" is from it on."""
    if _FROM_DATE.search(as_read(text), max(0, date.start - 12), date.start):
        return 1
    return bound_of(text, Quantity(Decimal(0), "", date.start, date.end, date.text))


@lru_cache(maxsize=1 << 12)
def _bounded(text: str) -> tuple[Quantity, ...]:
    """The quantities of a text, and the units said once: "a month or more"."""
    read = as_read(text)
    single = (
        Quantity(Decimal(1), UNITS[match[1].casefold()], match.start(), match.end(), match[0])
        for match in _SINGLE.finditer(read)
    )
    return (*quantities(text), *single)


def bound_of(text: str, quantity: Quantity) -> int:
    """-1 where the quantity is an upper bound, 1 where it is a lower one, 0 where neither is said."""
    folded = as_read(text)
    before, after = folded[max(0, quantity.start - 40) : quantity.start], folded[quantity.end : quantity.end + 64]
    at_most = [match.end() for match in AT_MOST.finditer(folded) if match.end() <= quantity.start]
    at_least = [match.end() for match in AT_LEAST.finditer(folded) if match.end() <= quantity.start]
    # "No later than 6 weeks before the end" is at least 6 weeks before it.
    turned = -1 if _AHEAD.match(after) and _LATE_EARLY.search(before) else 1
    if at_most and quantity.start - at_most[-1] <= 12:
        return -turned
    if at_least and quantity.start - at_least[-1] <= 12:
        return turned
    if _MORE_AFTER.match(after):
        return 1
    if _LESS_AFTER.match(after):
        return -1
    lower, upper = _LOWER.search(before), _UPPER.search(before)
    if _AHEAD.match(after) and _OPEN_AHEAD.search(before):
        return 0
    # "Carry over up to five": the word nearest to the number bounds it.
    if lower and not (upper and upper.start() > lower.start()):
        return 1
    if _HAVE.search(before) and _TO_ACT.match(after):
        return -1
    return -1 if upper or _TERM_IS.search(before) else 0
