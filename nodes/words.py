"""Words of a text by their stems, with positions: for comparing what two sentences speak of."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from knowledge.codes import canonical, fold, is_code
from knowledge.stemming import stem as snowball_stem
from knowledge.stopwords import FUNCTION_WORDS

_WORD = re.compile(r"[^\W_]+(?:[-'./&@][^\W_]+)*")
_DIGIT = re.compile(r"\d")
_PART = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
#: German ones that are no English words of their own.
_FUNCTION = (
    FUNCTION_WORDS["en"]
    | {"still", "already", "simply", "yes"}
    | FUNCTION_WORDS.get("bg", frozenset())
    | (FUNCTION_WORDS["de"] - {"hat", "war", "bin", "man", "fast", "art", "rate", "bald", "gut"})
)
_GERMAN = FUNCTION_WORDS["de"] - FUNCTION_WORDS["en"]
#: Participles and nouns that no stemmer brings to their verb, and one synonym.
_IRREGULAR = {
    "withdrawn": "withdraw", "paid": "pay", "sent": "send", "given": "give", "taken": "take", "sold": "sell", "held": "hold",
    "kept": "keep", "bought": "buy", "brought": "bring", "told": "tell", "shown": "show", "borne": "bear", "written": "write",
    "delivery": "deliver", "deliveries": "deliver", "discovery": "discover", "recovery": "recover", "choice": "choose",
    "another": "different", "chosen": "choose", "chose": "choose", "loss": "lose", "lost": "lose",
    "payment": "pay", "payments": "pay",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the folded text. ``stem`` is empty for a function word; a code's is its canonical form."""

    text: str
    stem: str
    start: int
    end: int


@lru_cache(maxsize=1 << 11)
def words(text: str) -> tuple[Word, ...]:
    """The words of a text, hyphenated ones in their parts, codes whole. Numbers are words too.

    Remembered, as are the functions built on it: the same passages come back with each question.
    """
    out: list[Word] = []
    folded = fold(text)
    for match in _WORD.finditer(folded):
        if _DIGIT.search(match[0]) and is_code(match[0]):
            out.append(Word(match[0].casefold(), canonical(match[0]), match.start(), match.end()))
            continue
        for part in _PART.finditer(folded, match.start(), match.end()):
            lower = part[0].casefold()
            out.append(Word(lower, stem(lower), part.start(), part.end()))
    return tuple(out)


@lru_cache(maxsize=1 << 11)
def capitalises_nouns(text: str) -> bool:
    """Whether a text is German, where every noun has a capital: by its function words."""
    found = [word.text for word in words(text)]
    return 4 * sum(word in _GERMAN for word in found) >= len(found) > 0


@lru_cache(maxsize=1 << 11)
def content(text: str) -> frozenset[str]:
    """The stems of a text's content words."""
    return frozenset(word.stem for word in words(text) if word.stem)


@lru_cache(maxsize=1 << 15)
def stem(word: str) -> str:
    """The stem of a casefolded word, empty for a function word: English by Snowball, Cyrillic by its first six letters."""
    word = word.removesuffix("'s")
    if word in _FUNCTION:
        return ""
    if word.isascii():
        return snowball_stem(_IRREGULAR.get(word, word), "english")
    return word[:6] if len(word) > 6 else word
