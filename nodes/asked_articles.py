"""What a section says: a question that asks for an article by its number and for nothing else is answered by its text.

"What does section 13 of the GPL say?" shares no word with section 13; what another section says of it would be quoted instead.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set

from knowledge.asked_words import asked_words
from knowledge.identifiers import scan_identifiers
from knowledge.tokens import tokenize
from nodes.passage_sentences import Sentence
from nodes.quoted_passages import place_of
from nodes.quoting import heading_of
from nodes.state import Passage, State

#: Sentences that are quoted, from the beginning of each article; of several at least so many each.
MOST, LEAST = 6, 2
#: Words that ask for a text's content, beside those that ``asked_words`` leaves out.
_SAYING = frozenset(
    re.findall(
        r"\w+",
        """
    allow allows allowed permit permits provide provides regulate regulates govern governs contain contains state states
    stipulate stipulates prescribe prescribes deal deals read reads content contents describe describes quote summary summarise
    compare summarize wording entail entails forbid forbids prohibit prohibits section article clause rule paragraph
    regulation
        """,
    )
)


def asked_articles(question: str, state: State, defined: Mapping[str, Set[str]]) -> list[list[str]]:
    """For each article asked for, and each document that has one of its number, the labels of its passages in their order.

    None where one of them is not among the passages, or anything else is asked.

    Args:
        defined: by label, the identifiers that a passage is about.
    """
    asked = scan_identifiers(question)
    if state["language"] != "en" or not asked or any(item.kind != "label" for item in asked):
        return []
    passages = [passage for passage in state["context"] if passage["label"] in defined]
    articles: list[list[Passage]] = []
    for item in asked:
        # The surest reading that a passage has: of the act that was named, where one is.
        surest = next((name for name in item.readings if any(name in held for held in defined.values())), None)
        found = [passage for passage in passages if surest in defined[passage["label"]]]
        if not found or surest not in state["identifiers"]:
            return []
        articles.append(found)
    # "Article III, Section 4" is one passage, where there is one that is both.
    both = [passage for passage in articles[0] if all(passage in others for others in articles[1:])]
    out = [labels for found in ([both] if both else articles) for labels in _by_document(found, state)]
    return out if _asks_for_them(question, out, state) else []


def beginnings(articles: Sequence[Sequence[str]], sentences: Sequence[Sentence]) -> list[Sentence]:
    """The first sentences of each of these articles."""
    most = max(LEAST, MOST // len(articles))
    said = (
        [one for label in labels for one in sentences if one.label == label and not one.name] for labels in articles
    )
    return [one for article in said for one in article[:most]]


def _by_document(found: Sequence[Passage], state: State) -> list[list[str]]:
    places: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for passage in found:
        document, position, _ = place_of(state, passage)
        places[document].append((position, passage["label"]))
    return [[label for _, label in sorted(held)] for held in places.values()]


def _asks_for_them(question: str, articles: Sequence[Sequence[str]], state: State) -> bool:
    """Whether the question holds nothing but the articles, their acts, and words of asking."""
    labels = {label for article in articles for label in article}
    found = [passage for passage in state["context"] if passage["label"] in labels]
    titles = {token for one in found for part in (one["title"], heading_of(one)) for token in tokenize(part, "en")}
    acts = {name.partition("@")[2] for name in state["identifiers"]}
    return all(
        word.casefold() in _SAYING or word.casefold() in acts or titles.issuperset(tokenize(word, "en"))
        for word, _ in asked_words(question)
    )
