"""The hard facts of a sentence: quantities, dates, codes, times, addresses and quoted names; and which of them a source lacks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from knowledge.codes import canonical, fold, is_code
from nodes.dates import Date, dates, weekdays
from nodes.multiples import as_read
from nodes.numerals import Quantity, one_of, periods, quantities, single_units, unit_mentions
from nodes.words import capitalises_nouns, content, words

_CODE = re.compile(r"[^\W_]+(?:[-_./][^\W_]+)*(?:\s?\([0-9]{1,3}[^\W\d_]?\))*")
_DIGIT = re.compile(r"\d")
_LETTER_CODE = re.compile(r"\b[A-Z]{2,}-[A-Z]\b")
#: "Zone B", "groups A and C": one capital letter names which.
_LETTERED = re.compile(
    r"\b(?P<thing>[a-z]{3,}|[A-Z][a-z]{2,}(?! [A-Z]\.)) "
    r"(?P<letters>(?:[A-HJ-Z](?:,? (?:and|or|to) |, ))*[A-HJ-Z])\b(?![\w'’-]|\.\w|\s?[&%°])"
)
_LETTER = re.compile(r"\b[A-HJ-Z]\b")
_SPLIT_CODE = re.compile(r"\b([^\W\d_]{1,5})\s([0-9]{2,5}[^\W\d_]?)\b")
_TIME = re.compile(
    r"\b([01]?\d|2[0-3])[:.]([0-5]\d)\s?(?:h\b|hours\b|a\.?m|p\.?m|ч\b)|\b([01]?\d|2[0-3]):([0-5]\d)\b", re.I
)
_ADDRESS = re.compile(
    r"(?:https?://|www\.)[^\s<>\"'\])]+|(?<![\w.+-])[\w.+-]{1,64}@[\w-]+\.[\w.]+|(?<![\w-])[\w-]{1,63}\.(?:com|org|net|info|biz|io|in|bg|eu|co|de|fr|uk|us|ru|cn|xyz|shop|store|online|site|app|dev|link|top|club|support|example)\b(?:/\S*)?",
    re.I,
)
_QUOTATION = re.compile(r"[\"“”„«]\s*([^\"“”„«»]{2,120}?)\s*[\"”“»]|(?<!\w)['‘]([^'‘’\n]{2,80})['’](?!\w)")
#: Not behind a full stop, colon or list mark, where any word takes a capital; no acronym, which may be spelled out elsewhere.
_INNER_NAME = re.compile(r"(?<=[a-zа-я0-9,] )(?:[A-Z][a-z]{2,}[A-Za-z]*|[А-Я][а-я]{2,})\b")
#: What contracts, statutes and policies write with a capital is no name: "the Receiving Party", "this Agreement".
_DEFINED_TERM = re.compile(
    r"(?:\w+(?:tion|sion|ment|ness|ship|ing|ential|able|ible|ance|ence|ee)s?|part(?:y|ies)|polic(?:y|ies)|contracts?|terms?|rules?|"
    r"acts?|laws?|code|articles?|sections?|chapters?|paragraphs?|annex|schedules?|appendix|customers?|clients?|users?|members?|"
    r"employ(?:er|ee)s?|owners?|buyers?|sellers?|suppliers?|company|affiliates?|representatives?|services?|products?|goods|data|"
    r"materials?|date|purpose|board|court|state|office|authority|department|manual|guide|portal|app|website|yes|no)\Z",
    re.IGNORECASE,
)
_ENDLESS = re.compile(r"\b(?:lifetime|life-?long|perpetual|пожизнен\w*|безсрочн\w*|lebenslang\w*)\b", re.IGNORECASE)
#: How old one is: "under 18" are years.
_AGE = re.compile(r"\b(?:age[ds]?|olds?|older|younger|(?:under|over)(?:s\b| \d))", re.IGNORECASE)
#: What a number counts, right behind it, or a currency's letters before it.
_COUNTED = re.compile(r"[ -]([^\W\d_]{3,})")
_LETTERS = re.compile(r"\b([A-Z]{2,4}) \Z")
_ENDS = " .,;:!?…"


@dataclass(frozen=True)
class Facts:
    """The facts of one text. Codes are canonical, quotations and addresses casefolded, times ``h:mm``."""

    quantities: list[Quantity] = field(default_factory=list)
    dates: list[Date] = field(default_factory=list)
    weekdays: set[str] = field(default_factory=set)
    codes: dict[str, str] = field(default_factory=dict)
    times: set[str] = field(default_factory=set)
    addresses: set[str] = field(default_factory=set)


@lru_cache(maxsize=1 << 13)
def facts_of(text: str) -> Facts:
    """Read the facts of a text; digits inside a date, code, time or address are no quantities."""
    folded = as_read(text)
    found = dates(folded)
    taken = [(date.start, date.end) for date in found]
    addresses = set()
    for match in _ADDRESS.finditer(folded):
        addresses.add(match[0].rstrip(_ENDS + "/").casefold())
        taken.append(match.span())
    times = set()
    for match in _TIME.finditer(folded):
        hour, minute = (match[1], match[2]) if match[1] else (match[3], match[4])
        times.add(f"{int(hour)}:{minute}")
        taken.append(match.span())
    codes: dict[str, str] = {}
    for match in _CODE.finditer(folded):
        if _DIGIT.search(match[0]) and is_code(match[0]) and not _overlaps(match.span(), taken):
            codes[canonical(match[0])] = match[0]
            taken.append(match.span())
    for match in _LETTER_CODE.finditer(folded):
        codes[match[0].casefold()] = match[0]
    for match in _LETTERED.finditer(folded):
        thing = words(match["thing"])[-1]
        codes |= {
            f"{thing.stem} {letter.casefold()}": f"{match['thing']} {letter}"
            for letter in _LETTER.findall(match["letters"])
        }
    kept = list(folded)
    for start, end in taken:
        kept[start:end] = "\n" * (end - start)
    return Facts(quantities("".join(kept)), found, weekdays(folded), codes, times, addresses)


def missing_facts(claim: str, sources: Sequence[str], *, asked: str = "") -> list[str]:
    """What the claim states and no source holds, each as a short phrase, in the order of kinds.

    ``asked`` is the question: its number may be repeated where the claim sets it against a number of the source ("10 days are
    more than the 7 days allowed").
    """
    source = " \n".join(sources)
    known = facts_of(source)
    # "ax 204" is the source's AX-204, but "under 18" is no code: only what the source knows is joined.
    said = facts_of(_SPLIT_CODE.sub(lambda match: known.codes.get(canonical(match[0]), match[0]), as_read(claim)))
    out = [f"the date {date.text}" for date in said.dates if not any(date.agrees_with(other) for other in known.dates)]
    out += [f"the day {day.capitalize()}" for day in sorted(said.weekdays - known.weekdays)]
    out += missing_quantities(said, known, source, asked)
    out += miscounted(claim, said, known, source)
    out += missing_periods(claim, said, known, source)
    split = {canonical(match[0]) for match in _SPLIT_CODE.finditer(fold(source))}
    parts = {canonical(match[0]) for match in re.finditer(r"[^\W_]+", fold(source))}
    out += [
        f"the code {written}"
        for code, written in said.codes.items()
        if code not in known.codes.keys() | split | parts and not _in_column(code, source)
    ]
    out += [f"the time {time}" for time in sorted(said.times - known.times)]
    out += [f"the address {address}" for address in sorted(said.addresses) if address not in as_read(source).casefold()]
    plain = _plain(source)
    out += [f"the quoted {quote!r}" for quote in sorted(quotations_in(claim)) if _plain(quote) not in plain]
    told = f"{source} {asked} {' '.join(date.text for date in said.dates)}".casefold()
    out += [
        f"the name {name}"
        for name in names_in(claim)
        if name.casefold() not in told and name.casefold() not in said.weekdays
    ]
    return out


def _in_column(code: str, source: str) -> bool:
    """Whether a table or list has the letter of a "zone b" by itself."""
    letter = code.split()[-1]
    return (
        len(letter) == 1
        and re.search(rf"(?:\A|[|:•*\n-])\s*{letter.upper()}(?=\s*(?:[|:.)\n]|\Z| [A-Z]))", source) is not None
    )


def names_in(claim: str) -> list[str]:
    """Names of a sentence: capitals behind a word in small letters or a comma, defined terms apart. German has none to tell."""
    if capitalises_nouns(claim):
        return []
    return [name for name in dict.fromkeys(_INNER_NAME.findall(claim)) if not _DEFINED_TERM.match(name)]


def missing_quantities(said: Facts, known: Facts, source: str, asked: str) -> list[str]:
    """The quantities that the source lacks, but for those of the question that stand beside a known one of their kind."""
    measures = {quantity.measure for quantity in known.quantities}
    read = as_read(source)
    # "(2)" numbers a paragraph: it may be named by its digit and counts nothing.
    numbering = {
        (quantity.start, quantity.value)
        for quantity in known.quantities
        if not quantity.unit and read[max(0, quantity.start - 1) : quantity.end + 1] == f"({quantity.text})"
    }
    counted = [quantity for quantity in known.quantities if (quantity.start, quantity.value) not in numbering]
    values = {quantity.value for quantity in counted}
    paragraphs = {value for _, value in numbering}
    years = {reading[0] for date in known.dates for reading in date.readings}
    bare = {quantity.value for quantity in counted if not quantity.unit}
    mentions, single = unit_mentions(source), single_units(source)
    asked_measures = {quantity.measure for quantity in facts_of(asked).quantities} if asked else set()

    def held(quantity: Quantity) -> bool:
        if not quantity.unit:
            if quantity.value in values or (quantity.text.isdecimal() and quantity.value in paragraphs):
                return True
            return quantity.value == int(quantity.value) and int(quantity.value) in years
        if quantity.measure in measures or (quantity.value == 1 and quantity.unit in single | {"times"}):
            return True
        if quantity.unit == "year" and quantity.value in bare and _AGE.search(source):
            return True
        # A table may say the unit in its head and the number in a row.
        return quantity.value in bare and quantity.unit in mentions and not _other_unit(quantity, known)

    held_kinds = {quantity.measure[0] for quantity in said.quantities if quantity.unit and held(quantity)}
    return [
        f"the number {quantity.text.strip()}"
        for quantity in said.quantities
        if not held(quantity)
        and not (quantity.unit and quantity.measure in asked_measures and quantity.measure[0] in held_kinds)
    ]


def miscounted(claim: str, said: Facts, known: Facts, source: str) -> list[str]:
    """Numbers that the source gives with a unit and the claim with a word that the source lacks: 99 shekels, "CHF 99"."""
    with_unit = {quantity.value for quantity in known.quantities if quantity.unit}
    alone = with_unit - {quantity.value for quantity in known.quantities if not quantity.unit}
    read, out = as_read(claim), []
    for quantity in said.quantities:
        if quantity.unit or quantity.value not in alone:
            continue
        behind, before = _COUNTED.match(read, quantity.end), _LETTERS.search(read, 0, quantity.start)
        unit = behind[1] if behind else before[1] if before else ""
        if content(unit) - content(source):
            out.append(f"the number {quantity.text.strip()} of {unit!r}")
    return out


def missing_periods(claim: str, said: Facts, known: Facts, source: str) -> list[str]:
    """Periods named without a number ("within a month", "for several weeks") of which the source has neither word nor length."""
    measures = {quantity.measure for quantity in known.quantities}
    counted = {quantity.unit.removeprefix("business ") for quantity in said.quantities}
    alone = periods(claim) - periods(source) - counted
    singles = {unit for unit in single_units(claim) & alone if one_of(unit).measure in measures}
    endless = [match[0] for match in _ENDLESS.finditer(claim) if not _ENDLESS.search(source)]
    return [f"the period {unit}" for unit in [*sorted(alone - singles), *endless]]


def _other_unit(quantity: Quantity, known: Facts) -> bool:
    return any(other.value == quantity.value and other.unit not in ("", quantity.unit) for other in known.quantities)


def codes_in(text: str) -> set[str]:
    """The canonical codes of a text."""
    return set(facts_of(text).codes)


def numbers_in(text: str) -> set[str]:
    """The numbers of a text, by value: "seven" and 7 are the same."""
    facts = facts_of(text)
    numbers = {f"{quantity.value.normalize():f}" for quantity in facts.quantities}
    return numbers | facts.times | {date.text.casefold() for date in facts.dates if any(map(str.isdigit, date.text))}


def quotations_in(text: str) -> set[str]:
    """What stands in quotation marks, casefolded, without the marks."""
    found = (match[1] or match[2] for match in _QUOTATION.finditer(text))
    return {" ".join(quote.split()).strip(_ENDS).casefold() for quote in found if any(map(str.isalnum, quote))}


def kept_words(text: str) -> frozenset[str]:
    """The stems of the content words."""
    return content(text)


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", fold(text).casefold()))


def _overlaps(span: tuple[int, int], taken: Sequence[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in taken)
