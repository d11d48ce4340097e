"""What a claim makes of a rule's reach: an exception, an "only" or any number of times of which the rule says nothing.

Asked of a claim and a sentence that speak of the same; each check is one of words that only one of them has.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from nodes.exclusive import exclusive_conflict
from nodes.numerals import quantities
from nodes.polarity import COMPARABLE, contradicts, denials, neutral
from nodes.words import content, stem, words

_EXCEPT = re.compile(
    r"\b(?:except(?:ing| for)?|excluding|apart from|other than|save for|aside|with the exception of|"
    r"освен|с изключение на|außer)\b",
    re.IGNORECASE,
)
_UNLESS = re.compile(r"\b(?:unless|освен ако|es sei denn)\b", re.IGNORECASE)
#: What a rule says when it holds for some and not for others, so that an exception may be another way to say it.
_PARTS = re.compile(
    r"\b(?:except\w*|exclud\w+|apart from|other than|save for|unless|only|solely|if|when|where|not|no|cannot|but|most|without|"
    r"освен|изключ\w+|само|ако|когато|не|без|außer|nur|wenn|nicht|ohne)\b|n['’]t\b",
    re.IGNORECASE,
)
#: What a rule hangs on, so that "not unless" may be another way to say it.
_HANGS = re.compile(
    r"\b(?:unless|except\w*|exclud\w+|only|solely|if|when|where|must|shall|needs?|requir\w+|ha(?:s|ve) to|without|provided|until|"
    r"within|once|subject to|освен|само|ако|когато|трябва|без|nur|wenn|muss|ohne)\b",
    re.IGNORECASE,
)
_ONLY = re.compile(r"(?<!not )\b(?:only|solely|exclusively|само|единствено|nur)\b", re.IGNORECASE)
_NARROW = re.compile(
    r"\b(?:only|solely|exclusively|except|unless|limited|nothing|none|no|not|cannot|must|just|within|up to|either|if|when|where|"
    r"needs?|requir\w+|certain|selected|some|once|without|nur|само|освен|ако|когато|трябва|не)\b(?! side)|n['’]t\b",
    re.IGNORECASE,
)
_ONLY_FOR = re.compile(
    r"\b(?:only|само|nur) (?:for|on|in|to|with|at|by|за|при|с|със|в|във|на|für|bei|mit)\b", re.IGNORECASE
)
#: "Only unused items may be returned" bids that they be unused; without its first word it leaves that open.
_ONLY_SUCH = re.compile(r"\W*only [^.;:]*?\b(?:may|can)\b", re.IGNORECASE)
_ALL = re.compile(r"\b(?:all|every|any|всички|всеки|всяка|всяко|alle)\b", re.IGNORECASE)
_UNLIMITED = re.compile(
    r"\b(?:any number of times|as (?:often|many times|frequently) as (?:you|they|he|she|the \w+) (?:like|wish|want|need)\w*|"
    r"more than once|repeatedly|several times|multiple times|"
    r"many times|unlimited(?:ly)?|многократно|няколко пъти|повече от веднъж|неограничено|mehrmals|beliebig oft)\b",
    re.IGNORECASE,
)
_LIMITED = re.compile(r"\b(?:once|one time|a single time|twice|веднъж|еднократно|einmal)\b", re.IGNORECASE)
_DEGREE = re.compile(
    r"\b(?:half|semi|partly|partially|nearly|almost|наполовина|почти)[ -]([^\W\d_]{3,})", re.IGNORECASE
)
_ENOUGH = re.compile(
    r"\b(?:needs? only|only (?:needs?|ha(?:s|ve) to)|(?:is|are) (?:enough|sufficient)(?! for)|suffices? to|"
    r"достатъчно е|стига да)\b",
    re.IGNORECASE,
)
#: A rule that denies something of something else shares this many words with what stands behind "only".
_SAME_RULE = 2
#: A number this near behind "only" is what it is said of.
_AT_ONCE = 12


def reach_conflict(claim: str, sentence: str, near_copy: bool) -> str:
    """How the claim widens or narrows a sentence of the same words; an empty text where it does not."""
    unless = _UNLESS.search(claim)
    if unless and not _HANGS.search(sentence):
        return f"makes an exception ({unless[0]!r}) where what it cites makes none"
    excepted = None if unless or not near_copy else _EXCEPT.search(claim)
    if excepted and not _PARTS.search(sentence):
        return f"makes an exception ({excepted[0]!r}) where what it cites makes none"
    if _says_only(claim) and not _NARROW.search(sentence):
        return "says of one alone what it cites does not"
    if (
        near_copy
        and _ALL.search(claim)
        and _ONLY_FOR.search(sentence)
        and not _ALL.search(sentence)
        and not _ONLY.search(claim)
    ):
        return "says of all what it cites for some"
    if _ENOUGH.search(claim) and not _ENOUGH.search(sentence) and not _ONLY.search(sentence):
        return "says that a part of what it cites is enough"
    return _degree_conflict(claim, sentence) if near_copy else ""


def times_conflict(claim: str, sentence: str) -> str | None:
    """A thing done any number of times that the sentence has done once; ``None`` where the claim says no such thing."""
    often = _UNLIMITED.search(claim)
    if often is None or _UNLIMITED.search(sentence) or not _LIMITED.search(sentence):
        return None
    wanted = content(claim) - content(often[0])
    told = len(wanted & content(sentence)) / len(wanted) if wanted else 0.0
    same_sign = denials(neutral(claim)) % 2 == denials(neutral(sentence)) % 2
    return f"says {often[0]!r} of what it cites for a few times" if told >= COMPARABLE and same_sign else None


def without_borne_only(claim: str, sentences: Sequence[str]) -> str:
    """The claim without an "only" that two rules bear out: one affirms the rest, and another denies it of something else.

    "You only get the fee back for a broken item", where a broken item's claim covers the fee and a lost one's does not.
    """
    only = _ONLY.search(claim)
    if only is None or _ONLY_SUCH.match(claim) or any(exclusive_conflict(claim, sentence) for sentence in sentences):
        return claim
    said = content(claim[only.end() :])
    rest = " ".join(_ONLY.sub("", claim).split())
    signs = {contradicts(rest, sentence) for sentence in sentences}
    denied = any(
        denials(neutral(sentence)) % 2 and len(said & content(sentence)) >= _SAME_RULE for sentence in sentences
    )
    return rest if False in signs and denied and not denials(neutral(rest)) % 2 else claim


def _says_only(claim: str) -> bool:
    """Whether a claim says "only" of something else than a number."""
    starts = [quantity.start for quantity in quantities(claim)]
    return any(
        not any(match.end() <= start <= match.end() + _AT_ONCE for start in starts)
        and not claim[match.end() :].startswith(" once")
        for match in _ONLY.finditer(claim)
    )


def _degree_conflict(claim: str, sentence: str) -> str:
    """A copy with "full" for "half-full", or the other way round."""
    mine, theirs = _graded(claim), _graded(sentence)
    plain = {word.stem for word in words(claim)}, {word.stem for word in words(sentence)}
    for graded, other, held in ((theirs, mine, plain[0]), (mine, theirs, plain[1])):
        if graded and not other and graded.keys() & held:
            return f"{next(iter(graded.values()))!r} is said on one side alone"
    return ""


def _graded(text: str) -> dict[str, str]:
    """The stems of words behind "half" and its like, with how they are written."""
    found = ((stem(match[1].casefold()), match[0]) for match in _DEGREE.finditer(text))
    return {name: written for name, written in found if name}
