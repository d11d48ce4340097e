"""The headings of a document, by its kind: marked ones, or numbered titles of a text that marks none."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from knowledge.chunking.markdown import Block, Heading, outline
from knowledge.chunking.numbered import plain_headings
from knowledge.documents import SourceDocument

#: Kinds whose headings may be lines like any other.
_PLAIN = frozenset({"text", "pdf"})
#: The level of "5. Title"; "5.1. Title" is one below. A marked title of the whole text stands above.
_LEVEL = 2


def outline_of(document: SourceDocument) -> tuple[list[Heading], list[Block]]:
    """All headings and all whole blocks, in order. Numbered titles are headings of plain texts and PDFs without others."""
    headings, blocks = outline(document.text)
    if document.kind in _PLAIN and len(headings) <= 1:
        headings = sorted([*headings, *_numbered(document.text, blocks)], key=lambda one: one.start)
    return headings, blocks


def is_headed(document: SourceDocument) -> bool:
    """Whether a plain text or PDF is to be cut at its headings. ``#`` before a plain text's lines may mean anything."""
    if document.kind not in _PLAIN or (document.kind == "text" and len(outline(document.text)[0]) > 1):
        return False
    return len(outline_of(document)[0]) > 1


def _numbered(text: str, blocks: Sequence[Block]) -> list[Heading]:
    return [
        Heading(_LEVEL + one.depth, f"{one.number}{one.stop} {one.title}", one.start, one.end, one.start)
        for one in plain_headings(text)
        if not is_inside(one.start, blocks)
    ]


def is_inside(offset: int, blocks: Sequence[Block]) -> bool:
    """Whether a table or code holds what starts there."""
    at = bisect_right(blocks, offset, key=lambda block: block.start) - 1
    return at >= 0 and offset < blocks[at].end
