"""Labelled numbers in a text, "чл. 40, ал. 5 КСО", "Articles 41 and 42 of the GDPR", and the act that they belong to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from knowledge.codes import is_unit
from knowledge.findings import Finding, is_amount, is_year
from knowledge.labels import LABELS, NUMBER, label_number, may_be_small, without_paragraph
from knowledge.stopwords import FUNCTION_WORDS

#: Words of which no act is named; also those that a title's initials pass over.
ORDINARY_WORDS = FUNCTION_WORDS["en"] | FUNCTION_WORDS["bg"]
#: What a question may say of a label right behind it: "what does section 5 say".
_SAID_OF_IT = frozenset(
    re.findall(
        r"\w+", "say says mean means state states cover covers apply allow permit forbid require read about deal ask"
    )
)

#: Labels that are also the end of another word ("it's 5") or a size: they need their stop, or a paragraph behind the number.
_SHORT_LABELS = {"s": "sec", "ss": "sec"}
_ALL_LABELS = {**LABELS, **_SHORT_LABELS}

# Numbers are few and labels are many, so the search starts at the number and looks back for its label.
_START = re.compile(r"[0-9A-Z](?:(?<=[0-9])(?<![^\W_].)|(?<=\s[A-Z])[IVXLC]{0,5}(?![^\W_])(?!\.[^\W\d_]))")
_START_IN_QUESTION = re.compile(_START.pattern, re.IGNORECASE)
#: How far before a number its label, or what names it, may begin.
LOOK_BACK = 28
_WORD_BEFORE = re.compile(
    r"(?:(?P<word>[^\W\d_]+)(?:\.\s?|\s|-)\s?|(?P<sign>§§?)\s?)(?:(?:no|nr|number)\.?\s)?\Z", re.IGNORECASE
)
_NUMBER = re.compile(rf"(?:{NUMBER}|[A-Za-z](?:\.[0-9]{{1,3}}){{1,3}}|[A-Za-z]+)(?![^\W_])")
_PARAGRAPH = r"(?:ал|алинея|para|paragraph|absatz|abs)\.?\s?(?P<number>[0-9]{1,3})(?![^\W_])"
_PARAGRAPH_AFTER = re.compile(rf",?\s?{_PARAGRAPH}", re.IGNORECASE)
_POINT_AFTER = re.compile(r",?\s?(?:т|точка|point|lit|буква|б)\.?\s?(?:[0-9]{1,3}|[^\W\d_])(?![^\W_])", re.IGNORECASE)
_PARAGRAPH_BEFORE = re.compile(rf"(?<![^\W_]){_PARAGRAPH}\s(?:of|на|от|към)\s(?:the\s)?\Z", re.IGNORECASE)
_OF_LABEL = re.compile(r"\s(?:of|на|от|към)\s(?:the\s)?(?P<word>[^\W\d_]+|§)", re.IGNORECASE)
_NEXT_NUMBER = re.compile(
    rf"(?P<joiner>\s?(?:,|-)\s?|\s(?:и|или|and|or|to|до|&)\s)(?P<number>{NUMBER})(?![^\W_])", re.IGNORECASE
)
_WIDEST_RANGE = 12

_ACT_AFTER = re.compile(
    r"\s?,?\s?(?P<link>(?:от|на|of|in|under|du|des|der|del|della|из)\s(?:the\s|la\s)?)?"
    r"(?P<words>[^\W\d_][^,.;:?!()]{1,100})"
)
_ACT_BEFORE = re.compile(r"(?<![^\W_])(?P<word>[^\W\d_]{2,8})[,:]?\s\Z")
_WORD = re.compile(r"[^\W\d_]+")
_LONGEST_ACT = 7


def find_labels(folded: str, *, question: bool) -> Iterator[Finding]:
    """The labelled numbers of a folded text, in order. ``question`` also collects what may only perhaps name the act."""
    passed = 0
    for candidate in (_START_IN_QUESTION if question else _START).finditer(folded):
        at = candidate.start()
        if (last := folded[at - 1 : at]) not in ".-§" and not last.isspace():
            continue
        # Looked at word by word first, which is cheap and nearly always enough.
        wordless = _ALL_LABELS.keys().isdisjoint(words_before(folded, at))
        if at < passed or (wordless and "§" not in folded[max(0, at - LOOK_BACK) : at]):
            continue
        before = _WORD_BEFORE.search(folded, max(0, at - LOOK_BACK), at)
        kind = _ALL_LABELS.get((before["word"] or before["sign"]).casefold()) if before else None
        number = _NUMBER.match(folded, at) if kind else None
        if not (before and kind and number):
            continue
        if number[0][0].islower() and not may_be_small(kind, number[0]):
            continue
        if (before["word"] or "").casefold() in _SHORT_LABELS and not _is_short_label(folded, before, number[0]):
            continue
        value = label_number(kind, number[0])
        if value is None or (kind == "par" and _is_of_label(folded, number.end())):
            continue
        if number[0][0].isdigit() and is_amount(folded, at, number.end()):
            continue
        for finding in _labels(folded, before.start(), number.end(), kind, value, question=question):
            yield finding
            passed = finding.end


def _is_short_label(folded: str, before: re.Match[str], number: str) -> bool:
    """Whether "s" stands for a section: "s. 14", "ss 3(1)", and not in "it's 5" or "size s 40"."""
    alone = before.start() == 0 or folded[before.start() - 1] in " \n(["
    return alone and number[0].isdigit() and ("." in before[0] or "(" in number)


@lru_cache(maxsize=256)
def words_before(folded: str, at: int) -> tuple[str, ...]:
    """The words shortly before a number, casefolded; asked for once by each that looks for another kind of them."""
    return tuple(_WORD.findall(folded[max(0, at - LOOK_BACK) : at].casefold()))


def _labels(folded: str, start: int, end: int, kind: str, value: str, *, question: bool) -> Iterator[Finding]:
    """A label with its paragraph, then the other numbers of the label: "Articles 41, 42 and 43", "чл. 41-43"."""
    before = _PARAGRAPH_BEFORE.search(folded, max(0, start - LOOK_BACK), start)
    after = _PARAGRAPH_AFTER.match(folded, end)
    start = before.start() if before else start
    if paragraph := (after or before):
        value = f"{without_paragraph(value)}({paragraph['number']})"
        end = after.end() if after else end
    if point := _POINT_AFTER.match(folded, end):
        end = point.end()
    spans = [(start, end, value)]
    while match := _NEXT_NUMBER.match(folded, end):
        label = label_number(kind, match["number"])
        if label is None or is_year(match["number"]) or is_amount(folded, match.start("number"), match.end()):
            break
        span = match.span("number")
        if match["joiner"].strip().casefold() in {"-", "to", "до"}:
            spans += [(*span, between) for between in _between(value, label)]
        spans.append((*span, label))
        end, value = match.end(), label
    acts, sure = _acts_around(folded, start, end, question=question)
    for first, last, label in spans:
        yield Finding(first, last, "label", label, acts=acts, act_is_sure=sure)


def _is_of_label(folded: str, end: int) -> bool:
    """Whether a label follows, as in "paragraph 5 of Article 40": then the article is what is named."""
    match = _OF_LABEL.match(folded, end)
    return bool(match and match["word"].casefold() in LABELS)


def _between(first: str, last: str) -> list[str]:
    kind, low = first.rsplit("-", 1)
    high = last.rsplit("-", 1)[1]
    if not (low.isdecimal() and high.isdecimal() and 0 < int(high) - int(low) <= _WIDEST_RANGE):
        return []
    return [f"{kind}-{number}" for number in range(int(low) + 1, int(high))]


def _acts_around(folded: str, start: int, end: int, *, question: bool) -> tuple[tuple[str, ...], bool]:
    """What may name the act of a label, best first, and whether the first is sure (it is written as an acronym).

    "чл. 129 ЗЗД", "GDPR Art. 6", and by initials "Article 6 of the General Data Protection Regulation" -> ``gdpr``.
    """
    after = _ACT_AFTER.match(folded, end)
    before = _ACT_BEFORE.search(folded, max(0, start - 12), start)
    words = _WORD.findall(after["words"]) if after else []
    neighbours = [word for word in (words[:1] + ([before["word"]] if before else [])) if len(word) <= 8]
    for word in neighbours:
        if is_acronym(word):
            return (word.casefold(),), True
    if not question:
        return (), False
    acts = [word.casefold() for word in neighbours if 2 <= len(word) <= 6]
    if after and after["link"]:
        initials = initials_of(after["words"])
        acts += [initials[:length] for length in range(min(len(initials), _LONGEST_ACT), 1, -1)]
    return tuple(
        dict.fromkeys(act for act in acts if act not in ORDINARY_WORDS | _SAID_OF_IT and not is_unit(act))
    ), False


def is_acronym(word: str) -> bool:
    """ЗЗД, GDPR, StGB: two to eight letters of which most are capitals."""
    capitals = sum(letter.isupper() for letter in word)
    return 2 <= len(word) <= 8 and word.isalpha() and capitals >= 2 and 2 * capitals > len(word) and word[0].isupper()


def initials_of(title: str) -> str:
    """The first letters of a title's words without its function words: ``ззд`` of "Закон за задълженията и договорите"."""
    words = (word.casefold() for word in _WORD.findall(title))
    return "".join(word[0] for word in words if word not in ORDINARY_WORDS)


@lru_cache(maxsize=64)
def acts_of_title(title: str) -> tuple[str, ...]:
    """What the act of a folded title may be called for short, casefolded: its acronym, and the initials of the rest."""
    for word in re.findall(r"\(([^\W\d_]{2,8})\)", title):
        if is_acronym(word):
            return (str(word).casefold(),)
    acts = []
    first = re.match(r"([^\W\d_]{2,8})(?:[,:]?\s|\Z)", title)
    if first and is_acronym(first[1]) and not title.isupper():
        acts.append(first[1].casefold())
        title = title[first.end() :]
    if (first_word := re.match(r"[^\W\d_]+", title)) and first_word[0].casefold() in LABELS:
        return tuple(acts)
    initials = initials_of(re.split(r"[,:(]|\bv?\d|\s[-|]\s", title)[0])
    return (*acts, initials) if 2 <= len(initials) <= 8 else tuple(acts)
