"""How far a rule binds: a duty told as a choice or as advice, advice or a choice told as a duty.

Read by the words that say so ("must", "should", "may"), of a claim and a sentence of the same words.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Set as AbstractSet

from nodes.parties import party_words
from nodes.words import words

_DUTY = re.compile(
    r"\b(?:must|shall|(?<!not )(?<!n't )(?:required|mandatory|compulsory|obligatory|obliged|ha(?:s|ve) to)|"
    r"(?<!no )(?<!not )(?<!n't )needs?(?! not)|(?<!не )(?:трябва|длъжен|длъжни))\b",
    re.IGNORECASE,
)
#: "Should you lose it" is a condition.
_ADVICE = re.compile(
    r"(?<!if you )(?<!if they )\b(?:should(?! (?:you|they|he|she|it|we|an?|the|any|this|there)\b)|ought to|advis(?:ed|able)|"
    r"recommend(?:s|ed)?|encouraged|asked to|requested to|expected to|предпоръч\w+|препоръч\w+|желателно|sollte[nst]?)\b",
    re.IGNORECASE,
)
_CHOICE = re.compile(r"\b(?:may|might|can)\b(?! not\b|['’]t)", re.IGNORECASE)
_MAY = re.compile(r"\b(?:may|can)(?! not\b)\b", re.IGNORECASE)
#: What says of itself that it binds nobody.
_FREELY = re.compile(
    r"\b(?:optional(?:ly)?|voluntar(?:y|ily)|ideally|if (?:you|they|he|she|the \w+) (?:likes?|wish(?:es)?|wants?|prefers?)|"
    r"по желание|freiwillig)\b",
    re.IGNORECASE,
)
#: "Only unused items may be returned" is a duty told of the items; "some duties may remain" leaves nobody a choice.
_ONLY_MAY = re.compile(r"\A\W*(?:only|some|certain|nur|само|някои)\b", re.IGNORECASE)
_FORBIDDEN = re.compile(r"\b(?:must|shall)(?: not|n['’]t)\b", re.IGNORECASE)
#: "Only members may vote" binds who votes.
_ONLY = re.compile(r"\b(?:only|solely|nur|само)\b", re.IGNORECASE)
#: "Must be lodged within two weeks" keeps a term that one may use.
_IN_TERM = re.compile(r"\b(?:within|by|before|no later than|until|at least|in writing|only)\b", re.IGNORECASE)
_KEPT_TERM = re.compile(r"\bbe \w+ (?:\w+ ){0,3}?(?:within|by|no later than)\b", re.IGNORECASE)
_BINDS = re.compile(r"\b(?:must|shall|ha(?:s|ve) to|needs? to|should|may|might|can)\b(?! not\b|['’]t)", re.IGNORECASE)
#: The share of the words of either that both have, where a rule is told of what another verb binds.
_COMPARABLE = 0.75


def bond_conflict(claim: str, sentence: str, mine: AbstractSet[str], theirs: AbstractSet[str], near_copy: bool) -> str:
    """How the claim binds otherwise than the sentence, or an empty text. ``mine``, ``theirs``: the stems of their words."""
    bound, advised, chosen = (pattern.search(sentence) is not None for pattern in (_DUTY, _ADVICE, _MAY))
    whole = mine - party_words(claim) <= theirs
    may = _CHOICE.search(claim) and not _ONLY_MAY.search(claim) and not _DUTY.search(claim) and not _ONLY.search(claim)
    if bound and may and not _CHOICE.search(sentence) and (near_copy or (whole and not _IN_TERM.search(claim))):
        return "makes a choice of what it cites as a duty"
    if bound and not advised and not chosen and _ADVICE.search(claim) and not _DUTY.search(claim):
        return "makes advice of what it cites as a duty"
    if advised and not bound and _DUTY.search(claim) and not _ADVICE.search(claim):
        return "makes a duty of what it cites as advice"
    if (
        chosen
        and not bound
        and _DUTY.search(_FORBIDDEN.sub("", claim))
        and not _MAY.search(claim)
        and not _ONLY.search(sentence)
    ):
        in_place = bool(_bound_acts(claim) & _bound_acts(sentence))
        if (whole and not _IN_TERM.search(claim)) or (
            in_place and (whole or near_copy) and not _KEPT_TERM.search(claim)
        ):
            return "makes a duty of what it cites as a choice"
    return ""


def freely_conflict(claim: str, sentence: str, spoken: Callable[[str], AbstractSet[str]]) -> str | None:
    """A duty of which the claim says that it binds nobody; ``None`` where it says no such thing. ``spoken``: a text's stems."""
    match = _FREELY.search(claim)
    if match is None or not _DUTY.search(sentence) or _FREELY.search(sentence):
        return None
    wanted = spoken(claim) - spoken(" ".join(_FREELY.findall(claim)))
    shared = len(wanted & spoken(sentence)) / len(wanted) if wanted else 0.0
    return "makes a choice of what it cites as a duty" if shared >= _COMPARABLE else None


def says_freely(text: str) -> bool:
    """Whether a text says of itself that it binds nobody."""
    return _FREELY.search(text) is not None


def _bound_acts(text: str) -> set[tuple[str, str]]:
    """The content words before and behind each word that binds: who, and what is bound."""
    found = [word for word in words(text) if word.stem]
    out = set()
    for match in _BINDS.finditer(text):
        before = next((word.stem for word in reversed(found) if word.end <= match.start()), "")
        behind = next((word.stem for word in found if word.start >= match.end()), "")
        out.add((before, behind))
    return out
