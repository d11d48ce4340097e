"""How a passage is laid out: its paragraphs, items and rows, the numbers they bear, and the lead-in that an item hangs on.

An item alone ("(a) within 3 metres of a hydrant;") says nothing without its lead-in ("No person shall park:"), and a code's
meaning stands in the row or paragraph that the code opens.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import lru_cache

from knowledge.identifiers import index_identifiers
from knowledge.sentences import split_sentences
from nodes.shown_text import shown
from nodes.tables import row_at

Span = tuple[int, int]

_NUMBERED = re.compile(r"[\s>*_]*(?:\((?P<number>\d{1,3}[a-zа-я]?)\)|\d{1,3}(?:\.\d{1,3})*[.)])(?=\s)")
_LETTERED = re.compile(r"[\s>*_]*\(?(?P<letter>[a-zа-я]|[ivx]{1,5})\)(?=\s)")
_BULLETED = re.compile(r"[\s>]*[-*+•‣▪◦–—]\s")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
#: How a sentence ends that its list goes on with: "No owner shall", "We do not pay for".
_OPEN_END = re.compile(
    r"\b(?:shall|must|may|can|will|not|to|for|of|with|if|when|unless|except|are|is|be|include|includes|including|following|cover|covers)\Z",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:is|are|be|was|were|shall|must|may|can|will|do|does|has|have|had|need|needs|applies|apply|е|са|може|трябва|има|ist|sind)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
#: More words than this state something, in whatever language.
_FEW = 8
_LIST_END = re.compile(r"[;,]?(?:\s+(?:and|or|и|или))?[;,.]?$")
#: Depths of items: numbered, lettered, bulleted ones by their indent; what is no item stands above all.
_TEXT, _OF_NUMBER, _OF_LETTER, _OF_BULLET = -1, 0, 1, 2


@dataclass(frozen=True, slots=True)
class Place:
    """Where a sentence stands in its passage.

    Attributes:
        block: the number of its paragraph, item or row.
        number: its paragraph's own number, ``(1)(d)``; empty where it bears none.
        lead: the sentence, by its number, that announces its list or table with a colon.
        row: whether it is a table's row.
        item: whether it stands in a list's item.
    """

    block: int
    number: str
    lead: int | None
    row: bool
    item: bool


@lru_cache(maxsize=1 << 10)
def places(body: str) -> tuple[Place, ...]:
    """The places of the passage's sentences, as ``split_sentences`` gives these."""
    out: list[Place] = []
    block, number, before = -1, "", 0
    leads: list[
        tuple[int, int]
    ] = []  # the sentences that announce what stands here, and their depths; the innermost last
    depth, is_row = _TEXT, False
    spans = split_sentences(body)
    for at, (start, end) in enumerate(spans):
        text, gap = body[start:end], body[before:start]
        before = end
        here = _depth(body, start)
        was_row, is_row = is_row, text.startswith("|")
        begins = block < 0 or bool(_BLANK_LINE.search(gap)) or ("\n" in gap and (here > _TEXT or is_row or was_row))
        if begins:
            block, depth = block + 1, here
            number = _number(text, number)
            while not is_row and leads and depth <= leads[-1][1]:
                leads.pop()
        lead = leads[-1] if leads else None
        out.append(
            Place(block, number, lead[0] if lead and (is_row or depth > lead[1]) else None, is_row, depth > _TEXT)
        )
        announced = text.rstrip(" *_").endswith(":") or (_OPEN_END.search(text) and "\n" in body[end : end + 3])
        if (
            announced or (begins and depth > _TEXT and _names_items(body, text, depth, spans[at + 1 : at + 2]))
        ) and not is_row:
            leads.append((at, depth))
    return tuple(out)


def _names_items(body: str, text: str, depth: int, following: Sequence[Span]) -> bool:
    """Whether an item only names the items within it, which follow: "- Telephone" and below it "  - lock it"."""
    return bool(depth >= _OF_BULLET and is_bare(text) and following and _depth(body, following[0][0]) > depth)


@lru_cache(maxsize=1 << 12)
def opened_by(text: str) -> frozenset[str]:
    """The identifiers that a block's first sentence opens with: ``e-17`` of "| E-17 | Water in the tray |"."""
    return frozenset(index_identifiers(text)[0])


def list_parts(body: str, text: str, stated: Container[Span]) -> list[Span] | None:
    """The lead-in and the items that make up ``text`` word for word, in order; ``None`` where it is no such list.

    Only sentences whose spans are in ``stated`` count, and only items of that very lead-in. The mark of a cut is no word.
    """
    spans, wanted = split_sentences(body), text.removesuffix("…").rstrip("; ").split()
    known = places(body)
    for at, lead in enumerate(spans):
        words = shown(" ".join(body[slice(*lead)].split())).split()
        if lead not in stated or not words or words[-1][-1:] != ":" or wanted[: len(words)] != words:
            continue
        found, left = [lead], " ".join(wanted[len(words) :])
        for item, place in zip(spans[at + 1 :], known[at + 1 :], strict=True):
            said = shown(item_text(body[slice(*item)]))
            if place.lead == at and item in stated and left.startswith(said):
                found.append(item)
                left = left[len(said) :].lstrip(";,. ")
        if not left and len(found) > 1:
            return found
    return None


def row_parts(body: str, text: str, stated: Container[Span], answer: Container[str]) -> list[Span] | None:
    """The table's row of which ``text`` is a sentence, each cell named, where ``answer`` holds all of the row's sentences."""
    for span, place in zip(split_sentences(body), places(body), strict=True):
        row = row_at(body, *span) if place.row and span in stated else None
        said = [row.labelled[start:end] for start, end in split_sentences(row.labelled)] if row else []
        ended = [one if one[-1:] in ".!?" else f"{one}." for one in said]
        if text in ended and all(one in answer for one in ended):
            return [span]
    return None


def item_text(text: str) -> str:
    """A list's item on one line without its bullet and without what parts it from the next ("; or")."""
    return _LIST_END.sub("", " ".join(_BULLETED.sub("", text, count=1).split()))


def is_bare(item: str) -> bool:
    """Whether a list's item only names something ("liquid damage"): few words, and none that makes a statement of them."""
    said = item_text(item)
    return len(said.split()) <= _FEW and not _NUMBERED.match(said) and not _VERB.search(said)


def _depth(body: str, start: int) -> int:
    line = body.rfind("\n", 0, start) + 1
    if body[line:start].strip(" \t>"):
        return _TEXT
    if _NUMBERED.match(body, start):
        return _OF_NUMBER
    if _LETTERED.match(body, start):
        return _OF_LETTER
    return _OF_BULLET + start - line if _BULLETED.match(body, start) else _TEXT


def _number(text: str, before: str) -> str:
    if numbered := _NUMBERED.match(text):
        return f"({numbered['number']})" if numbered["number"] else ""
    if (lettered := _LETTERED.match(text)) and (outer := re.match(r"\(\d\w*\)", before)):
        return f"{outer[0]}({lettered['letter']})"
    return f"({lettered['letter']})" if lettered else ""
