"""The answer without a chat model: the passages' own sentences that best answer the question, each with its label.

A sentence earns its place by what it says of the question: its meaning (cosine), the question's rare words that it or its
heading holds, and whether it states a quantity where the question turns on one. Sentences are picked one at a time; what was
already said counts no more, so an answer covers each rule that the question touches instead of repeating one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowledge.labels import KINDS
from knowledge.scope import GENERAL_CATEGORY
from knowledge.sentences import split_sentences
from knowledge.tokens import tokenize
from nodes.asked_entries import asked_entries, quotable
from nodes.citing import shown_heading
from nodes.entries import item_text
from nodes.leaning import RESTRICTS, asked_lists, leaned_on, with_cuts_marked, with_whole_entries
from nodes.passage_sentences import Sentence as Sentence
from nodes.passage_sentences import sentences_of
from nodes.quoting import heading_of
from nodes.state import Passage, State
from nodes.support import EmbedSentences

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
#: What a title or an article's name is worth as a sentence.
_NAME_ALONE = -0.6
#: What an item is worth more under a heading that the question asks for.
_LISTED = 0.4
_ENDED = re.compile(r"[.!?…:。！？][\"'”’»)\]*_`]*$")
_LABEL_LIKE = re.compile(r"(?:[\[【]\s*[Ss]?|\(\s*[Ss])\d+(?:\s*,\s*[Ss]?\d+)*\s*[\])】]")

Vector = NDArray[np.float32]


async def extract(state: State, *, embed: EmbedSentences) -> str:
    """The extractive answer over ``state["context"]``, or an empty text when no sentence has anything to say."""
    question, language = state["standalone_question"], state["language"]
    passages = relevant(state)
    sentences = [
        sentence for rank, passage in enumerate(passages) for sentence in sentences_of(passage, rank, language)
    ]
    defined = {passage["label"]: _defined(state, passage["id"]) for passage in passages}
    asked = asked_entries(question, state["identifiers"])
    sentences, more = quotable(sentences, asked, defined, _only_mentioning(state, passages))
    if not sentences:
        return ""
    vectors = np.asarray(await embed([question, *(sentence.meant for sentence in sentences)]), dtype=np.float32)
    weights = word_weights(tokenize(question, language), state["term_idf"])
    chosen = choose(
        question,
        sentences,
        vectors[0],
        vectors[1:],
        weights,
        more=more,
        defined=defined,
        follows=_follows(state, passages),
    )
    return compose(chosen, state["context"])


def relevant(state: State) -> list[Passage]:
    """The passages to quote from. Where some are about the identifier asked for, those about another one that do not name it
    (BX-900 beside AX-204) are left out, unless a passage sent the reader there.
    """
    asked = set(state["identifiers"])
    defined = {passage["id"]: _defined(state, passage["id"]) for passage in state["context"]}
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


def _only_mentioning(state: State, passages: Sequence[Passage]) -> set[str]:
    """The labels of those that are about another identifier than the one asked for, where some are about that one."""
    asked = set(state["identifiers"])
    defined = {passage["label"]: _defined(state, passage["id"]) for passage in passages}
    if not any(asked & names for names in defined.values()):
        return set()
    referred = {passage["label"] for passage in passages if passage["id"] in _referred(state)}
    return {label for label, names in defined.items() if _is_about_another(asked, names)} - referred


def _metadata(state: State, chunk_id: str) -> Mapping[str, Any]:
    found = state["candidates"].get(chunk_id) or state["parents"][chunk_id]
    return found.metadata


def _defined(state: State, chunk_id: str) -> set[str]:
    """What the passage is about. Names with "#" are anchors of links, which every passage has."""
    return {name for name in _metadata(state, chunk_id).get("defines", ()) if "#" not in name}


def _follows(state: State, passages: Sequence[Passage]) -> dict[str, str]:
    """By label, the passage whose chunk comes next in the document under the same heading."""
    places = {_place(state, passage): passage["label"] for passage in passages}
    out = {}
    for passage in passages:
        document, position, heading = _place(state, passage)
        if position and (following := places.get((document, position + 1, heading))):
            out[passage["label"]] = following
    return out


def _place(state: State, passage: Passage) -> tuple[str, int, str]:
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
    *,
    more: Sequence[float],
    defined: Mapping[str, Set[str]],
    follows: Mapping[str, str] = MappingProxyType({}),
) -> list[Sentence]:
    """The sentences of the answer in the order picked, at most five, at most three a passage, and what they lean on.

    ``more``: what each is worth beside what its words tell; ``defined``: by label, what its passage is about; ``follows``: by
    label, the label of the passage that goes on where it ends.
    """
    asks_quantity, asks_leave = bool(_ASKS_QUANTITY.search(question)), bool(_ASKS_LEAVE.search(question))
    lists = asked_lists(question, sentences, weights)
    cosine = vectors @ question_vector
    likeness = vectors @ vectors.T
    base = np.array(
        [
            _COSINE * cosine[at]
            + _WORDS * _covered(sentence, weights)
            + (_QUANTITY if asks_quantity and _HAS_QUANTITY.search(sentence.text) else 0.0)
            + (_RESTRICTION if asks_leave and RESTRICTS.search(sentence.text) else 0.0)
            + (_NAME_ALONE if sentence.name else 0.0)
            + (_LISTED if sentence.label in lists and sentence.item else 0.0)
            + more[at]
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
        said = {sentences[at].meant for at in chosen}  # perhaps by another document's copy of the rule
        for at, sentence in enumerate(sentences):
            if sentence.leans or sentence.meant in said or taken[sentence.label] >= MAX_PER_PASSAGE:
                worth[at] = -np.inf
        best = int(worth.argmax())
        if worth[best] < floor or worth[best] == -np.inf:
            break
        chosen.append(best)
    chosen = with_whole_entries(chosen, sentences, lists, more)
    order = leaned_on(chosen, sentences, base.tolist(), defined, weights.keys(), follows)
    return with_cuts_marked(order, sentences)


def _covered(sentence: Sentence, weights: Mapping[str, float]) -> float:
    """The share of the question's words in the sentence; a heading's word counts half, since it speaks for all its section."""
    own = sum(weight for token, weight in weights.items() if token in sentence.tokens)
    above = sum(weight for token, weight in weights.items() if token in sentence.heading - sentence.tokens)
    return own + 0.5 * above


def compose(chosen: Sequence[Sentence], context: Sequence[Passage]) -> str:
    """One paragraph a heading, in the order of first picks, headed by what its sentences belong to; these in reading order.

    Passages of one heading share its paragraph, so that it is not said twice.
    """
    headings = {passage["label"]: shown_heading(heading_of(passage)) for passage in context}
    paragraphs: dict[str, dict[str, list[Sentence]]] = {}
    for sentence in chosen:
        passages = paragraphs.setdefault(headings[sentence.label] or sentence.label, {})
        passages.setdefault(sentence.label, []).append(sentence)
    lines = []
    for passages in paragraphs.values():
        in_order = [one for label in passages for one in sorted(passages[label], key=lambda sentence: sentence.start)]
        quoted = " ".join(_behind_questions(_as_lists(in_order)))
        heading = headings[in_order[0].label]
        lines.append(f"{heading}: {quoted}" if heading else quoted)
    return "\n".join(lines)


def _behind_questions(sentences: Sequence[Sentence]) -> Iterator[str]:
    """The sentences as they are cited, each question of the document once before what answers it."""
    before = ("", "")
    for sentence in sentences:
        question = sentence.asked if sentence.asked.casefold() != sentence.section.casefold() else ""
        if question and before != (sentence.label, question):
            yield _as_text(question)
        before = sentence.label, question
        yield _cited(sentence)


def _as_lists(sentences: Sequence[Sentence]) -> list[Sentence]:
    """A lead-in and those of its items that stand behind it as one sentence."""
    out: list[Sentence] = []
    lead: Sentence | None = None
    for sentence in sentences:
        item = lead is not None and sentence.label == lead.label and sentence.lead == lead.place and not sentence.row
        if item:
            parts = "; " if out[-1] is not lead else " "
            out[-1] = replace(out[-1], text=f"{out[-1].text}{parts}{item_text(sentence.text)}")
            continue
        out.append(sentence)
        lead = sentence if sentence.text.endswith(":") else None
    return out


def _cited(sentence: Sentence) -> str:
    """The sentence with its label behind it; a table's row may hold several, and each is cited.

    What ends without a stop (an item, a row) gets one: it would run into the next sentence.
    """
    text = _as_text(sentence.text)
    text = text if _ENDED.search(text) else f"{text.rstrip(';,')}."
    return " ".join(f"{text[start:end]} [{sentence.label}]" for start, end in split_sentences(text))


def _as_text(sentence: str) -> str:
    """A label-like mark in a document is text: it must not read as a citation of ours."""
    return _LABEL_LIKE.sub(lambda match: f"⟦{match[0][1:-1]}⟧", sentence)
