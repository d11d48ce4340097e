"""The answer without a chat model: the passages' own sentences that best answer the question, each with its label.

A sentence earns its place by what it says of the question: its meaning (cosine), the question's rare words that it or its
heading holds, and whether it states a quantity where the question turns on one. Sentences are picked one at a time; what was
already said counts no more, so an answer covers each rule that the question touches instead of repeating one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from knowledge.asked_words import asking_tokens
from knowledge.sentences import split_sentences
from knowledge.tokens import tokenize
from nodes.asked_articles import asked_articles, beginnings
from nodes.asked_entries import asked_entries, quotable, with_defaults
from nodes.asked_rows import names_unknown, other_rows
from nodes.citing import shown_heading
from nodes.entries import item_text
from nodes.leaning import RESTRICTS, List, asked_lists, leaned_on, with_cuts_marked, with_whole_entries
from nodes.noise import without_contents
from nodes.passage_sentences import Sentence as Sentence
from nodes.passage_sentences import sentences_of
from nodes.picking import ENOUGH as ENOUGH
from nodes.picking import MAX_PER_PASSAGE as MAX_PER_PASSAGE
from nodes.picking import MAX_SENTENCES as MAX_SENTENCES
from nodes.picking import picked, without_copies
from nodes.quoted_passages import defined_by, following, only_mentioning, with_open_list
from nodes.quoted_passages import relevant as relevant
from nodes.quoting import heading_of
from nodes.state import Passage, State
from nodes.stated_quantities import asks_quantity_in, quantity_in
from nodes.support import EmbedSentences
from nodes.whole_lists import opposed, with_whole_lists

_COSINE, _WORDS, _QUANTITY, _RANK, _RESTRICTION = 1.5, 0.7, 0.3, 0.05, 0.12

#: "Can I …?" is decided by what a rule forbids as much as by what it allows.
_ASKS_LEAVE = re.compile(
    r"(?:^|[.?!,;]\s+)(?:can|may|could|is|are|does|do|will|would|must|should|am)\b|\b(?:може|мога|можем|трябва)\b",
    re.IGNORECASE,
)
#: What a title or an article's name is worth as a sentence.
_NAME_ALONE = -0.6
#: What a table's row is worth less where others are named.
_OTHER_ROW = 1.0
#: What a sentence is worth less under a heading of the opposite sense.
_OPPOSED = 1.0
#: What an item is worth more under a heading that the question asks for.
_LISTED = 0.4
_ENDED = re.compile(r"[.!?…:。！？][\"'”’»)\]*_`]*$")
_LABEL_LIKE = re.compile(r"(?:[\[【]\s*[Ss]?|\(\s*[Ss])\d+(?:\s*,\s*[Ss]?\d+)*\s*[\])】]")

Vector = NDArray[np.float32]


async def extract(state: State, *, embed: EmbedSentences) -> str:
    """The extractive answer over ``state["context"]``, or an empty text when no sentence has anything to say."""
    return compose((await chosen_for(state, embed=embed)).chosen, state["context"])


@dataclass(frozen=True, slots=True)
class Choice:
    """The sentences of an extractive answer, and what they were chosen from.

    Attributes:
        chosen: in the order picked, with what they lean on.
        sentences: that could be quoted.
        worth: of each of these, before any was picked.
        passages: that they come from.
    """

    chosen: Sequence[Sentence]
    sentences: Sequence[Sentence]
    worth: Sequence[float]
    passages: Sequence[Passage]

    @property
    def floor(self) -> float:
        """What a sentence must be worth to be quoted."""
        return ENOUGH * max(self.worth, default=0.0)


async def chosen_for(state: State, *, embed: EmbedSentences) -> Choice:
    """The choice behind ``extract``."""
    question, language = state["standalone_question"], state["language"]
    passages = relevant(state)
    sentences = [
        sentence for rank, passage in enumerate(passages) for sentence in sentences_of(passage, rank, language)
    ]
    defined = {passage["label"]: defined_by(state, passage["id"]) for passage in passages}
    asked = asked_entries(question, state["identifiers"])
    if not asked.paragraphs and (articles := asked_articles(question, state, defined)):
        said = beginnings(articles, sentences)
        return Choice(said, said, [1.0] * len(said), passages)
    sentences, more = quotable(without_contents(sentences, passages), asked, defined, only_mentioning(state, passages))
    if not sentences:
        return Choice((), (), (), passages)
    vectors = np.asarray(await embed([question, *(sentence.meant for sentence in sentences)]), dtype=np.float32)
    asking = asking_tokens(question) if language == "en" else frozenset[str]()
    weights = word_weights(tokenize(question, language), state["term_idf"], asking)
    lists = asked_lists(question, sentences, weights)
    own = vectors[1:]
    worth = _worth(question, sentences, own @ vectors[0], weights, lists) + np.asarray(more)
    worth -= _OPPOSED * np.asarray(opposed(question, sentences))
    unknown = names_unknown(question, state["term_idf"], language)
    worth[list(other_rows(sentences, weights, unknown=unknown))] -= _OTHER_ROW
    follows = following(state, passages)
    chosen = with_whole_lists(question, picked(sentences, worth, own @ own.T, weights), sentences, follows)
    chosen = with_defaults(question, with_whole_entries(chosen, sentences, lists, more), sentences)
    leaned = leaned_on(chosen, sentences, worth.tolist(), defined, weights.keys(), follows)
    order = without_copies(leaned, sentences)
    unfinished = with_open_list(state, passages) - follows.keys()
    return Choice(with_cuts_marked(order, sentences, unfinished), sentences, worth.tolist(), passages)


def word_weights(
    tokens: Sequence[str], term_idf: Mapping[str, float], asking: Set[str] = frozenset()
) -> dict[str, float]:
    """Each question word's share of what the question asks for, by IDF; words that stand nowhere are left out.

    ``asking``: words that only ask; they weigh nothing, unless the question has no others.
    """
    idf = {token: term_idf[token] for token in tokens if token in term_idf}
    if not idf.keys() <= asking:
        idf = {token: 0.0 if token in asking else value for token, value in idf.items()}
    total = sum(idf.values())
    return {token: value / total for token, value in idf.items()} if total else {}


def _worth(
    question: str, sentences: Sequence[Sentence], cosine: Vector, weights: Mapping[str, float], lists: Set[List]
) -> Vector:
    """What each sentence says of the question, beside being the entry that is asked for. ``lists``: see ``asked_lists``."""
    asks_quantity, asks_leave = asks_quantity_in(question), bool(_ASKS_LEAVE.search(question))
    return np.array(
        [
            _COSINE * cosine[at]
            + _WORDS * _covered(sentence, weights)
            + (_QUANTITY if asks_quantity and quantity_in(sentence.text) else 0.0)
            + (_RESTRICTION if asks_leave and RESTRICTS.search(sentence.text) else 0.0)
            + (_NAME_ALONE if sentence.name else 0.0)
            + (_LISTED if (sentence.label, sentence.asked) in lists and sentence.item else 0.0)
            - _RANK * sentence.rank
            for at, sentence in enumerate(sentences)
        ]
    )


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
