"""Filling pieces up to a limit, sentence by sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from knowledge.chunking.lists import Unit, keep_lists
from knowledge.chunking.markdown import Block
from knowledge.chunking.pieces import Span
from knowledge.chunking.ruler import Ruler
from knowledge.footnotes import bears, notes_below
from knowledge.sentences import split_sentences

#: A footnote's sign, and where it stands.
Note = tuple[str, int, int]
#: Cuts a stretch of a ruler's text into units within a limit.
UnitsOf = Callable[[Ruler, int, int, int], Iterable[Unit]]


def pack(units: Sequence[Unit], ruler: Ruler, limit: int, overlap: int) -> Iterator[Span]:
    """Pieces of as many units as fit. Each next piece starts with the last ``overlap`` sentences of the piece before.

    Where overlap and the next unit together are over the limit, the overlap goes, the earliest sentence first.
    """
    first = 0  # the piece's first unit
    for at in range(1, len(units)):
        if ruler.size(units[first].start, units[at].end) <= limit:
            continue
        yield units[first].start, units[at - 1].end
        again = at
        while again > max(first, at - overlap) and units[again - 1].is_sentence:
            if ruler.size(units[again - 1].start, units[at].end) > limit:
                break
            again -= 1
        first = again
    if units:
        yield units[first].start, units[-1].end


def sentence_units(ruler: Ruler, start: int, end: int, limit: int) -> Iterator[Unit]:
    """The sentences of the stretch; one over the limit is cut between words into parts that fit."""
    for first, last in whole_sentences(ruler.text[start:end]):
        yield from split_unit(ruler, start + first, start + last, limit)


def whole_sentences(text: str) -> list[Span]:
    """Sentences with blanks between them. Scripts that write none after a full stop are not cut inside what counts as a word."""
    out: list[Span] = []
    for start, end in split_sentences(text):
        if out and out[-1][1] == start:
            start = out.pop()[0]
        out.append((start, end))
    return out


def split_unit(ruler: Ruler, start: int, end: int, limit: int) -> Iterator[Unit]:
    """The stretch as one unit if it fits, else its parts, cut between words."""
    if ruler.size(start, end) <= limit:
        yield Unit(start, end)
        return
    while start < end:
        stop = ruler.fit(start, end, limit)
        yield Unit(start, stop, is_sentence=False)
        start = ruler.next_word(stop)


def cut_stretch(
    ruler: Ruler,
    start: int,
    end: int,
    blocks: Iterable[Block],
    limit: int,
    overlap: int,
    units_of: UnitsOf = sentence_units,
    *,
    list_limit: int | None = None,
) -> Iterator[tuple[Span, ...]]:
    """A section's text as pieces of at most ``limit``: whole if it fits, else sentence by sentence, tables and code whole.

    A table over the limit is cut between its rows, its header said again on each piece, and with the rows go their footnotes; a
    code block over it is cut between lines.
    A row over the limit stays whole. ``units_of`` cuts the text between them. A list and what leads
    it stay in one piece up to ``list_limit``, by default ``limit``.
    """
    start, end = ruler.trim(start, end)
    if start == end:
        return
    if ruler.size(start, end) <= limit:
        yield ((start, end),)
        return
    units: list[Unit] = []
    at = start
    for block in blocks:
        units.extend(keep_lists(ruler, units_of(ruler, at, block.start, limit), limit, list_limit or limit))
        block_start, block_end = ruler.trim(block.start, block.end)
        notes = table_notes(ruler, block, end, limit)
        at = notes[-1][2] if notes else block.end
        if ruler.size(block_start, at if notes else block_end) <= limit:
            units.append(Unit(block_start, at if notes else block_end, is_sentence=False))
        elif block.kind == "code":
            units.extend(_lines(ruler, block_start, block_end, limit))
        else:
            yield from ((span,) for span in pack(units, ruler, limit, overlap))
            units = []
            header = ruler.trim(block.start, block.body)
            yield from cut_table(ruler, header, (block.body, block.end), limit, notes)
    units.extend(keep_lists(ruler, units_of(ruler, at, end, limit), limit, list_limit or limit))
    yield from ((span,) for span in pack(units, ruler, limit, overlap))


def table_notes(ruler: Ruler, block: Block, end: int, limit: int) -> list[Note]:
    """The table's footnotes, unless they would take up more than a third of each piece."""
    if block.kind != "table":
        return []
    notes = notes_below(ruler.text, block.start, block.end, end)
    return notes if _size(ruler, notes) <= limit // 3 else []


def _size(ruler: Ruler, notes: Sequence[Note]) -> int:
    """Of the footnotes behind a piece, in characters with the line ends before them."""
    return sum(ruler.size(first, last) + (ruler.unit == "characters") for _, first, last in notes)


def _lines(ruler: Ruler, start: int, end: int, limit: int) -> Iterator[Unit]:
    for line_start, line_end in _line_spans(ruler, start, end):
        for part in split_unit(ruler, line_start, line_end, limit):
            yield Unit(part.start, part.end, is_sentence=False)


def _line_spans(ruler: Ruler, start: int, end: int) -> Iterator[Span]:
    while start < end:
        stop = ruler.text.find("\n", start, end)
        stop = end if stop < 0 else stop
        line_start, line_end = ruler.trim(start, stop)
        if line_start < line_end:
            yield line_start, line_end
        start = stop + 1


def cut_table(
    ruler: Ruler, header: Span, rows: Span, limit: int, notes: Sequence[Note] = ()
) -> Iterator[tuple[Span, ...]]:
    """A table's rows in pieces, the header said again on each, and the footnotes of its rows; without the header where a row
    leaves it no room.
    """
    for spans in _cut_rows(ruler, header, rows, limit - _size(ruler, notes)):
        borne = [(first, last) for sign, first, last in notes if bears(ruler.text, *spans[-1], sign)]
        yield (*spans, *borne)


def _cut_rows(ruler: Ruler, header: Span, rows: Span, limit: int) -> Iterator[tuple[Span, ...]]:
    # In characters the header and the rows are joined by one more: the line end.
    room = limit - ruler.size(*header) - (ruler.unit == "characters")
    units = [Unit(*span, is_sentence=False) for span in _line_spans(ruler, *rows)]
    if not units or room <= 0 or any(ruler.size(unit.start, unit.end) > room for unit in units):
        lines = [Unit(*span, is_sentence=False) for span in _line_spans(ruler, *header)]
        yield from ((span,) for span in pack([*lines, *units], ruler, limit, 0))
    else:
        for span in pack(units, ruler, room, 0):
            follows = ruler.next_word(header[1]) == span[0]
            yield ((header[0], span[1]),) if follows else (header, span)
