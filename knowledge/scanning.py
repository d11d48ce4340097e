"""Where identifiers stand in a text: codes, labelled numbers (articles, sections) and numbers that a word names (order 12345).

One scanner reads questions and documents. What is found is a ``Finding``; ``identifiers`` says what it means to look it up.
Amounts, dates, years, counts, ordinals and times of day are no findings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from knowledge.codes import canonical, is_code, is_joining_word, is_unit
from knowledge.labels import LABELS, NUMBER, label_number, without_paragraph
from knowledge.stopwords import FUNCTION_WORDS

Kind = Literal["code", "label", "number"]


@dataclass(frozen=True, slots=True)
class Finding:
    """An identifier in a text.

    Attributes:
        start, end: its span in the folded text.
        kind: ``code`` (AX-204), ``label`` (чл. 41) or ``number`` (order 12345).
        value: canonical, without the act.
        certain: False where the same characters may be ordinary words ("ax 204", "top 10").
        acts: for a label, what may name its act, best first, casefolded: ``ззд`` of "чл. 129 ЗЗД". The first is sure when
            ``act_is_sure``.
    """

    start: int
    end: int
    kind: Kind
    value: str
    certain: bool = True
    acts: tuple[str, ...] = ()
    act_is_sure: bool = False


_NOT_IN_WORD = r"(?<![^\W_])"
_END = r"(?![^\W_])"
_SKIPPED = re.compile(r"https?://\S+|www\.\S+|[^\s@]+@[^\s@]+\.\w+|\]\([^)\s]*\)")

_LABEL_WORDS = "|".join(sorted((re.escape(word) for word in LABELS if "§" not in word), key=len, reverse=True))
_LABEL = re.compile(
    rf"(?:{_NOT_IN_WORD}(?P<label>{_LABEL_WORDS})(?:\.\s?|\s|-)\s?|(?P<sign>§§?)\s?)(?:(?:no|nr|number)\.?\s)?"
    rf"(?P<number>{NUMBER}{_END}|[IVXLCivxlc]{{1,6}}{_END}|[A-Z]{_END}(?!\.\w))",
    re.IGNORECASE,
)
_PARAGRAPH_AFTER = re.compile(
    r",?\s?(?:ал|алинея|para|paragraph|abs|absatz)\.?\s?(?P<number>[0-9]{1,3})(?![^\W_])", re.IGNORECASE
)
_POINT_AFTER = re.compile(r",?\s?(?:т|точка|point|lit|буква|б)\.?\s?(?:[0-9]{1,3}|[^\W\d_])(?![^\W_])", re.IGNORECASE)
_PARAGRAPH_BEFORE = re.compile(
    rf"{_NOT_IN_WORD}(?:ал|алинея|para|paragraph|absatz)\.?\s?(?P<number>[0-9]{{1,3}})\s(?:of|на|от|към)\s(?:the\s)?\Z",
    re.IGNORECASE,
)
_OF_LABEL = re.compile(rf"\s(?:of|на|от|към)\s(?:the\s)?(?:{_LABEL_WORDS})(?![^\W_])", re.IGNORECASE)
_NEXT_NUMBER = re.compile(
    rf"(?P<joiner>\s?(?:,|-)\s?|\s(?:и|или|and|or|to|до|&)\s)(?P<number>{NUMBER}){_END}", re.IGNORECASE
)
_WIDEST_RANGE = 12

_GLUED = re.compile(
    rf"{_NOT_IN_WORD}(?<![.,][0-9])[^\W_]+(?:[-_./][^\W_]+)*(?:\s?\([0-9]{{1,3}}[^\W\d_]?\)|\([^\W\d_]{{1,4}}\))*{_END}"
)
_SLASHED_CODE = re.compile(r"[^\W\d_]{1,5}/[0-9]")
_SPACED = re.compile(
    rf"{_NOT_IN_WORD}(?P<letters>[^\W\d_]{{1,5}})(?:\s?-\s?|\s)"
    rf"(?P<digits>[0-9]{{1,7}}(?:[-.][0-9]{{1,4}})*[^\W\d_]?(?![^\W_])(?:\s?\([0-9]{{1,3}}\))*)"
)
_NAMED = re.compile(
    rf"{_NOT_IN_WORD}(?P<word>order|ticket|invoice|case|reference|ref|booking|claim|request|contract|tracking|serial|part|model|sku"
    r"|error|fault|code|item|article|form|policy|поръчка|поръчката|фактура|договор|грешка|код|модел|номер|случай|заявка)"
    r"(?P<sign>\s(?:number|no\.?|nr\.?|id|code|номер|№|код)\s?:?\s?#?|\s?[#№:]\s?|\s)"
    rf"(?P<number>[0-9]+(?:[-./][0-9]+)*){_END}|[#№]\s?(?P<bare>[0-9]{{3,}}(?:[-/][0-9]+)*){_END}",
    re.IGNORECASE,
)
_DOTTED = re.compile(rf"{_NOT_IN_WORD}(?<![.,-])[0-9]{{1,3}}(?:\.[0-9]{{1,3}}){{2,5}}{_END}(?!\.[0-9])")
_DATE = re.compile(r"[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{2,4}\Z|[0-9]{4}[-./][0-9]{1,2}[-./][0-9]{1,2}\Z")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}\Z")
_NEXT_WORD = re.compile(r"\s?-?\s?(%|‰|°|[$€£₹]|[^\W\d_]+)")
_ORDINARY = FUNCTION_WORDS["en"] | FUNCTION_WORDS["bg"]
_COUNTED_WORDS = (
    "times people persons guests customers items pieces copies points stars dollars euros rupees pounds working business"
    " calendar пъти души човека работни календарни броя"
)
_COUNTED = frozenset(_COUNTED_WORDS.split())


def scan(folded: str, *, question: bool) -> list[Finding]:
    """The identifiers of a folded text (``codes.fold``), in order, none overlapping another.

    ``question`` also proposes the uncertain readings: short words before numbers, in whatever case.
    """
    if not any(character.isdigit() for character in folded) and "nnex" not in folded and not _LABEL.search(folded):
        return []
    found: list[Finding] = []
    taken: list[tuple[int, int]] = [match.span() for match in _SKIPPED.finditer(folded)]
    for search in (_labels, _named, _glued, _dotted):
        _take(search(folded), found, taken)
    _take(_spaced(folded, question=question), found, taken)
    return sorted(found, key=lambda item: item.start)


def _take(findings: Iterator[Finding], found: list[Finding], taken: list[tuple[int, int]]) -> None:
    for item in findings:
        if not any(item.start < end and start < item.end for start, end in taken):
            found.append(item)
    taken.extend((item.start, item.end) for item in found)


def is_amount(folded: str, end: int) -> bool:
    """Whether the word after the position makes an amount of the number before it (30 days, 10 %)."""
    match = _NEXT_WORD.match(folded, end)
    if not match:
        return False
    word = match[1].casefold()
    single = len(word) == 1 and word.isalpha()  # "чл. 5 в" and "AC 2 a" are no amounts
    return not word[0].isalpha() or word in _COUNTED or (is_unit(word) and not single)


def _labels(folded: str) -> Iterator[Finding]:
    for match in _LABEL.finditer(folded):
        kind = LABELS[(match["label"] or match["sign"]).casefold()]
        raw = match["number"]
        if not raw[0].isdigit() and not raw.isupper():
            continue  # "article i read", "annex a"
        value = None if kind == "par" and _OF_LABEL.match(folded, match.end()) else label_number(kind, raw)
        if value is None or (
            raw[0].isdigit() and (is_amount(folded, match.end()) or _is_money(folded, match.start("number")))
        ):
            continue
        end = match.end()
        before = _PARAGRAPH_BEFORE.search(folded, max(0, match.start() - 40), match.start())
        after = _PARAGRAPH_AFTER.match(folded, end)
        start = before.start() if before else match.start()
        if paragraph := (after or before):
            value = f"{without_paragraph(value)}({paragraph['number']})"
            end = after.end() if after else end
        elif point := _POINT_AFTER.match(folded, end):
            end = point.end()
        values = [(start, end, value)]
        values += _further(folded, kind, end, value)
        acts, sure = acts_around(folded, start, values[-1][1])
        for first, last, label in values:
            yield Finding(first, last, "label", label, acts=acts, act_is_sure=sure)


def _further(folded: str, kind: str, end: int, value: str) -> list[tuple[int, int, str]]:
    """The other numbers of the label: "Articles 41, 42 and 43", "чл. 41-43"."""
    out: list[tuple[int, int, str]] = []
    while match := _NEXT_NUMBER.match(folded, end):
        label = label_number(kind, match["number"])
        if label is None or _YEAR.match(match["number"]) or is_amount(folded, match.end()):
            break
        if match["joiner"].strip().casefold() in {"-", "to", "до"}:
            out += [(match.start("number"), match.end(), between) for between in _between(value, label)]
        out.append((match.start("number"), match.end(), label))
        end, value = match.end(), label
    return out


def _between(first: str, last: str) -> list[str]:
    kind, low = first.rsplit("-", 1)
    high = last.rsplit("-", 1)[1]
    if not (low.isdigit() and high.isdigit() and 0 < int(high) - int(low) <= _WIDEST_RANGE):
        return []
    return [f"{kind}-{number}" for number in range(int(low) + 1, int(high))]


def _named(folded: str) -> Iterator[Finding]:
    for match in _NAMED.finditer(folded):
        number = match["number"] or match["bare"]
        plain = bool(match["word"]) and match["sign"].isspace()  # "order 12345", with nothing that says "number"
        if (
            _DATE.match(number)
            or is_amount(folded, match.end())
            or (plain and (_YEAR.match(number) or len(number) < 3))
        ):
            continue
        group = "number" if match["number"] else "bare"
        yield Finding(match.start(group), match.end(group), "number", canonical(number))


def _glued(folded: str) -> Iterator[Finding]:
    for match in _GLUED.finditer(folded):
        text = match[0]
        pieces = [text] if _SLASHED_CODE.match(text) else text.split("/")
        at = match.start()
        for piece in pieces:
            if is_code(piece) and not _DATE.match(piece) and not _is_money(folded, at):
                yield Finding(at, at + len(piece), "code", canonical(piece))
            at += len(piece) + 1


def _dotted(folded: str) -> Iterator[Finding]:
    for match in _DOTTED.finditer(folded):
        if not _DATE.match(match[0]) and not _is_money(folded, match.start()) and not is_amount(folded, match.end()):
            yield Finding(match.start(), match.end(), "number", match[0], certain=False)


def _spaced(folded: str, *, question: bool) -> Iterator[Finding]:
    at = 0
    while match := _SPACED.search(folded, at):
        at = match.end("letters")
        letters, digits = match["letters"], match["digits"]
        capital = letters.isupper() and not _is_shouted(folded, match.start())
        sure = "(" in digits or (capital and len(digits) > 1 and not _YEAR.match(digits))
        if not question and not capital:
            continue
        if is_joining_word(letters.casefold()) or letters.casefold() in _ORDINARY or is_amount(folded, match.end()):
            continue
        if not is_code(f"{letters}-{digits}"):
            continue
        yield Finding(match.start(), match.end(), "code", canonical(f"{letters}-{digits}"), certain=sure)
        at = match.end()


def _is_shouted(folded: str, at: int) -> bool:
    """Whether the line is all in capitals, so that capitals say nothing: "RETURN WITHIN 48 HOURS"."""
    line = folded[folded.rfind("\n", 0, at) + 1 : folded.find("\n", at) if "\n" in folded[at:] else len(folded)]
    return line.isupper() and len(line.split()) > 3


def _is_money(folded: str, start: int) -> bool:
    return folded[:start].rstrip()[-1:] in tuple("$€£₹¥")


_ACT_AFTER = re.compile(
    r"\s?,?\s?(?P<link>(?:от|на|of|in|under|du|des|der|del|della|из)\s(?:the\s|la\s)?)?(?P<words>[^\W\d_][^,.;:?!()]{1,100})"
)
_ACT_BEFORE = re.compile(r"(?<![^\W_])(?P<word>[^\W\d_]{2,8})[,:]?\s\Z")
_WORD = re.compile(r"[^\W\d_]+")
_LONGEST_ACT = 7


def acts_around(folded: str, start: int, end: int) -> tuple[tuple[str, ...], bool]:
    """What may name the act of a label, best first, and whether the first is sure (it is written as an acronym).

    "чл. 129 ЗЗД", "GDPR Art. 6", and by initials "Article 6 of the General Data Protection Regulation" -> ``gdpr``.
    """
    acts: list[str] = []
    sure = False
    after = _ACT_AFTER.match(folded, end)
    before = _ACT_BEFORE.search(folded, max(0, start - 12), start)
    words = _WORD.findall(after["words"]) if after else []
    if words and is_acronym(words[0]):
        acts.append(words[0].casefold())
        sure = True
    if before and is_acronym(before["word"]) and not sure:
        acts.append(before["word"].casefold())
        sure = True
    if not sure:
        if words and 2 <= len(words[0]) <= 6 and not is_unit(words[0].casefold()):
            acts.append(words[0].casefold())
        if before and 2 <= len(before["word"]) <= 6:
            acts.append(before["word"].casefold())
        if after and after["link"]:
            initials = initials_of(after["words"])
            acts += [initials[:length] for length in range(min(len(initials), _LONGEST_ACT), 1, -1)]
    return tuple(dict.fromkeys(act for act in acts if act not in _ORDINARY)), sure


def is_acronym(word: str) -> bool:
    """ЗЗД, GDPR, StGB: two to eight letters of which at least two are capitals, more than the rest."""
    capitals = sum(letter.isupper() for letter in word)
    return 2 <= len(word) <= 8 and word.isalpha() and capitals >= 2 and 2 * capitals > len(word) and word[0].isupper()


def initials_of(title: str) -> str:
    """The first letters of a title's words without its function words: ``ззд`` of "Закон за задълженията и договорите"."""
    words = (word.casefold() for word in _WORD.findall(title))
    return "".join(word[0] for word in words if word not in _ORDINARY)
