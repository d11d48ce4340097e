"""Who or what stands in another's place: "the nurse checks the dose" where the pharmacist does, "in a suitcase" for "in a safe".

``parties`` knows the usual roles. Here any noun may do something, or be what a word and its preposition speak of; both are read
by position, not parsed. Whether two are the same in other words, their embeddings tell, so each finding is a pair of phrases.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from knowledge.codes import fold
from nodes.numerals import NUMBER_WORDS, UNITS
from nodes.parties import is_addressed, is_inflected, is_third_party, parties_in
from nodes.words import Word, content, stem, words

_MODALS = frozenset(
    "must may can shall will should could would might do does did has have had need needs".split()  # noqa: SIM905
)
_BE = frozenset("is are was were be been being".split())  # noqa: SIM905
_SKIPPED = frozenset("not also only always never then".split())  # noqa: SIM905
_PREPOSITIONS = frozenset("of by to in from with for on at into under before after during about within against".split())  # noqa: SIM905
_BREAKS = frozenset(
    "and or but that if when unless because whether where while once until as than so not only who which whose".split()  # noqa: SIM905
)
_ARTICLES = frozenset("a an the this each every any no all both two three your his her its their our".split())  # noqa: SIM905
#: What speaks for the house instead of doing something itself.
_PAPERS = re.compile(
    r"\b(?:polic(?:y|ies)|rules?|sections?|documents?|handbook|manual|terms|contract|agreement|insurance|plan|cover|law|code)\b",
    re.IGNORECASE,
)
_PAUSE = re.compile(r"[,;:.()?!|–—]")
_DOER = "does"
_LONGEST, _MOST = 6, 3
_JOINS = frozenset({"and", "or", "nor"})
#: Behind these a clause of its own may begin.
_OPENS = frozenset("that if when unless because whether where while once until but".split())  # noqa: SIM905
_TIES = frozenset("of by in with to for on from".split())  # noqa: SIM905
_IDIOMS = frozenset({"free", "addition", "case", "means", "course", "number", "kind", "type"})
_ANYBODY = frozenset(
    """
    anyone everyone everybody anybody someone somebody nobody whoever people person persons party parties either both all
    one ones other others thing things something anything it them you us me him her
    """.split()  # noqa: SIM905
)
#: The share of a claim's other words that a sentence must have to be told by it.
_SAME_RULE = 0.7
#: Cosines from which two phrases count as the same: of one that stands elsewhere in what is cited, of one that stands nowhere
#: there, and of a known third party that stands nowhere there. Measured on pairs of both sorts.
_HELD, _NEW, _THIRD = 0.68, 0.45, 0.75


@dataclass(frozen=True, slots=True)
class Place:
    """Who or what a text has in a place: ``key`` names the place, ``said`` the stems of what stands there."""

    key: tuple[str, str]
    said: frozenset[str]
    text: str


@dataclass(frozen=True, slots=True)
class StandIn:
    """What a claim has where its source has one of ``theirs``; another thing where no cosine reaches ``least``."""

    mine: str
    theirs: tuple[str, ...]
    least: float

    @property
    def problem(self) -> str:
        """The finding in words."""
        return f"{self.mine!r} stands where what it cites has {self.theirs[0]!r}"


def stand_ins(claim: str, sentences: Sequence[str], context: str = "") -> list[StandIn]:
    """What may stand in another's place in the claim. ``context``: headings and the question, whose words may be said again."""
    mine, out = content(claim), []
    held = frozenset[str]().union(*map(content, sentences))
    for here in _places(claim):
        rest = mine - here.said
        near = [one for one in sentences if rest and len(rest & content(one)) >= _SAME_RULE * len(rest)]
        theirs = [place for one in near for place in _places(one) if place.key == here.key]
        if not theirs or here.said & content(context) or any(_alike(here, place, near) for place in theirs):
            continue
        if here.key[1] == _DOER and not here.said & held and any(map(is_addressed, parties_in(here.text))):
            continue  # a reader's name for those whom the rule is for
        third = any(is_third_party(party) or party == "doctor" for party in parties_in(here.text))
        least = _HELD if here.said & held else _THIRD if third else _NEW
        out.append(StandIn(here.text, tuple(dict.fromkeys(place.text for place in theirs)), least))
    return out


def _alike(here: Place, there: Place, near: Sequence[str]) -> bool:
    """Whether the two are the same by their words, or none that can be set against each other."""
    if here.said & there.said or (parties_in(here.text) and parties_in(there.text)):
        return True
    # In a place of its own elsewhere in the sentence it is only told in another order, or without its verb.
    if here.key[1] != _DOER:
        return any(here.said & content(one) for one in near)
    return any(
        re.search(rf"(?:[,;]|\b(?:and|but|while|whereas)) (?:the )?{re.escape(here.text)}\b", one, re.I) for one in near
    )


@lru_cache(maxsize=1 << 12)
def _places(text: str) -> tuple[Place, ...]:
    return (*_doers(text), *_complements(text))


def _doers(text: str) -> Iterator[Place]:
    """Who does each thing: before its verb, or behind "by" after its participle."""
    found, folded = words(text), fold(text)
    for at, verb in enumerate(found):
        if not verb.stem or at == 0:
            continue
        if any(word.text in _BE for word in found[max(0, at - 3) : at]):
            span = _behind_by(found, at, folded) if _is_participle(verb.text) else None
        else:
            span = _before(found, at, folded)
        if span:
            yield from _place((verb.stem, _DOER), found[slice(*span)], folded)


def _before(found: Sequence[Word], at: int, folded: str) -> tuple[int, int] | None:
    """The span of the noun and its attributes before a verb; ``None`` where the word is no verb or nothing stands there."""
    end, bound = at, False
    while end > 0 and (found[end - 1].text in _MODALS | _SKIPPED or found[end - 1].text.endswith("ly")):
        end -= 1
        bound = bound or found[end].text in _MODALS
    following = found[at + 1].text if at + 1 < len(found) else ""
    closed = not following or _PAUSE.search(folded, found[at].end, found[at + 1].start)
    if not bound and (not is_inflected(found[at].text) or closed or following in _MODALS | _BE):
        return None
    if end == 0 or not found[end - 1].stem or _PAUSE.search(folded, found[end - 1].end, found[end].start):
        return None
    start, cut = end, end
    while start > 0 and end - start < _LONGEST:
        word = found[start - 1]
        if word.text in _BREAKS | _MODALS | _BE or _PAUSE.search(folded, word.end, found[start].start):
            break
        start -= 1
        cut = start if word.text in _PREPOSITIONS else cut
    free = start == 0 or found[start].text in _ARTICLES or found[start - 1].text in _OPENS
    free = free or _PAUSE.search(folded, found[start - 1].end, found[start].start) is not None
    joined = start > 0 and found[start - 1].text in _JOINS
    return (start, cut) if start < cut and free and not joined else None


def _behind_by(found: Sequence[Word], at: int, folded: str) -> tuple[int, int] | None:
    """The span behind the "by" after a participle, where it is somebody: with an article, or more than one."""
    for by in range(at + 1, min(at + _LONGEST, len(found))):
        if _PAUSE.search(folded, found[by - 1].end, found[by].start):
            return None
        if found[by].text == "by":
            span = _behind(found, by, folded)
            somebody = span and (found[span[0]].text in _ARTICLES or found[span[1] - 1].text.endswith("s"))
            return span if somebody else None
    return None


def _behind(found: Sequence[Word], at: int, folded: str) -> tuple[int, int] | None:
    """The span of the noun and its attributes behind a preposition, where nothing is joined to it."""
    end = at + 1
    while end < len(found) and end - at <= _LONGEST:
        word = found[end]
        if word.text in _BREAKS | _MODALS | _BE | _PREPOSITIONS or _PAUSE.search(
            folded, found[end - 1].end, word.start
        ):
            break
        end += 1
    joined = end < len(found) and found[end].text in _JOINS
    return (at + 1, end) if end > at + 1 and not joined else None


def _complements(text: str) -> Iterator[Place]:
    """What a word and its preposition speak of: ``kept in`` a safe, ``signature of`` a parent."""
    found, folded = words(text), fold(text)
    for at in range(1, len(found) - 1):
        if found[at].text not in _TIES or not found[at - 1].stem or found[at - 1].text in _IDIOMS:
            continue
        if _PAUSE.search(folded, found[at - 1].end, found[at].start):
            continue
        span = _behind(found, at, folded)
        if span:
            yield from _place((found[at - 1].stem, found[at].text), found[slice(*span)], folded)


def _place(key: tuple[str, str], said: Sequence[Word], folded: str) -> Iterator[Place]:
    stems = frozenset(word.stem for word in said if word.stem)
    text = folded[said[0].start : said[-1].end]
    inner = [word for word in said if word.stem]
    named = any(folded[word.start].isupper() for word in said[1:])
    if not inner or len(inner) > _MOST or named or any(_is_no_noun(word.text) for word in said) or _PAPERS.search(text):
        return
    yield Place(key, stems, text)


def _is_no_noun(word: str) -> bool:
    return (
        (not stem(word) and word not in _ARTICLES)
        or word[0].isdigit()
        or word in UNITS
        or word in NUMBER_WORDS
        or word in _ANYBODY
        or word.endswith(("ing", "n't"))
        or _is_participle(word)
    )


def _is_participle(word: str) -> bool:
    return word.endswith("ed") or (is_inflected(word) and not word.endswith("s"))
