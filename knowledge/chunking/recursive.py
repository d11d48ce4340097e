"""The largest stretches that fit, cut at the largest break in reach: blank line, line end, sentence end, blank."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from knowledge.chunking.markdown import Trail, outline
from knowledge.chunking.options import RecursiveOptions
from knowledge.chunking.packing import whole_sentences
from knowledge.chunking.pieces import ITEM, Piece, Span
from knowledge.chunking.ruler import Ruler
from knowledge.documents import SourceDocument

_LINE_ENDS = re.compile(r"\n\s*")
#: Kinds whose ``#`` lines are headings, not text that happens to begin so.
WITH_HEADINGS = frozenset({"markdown", "html", "docx", "pdf"})


def cut(document: SourceDocument, options: RecursiveOptions) -> list[Piece]:
    """Pieces in order; headings stay in the text, and those above a piece lead it too."""
    trail = trail_of(document)
    ruler = Ruler(document.text, options.unit)
    return [Piece(spans=(span,), path=trail.at(span[0])) for span in _spans(ruler, options.limit, options.overlap)]


def trail_of(document: SourceDocument) -> Trail:
    """The document's headings by offset, where its kind has any."""
    return Trail(outline(document.text)[0] if document.kind in WITH_HEADINGS else ())


def _spans(ruler: Ruler, limit: int, overlap: int) -> list[Span]:
    out: list[Span] = []
    first, last = ruler.trim(0, len(ruler.text))
    breaks = _Breaks(ruler)
    start = first
    end = start
    while end < last:
        reach = ruler.fit(start, last, limit)
        end = reach if reach >= last else breaks.cut(start, end, reach)
        out.append((start, end))
        start = _next_start(ruler, breaks, (start, end), limit, overlap) if end < last else end
    return out


def _next_start(ruler: Ruler, breaks: _Breaks, piece: Span, limit: int, overlap: int) -> int:
    """Where the piece behind ``piece`` starts: up to ``overlap`` before its end, at a sentence's start where one is in reach.

    The overlap shrinks, word by word and down to nothing, where it would leave no room for the word behind ``end``.
    """
    begin, end = piece
    following = ruler.next_word(end)
    earliest = max(ruler.back(end, overlap), ruler.next_word(begin + 1))
    if earliest >= end:
        return following
    start = breaks.sentence_start(earliest, end)
    needed = ruler.fit(following, len(ruler.text), 1)
    while start < following and ruler.size(start, needed) > limit:
        start = ruler.next_word(start + 1)
    return min(start, following)


class _Breaks:
    """Where a text may be cut, as the offset behind the last word, by kind from the largest."""

    def __init__(self, ruler: Ruler) -> None:
        self.ruler = ruler
        paragraphs: list[int] = []
        lines: list[int] = []
        leads: set[int] = set()  # behind a colon that leads a list no piece ends
        for found in _LINE_ENDS.finditer(ruler.text):
            if ruler.text[found.start() - 1 : found.start()] == ":" and ITEM.match(ruler.text, found.end()):
                leads.add(found.start())
                continue
            (paragraphs if found[0].count("\n") > 1 else lines).append(found.start())
        sentences = whole_sentences(ruler.text)
        self._sentence_starts = [start for start, _ in sentences]
        self._kinds = (paragraphs, lines, [end for _, end in sentences if end not in leads])

    def cut(self, start: int, beyond: int, reach: int) -> int:
        """The best end in reach and further than ``beyond``: of the largest kind that leaves the piece half full, else of any."""
        half = max(beyond, start + (reach - start) // 2)
        for least in (half, beyond):
            for places in self._kinds:
                at = bisect_right(places, reach) - 1
                if at >= 0 and places[at] > max(least, start):
                    end = self.ruler.trim(start, places[at])[1]
                    if end > max(beyond, start):
                        return end
        return reach

    def sentence_start(self, earliest: int, end: int) -> int:
        """The first start of a sentence from ``earliest`` on and before ``end``; else ``earliest``."""
        at = bisect_left(self._sentence_starts, earliest)
        found = self._sentence_starts[at] if at < len(self._sentence_starts) else end
        return found if found < end else earliest
