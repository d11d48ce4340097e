"""How much the best passages speak for an answer being there: the score that the refusal gate reads, 0 to 1.

A threshold on the top cosine alone can't tell a question that the documents answer from a near miss, because a passage's heading
lifts the cosine of every question on its topic. So the score also asks what the passage adds to its heading: which of the
question's words, weighed by how rare they are, its body holds that the heading does not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from knowledge.reranking import Candidate, Question
from knowledge.tokens import tokenize

#: Passages looked at, from the top of the final ranking: the one that answers is mostly among the first three.
DEPTH = 3

#: What a passage that holds an identifier of the question counts at least, whatever its cosine.
EXACT_EVIDENCE = 0.9

#: Refuse below this where nothing was calibrated. For the default model; see ``MINILM``.
DEFAULT_THRESHOLD = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """What is known of a question's best passage.

    Attributes:
        dense: its cosine with the question.
        body_share: the part of the question's IDF that its body holds and its heading does not, 0 to 1.
        share: the part of the question's IDF that it holds at all, 0 to 1.
        exact: whether it holds an identifier that the question names.
        model_knows_language: whether ``dense`` says anything.
    """

    dense: float
    body_share: float
    share: float
    exact: bool = False
    model_knows_language: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficients:
    """Of the logistic function. The second pair reads words alone, for languages that the embedding model does not know."""

    intercept: float
    dense: float
    body_share: float
    words_intercept: float = -3.0
    words: float = 10.0


#: Fitted for all-MiniLM-L6-v2 by ``fit``: answerable and near-miss questions over encyclopedia passages, and a shop's shelf.
MINILM = Coefficients(intercept=-4.6, dense=14.0, body_share=2.8)


def refusal_score(question: Question, ranked: Sequence[Candidate], coefficients: Coefficients = MINILM) -> float:
    """The evidence of the best of the first ``DEPTH`` passages, 0 to 1; 0 without passages. Refuse when it is low.

    ``ranked`` is best first.
    """
    return max((score(signals, coefficients) for signals in _signals(question, ranked)), default=0.0)


def score(signals: Signals, coefficients: Coefficients = MINILM) -> float:
    """One passage's evidence: the logistic function of its signals, at least ``EXACT_EVIDENCE`` where it holds the identifier."""
    logit = coefficients.intercept + coefficients.dense * signals.dense + coefficients.body_share * signals.body_share
    if not signals.model_knows_language:
        logit = coefficients.words_intercept + coefficients.words * signals.share
    value = 1 / (1 + math.exp(-max(-50.0, min(50.0, logit))))
    return max(value, EXACT_EVIDENCE) if signals.exact else value


def best_signals(
    question: Question, ranked: Sequence[Candidate], coefficients: Coefficients = MINILM
) -> Signals | None:
    """The signals of the passage that ``refusal_score`` rests on; ``None`` without passages."""
    return max(_signals(question, ranked), key=lambda signals: score(signals, coefficients), default=None)


def fit(examples: Sequence[tuple[Signals, bool]], *, ridge: float = 1.0) -> Coefficients:
    """Coefficients from labelled questions (their best signals, and whether the documents answer them).

    Logistic regression by Newton's method with an L2 penalty of ``ridge`` on the standardised signals, so that a small set does
    not overfit. Only questions in a language that the model knows are used. Raises ``ValueError`` where a label is missing.
    """
    known = [(signals, label) for signals, label in examples if signals.model_knows_language]
    labels = np.array([float(label) for _, label in known])
    if not known or labels.min() == labels.max():
        raise ValueError("Fitting needs answerable and unanswerable questions.")
    raw = np.array([[signals.dense, signals.body_share] for signals, _ in known])
    mean, spread = raw.mean(axis=0), np.maximum(raw.std(axis=0), 1e-6)
    inputs = np.column_stack([np.ones(len(raw)), (raw - mean) / spread])
    penalty = np.diag([1e-6, ridge, ridge])
    weights = np.zeros(3)
    for _ in range(50):
        probability = 1 / (1 + np.exp(-np.clip(inputs @ weights, -50, 50)))
        gradient = inputs.T @ (probability - labels) + penalty @ weights
        curvature = (inputs * (probability * (1 - probability))[:, None]).T @ inputs + penalty
        step = np.linalg.solve(curvature, gradient)
        weights = weights - step
        if float(np.abs(step).max()) < 1e-8:
            break
    slopes = weights[1:] / spread
    return Coefficients(
        intercept=float(weights[0] - slopes @ mean), dense=float(slopes[0]), body_share=float(slopes[1])
    )


def _signals(question: Question, ranked: Sequence[Candidate]) -> list[Signals]:
    asked = _asked(question)
    total = sum(asked.values())
    return [_of_candidate(question, candidate, asked, total) for candidate in ranked[:DEPTH]]


def _asked(question: Question) -> dict[str, float]:
    """The IDF of each question word; a word of no document counts like the rarest one known, so that it is missed."""
    rarest = max(question.term_idf.values(), default=1.0)
    return {token: question.term_idf.get(token, rarest) for token in question.tokens}


def _of_candidate(question: Question, candidate: Candidate, asked: dict[str, float], total: float) -> Signals:
    heading = _words(candidate.heading, candidate.language)
    held = _words(candidate.text, candidate.language)
    share = sum(idf for token, idf in asked.items() if token in held or token in heading)
    beyond = sum(idf for token, idf in asked.items() if token in held and token not in heading)
    return Signals(
        dense=candidate.dense,
        body_share=beyond / total if total > 0 else 0.0,
        share=share / total if total > 0 else 0.0,
        exact=candidate.exact,
        model_knows_language=question.model_knows_language,
    )


@lru_cache(maxsize=4096)
def _words(text: str, language: str) -> frozenset[str]:
    return frozenset(tokenize(text, language))
