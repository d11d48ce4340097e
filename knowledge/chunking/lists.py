"""Lists kept whole, with the sentence that leads them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from knowledge.chunking.pieces import ITEM
from knowledge.chunking.ruler import Ruler


@dataclass(frozen=True, slots=True)
class Unit:
    """What a piece is made of. Only a whole sentence may be said again at the start of the next piece."""

    start: int
    end: int
    is_sentence: bool = True


def keep_lists(ruler: Ruler, units: Iterable[Unit], limit: int, list_limit: int) -> list[Unit]:
    """The units of a text without tables and code, each list and what leads it made one unit if they are within ``list_limit``.

    Of a longer list what leads it and the first item are one, if within ``limit``: a lead without any item says nothing.
    """
    given = list(units)
    out: list[Unit] = []
    at = 0
    while at < len(given):
        margin = _margin(ruler.text, given[at])
        if margin is None:
            out.append(given[at])
            at += 1
            continue
        behind = at + 1
        while behind < len(given) and _goes_on(ruler.text, given[behind - 1].end, given[behind], margin):
            behind += 1
        items = given[at:behind]
        lead = out[-1:] if out and _leads(ruler.text, out[-1]) else []
        del out[len(out) - len(lead) :]
        out.extend(_joined(ruler, [*lead, *items], limit, list_limit, is_led=bool(lead)))
        at = behind
    return out


def _joined(ruler: Ruler, units: list[Unit], limit: int, list_limit: int, *, is_led: bool) -> list[Unit]:
    start = units[0].start
    if len(units) > 1 and ruler.size(start, units[-1].end) <= list_limit:
        return [Unit(start, units[-1].end, is_sentence=False)]
    if is_led and ruler.size(start, units[1].end) <= limit:
        return [Unit(start, units[1].end, is_sentence=False), *units[2:]]
    return units


def _leads(text: str, unit: Unit) -> bool:
    """Whether what stands before a list may lead it: a sentence, or anything that ends with a colon."""
    return unit.is_sentence or text[unit.end - 1] == ":"


def _margin(text: str, unit: Unit) -> int | None:
    """How far from its line's start the list's item that begins there stands; ``None`` where none begins."""
    if ITEM.match(text, unit.start, min(unit.end, unit.start + 20)) is None:
        return None
    line = text.rfind("\n", 0, unit.start) + 1
    return None if text[line : unit.start].strip() else unit.start - line


def _goes_on(text: str, end: int, unit: Unit, margin: int) -> bool:
    """Whether a unit belongs to the list before it: an item, or no paragraph of its own at the margin."""
    if text.count("\n", end, unit.start) < 2:
        return True
    return _margin(text, unit) is not None or unit.start - text.rfind("\n", 0, unit.start) - 1 > margin
