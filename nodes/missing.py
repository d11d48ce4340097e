"""Identifiers of a question that stand in no document: what is asked about them is answered by no neighbour.

A step of a scale is another matter: grade G4 is spoken of where "G5 and above" is written, though it stands nowhere itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

from langchain_core.documents import Document

from knowledge.identifiers import Identifier
from knowledge.index.port import ChunkIndex, ListRequest
from knowledge.scope import Scope

#: A few letters and a small number: grade G4, band B2, zone Z1, level L3.
_STEP = re.compile(r"(?P<letters>[^\W\d_]{1,3})[- ]?[0-9]{1,2}")
_SIDES = (
    r"(?:and|or) (?:above|below|over|under|up|down|higher|lower|more|less|later|earlier|upwards?|beyond|older|younger)"
)
_BEFORE = r"(?:up to|down to|above|below|over|under|beyond|from|at least|at most|between|higher than|lower than)"


async def missing_identifiers(
    index: ChunkIndex,
    identifiers: Sequence[Identifier],
    held: Set[str],
    scope: Scope,
    *,
    dense: Sequence[float],
    nothing_else: bool,
) -> list[Identifier]:
    """The identifiers that stand nowhere in what was asked for, and whose kind the caller's documents know or that the question
    asks of and of nothing else ("What does P0999 mean?").

    Whether the kind is known is asked of all the caller's documents: a product of another category is missing from this one.

    Args:
        held: the identifiers of what was found.
        dense: the question's vector, for looking further.
        nothing_else: whether the question asks of its identifiers and of nothing else.
    """
    unseen = [item for item in identifiers if held.isdisjoint(item.readings) or item.kind == "label"]
    if nothing_else:
        alone = [item for item in unseen if item.certain and item.kind == "code"]
        if alone and len(alone) == len(identifiers):
            return alone
    families = tuple(dict.fromkeys(family for item in unseen for family in item.families))
    if not families:
        return []
    result = await index.search(
        [ListRequest(limit=1, dense=dense, mentions=(family,)) for family in families], replace(scope, categories=())
    )
    known = held | {family for family, hits in zip(families, result.lists, strict=True) if hits}
    return [item for item in unseen if item.is_missing(known)]


def without_ranges(
    missing: Sequence[Identifier], found: Iterable[Document]
) -> tuple[list[Identifier], list[Identifier]]:
    """The identifiers that are missing all the same, and those that a passage found speaks of by a range."""
    texts = [str(document.page_content) for document in found] if missing else []
    ranged = [item for item in missing if item.kind == "code" and in_a_range(item.text, texts)]
    return [item for item in missing if item not in ranged], ranged


def in_a_range(code: str, texts: Iterable[str]) -> bool:
    """Whether one of the texts (English) names a range on the scale that the code is a step of, on whichever side of it."""
    step = _STEP.fullmatch(code)
    if step is None:
        return False
    one = rf"\b{re.escape(step['letters'])}[- ]?[0-9]{{1,2}}\b"
    ranged = re.compile(
        rf"{one}(?:\+|,? {_SIDES}| ?(?:-|–|—|to|through) ?(?:{re.escape(step['letters'])}[- ]?)?[0-9]{{1,2}}\b)"
        rf"|\b{_BEFORE} (?:\w+ ){{0,2}}?{one}",
        re.IGNORECASE,
    )
    return any(ranged.search(text) for text in texts)
