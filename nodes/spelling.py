"""Typing errors, put right without a model: a word that no document and no English word list holds, against the words found.

Only plain words are touched. A code, a number, a quoted word, a name in capitals stays as typed; so does a word that is spelled
right and merely absent, for its absence says that the documents don't speak of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from functools import lru_cache

from rapidfuzz.distance import OSA

from knowledge.asked_places import locating_spans
from knowledge.model_tokens import is_word

_WORD = re.compile(r"(?<![\w'’.@/-])[^\W\d_]+(?![\w'’@/-])")
_NAME = re.compile(r"(?<![\w.@/-])[^\W\d_]{3,}(?=['’]s\b|(?![\w'’@/-]))")
_NAME_AND_ENDING = re.compile(r"(?<![\w.@/-])([^\W\d_]{3,})(?:['’]s\b|(?![\w'’@/-]))")
_QUOTED = re.compile(r"[\"“”„«»][^\"“”„«»]*[\"“”„«»]")
#: Beginnings that make words freely, before one that is a word by itself.
_PREFIX = re.compile(r"(?:anti|inter|intra|micro|mis|multi|non|over|pre|re|semi|sub|super|trans|un|under)(?=\w{4})")
#: Ends of a word that changes before "ing": one drops its e, the other doubles its consonant.
_CHANGES = re.compile(r"e$|(?:^|[^aeiou])[aeiou][bdfgklmnprtvz]$")
_SHORTEST_STEM = 3
SHORTEST = 5
#: From this length on, two slips are forgiven instead of one.
LONG = 8


def correct(question: str, suspects: Sequence[re.Match[str]], texts: Iterable[str]) -> tuple[str, dict[str, str]]:
    """The question with its typing errors put right, and what was changed, as typed → as read.

    Args:
        suspects: the words of the question that are ``misspelled``.
        texts: the passages found so far, whose words are the only ones that an error may become.
    """
    known = Counter(word.casefold() for text in texts for word in _WORD.findall(text) if len(word) >= SHORTEST - 1)
    changes: dict[str, str] = {}
    pieces, at = [], 0
    for match in suspects:
        read = nearest(match[0], known)
        if read is not None:
            changes[match[0]] = read
            pieces += [question[at : match.start()], read]
            at = match.end()
    return "".join([*pieces, question[at:]]), changes


def misspelled(question: str, *, is_held: Callable[[str], bool], is_word: Callable[[str], bool]) -> list[re.Match[str]]:
    """The words of the question that may be typing errors.

    Args:
        is_held: whether some document holds the word (in any inflection).
        is_word: whether it is a word of the language, which takes less time to see.
    """
    return [match for match in unlisted(question, is_word) if not is_held(match[0])]


@lru_cache(maxsize=512)
def unlisted(question: str, is_word: Callable[[str], bool]) -> tuple[re.Match[str], ...]:
    """The words of the question that no list of words holds, nor what they are made of: ``misspelled`` where no document does."""
    # The words that say where to look for a code are asked of no document: "the intranet" is no slip for "the internet".
    quoted = [*(match.span() for match in _QUOTED.finditer(question)), *locating_spans(question)]
    return tuple(
        match
        for match in _WORD.finditer(question)
        if len(match[0]) >= SHORTEST
        and not any(start <= match.start() < end for start, end in quoted)
        and not _is_name(question, match)
        and not is_word(match[0])
        and not _is_derived(match[0].casefold(), is_word)
    )


def _is_derived(word: str, is_word: Callable[[str], bool]) -> bool:
    """Whether a word that no list holds is made of one that is in it: "rewording", "interbank", and not "shiping"."""
    stem = re.sub(r"ings?$", "", word)
    made = stem != word and len(stem) >= _SHORTEST_STEM and not _CHANGES.search(stem) and is_word(stem)
    prefix = _PREFIX.match(word)
    return made or (prefix is not None and is_word(word[prefix.end() :]))


def _is_name(question: str, match: re.Match[str]) -> bool:
    """A capital inside a sentence begins a name, unless all of the question is in capitals."""
    word = match[0]
    if question.isupper() or word.islower():
        return False
    begins = not question[: match.start()].strip() or bool(re.search(r"[.?!:]\s*[\"“„«(]*$", question[: match.start()]))
    return word[1:].lower() != word[1:] or not begins


def nearest(word: str, known: Counter[str]) -> str | None:
    """The known word with the same first letter and the fewest slips, by frequency and then alphabet among equals."""
    lowered = word.casefold()
    most = 2 if len(lowered) >= LONG else 1
    best: tuple[int, int, str] | None = None
    for other, count in known.items():
        if other[0] != lowered[0] or abs(len(other) - len(lowered)) > most:
            continue
        slips = OSA.distance(lowered, other, score_cutoff=most)
        if slips <= most and (best is None or (slips, -count, other) < best):
            best = slips, -count, other
    return best[2] if best else None


def names_in(question: str) -> list[str]:
    """The words that look like names: with a capital and in no list of common words, wherever they stand. Codes are none."""
    return list(
        dict.fromkeys(match[0] for match in _NAME.finditer(question) if match[0][0].isupper() and not is_word(match[0]))
    )


def without_names(question: str, names: Container[str]) -> str:
    """The question without these names and their possessive, or as it was where nothing else would be left."""
    left = " ".join(_NAME_AND_ENDING.sub(lambda match: "" if match[1] in names else match[0], question).split())
    return left if any(map(str.isalnum, left)) else question
