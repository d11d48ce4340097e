"""Who does what to whom: "the customer pays for the pickup" is not "Kartly pays for the pickup".

Parties are the usual roles of rules (customer, employer, courier, landlord …) and names. Their parts are read by position, not
parsed: who stands before a verb does it, unless a form of "be" makes it passive; who stands behind "by" does it; who stands
behind the verb or its "to" has it done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from knowledge.codes import fold
from nodes.words import Word, capitalises_nouns, stem, words

_HOUSE, _YOU, _NAME = "house", "you", "name"
#: Roles that a rule may address as "you".
_ADDRESSED = {
    "customer": "customer customers buyer buyers purchaser purchasers client clients consumer consumers shopper shoppers",
    "employee": "employee employees worker workers работник работникът работника",
    "applicant": "applicant applicants", "student": "student students", "visitor": "visitor visitors",
    "holder": "holder holders", "tenant": "tenant tenants renter lessee mieter mieterin mieters", "user": "user users",
    "member": "member members", "parent": "parent parents", "guest": "guest guests", "patient": "patient patients",
    "reader": "читател читателят читателя", "passenger": "passenger passengers", "borrower": "borrower borrowers",
    "insured": "insured policyholder policyholders", "taxpayer": "taxpayer taxpayers",
    "owner": "owner owners", "participant": "participant participants",
}  # fmt: skip
_OTHERS = {
    _HOUSE: "shop store seller company merchant vendor we us", "bank": "bank banks",
    "courier": "courier couriers carrier driver postman", "manager": "manager managers supervisor boss", "hr": "hr",
    "employer": "employer employers работодател работодателят работодателя", "municipality": "municipality council",
    "authority": "authority authorities", "court": "court courts", "manufacturer": "manufacturer maker producer",
    "partner": "partner partners", "landlord": "landlord lessor vermieter vermieters vermieterin", "police": "police",
    "insurer": "insurer insurers",
    "club": "club association organisation organization library",
    "doctor": "doctor doctors", "school": "school", "ministry": "ministry", "government": "government",
    "embassy": "embassy consulate", "provider": "provider providers supplier suppliers",
}  # fmt: skip
_CLASS = {word: name for group in (_ADDRESSED, _OTHERS) for name, forms in group.items() for word in forms.split()}
_CLASS["you"] = _YOU
_BE = frozenset("is are was were be been being isn't aren't wird werden wurde wurden".split())  # noqa: SIM905
_BASES = {
    "paid": "pay", "sent": "send", "made": "make", "given": "give", "taken": "take", "sold": "sell", "held": "hold",
    "shown": "show", "borne": "bear", "kept": "keep", "lost": "lose", "told": "tell", "brought": "bring", "bought": "buy",
}  # fmt: skip
_PREPOSITIONS = frozenset("to from by for with of on at against between than".split())  # noqa: SIM905
#: Behind a party they begin what it is given: "sends you a link".
_ARTICLES = frozenset({"a", "an", "the", "your", "his", "her", "its", "their", "any", "each", "every"})
_JOINS = frozenset({"and", "or", "then"})
#: What a house does: a capitalised word at a sentence's head that does it is a name.
_ACTS = re.compile(
    r" (?:\w+ )?(?:pays?|delivers?|sends?|arranges?|reimburses?|replaces?|collects?|confirms?|answers?|repairs?|refunds?|"
    r"charges?|offers?|provides?|ships?|informs?|notif(?:y|ies)|bears?|decides?|approves?|declines?|accepts?|inspects?|issues?|erases?|posts?)\b"
)
_STARTS_SENTENCE = re.compile(r"(?:\A|[.;:!?]\s|\A.{0,3}\)\s)\W*\Z")
_PAUSE = re.compile(r"[,;:.]")
_BREAK = re.compile(r"[;:.]")
_CLAUSES = re.compile(
    r";|\.(?=\s)|, (?:and|but|while|whereas)\b|\b(?:while|whereas|but(?! (?:to|by|from|for|with)\b))\b", re.IGNORECASE
)
#: "Not sent to the patient but to the doctor" says nothing of what the patient has done.
_CORRECTED = re.compile(r"\bnot\b[^.,;:]{1,60}? but (?=(?:to|by|from|for|with) )", re.IGNORECASE)
_REACH = 8

Role = tuple[str, str, str, str]


def party_conflict(claim: str, sentence: str) -> str | None:
    """The party that does (or has done) in the claim what another does in the sentence, or ``None``."""
    whole = roles_in(sentence)
    for part in clauses(claim):
        near = [roles_in(other) for other in _best_clauses(part, sentence)]
        for role, verb, party, written in sorted(roles_in(part)):
            for roles in (whole, frozenset().union(*near)):
                rivals = {(name, as_said) for kind, what, name, as_said in roles if (kind, what) == (role, verb)}
                if rivals and not any(_compatible(party, rival) for rival, _ in rivals):
                    return f"{written!r} stands where what it cites has {min(rivals)[1]!r}"
    mine, other = _roles_named(claim), _roles_named(sentence)
    # "You send us the form" names the customer of "the customer sends the form".
    if _YOU in parties_in(claim) and other <= _ADDRESSED.keys():
        return None
    if len(mine) == 1 and len(other) == 1 and not _compatible(*mine, *other):
        return f"the {next(iter(mine))} stands where what it cites has the {next(iter(other))}"
    return None


def _roles_named(text: str) -> frozenset[str]:
    """The parties of a text by role, those behind "of" or "for" apart: "the approval of HR" is not what HR does."""
    found, folded = words(text), fold(text)
    named = {
        name
        for at in range(len(found))
        if (name := _party(found, at, text)) and _preposition(found, at, folded) in ("", "by", "to", "with")
    }
    return frozenset(named - {_NAME, _YOU})


#: Who is hardly ever the one that speaks in its own documents, as a school, an insurer or a landlord is.
_THIRD = frozenset({"bank", "courier", "manager", "authority", "court", "police", "embassy", "ministry", "government"})


def is_third_party(party: str) -> bool:
    """Whether a class is neither the house, whichever that is, nor one that a rule may address."""
    return party in _THIRD


def is_addressed(party: str) -> bool:
    """Whether a class is one that a rule may address, by one name or another."""
    return party in _ADDRESSED


def is_inflected(word: str) -> bool:
    """Whether a word behind a party can be what it does: "the bank shows" and "the bank paid", not "the bank transfer"."""
    return word.endswith(("s", "ed")) or word in _BASES


@lru_cache(maxsize=1 << 12)
def parties_in(text: str) -> frozenset[str]:
    """The parties that a text names, by their role or as the house's name."""
    return frozenset(name for name in _parties(text) if name)


@lru_cache(maxsize=1 << 12)
def party_words(text: str) -> frozenset[str]:
    """The stems of the words that name parties."""
    return frozenset(word.stem for word, party in zip(words(text), _parties(text), strict=True) if party)


@lru_cache(maxsize=1 << 12)
def clauses(text: str) -> tuple[str, ...]:
    """The clauses of a text that may each speak of another party."""
    return tuple(part.strip() for part in _CLAUSES.split(text) if len(part.split()) > 2) or (text,)


def _best_clauses(part: str, sentence: str) -> list[str]:
    """The clauses of the sentence that hold most of the clause's words, parties apart."""
    wanted = {word.stem for word in words(part) if word.stem} - party_words(part)
    held = [(len(wanted & {word.stem for word in words(other)}), other) for other in clauses(sentence)]
    most = max((count for count, _ in held), default=0)
    return [other for count, other in held if count == most and count]


def _compatible(one: str, other: str) -> bool:
    if one == other or {one, other} == {_NAME, _HOUSE}:
        return True
    return _YOU in (one, other) and ({one, other} - {_YOU}) <= _ADDRESSED.keys()


@lru_cache(maxsize=1 << 12)
def roles_in(text: str) -> frozenset[Role]:
    """Who does ("agent") and who has done ("target") each thing, as (part, verb, party, its word)."""
    return frozenset(_found_roles(text, words(text)))


def _found_roles(text: str, found: tuple[Word, ...]) -> Iterator[Role]:
    folded = fold(text)
    corrected = [match.span() for match in _CORRECTED.finditer(folded)]
    for at in range(len(found)):
        party = _parties(text)[at]
        if not party or any(start <= found[at].start < end for start, end in corrected):
            continue
        before = _preposition(found, at, folded)
        if before == "by":
            yield from (("agent", verb, party, found[at].text) for verb in _participle_before(found, at, folded))
        elif before in ("to", "from") or not before:
            verb = _verb_before(found, at, folded)
            if verb:
                yield "target", verb, party, found[at].text
        if not before:
            yield from _done_by(found, at, party, folded, text)


def _done_by(found: tuple[Word, ...], at: int, party: str, folded: str, text: str) -> Iterator[Role]:
    """What the party before a verb does, and what it does besides ("collects the product and repairs it")."""
    passive, place = False, at + 1
    while place < len(found) and not found[place].stem and place - at <= 5:
        passive = passive or found[place].text in _BE
        if found[place].text in _PREPOSITIONS or found[place].text in _JOINS or found[place].text in _ARTICLES:
            return
        place += 1
    if place >= len(found) or _BREAK.search(folded, found[at].end, found[place].start) or _parties(text)[place]:
        return
    if found[place].text.endswith("ly") and place + 1 < len(found):
        place += 1
    verb = found[place]
    if not verb.stem:
        return
    if passive and (verb.text.endswith("ed") or verb.text in _BASES):
        yield "target", _verb(verb), party, found[at].text
        return
    yield "agent", _verb(verb), party, found[at].text
    for after in range(place + 1, min(len(found) - 1, place + 14)):
        if _BREAK.search(folded, verb.end, found[after].end) or _parties(text)[after]:
            return
        if found[after].text in _JOINS and found[after + 1].stem and found[after + 1].text.endswith("s"):
            yield "agent", _verb(found[after + 1]), party, found[at].text


@lru_cache(maxsize=1 << 12)
def _parties(text: str) -> tuple[str, ...]:
    """For each word of a text the class of the party that it names, or an empty text."""
    found = words(text)
    return tuple(_party(found, at, text) for at in range(len(found)))


def _party(found: tuple[Word, ...], at: int, text: str) -> str:
    """The class of a party's word; ``name`` for a capitalised one that begins a clause and is followed by its verb."""
    word = found[at]
    if word.text.endswith("'s"):
        return ""
    folded = fold(text)
    known = _CLASS.get(word.text, "")
    if known:
        return "" if _is_means(found, at, folded) else known
    written = folded[word.start : word.end]
    if not word.stem or not re.fullmatch(r"[A-Z][a-z]+", written) or capitalises_nouns(text):
        return ""
    if not _STARTS_SENTENCE.search(folded, 0, word.start):
        return _NAME
    act = _ACTS.match(folded, word.end)
    # "Residents pay" has no name.
    return _NAME if act and (act[0].endswith("s") or not written.endswith("s")) else ""


def _is_means(found: tuple[Word, ...], at: int, folded: str) -> bool:
    """Whether a party's word is a part of a means: "by bank transfer"."""
    if not 0 < at < len(found) - 1 or found[at - 1].text != "by" or not found[at + 1].stem:
        return False
    return not _PAUSE.search(folded, found[at].end, found[at + 1].start) and folded[found[at].start].islower()


def _preposition(found: tuple[Word, ...], at: int, folded: str) -> str:
    """The preposition that a party stands behind, articles and one adjective between; empty where it stands free."""
    for back in range(1, 4):
        if at - back < 0:
            return ""
        word = found[at - back]
        if _PAUSE.search(folded, word.end, found[at].start):
            return ""
        if word.text in _PREPOSITIONS:
            return word.text
        if (word.stem and back > 2) or word.text in _BE or word.text in _JOINS:
            return ""
    return ""


def _participle_before(found: tuple[Word, ...], at: int, folded: str) -> list[str]:
    """The nearest participle before "by"."""
    for back in range(at - 1, max(-1, at - _REACH), -1):
        word = found[back]
        if _BREAK.search(folded, word.end, found[at].start):
            return []
        if word.text.endswith("ed") or word.text in _BASES:
            return [_verb(word)]
    return []


def _verb_before(found: tuple[Word, ...], at: int, folded: str) -> str:
    """The content word right before a party, its articles or "to" between: "informs the line manager", "reported to Kartly"."""
    for back in range(at - 1, max(-1, at - 5), -1):
        word = found[back]
        if _BREAK.search(folded, word.end, found[at].start) or word.text in _JOINS:
            return ""
        if word.stem and (word.text.endswith(("s", "ed", "t", "y")) or word.text in _BASES):
            return _verb(word)
    return ""


def _verb(word: Word) -> str:
    return stem(_BASES.get(word.text, word.text))
