"""One article, one chunk."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from knowledge.chunking.articles import Opening, openings
from knowledge.chunking.lists import Unit
from knowledge.chunking.markdown import Block, outline
from knowledge.chunking.options import LegalOptions
from knowledge.chunking.packing import cut_stretch, sentence_units
from knowledge.chunking.pieces import SEPARATOR, Piece, Span
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
    blocks = outline(text)[1]
    preface = found[0].start if found else len(text)
    out = [Piece(spans=spans) for spans in _cut(ruler, 0, preface, blocks, options.limit)]
    stack: list[Opening] = []
    for at, opening in enumerate(found):
        end = found[at + 1].start if at + 1 < len(found) else len(text)
        while stack and stack[-1].level >= opening.level:
            stack.pop()
        stack.append(opening)
        is_leaf = at + 1 == len(found) or found[at + 1].level <= opening.level
        out.extend(_pieces(ruler, stack, end, blocks, options.limit, is_leaf=is_leaf))
    return out


def _pieces(
    ruler: Ruler, stack: list[Opening], end: int, blocks: Sequence[Block], limit: int, *, is_leaf: bool
) -> Iterator[Piece]:
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
    for spans in _cut(ruler, start, stop, blocks, limit):
        yield Piece(
            spans=spans,
            path=path,
            section=_cited(stack, article) if article else None,
            article=article.number if article else None,
        )


def _cited(stack: Sequence[Opening], article: Opening) -> str | None:
    """How an article is cited: by its label, and inside another one by their names, unless its number says which that is.

    Each article of a set of bylaws may have a Section 4.
    """
    above = [one for one in stack[: stack.index(article)] if one.label and one.number]
    if not above or not article.label or (article.number or "").startswith(f"{above[-1].number}."):
        return article.label
    return SEPARATOR.join(one.name for one in (*above, article))


def _cut(ruler: Ruler, start: int, end: int, blocks: Sequence[Block], limit: int) -> Iterator[tuple[Span, ...]]:
    first, behind = (bisect_left(blocks, edge, key=lambda block: block.start) for edge in (start, end))
    return cut_stretch(ruler, start, end, blocks[first:behind], limit, 0, units_of=_units)


def _units(ruler: Ruler, start: int, end: int, limit: int) -> Iterator[Unit]:
    """The numbered paragraphs of the stretch, and the sentences of one over the limit."""
    for first, last in _paragraphs(ruler, start, end):
        if ruler.size(first, last) <= limit:
            yield Unit(first, last, is_sentence=False)
        else:
            yield from sentence_units(ruler, first, last, limit)


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
