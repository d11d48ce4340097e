"""Which lists are quoted whole, and which sections say the opposite of what is asked ("OK" where "not OK" is asked for)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from nodes.passage_sentences import Sentence

#: Asks for several things: "Which papers do I need?", "What is never paid?".
_ASKS_SEVERAL = re.compile(
    r"\b(?:what|which|who)\b(?:\s+[\w'’-]+){0,5}?\s+(?:are|were|do|must|should|can|may|need|needs|shall|makes?)\b"
    r"|\b(?:what|which)\b(?:\s+[\w'’-]+){0,5}?\s+is\s+(?:not\s+|never\s+|also\s+)?"
    r"(?:allowed|permitted|forbidden|prohibited|banned|included|excluded|covered|required|needed|paid|ok|okay)\b"
    r"|\b(?:list|name)\s+(?:all|the)\b|\bкои\b",
    re.IGNORECASE,
)
#: A sentence that announces the list behind it.
_INTRODUCES = re.compile(
    r"\b(?:(?:these|those|here|below|they) (?:are|is)|the following|as follows|(?:listed|set out|shown) below)\b"
    r"|\b(?:следните|както следва)\b",
    re.IGNORECASE,
)
_MOST_ITEMS = 50
#: Characters of a list that nothing announces; a longer one is a section of paragraphs.
_LONGEST = 2_000
_DENIES = re.compile(
    r"\b(?:not|never|no|cannot|forbidden|prohibited|banned|excluded|exclusions?|unacceptable|don['’]?ts?)\b|n['’]t\b",
    re.IGNORECASE,
)
_EARLY = re.compile(r"\b(?:before|prior|depart\w*|leaving|(?:you|we|they|i) leave)\b", re.IGNORECASE)
_LATE = re.compile(r"\b(?:after|arriv\w+|afterwards|upon|returning|(?:you|we|they|i) (?:return|land))\b", re.IGNORECASE)
_ALLOWS = re.compile(r"\b(?:allowed|permitted|ok|okay|acceptable|covered|included|eligible|fine)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")


def asks_several(question: str) -> bool:
    """Whether a question asks for all of a list."""
    return _ASKS_SEVERAL.search(question) is not None


def with_whole_lists(
    question: str, chosen: Sequence[int], sentences: Sequence[Sentence], follows: Mapping[str, str]
) -> list[int]:
    """The chosen, and where the question asks for several things the whole of each list of which two items, or what announces
    it, are among them. ``follows``: by label, the passage that goes on where it ends.
    """
    out = list(chosen)
    for items, before in _joined(_lists(sentences), sentences, follows) if asks_several(question) else ():
        picked = {(sentences[at].label, sentences[at].block) for at in items if at in chosen}
        introducing = [at for at in before if _INTRODUCES.search(sentences[at].text)]
        led = sentences[items[0]].lead is not None
        if not led and not introducing and sum(len(sentences[at].text) for at in items) > _LONGEST:
            continue
        if len(picked) > 1 or (introducing and set(introducing) & set(chosen)):
            whole = [*introducing[:1], *items[:_MOST_ITEMS]]
            first = min(out.index(at) for at in (*introducing, *items) if at in out)
            out[first:] = [*whole, *(at for at in out[first:] if at not in whole)]
            out = list(dict.fromkeys(out))
    return out


def leads_before(chosen: Sequence[int], sentences: Sequence[Sentence], follows: Mapping[str, str]) -> Iterator[int]:
    """The lead-ins of lists that begin in one chunk, for chosen items of what goes on in the next."""
    before = {label: earlier for earlier, label in follows.items()}
    for at in chosen:
        one = sentences[at]
        if one.label not in before or not one.item or one.row or one.lead is not None:
            continue
        own = [sentence for sentence in sentences if sentence.label == one.label]
        opening = takewhile(lambda sentence: sentence.item and sentence.lead is None, own)
        if all(sentence.place != one.place for sentence in opening):
            continue
        last = [sentence for sentence in sentences if sentence.label == before[one.label]][-1:]
        for sentence in last:
            lead = sentence.lead if sentence.item else sentence.place if sentence.text.endswith(":") else None
            yield from (
                other
                for other, found in enumerate(sentences)
                if found.label == sentence.label and lead is not None and found.place == lead
            )


def opposed(question: str, sentences: Sequence[Sentence]) -> list[bool]:
    """Of each sentence, whether it stands under a heading of the opposite sense to the question's, where the same document has
    one of its sense at hand: "When you arrive" beside "Before you travel", "OK" beside "Not OK".
    """
    headings = {(one.source, one.section) for one in sentences}
    out: set[tuple[str, str]] = set()
    early, late = _EARLY.search(question) is not None, _LATE.search(question) is not None
    if early != late:
        asked, other = (_EARLY, _LATE) if early else (_LATE, _EARLY)
        having = {source for source, section in headings if asked.search(section) and not other.search(section)}
        out |= {
            (source, section)
            for source, section in headings
            if source in having and other.search(section) and not asked.search(section)
        }
    denies = _DENIES.search(question) is not None
    if asks_several(question) and (denies or _ALLOWS.search(question)):
        by_words: defaultdict[tuple[str, str], dict[bool, str]] = defaultdict(dict)
        for source, section in headings:
            words = " ".join(_WORD.findall(_DENIES.sub(" ", section))).casefold()
            by_words[source, words][_DENIES.search(section) is not None] = section
        out |= {(key[0], both[not denies]) for key, both in by_words.items() if len(both) > 1}
    return [(one.source, one.section) in out for one in sentences]


_List = tuple[list[int], list[int]]


def _joined(lists: Iterable[_List], sentences: Sequence[Sentence], follows: Mapping[str, str]) -> Iterator[_List]:
    """The lists, each with what goes on of it in the next chunk."""
    found = list(lists)
    ends = {sentence.label: at for at, sentence in enumerate(sentences)}
    begins = {sentence.label: at for at, sentence in reversed(list(enumerate(sentences)))}
    opening = {sentences[items[0]].label: items for items, _ in found if items[0] == begins[sentences[items[0]].label]}
    going_on = {
        follows[sentences[items[-1]].label]
        for items, _ in found
        if items[-1] == ends[sentences[items[-1]].label] and sentences[items[-1]].label in follows
    }
    for items, before in found:
        label = sentences[items[0]].label
        if label in going_on and opening.get(label) is items:
            continue
        whole, seen = list(items), {label}
        while (label := follows.get(label, "")) in opening and whole[-1] == ends[sentences[whole[-1]].label]:
            if label in seen:
                break
            seen.add(label)
            whole += opening[label]
        yield whole, before


def _lists(sentences: Sequence[Sentence]) -> Iterator[_List]:
    """Each list's items, and the sentences of the paragraph right before it."""
    found: dict[tuple[str, int | None, str, int], list[int]] = {}
    run, last = 0, -1
    starts: dict[tuple[str, int | None, str, int], int] = {}
    for at, one in enumerate(sentences):
        if not one.item or one.row:
            continue
        if last != at - 1 or sentences[last].label != one.label:
            run += 1
        last = at
        key = (one.label, one.lead, one.asked, run if one.lead is None else -1)
        starts.setdefault(key, at)
        found.setdefault(key, []).append(at)
    for key, items in found.items():
        first = starts[key]
        before: list[int] = []
        while first - 1 - len(before) >= 0:
            other = sentences[first - 1 - len(before)]
            if (
                other.label != key[0]
                or other.item
                or other.row
                or (before and other.block != sentences[before[0]].block)
            ):
                break
            before.insert(0, first - 1 - len(before))
        yield items, before
