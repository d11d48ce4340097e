"""Which sentences say nothing more to a question than those already picked: a word in common is not enough."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from knowledge.identifiers import HEADING_SEPARATOR
from nodes.passage_sentences import Sentence
from nodes.state import Passage

#: From this share of what could be said of the question's words on, another section must say one more of them.
_COVERED = 0.5
#: A word that weighs less tells no section from another.
_LEAST = 0.05
#: What is worth so much of the best sentence stands beside it all the same: in its document, and from another one.
_AS_GOOD, _AS_GOOD_ELSEWHERE = 0.95, 0.75
#: What restricts where nothing picked does may decide, in whatever section.
_RESTRICTS = re.compile(
    r"\b(?:not|cannot|never|no|only|unless|except|without|не|няма|само|освен|без)\b|n['’]t\b", re.IGNORECASE
)
#: Two sentences of such a likeness say the same of two subjects.
_NEARLY_EQUAL = 0.7

_LINK_IN_PAGE = re.compile(r"\[([^\]]+)\]\(#[^)]*\)")
_NUMBER_WORDS = {
    str(value): (word,)
    for value, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())  # noqa: SIM905
}
_WORD = re.compile(r"[^\W_]+")

Vector = NDArray[np.float32]


class Asked(NamedTuple):
    """The question's words: what each weighs, 1 in all, and how much of them any of the sentences holds."""

    weights: Mapping[str, float]
    reachable: float

    @classmethod
    def of(cls, weights: Mapping[str, float], sentences: Sequence[Sentence]) -> Asked:
        """Of these weights over these sentences."""
        held = frozenset[str]().union(*(one.tokens | one.heading for one in sentences)) if sentences else frozenset()
        return cls(weights, sum(weight for word, weight in weights.items() if word in held))


def noisy(
    asked: Asked, sentences: Sequence[Sentence], base: Vector, likeness: Vector, chosen: Sequence[int]
) -> list[int]:
    """The numbers of the sentences that need not stand beside the chosen ones."""
    if not chosen or not asked.weights:
        return []
    said = frozenset[str]().union(*(sentences[at].tokens | sentences[at].heading for at in chosen))
    words = {word for word, weight in asked.weights.items() if weight >= _LEAST}
    covered = sum(weight for word, weight in asked.weights.items() if word in said) >= _COVERED * asked.reachable
    sections = {(sentences[at].source, sentences[at].section) for at in chosen}
    sources = {sentences[at].source for at in chosen}
    best = float(base.max())
    restricted = any(_RESTRICTS.search(sentences[at].text) for at in chosen)
    # What stands below a picked section goes into its matter; below the title alone stands everything.
    above = tuple(
        f"{sentences[at].path}{HEADING_SEPARATOR}" for at in chosen if HEADING_SEPARATOR in sentences[at].path
    )
    out = []
    for at, one in enumerate(sentences):
        if (one.source, one.section) in sections or _numbered(one.tokens | one.heading) & words - said:
            continue
        if one.source in sources and one.path.startswith(above):
            continue
        elsewhere = one.source not in sources or (not restricted and _RESTRICTS.search(one.text))
        as_good = base[at] >= (_AS_GOOD_ELSEWHERE if elsewhere else _AS_GOOD) * best
        if (covered and not as_good) or _of_another_subject(one, at, sentences, words, likeness, chosen):
            out.append(at)
    return out


def _numbered(tokens: frozenset[str]) -> frozenset[str]:
    """The tokens, and the words for those that are small numbers."""
    return tokens | {word for token in tokens for word in _NUMBER_WORDS.get(token, ())}


def _of_another_subject(
    one: Sentence,
    at: int,
    sentences: Sequence[Sentence],
    words: set[str],
    likeness: Vector,
    chosen: Sequence[int],
) -> bool:
    """Whether it says nearly what a chosen one of its document says under a heading that the question names."""
    own = (one.tokens | one.heading) & words
    return any(
        sentences[other].source == one.source
        and likeness[at, other] >= _NEARLY_EQUAL
        and bool((sentences[other].heading & words) - own)
        and own < (sentences[other].tokens | sentences[other].heading) & words
        for other in chosen
    )


def without_contents(sentences: Sequence[Sentence], passages: Sequence[Passage]) -> list[Sentence]:
    """The sentences without the lines of a table of contents that lead to a section which is itself at hand."""
    sections = {_words(part) for one in passages for part in one["section"].split(HEADING_SEPARATOR)}
    kept = [
        one for one in sentences if not any(_words(link) in sections for link in _LINK_IN_PAGE.findall(_entry(one)))
    ]
    return kept or list(sentences)


def _entry(one: Sentence) -> str:
    return one.opener if (one.row or one.item) and "](#" in one.opener else ""


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.casefold()))
