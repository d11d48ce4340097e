"""A passage's sentences as they may be quoted: rows with their header, items without bullet, articles without name, answers with
the question before them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from knowledge.footnotes import footnotes, notes_of
from knowledge.identifiers import HEADING_SEPARATOR
from knowledge.sentences import split_sentences
from knowledge.tokens import tokenize
from nodes.entries import Place, places
from nodes.question_pairs import asked_before, is_question, may_answer
from nodes.quoting import heading_of
from nodes.shown_text import shown
from nodes.state import Passage
from nodes.tables import is_header, row_at
from nodes.term_entries import is_rest, needs_term, says_little, term_of

_LONGEST_NAME = 8
_LABEL = re.compile(r"(?:[A-Z][a-z]+\.? |§{1,2}\s?)\d+\w?(?=[.:]?(?:\s|$))")
#: What parts an article's label from its name.
_BEHIND_LABEL = re.compile(r"[.:]?\s+(?:[–—-]\s+)?|\.")
#: A text of fewer characters is a number or a label, unless it is a list's item or all that the passage says.
_SHORTEST = 12
#: What tells a name from a rule, unless it asks: "Where parking is prohibited.".
_SAYS = re.compile(
    r"\d|[\[\]]|\b(?:is|are|be|was|were|shall|must|may|can|will|not|no|do|does|has|have)\b", re.IGNORECASE
)
_TITLE_NUMBER = re.compile(r"[\s*_]*\(?\d{1,3}(?:\.\d{1,3})*[.)]\s+")
#: One word, or several that all begin with capitals but for the little ones, and a stop.
_TITLE = re.compile(
    r"[\s*_]*(?:\(?\d{1,3}(?:\.\d{1,3})*[.)]\s+)?[*_]*[A-ZА-Я][\w'’-]*"
    r"(?:,?\s+(?:[A-ZА-Я][\w'’-]*|of|and|or|the|to|for|in|on|a|an|by|with|from|и|на|за|от)){0,7}[*_]*\.[*_]*"
)
_BULLET = re.compile(r"^\s*[-*•‣▪◦–—]\s+")
_PARTICLE = re.compile(r"(?:a\s?:\s*)?(?:yes|no|да|не|ja|nein|oui|non|sí)\b(?!\s\w)", re.IGNORECASE)
_ASKS = re.compile(r"(?:where|when|who|what|which|how|why)\b", re.IGNORECASE)
_DENIES = re.compile(r"\b(?:not?|never|none|cannot|не|няма|nein|nicht)\b|n['’]t\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A passage's sentence, ``start`` its offset there. ``tokens`` are its own, ``heading`` those of its heading path.

    ``place`` is its number in the passage, ``opener`` the first sentence of its block as it stands; ``block``, ``number``,
    ``lead``, ``row`` and ``item`` as in ``entries.Place``. ``name``: whether it only names what follows; ``section``: the last
    part of its heading, ``source`` its document, ``path`` its whole heading.
    ``asked``: the passage's question that it answers; ``leans``: whether it says
    nothing without the sentence before it; ``notes``: the places of a row's footnotes; ``cells``: the tokens of a row's own
    cells; ``term``: what the entry that it belongs to explains, and ``of_term``: whether that is its unsaid subject.
    """

    label: str
    rank: int
    start: int
    text: str
    tokens: frozenset[str]
    heading: frozenset[str]
    place: int = -1
    block: int = -1
    number: str = ""
    lead: int | None = None
    row: bool = False
    item: bool = False
    opener: str = ""
    name: bool = False
    asked: str = ""
    leans: bool = False
    notes: tuple[int, ...] = ()
    cells: frozenset[str] = frozenset()
    term: str = ""
    of_term: bool = False
    section: str = ""
    source: str = ""
    path: str = ""

    @property
    def copy(self) -> tuple[str, str, str]:
        """What two chunks of a section share that hold the same sentence, because chunks overlap."""
        return self.source, self.section, self.text

    @property
    def meant(self) -> str:
        """What its meaning is read from: its words, behind the question that they answer."""
        heading = self.section if self.block == 0 and (not self.tokens or is_question(self.section)) else ""
        before = self.asked or (f"{self.term}:" if self.of_term and says_little(len(self.tokens)) else heading)
        return f"{before} {self.text}".strip()


def answers_one(sentence: Sentence) -> bool:
    """Whether it answers its own question and no other: "No.", and "Yes, but tell us first." behind or under a question."""
    asked = sentence.asked or is_question(sentence.section)
    return not sentence.tokens or bool(asked and _PARTICLE.match(sentence.text))


def sentences_of(passage: Passage, rank: int, language: str) -> list[Sentence]:
    """The passage's sentences that say something: a bare number or label is none, nor is a table's header or a question alone.

    A row's text is its cells named by the header, since nobody can read a row alone.
    """
    heading = frozenset(tokenize(heading_of(passage), language))
    section = passage["section"].rsplit(HEADING_SEPARATOR, 1)[-1]
    found = _statements(passage["text"], section, language)
    named = [said.tokens for said in found if said.name and said.place == 0]
    heads = {passage["title"].casefold(), section.casefold()}
    statements = [
        said
        for said in found
        if not (said.name and said.place == 0 and len(found) > 1) and said.text.casefold() not in heads
    ]
    return [
        Sentence(
            passage["label"],
            rank,
            heading=heading.union(*named, tokenize(said.term, language) if said.of_term else ()),
            section=section,
            source=passage["source"],
            path=heading_of(passage),
            **said._asdict(),
        )
        for said in statements
    ]


class _Statement(NamedTuple):
    """What a ``Sentence`` has of its passage's text alone."""

    start: int
    text: str
    tokens: frozenset[str]
    place: int
    block: int
    number: str
    lead: int | None
    row: bool
    item: bool
    opener: str
    name: bool
    asked: str
    leans: bool
    notes: tuple[int, ...]
    cells: frozenset[str]
    term: str
    of_term: bool


@lru_cache(maxsize=1 << 10)
def _statements(body: str, section: str, language: str) -> tuple[_Statement, ...]:
    """A passage's sentences. The same passages come again and again."""
    out: list[_Statement] = []
    spans, known, asked, notes = split_sentences(body), places(body), asked_before(body), footnotes(body)
    openers: dict[int, str] = {}
    # A passage cut within an entry begins with the rest of it, and nobody can tell of what.
    entries = len(spans) > 1 and any(term_of(body[slice(*span)]) for span in spans[1:])
    for at, ((start, end), place) in enumerate(zip(spans, known, strict=True)):
        if is_header(body, start, end):
            continue
        openers.setdefault(place.block, body[start:end])
        if is_question(body[start:end]) and len(spans) > 1:
            continue
        row = row_at(body, start, end)
        text = row.labelled if row else " ".join(_BULLET.sub("", body[start:end]).split())
        text = " ".join(notes[at]) if at in notes else shown(text)
        rest = _without_label(text, section) if at == 0 else text
        name = len(spans) > 1 and _is_name(rest, labelled=rest != text, ends_line="\n" in body[end : spans[-1][0]][:1])
        name = name or (at not in notes and not asked[at] and _is_title(body, spans, at, known))
        tokens = frozenset(tokenize(rest, language))
        opens = not out and any(map(str.isalpha, rest)) and not _LABEL.fullmatch(rest.rstrip(".: "))
        known_by = bool(asked[at]) or at in notes or opens
        listed = place.lead is not None or place.item or len(spans) == 1 or known_by
        if (len(rest) >= _SHORTEST or listed or _DENIES.search(rest)) if tokens else may_answer(rest):
            lead, item = (None, False) if at in notes else (place.lead, place.item)
            own = (place.block, place.number, lead, row is not None, item)
            cells = tokenize(row.cells, language) if row else ()
            term = "" if row else term_of(openers[place.block])
            later = bool(term) and at > 0 and known[at - 1].block == place.block
            more = (
                asked[at],
                (not tokens and not known_by) or (at == 0 and not term and entries and is_rest(rest)),
                tuple(notes_of(text, notes, at) if row else ()),
                frozenset(cells),
            )
            out.append(
                _Statement(
                    start,
                    rest,
                    tokens,
                    at,
                    *own,
                    openers[place.block],
                    name,
                    *more,
                    term=term,
                    of_term=later and needs_term(rest),
                )
            )
    return tuple(out)


def _without_label(text: str, section: str) -> str:
    """The sentence without the label of its article, which its heading says: "Section 8. Accessible spaces.", "§ 8 Spaces"."""
    label = _LABEL.match(section)
    if not label or not text.casefold().startswith(label[0].casefold()):
        return text
    behind = _BEHIND_LABEL.match(text, len(label[0]))
    return text[behind.end() :].strip() if behind else text


def _is_title(body: str, spans: Sequence[tuple[int, int]], at: int, known: Sequence[Place]) -> bool:
    """Whether a sentence is a title that runs into its paragraph or stands on a line before it: "5. Project Leader."."""
    if at + 1 >= len(spans) or known[at].row:
        return False
    first = at == 0 or known[at - 1].block != known[at].block
    runs_in = first and known[at + 1].block == known[at].block
    alone = first and not runs_in and not known[at].item and at > 0
    text = body[slice(*spans[at])]
    if not (runs_in or alone) or _SAYS.search(_TITLE_NUMBER.sub("", text)):
        return False
    titled = _TITLE.fullmatch(text) is not None
    return titled and (runs_in or not known[at + 1].item) and (alone or bool(_TITLE_NUMBER.match(text)) or "*" in text)


def _is_name(text: str, *, labelled: bool, ends_line: bool) -> bool:
    """Whether a sentence only names what follows: an article's name behind its label, a title in capitals."""
    words = text.split()
    if text.isupper() and len(words) > 1:
        return True
    says = _SAYS.search(text) and not _ASKS.match(text)
    return labelled and ends_line and len(words) <= _LONGEST_NAME and not says
