"""Two texts brought to one way of denying before their denials are counted: "free" and "not paid", "missing" and "without"."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet

from nodes.words import content, words

#: What is free is not paid for: counted as a denial where both texts speak of paying.
_COST = re.compile(
    r"\b(?:pay|pays|paid|paying|costs?|fees?|charges?|charged|price|free|waived?|exempt|безплатн\w*|такс\w+|плащ\w+|освободен\w*|"
    r"kostenlos|kostenfrei|kostet|kosten)\b",
    re.IGNORECASE,
)
_FREE = re.compile(
    r"\bavoid(?:s|ed|ing)?\b|\b(?<!feel )(?<!-)free(?!-)\b(?: of (?:cost|charge))?|"
    r"\bwaived?\b|\bexempt(?:ed)?\b|\bбезплатн\w*|\bосвободен\w*|"
    r"\bkostenlos\w*|\bkostenfrei\w*",
    re.IGNORECASE,
)
_MISSING = re.compile(r"\b(?:missing|absent|липсва\w*)\b", re.IGNORECASE)
_WITHOUT = re.compile(r"\b(?:without|lack(?:s|ing)?|no|без)\b", re.IGNORECASE)
_EXEMPT = re.compile(r"\bexempt(?:ed)?\b", re.IGNORECASE)
_FREE_OF = re.compile(r"\bfree (?:of|from)\b(?! (?:charge|cost|\w+ (?:charge|cost)))", re.IGNORECASE)
_CHARGED = re.compile(
    r"\bcosts? (?:extra|more|money|something)\b|\b(?:is|are) (?:chargeable|billable)\b", re.IGNORECASE
)
#: "Other pets are not allowed" denies all but an exception, as "pets are not allowed, except dogs" does.
_OTHER = re.compile(r"\bother\b(?! than)", re.IGNORECASE)
_EXCEPTION = re.compile(
    r"(?:,| \(|) ?\b(?:except(?:ing)?(?: for)?|excluding|apart from|with the exception of)\b(?P<what>[^.;()]*)\)?",
    re.IGNORECASE,
)
_EXCEPT = re.compile(r"\b(?:except(?:ing)?|excluding|unless)\b", re.IGNORECASE)
_OR_ELSE = re.compile(
    r"\b(?:otherwise|or else|(?<=\w )or (?=(?:they|he|she|it|you|we) \w|(?:pays?|loses?|forfeits?|will|must|is|are)\b))",
    re.IGNORECASE,
)
_IF_NOT = re.compile(
    r"\bunless\b|\b(?:if|when|where|who|that|which|anyone|whoever)\b[^,;:]*?(?:\bnot\b|n't\b|\bless than\b|\bmore than\b)",
    re.IGNORECASE,
)
_BUT_NOT = re.compile(r",? (?:but|and) not (?P<what>[^.;:]+)(?=\W*\Z)", re.IGNORECASE)
_TOKEN = re.compile(r"\w+")
_DENIED = re.compile(r"\bnot |\bno ", re.IGNORECASE)


def alike(one: str, other: str, cues: AbstractSet[str]) -> tuple[str, str]:
    """The neutral texts, each with what the other one says in another word. ``cues``: the words that deny."""
    one, other = _forms_alike(*_lacks_alike(*_costs_alike(one, other)), cues)
    one, other = _others_alike(*_others_alike(one, other)[::-1])[::-1]
    return _otherwise_alike(one, _without_exception(one, other))


def _costs_alike(one: str, other: str) -> tuple[str, str]:
    """The texts with "free" as a denial of paying, where both speak of that."""
    if not (_COST.search(one) and _COST.search(other)):
        return one, other
    if len(_FREE.findall(one)) == len(_FREE.findall(other)):
        return _EXEMPT.sub("waived", one), _EXEMPT.sub("waived", other)
    one, other = _CHARGED.sub("is", one), _CHARGED.sub("is", other)
    cost = [_COST.search(_FREE.sub("", text)) for text in (other, one)]
    # "Is free" is "not charged": the verb that it denies is of what is said.
    said = [f"not {found[0]}" if found else "not" for found in cost]
    return _FREE.sub(said[0], one), _FREE.sub(said[1], other)


def _lacks_alike(one: str, other: str) -> tuple[str, str]:
    """The texts with "missing" and "free of" as denials, where the other one says "without"."""
    if _FREE_OF.search(one) and _WITHOUT.search(other):
        one = _FREE_OF.sub("without", one)
    elif _FREE_OF.search(other) and _WITHOUT.search(one):
        other = _FREE_OF.sub("without", other)
    if _MISSING.search(one) and _WITHOUT.search(other) and not _MISSING.search(other):
        return _MISSING.sub("not", one), other
    if _MISSING.search(other) and _WITHOUT.search(one) and not _MISSING.search(one):
        return one, _MISSING.sub("not", other)
    return one, other


def _forms_alike(one: str, other: str, cues: AbstractSet[str]) -> tuple[str, str]:
    """The texts without a denying word of which the other one has a form that counts as none: "may refuse", "may be refused"."""
    return _in_form_of(one, other, cues), _in_form_of(other, one, cues)


def _in_form_of(text: str, other: str, cues: AbstractSet[str]) -> str:
    found, theirs = words(text), words(other)
    denying = {word.stem for word in theirs if word.text in cues}
    plain = {word.stem: word.text for word in theirs if word.stem and word.text not in cues}
    for word in reversed(found):
        if word.text in cues and word.stem in plain and word.stem not in denying:
            text = text[: word.start] + plain[word.stem] + text[word.end :]
    return text


def _others_alike(one: str, other: str) -> tuple[str, str]:
    """The texts with "other" as a denial where the other one makes an exception."""
    if _OTHER.search(one) and _EXCEPT.search(other) and not _EXCEPT.search(one):
        return _OTHER.sub("other except", one), other
    return one, other


def _otherwise_alike(one: str, other: str) -> tuple[str, str]:
    """The texts with "otherwise" and "or pays" as "if not", where the other one says it so."""
    for first, second in ((one, other), (other, one)):
        if _OR_ELSE.search(first) and not _OR_ELSE.search(second) and _IF_NOT.search(second):
            turned = _OR_ELSE.sub(lambda match: f"{match[0].rstrip()} not ", first, count=1)
            return (turned, other) if first is one else (one, turned)
    return one, other


def _without_exception(claim: str, source: str) -> str:
    """The source without the exception that it makes at its end: what it says of the rest, where the claim names nothing of the
    exception; where it names nothing but that, the source without its denials, since two make none.
    """
    source = _without_contrast(claim, source)
    found = _EXCEPTION.search(source)
    if found is None or _EXCEPT.search(claim) or source[found.end() :].strip(" ."):
        return source
    said, excepted = content(claim), content(found["what"])
    if excepted and not said & excepted:
        return source[: found.start()]
    rest, denied = source[: found.start()], [*_DENIED.finditer(source[: found.start()])]
    if excepted <= said and len(denied) == 1:
        return f"{rest[: denied[0].start()]}{rest[denied[0].end() :]} {found['what']}"
    return source


def _without_contrast(claim: str, source: str) -> str:
    """The source without a "but not in zone A" at its end of which the claim names nothing that the rest does not name too."""
    found = _BUT_NOT.search(source)
    if found is None:
        return source
    rest = set(_TOKEN.findall(source[: found.start()]))
    apart = set(_TOKEN.findall(found["what"])) - rest
    return source if not apart or apart & set(_TOKEN.findall(claim)) else source[: found.start()]
