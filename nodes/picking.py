"""Which sentences an answer is quoted from, one picked after the other: what was already said counts no more."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from nodes.apart import are_apart
from nodes.entries import is_bare
from nodes.noise import Asked, noisy
from nodes.passage_sentences import Sentence, answers_one

MAX_SENTENCES = 5
MAX_PER_PASSAGE = 3
#: A sentence must reach this share of the best one's worth to stand beside it.
ENOUGH = 0.62
#: And this one, where it answers one question alone: "No.", "Yes, but tell us first."
_BARE_ENOUGH = 0.9
#: What a sentence is worth less for each unit of likeness over a half to one that was picked.
_REPEATED = 0.55

Vector = NDArray[np.float32]


def picked(
    sentences: Sequence[Sentence], base: Vector, likeness: Vector, weights: Mapping[str, float] = MappingProxyType({})
) -> list[int]:
    """The numbers of the sentences picked, in that order: at most five, at most three a passage, none that repeats another.

    ``weights``: of the question's words, 1 in all; another section must say one that was not said (``noisy``).
    """
    chosen: list[int] = []
    asked = Asked.of(weights, sentences)
    names_alone = all(one.name for one in sentences)
    floor = ENOUGH * float(base.max())
    least = np.array([_BARE_ENOUGH * float(base.max()) if answers_one(one) else floor for one in sentences])
    while len(chosen) < MAX_SENTENCES:
        worth = base.copy()
        if chosen:
            worth -= _REPEATED * _repeated(sentences, likeness, chosen)
        taken = Counter(sentences[at].label for at in chosen)
        said = {sentences[at].meant for at in chosen}  # perhaps by another document's copy of the rule
        copies = {sentences[at].copy for at in chosen if not answers_one(sentences[at])}
        for at, sentence in enumerate(sentences):
            repeated = sentence.meant in said or sentence.copy in copies or taken[sentence.label] >= MAX_PER_PASSAGE
            named = sentence.name and not names_alone
            if sentence.leans or repeated or named or base[at] < least[at]:
                worth[at] = -np.inf
        worth[noisy(asked, sentences, base, likeness, chosen)] = -np.inf
        best = int(worth.argmax())
        if worth[best] < floor or worth[best] == -np.inf:
            break
        chosen.append(best)
    return chosen


def with_copies(chosen: Sequence[int], sentences: Sequence[Sentence]) -> list[int]:
    """The chosen, and behind them what other chunks of their section hold of them: what takes it back may stand there."""
    at_copy: defaultdict[tuple[str, str, str], list[int]] = defaultdict(list)
    for at, sentence in enumerate(sentences):
        at_copy[sentence.copy].append(at)
    own = [at for at in chosen if not answers_one(sentences[at])]
    copies = [
        other for at in own for other in at_copy[sentences[at].copy] if sentences[other].label != sentences[at].label
    ]
    return list(dict.fromkeys([*chosen, *copies]))


def without_copies(order: Sequence[int], sentences: Sequence[Sentence]) -> list[int]:
    """The sentences in this order, each that two chunks of a section hold only once, unless a quoted list hangs on it."""
    leads = {(sentences[at].label, sentences[at].lead) for at in order}
    out: list[int] = []
    said: dict[tuple[str, str, str], str] = {}
    for at in order:
        one = sentences[at]
        leading = (one.label, one.place) in leads and one.place >= 0
        if answers_one(one) or leading or said.setdefault(one.copy, one.label) == one.label:
            out.append(at)
    return out


def _repeated(sentences: Sequence[Sentence], likeness: Vector, chosen: Sequence[int]) -> Vector:
    """How far each sentence repeats a chosen one: by its meaning, unless it is a parallel case with numbers of its own."""
    over = np.clip(likeness[:, chosen] - 0.5, 0.0, None)
    for at, nth in np.argwhere(over > 0.0):
        one, other = sentences[at], sentences[chosen[nth]]
        # Rows and short items differ in a number by nature; those that the question names are worth most by their words.
        if not _is_entry(one) and not _is_entry(other) and are_apart(one.text, other.text):
            over[at, nth] = 0.0
    worst: Vector = over.max(axis=1)
    return worst


def _is_entry(one: Sentence) -> bool:
    return one.row or (one.item and is_bare(one.text))
