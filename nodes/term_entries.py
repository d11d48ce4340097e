"""Entries of a glossary or a reference: a term, a colon and what is said of it, the later sentences without naming it again.

"MaxCopies number: The most copies of a job. The default is 9999." Quoted alone, the second sentence says nothing of its own, or
worse, of the entry that it is quoted beside.
"""

from __future__ import annotations

import re
from functools import lru_cache

_ENTRY = re.compile(r"[\s>*_-]*(?P<term>[^\s:][^\n]{0,198}?)[*_]*:[*_]*\s+[\"'“„(«]?\w")
#: What such a sentence begins with where its subject is the term.
_OF_TERM = re.compile(
    r"(?:(?:the|its) (?:default|value|minimum|maximum|initial|allowed|valid)\b|(?:possible|allowed|valid) values\b"
    r"|(?:this|it|these|they)\b|by default\b|set (?:to|this|it)\b)",
    re.IGNORECASE,
)
_DEFAULT = re.compile(r"(?:the|its) default (?:value )?(?:is|are)\b", re.IGNORECASE)
_NAMES_DEFAULT = re.compile(r"\b(?:is|are) the default\b|\bdefaults to\b", re.IGNORECASE)
_ASKS_DEFAULT = re.compile(r"\bdefaults?\b", re.IGNORECASE)
#: With so few words of its own a sentence means nothing without its term.
_FEW = 5
#: A name and no word: signs or capitals within it.
_NAME = re.compile(r"(?<![\w.-])(?:[^\W_]+(?:[_-][^\W_]+)+|[^\W\d_][^\W_]*[a-z][A-Z]\w*)(?![\w-])")


def term_of(opener: str) -> str:
    """The term that a paragraph's first sentence explains, or an empty text."""
    found = _ENTRY.match(opener)
    return " ".join(found["term"].split()) if found and not opener.startswith("|") else ""


def needs_term(sentence: str) -> bool:
    """Whether a later sentence of an entry has the term for its subject."""
    return _OF_TERM.match(sentence) is not None


def is_rest(sentence: str) -> bool:
    """Whether a sentence can only be the rest of an entry."""
    return _DEFAULT.match(sentence) is not None


def says_little(words: int) -> bool:
    """Whether a sentence of so many content words means nothing without its term."""
    return words <= _FEW


def asks_default_in(question: str) -> bool:
    """Whether a question asks what holds where nothing is said."""
    return _ASKS_DEFAULT.search(question) is not None


def names_default(sentence: str) -> bool:
    """Whether a sentence says what holds where nothing is said."""
    return is_rest(sentence) or _NAMES_DEFAULT.search(sentence) is not None


@lru_cache(maxsize=1 << 10)
def names_in(text: str) -> frozenset[str]:
    """The names of options, settings and the like, in small letters: ``maxcopies``, ``job-quota-period``."""
    return frozenset(found.casefold() for found in _NAME.findall(text))
