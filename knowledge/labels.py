"""Labelled numbers: ``чл. 41``, ``Article 7``, ``§ 5``, ``Section 4.2``, ``Annex III``, with one canonical form across languages.

A canonical label is its kind and number, ``art-41``; a paragraph follows in parentheses, ``art-40(5)``, from ``Art. 40(5)`` and
from ``чл. 40, ал. 5`` alike; the act, where it is known, follows an ``@``: ``art-129@ззд``.
"""

from __future__ import annotations

import re

from knowledge.codes import canonical

#: Kind -> the label words that name it.
KINDS = {
    "art": "чл член члена членът членове членовете art arts article articles artikel artikeln artículo artículos articolo"
    " articoli artigo artigos artykuł статья статьи статье статті",
    "sec": "§ §§ sec secs section sections параграф параграфа параграфи",
    "par": "para paras paragraph paragraphs абзац",
    "clause": "clause clauses клауза клаузи",
    "rule": "rule rules правило",
    "reg": "reg regs regulation regulations",
    "annex": "annex annexes appendix приложение приложения anlage anhang annexe allegato anexo",
    "chapter": "chapter chapters глава chapitre kapitel capítulo capitolo",
    "schedule": "schedule schedules",
    "recital": "recital recitals",
}

#: Label word, casefolded -> kind.
LABELS = {word: kind for kind, words in KINDS.items() for word in words.split()}
#: Words before a paragraph's number that follows an article's.
PARAGRAPHS = frozenset(
    ("ал", "алинея", "алинеи", "para", "paras", "paragraph", "paragraphs", "abs", "absatz", "comma", "lid")
)
#: Words that join the numbers of one label: "Articles 41 and 42".
JOINERS = frozenset(("и", "или", "and", "or", "und", "oder", "et", "ou", "y", "o", "e"))
#: Kinds whose number may be a Roman numeral or one letter, and the kinds that a plain numbered heading may stand for.
_ROMAN_KINDS = frozenset(("art", "annex", "chapter", "schedule"))
_LETTER_KINDS = frozenset(("annex", "schedule"))
#: Kinds whose number may begin with a capital letter: "section L", "section K.3". "I" is no letter of a section.
_CAPITAL_KINDS = frozenset(("sec", "par", *_LETTER_KINDS))
_LETTERED = re.compile(r"[^\W\d_](?:\.[0-9]{1,3}){0,3}")
#: Regulations of the European Union and of ministries are named by their year: "Regulation 2016/679" is no regulation 2016.
_OF_A_YEAR = re.compile(r"(?:19|20)\d\d")
#: "4.2 Damage" as a heading is asked for as section, clause, rule, regulation or paragraph 4.2.
NUMBERED_HEADING_KINDS = frozenset(("sec", "clause", "rule", "reg", "par", "chapter"))

#: A label's number: 41, 40а, 4.2.1, 40(5), 6(1)(f).
NUMBER = (
    r"[0-9]{1,4}(?:\.[0-9]{1,3}){0,5}(?:[^\W\d_](?:-[0-9]{1,2})?(?![^\W_]))?"
    r"(?:\s?\([0-9]{1,3}[^\W\d_]?\)|\([^\W\d_]{1,4}\))*"
)
_NUMBER = re.compile(NUMBER)
_ROMAN = re.compile(r"(?=[ivxlc]+\Z)(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})\Z")
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


def label_number(kind: str, number: str) -> str | None:
    """The canonical label, ``art-40(5)``, of a kind and its number as written; None where that is no number of a label."""
    folded = number.casefold()
    if kind == "reg" and _OF_A_YEAR.match(folded):
        return None
    if _NUMBER.fullmatch(folded):
        value = canonical(folded)
    elif kind in _ROMAN_KINDS and _ROMAN.match(folded) and (len(folded) > 1 or folded in "ivx"):
        value = str(_roman(folded))
    elif kind in _CAPITAL_KINDS and _LETTERED.fullmatch(folded) and (kind in _LETTER_KINDS or folded != "i"):
        value = folded
    else:
        return None
    return f"{kind}-{value}"


def may_be_small(kind: str, number: str) -> bool:
    """Whether a number in small letters may be one: "annex b", "section k.3", "article iv", and not "article i" or "art in"."""
    folded = number.casefold()
    dotted = kind in _CAPITAL_KINDS and "." in folded
    return dotted or kind in _LETTER_KINDS or (kind in _ROMAN_KINDS and len(folded) > 1 and bool(_ROMAN.match(folded)))


def without_paragraph(label: str) -> str:
    """``art-40`` of ``art-40(5)``; a label without a paragraph comes back as it is."""
    return label.split("(", 1)[0]


def _roman(numeral: str) -> int:
    values = [_ROMAN_VALUES[letter] for letter in numeral]
    later = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, later, strict=True))
