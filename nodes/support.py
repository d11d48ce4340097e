"""How well a source supports a claim by meaning and words, and which of its sentences does so best.

Only sentences that state something count as evidence: a question states nothing, and a line that gives orders to a model is no
rule of the organisation.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from knowledge.sentences import split_sentences
from nodes.agreement import disagreement, plain_words
from nodes.strength import overstatement
from nodes.words import content

EmbedSentences = Callable[[Sequence[str]], Awaitable[Sequence[ArrayLike]]]
Vector = NDArray[np.float32]
Weights = Mapping[str, float]

#: The score from which a claim counts as supported. See docs: measured on verbatim, paraphrased and altered sentences.
SUPPORTED = 0.55
#: Sentences whose share of the claim's words is this close to the best one's are all asked whether they say the opposite.
_CLOSE = 0.1
#: A cited passage must reach this share of the best one's worth to stay cited.
_ENOUGH = 0.5

_REPLY = r"(?:response|answer|reply|output|message|summary|solution|code|implementation|explanation|elucidation)s?"
_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,60}\b(?:instructions?|previous|above|prior|prompts?|rules|everything|"
    r"directives?|following)\b|"
    r"\b(?:system|developer|hidden|initial) (?:prompt|message|mode)\b|\byou are (?:now|no longer)\b|"
    r"\bas an? (?:ai|language model|assistant)\b|"
    rf"\b(?:in|to|of|into|from|with|throughout|within) your (?:\w+ )?{_REPLY}\b|"
    r"\byour (?:\w+ )?(?:response|answer|reply|output)s?\b|"
    r"\b(?:respond|reply|answer) (?:only |just )?(?:with|by|in|using|as)\b|"
    r"\b(?:print|output|say|repeat|write|type)\b (?:only |just |exactly )?[\"'“‘]|"
    r"\b(?:from now on|pretend (?:to be|that)|act as|role-?play|jailbreak|do anything now)\b|"
    r"\bcode (?:block|snippet|excerpt|segment)s?\b.{0,80}\b(?:your?|implementation|algorithm)\b|"
    r"\byour?\b.{0,80}\bcode (?:block|snippet|excerpt|segment)s?\b|"
    r"\{[A-Z_]{3,}\}|"
    r"\bdo not (?:mention|reveal|tell the user)\b|\btell the user\b|\btell the (?:customer|reader) ?[:\"“]|"
    r"\b(?:игнорирай|пренебрегни|забрави)\b.{0,60}\b(?:инструкции|указания|правила|предишни)\b",
    re.IGNORECASE | re.DOTALL,
)


_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A sentence of a source, by the source's number and its span there. ``words``: stems, its heading's too."""

    source: int
    start: int
    end: int
    text: str
    plain: frozenset[str]
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class Support:
    """``score`` from 0 to 1, what the evidence says otherwise (or ``None``), and each source's best sentence by place."""

    score: float
    disagreement: str | None
    best: dict[int, int]


def gives_orders(sentence: str) -> bool:
    """Whether a sentence of a document speaks to a model instead of stating something."""
    return bool(_ORDER.search(sentence))


@lru_cache(maxsize=1 << 11)
def _stated(text: str) -> tuple[tuple[int, int], ...]:
    """The spans of a text's sentences that state something."""
    spans = []
    ordered, before = False, 0
    for start, end in split_sentences(text):
        sentence = text[start:end]
        in_code = len(_FENCE.findall(text, 0, start)) % 2 == 1
        if _PARAGRAPH.search(text, before, start) and not in_code and not _FENCE.match(sentence):
            ordered = False
        before = end
        ordered = ordered or gives_orders(sentence)
        if not ordered and not sentence.rstrip(" \"'”’)*_").endswith("?"):
            spans.append((start, end))
    return tuple(spans)


def evidence_of(texts: Sequence[str], headings: Sequence[str] = ()) -> list[Evidence]:
    """The sentences of the sources that state something. What follows an order in its paragraph belongs to it, code included."""
    found = []
    for number, text in enumerate(texts):
        above = content(headings[number]) if number < len(headings) else frozenset[str]()
        for start, end in _stated(text):
            sentence = text[start:end]
            found.append(Evidence(number, start, end, sentence, plain_words(sentence), content(sentence) | above))
    return found


def support(
    claim: str, claim_vector: Vector, evidence: Sequence[Evidence], vectors: Vector, weights: Weights
) -> Support:
    """The claim's support by evidence whose unit vectors are the rows of ``vectors``; 0 where there is none.

    Half is the cosine of the best sentence, half the weighted share of the claim's words that it holds, with one other sentence
    beside it (a claim may join two); less what the claim says beyond its source.
    """
    if not evidence:
        return Support(0.0, None, {})
    wanted = content(claim)
    cosine = vectors @ claim_vector
    covered = np.array([_share(wanted, item.words, weights) for item in evidence])
    worth = cosine + covered
    best = int(worth.argmax())
    words = max(_share(wanted, evidence[best].words | item.words, weights) for item in evidence)
    beyond = overstatement(claim, " ".join(item.text for item in evidence))
    score = float(np.clip(0.5 * cosine[best] + 0.5 * words - beyond, 0.0, 1.0))
    plain = plain_words(claim)
    own = [_share(plain, item.plain, {}) for item in evidence]
    close = [item.text for item, share in zip(evidence, own, strict=True) if share >= max(own) - _CLOSE]
    return Support(score, disagreement(claim, close), _best_by_source(evidence, worth))


def word_weights(texts: Iterable[str]) -> dict[str, float]:
    """IDF of the stems over the texts, ln(1 + (N-n+0.5)/(n+0.5)) as in BM25: what all of them say tells nothing of one."""
    held = [content(text) for text in texts]
    counts = Counter(word for words in held for word in words)
    return {word: math.log(1 + (len(held) - n + 0.5) / (n + 0.5)) for word, n in counts.items()}


def _best_by_source(evidence: Sequence[Evidence], worth: Vector) -> dict[int, int]:
    """Each source's best sentence, without the sources whose best is worth too little beside the best of all."""
    best: dict[int, int] = {}
    for at, item in enumerate(evidence):
        if item.source not in best or worth[at] > worth[best[item.source]]:
            best[item.source] = at
    least = _ENOUGH * float(worth.max())
    return {source: at for source, at in best.items() if worth[at] >= least}


def _share(wanted: Set[str], held: Set[str], weights: Weights) -> float:
    """The weighted share of the wanted words that are held. A word that no source has weighs as much as the rarest."""
    if not wanted:
        return 0.0
    rarest = max(weights.values(), default=1.0)
    total = sum(weights.get(word, rarest) for word in wanted)
    return sum(weights.get(word, rarest) for word in wanted & held) / total if total else 0.0
