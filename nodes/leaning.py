"""What a quoted sentence can't be read without: its list's lead-in or items, its exception, the paragraph it sends to."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import takewhile
from types import MappingProxyType

from knowledge.labels import without_paragraph
from knowledge.references import find_references
from knowledge.tokens import tokenize
from nodes.entries import item_text
from nodes.passage_sentences import Sentence
from nodes.picking import with_copies
from nodes.question_pairs import is_question
from nodes.whole_lists import leads_before

#: A sentence that speaks of "selected cities" leans on the one that names them.
_ANNOUNCES = re.compile(r"\b(?:selected|listed|following|certain|specified)\b", re.IGNORECASE)
RESTRICTS = re.compile(
    r"\b(?:not|cannot|never|no|only|unless|except|without|не|няма|само|освен|без)\b|n['’]t\b", re.IGNORECASE
)
#: How a sentence begins that takes back part of the one before it.
_TAKES_BACK = re.compile(
    r"(?:this|that|these|those|it|they|such|however|but|except|otherwise|this rule|in (?:that|this|exceptional) cases?"
    r"|exceptionally|the above|none of|only|nor"
    r"|това|тези|той|тя|те|но|обаче|освен)\b",
    re.IGNORECASE,
)
_TAKES_BACK_ALL = re.compile(
    r"(?:however|none of (?:this|these|the above)|the above|in exceptional cases|exceptionally"
    r"|(?:this|these|it) (?:does|do|is|are|may|can|must)(?:n['’]t| not)|това не|обаче|не се прилага)\b",
    re.IGNORECASE,
)
#: A paragraph of the same article, as another one of it names it: "subsection (1)", "clause (1)(d)".
_PARAGRAPH = re.compile(
    r"\b(?:sub-?sections?|sub-?paragraphs?|paragraphs?|clauses?|(?:section|article) \d+\w?|ал\.|алинея)\s?"
    r"((?:\(\w{1,4}\))+)",
    re.IGNORECASE,
)
#: Items of a list that are quoted; where it holds more, the last one bears a mark.
_MOST_ITEMS = 50
_CUT = "; …"
#: A passage's label and the question in it that a list answers; empty where the list stands under its heading.
List = tuple[str, str]
_HEADING_NUMBER = re.compile(r"^\d{1,3}(?:\.\d{1,3})*[.)]?\s+")
#: Sentences of an answer that are brought before a later one.
_SHORT_ANSWER = 2
#: From so many items a passage is a list.
_LIST = 2
#: The share of the question that a heading must hold for its list to be what is asked for.
_MOST_ASKED = 0.4
_MOST_EXCEPTIONS = 3


def asked_lists(question: str, sentences: Sequence[Sentence], weights: Mapping[str, float]) -> set[List]:
    """The passages that are a list of what the question asks for: the words of their section, or of the question of theirs that
    the list answers, are all words of it, and most of it ("What is never paid back?" and a list under "What is never paid").

    ``weights``: of the question's words, 1 in all.
    """
    out: set[List] = set()
    for key in dict.fromkeys((sentence.label, sentence.asked) for sentence in sentences):
        own = [sentence for sentence in sentences if (sentence.label, sentence.asked) == key]
        heading = own[0].asked or _HEADING_NUMBER.sub("", own[0].section)
        words = set(tokenize(heading, "en"))
        most = words <= weights.keys() and sum(weights[word] for word in words) >= _MOST_ASKED
        alike = bool(RESTRICTS.search(question)) == bool(RESTRICTS.search(heading))
        if most and alike and sum(_is_listed(one) for one in own) >= _LIST:
            out.add(key)
    return out


def _is_listed(one: Sentence) -> bool:
    """Whether it is an item under a heading; a numbered paragraph is none."""
    return one.item and one.lead is None and not one.number


def with_whole_entries(
    chosen: Sequence[int], sentences: Sequence[Sentence], lists: Set[List], more: Sequence[float]
) -> list[int]:
    """The chosen, and behind them the rest of the asked entry and of the list that is asked for (``asked_lists``).

    ``more``: over 0 where a sentence belongs to the entry asked for.
    """
    out = list(chosen)
    for at in chosen:
        one = sentences[at]
        for other, sentence in enumerate(sentences):
            entry = more[at] > 0 and sentence.block == one.block
            same = sentence.label == one.label and sentence.asked == one.asked
            listed = (one.label, one.asked) in lists and _is_listed(one) and _is_listed(sentence)
            if same and (entry or listed) and other not in out and len(out) < _MOST_ITEMS:
                out.append(other)
    return out


def leaned_on(
    chosen: Sequence[int],
    sentences: Sequence[Sentence],
    worth: Sequence[float],
    defined: Mapping[str, Set[str]],
    asked: Set[str],
    follows: Mapping[str, str] = MappingProxyType({}),
) -> list[int]:
    """The chosen sentences' numbers and behind them those that these lean on.

    Args:
        chosen: numbers in ``sentences``, in the order picked.
        sentences: of all passages.
        worth: of each; a table's lead-in is replaced by its best row.
        defined: by label, the identifiers that the passage is about.
        asked: the question's tokens; one of them must stand where a sentence sends to another passage.
        follows: by label, the passage that goes on where it ends.
    """
    out = list(dict.fromkeys(_with_lists(chosen, sentences, worth)))
    out += [at for at in dict.fromkeys(_going_on(out, sentences, follows)) if at not in out]
    out += [at for at in dict.fromkeys(leads_before(out, sentences, follows)) if at not in out]
    for find in (_announced, _exceptions, _leaning, _beginnings, _openings):
        out += [at for at in dict.fromkeys(find(out, sentences)) if at not in out]
    out += [at for at in dict.fromkeys(_footnotes(out, sentences, worth)) if at not in out]
    sent = dict.fromkeys(_sent_to(out, sentences, defined, asked))
    return [*out, *(at for at in sent if at not in out)]


def _with_lists(chosen: Sequence[int], sentences: Sequence[Sentence], worth: Sequence[float]) -> Iterator[int]:
    """The chosen, items with their lead-in, a lead-in with its items; a lead-in that nothing follows goes where others stand."""
    for at in chosen:
        one = sentences[at]
        led = [
            other
            for other, sentence in enumerate(sentences)
            if sentence.label == one.label and sentence.lead == one.place and one.place >= 0
        ]
        items = [other for other in led if not sentences[other].row]
        if led and not items:
            # "These are not allowed:" says what its rows mean.
            yield from (at,) if RESTRICTS.search(one.text) else ()
            yield max(led, key=lambda other: worth[other])
        elif one.row and (lead := next(_leads(one, sentences), at)) != at and RESTRICTS.search(sentences[lead].text):
            yield from (lead, at)
        elif items:
            best = max((worth[item] for item in items if item in chosen), default=-math.inf)
            yield from (at, *(items[:_MOST_ITEMS] if worth[at] >= best else ()))
        elif not one.text.endswith(":") or len(chosen) == 1:
            yield at
            if one.lead is not None and not one.row:
                yield from _leads(one, sentences)


def _going_on(chosen: Sequence[int], sentences: Sequence[Sentence], follows: Mapping[str, str]) -> Iterator[int]:
    """The items with which the next passage goes on where a list that is quoted to its end was cut between chunks."""
    last = {sentence.label: at for at, sentence in enumerate(sentences)}
    for at in chosen:
        one = sentences[at]
        said = {sentences[other].text for other in chosen if sentences[other].label == one.label}
        label: str | None = one.label
        while label is not None and last[label] == at and one.item and len(said) >= _LIST:
            label = follows.get(label)
            opening = (other for other, sentence in enumerate(sentences) if sentence.label == label)
            for other in takewhile(lambda other: sentences[other].item and sentences[other].lead is None, opening):
                at = other
                if sentences[other].text not in said:
                    yield other


def with_cuts_marked(
    order: Sequence[int], sentences: Sequence[Sentence], unfinished: Set[str] = frozenset()
) -> list[Sentence]:
    """The sentences in this order; of a list with more items than are quoted, the last one that is bears a mark.

    ``unfinished``: labels of passages that end within a list whose rest is not at hand.
    """
    quoted, held = (
        Counter((sentence.label, sentence.lead) for sentence in given if sentence.item and not sentence.row)
        for given in ([sentences[at] for at in order], sentences)
    )
    cut = {key for key, number in quoted.items() if _MOST_ITEMS <= number < held[key]}
    last = {(sentences[at].label, sentences[at].lead): at for at in sorted(order) if sentences[at].item}
    ends = {sentence.label: at for at, sentence in enumerate(sentences)}
    opened = {key for key, at in last.items() if key[0] in unfinished and at == ends[key[0]] and quoted[key] >= _LIST}
    marked = {last[key] for key in cut | opened}
    return [
        replace(sentences[at], text=f"{item_text(sentences[at].text)}{_CUT}") if at in marked else sentences[at]
        for at in order
    ]


def _leaning(chosen: Sequence[int], sentences: Sequence[Sentence]) -> Iterator[int]:
    """The sentences without content words behind a chosen one: "Some shops do so. We do not." """
    for at in chosen:
        one = sentences[at]
        for other, sentence in enumerate(sentences):
            if sentence.leans and sentence.block == one.block and _follows(sentence, one):
                yield other


def _beginnings(chosen: Sequence[int], sentences: Sequence[Sentence]) -> Iterator[int]:
    """What an answer to a question of the page says before a chosen sentence of it: "Your manager. Over 500 finance too." """
    for at in chosen:
        one = sentences[at]
        if one.item or one.row or not (one.asked or (one.block == 0 and is_question(one.section))):
            continue
        for other, sentence in enumerate(sentences):
            same = (sentence.label, sentence.asked, sentence.block) == (one.label, one.asked, one.block)
            if same and not sentence.name and sentence.place < one.place <= sentence.place + _SHORT_ANSWER:
                yield other


def _openings(chosen: Sequence[int], sentences: Sequence[Sentence]) -> Iterator[int]:
    """The beginning of an entry of which a chosen sentence goes on to speak: "MaxCopies: … The default is 9999." """
    for at in chosen:
        one = sentences[at]
        for other, sentence in enumerate(sentences if one.of_term else ()):
            if (sentence.label, sentence.block) == (one.label, one.block) and not sentence.of_term:
                yield other
                break


def _footnotes(chosen: Sequence[int], sentences: Sequence[Sentence], worth: Sequence[float]) -> Iterator[int]:
    """The footnotes of the chosen rows, and for a footnote that was chosen by itself the best row that leads to it."""
    wanted = {(sentences[at].label, place) for at in chosen for place in sentences[at].notes}
    yield from (at for at, sentence in enumerate(sentences) if (sentence.label, sentence.place) in wanted)
    for at in chosen:
        one = sentences[at]
        rows = [o for o, other in enumerate(sentences) if other.label == one.label and one.place in other.notes]
        if rows and (one.label, one.place) not in wanted:
            yield max(rows, key=lambda row: worth[row])


def _leads(one: Sentence, sentences: Sequence[Sentence]) -> Iterator[int]:
    """An item's lead-in, and the lead-in of that: "animals, except" of "The following may not be brought in:"."""
    by_place = {sentence.place: at for at, sentence in enumerate(sentences) if sentence.label == one.label}
    lead = one.lead
    while lead is not None and (at := by_place.get(lead)) is not None:
        yield at
        lead = sentences[at].lead


def _announced(chosen: Sequence[int], sentences: Sequence[Sentence]) -> Iterator[int]:
    """The sentences that say which "selected cities" a chosen one means: of its passage, with its word."""
    for at in chosen:
        for word in {match.casefold() for match in _ANNOUNCES.findall(sentences[at].text)}:
            yield from (
                other
                for other, sentence in enumerate(sentences)
                if sentence.label == sentences[at].label and re.search(rf"\b{word}\b", sentence.text, re.IGNORECASE)
            )


def _exceptions(chosen: Sequence[int], sentences: Sequence[Sentence]) -> list[int]:
    """What takes back a part of a chosen sentence: the next one of its paragraph, or another paragraph that names its own."""
    found: list[int] = []
    for at in with_copies(chosen, sentences):
        one = sentences[at]
        for other, sentence in enumerate(sentences):
            if sentence.label != one.label or other == at or not RESTRICTS.search(sentence.text):
                continue
            takes_back = _TAKES_BACK.match(sentence.text)
            if (takes_back and _follows(sentence, one)) or _names_paragraph(sentence, one):
                # "This does not apply to paragraph (2)" takes back what stands before it, which must be said too.
                found += [
                    before for before in range(len(sentences)) if takes_back and _follows(sentence, sentences[before])
                ]
                found.append(other)
    return [at for at in dict.fromkeys(found) if at not in chosen][:_MOST_EXCEPTIONS]


def _follows(sentence: Sentence, one: Sentence) -> bool:
    """Whether it is the next one of the same paragraph, or opens the next with words that take the one before it back."""
    if sentence.label != one.label or sentence.place != one.place + 1 or one.place < 0:
        return False
    return sentence.block == one.block or _TAKES_BACK_ALL.match(sentence.text) is not None


def _names_paragraph(sentence: Sentence, one: Sentence) -> bool:
    if not one.number or sentence.number == one.number:
        return False
    named = [match[1] for match in _PARAGRAPH.finditer(sentence.text)]
    return any(one.number == number or one.number.startswith(f"{number}(") for number in named)


def _sent_to(
    chosen: Sequence[int], sentences: Sequence[Sentence], defined: Mapping[str, Set[str]], asked: Set[str]
) -> Iterator[int]:
    """The paragraphs of other passages that the first one sends to for what is asked ("the fine is in section 14(3)")."""
    labels = {sentences[at].label for at in chosen[:1]}
    for sentence in sentences:
        if sentence.label not in labels or "(" not in sentence.text or not asked & sentence.tokens:
            continue
        for target in find_references(sentence.text):
            base = without_paragraph(target)
            yield from (
                other
                for other, found in enumerate(sentences)
                if base != target
                and found.label != sentence.label
                and base in defined[found.label]
                and found.number == target[len(base) :]
            )
