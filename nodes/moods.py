"""What a rule lets, bids or forbids: "may share" against "shall not disclose", "must" against "need not".

Read by position, not parsed: a head ("shall not", "is free to", "need not") and the acts right behind it, with the stems of its
clause. The nearest clause of the same act decides, in whatever words it names the act.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from knowledge.codes import fold
from nodes.acts import OPPOSED, act_of
from nodes.words import Word, words

_AUX = r"(?:shall|must|may|will|can|could|should|would|might|do|does|did|is|are|be)"
_NOT = r"(?: not|n['’]t| never)"
_BOUND = r"(?:required|obliged|obligated|bound|expected|compelled)"
_LEAVE = r"(?:permitted|allowed|entitled|authori[sz]ed|free|able|at liberty)"
_BAR = r"(?:restrict|prevent|prohibit|preclud|restrain|bar|forbid|limit)\w*"
#: The first that fits at a place counts: "shall not be required to" frees, "shall not be prevented from" lets.
_HEAD = re.compile(
    r"(?P<free>\bneed(?: not|n['’]t)\b|"
    rf"\b(?:{_AUX}{_NOT}|not|never) (?:be )?(?:{_BOUND}|have|need) to\b|"
    rf"\b{_AUX}{_NOT} (?:obligate|oblige|require|compel)\w*\b|\bno (?:obligation|duty|need|requirement) to\b|"
    r"\b(?:whether or not|(?:regardless|irrespective) of whether|even (?:if|when) not)\b)|"
    rf"(?P<may>\b(?:neither|nothing|no)\b[^.;:]{{0,160}}?\b{_BAR}\b(?:[^.;:]{{0,60}}?\bfrom\b)?|"
    rf"\b{_AUX}{_NOT} (?:be )?(?:deemed to )?{_BAR}\b(?:[^.;:]{{0,60}}?\bfrom\b)?)|"
    rf"(?P<never>\b(?:{_AUX}{_NOT}|not) (?:be )?{_LEAVE} to\b|\b(?:cannot|can['’]t|won['’]t)\b|\b{_AUX}{_NOT}\b|"
    r"\b(?:shall|will|may|must|can) (?:at no time|under no circumstances|in no event)\b|"
    rf"\b(?:neither|nothing)\b[^.;:]{{0,80}}?\b{_AUX}\b|"
    r"\b(?<!there is )no [^.;:,]{1,40}?\b(?:shall|may|will|can|must)\b|"
    rf"\bnot to\b|(?<=[),:;] )not\b(?= \w)|\b(?:{_BAR}|refrains?|abstains?|desists?) from\b|\bwithout(?= \w+ing\b))|"
    rf"(?P<leave>\b(?:may|can|might)\b|\b{_LEAVE} to\b|\bha(?:s|ve) the right to\b)|"
    rf"(?P<must>\b(?:shall|must|will)\b|"
    rf"\b(?:agree(?:s|d)?|undertak(?:es?|ing)|{_BOUND}|has|have|needs?|promises?) (?:\w+ly )?to\b)",
    re.IGNORECASE,
)
#: What says that a rule holds for a part, so that the rest may be otherwise.
_LIMIT = re.compile(
    r"\b(?:except\w*|unless|other than|only|solely|sole|save|no other|exclusively|limited to|apart from|"
    r"beyond|until|outside|within|up to|(?:more|longer) than|at most)\b",
    re.IGNORECASE,
)
#: What a rule hangs on: "not without consent" is no opposite of "with consent".
_HANGS = re.compile(
    r"\b(?:with|without|if|when|where|once|after|before|provided|as long as|subject to)\b", re.IGNORECASE
)
#: What may stand between a head and its act.
_LEAD = re.compile(
    r"(?:\s*(?:at any time|in any (?:way|manner)|in whole or in part|directly or indirectly|\w+ly\b|,[^,;:]{1,90},|:|"
    r"\([a-z0-9]{1,4}\)|\b(?:be|been|also|to)\b|,))*\s*",
    re.IGNORECASE,
)
_JOINED = re.compile(r",|;|\b(?:and|or|nor)\b|\([a-z0-9]{1,4}\)", re.IGNORECASE)
#: "May be kept here but not there" lets nobody keep it there.
_SET_ASIDE = re.compile(r",? but not\b", re.IGNORECASE)
_NOBODY = re.compile(r"(?:neither|no|nothing)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?;](?=\s|\Z)")
#: Verbs that say nothing without their noun: "make a copy".
_LIGHT = frozenset({"make", "makes", "made", "making", "create", "take", "give", "any"})
#: Verbs of no group that a list of acts may hold, words before a head that belong to its clause, and characters before it in
#: which an "only" stands.
_UNKNOWN, _BEFORE, _AHEAD = 3, 8, 24
#: The share of the words of a claim that a clause must have to be of the same thing.
_SAME_THING = 0.4
#: The share of the words behind its act, which say what it is done to.
_SAME_OBJECT = 0.2
#: A clause that agrees counts as this much nearer.
_AGREEING = 0.1
_AGAINST = {("leave", "never"), ("must", "free"), ("must", "never")}


@dataclass(frozen=True, slots=True)
class Bond:
    """What a clause says of some acts: ``leave`` to do them, that one ``must``, ``never`` may, or is ``free`` not to.

    ``about``: the stems of its words, without the acts; ``to``: of those behind its head; ``limited``:
    whether it says so for a part only; ``hangs``: whether it says so under a condition.
    """

    mood: str
    acts: frozenset[str]
    about: frozenset[str]
    to: frozenset[str]
    limited: bool
    hangs: bool


def mood_conflict(claim: str, sentences: Sequence[str]) -> str | None:
    """Says so where the clause nearest to the claim's lets, bids or forbids the same act otherwise; else ``None``."""
    for mine in bonds(claim)[:1]:
        if not mine.about:
            continue
        nearest, opposed = 0.0, False
        for sentence in sentences:
            for other in bonds(sentence):
                against = _against(mine, other)
                if against is None:
                    continue
                if mine.to and len(mine.to & other.about) / len(mine.to) < _SAME_OBJECT:
                    continue
                shared = len(mine.about & other.about) / len(mine.about) + (0.0 if against else _AGREEING)
                if shared > nearest:
                    nearest, opposed = shared, against
        if opposed and nearest >= _SAME_THING:
            return "says the opposite of what it cites"
    return None


def _against(mine: Bond, other: Bond) -> bool | None:
    """Whether the bonds can't both hold; ``None`` where they are of different acts."""
    if mine.acts & other.acts:
        pair = (mine.mood, other.mood)
        if pair not in _AGAINST and pair[::-1] not in _AGAINST:
            return False
        if mine.hangs and other.hangs:
            return False
        if mine.mood == "never":
            return not other.limited and not (mine.limited and other.mood == "must")
        return not (mine.mood == "leave" and other.limited)
    turned = any(OPPOSED.get(act, frozenset()) & other.acts for act in mine.acts)
    return True if turned and (mine.mood, other.mood, other.limited) == ("leave", "must", False) else None


@lru_cache(maxsize=1 << 12)
def bonds(text: str) -> tuple[Bond, ...]:
    """What the clauses of a text let, bid or forbid."""
    return tuple(_bonds(text))


def _bonds(text: str) -> Iterator[Bond]:
    folded, found = fold(text), words(text)
    heads = list(_HEAD.finditer(folded))
    stops = [match.end() for match in _SENTENCE.finditer(folded)]
    for at, head in enumerate(heads):
        following = heads[at + 1].start() if at + 1 < len(heads) else len(folded)
        end = min([following, *(stop for stop in stops if stop > head.end() and folded[stop - 1] != ";")])
        if set_aside := _SET_ASIDE.search(folded, head.end(), end):
            end = set_aside.start()
        start = max((stop for stop in stops if stop <= head.start()), default=0)
        behind = [word for word in found if head.end() <= word.start < end]
        acts = frozenset(_acts(behind, folded, head.end()))
        if not acts:
            continue
        # "Neither guests nor staff may" names its parties within the head.
        inner = head.end() if _NOBODY.match(head[0]) else head.start()
        before = [word for word in found if start <= word.start < inner][-_BEFORE:]
        about, to = (
            frozenset(word.stem for word in group if word.stem and not act_of(word))
            for group in ((*before, *behind), behind)
        )
        first = at == 0 or heads[at - 1].end() <= start
        ahead = start if first else max(start, head.start() - _AHEAD)
        limited, hangs = (pattern.search(folded, ahead, end) is not None for pattern in (_LIMIT, _HANGS))
        limited = limited or set_aside is not None
        mood = "leave" if head.lastgroup == "may" else str(head.lastgroup)
        yield Bond(mood, acts, about, to, limited, hangs)


def _acts(behind: Sequence[Word], folded: str, start: int) -> Iterator[str]:
    """The acts right behind a head: "not use, copy or otherwise disclose"."""
    lead = _LEAD.match(folded, start)
    place = lead.end() if lead else start
    said = [
        word
        for word in behind
        if word.start >= place and word.stem and not word.text.endswith("ly") and word.text not in _LIGHT
    ]
    unknown = 0
    for at, word in enumerate(said):
        act = act_of(word)
        if act:
            yield act
        unknown += not act
        # A verb of no group may have one word behind it: "modify, reverse engineer or copy".
        last = said[min(at + 1 + (not act and unknown == 1), len(said) - 1)]
        if unknown > _UNKNOWN or not _JOINED.search(folded, word.end, last.start):
            return
