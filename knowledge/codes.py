"""What a code is and how it is written canonically. The keyword search and the identifiers read codes by this one grammar.

A code is letters and digits joined as no ordinary word is: ``AX-204``, ``P0420``, ``7B``, ``AC-2(3)``, ``INV-2024-001``. Its
canonical form does not depend on case, on which dash is used, or on whether letters and digits are joined or separated:

- letters before digits: a dash (``AX204``, ``ax_204``, ``AX–204`` -> ``ax-204``);
- digits before letters, letters before letters: nothing (``204-B`` -> ``204b``);
- digits before digits: a dot (``800-53`` -> ``800.53``), because ``1.23`` and ``12.3`` differ;
- groups in parentheses stay (``AC-2 (3)`` -> ``ac-2(3)``), because ``AC-2`` and ``AC-2(3)`` differ.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u207b\u208b\u2212\u02d7\u05be\u2e3a\u2e3b\ufe58\ufe63\uff0d"
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
_MARKS = "\u2122\u00ae\u00a9\u2120\u00b9\u00b2\u00b3\u2070\u2074\u2075\u2076\u2077\u2078\u2079"
_TRANSLATE = str.maketrans(
    {
        **dict.fromkeys(_DASHES, "-"),
        **dict.fromkeys(_INVISIBLE, None),
        **dict.fromkeys(_MARKS, None),  # trademark signs and footnote digits are no part of a code
        "\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u2032": "'", "\u2044": "/", "\u2215": "/",
    }
)  # fmt: skip

_TRANSLATED = re.compile(f"[{''.join(map(re.escape, map(chr, _TRANSLATE)))}]+")

#: Cyrillic letters that look like Latin ones, casefolded. A code typed with either is the same code (``40а``, ``АХ-204``).
_LOOKALIKES = str.maketrans("авекмнорстух", "abekmhopctyx")

_RUN = re.compile(r"[0-9]+|[^\W\d_]+")
_GROUP = re.compile(r"\(\s*([^\W_]+)\s*\)")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_UNITS = r"""
    h|hr|hrs|hours?|m|min|mins|minutes?|s|sec|secs|seconds?|ms|d|days?|w|wk|wks|weeks?|mo|mos|months?|y|yr|yrs|years?|am|pm
    |kg|g|mg|lbs?|oz|t|km|cm|mm|mi|ft|inch|inches|l|ml|kb|mb|gb|tb|kwh|kw|w|v|mv|mah|hz|khz|mhz|ghz|db|k|mn|mio|bn|mrd
    |x|px|pt|dpi|p|pp|ppm|sq|pct|percent|eur|usd|gbp|inr|bgn|chf|rs|lv|лв|лева|евро|стотинки|руб|грн|zł|kč|kr
    |ч|час|часа|мин|сек|дни|ден|дена|седмици|седмица|месеца|месец|г|год|години|година|кг|гр|мг|л|мл|км|м|см|мм|дка|бр|хил|млн|млрд
"""
_ORDINAL_ENDINGS = (
    "st|nd|rd|th|s|ths|in|ви|ри|ти|ми|во|ро|то|та|те|ва|ма|ия|ият|го|му|ый|ой|ая|ое|ые|ых|er|ers|ème|eme|ª|º"
)
_UNIT = re.compile(r"(?:" + re.sub(r"\s+", "", _UNITS) + r")\Z")
_ENDING = re.compile(rf"(?:{_ORDINAL_ENDINGS})\Z")
_CURRENCIES = _words("usd eur gbp inr bgn chf jpy cny aud cad sek nok dkk pln czk ron huf rs лв")
_MONTHS = _words(
    "jan january feb february mar march apr april may jun june jul july aug august sep sept september oct october nov "
    "november dec december януари февруари март април май юни юли август септември октомври ноември декември"
)
#: Words that are joined to a number without making a code of it: ``mid-2024``, ``under-18``.
_PREFIXES = _words("pre post mid non top sub under over anti late early circa age aged since until и до след от")
#: Q3, H1 2024, FY24 and m2; with a dash (CM-2, H-2) they are codes.
_PERIOD = re.compile(r"(?:q[1-4]|h[12])(?:[-/ ][0-9]{2,4})?\Z|[fc]y[0-9]{2,4}\Z|k?m[23]\Z")
_BETWEEN = re.compile(r"[0-9]+[-_](?:to|for|in|on|by|of|or|and|x|и|до|за|на|в)[-_][0-9]+")  # 3-for-2


def fold(text: str) -> str:
    """NFKC with every dash look-alike as ``-``, every apostrophe as ``'``, invisible characters gone. Case stays."""
    return text if text.isascii() else _folded(text)


@lru_cache(maxsize=16)
def _folded(text: str) -> str:
    return _translated(unicodedata.normalize("NFKC", _translated(text)))


def _translated(text: str) -> str:
    """``text.translate(_TRANSLATE)``, which looks up every character, where only few are to be translated."""
    return _TRANSLATED.sub(lambda found: found[0].translate(_TRANSLATE), text)


def fold_with_offsets(text: str) -> tuple[str, list[int] | range]:
    """``fold`` character by character, and for each folded character the position in ``text`` that it came from.

    The offsets have one entry more than the folded text: the length of ``text``.
    """
    if text.isascii():
        return text, range(len(text) + 1)
    pieces: list[str] = []
    offsets: list[int] = []
    for position, character in enumerate(text):
        folded = fold(character)
        pieces.append(folded)
        offsets.extend([position] * len(folded))
    offsets.append(len(text))
    return "".join(pieces), offsets


@lru_cache(maxsize=1 << 16)
def canonical(code: str) -> str:
    """The canonical form of a code, as the module says. Total and idempotent; empty when nothing is left of it."""
    folded = fold(code).casefold()
    groups = _GROUP.findall(folded)
    out: list[str] = []
    before = ""
    for run in _RUN.findall(_GROUP.sub(" ", folded)):
        kind = "digit" if run[0] in "0123456789" else "letter"
        if kind == "digit":
            out.append("." if before == "digit" else "-" if before == "letter" else "")
        out.append(run if kind == "digit" else run.translate(_LOOKALIKES) if _alike(run) else run)
        before = kind
    tail = "".join(f"({group.translate(_LOOKALIKES) if _alike(group) else group})" for group in groups)
    return "".join(out) + tail


def _alike(run: str) -> bool:
    """Whether the Cyrillic letters of the run would all pass for Latin ones."""
    return not run.isascii() and run.translate(_LOOKALIKES).isascii()


@lru_cache(maxsize=1 << 12)
def is_code(run: str) -> bool:
    """Whether letters and digits joined without a blank are a code, and not an amount, a time, an ordinal or a phrase.

    >>> [is_code(text) for text in ("AX-204", "7B", "P0420", "COVID-19", "48hrs", "30-day", "2nd", "5pm", "mid-2024", "Q3")]
    [True, True, True, True, False, False, False, False, False, False]
    """
    plain = _GROUP.sub("", run).strip("-._/ ")
    parts = _RUN.findall(plain.casefold())
    digits = [part for part in parts if part[0] in "0123456789"]
    letters = [part for part in parts if part[0] not in "0123456789"]
    if not digits or not letters or _PERIOD.match(plain.casefold()):
        return False
    if parts[0] == letters[0] and len(letters) == 1:
        joined_by_dash = plain[len(letters[0]) : len(letters[0]) + 1] == "-"
        if letters[0] in _PREFIXES or letters[0] in _MONTHS or (letters[0] in _CURRENCIES and not joined_by_dash):
            return False
    if any(part in _MONTHS for part in letters) and parts[0] == digits[0]:
        return False  # 12-May-2024
    if parts[0] == digits[0]:
        return _is_digits_first_code(plain.casefold(), parts, letters)
    return True


def _is_digits_first_code(plain: str, parts: list[str], letters: list[str]) -> bool:
    if len(letters) == 1 and parts[-1] == letters[0]:
        suffix = letters[0]
        if is_unit(suffix) or _ENDING.match(suffix):
            return False  # 48hrs, 2nd, 41-ви
        return len(suffix) <= 2 or not re.search(r"[-_.]" + re.escape(suffix) + r"\Z", plain)  # not 30-day
    if _BETWEEN.match(plain) or re.fullmatch(r"(?!0x)[0-9.,]+[-x/][0-9.,]+[^\W\d_]*", plain):
        return False  # 2x4, 10-15kg
    return all(len(letter) <= 3 for letter in letters)  # not 16-year-old


def is_unit(word: str) -> bool:
    """Whether a casefolded word is a unit or a currency, so that a number before it is an amount."""
    return bool(_UNIT.match(word))


def is_joining_word(word: str) -> bool:
    """Whether a casefolded word before a number makes an ordinary phrase of it: a month, a currency, "over", "until"."""
    return word in _PREFIXES or word in _MONTHS or word in _CURRENCIES


def letters_of(code: str) -> str:
    """The letters that lead a canonical code, ``ax`` of ``ax-204``; empty when it starts with a digit."""
    match = re.match(r"[^\W\d_]+", code)
    return match[0] if match else ""
