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
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from knowledge.identifiers import HEADING_SEPARATOR
from knowledge.sentences import split_sentences
from nodes.acts import told_in_other_words
from nodes.agreement import disagreement, plain_words, recounted
from nodes.conditions import dropped_condition
from nodes.entries import is_bare, item_text, places
from nodes.exceptions import without_borne_only
from nodes.facts import facts_of
from nodes.moods import mood_conflict
from nodes.multiples import as_read
from nodes.numerals import UNITS
from nodes.parallels import crossed
from nodes.polarity import as_free, denials, held_by_prefix, neutral
from nodes.statements import parts
from nodes.strength import overstatement
from nodes.words import content, words

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


#: What ends a lead-in.
_AT_END = " \t\n:*_"
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A sentence of a source, by the source's number and its span there. ``words``: stems, its heading's too.

    The ``text`` of a list's item begins with the list's lead-in, whose span is ``lead``, or where it has none and says nothing by
    itself, with its section's heading: an item alone may say the opposite.
    """

    source: int
    start: int
    end: int
    text: str
    plain: frozenset[str]
    words: frozenset[str]
    lead: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Support:
    """``score`` from 0 to 1, what the evidence says otherwise (or ``None``), each source's best sentence by place, and what the
    claim leaves out (or ``None``).
    """

    score: float
    disagreement: str | None
    best: dict[int, int]
    incomplete: str | None = None


def gives_orders(sentence: str) -> bool:
    """Whether a sentence of a document speaks to a model instead of stating something."""
    return bool(_ORDER.search(sentence))


class Stated(NamedTuple):
    """A sentence's span, what it states, the span of its lead-in, and whether it is an item that says nothing by itself."""

    start: int
    end: int
    text: str
    lead: tuple[int, int] | None
    bare: bool


@lru_cache(maxsize=1 << 11)
def _stated(text: str) -> tuple[Stated, ...]:
    """A text's sentences that state something."""
    spans, known = split_sentences(text), places(text)
    stated: dict[int, Stated] = {}
    ordered, before = False, 0
    fences, passed = [found.end() for found in _FENCE.finditer(text)], 0
    for at, (start, end) in enumerate(spans):
        sentence = text[start:end]
        while passed < len(fences) and fences[passed] <= start:
            passed += 1
        in_code = passed % 2 == 1
        if _PARAGRAPH.search(text, before, start) and not in_code and not _FENCE.match(sentence):
            ordered = False
        before = end
        ordered = ordered or gives_orders(sentence)
        if not ordered and not sentence.rstrip(" \"'”’)*_").endswith("?"):
            place = known[at]
            lead = None if place.lead is None or place.row else stated.get(place.lead)
            said = sentence if lead is None else f"{lead.text.rstrip(_AT_END)} {item_text(sentence)}"
            bare = place.item and place.lead is None and is_bare(sentence)
            stated[at] = Stated(start, end, said, (lead.start, lead.end) if lead else None, bare)
    return tuple(stated.values())


def evidence_of(texts: Sequence[str], headings: Sequence[str] = ()) -> list[Evidence]:
    """The sentences of the sources that state something. What follows an order in its paragraph belongs to it, code included."""
    found = []
    for number, text in enumerate(texts):
        above = content(headings[number]) if number < len(headings) else frozenset[str]()
        section = headings[number].rsplit(HEADING_SEPARATOR, 1)[-1] if above else ""
        for start, end, said, lead, bare in _stated(text):
            if bare and section:
                said = f"{section}: {item_text(said)}"
            found.append(Evidence(number, start, end, said, plain_words(said), content(said) | above, lead))
    return found


def support(
    claim: str,
    claim_vector: Vector,
    evidence: Sequence[Evidence],
    vectors: Vector,
    weights: Weights,
    around: frozenset[str] = frozenset(),
) -> Support:
    """The claim's support by evidence whose unit vectors are the rows of ``vectors``; 0 where there is none.

    Half is the cosine of the best sentence, half the weighted share of the claim's words that it holds, with one other sentence
    beside it (a claim may join two); less what the claim says beyond its source. ``around``: the stems of what is said around it.
    """
    if not evidence:
        return Support(0.0, None, {})
    wanted = content(claim)
    held = [_held_words(claim, item) | told_in_other_words(claim, item.text) for item in evidence]
    if denials(neutral(claim)) % 2:
        held = [stems | held_by_prefix(claim, item.text) for stems, item in zip(held, evidence, strict=True)]
    cosine = vectors @ claim_vector
    share = _shares(wanted, weights)
    covered = np.array([share(stems) for stems in held])
    worth = cosine + covered
    best = int(worth.argmax())
    shared = max(share(held[best] | stems) for stems in held)
    closest = _closest(claim, evidence)
    told_of = [item.text for item in evidence]
    told = without_borne_only(as_free(claim), told_of)
    stated = parts(told)
    beyond = overstatement(told, " ".join(told_of), " ".join((*closest, evidence[best].text)))
    score = float(np.clip(0.5 * cosine[best] + 0.5 * shared - beyond, 0.0, 1.0))
    problems = (disagreement(part, closest if part == claim else _closest(part, evidence)) for part in stated)
    opposite = next((problem for problem in problems if problem), None) or recounted(claim, closest)
    return Support(
        score,
        opposite
        or next(filter(None, (mood_conflict(part, told_of) for part in stated)), None)
        or (crossed(claim, told_of) if len({item.source for item in evidence}) == 1 else None),
        _best_by_source(evidence, worth),
        _dropped(claim, closest, around),
    )


def _held_words(claim: str, item: Evidence) -> frozenset[str]:
    """The stems that a sentence holds, with the claim's spelling of its quantities: 1,800 ml of 1.8 litres."""
    held = {quantity.measure for quantity in facts_of(item.text).quantities}
    counted = [quantity for quantity in facts_of(claim).quantities if quantity.unit and quantity.measure in held]
    if not counted:
        return item.words
    read = as_read(claim)
    # The number and its unit: a unit before the number is no part of the quantity's span.
    spans = [read[quantity.start : quantity.end + len(quantity.unit) + 6] for quantity in counted]
    return item.words.union(
        *({word.stem for word in words(span) if word.text in UNITS or word.text[0].isdigit()} for span in spans),
        *({word.stem for word in words(quantity.text)} for quantity in counted),
    )


def _closest(claim: str, evidence: Sequence[Evidence]) -> list[str]:
    """The sentences that hold about as many of the claim's words as the best one."""
    share = _shares(plain_words(claim), {})
    own = [share(item.plain) for item in evidence]
    least = max(own) - _CLOSE
    return [item.text for item, held in zip(evidence, own, strict=True) if held >= least]


def _dropped(claim: str, sentences: Sequence[str], around: frozenset[str]) -> str | None:
    """The condition that the claim drops of every sentence that it may be told from, or ``None``."""
    found = [dropped_condition(claim, sentence, around) for sentence in sentences]
    comparable = [problem for problem in found if problem is not None]
    return comparable[0] or None if comparable and all(comparable) else None


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


def _shares(wanted: Set[str], weights: Weights) -> Callable[[Set[str]], float]:
    """The weighted share of the wanted words that some words hold. A word that no source has weighs as much as the rarest."""
    rarest = max(weights.values(), default=1.0)
    own = {word: weights.get(word, rarest) for word in wanted}
    total = sum(own.values())
    return lambda held: sum(own[word] for word in wanted & held) / total if total else 0.0
