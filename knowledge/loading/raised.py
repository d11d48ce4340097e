"""Raised numbers: a footnote's sign, a power, or a part of a word or unit. In plain text they would all run into what is before.

"£9.80" with a raised 1 is no 9.801, and "heating" with one is no word "heating1".
"""

from __future__ import annotations

import re

_SIGN = re.compile(r"\s*(?:\d{1,2}|[a-z])\s*")
_WORD = re.compile(r"[^\W\d_]+\Z")
#: A price, a share or a time: nobody raises these to a power.
_NO_BASE = re.compile(r"(?:[£$€%]\S*|\S*\d[.,:]\d\S*)\Z")
_ENDS = frozenset(").,;:!?%\"'”’»]")
_LEAST_WORD = 3


def marks_of(raised: str, before: str) -> tuple[str, str]:
    """What to put before and behind raised text so that it can't be misread: "[" and "]" of a footnote's sign, "^" of a power.

    ``before`` is the text in front of it, of the same paragraph or cell. Letters behind a number (чл. 40а, 1st) and units (m²)
    get nothing.
    """
    if not _SIGN.fullmatch(raised):
        return ("^", "") if before[-1:].isdigit() and raised.strip()[:1].isdigit() else ("", "")
    if not before.strip():
        return "[", "]"
    last, is_number = before[-1:], raised.strip().isdigit()
    word = _WORD.search(before[-40:])
    if (word and len(word[0]) >= _LEAST_WORD) or (is_number and last in _ENDS):
        return "[", "]"
    if is_number and last.isdigit():
        return ("[", "]") if _NO_BASE.search(before.split()[-1]) else ("^", "")
    return "", ""
