"""What a number of a rule is tied to: the event that a period is counted from, what an amount is for, a range's other end.

"Within 7 days of the order" is not "within 7 days of delivery", "9.9% per month" not "9.9% per year", and "3 business days" not
"3 to 6 business days".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise

from nodes.bounds import bound_of
from nodes.multiples import as_read
from nodes.numerals import UNITS, Quantity, quantities
from nodes.words import stem, words

_EVENTS = (
    "delivery delivered deliver receipt received receive receiving arrival arrived arrives get got handover lieferung "
    "erhalt доставка доставката получаване получаването",
    "order ordered ordering purchase purchased purchasing buying bought buy bestellung kauf kaufdatum поръчка поръчката "
    "покупка покупката",
    "payment paid paying zahlung плащане плащането",
    "dispatch dispatched shipment shipped shipping versand изпращане изпращането",
    "pickup collection collected abholung",
    "request requested application applied applying submission submitted submitting antrag заявление заявлението подаване "
    "подаването",
    "approval approved genehmigung одобрение одобряването", "confirmation confirmed bestätigung",
    "registration registered activation activated registrierung регистрация регистрацията",
    "departure depart leaving travel trip journey ausreise заминаване", "birth born adoption geburt раждане раждането",
    "notification notified notice informed", "report reported reporting", "inspection inspected",
    "expiry expires expired ablauf изтичане",
    "issue issued issuance ausstellung издаване издаването", "signature signed signing conclusion unterzeichnung подписване",
    "hiring hired employment joining", "einzug", "auszug", "return returned",
    "due", "invoice billing rechnung", "publication published",
    "discovery discovered", "termination terminated", "repair repaired",
)  # fmt: skip
_CLASS_OF = {word: at for at, group in enumerate(_EVENTS) for word in group.split()}
_PERIODS = frozenset({"time", "months", "business day", "business hour"})
_FROM = re.compile(
    r"\A[\s,]*(?:(?:are|is|runs?|be|counted|count|starting|starts?|beginning|begins?|calculated|long)\s+){0,3}"
    r"(?:of|after|from|following|before|since|prior to|nach|vor|ab|seit|от|след|преди)\s+([^.;:()]{2,80})",
    re.IGNORECASE,
)
_SINGLE = re.compile(r"\ban? (hour|day|week|fortnight|month|year)\b", re.IGNORECASE)
_ENDS_ANCHOR = re.compile(
    r",| (?:to|and|or|but|if|when|unless|in|at|on(?! which)|with|und|oder|wenn|и|или|ако) ", re.IGNORECASE
)
_GENERAL = frozenset(stem(word) for word in ["day", "date", "time", "actual", "datum", "tag", "start", "moment"])

_BEFORE, _OF, _AFTER = -1, 0, 1
_SIDE = re.compile(
    r"\s*(?:(?P<before>before|prior to|in advance|ahead)|(?P<after>after|following|from)|(?P<of>of))\b(?! now\b| today\b)",
    re.IGNORECASE,
)
#: What lies ahead when one counts the days to it.
_COMING = re.compile(
    r"\s*(?:the |your |their |its |his |her )?(?:\w+ )?(?:departure|trip|journey|flight|start|end|expiry|deadline|due|event|"
    r"appointment|birth|arrival|date|holiday|leave|exam|performance|age|notice|service|work|holidays?|pay|absence)\b",
    re.IGNORECASE,
)

_PER = re.compile(
    r"\A[\s,]*(?:of the \w+ )?(?:(?:(?:\w+ ){0,3}?per|for each|for every|each|every|an?|pro|/|на|за всеки|за всяка) (?=[^\W\d])"
    r"((?:square |cubic |full |started |calendar )?[^\W\d_]+)|"
    r"(hourly|daily|weekly|monthly|quarterly|annually|yearly|p\.?a\.?)\b)",
    re.IGNORECASE,
)
_ADVERBS = {
    "hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "annually": "year", "yearly": "year",
    "pa": "year", "annum": "year",
}  # fmt: skip
_RANGE = re.compile(r"\A\s*(?:to|-|until|and|bis|до|и)\s*\Z", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(?:between|zwischen|между)\s*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Anchor:
    """What a period is counted from: its stems, and the kinds of events among them."""

    measure: tuple[str, object]
    stems: frozenset[str]
    events: frozenset[int]
    written: str
    single: bool = False


def term_conflict(claim: str, sentence: str) -> str | None:
    """What ties a number of the claim to something else than the sentence does, or ``None``."""
    return (
        _side_conflict(claim, sentence)
        or _anchor_conflict(claim, sentence)
        or _rate_conflict(claim, sentence)
        or _range_conflict(claim, sentence)
    )


@lru_cache(maxsize=1 << 12)
def anchors(text: str) -> tuple[Anchor, ...]:
    """What each period of a text is counted from, where that is said."""
    found = []
    read = as_read(text)
    single = [
        Quantity(Decimal(1), UNITS[match[1].casefold()], match.start(), match.end(), match[0])
        for match in _SINGLE.finditer(read)
    ]
    for quantity in [*quantities(text), *single]:
        match = _FROM.match(read[quantity.end :]) if quantity.measure[0] in _PERIODS else None
        if match is None:
            continue
        written = _ENDS_ANCHOR.split(match[1])[0]
        held = [word for word in words(written) if word.stem][:6]
        events = frozenset(_CLASS_OF[word.text] for word in held if word.text in _CLASS_OF)
        stems = frozenset(word.stem for word in held) - _GENERAL
        found.append(Anchor(quantity.measure, stems, events, written.strip(), quantity in single))
    return tuple(found)


def anchor_stems(text: str) -> frozenset[str]:
    """The stems of what the text's periods are counted from: another event there is compared here alone."""
    return frozenset(stem for anchor in anchors(text) for stem in anchor.stems)


def tied_stems(text: str) -> frozenset[str]:
    """The stems of what the text's numbers are tied to: events and what an amount is for."""
    return anchor_stems(text).union(*(per for _, per, _ in _rates(text)))


def _anchor_conflict(claim: str, sentence: str) -> str | None:
    theirs = anchors(sentence)
    held = {anchor.measure for anchor in theirs} | {quantity.measure for quantity in quantities(sentence)}
    for mine in anchors(claim):
        if mine.single and mine.measure not in held:
            other_length = next((other for other in theirs if other.stems and _same_event(mine, other)), None)
            if other_length:
                return f"the period before {mine.written!r} is not what it cites"
        rivals = [other for other in theirs if other.measure == mine.measure and other.stems]
        if mine.events and rivals and not any(_same_event(mine, other) for other in rivals):
            return f"the period counts from {mine.written!r}, in what it cites from {rivals[0].written!r}"
    return None


def _side_conflict(claim: str, sentence: str) -> str | None:
    """A period told to lie on the other side of its event: "24 hours after booking" of "24 hours in advance"."""
    theirs = _sides(sentence)
    for measure, side in _sides(claim):
        others = {other for same, other in theirs if same == measure}
        # "Within 90 days of treatment" is after it; who tells "before" so may mean an event ahead.
        alike = {side, _OF} if side == _AFTER else {_OF, _AFTER, _BEFORE} if side == _OF else {_BEFORE}
        if others and not others & alike:
            return "puts a period on the other side of what it counts from"
    return None


@lru_cache(maxsize=1 << 12)
def _sides(text: str) -> tuple[tuple[tuple[str, object], int], ...]:
    """Each period with the side of its event, where that is said."""
    read, found = as_read(text), []
    for quantity in quantities(text):
        match = _SIDE.match(read, quantity.end) if quantity.measure[0] in _PERIODS else None
        if match is None or (match["of"] and _COMING.match(read, match.end())):
            continue
        found.append((quantity.measure, _BEFORE if match["before"] else _AFTER if match["after"] else _OF))
    return tuple(found)


def _same_event(mine: Anchor, other: Anchor) -> bool:
    # "the planned departure" may be told as "your trip": only an event of a known other kind is another one.
    return bool(mine.events & other.events if other.events else mine.stems & other.stems)


def _rate_conflict(claim: str, sentence: str) -> str | None:
    theirs = _rates(sentence)
    held = {measure for measure, _, _ in theirs}
    for measure, per, written in _rates(claim):
        if measure in held and not any(measure == other and per & each for other, each, _ in theirs):
            rival = next(text for other, _, text in theirs if other == measure)
            return f"it says {written!r}, what it cites {rival!r}"
    return None


@lru_cache(maxsize=1 << 12)
def _rates(text: str) -> tuple[tuple[tuple[str, object], frozenset[str], str], ...]:
    """Each quantity with what it is per, as stems: ``€4.90 per month``, ``9.9% a year``, ``2.40 euros per square metre``."""
    found, read = [], as_read(text)
    for quantity in quantities(text):
        match = _PER.match(read[quantity.end :])
        if match is None or not quantity.unit:
            continue
        adverb = (match[2] or match[1].split()[-1]).casefold().replace(".", "")
        name = _ADVERBS.get(adverb, match[1] or adverb)
        stems = frozenset(
            UNITS.get(word.text, word.stem)
            for word in words(name)
            if word.stem and word.text not in ("calendar", "full")
        )
        if stems:
            found.append((quantity.measure, stems, read[quantity.start : quantity.end + match.end()]))
    return tuple(found)


def _range_conflict(claim: str, sentence: str) -> str | None:
    """One end of a range given as the whole: "3 business days" where the sentence has "3 to 6 business days"."""
    claimed = quantities(claim)
    measures = {quantity.measure for quantity in claimed}
    for low, high in ranges(sentence):
        if low.measure[0] not in _PERIODS or {low.measure, high.measure} <= measures:
            continue
        for quantity in claimed:
            bound = bound_of(claim, quantity)
            if (quantity.measure == low.measure and bound <= 0) or (quantity.measure == high.measure and bound >= 0):
                return f"the number {quantity.text.strip()} is one end of what it cites: {low.text} to {high.text}"
    return None


def ranges(text: str) -> list[tuple[Quantity, Quantity]]:
    """The pairs of quantities that a text joins as a range."""
    found, read = quantities(text), as_read(text)
    out = []
    for low, high in pairwise(found):
        between = read[low.end : high.start]
        joined = _RANGE.match(between)
        if joined and low.measure[0] == high.measure[0] and low.measure[1] < high.measure[1]:
            if between.strip().casefold() in ("and", "и") and not _BETWEEN.search(read[: low.start]):
                continue
            out.append((low, high))
    return out
