"""Which passages an answer is quoted from: not those about another product, nor another category's rules on the same matter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

from knowledge.labels import KINDS
from knowledge.scope import GENERAL_CATEGORY
from knowledge.tokens import tokenize
from nodes.quoting import heading_of
from nodes.state import Passage, State


def relevant(state: State) -> list[Passage]:
    """The passages to quote from. Where some are about the identifier asked for, those about another one that do not name it
    (BX-900 beside AX-204) are left out, unless a passage sent the reader there.
    """
    asked = set(state["identifiers"])
    defined = {passage["id"]: defined_by(state, passage["id"]) for passage in state["context"]}
    words = tokenize(state["standalone_question"], state["language"])
    of_category = {passage["id"] for passage in _of_one_category(state["context"], words, state["language"])}
    # A code that two products share is asked of both.
    context = [one for one in state["context"] if one["id"] in of_category or asked & defined[one["id"]]]
    if not any(asked & names for names in defined.values()):
        return context
    return [
        passage
        for passage in context
        if not _is_about_another(asked, names := defined[passage["id"]])
        or asked & (names | set(_metadata(state, passage["id"]).get("mentions", ())))
        or passage["id"] in _referred(state)
    ]


def _is_about_another(asked: Set[str], names: Set[str]) -> bool:
    """Whether a passage about ``names`` is about other identifiers of the asked one's make: an article is no other product."""
    labels = {name.partition("-")[0] in KINDS for name in asked}
    return not asked & names and any((name.partition("-")[0] in KINDS) in labels for name in names)


def only_mentioning(state: State, passages: Sequence[Passage]) -> set[str]:
    """The labels of those that are about another identifier than the one asked for, where some are about that one."""
    asked = set(state["identifiers"])
    defined = {passage["label"]: defined_by(state, passage["id"]) for passage in passages}
    if not any(asked & names for names in defined.values()):
        return set()
    referred = {passage["label"] for passage in passages if passage["id"] in _referred(state)}
    return {label for label, names in defined.items() if _is_about_another(asked, names)} - referred


def _metadata(state: State, chunk_id: str) -> Mapping[str, Any]:
    found = state["candidates"].get(chunk_id) or state["parents"][chunk_id]
    return found.metadata


def defined_by(state: State, chunk_id: str) -> set[str]:
    """What the passage is about. Names with "#" are anchors of links, which every passage has."""
    return {name for name in _metadata(state, chunk_id).get("defines", ()) if "#" not in name}


def following(state: State, passages: Sequence[Passage]) -> dict[str, str]:
    """By label, the passage whose chunk comes next in the document under the same heading."""
    places = {place_of(state, passage): passage["label"] for passage in passages}
    out = {}
    for passage in passages:
        document, position, heading = place_of(state, passage)
        if position and (following := places.get((document, position + 1, heading))):
            out[passage["label"]] = following
    return out


def with_open_list(state: State, passages: Sequence[Passage]) -> set[str]:
    """The labels of the passages that end within a list."""
    return {one["label"] for one in passages if _metadata(state, one["id"]).get("list_goes_on")}


def place_of(state: State, passage: Passage) -> tuple[str, int, str]:
    """Where the passage stands: its document's id, its position there, counted in chunks, and its heading."""
    metadata = _metadata(state, passage["id"])
    return str(metadata.get("document_id")), int(metadata.get("position") or 0), heading_of(passage)


def _referred(state: State) -> set[str]:
    return {hit["id"] for ranked in state["lists"] if ranked["kind"] == "reference" for hit in ranked["hits"]}


#: Words of titles that say nothing of the matter.
_OF_DOCUMENTS = frozenset(
    tokenize(
        "policy policies rules guide manual handbook regulations terms conditions leaflet information faq list", "en"
    )
)


def _of_one_category(context: Sequence[Passage], asked: Sequence[str], language: str) -> list[Passage]:
    """Without other categories' rules on the same matter: of the categories beside ``general``, the best ranked one stays, those
    whose title the question names, and those whose title shares no word with a title that stays: Clothing Returns go beside
    Electronics Returns, and a clinic's sedation stays beside its deposits.
    """
    first = next((passage["category"] for passage in context if passage["category"] != GENERAL_CATEGORY), None)
    titles = {passage["id"]: set(tokenize(passage["title"], language)) - _OF_DOCUMENTS for passage in context}
    staying = [passage for passage in context if passage["category"] in (GENERAL_CATEGORY, first)]
    of_first = {token for passage in staying if passage["category"] == first for token in titles[passage["id"]]}
    matters = {token for passage in staying for token in titles[passage["id"]]}
    return [
        passage
        for passage in context
        if passage in staying or (titles[passage["id"]] - of_first) & set(asked) or not titles[passage["id"]] & matters
    ]
