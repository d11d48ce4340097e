"""The answer without a chat model: the passages' own sentences that best answer the question, each with its label.

A sentence earns its place by what it says of the question: its meaning (cosine), the question's rare words that it or its
heading holds, and whether it states a quantity where the question turns on one. Sentences are picked one at a time; what was
already said counts no more, so an answer covers each rule that the question touches instead of repeating one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from knowledge.scope import GENERAL_CATEGORY
from knowledge.sentences import split_sentences
from knowledge.tokens import tokenize
from nodes.citing import shown_heading
from nodes.state import Passage, State
from nodes.support import EmbedSentences
from nodes.tables import is_header, row_at

MAX_SENTENCES = 5
MAX_PER_PASSAGE = 3
#: A sentence must reach this share of the best one's worth to stand beside it.
ENOUGH = 0.62

_COSINE, _WORDS, _QUANTITY, _RANK, _RESTRICTION = 1.5, 0.7, 0.3, 0.05, 0.12
_REPEATED = 0.55

_HAS_QUANTITY = re.compile(r"\d")
_ASKS_QUANTITY = re.compile(
    r"\d|\bhow (?:long|many|much|late|soon|old|far|big|often)\b|\bwhen\b|\bdeadline|\b(?:колко|кога|срок)",
    re.IGNORECASE,
)
#: "Can I …?" is decided by what a rule forbids as much as by what it allows.
_ASKS_LEAVE = re.compile(
    r"(?:^|[.?!,;]\s+)(?:can|may|could|is|are|does|do|will|would|must|should|am)\b|\b(?:може|мога|можем|трябва)\b",
    re.IGNORECASE,
)
_RESTRICTS = re.compile(
    r"\b(?:not|cannot|never|no|only|unless|except|without|не|няма|само|освен|без)\b|n['’]t\b", re.IGNORECASE
)
#: A sentence that speaks of "selected cities" leans on the one that names them.
_ANNOUNCES = re.compile(r"\b(?:selected|listed|following|certain|specified)\b", re.IGNORECASE)
_BULLET = re.compile(r"^\s*[-*•‣▪◦–—]\s+")
_ENDED = re.compile(r"[.!?…:;,。！？][\"'”’»)\]*_`]*$")
_LABEL_LIKE = re.compile(r"(?:[\[【]\s*[Ss]?|\(\s*[Ss])\d+(?:\s*,\s*[Ss]?\d+)*\s*[\])】]")

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A passage's sentence, ``start`` its offset there. ``tokens`` are its own, ``heading`` those of its heading path."""

    label: str
    rank: int
    start: int
    text: str
    tokens: frozenset[str]
    heading: frozenset[str]


async def extract(state: State, *, embed: EmbedSentences) -> str:
    """The extractive answer over ``state["context"]``, or an empty text when no sentence has anything to say."""
    question, language = state["standalone_question"], state["language"]
    sentences = [
        sentence for rank, passage in enumerate(relevant(state)) for sentence in sentences_of(passage, rank, language)
    ]
    if not sentences:
        return ""
    vectors = np.asarray(await embed([question, *(sentence.text for sentence in sentences)]), dtype=np.float32)
    weights = word_weights(tokenize(question, language), state["term_idf"])
    chosen = choose(question, sentences, vectors[0], vectors[1:], weights)
    return compose(chosen, state["context"])


def relevant(state: State) -> list[Passage]:
    """The passages to quote from. Where some hold the identifier asked for, those about another one (BX-900 beside AX-204) are
    left out, unless a passage sent the reader there.
    """
    asked = set(state["identifiers"])
    documents = {**state["candidates"], **state["parents"]}
    context = _of_one_category(
        state["context"], tokenize(state["standalone_question"], state["language"]), state["language"]
    )
    defined = {
        # Names with "#" are anchors of links, which every passage has.
        passage["id"]: {name for name in documents[passage["id"]].metadata.get("defines", ()) if "#" not in name}
        for passage in context
    }
    if not any(asked & names for names in defined.values()):
        return context
    referred = {hit["id"] for ranked in state["lists"] if ranked["kind"] == "reference" for hit in ranked["hits"]}
    return [
        passage
        for passage in context
        if not defined[passage["id"]] or asked & defined[passage["id"]] or passage["id"] in referred
    ]


def _of_one_category(context: Sequence[Passage], asked: Sequence[str], language: str) -> list[Passage]:
    """Without other categories' rules: of the categories beside ``general``, the best ranked one stays, and those whose title the
    question names.
    """
    first = next((passage["category"] for passage in context if passage["category"] != GENERAL_CATEGORY), None)
    titles = {passage["id"]: set(tokenize(passage["title"], language)) for passage in context}
    of_first = {token for passage in context if passage["category"] == first for token in titles[passage["id"]]}
    return [
        passage
        for passage in context
        if passage["category"] in (GENERAL_CATEGORY, first) or (titles[passage["id"]] - of_first) & set(asked)
    ]


def sentences_of(passage: Passage, rank: int, language: str) -> list[Sentence]:
    """The passage's sentences that say something: a bare number or label is none, nor is a table's header by itself.

    A row's text is its cells named by the header, since nobody can read a row alone.
    """
    heading = frozenset(tokenize(_heading(passage), language))
    return [
        Sentence(passage["label"], rank, start, text, tokens, heading)
        for start, text, tokens in _statements(passage["text"], language)
    ]


@lru_cache(maxsize=1 << 10)
def _statements(body: str, language: str) -> tuple[tuple[int, str, frozenset[str]], ...]:
    """A passage's sentences as ``(offset, text, tokens)``. The same passages come again and again."""
    out = []
    for start, end in split_sentences(body):
        if is_header(body, start, end):
            continue
        row = row_at(body, start, end)
        text = row.labelled if row else " ".join(_BULLET.sub("", body[start:end]).split())
        tokens = frozenset(tokenize(text, language))
        if len(text) >= 12 and tokens:
            out.append((start, text, tokens))
    return tuple(out)


def word_weights(tokens: Sequence[str], term_idf: Mapping[str, float]) -> dict[str, float]:
    """Each question word's share of what the question asks for, by IDF; words that stand nowhere weigh nothing."""
    idf = {token: term_idf[token] for token in tokens if token in term_idf}
    total = sum(idf.values())
    return {token: value / total for token, value in idf.items()} if total else {}


def choose(
    question: str,
    sentences: Sequence[Sentence],
    question_vector: Vector,
    vectors: Vector,
    weights: Mapping[str, float],
) -> list[Sentence]:
    """The sentences of the answer in the order picked, at most five, at most three a passage."""
    asks_quantity, asks_leave = bool(_ASKS_QUANTITY.search(question)), bool(_ASKS_LEAVE.search(question))
    cosine = vectors @ question_vector
    likeness = vectors @ vectors.T
    base = np.array(
        [
            _COSINE * cosine[at]
            + _WORDS * _covered(sentence, weights)
            + (_QUANTITY if asks_quantity and _HAS_QUANTITY.search(sentence.text) else 0.0)
            + (_RESTRICTION if asks_leave and _RESTRICTS.search(sentence.text) else 0.0)
            - _RANK * sentence.rank
            for at, sentence in enumerate(sentences)
        ]
    )
    chosen: list[int] = []
    floor = ENOUGH * float(base.max())
    while len(chosen) < MAX_SENTENCES:
        worth = base.copy()
        if chosen:
            worth -= _REPEATED * np.clip(likeness[:, chosen].max(axis=1) - 0.5, 0.0, None)
        taken = Counter(sentences[at].label for at in chosen)
        said = {sentences[at].text for at in chosen}  # perhaps by another document's copy of the rule
        for at, sentence in enumerate(sentences):
            if sentence.text in said or taken[sentence.label] >= MAX_PER_PASSAGE:
                worth[at] = -np.inf
        best = int(worth.argmax())
        if worth[best] < floor:
            break
        chosen.append(best)
    return [sentences[at] for at in [*chosen, *_leaned_on(chosen, sentences)]]


def _leaned_on(chosen: Sequence[int], sentences: Sequence[Sentence]) -> list[int]:
    """The sentences that say which "selected cities" a chosen one means: of its passage, with its word."""
    out: list[int] = []
    for at in chosen:
        for word in {match.casefold() for match in _ANNOUNCES.findall(sentences[at].text)}:
            out += [
                other
                for other, sentence in enumerate(sentences)
                if other not in chosen
                and other not in out
                and sentence.label == sentences[at].label
                and re.search(rf"\b{word}\b", sentence.text, re.IGNORECASE)
            ]
    return out


def _covered(sentence: Sentence, weights: Mapping[str, float]) -> float:
    """The share of the question's words in the sentence; a heading's word counts half, since it speaks for all its section."""
    own = sum(weight for token, weight in weights.items() if token in sentence.tokens)
    above = sum(weight for token, weight in weights.items() if token in sentence.heading - sentence.tokens)
    return own + 0.5 * above


def compose(chosen: Sequence[Sentence], context: Sequence[Passage]) -> str:
    """One paragraph a heading, in the order of first picks, headed by what its sentences belong to; these in reading order.

    Passages of one heading share its paragraph, so that it is not said twice.
    """
    headings = {passage["label"]: shown_heading(_heading(passage)) for passage in context}
    paragraphs: dict[str, dict[str, list[Sentence]]] = {}
    for sentence in chosen:
        passages = paragraphs.setdefault(headings[sentence.label] or sentence.label, {})
        passages.setdefault(sentence.label, []).append(sentence)
    lines = []
    for passages in paragraphs.values():
        in_order = [one for label in passages for one in sorted(passages[label], key=lambda sentence: sentence.start)]
        quoted = " ".join(map(_cited, in_order))
        heading = headings[in_order[0].label]
        lines.append(f"{heading}: {quoted}" if heading else quoted)
    return "\n".join(lines)


def _cited(sentence: Sentence) -> str:
    """The sentence with its label behind it; a table's row may hold several, and each is cited.

    What ends without a stop (an item, a row) gets one: it would run into the next sentence.
    """
    text = _as_text(sentence.text)
    text = text if _ENDED.search(text) else f"{text}."
    return " ".join(f"{text[start:end]} [{sentence.label}]" for start, end in split_sentences(text))


def _as_text(sentence: str) -> str:
    """A label-like mark in a document is text: it must not read as a citation of ours."""
    return _LABEL_LIKE.sub(lambda match: f"⟦{match[0][1:-1]}⟧", sentence)


def _heading(passage: Passage) -> str:
    title, section = passage["title"], passage["section"]
    if not section or section == title:
        return title
    return section if section.startswith(title) else f"{title} > {section}"
