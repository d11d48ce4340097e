"""What a section says: a question that asks for an article by its number and for nothing else is answered by its text.

"What does section 13 of the GPL say?" shares no word with section 13; what another section says of it would be quoted instead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set

from knowledge.asked_words import asked_words
from knowledge.identifiers import scan_identifiers
from knowledge.labels import KINDS
from knowledge.tokens import tokenize
from nodes.passage_sentences import Sentence
from nodes.quoting import heading_of
from nodes.state import Passage, State

#: Sentences of the article that are quoted, from its beginning.
MOST = 6
#: Words that ask for a text's content, beside those that ``asked_words`` leaves out.
_SAYING = frozenset(
    re.findall(
        r"\w+",
        """
    allow allows allowed permit permits provide provides regulate regulates govern governs contain contains state states
    stipulate stipulates prescribe prescribes deal deals read reads content contents describe describes quote summary summarise
    summarize wording entail entails forbid forbids prohibit prohibits section article clause rule paragraph regulation
        """,
    )
)


def asked_article(
    question: str, state: State, passages: Sequence[Passage], defined: Mapping[str, Set[str]]
) -> list[str]:
    """The labels of the passages that are the article asked for, in its order; none where anything else is asked.

    Args:
        defined: by label, the identifiers that a passage is about.
    """
    names = [name for name in state["identifiers"] if name.partition("-")[0] in KINDS]
    if state["language"] != "en" or not names or len(scan_identifiers(question)) > 1:
        return []
    # The surest reading that a passage has: of the act that was named, where one is.
    surest = next((name for name in names if any(name in held for held in defined.values())), None)
    found = [passage for passage in passages if surest in defined[passage["label"]]]
    if not found or not _asks_for_it(question, found, surest or ""):
        return []
    place = {one["label"]: int(str(_metadata(state, one["id"]).get("position") or 0)) for one in found}
    return sorted(place, key=lambda label: place[label])


def beginning(labels: Sequence[str], sentences: Sequence[Sentence]) -> list[Sentence]:
    """The first sentences of these passages."""
    said = [one for label in labels for one in sentences if one.label == label and not one.name]
    return said[:MOST]


def _asks_for_it(question: str, found: Sequence[Passage], name: str) -> bool:
    """Whether the question holds nothing but the article, its act, and words of asking."""
    titles = {token for one in found for part in (one["title"], heading_of(one)) for token in tokenize(part, "en")}
    act = name.partition("@")[2]
    return all(
        word.casefold() in _SAYING or word.casefold() == act or titles.issuperset(tokenize(word, "en"))
        for word, _ in asked_words(question)
    )


def _metadata(state: State, chunk_id: str) -> Mapping[str, object]:
    return (state["candidates"].get(chunk_id) or state["parents"][chunk_id]).metadata
