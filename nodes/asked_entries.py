"""Which sentences of a passage belong to the code or the article's paragraph that a question asks for.

A list of error codes holds the one asked for among its neighbours, and section 14 its paragraph (2) among the others. What the
asked entry says comes first, and what its neighbours say is not quoted. Of a passage about something else that mentions the code
(a price list, a neighbour's manual) only the sentences that hold it count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from knowledge.identifiers import family_of, index_identifiers, scan_identifiers
from knowledge.labels import without_paragraph
from nodes.entries import opened_by
from nodes.passage_sentences import Sentence
from nodes.stated_quantities import asks_quantity_in, quantity_in
from nodes.term_entries import asks_default_in, names_default, names_in

#: What the asked entry's sentences are worth beside others: more than meaning and words together can be off.
ENTRY = 1.5
#: What the sentences are worth more that an entry has for a name of the question: it may ask for more than the entry.
TERM = 0.4
#: From so many entries of one numbering a passage is a list of them.
_LIST = 2


@dataclass(frozen=True, slots=True)
class AskedEntries:
    """``names``: the question's identifiers that the documents hold; ``paragraphs``: of an article, ``sec-14`` → ``(2)``;
    ``terms``: names of options and the like, which an entry may explain.
    """

    names: frozenset[str]
    paragraphs: Mapping[str, Set[str]]
    terms: frozenset[str]


def asked_entries(question: str, names: Sequence[str]) -> AskedEntries:
    """What the question asks for by name; ``names`` as the state's ``identifiers``."""
    paragraphs: dict[str, set[str]] = defaultdict(set)
    for item in scan_identifiers(question):
        if item.kind == "label" and "(" in item.canonical:
            for reading in item.readings:
                name = reading.partition("@")[0]
                base = without_paragraph(name)
                if base != name:
                    paragraphs[base].add(name[len(base) :])
    return AskedEntries(frozenset(names), paragraphs, names_in(question))


def quotable(
    sentences: Sequence[Sentence], asked: AskedEntries, defined: Mapping[str, Set[str]], mentioning: Set[str]
) -> tuple[list[Sentence], list[float]]:
    """The sentences that may be quoted, and what each is worth more than its words tell.

    Args:
        sentences: of all passages.
        asked: what the question names.
        defined: by label, the identifiers that the passage is about.
        mentioning: labels of passages about something else that mention what is asked for.
    """
    by_label: dict[str, list[Sentence]] = defaultdict(list)
    for sentence in sentences:
        by_label[sentence.label].append(sentence)
    kept: list[Sentence] = []
    worth: list[float] = []
    for label, own in by_label.items():
        if label in mentioning:
            own = [one for one in own if asked.names & _named_in(one)]
        neighbours, entry = _entries(own, asked.names)
        numbers = {number for base in asked.paragraphs if base in defined[label] for number in asked.paragraphs[base]}
        for sentence in own:
            if sentence.block in neighbours:
                continue
            meant = sentence.block in entry or any(sentence.number.startswith(number) for number in numbers)
            named = bool(sentence.term and asked.terms & names_in(sentence.term))
            kept.append(sentence)
            worth.append(ENTRY if meant else TERM if named else 0.0)
    return kept, worth


def with_defaults(question: str, chosen: Sequence[int], sentences: Sequence[Sentence]) -> list[int]:
    """The chosen, and behind them the default that the entry of one of them tells, where a default or an amount is asked for."""
    default, quantity = asks_default_in(question), asks_quantity_in(question)
    entries = {(sentences[at].label, sentences[at].block) for at in chosen if sentences[at].term}
    told = [
        at
        for at, one in enumerate(sentences)
        if (one.label, one.block) in entries
        and names_default(one.text)
        and (default or (quantity and quantity_in(one.text)))
    ]
    return [*chosen, *(at for at in told if at not in chosen)]


def _named_in(sentence: Sentence) -> set[str]:
    defines, mentions = index_identifiers(sentence.text)
    return {*defines, *mentions, *opened_by(sentence.opener)}


def _entries(sentences: Sequence[Sentence], names: Set[str]) -> tuple[set[int], set[int]]:
    """(the blocks of the asked entry's neighbours, its own), where the passage lists entries of its numbering."""
    families = {family_of(name) for name in names}
    listed: dict[int, frozenset[str]] = {}
    for sentence in sentences if names else ():
        # In a table each row that a code opens is another entry, of whatever numbering.
        opens = frozenset(name for name in opened_by(sentence.opener) if sentence.row or family_of(name) in families)
        if opens:
            listed[sentence.block] = opens
    entry = {block for block, opens in listed.items() if opens & names}
    if not entry or len(set(listed.values())) < _LIST:
        return set(), set()
    return set(listed) - entry, entry
