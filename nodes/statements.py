"""The statements of a sentence that are compared each by itself: a rule and its reason, two rules in one, "A doesn't; B does"."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

from nodes.agreement import plain_words
from nodes.facts import facts_of

_REASON = re.compile(r",? because\b|, but (?=not\b)|, (?:since|as|so|weil|защото)\b|,? тъй като\b", re.IGNORECASE)
_AND = re.compile(r";|,? (?:and|while|whereas|but|und|während|и|а)\b", re.IGNORECASE)
_TOO = re.compile(
    r"(?:[;,]| and| but| while| whereas)+ (?P<name>(?:the )?[\w-]*\d[\w-]*) "
    r"(?:does|do|can|is|has|will|must|may)(?P<denied>n't| not)?\W*\Z",
    re.IGNORECASE,
)
_BUT_NOT = re.compile(
    r",? but not (?=(?:for|to|in|with|by|on|at|via|from)\b)|, но не (?:и )?(?=(?:за|по|на|при|с|в)\b)", re.IGNORECASE
)
#: "A may be kept in the cellar, but B may not (unless …)": what the second one may not is what the first one may.
_ELLIPSIS = re.compile(
    r"\A(?P<subject>[^,;:]{2,60}?) (?P<aux>is|are|may|must|can|will|shall)(?P<not>n['’]t| not|not)? (?:be )?(?P<said>[^;]+?)"
    r"(?:,? (?:but|while|whereas)|;) (?P<other>[^,;:]{2,60}?) (?P<aux2>is|are|may|must|can|will|shall)"
    r"(?P<not2>n['’]t| not|not)?(?: be)?(?P<rest> (?:if|unless|when|where|with|without|after|before|only) [^.;]+)?\W*\Z",
    re.IGNORECASE,
)
_WHERE = re.compile(r" (?:at|in|on|by|from|to|for|with|without|within|until|before|after)\b", re.IGNORECASE)
_NOT = re.compile(
    r"\b(does|do|is|has|will|must|may)(?:n['’]t| not)\b|\b(can)(?:['’]t| not)\b|\bcannot\b", re.IGNORECASE
)
#: Fewer words than this make no rule of their own.
_RULE = 2
#: Places at which a sentence may be cut in two: one with more joins a list.
_MOST = 12


@lru_cache(maxsize=1 << 12)
def parts(claim: str) -> tuple[str, ...]:
    """The statements of a sentence that are compared each by itself: a reason and what follows from it, or two rules in one."""
    found = []
    partly = _BUT_NOT.search(claim)
    if partly:
        rest = claim[partly.end() :]
        return (claim[: partly.start()], f"not {rest}") if len(plain_words(rest)) > 1 else (claim[: partly.start()],)
    for piece in _REASON.split(claim):
        told = told_again(piece) or _in_full(piece)
        if told:
            found += told
            continue
        cut = next((match for match in islice(_AND.finditer(piece), _MOST) if _cuts(piece, match)), None)
        found += [piece[: cut.start()], piece[cut.end() :]] if cut else [piece]
    spoken = tuple(piece.strip() for piece in found if len(plain_words(piece)) > 1)
    return spoken if len(spoken) > 1 else (claim,)


def told_again(claim: str) -> list[str]:
    """The statements of "the A-1 doesn't fold; the B-2 does", the second one in full; empty where it is no such sentence."""
    match = _TOO.search(claim)
    codes = facts_of(claim[: match.start()]).codes if match else {}
    others = facts_of(match["name"]).codes if match else {}
    if match is None or len(codes) != 1 or len(others) != 1:
        return []
    first = claim[: match.start()]
    affirmed = _NOT.sub(lambda denial: denial[1] or denial[2] or "can", first)
    said = f"{match['name']} not" if match["denied"] else match["name"]
    return [first, re.sub(rf"(?:\bthe )?{re.escape(next(iter(codes.values())))}", said, affirmed, flags=re.IGNORECASE)]


def _in_full(claim: str) -> list[str]:
    """Both statements of "A may be kept here, but B may not", the second one in full; empty where it is no such sentence."""
    match = _ELLIPSIS.match(claim)
    if match is None:
        return []
    be = "" if match["aux2"].casefold() in ("is", "are") else " be"
    said = _WHERE.split(match["said"], maxsplit=1)[0]  # where the first one is done need not be where the second one is
    second = f"{match['other']} {match['aux2']}{' not' if match['not2'] else ''}{be} {said}{match['rest'] or ''}"
    return [claim[: match.end("said")], second]


def _cuts(piece: str, match: re.Match[str]) -> bool:
    one, other = piece[: match.start()], piece[match.end() :]
    if match[0] == ";":
        return min(len(plain_words(one)), len(plain_words(other))) >= _RULE
    return _both_rules(one, other)


def _both_rules(one: str, other: str) -> bool:
    """Whether both halves say something of their own with a quantity of one kind: "A costs 5, and B costs 7"."""
    if min(len(plain_words(one)), len(plain_words(other))) < _RULE:
        return False
    kinds, others = ({quantity.measure[0] for quantity in facts_of(half).quantities} for half in (one, other))
    return bool(kinds & others - {""})
