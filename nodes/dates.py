"""Dates in text: ``12 March 2024``, ``March 12``, ``2024-03-12``, ``12.03.2024 г.``, ``March 2024``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from knowledge.codes import fold

_NAMES = (
    "january jan януари januar janvier enero",
    "february feb февруари februar février febrero",
    "march mar март märz mars marzo",
    "april apr април avril abril",
    "may май mai mayo",
    "june jun юни juni juin junio",
    "july jul юли juli juillet julio",
    "august aug август août agosto",
    "september sep sept септември septembre septiembre",
    "october oct октомври oktober octobre octubre",
    "november nov ноември novembre noviembre",
    "december dec декември dezember décembre diciembre",
)
_MONTHS = {name: number for number, names in enumerate(_NAMES, start=1) for name in names.split()}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_PATTERNS = (
    re.compile(r"\b(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})\b"),
    re.compile(r"\b(?P<a>\d{1,2})[./](?P<b>\d{1,2})[./](?P<y>\d{4})\b"),
    re.compile(
        rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th|\.|-?(?:ви|ри|ти|ми))?\s+(?:of\s+|de\s+)?(?P<name>{_MONTH})\b\.?(?:,?\s+(?:de\s+)?(?P<y>\d{{4}}\b|\d{{1,4}}(?=\s?г\b)))?",
        re.I,
    ),
    re.compile(
        rf"\b(?P<name>{_MONTH})\.?\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\s*%)(?:,?\s+(?P<y>\d{{4}})\b)?", re.I
    ),
    re.compile(rf"\b(?P<name>{_MONTH})\.?,?\s+(?:of\s+|de\s+)?(?P<y>\d{{4}})\b", re.I),
)
_MONTH_OR_DAY = re.compile(
    r"\b(?:in|since|until|by|from|during|each|every|next|last|before|after|през|от|до)\s+"
    r"(?:(?:the )?month of |месец )?"
    rf"(?P<name>(?!may\b|mar\b|march\b|sec\b){_MONTH})\b",
    re.IGNORECASE,
)
#: Months by their names alone, with their capitals; those that are words too only beside another one: "from March to May".
_SURE = "January|February|April|June|July|August|September|October|November|December"
_MONTH_ALONE = re.compile(rf"\b(?:{_SURE})\b")
_ANY_MONTH = re.compile(rf"\b(?:{_SURE}|March|May)\b")
_MONTHS_IN_A_ROW = re.compile(
    rf"\b(?:{_SURE}|March|May)(?:(?:,? (?:and|or|to|until|till) |, | ?- ?)(?:{_SURE}|March|May)\b)+"
)
_WEEKDAY = re.compile(
    r"\b(monday|tuesday|wednesday|thursday|friday|saturday|sunday|понеделник|вторник|сряда|четвъртък|петък|събота|неделя)s?\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Date:
    """A date, as far as it is said: each reading is (year, month, day) with ``None`` for what is left open.

    A date that can't be (70 January) has no reading and agrees with none.
    """

    readings: frozenset[tuple[int | None, int | None, int | None]]
    start: int
    end: int
    text: str

    def agrees_with(self, other: Date) -> bool:
        """Whether some reading of the other holds every part that this one says."""
        return any(
            all(mine is None or mine == theirs for mine, theirs in zip(one, two, strict=True))
            for one in self.readings
            for two in other.readings
        )


def dates(text: str) -> list[Date]:
    """The dates of a text, from left to right, none inside another. 03/04/2024 has two readings."""
    folded = fold(text)
    found: list[Date] = []
    for pattern in _PATTERNS if any(map(str.isdigit, folded)) else ():
        for match in pattern.finditer(folded):
            if _is_modal(match):
                continue
            readings = _readings(match.groupdict())
            if not any(match.start() < date.end and date.start < match.end() for date in found):
                found.append(Date(readings, match.start(), match.end(), match[0]))
    for start, end in _months_alone(folded):
        if not any(start < date.end and date.start < end for date in found):
            month = _MONTHS[folded[start:end].casefold()]
            found.append(Date(frozenset({(None, month, None)}), start, end, folded[start:end]))
    return sorted(found, key=lambda date: date.start)


def _months_alone(folded: str) -> Iterator[tuple[int, int]]:
    """The spans of months that stand without a day or a year."""
    yield from (match.span("name") for match in _MONTH_OR_DAY.finditer(folded))
    yield from (match.span() for match in _MONTH_ALONE.finditer(folded))
    for row in _MONTHS_IN_A_ROW.finditer(folded):
        yield from (match.span() for match in _ANY_MONTH.finditer(folded, *row.span()))


def _is_modal(match: re.Match[str]) -> bool:
    """Whether the month is the verb: "children under 12 may not use it"."""
    parts = match.groupdict()
    return (
        parts.get("name") == "may"
        and not parts.get("y")
        and match[0].endswith("may")
        and parts["d"] == match[0].split()[0]
    )


def weekdays(text: str) -> set[str]:
    """The weekdays that a text names, casefolded."""
    return {match[1].casefold() for match in _WEEKDAY.finditer(text)}


def _readings(parts: dict[str, str | None]) -> frozenset[tuple[int | None, int | None, int | None]]:
    year, day, one, two = (int(value) if (value := parts.get(key)) else None for key in ("y", "d", "a", "b"))
    if one is not None and two is not None:
        pairs = {(one, two), (two, one)}
        return frozenset((year, month, day) for day, month in pairs if 1 <= month <= 12 and 1 <= day <= 31)
    name = parts.get("name")
    month = _MONTHS[name.casefold()] if name else int(parts.get("m") or 0)
    if not 1 <= month <= 12 or (day is not None and not 1 <= day <= 31):
        return frozenset()
    return frozenset({(year, month, day)})
