"""Cut at headings; a section over the limit again at sentence ends."""

from __future__ import annotations

from knowledge.chunking.headings import outline_of
from knowledge.chunking.markdown import sections
from knowledge.chunking.options import StructuralOptions
from knowledge.chunking.packing import cut_stretch
from knowledge.chunking.pieces import Piece
from knowledge.chunking.ruler import Ruler
from knowledge.documents import SourceDocument


def cut(document: SourceDocument, options: StructuralOptions) -> list[Piece]:
    """One piece a section, or several that share sentences; none crosses a heading.

    A list and what leads it may make a piece half as long again.
    """
    ruler = Ruler(document.text, options.unit)
    return [
        Piece(spans=spans, path=section.path)
        for section in sections(document.text, outline_of(document))
        for spans in cut_stretch(
            ruler,
            section.start,
            section.end,
            section.blocks,
            options.limit,
            options.overlap,
            list_limit=options.list_limit,
        )
    ]
