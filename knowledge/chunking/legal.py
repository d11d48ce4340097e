"""One article, one chunk."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge.chunking.articles import Opening, openings
from knowledge.chunking.options import LegalOptions
from knowledge.chunking.packing import Unit, pack, sentence_units
from knowledge.chunking.pieces import Piece, Span
from knowledge.chunking.ruler import Ruler
from knowledge.documents import SourceDocument

#: "(2)" where a line begins, or behind a sentence's end in the same line.
_PARAGRAPH = re.compile(r"(?:(?:^|\n)[ \t]*|(?<=[.;:!?)\]”“\"»])[ \t]+)(?=\((\d{1,3})[а-яa-z]?\)[ \t(])")
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n\s*")


def cut(document: SourceDocument, options: LegalOptions) -> list[Piece]:
    """Articles in order, with what stands before the first and between chapters kept as pieces of their own.

    An article over the limit is cut at its paragraphs "(1)", "(2)" and each piece is led by the article's heading.
    """
    text = document.text
    ruler = Ruler(text, options.unit)
    found = openings(text)
    out = [Piece(spans=(span,)) for span in _cut(ruler, 0, found[0].start if found else len(text), options.limit)]
    stack: list[Opening] = []
    for at, opening in enumerate(found):
        end = found[at + 1].start if at + 1 < len(found) else len(text)
        while stack and stack[-1].level >= opening.level:
            stack.pop()
        stack.append(opening)
        is_leaf = at + 1 == len(found) or found[at + 1].level <= opening.level
        out.extend(_pieces(ruler, stack, end, is_leaf, options.limit))
    return out


def _pieces(ruler: Ruler, stack: list[Opening], end: int, is_leaf: bool, limit: int) -> Iterator[Piece]:
    """What an opening brings: its text; where it has none and leads nothing, its own line, lest its words be lost."""
    opening = stack[-1]
    start, stop = ruler.trim(opening.body, max(opening.body, end))
    path = tuple(one.name for one in stack)
    if start == stop:
        if not is_leaf:
            return
        start, stop = ruler.trim(opening.words, opening.body)
        path = path if opening.number else path[:-1]
    article = next((one for one in reversed(stack) if one.number), None)
    for span in _cut(ruler, start, stop, limit):
        yield Piece(
            spans=(span,),
            path=path,
            section=article.label if article else None,
            article=article.number if article else None,
        )


def _cut(ruler: Ruler, start: int, end: int, limit: int) -> Iterator[Span]:
    start, end = ruler.trim(start, end)
    if start == end:
        return
    if ruler.size(start, end) <= limit:
        yield start, end
        return
    units: list[Unit] = []
    for first, last in _paragraphs(ruler, start, end):
        if ruler.size(first, last) <= limit:
            units.append(Unit(first, last, is_sentence=False))
        else:
            units.extend(sentence_units(ruler, first, last, limit))
    yield from pack(units, ruler, limit, 0)


def _paragraphs(ruler: Ruler, start: int, end: int) -> Iterator[Span]:
    """The stretch cut where a numbered paragraph begins; without any, at blank lines.

    Inside a line only the next number begins a paragraph: "(3)" behind paragraph 1 is a reference.
    """
    cuts: list[int] = []
    expected = 1
    for found in _PARAGRAPH.finditer(ruler.text, start, end):
        number = int(found[1])
        if number == expected or "\n" in found[0] or found.start() == start:
            cuts.append(found.end())
            expected = number + 1
    if not cuts:
        cuts = [found.end() for found in _BLANK_LINE.finditer(ruler.text, start, end)]
    for first, last in zip([start, *cuts], [*cuts, end], strict=True):
        trimmed = ruler.trim(first, last)
        if trimmed[0] < trimmed[1]:
            yield trimmed
