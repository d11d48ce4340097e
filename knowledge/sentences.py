"""Sentences of English and Bulgarian policy text, as spans.

One pass of plain regular expressions, linear in the text's length. Lines decide first: a heading, a list item, a table row, a
line of code is a sentence of its own; a soft-wrapped line goes on. Then full stops do, which abbreviations, numbers and
references take back. The same spans cut chunks, quote answers and check citations: a text has one set of sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge.abbreviations import DOTTED_INSIDE, LETTERED, MAY_END, NAMES, NEVER_END, NUMBERED, OPENERS

_BLANK = re.compile(r"\s*$")
_FENCE = re.compile(r" {0,3}(```|~~~)")
#: Lines that are whole by themselves: headings, rules and underlines, table rows.
_WHOLE_LINE = re.compile(r" {0,3}(?:#{1,6}(?:[ \t]|$)|[-=*_](?:[ \t]*+[-=*_]){2,}+[ \t\r]*+$|\||>[> \t\r]*+$)")
#: Beginnings of list items, numbered paragraphs and articles. A number of over three digits is a year or an amount.
_ITEM = re.compile(
    r"[ \t>]*+(?:[-*+•‣▪◦–—](?=[ \t])"
    r"|\d{1,3}(?:\.\d{1,3})*[.)](?=[ \t])"
    r"|\(?[A-Za-zА-я]\)(?=[ \t])"
    r"|\((?:\d{1,3}[а-яa-z]?|[ivxIVX]{1,5})\)(?=[ \t])"
    r"|(?:Чл|Art)\.[ \t]*\d+[а-яa-z]?\."
    r"|§[ \t]*\d+[а-яa-z]?\.)"
)
#: A paragraph that a number of several parts opens, without a stop of its own: "3.2 The tenant …", behind a sentence that ended.
_NUMBERED_LINE = re.compile(r"[ \t]*+\d{1,2}(?:\.\d{1,2}){1,3}[ \t]++[A-ZА-Я]")
#: A number behind what numbers are of, which a wrapped line may begin with: "… the vote specified in\n§4.2. It …".
_REFERRED = re.compile(r"[ \t>]*+(?:(?:Чл|Art)\.|§|(?i:section|article|rule|clause|paragraph|член|параграф)\b)")
_NUMBER = re.compile(r"[ \t>]*+\d")
#: A line that ends so goes on in the next one.
_GOES_ON = re.compile(
    r"(?:[,(–—]|\b(?:in|of|under|by|with|to|and|or|see|per|the|from|also|than|at|on|for|is|are"
    r"|по|на|от|в|във|с|със|и|или|към|за|виж|вж\.|съгласно|съгл\.|при))[ \t\r]*$",
    re.IGNORECASE,
)
#: A line whose last word the number in the next line belongs to.
_NAMES_NEXT = re.compile(
    r"\b(?:sections?|articles?|rules?|clauses?|paragraphs?|членове|член|параграф|чл\.|art\.|sec\.)[ \t\r]*$",
    re.IGNORECASE,
)
_ENDED = (".", ";", ":", "!", "?")
#: What stands before a segment's first word and holds dots that end nothing: "1.", "Чл. 40а.", "Art. 5.", "§ 5.", "Section 12."
_LEADING = re.compile(
    r"[ \t>#*_|]*+(?:[-+•‣▪◦–—][ \t]++)?+[*_]*+"
    r"(?:(?:Чл|ЧЛ|Art|ART|Reg)\.?|Член|ЧЛЕН|(?i:article|section|rule|clause|regulation|schedule)|§{1,2})?[ \t]*"
    r"(?:\d{1,4}(?:[.-]\d{1,4})*(?:[а-яА-Яa-zA-Z]\d?)?|[IVXLC]{1,6}|[A-ZА-Я]\d{0,2})\.(?=[ \t])"
)
_END = re.compile(
    r"(?P<stop>[.!?…]++)(?P<close>[)\]\"'”’»“*_`]*+)"
    r"(?P<labels>(?:[ \t]{0,3}\[[A-Za-z]?\d{1,3}(?:, ?[A-Za-z]?\d{1,3}){0,9}\])*+)"
    r"|[。！？]++[」』”）]*+"
)
_NEXT = re.compile(r"\s+(?P<open>[\"'“„«‘(\[*_>]*)(?P<first>.?)(?P<rest>\w*)")
_REFERENCE = re.compile(r"[№#§]?\d|[IVXLC]+\b|\w\b")
_ENUMERATOR = re.compile(r"\(?(?:\d{1,3}|[a-zа-я]|[ivx]{1,4})")
_LOOK_BACK = 40
_SHORT_WORD = 5


def split_sentences(text: str) -> list[tuple[int, int]]:
    """The sentences of ``text`` as ``(start, end)`` spans in characters, in order, without surrounding blanks.

    Every character that is not a blank stands in exactly one span. A list marker, a heading's ``#`` and a table row's bars belong
    to their sentence, as do closing quotes and ``[S1]`` labels behind a full stop.
    """
    out: list[tuple[int, int]] = []
    for start, end, whole in _segments(text):
        out.extend(_trimmed(text, start, end) if whole else _sentences(text, start, end))
    return out


def _segments(text: str) -> Iterator[tuple[int, int, bool]]:
    """Stretches that no sentence crosses: paragraphs, and (``True``) lines that are one sentence whatever they hold."""
    fence = ""
    start = end = 0  # the paragraph so far
    lines_so_far = 0
    at = 0
    while at < len(text):
        newline = text.find("\n", at)
        stop = len(text) if newline < 0 else newline
        marker = _FENCE.match(text, at, stop)
        whole = bool(fence) or marker is not None
        if marker and (not fence or fence == marker[1]):
            fence = "" if fence else marker[1]
        blank = _BLANK.match(text, at, stop) is not None
        whole = whole or _WHOLE_LINE.match(text, at, stop) is not None
        starts_anew = whole or blank or _ITEM.match(text, at, stop) is not None
        if starts_anew and end > start and not whole and not blank:
            starts_anew = not _is_wrapped(text, start, end, at, stop)
        if not starts_anew and end > start and text[end - 1] in _ENDED:
            starts_anew = _NUMBERED_LINE.match(text, at, stop) is not None
        if not starts_anew and lines_so_far == 1:
            starts_anew = _is_bare_heading(text, start, end, at, stop)
        if starts_anew and end > start:
            yield start, end, False
            start = end = at
        if whole and not blank:
            yield at, stop, True
        if whole or blank:
            start = end = stop
            lines_so_far = 0
        else:
            if end == start:
                start, lines_so_far = at, 0
            elif starts_anew:
                lines_so_far = 0
            end = stop
            lines_so_far += 1
            if _breaks_hard(text, at, stop):
                yield start, end, False
                start = end = stop
        at = stop + 1
    if end > start:
        yield start, end, False


def _is_wrapped(text: str, start: int, end: int, at: int, stop: int) -> bool:
    """Whether a line that begins with a number, or with § and one, goes on with the line before it."""
    line_start = max(start, text.rfind("\n", start, end) + 1, end - 120)
    if _NUMBER.match(text, at, stop):
        return _NAMES_NEXT.search(text, line_start, end) is not None
    return _REFERRED.match(text, at, stop) is not None and _GOES_ON.search(text, line_start, end) is not None


def _breaks_hard(text: str, at: int, stop: int) -> bool:
    """Markdown's hard line break: two blanks or a backslash at the line's end."""
    return text[max(at, stop - 2) : stop] == "  " or text[max(at, stop - 1) : stop] == "\\"


def _is_bare_heading(text: str, start: int, end: int, next_start: int, next_end: int) -> bool:
    """Whether a paragraph's first line is a title typed without ``#``: no stop, and much shorter than the line below it.

    Wrapped prose fills its lines, so a short first line over a full one that begins with a capital is not prose.
    """
    line = text[start : min(end, start + 120)].strip()
    following = text[next_start : min(next_end, next_start + 200)].strip()
    return (
        0 < len(line) <= 80
        and len(line) < 0.7 * len(following)
        and line[-1] not in ".;?!,-–—("
        and not (_REFERRED.match(following) and _GOES_ON.search(line))
        and following[:1].isupper()
        and not line[:1].islower()
    )


def _trimmed(text: str, start: int, end: int) -> list[tuple[int, int]]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return [(start, end)] if start < end else []


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for trimmed in _trimmed(text, start, end):
        start, end = trimmed
    leading = _LEADING.match(text, start, end)
    search_from = leading.end() if leading else start
    for found in _END.finditer(text, search_from, end):
        cut = found.end()
        if cut >= end:
            break
        if found["stop"] is None:
            ends = True
        else:
            if found["labels"] and not text[cut].isspace():
                cut = found.end("close")
            ends = text[cut].isspace() and _ends_sentence(text, found, cut, start, end)
        if ends:
            yield start, cut
            start = cut
            while start < end and text[start].isspace():
                start += 1
    if start < end:
        yield start, end


def _ends_sentence(text: str, found: re.Match[str], cut: int, start: int, end: int) -> bool:
    following = _NEXT.match(text, cut, end)
    if following is None or not following["first"]:
        return True
    first, stop = following["first"], found["stop"]
    if found["labels"]:
        return True
    if stop != ".":
        # "Why?" he asked. -- but a question or a cry that no quote closes ends whatever comes.
        return not first.islower() or ("…" not in stop and ".." not in stop and not found["close"])
    if first.islower() and not following["open"].startswith(("(", "[")):
        return False
    return not _is_abbreviation(text, found, following, start)


def _is_abbreviation(text: str, found: re.Match[str], following: re.Match[str], start: int) -> bool:
    """Whether the full stop belongs to the word before it and the sentence goes on."""
    dot = found.start("stop")
    before = text[max(start, dot - _LOOK_BACK) : dot]
    words = before.split()
    if not words or before[-1].isspace():
        return False
    opens = len(words) == 1 and len(before) < _LOOK_BACK
    listed = len(words) > 1 and words[-2][-1] in ";:,"
    if (opens or listed) and _ENUMERATOR.fullmatch(words[-1]):
        return True  # "…; 2. the second" within a line
    word = words[-1].lstrip("(\"'“„«‘[*_")
    previous = words[-2] if len(words) > 1 else ""
    key = word.lower()
    next_is_upper = following["first"].isupper()
    after_number = previous[-1:].isdigit()
    if key in NEVER_END and not after_number:
        return True
    if key in NUMBERED:
        if _REFERENCE.match(following["first"] + following["rest"]):
            return True
        return not next_is_upper and not following["open"]
    if following["first"] in "-–—" and len(word) <= _SHORT_WORD:
        return True  # "(Зал. - ДВ, бр. 5)"
    if key in NAMES and next_is_upper and (following["first"] + following["rest"]).lower() not in OPENERS:
        return True  # "the U.S. Department"
    if key in MAY_END or key in NEVER_END or DOTTED_INSIDE.fullmatch(word):
        return not next_is_upper or ")" in found["close"]  # "(изм. 1990 г.) Законът"
    if len(word) == 1 and word.isalpha() and word.isupper():
        # "J. Smith" goes on; "Plan B. Returns" and "and I. Then" end.
        return next_is_upper and word != "I" and previous.lower() not in LETTERED
    return False
