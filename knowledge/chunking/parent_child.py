"""Small children to search, larger parents to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from knowledge.chunking.headings import outline_of
from knowledge.chunking.markdown import Block, Section, sections
from knowledge.chunking.options import ParentChildOptions
from knowledge.chunking.packing import cut_stretch, cut_table, table_notes
from knowledge.chunking.pieces import Piece, Span
from knowledge.chunking.ruler import Ruler
from knowledge.documents import SourceDocument


@dataclass(frozen=True, slots=True)
class _Run:
    """Neighbouring sections that make one parent: ``start`` is where it begins, ``path`` what their headings have in common."""

    path: tuple[str, ...]
    start: int
    sections: tuple[Section, ...]

    @property
    def end(self) -> int:
        return self.sections[-1].end


def cut(document: SourceDocument, options: ParentChildOptions) -> tuple[list[Piece], list[Piece]]:
    """Children and parents. Short neighbouring sections share a parent; a long one has several, cut at sentence ends.

    A child never crosses a heading, so that its own headings lead it, and stands whole in its parent.
    """
    ruler = Ruler(document.text, options.unit)
    children: list[Piece] = []
    parents: list[Piece] = []
    for run in _runs(ruler, sections(document.text, outline_of(document)), options.parent_limit):
        if len(run.sections) == 1:
            section = run.sections[0]
            for spans in cut_stretch(ruler, section.start, section.end, section.blocks, options.parent_limit, 0):
                inside = _children(ruler, spans, section.blocks, options.limit)
                children.extend(Piece(spans=span, path=section.path, parent=len(parents)) for span in inside)
                parents.append(Piece(spans=spans, path=section.path))
            continue
        for section in run.sections:
            inside = cut_stretch(ruler, section.start, section.end, section.blocks, options.limit, 0)
            children.extend(Piece(spans=span, path=section.path, parent=len(parents)) for span in inside)
        parents.append(Piece(spans=(ruler.trim(run.start, run.end),), path=run.path))
    return children, parents


def _runs(ruler: Ruler, found: Sequence[Section], limit: int) -> Iterator[_Run]:
    run: _Run | None = None
    for section in found:
        wider = _joined(run, section) if run else None
        if wider and ruler.size(*ruler.trim(wider.start, wider.end)) <= limit:
            run = wider
            continue
        if run:
            yield run
        run = _Run(section.path, section.start, (section,))
    if run:
        yield run


def _joined(run: _Run, section: Section) -> _Run:
    """The run with one more section: it begins at its first heading that is not above all of them."""
    shared = 0
    while shared < min(len(run.path), len(section.path)) and run.path[shared] == section.path[shared]:
        shared += 1
    first = run.sections[0]
    start = run.start if shared == len(first.path) else first.heading_starts[shared]
    return replace(run, path=run.path[:shared], start=start, sections=(*run.sections, section))


def _children(ruler: Ruler, spans: tuple[Span, ...], blocks: Sequence[Block], limit: int) -> Iterator[tuple[Span, ...]]:
    """The parts of a parent cut from one section; of a table's rows again with the table's header and their footnotes."""
    if len(spans) > 1:
        if sum(ruler.size(*span) for span in spans) <= limit:
            yield spans
            return
        table = next(block for block in blocks if block.start <= spans[0][0] < block.end)
        held = [span for span in spans if span[0] < table.end]
        notes = [one for one in table_notes(ruler, table, spans[-1][1], limit) if one[1:] in spans]
        if len(held) > 1:
            header, rows = held
        else:
            header, rows = ruler.trim(table.start, table.body), (table.body, held[0][1])
        yield from cut_table(ruler, header, rows, limit, notes)
        if not notes:
            yield from ((span,) for span in spans[len(held) :])
        return
    start, end = spans[0]
    inside = [
        replace(block, end=min(block.end, end), body=min(block.body, end))
        for block in blocks
        if start <= block.start < end
    ]
    yield from cut_stretch(ruler, start, end, inside, limit, 0)
