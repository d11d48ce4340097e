"""A rule told without what it hangs on: "the fee is refunded" where the source adds "when an express order arrives late".

A condition is dropped where the claim is the rest of the sentence and neither it, nor the question, nor the other sentences of
the answer speak of the condition. What merely says when a thing happens may be left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache

from knowledge.codes import fold
from nodes.agreement import plain_words
from nodes.numerals import quantities
from nodes.words import content

_MARK = re.compile(
    r"\b(?<!even )(?<!as )(?<!what )(?<!ask )(?:(?:only|solely) (?:if|when|where|with|in|for|before|after|on|to|at|by|until|"
    r"between|from|during|under)|if|unless|except(?: for| in| if| when)?|provided(?: that)?|as long as|"
    r"in (?:the )?(?:case|event) of|subject to|when|where|"
    r"ако|освен ако|освен|само (?:ако|при|с|за)|при условие|nur (?:mit|wenn|bei|nach|in)|wenn|falls|sofern|außer)\b",
    re.IGNORECASE,
)
#: A claim with one of these speaks of a condition, perhaps in other words.
_SAYS_ONE = re.compile(
    r"\b(?:if|unless|except|excluding|provided|only|solely|when|where|whenever|once|depend\w*|subject to|as long as|in case|"
    r"with (?:the|their|your|his|her|its|written) (?:\w+ )*(?:agreement|approval|consent|permission)|without|after|before|until|"
    r"certain|some|those|such|then|conditions?|ако|освен|само|при|след|без|с|"
    r"nur|wenn|falls|sofern|außer|bei|mit|ohne|nach|с|при)\b",
    re.IGNORECASE,
)
_WEAK = re.compile(r"\A(?:when|where|if|wenn|ако)\Z", re.IGNORECASE)
#: What a rule grants, costs or ends: there a "when" is a condition.
_GRANTS = re.compile(
    r"\b(?:can|may|free|refund\w*|waive\w*|covers?|covered|entitled|pays?|paid|costs?|replaces?|replaced|reimburse\w*|terminate\w*|"
    r"possible|eligible|allowed|ends?|ended|extended|може|kann|können|darf|dürfen)\b",
    re.IGNORECASE,
)
#: Orders of an amount, persons of an age: who or what the rule is for.
_FOR_SOME = re.compile(
    r"\bfor (?:\w+ ){1,3}(?:of|under|over|above|below|from|up to|aged) [^,.;]*?\d[^,.;]*|"
    r"(?<=[a-z] )(?:aged|under|over|above|below) \d+(?: (?:to|and|or) \d+)?(?= [a-z])|"
    r"\b(?:that|who|which) (?:are|is|do|does|have|has) not [^,.;]*?(?= (?:must|may|can|cannot|shall|will|is|are)\b)",
    re.IGNORECASE,
)
#: A German condition stands before the verb.
_ENDS = re.compile(r"[,;.]|(?= \w+(?:en|t) (?:werden|wird)\b)")
_CLAUSE = re.compile(r"; |, (?:which|who|but|while|whereas)\b", re.IGNORECASE)
_UNCONDITIONAL = re.compile(
    r"\b(?:in (?:every|any|all) cases?|in all circumstances|under all circumstances|automatically|unconditionally|always|"
    r"without (?:any )?(?:asking|exceptions?|conditions?|approval|permission|limits?)|regardless of \w+|no matter \w+|"
    r"във всички случаи|винаги|автоматично|immer|in jedem fall|automatisch)\b",
    re.IGNORECASE,
)
_LIMITS = re.compile(
    r"\b(?:if|unless|except|only|when|where|may|can|up to|at most|provided|most|some|certain|selected|ако|освен|само|може|до|"
    r"wenn|nur|kann|darf|dürfen|bis zu)\b",
    re.IGNORECASE,
)
_MAIN, _TOLD = 0.75, 0.34


def dropped_condition(claim: str, sentence: str, around: AbstractSet[str]) -> str | None:
    """What the claim drops of a sentence's conditions; an empty text where nothing, ``None`` where it is not that sentence.

    ``around``: the content stems of the question and of the answer's other sentences.
    """
    wanted = plain_words(claim)
    overstated = _UNCONDITIONAL.search(claim)
    if overstated:
        wanted = wanted - content(overstated[0])
    if not wanted or len(wanted & plain_words(sentence)) / len(wanted) < _MAIN:
        return None
    if overstated and _LIMITS.search(sentence) and not _UNCONDITIONAL.search(sentence):
        return f"says {overstated[0]!r}, which what it cites does not"
    if _SAYS_ONE.search(claim):
        return ""
    told = content(claim) | around
    values = {quantity.measure for quantity in quantities(claim)}
    for condition, rest in conditions(sentence):
        held = content(condition)
        if not held or len(wanted & plain_words(rest)) / len(wanted) < _MAIN:
            continue
        if any(quantity.measure in values for quantity in quantities(condition)):
            continue
        if len(wanted & plain_words(_clause_of(sentence, condition))) / len(wanted) < _TOLD:
            continue  # what it says stands in another clause
        if len(held & told) / len(held) < _TOLD:
            return f"leaves out what it hangs on in what it cites: {condition!r}"
    return ""


def _clause_of(sentence: str, condition: str) -> str:
    """The clause that a condition closes: of "you get 5 weeks, which can't be sold except in June" the second one."""
    start = max(fold(sentence).find(condition), 0)
    cuts = [match.end() for match in _CLAUSE.finditer(sentence, 0, start)]
    following = _CLAUSE.search(sentence, start + len(condition))
    return sentence[cuts[-1] if cuts else 0 : following.start() if following else len(sentence)]


@lru_cache(maxsize=1 << 12)
def conditions(sentence: str) -> tuple[tuple[str, str], ...]:
    """The conditions of a sentence, each with the rest of the sentence."""
    return tuple(_conditions(fold(sentence)))


def _conditions(text: str) -> Iterator[tuple[str, str]]:
    for match in _MARK.finditer(text):
        end = _ENDS.search(text, match.end())
        stop = end.start() if end else len(text)
        condition, rest = text[match.start() : stop].strip(), f"{text[: match.start()]} {text[stop:]}"
        fronted = not text[: match.start()].strip(" ()0123456789")
        if _WEAK.match(match[0]) and not fronted and not _GRANTS.search(text[: match.start()]):
            continue
        if match[0].casefold() == "where" and not fronted:
            continue
        yield condition, rest
    for match in _FOR_SOME.finditer(text):
        yield match[0].strip(), f"{text[: match.start()]} {text[match.end() :]}"
