"""Windows of one size, each a fixed step further on."""

from __future__ import annotations

from knowledge.chunking.options import FixedOptions
from knowledge.chunking.pieces import Piece
from knowledge.chunking.recursive import trail_of
from knowledge.chunking.ruler import Ruler
from knowledge.documents import SourceDocument


def cut(document: SourceDocument, options: FixedOptions) -> list[Piece]:
    """Windows of N that move forward N-K.

    A window neither starts nor ends inside a word: in words the step is exactly N-K, in tokens and characters the most whole
    words within it (one at least).
    """
    trail = trail_of(document)
    ruler = Ruler(document.text, options.unit)
    start, last = ruler.trim(0, len(document.text))
    out: list[Piece] = []
    covered = start
    while covered < last:
        end = ruler.fit(start, last, options.limit)
        if end > covered:
            out.append(Piece(spans=((start, end),), path=trail.at(start)))
            covered = end
        start = ruler.next_word(ruler.fit(start, last, options.limit - options.overlap))
    return out
