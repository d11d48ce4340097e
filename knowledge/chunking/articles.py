"""Where the articles of a law, lease or rule book begin, and the chapters that they stand in. Bulgarian and English forms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from knowledge.chunking.headings import is_inside
from knowledge.chunking.markdown import Heading, outline
from knowledge.chunking.numbered import TITLE_CHARACTERS, NumberedHeading, is_title, numbered_headings

_NUMBER = r"\d{1,5}(?:[.-]\d{1,4})*(?:[A-Za-zА-я]{1,2}(?![^\W_]))?(?:[ \t]?-?(?:bis|ter|quater)\b)?"
_ARTICLE = re.compile(
    r"^(?P<mark>[ \t]{0,8}(?:#{1,6}[ \t]+)?(?:\*\*|__)?)"
    r"(?P<form>(?:Чл|ЧЛ|Art|ART|Sec|SEC|Reg|REG|Cl|CL)\.|Член|ЧЛЕН|Параграф|ПАРАГРАФ|Правило|ПРАВИЛО|Клауза|КЛАУЗА"
    r"|Article|ARTICLE|Section|SECTION|Rule|RULE|Clause|CLAUSE|Regulation|REGULATION|§)[ \t\u00a0]*"
    rf"(?P<number>{_NUMBER}|(?<=[a-zA-Z.][ \t\u00a0])[IVXLC]{{1,7}}\b)(?P<stop>[.:]?)(?:\*\*|__)?(?P<rest>[^\n]*)$",
    re.MULTILINE,
)
#: What may follow a number without a full stop: nothing, a paragraph, a dash, a title. "Article 7 of" is a reference.
_OPENS = re.compile(r"\s*$|\s+[(„“\"'«]|\s*[–—-]\s|\s+[^\W\d_a-zа-я]")
#: A line that ends so goes on in the next, whatever that begins with.
_GOES_ON = re.compile(
    r"(?:[,–—(-]|\b(?:in|of|under|by|with|to|and|or|see|per|the|from"
    r"|по|на|от|в|във|с|със|и|или|към|за|виж|вж\.|съгласно|съгл\.|чл\.))$",
    re.IGNORECASE,
)
_CHAPTER = re.compile(
    r"^[ \t]{0,8}(?P<word>ЧАСТ|Част|PART|Part|ДЯЛ|Дял|TITLE|Title|ГЛАВА|Глава|CHAPTER|Chapter|РАЗДЕЛ|Раздел|DIVISION|Division)"
    r"[ \t]+(?:[IVXLC]+|\d{1,3}[А-яA-Za-z]?|[А-Я][А-я]+(?:[ \t]\"?[а-я]\"?)?|[А-я]+|[A-Z][A-Za-z]+)[.:]?"
    r"(?P<title>[ \t]+[–—-]?[ \t]*[^\W\d_a-zа-я][^\n]*)?[ \t]*$",
    re.MULTILINE,
)
#: Depth of plain chapter lines, below all Markdown headings.
_DEPTH = {"част": 7, "part": 7, "дял": 8, "title": 8, "глава": 9, "chapter": 9, "division": 9, "раздел": 10}
#: Parts of an act behind its articles. A schedule has a number, and perhaps a title, by which it is cited as an article is.
_APPENDED = re.compile(
    r"^[ \t]{0,8}(?:"
    r"(?:ПРЕХОДНИ|ЗАКЛЮЧИТЕЛНИ|ДОПЪЛНИТЕЛН[ИА]|Преходни|Заключителни|Допълнителн[иа])(?:[ \t]+[иИ][ \t]+\w+)?[ \t]+"
    r"(?:РАЗПОРЕДБ[ИА]|разпоредб[иа])"
    r"|(?:TRANSITIONAL|FINAL|SUPPLEMENTARY|Transitional|Final|Supplementary)(?:[ \t]+(?:AND|and)[ \t]+\w+)?[ \t]+"
    r"(?:PROVISIONS|[Pp]rovisions)"
    r"|(?:ANNEX|Annex|SCHEDULE|Schedule|APPENDIX|Appendix|ПРИЛОЖЕНИЕ|Приложение)"
    r"(?:[ \t]+(?:№[ \t]?)?(?P<number>\d{1,3}[A-Z]?|[IVXLC]+|[A-ZА-Я])"
    r"(?:(?:[.:]|[ \t]+[–—-])[ \t]+(?P<title>[^\W\d_a-zа-я][^\n]*))?)?"
    r")[ \t\r]*$",
    re.MULTILINE,
)
_SCHEDULE_HEADING = re.compile(
    r"(?:annex|schedule|appendix|приложение)[ \t]+(?:№[ \t]?)?(?P<number>\d{1,3}[a-z]?|[ivxlc]+|[a-zа-я])(?![^\W_])",
    re.IGNORECASE,
)
_NEXT_LINE = re.compile(r"\n\s*([^\n]+)")
_APPENDED_LEVEL = 7
ARTICLE_LEVEL = 12
#: Letters of the two alphabets that look alike: "чл. 40a" typed with a Latin letter is article 40а.
_TO_CYRILLIC = str.maketrans("aAcCeEoOpPxXyY", "аАсСеЕоОрРхХуУ")


@dataclass(frozen=True, slots=True)
class Opening:
    """A line that opens an article, a chapter, or a part under a heading.

    Attributes:
        level: 1 to 6 a Markdown heading, 7 to 10 a plain chapter line, 12 an article that is no heading.
        name: how headings name it: ``чл. 155. Отпуск``, ``Глава втора``.
        start: where its lines start; what is before belongs to what came before.
        words: where in them its words start, behind Markdown's ``#``.
        body: where its text starts; the words between stand in ``name``.
        label, number: ``чл. 40а`` and ``40а``, articles only.
    """

    level: int
    name: str
    start: int
    words: int
    body: int
    label: str | None = None
    number: str | None = None


def openings(text: str) -> list[Opening]:
    """All openings, in order."""
    headings, blocks = outline(text)
    by_start = {heading.start: heading for heading in headings}
    articles = {
        found.start(): _article(text, found, by_start.get(found.start()))
        for found in _ARTICLE.finditer(text)
        if not is_inside(found.start(), blocks) and (found.start() in by_start or _opens_article(text, found))
    }
    others = [_chapter(text, found) for found in _CHAPTER.finditer(text) if _stands_alone(text, found)]
    for found in _APPENDED.finditer(text):
        if not found["title"] or is_title(found["title"].rstrip()):
            name, number = found[0].strip(), found["number"]
            others.append(Opening(_APPENDED_LEVEL, name, found.start(), found.start(), found.end(), None, number))
    if not articles:
        parts = sorted([*by_start, *(opening.start for opening in others)])
        for one in numbered_headings(text, sorted(by_start), parts):
            if not is_inside(one.start, blocks):
                articles[one.start] = _numbered(one, by_start.get(one.start))
    plain = [_section(one) for one in headings if one.start not in articles]
    return list(_apart(sorted([*articles.values(), *others, *plain], key=lambda opening: opening.start)))


def _section(heading: Heading) -> Opening:
    """A heading of Markdown that opens no article, unless it is a schedule's."""
    schedule = _SCHEDULE_HEADING.match(heading.text)
    number = schedule["number"] if schedule else None
    return Opening(heading.level, heading.text, heading.start, heading.words, heading.end, None, number)


def _numbered(one: NumberedHeading, heading: Heading | None) -> Opening:
    """A rule whose heading is a number. It is cited with its title: "13" alone names nothing."""
    if heading is not None:
        return Opening(heading.level, heading.text, heading.start, heading.words, heading.end, heading.text, one.number)
    name = f"{one.number}{one.stop} {one.title}"
    return Opening(ARTICLE_LEVEL + one.depth, name, one.start, one.start, one.end, name, one.number)


def _apart(found: list[Opening]) -> Iterator[Opening]:
    """A line that a chapter took as its title is not the title of the chapter's first article too."""
    taken = 0
    for opening in found:
        start = max(opening.start, taken)
        yield replace(opening, start=start, words=max(opening.words, start), body=max(opening.body, start))
        taken = opening.body


def _opens_article(text: str, found: re.Match[str]) -> bool:
    rest = found["rest"]
    if found["stop"]:
        if rest[:1].strip() and found["form"] != "§" and not rest.startswith("("):
            return False  # "Art. 41.2" is a reference
    elif not _OPENS.match(rest):
        return False
    return not _GOES_ON.search(_line_before(text, found.start()))


def _line_before(text: str, start: int) -> str:
    """The end of the line right above; empty behind a blank line."""
    if start == 0:
        return ""
    begin = text.rfind("\n", max(0, start - 400), start - 1) + 1
    return text[max(begin, start - 400) : start - 1].rstrip()


def _article(text: str, found: re.Match[str], heading: Heading | None) -> Opening:
    number, label = _label(found["form"], found["number"])
    rest = found["rest"].strip().strip("*_").lstrip("–—-. \t")
    title = rest if is_title(rest) and not _goes_on(text, found) else ""
    if heading is not None:
        return Opening(heading.level, heading.text, heading.start, heading.words, heading.end, label, number)
    start = found.start()
    above = "" if title else _title_above(text, start)
    if above:
        start = text.rindex(above, 0, start)
    title = title or above or ("" if rest else _title_below(text, found.end()))
    name = f"{label}. {title}" if title else label
    return Opening(ARTICLE_LEVEL, name, start, start, start, label, number)


def _label(form: str, number: str) -> tuple[str, str]:
    """The canonical number, and how the article is cited."""
    word = form.lower().rstrip(".")
    number = " ".join(number.split())
    if word in ("чл", "член", "параграф", "правило", "клауза"):
        number = number.translate(_TO_CYRILLIC)
        label = {"параграф": "§", "правило": "правило", "клауза": "клауза"}.get(word, "чл.")
        return number, f"{label} {number}"
    if word in ("art", "sec", "reg", "cl"):
        return number, f"{word.capitalize()}. {number}"
    return number, f"§ {number}" if word == "§" else f"{word.capitalize()} {number}"


def _goes_on(text: str, found: re.Match[str]) -> bool:
    """Whether the article's line is wrapped prose: it ends like the middle of a sentence, or the next line begins like it."""
    return _GOES_ON.search(found["rest"].rstrip()) is not None or text[found.end() + 1 : found.end() + 2].islower()


def _title_above(text: str, start: int) -> str:
    """An article's title in a line of its own above it, itself behind a blank line; else empty.

    Without the blank line it may be the end of the article before.
    """
    begin = len(text[max(0, start - 400) : start].rstrip()) + max(0, start - 400)
    line_start = text.rfind("\n", 0, begin) + 1
    line = text[line_start:begin].strip()
    if begin - line_start > 2 * TITLE_CHARACTERS or not is_title(line) or _is_opening(line):
        return ""
    return "" if _line_before(text, line_start) else line


def _title_below(text: str, end: int) -> str:
    """The title under a line that holds the article's number alone, as the acts of the European Union have it."""
    found = _NEXT_LINE.match(text, end)
    line = found[1].strip() if found else ""
    if found is None or not is_title(line) or _is_opening(line) or _GOES_ON.search(line):
        return ""
    after = text[found.end() : found.end() + 40].lstrip()
    return "" if after[:1].islower() else line


def _is_opening(line: str) -> bool:
    """Whether the line opens something by itself, so that it is nothing's title."""
    return line.startswith("#") or any(pattern.match(line) for pattern in (_CHAPTER, _ARTICLE, _APPENDED))


def _stands_alone(text: str, found: re.Match[str]) -> bool:
    """A chapter's line is short and no sentence, and what is above it has ended."""
    line = found[0].strip()
    before = _line_before(text, found.start())
    open_end = line[-1] in ";,!?" or (line[-1] == "." and bool(found["title"]))
    return len(line) <= TITLE_CHARACTERS and not open_end and (not before or before[-1] in ".;:!?)" or is_title(before))


def _chapter(text: str, found: re.Match[str]) -> Opening:
    """A chapter with its title: in its line, or in the next, in capitals or with a blank line below."""
    name, body = " ".join(found[0].split()), found.end()
    following = _NEXT_LINE.match(text, body) if not found["title"] else None
    if following:
        line = following[1].strip()
        alone = line.isupper() or text[following.end() : following.end() + 2] == "\n\n"
        if is_title(line) and alone and not _is_opening(line):
            name, body = f"{name.rstrip('.')}. {line}", following.end()
    return Opening(_DEPTH[found["word"].lower()], name, found.start(), found.start(), body)
