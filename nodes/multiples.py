"""Numbers that a sum hides: ``5½``, ``7²``, ``half an hour``, ``twice 7 days``, ``a dozen``, ``half the price``; and ages.

Those of a number are worked out before quantities are read; those of a thing ("half the price") are quantities of their own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache

from knowledge.codes import fold

_SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_DIGITS = str.maketrans(_SUPERSCRIPT, "0123456789")
_FRACTION = re.compile(r"(?:(\d+)\s?)?([½⅓⅔¼¾⅕⅛])")
#: A small digit behind a number is a power, or a footnote's mark; 1 changes nothing.
_POWER = re.compile(rf"(?<![\w.,])(\d{{1,3}})([{_SUPERSCRIPT}]{{1,2}})(?=\s+[^\W\d])")
_SMALL = re.compile(rf"(?<![\w.,)\]!?\"”’])([{_SUPERSCRIPT}]+)(?=\s+[^\W\d])")
_PRODUCT = re.compile(r"(?<![\w.,])(\d{1,4})\s?[×*]\s?(\d{1,4})(?![\w.,])")
_TIMES = {"twice": "2", "double": "2", "thrice": "3", "triple": "3", "half": "0.5", "half of": "0.5"}
_OF_NUMBER = re.compile(r"\b(twice|double|thrice|triple|half of|half) (?:the )?(\d{1,6})\b(?![.,]?\d)", re.IGNORECASE)
_UP_TO_TEN = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_WORDS = {word: str(at) for at, word in enumerate(_UP_TO_TEN, start=1)}
_AND_A_HALF = re.compile(rf"\b(\d{{1,4}}|{'|'.join(_WORDS)}) and (?:a|one) half\b", re.IGNORECASE)
_ONE_AND_A_HALF = re.compile(r"\b(?:an?|one) (hour|day|week|month|year) and (?:a|one) half\b", re.IGNORECASE)
_HALF_A = re.compile(
    r"\b(?:a )?half (?:an? )?(?=(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|decade|dozen)\b)|"
    r"\bполовин (?=(?:час|ден|седмица|месец|година)\b)|\beine? halbe[sn]? (?=(?:stunde|tag|woche|monat|jahr)\b)",
    re.IGNORECASE,
)
_QUARTER_HOUR = re.compile(r"\b(?:(three) quarters|(?:an? |one )?quarter)(?: of an|-) ?hour\b", re.IGNORECASE)
_DOZEN = re.compile(r"\b(?:(0\.5|\d{1,3}) |an? )dozens?\b", re.IGNORECASE)
_NOON = re.compile(r"\b(?:12(?:[:.]00)?\s?(?:o'clock )?noon|midday|12(?:[:.]00)?\s?p\.?m\b\.?)", re.IGNORECASE)
_COUPLE = re.compile(r"\ba couple of\b(?= \w+s\b)", re.IGNORECASE)

#: "16- and 17-year-olds": the first number counts what the second one does.
_HUNG = re.compile(r"(?<=\d)- (?=(?:and|or|to|und|oder|bis) \d)", re.IGNORECASE)

_HALVES = (
    r"(?:the|its|his|her|their|your|our|that|this|what|as much|normal|usual|original|monthly|annual|each|all|"
    # A tank that is half full holds no number.
    r"full(?= (?:pay|salary|wages?|prices?|rates?|fares?|fees?|amounts?|sums?|costs?|benefits?|refunds?)\b))"
)
_PARTS = (
    (
        re.compile(
            rf"\b(?:one )?half(?= (?:of )?{_HALVES}\b|\s*(?:[.,;]|\Z))|\bhälfte\b|\bполовина(?:та)?\b", re.IGNORECASE
        ),
        "50",
    ),
    (re.compile(rf"\b(?:a|one)[ -]third(?= (?:of )?{_HALVES}\b)|\b(?:ein )?drittel\b", re.IGNORECASE), "33"),
    (re.compile(rf"\btwo[ -]thirds(?= (?:of )?{_HALVES}\b)", re.IGNORECASE), "67"),
    (re.compile(rf"\b(?:a|one) quarter(?= (?:of )?{_HALVES}\b)", re.IGNORECASE), "25"),
    (re.compile(rf"\bthree quarters(?= (?:of )?{_HALVES}\b)", re.IGNORECASE), "75"),
)
_MULTIPLES = (
    (re.compile(r"\bonce(?= (?:an?|per|every|each|for) |\s*(?:[.,;)]|\Z))", re.IGNORECASE), "1"),
    (re.compile(rf"\btwice\b|\bdouble(?= (?:of )?{_HALVES}\b)|\bdoppelte\w*|\bдвойн\w+", re.IGNORECASE), "2"),
    (re.compile(r"\btime and (?:a|one) half\b", re.IGNORECASE), "1.5"),
    (re.compile(rf"\bthrice\b|\btriple(?= (?:of )?{_HALVES}\b)|\bdreifache\w*|\bтройн\w+", re.IGNORECASE), "3"),
)


@lru_cache(maxsize=1 << 13)
def as_read(text: str) -> str:
    """The folded text with the sums of its numbers worked out: ``5.5`` for ``5½``, ``14 days`` for ``twice 7 days``."""
    if any(mark in text for mark in "½⅓⅔¼¾⅕⅛"):
        text = _FRACTION.sub(_with_fraction, text)
    if any(mark in text for mark in _SUPERSCRIPT):
        text = _POWER.sub(lambda match: str(int(match[1]) ** int(match[2].translate(_DIGITS))), text)
        text = _SMALL.sub(lambda match: match[1].translate(_DIGITS), text)
    text = _PRODUCT.sub(lambda match: str(int(match[1]) * int(match[2])), fold(text))
    text = _OF_NUMBER.sub(lambda match: _plain(Decimal(_TIMES[match[1].casefold()]) * int(match[2])), text)
    text = _AND_A_HALF.sub(lambda match: f"{_WORDS.get(match[1].casefold(), match[1])}.5", text)
    text = _ONE_AND_A_HALF.sub(r"1.5 \1s", text)
    text = _HALF_A.sub("0.5 ", text)
    text = _DOZEN.sub(lambda match: _plain(Decimal(match[1] or "1") * 12), text)
    text = _HUNG.sub(" ", _QUARTER_HOUR.sub(lambda match: "45 minutes" if match[1] else "15 minutes", text))
    return _COUPLE.sub("2", _NOON.sub("noon", text))


def factors(text: str) -> Iterator[tuple[Decimal, str, int, int]]:
    """Value, unit and span of each part or multiple of a thing: half the rent is 50 percent, double the rent 2 times."""
    for unit, forms in (("percent", _PARTS), ("times", _MULTIPLES)):
        for form, value in forms:
            for match in form.finditer(text):
                yield Decimal(value), unit, match.start(), match.end()


def _with_fraction(match: re.Match[str]) -> str:
    whole = Decimal(match[1] or "0")
    return _plain(round(whole + Decimal(str(unicodedata.numeric(match[2]))), 3))


def _plain(value: Decimal) -> str:
    return f"{value.normalize():f}"
