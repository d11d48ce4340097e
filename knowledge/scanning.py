"""Where identifiers stand in a text: codes, labelled numbers (articles, sections) and numbers that a word names (order 12345).

One scanner reads questions and documents. What it finds is a ``Finding``; ``identifiers`` says what it means to look it up.
Amounts, dates, years, counts, ordinals and times of day are no findings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from knowledge.articles import LOOK_BACK, ORDINARY_WORDS, find_labels, words_before
from knowledge.codes import canonical, is_code, is_joining_word
from knowledge.findings import Finding, is_amount, is_date, is_money, is_year

# A pattern that begins with a set of characters skips all others quickly, so what must stand before is looked for behind them.
_DIGIT = re.compile(r"[0-9]")
_ROMAN = re.compile(r"[A-Z](?<=\s[A-Z])[IVXLC]*(?![^\W_])")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+|(?<![^\s<(])[^\s@]{1,64}@[^\s@]+\.\w+|\]\([^)\s]*\)")

# All patterns are anchored at word starts or at digits: a text without blanks must not cost its length squared.
_WITH_DIGIT = re.compile(r"(?<![^\s,;:!?\"'|(\[{])[^\s,;:!?\"'|\[\]{}]*[0-9]")
_GLUED = re.compile(r"(?<![^\W_])[^\W_]+(?:[-_./][^\W_]+)*(?:\s?\([0-9]{1,3}[^\W\d_]?\)|\([^\W\d_]{1,4}\))*(?![^\W_])")
_SLASHED_CODE = re.compile(r"[^\W\d_]{1,5}/[0-9]")
#: Where a code of letters and digits joins the two: between them stands one sign at most.
_JOINT = re.compile(r"[0-9](?:(?<=[^\W_0-9].)|(?<=[^\W_0-9][-_./].)|(?=[-_./]?[^\W_0-9]))")
_LONGEST_CODE = 64

_NUMBER_START = re.compile(r"[0-9](?<![^\W_].)(?<![.,][-./].)")
_LETTERS_BEFORE = re.compile(r"(?<![^\W_])(?<!')(?P<letters>[^\W\d_]{1,5})(?:\s-\s?|-\s|\s)\Z")
_SPACED_DIGITS = re.compile(r"[0-9]{1,7}(?:[-.][0-9]{1,4}){0,5}[^\W\d_]?(?![^\W_])(?:\s?\([0-9]{1,3}\))*")
_SLASHED_NAME = re.compile(r"(?<![^\W_])([A-Z]{2,5})/\Z")
_POSTCODE = re.compile(r",\s?[A-Z]{2} [0-9]{5}\Z")  # Denver, CO 80202
_NAME_BEFORE = re.compile(
    r"(?P<word>[^\W\d_]+)(?:\s\((?:eu|ec|eec|ес|ео)\))?(?P<sign>\s(?:number|no\.?|nr\.?|id|code|номер|№|код)\s?:?\s?#?|\s?[#№:]\s?|\s)\Z",
    re.IGNORECASE,
)
_SIGNS = ("#", "№")
_PLAIN_NUMBER = re.compile(r"[0-9]{1,20}(?:[-./][0-9]{1,20}){0,5}(?![^\W_])")
_BARE = re.compile(
    r"[0-9]{1,3}(?:\.[0-9]{1,3}){2,5}(?![^\W_])(?!\.[0-9])"
    r"|[0-9]{1,4}(?:\.[0-9]{1,3}){0,5}(?:\([0-9]{1,3}\))?\([a-z]\)(?:\([0-9a-z]{1,3}\))*(?![^\W_])"
    r"|(?:19|20)[0-9]{2}/[0-9]{3,4}(?![^\W_/])"
)
_SHORT_QUESTION = 5
#: How much of a line is looked at to tell whether it is all in capitals.
_NEAR = 60
_NAMES = (
    "order ticket invoice case reference ref booking claim request contract tracking serial part model sku error fault code"
    " item form policy regulation directive decision регламент директива наредба поръчка поръчката фактура фактурата"
    " договор грешка код модел номер случай заявка law bylaw act ordinance statute resolution закон"
)
#: Words that say of a number that it is a name: "order 12345".
_NAMING = frozenset(_NAMES.split())


@lru_cache(maxsize=16)
def scan(folded: str, *, question: bool) -> tuple[Finding, ...]:
    """The identifiers of a folded text (``codes.fold``), in order, none overlapping another.

    ``question`` also proposes the uncertain readings: short words before numbers, in whatever case.
    """
    if not (question or _DIGIT.search(folded) or _ROMAN.search(folded)):
        return ()
    found: list[Finding] = []
    taken = bytearray(len(folded))
    if "@" in folded or "/" in folded or "](" in folded:
        for match in _ADDRESS.finditer(folded):
            taken[match.start() : match.end()] = b"\x01" * len(match[0])
    numbers = [start.start() for start in _NUMBER_START.finditer(folded)]
    for findings in (
        find_labels(folded, question=question),
        _named(folded, numbers),
        _spaced(folded, numbers, capital=True),
        _glued(folded),
        _spaced(folded, numbers, capital=False) if question else (),
        _bare(folded, numbers),
        _alone(folded, numbers) if question else (),
    ):
        _take(findings, found, taken)
    return tuple(sorted(found, key=lambda item: item.start))


def _take(findings: Iterable[Finding], found: list[Finding], taken: bytearray) -> None:
    """Keep what does not overlap an earlier kind of finding; the numbers of one range share a span."""
    new = [item for item in findings if 1 not in taken[item.start : item.end]]
    found.extend(new)
    for item in new:
        taken[item.start : item.end] = b"\x01" * (item.end - item.start)


def _named(folded: str, numbers: Sequence[int]) -> Iterator[Finding]:
    for at in numbers:
        # Looked at word by word first, which is cheap and nearly always enough.
        nameless = _NAMING.isdisjoint(words_before(folded, at))
        before = None if nameless else _NAME_BEFORE.search(folded, max(0, at - LOOK_BACK), at)
        named = bool(before and before["word"].casefold() in _NAMING)
        if not named and not folded[max(0, at - 2) : at].rstrip().endswith(_SIGNS):
            continue
        number = _PLAIN_NUMBER.match(folded, at)
        if number is None or is_date(number[0]) or is_amount(folded, at, number.end()):
            continue
        # "order 12345", where nothing says "number": three digits at least, and no year
        plain = before is not None and named and before["sign"].isspace()
        short = sum(map(str.isdigit, number[0])) < 3
        if (short and (plain or not named)) or (plain and is_year(number[0])):
            continue
        yield Finding(at, number.end(), "number", canonical(number[0]))


def _glued(folded: str) -> Iterator[Finding]:
    passed = looked_to = 0
    for joint in _JOINT.finditer(folded):
        if joint.start() < looked_to:
            continue
        start, looked_to = _stretch(folded, joint.start())
        for run in _WITH_DIGIT.finditer(folded, start, looked_to):
            at = max(run.start(), passed)
            while (match := _GLUED.search(folded, at)) and match.start() < run.end():
                yield from _codes(folded, match.start(), match[0])
                at = passed = match.end()


def _stretch(folded: str, at: int) -> tuple[int, int]:
    """The run without blanks around a position, with the one before it where it may be that one's group: "AC-2 (3)"."""
    start = at
    while True:
        start = max(folded.rfind(" ", 0, start), folded.rfind("\n", 0, start))
        if start < 0 or folded[start + 1] != "(":
            break
    ends = (end for end in (folded.find(" ", at), folded.find("\n", at)) if end >= 0)
    return start + 1, min(ends, default=len(folded))


def _codes(folded: str, at: int, text: str) -> Iterator[Finding]:
    """The codes of a run without blanks; a slash parts two codes (P0420/P0430) except in INV/2024/001."""
    for piece in [text] if _SLASHED_CODE.match(text) else text.split("/"):
        end = at + len(piece)
        plain = piece.isdigit() or piece.isalpha()
        if not plain and len(piece) <= _LONGEST_CODE and is_code(piece) and not is_money(folded, at):
            yield Finding(at, end, "code", canonical(piece))
        at = end + 1


def _spaced(folded: str, numbers: Sequence[int], *, capital: bool) -> Iterator[Finding]:
    """Codes written with a blank: in capitals ISO 27001, else what may be one, "ax 204"."""
    for at in numbers:
        near = folded[max(0, at - 8) : at]
        if (capital and near.islower()) or not (near[-1:].isspace() or near[-2:-1].isspace()):
            continue
        before = _LETTERS_BEFORE.search(folded, max(0, at - 8), at)
        digits = _SPACED_DIGITS.match(folded, at) if before else None
        if not before or not digits or ("(" not in digits[0] and is_amount(folded, at, digits.end())):
            continue
        letters = before["letters"]
        if capital is not (letters.isupper() and not _is_shouted(folded, before.start())):
            continue
        ordinary = letters.casefold() in ORDINARY_WORDS and not (capital and re.search(r"[-.]", digits[0]))  # A 5.1.2
        if ordinary or is_joining_word(letters.casefold()):
            continue
        if not is_code(letters + digits[0]) or _POSTCODE.search(folded, max(0, before.start() - 2), digits.end()):
            continue
        sure = "(" in digits[0] or (capital and len(digits[0]) > 1 and not is_year(digits[0]))
        for name in (letters, *_joined_by_slash(folded, before.start(), capital=capital)):
            yield Finding(before.start(), digits.end(), "code", canonical(f"{name}-{digits[0]}"), certain=sure)


def _joined_by_slash(folded: str, start: int, *, capital: bool) -> list[str]:
    """ISO of "ISO/IEC 27001": the number goes by either name."""
    match = _SLASHED_NAME.search(folded, max(0, start - 7), start) if capital else None
    return [match[1]] if match else []


def _bare(folded: str, numbers: Sequence[int]) -> Iterator[Finding]:
    """Numbers that are names by their shape: 4.2.1, 4.2(b), 401(k), 2016/679."""
    for at in numbers:
        match = _BARE.match(folded, at)
        if match and not is_date(match[0]) and not is_amount(folded, match.start(), match.end()):
            sure = match[0][-1] == ")"
            yield Finding(match.start(), match.end(), "number", canonical(match[0]), certain=sure)


def _alone(folded: str, numbers: Sequence[int]) -> Iterator[Finding]:
    """A number that is nearly all of a short question: "what is 4012?"."""
    if len(folded.split()) > _SHORT_QUESTION:
        return
    for at in numbers:
        match = _PLAIN_NUMBER.match(folded, at)
        if not match or not match[0].isdecimal() or len(match[0]) < 3 or is_year(match[0]):
            continue
        if not is_amount(folded, match.start(), match.end()):
            yield Finding(match.start(), match.end(), "number", match[0], certain=False)


def _is_shouted(folded: str, at: int) -> bool:
    """Whether the line is all in capitals, so that capitals say nothing: "RETURN WITHIN 48 HOURS"."""
    before = folded[max(0, at - _NEAR) : at].rpartition("\n")[2]
    line = before + folded[at : at + _NEAR].partition("\n")[0]
    return line.isupper() and len(line.split()) > 3
