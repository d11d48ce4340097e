"""How much the best passages speak for an answer being there: the score that the refusal gate reads, 0 to 1.

A threshold on the top cosine alone can't tell a question that the documents answer from a near miss, because a passage's heading
lifts the cosine of every question on its topic. So the score also asks what the passage adds to its heading: which of the
question's words, weighed by how rare they are, one of its sentences holds that the heading does not. And it asks by how much the
best passages stand out: where the documents hold no answer, the next ones are as near.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from knowledge.reranking import Candidate, Question
from knowledge.sentences import split_sentences
from knowledge.tokens import tokenize

#: Passages looked at, from the top of the final ranking: the one that answers is mostly among the first three.
DEPTH = 3

#: What a passage that holds an identifier of the question counts at least, whatever its cosine.
EXACT_EVIDENCE = 0.9

#: Refuse below this where nothing was calibrated. For the default model; see ``MINILM``.
DEFAULT_THRESHOLD = 0.5


#: Passages that the best ones are held against.
FIELD = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """What is known of a question's best passage.

    Attributes:
        dense: its cosine with the question, read from the model's zero (``Question.unrelated``).
        sentence_share: the part of the question's IDF that one of its sentences holds and its heading does not, 0 to 1.
        lead: how far the best cosine of the first passages lies above their mean.
        share: the part of the question's IDF that it holds at all, 0 to 1.
        exact: whether it holds an identifier that the question names.
        model_knows_language: whether ``dense`` says anything.
    """

    dense: float
    sentence_share: float
    share: float
    lead: float = 0.0
    exact: bool = False
    model_knows_language: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficients:
    """Of the logistic function; the share of a sentence counts squared, so that scattered words add up to little.

    The second pair reads words alone, for languages that the embedding model does not know.
    """

    intercept: float
    dense: float
    sentence_share: float
    lead: float
    words_intercept: float = -3.0
    words: float = 10.0


#: For all-MiniLM-L6-v2, from answerable and near-miss questions over encyclopedia passages, and a shop's shelf.
MINILM = Coefficients(intercept=-5.32, dense=14.0, sentence_share=4.2, lead=7.0)


def refusal_score(question: Question, ranked: Sequence[Candidate], coefficients: Coefficients = MINILM) -> float:
    """The evidence of the best of the first ``DEPTH`` passages, 0 to 1; 0 without passages. Refuse when it is low.

    ``ranked`` is best first.
    """
    return max((score(signals, coefficients) for signals in _signals(question, ranked)), default=0.0)


def score(signals: Signals, coefficients: Coefficients = MINILM) -> float:
    """One passage's evidence: the logistic function of its signals, at least ``EXACT_EVIDENCE`` where it holds the identifier."""
    logit = (
        coefficients.intercept
        + coefficients.dense * signals.dense
        + coefficients.sentence_share * signals.sentence_share**2
        + coefficients.lead * signals.lead
    )
    if not signals.model_knows_language:
        logit = coefficients.words_intercept + coefficients.words * signals.share
    value = 1 / (1 + math.exp(-max(-50.0, min(50.0, logit))))
    return max(value, EXACT_EVIDENCE) if signals.exact else value


def best_signals(
    question: Question, ranked: Sequence[Candidate], coefficients: Coefficients = MINILM
) -> Signals | None:
    """The signals of the passage that ``refusal_score`` rests on; ``None`` without passages."""
    return max(_signals(question, ranked), key=lambda signals: score(signals, coefficients), default=None)


def _signals(question: Question, ranked: Sequence[Candidate]) -> list[Signals]:
    asked = _asked(question)
    total = sum(asked.values())
    cosines = np.array([_above(question, candidate) for candidate in ranked[:FIELD]])
    lead = float(cosines.max() - cosines.mean()) if len(cosines) else 0.0
    return [_of_candidate(question, candidate, asked, total, lead) for candidate in ranked[:DEPTH]]


def _above(question: Question, candidate: Candidate) -> float:
    """The cosine on a scale where texts that have nothing to do with each other are at 0, whichever model it comes from."""
    return (candidate.dense - question.unrelated) / (1 - question.unrelated)


def _asked(question: Question) -> dict[str, float]:
    """The IDF of each question word; a word of no document counts like the rarest one known, so that it is missed."""
    rarest = max(question.term_idf.values(), default=1.0)
    return {token: question.term_idf.get(token, rarest) for token in question.tokens}


def _of_candidate(
    question: Question, candidate: Candidate, asked: dict[str, float], total: float, lead: float
) -> Signals:
    heading = _words(candidate.heading, candidate.language)
    held = _words(candidate.text, candidate.language)
    share = sum(idf for token, idf in asked.items() if token in held or token in heading)
    beyond = max(
        (
            sum(idf for token, idf in asked.items() if token in sentence and token not in heading)
            for sentence in _sentences(candidate.text, candidate.language)
        ),
        default=0.0,
    )
    return Signals(
        dense=_above(question, candidate),
        sentence_share=beyond / total if total > 0 else 0.0,
        share=share / total if total > 0 else 0.0,
        lead=lead,
        exact=candidate.exact,
        model_knows_language=question.model_knows_language,
    )


@lru_cache(maxsize=4096)
def _sentences(text: str, language: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(tokenize(text[start:end], language)) for start, end in split_sentences(text))


@lru_cache(maxsize=4096)
def _words(text: str, language: str) -> frozenset[str]:
    return frozenset(tokenize(text, language))
