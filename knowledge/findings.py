"""What the scanner finds in a text, and how it tells an amount from an identifier."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from knowledge.codes import is_unit

Kind = Literal["code", "label", "number"]


@dataclass(frozen=True, slots=True)
class Finding:
    """An identifier in a text.

    Attributes:
        start, end: its span in the folded text.
        kind: ``code`` (AX-204), ``label`` (чл. 41) or ``number`` (order 12345).
        value: canonical, without the act.
        certain: False where the same characters may be ordinary words ("ax 204", "top 10").
        acts: for a label, what may name its act, best first, casefolded: ``ззд`` of "чл. 129 ЗЗД".
        act_is_sure: whether the first of them is written as an acronym, and so is the act.
    """

    start: int
    end: int
    kind: Kind
    value: str
    certain: bool = True
    acts: tuple[str, ...] = ()
    act_is_sure: bool = False

    @property
    def act(self) -> str:
        """The act that the text names for sure, or an empty string."""
        return self.acts[0] if self.act_is_sure else ""


_YEAR = re.compile(r"(?:19|20)[0-9]{2}\Z")
_DATE = re.compile(r"[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{2,4}\Z|[0-9]{4}[-./][0-9]{1,2}[-./][0-9]{1,2}\Z")
_NEXT_WORD = re.compile(r"\s?-?\s?(%|‰|°|[$€£₹]|[^\W\d_]+)")
_COUNTED_WORDS = (
    "times people persons guests customers items pieces copies points stars dollars euros rupees pounds working business"
    " calendar пъти души човека работни календарни броя"
)
_COUNTED = frozenset(_COUNTED_WORDS.split())
_CURRENCY_SIGNS = tuple("$€£₹¥")


def is_year(number: str) -> bool:
    """Whether the digits may be a year of our time."""
    return bool(_YEAR.match(number))


def is_date(number: str) -> bool:
    """Whether digits with dots, dashes or slashes are a date."""
    return bool(_DATE.match(number))


def is_money(folded: str, start: int) -> bool:
    """Whether a currency sign stands before the position."""
    return folded[max(0, start - 2) : start].rstrip().endswith(_CURRENCY_SIGNS)


def is_amount(folded: str, start: int, end: int) -> bool:
    """Whether a currency sign before the number, or the word after it, makes an amount of it ($100, 30 days, 10 %)."""
    if is_money(folded, start):
        return True
    match = _NEXT_WORD.match(folded, end)
    if not match:
        return False
    word = match[1].casefold()
    single = len(word) == 1 and word.isalpha()  # "чл. 5 в" and "AC 2 a" are no amounts
    return not word[0].isalpha() or word in _COUNTED or (is_unit(word) and not single)
