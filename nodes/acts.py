"""Verbs of rules in groups that say about the same: what a rule calls *disclose* a reader calls *share*.

The groups are for setting a claim's act beside a rule's, never for telling that two sentences say the same.
"""

from __future__ import annotations

import re
from functools import lru_cache

from nodes.words import Word, stem, words

_GROUPS = {
    "share": "share disclose divulge communicate distribute disseminate publish reveal furnish release supply show circulate",
    "copy": "copy copies duplicate reproduce photocopy",
    "keep": "keep retain store hold save preserve",
    "return": "return redeliver surrender",
    "deliver": "deliver",
    "destroy": "destroy delete erase shred dispose discard",
    "use": "use utilise utilize",
    "notify": "notify inform advise alert",
    "mark": "mark identify label designate",
    "get": "acquire receive obtain get",
    "develop": "develop produce devise",
    "hire": "solicit hire employ recruit",
    "change": "modify alter change amend edit adapt",
    "enter": "enter access",
    "last": "survive continue remain persist",
    "end": "end terminate expire cease lapse",
    "give": "grant confer convey",
    "assign": "assign transfer sublet delegate",
    "pay": "pay reimburse refund",
    "bring": "bring carry take",
    "cancel": "cancel withdraw revoke",
    "record": "record film photograph",
    "smoke": "smoke vape",
    "wear": "wear",
    "park": "park",
    "sell": "sell resell",
    "open": "open unlock",
    "close": "close lock",
    "attend": "attend join participate",
    "leave": "leave quit",
    "apply": "apply request claim",
    "report": "report",
    "drive": "drive ride",
    "install": "install download",
    "repair": "repair mend fix",
    "exchange": "exchange swap",
    "collect": "collect pickup fetch",
    "call": "call ring phone telephone",
    "name": "name state mention specify indicate quote",
}
#: What may not be done with a thing that must be dealt with by another act: one does not keep what one has to return.
OPPOSED = {"keep": frozenset({"return", "deliver", "destroy"})}
_BASES = frozenset(word for group in _GROUPS.values() for word in group.split())
_ACT_OF = {stem(word): name for name, group in _GROUPS.items() for word in group.split() if stem(word)}
#: Nouns that a stemmer brings to the stem of a verb: "information" is no informing.
_NOUN = re.compile(r"(?:tions?|ments?|ers?|ors?|ings|ances?|ures?)\Z")


def act_of(word: Word) -> str:
    """The group of an act by a form of its verb, or an empty text."""
    return "" if _NOUN.search(word.text) and word.text not in _BASES else _ACT_OF.get(word.stem, "")


@lru_cache(maxsize=1 << 12)
def acts_in(text: str) -> frozenset[str]:
    """The groups of the acts that a text names."""
    return frozenset(act for word in words(text) if (act := act_of(word)))


def told_in_other_words(claim: str, sentence: str) -> frozenset[str]:
    """The stems of the claim's acts that the sentence names, by whichever verb of their group."""
    done = acts_in(sentence)
    return frozenset(word.stem for word in words(claim) if act_of(word) in done)
