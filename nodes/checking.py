"""Checking the sentences of an answer against the passages they cite: labels, hard facts, sign, meaning. No chat model here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from knowledge.vectors import unit_rows
from nodes.additions import SAME, additions, nearest
from nodes.agents import invented_agent
from nodes.citing import Said, sentences_of, without_copied_heading, without_heading
from nodes.elsewhere import Rule, decided_elsewhere, denied_elsewhere, rules_of
from nodes.entries import list_parts, row_parts
from nodes.facts import missing_facts
from nodes.gluing import unglued
from nodes.particles import with_particles_joined, without_unchecked_particle
from nodes.quoting import heading_of
from nodes.stand_ins import StandIn, stand_ins
from nodes.state import Passage, SentenceVerdict
from nodes.support import SUPPORTED, EmbedSentences, Evidence, Vector, Weights, evidence_of, support, word_weights
from nodes.words import content

#: The problem of a sentence whose facts hold and whose meaning or words are too far from what it cites.
_UNSUPPORTED = "is not supported by what it cites"
_LEAD_IN_WORDS = 12
#: What is left of a score where a fact is missing or the source says otherwise.
_FAULTY = 0.1
#: What is left of it where the sentence leaves out what its rule hangs on, or adds to it.
_DOUBTFUL = 0.9


@dataclass(frozen=True, slots=True)
class Checked:
    """A sentence's verdict. ``score`` from 0 to 1; ``quotes``: by label the span of the best supporting sentence."""

    said: Said
    supported: bool
    score: float
    problem: str | None
    quotes: tuple[tuple[str, int, int], ...] = ()

    def verdict(self) -> SentenceVerdict:
        """The public part."""
        return SentenceVerdict(
            text=self.said.text, labels=list(self.said.labels), supported=self.supported, problem=self.problem
        )


@dataclass(frozen=True, slots=True)
class _Frame:
    """What all sentences of an answer are checked within. ``used`` are the passages that some sentence cites, ``rules`` the
    sentences of all passages, ``around`` the stems of what is said around each sentence.
    """

    question: str
    labels_needed: bool
    known: frozenset[str]
    used: Sequence[Passage]
    weights: Weights
    rules: Sequence[Rule]
    around: Sequence[frozenset[str]]


async def check_answer(
    answer: str,
    passages: Sequence[Passage],
    *,
    embed: EmbedSentences,
    question: str = "",
    labels_needed: bool = True,
    weights: Weights | None = None,
) -> list[Checked]:
    """A verdict for each sentence. Without ``labels_needed`` a sentence that cites nothing is checked against all passages.

    ``question``: its numbers may be repeated beside the source's own. ``weights``: of words by rarity; by default over the
    passages. All texts are embedded in one call, and none where every sentence is its passage's own.
    """
    whole = [f"{heading_of(passage)} {passage['text']}" for passage in passages]
    sentences = [
        Said(text, said.labels)
        for said in with_particles_joined(sentences_of(answer))
        if (text := without_copied_heading(_read(said.text, question, whole)))
    ]
    by_label = {passage["label"]: passage for passage in passages}
    cited = [_cited(said, by_label, labels_needed) for said in sentences]
    used = list({passage["label"]: passage for group in cited for passage in group}.values())
    headings = [heading_of(passage) for passage in used]
    evidence = evidence_of([passage["text"] for passage in used], headings)
    bare = [without_heading(said.text, group) for said, group in zip(sentences, cited, strict=True)]
    mine = [_evidence_in(evidence, used, group) for group in cited]
    out = [_quoted(said, text, own, used, bare) for said, text, own in zip(sentences, bare, mine, strict=True)]
    open_ones = [at for at, item in enumerate(out) if item is None]
    if open_ones:
        if weights is None:
            weights = word_weights(whole)
        around = _around(bare, question)
        frame = _Frame(question, labels_needed, frozenset(by_label), used, weights, _rules(passages), around)
        extras = {at: _extras(bare[at], question, mine[at]) for at in open_ones}
        texts = [text for at in open_ones for text in (bare[at], *(item.text for item in mine[at]), *extras[at].texts)]
        distinct = list(dict.fromkeys(texts))
        vectors = dict(zip(distinct, unit_rows(await embed(distinct)), strict=True))
        for at in open_ones:
            beside = _added(extras[at], vectors), _instead(extras[at], vectors)
            out[at] = _checked(at, sentences[at], bare[at], mine[at], vectors, beside, frame)
    return [item for item in out if item is not None and not (_is_lead_in(item) or _is_their_question(item, passages))]


def _read(text: str, question: str, whole: Sequence[str]) -> str:
    return unglued(without_unchecked_particle(text, question), [question, *whole])


def _quoted(
    said: Said, text: str, evidence: Sequence[Evidence], used: Sequence[Passage], answer: Sequence[str]
) -> Checked | None:
    """The verdict on a sentence that is word for word one of the one passage it cites, whole: nothing else need be asked.

    So is a list's lead-in with some of its items, and a table's row that the answer tells in several sentences.
    """
    labels = {used[item.source]["label"] for item in evidence}
    if labels != set(said.labels) or len(labels) != 1:
        return None
    own = text.split()
    same = next((item for item in evidence if item.text.split() == own), None)
    if same:
        return Checked(said, True, 1.0, None, ((said.labels[0], same.start, same.end),))
    body, stated = used[evidence[0].source]["text"], {(item.start, item.end) for item in evidence}
    spans = list_parts(body, text, stated) if ":" in text else None
    spans = spans or (row_parts(body, text, stated, answer) if "|" in body else None)
    return Checked(said, True, 1.0, None, tuple((said.labels[0], *span) for span in spans)) if spans else None


def _checked(
    at: int,
    said: Said,
    text: str,
    evidence: Sequence[Evidence],
    vectors: Mapping[str, Vector],
    beside: tuple[str | None, str | None],
    frame: _Frame,
) -> Checked:
    unknown = [label for label in said.labels if label not in frame.known]
    if unknown:
        return Checked(said, False, 0.0, f"cites {', '.join(unknown)}, which is not among the passages")
    if frame.labels_needed and not said.labels:
        return Checked(said, False, 0.0, "cites no passage")
    rows = np.array([vectors[item.text] for item in evidence], dtype=np.float32)
    found = support(text, vectors[text], evidence, rows, frame.weights, frame.around[at])
    best = [evidence[place] for place in found.best.values()]
    quotes = tuple(
        (frame.used[item.source]["label"], *span)
        for item in best
        for span in ((item.lead,) if item.lead else ()) + ((item.start, item.end),)
    )
    headings = {item.source: heading_of(frame.used[item.source]) for item in evidence}
    missing = missing_facts(text, [*(item.text for item in evidence), *headings.values()], asked=frame.question)
    labels = {frame.used[item.source]["label"] for item in evidence}
    cited = [rule for rule in frame.rules if rule.label in labels]
    context = [*headings.values(), frame.question]
    added, instead = beside
    agent = instead or invented_agent(text, [item.text for item in evidence], context=context)
    elsewhere = None
    if not (missing or found.disagreement or agent):
        elsewhere = decided_elsewhere(text, cited, frame.rules) or denied_elsewhere(
            text, cited, frame.rules, frame.around[at]
        )
    absent = f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not in what it cites" if missing else None
    faulty, doubtful = absent or found.disagreement or agent or elsewhere, added or found.incomplete
    problem = faulty or doubtful or (_UNSUPPORTED if found.score < SUPPORTED else None)
    supporting = [label for label in said.labels if any(label == quote[0] for quote in quotes)]
    if problem is None and supporting:
        said = Said(said.text, supporting)
    score = round(found.score * (_FAULTY if faulty else _DOUBTFUL if doubtful else 1.0), 4)
    return Checked(said, problem is None, score, problem, quotes)


@dataclass(frozen=True, slots=True)
class _Extras:
    """The pieces of a sentence that may be additions, the pieces of its source that may say the same, and what may stand in
    another's place.
    """

    pieces: Sequence[str]
    sources: Sequence[str]
    instead: Sequence[StandIn]

    @property
    def texts(self) -> list[str]:
        return [*self.pieces, *self.sources, *(text for one in self.instead for text in (one.mine, *one.theirs))]


def _evidence_in(evidence: Sequence[Evidence], used: Sequence[Passage], cited: Sequence[Passage]) -> list[Evidence]:
    numbers = {number for number, passage in enumerate(used) if passage in cited}
    return [item for item in evidence if item.source in numbers]


def _extras(text: str, question: str, evidence: Sequence[Evidence]) -> _Extras:
    held = content(question).union(*(item.words for item in evidence))
    sentences = [item.text for item in evidence]
    pieces = additions(text, held, sentences)
    return _Extras(pieces, nearest(text, sentences) if pieces else [], stand_ins(text, sentences, question))


def _added(extras: _Extras, vectors: Mapping[str, Vector]) -> str | None:
    """The problem of the first piece that no piece of the source says, in whatever words."""
    for piece in extras.pieces:
        if max((float(vectors[piece] @ vectors[text]) for text in extras.sources), default=0.0) < SAME:
            return f"adds {piece!r}, which is not in what it cites"
    return None


def _instead(extras: _Extras, vectors: Mapping[str, Vector]) -> str | None:
    """The problem of the first thing that stands in the place of another one."""
    for one in extras.instead:
        if max(float(vectors[one.mine] @ vectors[text]) for text in one.theirs) < one.least:
            return one.problem
    return None


def _rules(passages: Sequence[Passage]) -> list[Rule]:
    headings = [heading_of(passage) for passage in passages]
    evidence = evidence_of([passage["text"] for passage in passages], headings)
    return [
        rule
        for number, passage in enumerate(passages)
        for rule in rules_of(
            passage["label"], headings[number], [item.text for item in evidence if item.source == number]
        )
    ]


def _around(sentences: Sequence[str], question: str) -> list[frozenset[str]]:
    """For each sentence the content stems of the question and of the other sentences."""
    held = [content(sentence) for sentence in sentences]
    return [
        content(question).union(*(other for place, other in enumerate(held) if place != at)) for at in range(len(held))
    ]


def _cited(said: Said, by_label: dict[str, Passage], labels_needed: bool) -> list[Passage]:
    if not said.labels and not labels_needed:
        return list(by_label.values())
    return [by_label[label] for label in said.labels if label in by_label]


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[*_]", "", text).split())


def _is_their_question(item: Checked, passages: Sequence[Passage]) -> bool:
    """Whether it is a question of a page of questions and answers, word for word, told before its answer: it states nothing."""
    if item.said.labels or not item.said.text.endswith("?"):
        return False
    asked = _plain(without_heading(item.said.text, passages))
    return any(asked in _plain(passage["text"]) for passage in passages)


def _is_lead_in(item: Checked) -> bool:
    """ "Here are the rules:" and "Wrong size?" state nothing: no label, that sign at the end, few words and no fact."""
    text = item.said.text
    return (
        not item.said.labels
        and text.endswith((":", "?"))
        and len(text.split()) <= _LEAD_IN_WORDS
        and not re.search(r"\d", text)
        and not missing_facts(text, [])
    )
