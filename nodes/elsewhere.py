"""A general rule told of a special case that another rule decides.

"Headphones can be returned within 30 days" may cite the general rule word for word; the electronics rule, which speaks of
headphones and gives 7 days, decides. A rule decides a claim when it gives another value of the same kind for the same thing, and
speaks of what the claim adds to the rule it cites.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from nodes.agreement import plain_words
from nodes.facts import facts_of
from nodes.numerals import Quantity
from nodes.parties import party_words
from nodes.polarity import contradicts, denials, neutral
from nodes.statements import told_again
from nodes.terms import anchor_stems
from nodes.words import content, stem

_DURATIONS = frozenset({"time", "months", "business day", "business hour"})
_MONEY = frozenset({"INR", "USD", "EUR", "GBP", "BGN"})
#: What says that a rule is for a thing, in another sentence than the rule itself.
_MEANS = re.compile(
    r"\b(?:appl(?:y|ies) to|counts? as|such as|includ(?:es|ing|ed)|belongs? to|refers? to|means|covers|"
    r"отнася се|важи за|gilt für)\b",
    re.IGNORECASE,
)
#: A claim that says itself that it gives the general rule, or that it does not hold.
_GENERAL = re.compile(
    r"\b(?:most|generally|in general|general rule|normally|usually|otherwise|other items|by default|except|unless|instead of|"
    r"rather than|not|обикновено|по принцип|освен|grundsätzlich|außer)\b",
    re.IGNORECASE,
)
_SOME = re.compile(r"\b(?:most|some|certain|usually|generally|повечето|някои|обикновено)\b", re.IGNORECASE)
_FREE = re.compile(
    r"\b(?:no (?:\w+ )?(?:fee|charge|cost)s?|free|nothing|waived?|exempt|avoid\w*|save|without|"
    r"не плащат|безплатн\w+|kostenlos)\b",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(
    r"^(?:according to|based on|under|per|as per|in line with|според|laut)\b[^,]{1,60},\s*", re.IGNORECASE
)
#: What speaks of a term and not of what it is for.
_OF_TERMS = frozenset(
    stem(word) for word in ("within", "date", "day", "period", "time", "term", "least", "most", "maximum", "minimum")
)
_NARROWED = re.compile(
    r"\b(?:with|that|which|who|when|if|of|by|after|for|cannot|can|must|may|is|are|do|does|не|nicht)\b", re.IGNORECASE
)
#: Content words that a claim must have to be said whole by a rule.
_SAYS_IT = 3
#: The share of a rule's words that a claim must say to tell the whole rule.
_TOLD = 0.75
#: The share of what claim and cited rule have in common that another rule must have to be of the same thing, or the share of what
#: the claim adds.
_SAME_THING, _ADDED = 0.6, 0.75


@dataclass(frozen=True, slots=True)
class Rule:
    """A sentence of a passage, with the stems of its passage's heading and of the sentences that say what the rule is for."""

    label: str
    text: str
    heading: frozenset[str]
    subjects: frozenset[str]


def rules_of(label: str, heading: str, sentences: Sequence[str]) -> list[Rule]:
    """The sentences of one passage as rules."""
    meant = [sentence for sentence in sentences if _MEANS.search(sentence)]
    subjects = frozenset(word for sentence in meant for word in plain_words(sentence))
    return [Rule(label, sentence, content(heading), subjects) for sentence in sentences]


def decided_elsewhere(claim: str, cited: Sequence[Rule], rules: Sequence[Rule]) -> str | None:
    """What decides the claim instead of the rule it cites, or ``None``. ``rules``: of all fitted passages, the cited ones too."""
    if _GENERAL.search(claim) or denials(neutral(claim)) % 2:
        return None
    claim = _LEAD_IN.sub("", claim)
    words = plain_words(claim)
    told = [quantity for quantity in facts_of(claim).quantities if quantity.measure[0] in _DURATIONS | _MONEY]
    for quantity in told:
        base = _cited_rule(words, quantity, cited)
        if base is None:
            continue
        added = words - plain_words(base.text) - base.heading
        shared = words & plain_words(base.text)
        shared = shared - anchor_stems(claim) - _OF_TERMS or shared
        if not added or not shared:
            continue
        for rule in rules:
            if rule.text != base.text and _decides(rule, base, quantity, claim, added, shared):
                return f"tells the general rule: another passage decides this ({rule.label}: {' '.join(rule.text.split())!r})"
    return None


def denied_elsewhere(claim: str, cited: Sequence[Rule], rules: Sequence[Rule], around: AbstractSet[str]) -> str | None:
    """What says the opposite of a claim that holds in some cases only and names none of them, or ``None``.

    "The fee is refunded", where one rule refunds it for a damaged item and another denies it for a normal return. The case is
    known where the claim or ``around``, the stems of the question and of the answer's other sentences, speak more of the rule
    that bears the claim out.
    """
    if _SOME.search(claim):
        return None
    signs = {rule.text: None if _of_another(claim, rule.text) else _sign(claim, rule.text) for rule in rules}
    if True not in signs.values():
        return None
    told = content(claim) | around
    bearing = [content(rule.text) for rule in cited if signs[rule.text] is False]
    if any(len(words & content(claim)) >= _TOLD * len(words) for words in bearing):
        return None  # the whole rule is told
    measures = _measures(claim)
    agreeing = [
        len(told & content(rule.text)) + len(measures & _measures(rule.text))
        for rule in cited
        if signs[rule.text] is False
    ]
    denying = [
        (len(told & content(rule.text)) + len(measures & _measures(rule.text)), rule)
        for rule in rules
        if signs[rule.text]
    ]
    most, rule = max(denying, key=lambda found: found[0])
    # A rule that is not cited must speak more of the case than the one that is.
    if not agreeing or max(agreeing) > most or (max(agreeing) == most and rule not in cited):
        return None
    case = (
        content(claim)
        - content(rule.text)
        - content(" ".join(other.text for other in cited if signs[other.text] is False))
    )
    if case & frozenset().union(*(content(other.text) for other in cited)):
        return None  # it names a case, of which the denial does not speak
    return f"holds in some cases only and names none: {rule.label} says {' '.join(rule.text.split())!r}"


def _sign(claim: str, rule: str) -> bool | None:
    """Whether a rule contradicts a claim; of "the A-1 doesn't fold; the B-2 does", each statement in full."""
    signs = [contradicts(part, rule) for part in told_again(claim) or [claim]]
    if any(sign is not None for sign in signs):
        return False not in signs
    said = content(claim)
    if len(said) < _SAYS_IT or not said <= content(rule):
        return None
    # The rule says all of it, too far apart to be set side by side: "the fee is refunded", "a refund … covers the … fee".
    return denials(neutral(claim)) % 2 != denials(neutral(rule)) % 2


def _of_another(claim: str, rule: str) -> bool:
    """Whether each speaks of a period that the other does not: "within 30 days" says nothing of "more than 7 days"."""
    mine, theirs = ({kind for kind in _measures(text) if kind[0] in _DURATIONS} for text in (claim, rule))
    return bool(mine and theirs and not mine & theirs)


def _cited_rule(words: frozenset[str], quantity: Quantity, cited: Sequence[Rule]) -> Rule | None:
    """The cited rule that gives the value, the one nearest to the claim."""
    holding = [rule for rule in cited if quantity.measure in _measures(rule.text)]
    return max(holding, key=lambda rule: len(words & plain_words(rule.text)), default=None)


def _decides(
    rule: Rule, base: Rule, quantity: Quantity, claim: str, added: frozenset[str], shared: frozenset[str]
) -> bool:
    own, words = plain_words(rule.text), added | shared
    subject = _subject(rule.text)
    special = added & (subject if rule.label == base.label else subject | rule.heading | rule.subjects)
    # The house's name makes no case of its own ("let Volta know"); who is in a role may be one.
    special -= party_words(claim) - party_words(claim.casefold())
    same = len(shared & (own | (rule.heading - base.heading))) / len(shared) >= _SAME_THING
    fits = len(added) > 1 and len(added & own) / len(added) >= _ADDED
    forbidden = same and denials(neutral(rule.text)) % 2 and special & subject
    if forbidden and not _measures(rule.text):
        return True
    mine, theirs = _share(own, words), _share(plain_words(base.text), words)
    if not special or not (same or fits) or mine < theirs or (mine == theirs and not fits):
        return False
    there, said = _measures(rule.text), _measures(claim)
    if there & said:
        return False
    if quantity.measure[0] in _MONEY:
        if _FREE.search(rule.text) and not _FREE.search(claim) and special & own:
            return True
        rivals = {measure for measure in there if measure[0] in (quantity.measure[0], "percent", "times")}
    else:
        rivals = {measure for measure in there if measure[0] in _DURATIONS}
    return bool(rivals)


def _subject(text: str) -> frozenset[str]:
    """What a sentence speaks of: its words before the verb's denial, without what narrows them."""
    return plain_words(_NARROWED.split(text)[0])


def _share(rule: frozenset[str], words: frozenset[str]) -> float:
    """How much of what a rule says the claim says: the rule that speaks of the case has the larger share."""
    return len(rule & words) / len(rule) if rule else 0.0


def _measures(text: str) -> frozenset[tuple[str, object]]:
    return frozenset(quantity.measure for quantity in facts_of(text).quantities)
