"""Which words of an English question say what is asked, and how much of it a passage speaks of.

A near miss shares its topic with a passage and asks for another side of it: *restocking* fee, delivery *address*. So each word of
the question is held against the words of the passage by meaning, and the one it is furthest from counts much. What the asker only
tells of (a story's other sentences, *my phone*, *a toaster*) counts less: a rule on returns need not name toasters.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from knowledge.asked_places import locating_spans
from knowledge.identifiers import scan_identifiers
from knowledge.languages import stop_words
from knowledge.meanings import Vectors, word_vectors
from knowledge.sentences import split_sentences
from knowledge.tokens import tokenize

#: A word this near to one of the passage's is spoken of; further off it is missed by the difference. The reach of ``missed``.
NEAR = 0.4
#: What a word that is told of, not asked for, counts beside one that is.
_TOLD = 0.3
#: How much of ``missed`` is the worst word; the rest is the mean.
_WORST = 0.4
#: From this IDF on a word counts whole: one that most passages hold tells them little apart.
_RARE = 1.5

_WORD = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")
_POSSESSIVES = frozenset({"my", "our", "his", "her", "their", "mine", "this", "these", "that", "those"})
_OWN = _POSSESSIVES | {"a", "an"}
_CODE = re.compile(r"(?=\D*\d)[^\W\d_][^\W_]*(?:[-.][^\W_]+)*")
_AUXILIARIES = "can|may|could|is|are|does|do|did|will|would|must|should|am|was|were|has|have"
_ASKING = "how|who|whom|when|where|which|what|why"
_QUESTION = re.compile(rf"\W*(?:(?:and|but|so|or|hello|hi|please)\W+)*(?:{_AUXILIARIES}|{_ASKING})\b", re.IGNORECASE)
_NEXT_QUESTION = re.compile(rf",\s+(?=(?:{_AUXILIARIES}|{_ASKING})\b)", re.IGNORECASE)
#: Here "a …" is what is asked for: "is there a fee", "do you have an app".
_OFFER = re.compile(
    r"\b(?:(?:is|are) there|do(?:es)? (?:the |your )?\S+ (?:have|offer|sell|give|provide|run|keep)"
    r"|(?:can|could|do) i (?:get|buy|pay|use|have|need|choose|reserve|book|hire|rent)|have you)\b",
    re.IGNORECASE,
)
#: Words of asking itself, which no passage has to hold.
_OF_ASKING = frozenset(
    re.findall(
        r"\w+",
        """
        happen happens happened mean means meant say says said tell tells told know show shows showed text require requires
        explain want wants wanted need needs needed like come comes came go goes cover covers covered apply applies count
        counts please hello hi hey thanks thank dear question wonder wondering possible able sure thing things anything
        something someone somebody anybody exactly really still already also yes no ok way let would get gets got give gives
        given make makes made take takes put see look team much many
        """,
    )
)

#: Behind "how" they ask for a quantity, and elsewhere they describe one: "a long stay".
_HOW = re.compile(
    r"\bhow\s+(long|often|soon|late|old|big|large|far|high|early|fast|quickly|tall|heavy|wide)\b", re.IGNORECASE
)


@lru_cache(maxsize=512)
def asking_tokens(question: str) -> frozenset[str]:
    """The tokens of an English question that only ask: of "how long", "how much", "what does it say", "can I still get"."""
    asking = {match[1] for match in _HOW.finditer(question)}
    asking |= {word for word, _ in _words(question) if word.casefold() in _OF_ASKING}
    return frozenset(token for word in asking for token in tokenize(word, "en"))


@lru_cache(maxsize=512)
def asked_words(question: str) -> tuple[tuple[str, float], ...]:
    """The content words of a question, each with what it counts: 1 for what is asked, less for what is told.

    Stop words, words of asking, numbers with their unit and codes with what names their kind (*trouble code* P0420) are left out,
    and so is where to look for a code (*in the catalogue*).
    """
    clauses = _clauses(question)
    asking = [(start, end) for start, end in clauses if _asks(question[start:end])] or clauses
    offer = _OFFER.search(question) is not None
    words = _words(question)
    found = []
    beside_number = _beside_number([word for word, _ in words])
    labels = ((item.start, item.end) for item in scan_identifiers(question) if item.kind == "label")
    where = [*locating_spans(question), *labels]
    for at, (word, start) in enumerate(words):
        if not _has_content(word) or beside_number[at] or any(begin <= start < end for begin, end in where):
            continue
        before = _before(words, at)
        told = not any(begin <= start < end for begin, end in asking) or _is_named_by(before, _POSSESSIVES)
        told = told or (not offer and _is_named_by(before, frozenset({"a", "an"})))
        found.append((word, _TOLD if told else 1.0))
    return tuple(found)


@lru_cache(maxsize=512)
def asked_codes(question: str) -> tuple[tuple[str, float, frozenset[str]], ...]:
    """The words of letters and digits (``P0420``, ``ZX-81``), not amounts (``48h``), with what each counts and its readings.

    A word that is a part of an identifier stands for all of it: ``SI-2`` of ``SI-2(2)``.
    """
    words, identifiers = _words(question), scan_identifiers(question)
    found = []
    for at, (word, start) in enumerate(words):
        if _CODE.fullmatch(word):
            counts = _TOLD if _is_named_by(_before(words, at), _OWN) else 1.0
            whole = next((item for item in identifiers if item.start <= start < item.end), None)
            found.append((whole.text, counts, frozenset(whole.readings)) if whole else (word, counts, frozenset[str]()))
    return tuple(found)


def told_words(question: str) -> int:
    """How many words are told of, not asked for: a long story's cosine is lower with every passage."""
    return sum(weight < 1.0 for _, weight in asked_words(question))


@dataclass(frozen=True, slots=True)
class Sought:
    """What a question seeks, for holding it against one passage after the other.

    Attributes:
        words: the vectors of its content words, shape (words, dimension).
        counts: what each word counts, and behind them what each code counts that no document holds.
    """

    words: Vectors
    counts: npt.NDArray[np.float64]

    @classmethod
    def of(cls, question: str, term_idf: Mapping[str, float], identifiers: Collection[str] = ()) -> Sought:
        """Of a question in English.

        Args:
            question: the whole of it.
            term_idf: of its tokens; one that is absent counts like the rarest, and a code that is absent is missed whole.
            identifiers: its identifiers that stand in the documents, as they are read there.
        """
        rarest = max(term_idf.values(), default=_RARE)
        weights: dict[str, float] = {}
        # "section 13 of the GPL": where it was found, the act's short name has done its work.
        acts = {act for name in identifiers if (act := name.partition("@")[2])}
        for word, counts in asked_words(question):
            if word.casefold() in acts:
                continue
            rarity = max((term_idf.get(token, rarest) for token in tokenize(word, "en")), default=0.0)
            weights[word] = max(weights.get(word, 0.0), counts * min(1.0, rarity / _RARE))
        absent = [
            counts
            for code, counts, readings in asked_codes(question)
            if readings.isdisjoint(identifiers) and not term_idf.keys() & set(tokenize(code, "en"))
        ]
        return cls(word_vectors(tuple(weights)), np.array([*weights.values(), *absent]))

    def missed(self, body: str) -> float:
        """How far a passage, without its heading and in English, is from speaking of it: 0 (it does) to ``NEAR``."""
        total = self.counts.sum()
        if total <= 0:
            return 0.0
        nearest = np.zeros(len(self.counts))  # a code of no document has no meaning to be near by
        held = word_vectors(_distinct(body))
        if len(self.words) and len(held):
            nearest[: len(self.words)] = (self.words @ held.T).max(axis=1)
        short = np.clip(NEAR - nearest, 0.0, NEAR)
        return float((1 - _WORST) * (short @ self.counts) / total + _WORST * (short * self.counts).max())


def read_ahead(bodies: Iterable[str]) -> None:
    """Read the words of several English passages at once, which takes less time than one passage after the other."""
    word_vectors(tuple(dict.fromkeys(word for body in bodies for word in _distinct(body))))


def _clauses(question: str) -> list[tuple[int, int]]:
    """Its sentences, cut also where a question follows a comma."""
    out: list[tuple[int, int]] = []
    for start, end in split_sentences(question) or [(0, len(question))]:
        begin = start
        for comma in _NEXT_QUESTION.finditer(question, start, end):
            out.append((begin, comma.start()))
            begin = comma.end()
        out.append((begin, end))
    return out


def _asks(clause: str) -> bool:
    return clause.rstrip().endswith("?") or _QUESTION.match(clause) is not None


def _words(question: str) -> list[tuple[str, int]]:
    """Its words with their places."""
    return [(match.group(), match.start()) for match in _WORD.finditer(question)]


def _before(words: list[tuple[str, int]], at: int) -> list[str]:
    """The two words before one, in small letters."""
    return [word.casefold() for word, _ in words[max(0, at - 2) : at]]


def _beside_number(words: list[str]) -> list[bool]:
    """For each word, whether it is the unit of a number before it, or only content words stand between it and a later one."""
    out, follows = [], False
    for at in reversed(range(len(words))):
        out.append(follows or (at > 0 and words[at - 1].isdecimal()))
        follows = any(map(str.isdigit, words[at])) or (follows and _is_content(words[at]))
    return out[::-1]


def _is_named_by(before: list[str], names: frozenset[str]) -> bool:
    """Whether one of ``names`` stands right before the word, or before the content word before it ("my old phone")."""
    return before[-1:] != [] and (
        before[-1] in names or (len(before) > 1 and before[0] in names and _is_content(before[1]))
    )


def _has_content(word: str) -> bool:
    return _is_content(word) and word.casefold() not in _OF_ASKING and not any(map(str.isdigit, word))


def _is_content(word: str) -> bool:
    return word.casefold() not in stop_words("en")


@lru_cache(maxsize=4096)
def _distinct(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_WORD.findall(text.casefold())))
