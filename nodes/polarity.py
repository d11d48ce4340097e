"""Whether two sentences affirm or deny the same thing.

Denials are counted, not parsed: ``not``, ``cannot``, ``without``, ``ineligible``, ``excluded``, ``unless`` each turn a sentence
round once, so "not eligible" and "ineligible" agree, "eligible" does not, and "cannot be returned unless" agrees with "can be
returned only if". A bound turns it round too: "not after 7 days" is "within 7 days". Only the stretch of the source that holds
the claim's words is counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from knowledge.codes import fold
from nodes.alike import alike
from nodes.bounds import AT_LEAST, AT_MOST, bounds_differ
from nodes.numerals import UNITS, quantities
from nodes.opposites import swaps
from nodes.words import Word, content, stem, words

_CUES = frozenset(
    """
    not no never none neither without cannot nothing nobody nowhere unless except excepting excluding excludes exclude
    excluded exempt exempted ineligible invalid unable unavailable impossible
    prohibited prohibits forbidden forbids refused refuses rejected
    false untrue seldom rarely ignore ignores ignored omits omitted disregards disregarded
    fail fails failed failing hardly scarcely
    rejects declined declines denied denies void lack lacks lacking disallowed barred dont cant wont doesnt isnt
    не няма нямат нямаме никога никой нищо без нито освен забранено забранява отказва недопустимо недействителен невалиден
    nicht kein keine keinen keiner keinem nie ohne niemals außer ne sans sauf nunca sin ningún ninguna
    """.split()  # noqa: SIM905
)
#: Phrases that hold a cue and deny nothing, and answers' opening words.
_HARMLESS = re.compile(
    r"\b(?:do not|don['’]t|never) (?:forget|miss|overlook)\b|\b(?:not a|no) problem\b|, not \d[^.,;:]{0,24}(?=[,.])|"
    r"\bnot (?:only|just|merely)\b|\bno doubt\b|\bwhether or not\b|\bno\.\s?(?=\d)|"
    r"(?:\band|,) (?:neither|nor)\b(?= (?:can|do|does|is|are|will|may|must|has|have)\b)|"
    r"^\W*(?:no|yes|не|да|nein|non)\b\s*[,.:;–—-](?!\w)",
    re.IGNORECASE,
)
#: "Out of stock" is "not in stock".
_OUT_OF = re.compile(
    r"\bout[ -]of(?=[ -](?:stock|order|service|date|use|range|reach|print|office|sight|scope)\b)", re.IGNORECASE
)
_ALL_BUT = re.compile(
    r"\b((?:every|any)(?:one|body|thing)|all|none|no one|nobody|nothing) but\b(?! for\b)", re.IGNORECASE
)
#: "To stop it from renewing" is so that it does not renew.
_STOP_FROM = re.compile(
    r"\b(?:stop(?:s|ped|ping)?|prevent(?:s|ed|ing)?|keep(?:s|ing)?|kept)\b(?=[^.,;:]{1,40} from \w+ing\b)",
    re.IGNORECASE,
)
#: "Not allowed to work" is "must not work".
_LEAVE = re.compile(r"\b(?:(?:is|are|be) )?(?:allowed|permitted|able|entitled) to\b", re.IGNORECASE)
_NOTHING_PAID = re.compile(
    r" (?:do(?:es)?(?:n['’]t| not) cost (?:\w+ ){0,2}?anything|costs? (?:\w+ ){0,2}?nothing|"
    r"is (?:at no|without) (?:\w+ )?(?:cost|charge))\b",
    re.IGNORECASE,
)
_ONLY = re.compile(r"\b(?:only|solely|nur|само)\b", re.IGNORECASE)
_ONLY_SO = re.compile(r"\W*\w+ only\b", re.IGNORECASE)
_INSTEAD = re.compile(r"\b(?:(?:instead|in place) of|rather than)\b([^.,;:]+)", re.IGNORECASE)
_PARTS = re.compile(r"[.,;:]|\b(?:and|but|while|whereas)\b", re.IGNORECASE)
_HALVES = re.compile(r";|,? (?:and|but|while|whereas)\b(?! (?:not|never)\b)(?<!\w and)", re.IGNORECASE)
#: More halves than this are a list, or no sentence.
_FEW = 8
_PREFIXES = ("un", "in", "im", "ir", "il", "non", "dis", "не")
_CLAUSE = re.compile(r"[,;:—–()]")
_STOPS = frozenset({"and", "but", "or", "unless", "except", "if", "when", "и", "но", "или", "ако", "когато", "освен"})
_LISTED = frozenset({"and", "or", "и", "или", "und", "oder"})
_AUX = frozenset("will shall must may can could should would do does did is are was were has have".split())  # noqa: SIM905
_LEFT, _RIGHT = 3, 2
#: A claim with this share of a sentence's words speaks of the whole sentence.
_WHOLE = 0.85
#: Words scattered over a stretch this many times as long as the claim make no statement of their own.
_LOOSE = 1.5
#: Stems of words that say no more than which side of a quantity is meant.
_BOUNDS = frozenset(
    stem(word) for word in ["within", "under", "over", "until", "least", "most", "maximum", "minimum", "exactly"]
)
#: "Offers no refund" and "gets no refund" deny what "has a refund" affirms.
_LIGHT = frozenset({"get", "gets", "getting", "got", "offer", "offers", "offered", "something", "anything"})
#: Fewer words than this state nothing by themselves.
_STATEMENT = 2

#: Share of the claim's words that a stretch of the source must hold for their denials to be compared.
COMPARABLE = 0.75


@lru_cache(maxsize=1 << 13)
def contradicts(claim: str, source: str) -> bool | None:
    """Whether the source sentence says the claim's words with the opposite sign; ``None`` where it says too few of them.

    Where the sentence as a whole does, but not the clause that says more of the claim's words than any other, the clause decides:
    "the fine is 20 cents for adults; children pay no fines".
    """
    whole = _contradicts(claim, source)
    found = [part for part in _HALVES.split(source) if part] if whole else []
    if not 2 <= len(found) <= _FEW or bounds_differ(claim, source) or swaps(claim, source):
        return whole
    said = content(claim)
    shares = [len(said & content(clause)) for clause in found]
    nearest = [clause for clause, share in zip(found, shares, strict=True) if share == max(shares)]
    if any(_contradicts(claim, clause) is False for clause in nearest):
        return False
    denying = [share for clause, share in zip(found, shares, strict=True) if denials(neutral(clause)) % 2]
    # A denial of which the claim shares no more than one word is of something else.
    return None if not denials(neutral(claim)) % 2 and denying and max(denying) < 2 <= max(shares) else True


def _contradicts(claim: str, source: str) -> bool | None:
    mine, theirs = alike(neutral(claim), neutral(source), _CUES)
    in_its_place = _takes_place(mine, theirs)
    if in_its_place:
        return True
    one, other = _on_base(words(mine), theirs), _on_base(words(theirs), mine)
    wanted = {word.stem for word in one if word.stem and _speaks(word)}
    denied = {word.stem for word in one if word.stem and word.text in _CUES}
    stretch = _stretch(wanted, denied, len(one), other, theirs) or _stretch(
        _core(wanted, claim, other), denied, len(one), other, theirs
    )
    if stretch is None:
        return None
    if _ONLY_SO.match(theirs) and not _ONLY.search(mine):
        return None  # "Use only X": a claim that forbids Y says no opposite
    said = denials(mine) + _joint(denials_by_prefix(mine, theirs), denials(stretch))
    there = denials(stretch) + _joint(denials_by_prefix(theirs, mine), denials(mine))
    said += in_its_place is False
    return (said % 2 != there % 2) != (bounds_differ(claim, source) != (swaps(claim, source) % 2 == 1))


def _takes_place(claim: str, source: str) -> bool | None:
    """Of a claim that says "instead of X": whether the source says that X does, and what the claim has in its place does not.

    ``False`` where the source says that X does not, which is the same in other words; ``None`` where it says neither.
    """
    found = _INSTEAD.search(claim)
    if found is None or _INSTEAD.search(source):
        return None
    out, kept = content(found[1]), content(claim[: found.start()])
    parts = [(content(part), denials(part) % 2) for part in _PARTS.split(source)]
    if out and any(denied and out <= stems for stems, denied in parts):
        return False
    does = any(not denied and out <= stems for stems, denied in parts)
    denied = [stems for stems, denied in parts if denied and stems]
    return True if out and does and any(stems <= kept for stems in denied) else None


def _stretch(wanted: set[str], denied: set[str], length: int, other: Sequence[Word], theirs: str) -> str | None:
    """The part of the source that says the wanted words, or ``None`` where it says too few of them, or scattered."""
    listed, other = len(other), _of_list(wanted, other, theirs)
    # A denying word of both, "declined", belongs to what is said.
    span = _window(wanted | denied, other) if wanted else None
    if span is None:
        return None
    stems = {word.stem for word in other if word.stem and _speaks(word)}
    if not stems:
        return None
    if len(wanted & stems) / len(stems) >= _WHOLE:
        span = (0, len(other))
    elif span[1] - span[0] > _LOOSE * length + _LEFT * (1 + (len(other) < listed)) or denials(theirs) > 1:
        return None  # scattered words, or a sentence of several denials that the claim takes a part of
    held = {word.stem for word in other[span[0] : span[1]]}
    if len(wanted & held) / len(wanted) < COMPARABLE:
        return None
    start, end = _widened(theirs, other, span)
    return theirs[start:end]


def _of_list(wanted: set[str], other: Sequence[Word], theirs: str) -> Sequence[Word]:
    """The words without the items of a list that the claim does not speak of: "food" of "food, drink and toys cannot be …"."""
    cuts = [
        at
        for at in range(1, len(other))
        if other[at].text in _LISTED or "," in theirs[other[at - 1].end : other[at].start]
    ]
    if len(cuts) < 2:
        return other
    items = [other[start:end] for start, end in pairwise([0, *cuts, len(other)])]
    kept = [
        item
        for item in items
        if item is items[-1]
        or any(word.stem in wanted or word.text in _CUES or word.text.endswith("n't") for word in item)
    ]
    return [word for item in kept for word in item]


def _core(wanted: set[str], claim: str, other: Sequence[Word]) -> set[str]:
    """The wanted words without codes and quantities, which the source may say elsewhere ("The AX-204 can be put under water",
    "Socks can be returned within 15 days"); empty where the source lacks one of them or they are too few to state anything.
    """
    rest = {stem for stem in wanted - _counted(claim) if not any(map(str.isdigit, stem))}
    return rest if len(rest) >= _STATEMENT and rest <= {word.stem for word in other} else set()


@lru_cache(maxsize=1 << 12)
def _counted(claim: str) -> frozenset[str]:
    """The stems of a claim's quantities, their units and their bounds."""
    found = quantities(claim)
    units = {quantity.unit for quantity in found}
    counted = {word.stem for quantity in found for word in words(quantity.text)}
    return _BOUNDS | counted | {word.stem for word in words(claim) if UNITS.get(word.text) in units}


def _joint(prefixes: int, denied: int) -> int:
    """Prefixes in a row deny one thing each and together once: "unworn and unwashed" is "not worn or washed"."""
    return 1 if prefixes > 1 and denied < prefixes else prefixes


@lru_cache(maxsize=1 << 12)
def neutral(text: str) -> str:
    """The folded text with the phrases that hold a cue and deny nothing blanked out, character by character."""
    folded = re.sub(r"\bother than\b", "except    ", fold(text), flags=re.IGNORECASE)
    folded = _OUT_OF.sub("not   ", _ALL_BUT.sub(lambda match: f"{match[1]} except", folded))
    folded = _STOP_FROM.sub(lambda match: "not".ljust(len(match[0])), folded)
    for pattern in (_HARMLESS, AT_MOST, AT_LEAST, _LEAVE):
        folded = pattern.sub(lambda match: " " * len(match[0]), folded)
    return folded


@lru_cache(maxsize=1 << 12)
def as_free(text: str) -> str:
    """The text with "doesn't cost anything", "at no charge" and their like as "is free"."""
    return _NOTHING_PAID.sub(" is free", text)


def denials(text: str) -> int:
    """How many times a ``neutral`` text turns round."""
    found = words(text)
    return sum(1 for word in found if word.text in _CUES or word.text.endswith("n't"))


def denials_by_prefix(text: str, other: str) -> int:
    """Words that deny a word of the other text by a prefix: ``unopened`` against ``opened``, ``non-refundable``."""
    theirs = {word.text for word in words(other)}
    found = words(text)
    prefixed = sum(1 for word in found if word.text not in _CUES and _base(word.text, theirs))
    # "Members pay 6, non-members 9" speaks of both.
    plain = Counter(word.text for word in found)
    plain.subtract(after.text for word, after in pairwise(found) if word.text == "non")
    return prefixed + sum(
        1 for word, after in pairwise(found) if word.text == "non" and "non" not in theirs and plain[after.text] <= 0
    )


@lru_cache(maxsize=1 << 13)
def held_by_prefix(claim: str, sentence: str) -> frozenset[str]:
    """The stems of the claim's words that a sentence holds with a denying prefix, or without theirs: "worn" of "unworn"."""
    mine, theirs = words(claim), {word.text for word in words(sentence)}
    said = {word.text for word in mine}
    based = {base for word in theirs if (base := _base(word, said))}
    return frozenset(word.stem for word in mine if word.text in based or _base(word.text, theirs))


def _on_base(given: Sequence[Word], other: str) -> list[Word]:
    """The words, each denied one with the stem of what it denies where the other text has that: ``ineligible``, ``eligible``."""
    theirs = {word.text for word in words(other)}
    return [replace(word, stem=stem(base)) if (base := _base(word.text, theirs)) else word for word in given]


def _speaks(word: Word) -> bool:
    """Whether a word is more than a denial, or a verb that says no more than "have": a cue counts with what it denies alone."""
    return word.text not in _LIGHT and (word.text not in _CUES or word.stem != stem(word.text))


def _base(word: str, theirs: AbstractSet[str]) -> str:
    """What is left of a word without its denying prefix, if the other text has it; else an empty text."""
    rests = [word[len(prefix) :] for prefix in _PREFIXES if word.startswith(prefix) and word not in theirs]
    return next((rest for rest in rests if len(rest) >= 4 and rest in theirs), "")


def _window(wanted: set[str], source: Sequence[Word]) -> tuple[int, int] | None:
    """The shortest run of the source's words that holds all of the wanted ones which it has."""
    present = wanted & {word.stem for word in source}
    if not present:
        return None
    best: tuple[int, int] | None = None
    counts: dict[str, int] = {}
    left = 0
    for right, word in enumerate(source):
        if word.stem in present:
            counts[word.stem] = counts.get(word.stem, 0) + 1
        while len(counts) == len(present):
            if best is None or right + 1 - left < best[1] - best[0]:
                best = (left, right + 1)
            stem = source[left].stem
            if stem in counts:
                counts[stem] -= 1
                if not counts[stem]:
                    del counts[stem]
            left += 1
    return best


def _widened(text: str, source: Sequence[Word], span: tuple[int, int]) -> tuple[int, int]:
    """The run in characters, with a few words of the same clause on each side: a denial may stand before or behind."""
    first, last = span[0], span[1] - 1
    for _ in range(_LEFT):
        if first == 0 or _CLAUSE.search(text, source[first - 1].end, source[first].start):
            break
        first -= 1
    for _ in range(_RIGHT):
        following = last + 1
        if following == len(source) or source[following].text in _STOPS:
            break
        if _CLAUSE.search(text, source[last].end, source[following].start):
            break
        last = following
    # "Will not" belongs to the verb behind it.
    if last + 2 < len(source) and source[last].text in _AUX and source[last + 1].text in _CUES:
        last += 1
    return source[first].start, source[last].end
