"""Numbers with their units, however they are written: ``7 days``, ``seven days``, ``1,000``, ``₹499``, ``70 %``, ``седем дни``.

A quantity is compared by dimension and magnitude: 48 hours are 2 days, 12 months are a year, 1.8 litres are 1,800 ml, 7 days are
not 7 weeks, and a business day is no calendar day. "Half the price" is 50 %, "double the rent" two times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import pairwise

from nodes.multiples import as_read, factors

_ONES = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
    "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90,
    "един": 1, "една": 1, "едно": 1, "два": 2, "две": 2, "двама": 2, "три": 3, "трима": 3, "четири": 4, "пет": 5, "шест": 6,
    "седем": 7, "осем": 8, "девет": 9, "десет": 10, "единадесет": 11, "дванадесет": 12, "тринадесет": 13,
    "четиринадесет": 14, "петнадесет": 15, "шестнадесет": 16, "седемнадесет": 17, "осемнадесет": 18, "деветнадесет": 19,
    "двадесет": 20, "тридесет": 30, "четиридесет": 40, "петдесет": 50, "шестдесет": 60, "седемдесет": 70,
    "осемдесет": 80, "деветдесет": 90,
    "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "elf": 11,
    "zwölf": 12, "vierzehn": 14, "fünfzehn": 15, "zwanzig": 20, "dreißig": 30, "dreissig": 30, "vierzig": 40, "fünfzig": 50,
    "sechzig": 60, "neunzig": 90,
}  # fmt: skip
_HUNDREDS = {"hundred": 100, "сто": 100, "hundert": 100}
_THOUSANDS = {
    "dozen": 12,
    "thousand": 1_000,
    "million": 1_000_000,
    "хиляди": 1_000,
    "хиляда": 1_000,
    "милион": 1_000_000,
    "милиона": 1_000_000,
}
_ORDINALS = {
    "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
    "втори": 2, "втория": 2, "трети": 3, "третия": 3, "четвърти": 4, "четвъртия": 4, "пети": 5, "петия": 5,
}  # fmt: skip
_BEFORE_ORDINAL = frozenset("the its their your his her this that on every each".split())  # noqa: SIM905
_AFTER_NO_NUMBER = frozenset({"party", "parties", "person", "persons", "лице", "лица", "страна"})
_INDEFINITE = frozenset(
    "a an each every per на всеки всяка ein eine einem einen einer pro".split()  # noqa: SIM905
)

NUMBER_WORDS = _ONES.keys() | _HUNDREDS.keys()
#: Canonical unit -> its spellings, casefolded.
_SPELLINGS = {
    "second": "second seconds sec secs секунда секунди сек",
    "minute": "minute minutes min mins минута минути мин",
    "hour": "hour hours hr hrs h час часа часове часов часова ч stunde stunden heure heures hora horas",
    "day": "day days ден дни дена дните дневен дневна tag tage tagen jour jours día días",
    "week": "week weeks wk wks седмица седмици седмичен седмична woche wochen semaine semaines semana semanas",
    "fortnight": "fortnight fortnights", "decade": "decade decades",
    "month": "month months месец месеца месеци месечен месечна monat monate monaten mois mes meses",
    "year": "year years yr yrs година години годишен годишна год jahr jahre jahren an ans año años",
    "percent": "% percent pct процент процента процентa prozent",
    "INR": "inr rs rupee rupees ₹", "USD": "usd dollar dollars $", "EUR": "eur euro euros евро €",
    "GBP": "gbp pound pounds £", "BGN": "bgn лв лева лев", "JPY": "jpy yen ¥", "CHF": "chf franc francs", "AUD": "aud",
    "CAD": "cad", "CNY": "cny yuan", "AED": "aed dirham dirhams", "paisa": "paisa paise", "cent": "cent cents",
    "permille": "‰ permille promille промил промила",
    "stotinka": "стотинки стотинка", "bar": "bar bars", "psi": "psi", "Pa": "pa", "kPa": "kpa", "kW": "kw", "kV": "kv",
    "V": "v volt volts", "W": "w watt watts", "mAh": "mah", "A": "amp amps ampere amperes", "mA": "ma",
    "Hz": "hz", "kHz": "khz", "MHz": "mhz", "GHz": "ghz", "dB": "db", "ohm": "ω ohm ohms",
    "KB": "kb", "MB": "mb", "GB": "gb", "TB": "tb", "kWh": "kwh",
    "mm": "mm millimetre millimetres millimeter millimeters", "cm": "cm centimetre centimetres centimeter centimeters",
    "m": "m metre metres meter meters", "km": "km kilometre kilometres kilometer kilometers",
    "inch": "inch inches", "foot": "ft foot feet", "mile": "mile miles",
    "mg": "mg", "g": "g gram grams gramme grammes", "kg": "kg kilo kilos kilogram kilograms", "lb": "lb lbs",
    "ml": "ml", "l": "l litre litres liter liters", "C": "°c", "F": "°f", "times": "times пъти",
    "ordinal": "st nd rd th ви ри ти ми", "am": "am a.m", "pm": "pm p.m",
}  # fmt: skip
UNITS = {spelling: unit for unit, spellings in _SPELLINGS.items() for spelling in spellings.split()}
_CURRENCIES = frozenset({"INR", "USD", "EUR", "GBP", "BGN", "JPY", "CHF", "AUD", "CAD", "CNY", "AED"})
_BUSINESS = frozenset({"business", "working", "работни", "работен"})
_PERCENTAGE = frozenset({"percentage", "процентен", "процентни"})
_POINTS = frozenset({"point", "points", "пункт", "пункта"})
_SQUARED = {"square": "square", "sq": "square", "cubic": "cubic", "квадратни": "square", "quadratmeter": "square"}
_BETWEEN_WORDS = frozenset(
    {
        "full",
        "whole",
        "calendar",
        "more",
        "additional",
        "further",
        "extra",
        "other",
        "consecutive",
        "clear",
        "long",
        "free",
    }
    | {"календарни", "цели", "още", "допълнителни"}
)
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800, "fortnight": 1209600}
_MONTHS = {"month": 1, "year": 12, "decade": 120}
#: Unit -> dimension and how many of its smallest unit it is.
_SCALES = {
    **{unit: ("time", Decimal(seconds)) for unit, seconds in _SECONDS.items()},
    **{unit: ("months", Decimal(months)) for unit, months in _MONTHS.items()},
    "ml": ("volume", Decimal(1)), "l": ("volume", Decimal(1000)),
    "mg": ("mass", Decimal(1)), "g": ("mass", Decimal(1000)), "kg": ("mass", Decimal(1_000_000)),
    "mm": ("length", Decimal(1)), "cm": ("length", Decimal(10)), "m": ("length", Decimal(1000)),
    "km": ("length", Decimal(1_000_000)), "mA": ("A", Decimal("0.001")), "stotinka": ("BGN", Decimal("0.01")),
    "paisa": ("INR", Decimal("0.01")), "permille": ("percent", Decimal("0.1")),
    "Hz": ("frequency", Decimal(1)), "kHz": ("frequency", Decimal(1000)), "MHz": ("frequency", Decimal(1_000_000)),
    "GHz": ("frequency", Decimal(1_000_000_000)),
}  # fmt: skip
#: Periods, by words that mean nothing else; "an" is a French year, "tag" a German day.
_PERIOD = re.compile(
    r"\b(hours?|days?|weeks?|fortnights?|months?|years?|decades?|часа?|часове|дни|дена|седмиц[аи]|месеца?|месеци|годин[аи])\b",
    re.IGNORECASE,
)
_JOINS = frozenset({"to", "or", "and", "until", "-", "и", "или", "до", "bis", "und", "à", "a", "y", "o"})

_TOKEN = re.compile(
    r"(?P<number>\d{1,3}(?:[,\u2009\u202f ]\d{3})+(?!\d)(?:\.\d+)?|\d+(?:[.,]\d+)*)"
    r"|(?P<sign>[₹$€£%]|°[CF]\b|per cent\b|на сто\b)"
    r"|(?P<word>[^\W\d_]+(?:\.m\b)?)|(?P<dash>-)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number. ``unit`` is canonical or empty; ``start`` and ``end`` are characters of the text as read; ``text`` as written."""

    value: Decimal
    unit: str
    start: int
    end: int
    text: str

    @property
    def measure(self) -> tuple[str, Decimal]:
        """Dimension and magnitude: equal for 48 hours and 2 days, for a year and 12 months, for 1 kg and 1,000 g."""
        dimension, scale = _SCALES.get(self.unit, (self.unit, Decimal(1)))
        return dimension, self.value * scale


@dataclass(frozen=True, slots=True)
class _Number:
    value: Decimal
    start: int
    end: int
    first: int
    last: int
    ordinal: bool = False


def quantities(text: str) -> list[Quantity]:
    """The quantities of a text from left to right. A lone "one" is a pronoun and counts only before a unit.

    Spans are characters of ``as_read(text)``.
    """
    folded = as_read(text)
    tokens = [
        (match.lastgroup or "", match[0].casefold(), match.start(), match.end()) for match in _TOKEN.finditer(folded)
    ]
    found: list[Quantity] = []
    for number in _numbers(tokens):
        unit, end = ("ordinal", number.end) if number.ordinal else _unit_of(tokens, number)
        if not unit and tokens[number.first][0] == "word" and number.value <= 1:
            continue
        start = number.start
        found.append(Quantity(number.value, unit, start, end, folded[start:end]))
    found = _with_inherited_units(found, folded)
    parts = [Quantity(value, unit, start, end, folded[start:end]) for value, unit, start, end in factors(folded)]
    if not parts:
        return found
    # "a third of the rent" is no third thing.
    apart = [one for one in found if not any(one.start < part.end and part.start < one.end for part in parts)]
    return sorted([*apart, *parts], key=lambda quantity: quantity.start)


def unit_mentions(text: str) -> set[str]:
    """The units that a text names, with or without a number before them."""
    return {UNITS[match[0].casefold()] for match in _TOKEN.finditer(as_read(text)) if match[0].casefold() in UNITS}


def periods(text: str) -> set[str]:
    """The units of time, from hours up, that a text names, with or without a number."""
    return {UNITS[match[1].casefold()] for match in _PERIOD.finditer(as_read(text))}


def one_of(unit: str) -> Quantity:
    """One of a unit, for its measure."""
    return Quantity(Decimal(1), unit, 0, 0, "")


def single_units(text: str) -> set[str]:
    """Units said once without a number: ``a week``, ``per day``."""
    words = [match[0].casefold() for match in _TOKEN.finditer(as_read(text))]
    return {UNITS[after] for before, after in pairwise(words) if before in _INDEFINITE and after in UNITS}


def as_decimal(written: str) -> Decimal:
    """The value of digits: a comma or a blank before three digits, and several dots, part thousands; else a decimal point."""
    if re.fullmatch(r"\d{1,3}(?:[,\u2009\u202f ]\d{3})+(?:\.\d+)?", written):
        written = re.sub(r"[,\u2009\u202f ]", "", written)
    elif re.fullmatch(r"\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?|\d{1,3}\.\d{3},\d+", written):
        written = written.replace(".", "").replace(",", ".")
    else:
        written = written.replace(",", ".")
    try:
        return Decimal(written)
    except InvalidOperation:  # 1.2.3 is a section or a version, not a number: its digits in a row stand for it
        return Decimal("0." + re.sub(r"\D", "", written))


def _numbers(tokens: list[tuple[str, str, int, int]]) -> Iterator[_Number]:
    at = 0
    while at < len(tokens):
        kind, word, start, end = tokens[at]
        if kind == "number":
            value = as_decimal(word)
            following = tokens[at + 1][1] if at + 1 < len(tokens) else ""
            if following in _THOUSANDS and tokens[at + 1][2] - end <= 1:
                yield _Number(value * _THOUSANDS[following], start, tokens[at + 1][3], at, at + 1)
                at += 2
                continue
            yield _Number(value, start, end, at, at)
        elif (word in _ORDINALS or _is_second(tokens, at)) and not _AFTER_NO_NUMBER & {
            token[1] for token in tokens[at + 1 : at + 3]
        }:
            yield _Number(Decimal(_ORDINALS.get(word, 2)), start, end, at, at, ordinal=True)
        elif word in _ONES or word in _HUNDREDS:
            last, value_ = _spelled(tokens, at)
            yield _Number(Decimal(value_), start, tokens[last][3], at, last)
            at = last
        at += 1


def _is_second(tokens: list[tuple[str, str, int, int]], at: int) -> bool:
    """Whether a "second" comes after a first, and is no unit of time: "the second day"."""
    return tokens[at][1] == "second" and at > 0 and tokens[at - 1][1] in _BEFORE_ORDINAL


def _spelled(tokens: list[tuple[str, str, int, int]], at: int) -> tuple[int, int]:
    """The end and value of a number in words that begins at ``at``: "twenty-four", "two hundred and fifty"."""
    total, current, last, before = 0, 0, at, None
    while at < len(tokens):
        word = tokens[at][1]
        if word in _ONES and (before is None or before == "scale" or (before == "tens" and _ONES[word] < 10)):
            current += _ONES[word]
            before = "tens" if _ONES[word] >= 20 else "ones"
        elif word in _HUNDREDS and before in (None, "ones"):
            current = max(current, 1) * 100
            before = "scale"
        elif word in _THOUSANDS and before is not None:
            total, current, before = total + max(current, 1) * _THOUSANDS[word], 0, "scale"
        elif not (word in ("-", "and", "и") and before in ("tens", "scale")):
            break
        if word not in ("-", "and", "и"):
            last = at
        at += 1
    return last, total + current


def _unit_of(tokens: list[tuple[str, str, int, int]], number: _Number) -> tuple[str, int]:
    """The unit of a number and where it ends: the sign or code before it, or the word or sign after it."""
    before = tokens[number.first - 1] if number.first else None
    if before and before[1] in UNITS and UNITS[before[1]] in _CURRENCIES and number.start - before[3] <= 2:
        return UNITS[before[1]], number.end
    at, business, squared, skipped = number.last + 1, False, "", 0
    while at < len(tokens) and skipped <= 3:
        kind, word, start, end = tokens[at]
        if start - tokens[at - 1][3] > 2:
            break
        if word in ("per cent", "на сто"):
            return "percent", end
        if word in UNITS:
            unit = UNITS[word]
            if (unit in ("INR", "A", "m", "g", "l") and skipped) or (word == "an" and start - tokens[at - 1][3] > 1):
                break  # "(2) An applicant" is no French year
            if unit == "percent" and at + 1 < len(tokens) and tokens[at + 1][1] in _POINTS:
                return "percentage point", tokens[at + 1][3]
            return (f"business {unit}" if business and unit in ("day", "hour") else squared + unit), end
        if word in _POINTS and tokens[at - 1][1] in _PERCENTAGE:
            return "percentage point", end
        if word in _BUSINESS:
            business = True
        elif word in _SQUARED:
            squared = f"{_SQUARED[word]} "
        elif kind != "dash" and word not in _BETWEEN_WORDS | _PERCENTAGE:
            break
        at, skipped = at + 1, skipped + 1
    return "", number.end


def _with_inherited_units(found: list[Quantity], text: str) -> list[Quantity]:
    """In "3 to 6 business days" the 3 counts business days too."""
    out = list(found)
    for at in range(len(out) - 2, -1, -1):
        here, following = out[at], out[at + 1]
        between = re.sub(r"[^\w-]+", " ", text[here.end : following.start]).strip().casefold()
        if not here.unit and following.unit not in ("", "ordinal") and between in _JOINS:
            out[at] = Quantity(here.value, following.unit, here.start, here.end, here.text)
    return out
