"""How much the best passages speak for an answer being there: the score that the refusal gate reads, 0 to 1.

A threshold on the top cosine alone can't tell a question that the documents answer from a near miss, because a passage's heading
lifts the cosine of every question on its topic. So the score also asks what the passage adds to its heading: which of the
question's words, weighed by how rare they are, one of its sentences holds that the heading does not, and how far the words that
say what is asked lie from all of its own (``asked_words``). And it asks by how much the best passages stand out: where the
documents hold no answer, the next ones are as near.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from knowledge.asked_values import lacks_value
from knowledge.asked_words import Sought, asked_codes, asked_words, read_ahead, told_words
from knowledge.identifiers import HEADING_SEPARATOR
from knowledge.meanings import word_vectors
from knowledge.reranking import Candidate, Question
from knowledge.sentences import split_sentences
from knowledge.tokens import tokenize

#: Passages looked at, from the top of the final ranking: the one that answers is mostly among the first three.
DEPTH = 3

#: Passages that the best ones are held against.
FIELD = 5

#: What a passage that holds an identifier of the question counts at least, whatever its cosine, …
EXACT_EVIDENCE = 0.9
#: … as long as the passages that hold it speak of what is asked about it. What they miss counts from the first of these on (as
#: ``Signals.missed``), and at the second the evidence is a half: the price of a product whose manual gives none.
EXACT_MISSED = (0.1, 0.15)

#: What is left of the evidence where no passage holds the kind of value that is asked for.
WITHOUT_VALUE = 0.25

#: Words told of that are counted; a story of fifty is no better known than one of three.
MOST_TOLD = 3

#: Refuse below this where nothing was calibrated. For the default model; see ``ENGLISH``.
DEFAULT_THRESHOLD = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """What is known of a question's best passage.

    Attributes:
        dense: its cosine with the question, read from the model's zero (``Question.unrelated``).
        sentence_share: the part of the question's IDF that one of its sentences holds and its heading does not, 0 to 1.
        lead: how far the best cosine of the first passages lies above their mean.
        share: the part of the question's IDF that it holds at all, 0 to 1; 0 where the model knows the language.
        missed: how far it is from speaking of what is asked (``Sought.missed``); ``None`` where one text is not English.
        told: how many words of the question are told of, not asked for.
        exact: whether it holds an identifier that the question names.
        model_knows_language: whether ``dense`` says anything.
    """

    dense: float
    sentence_share: float
    share: float
    lead: float = 0.0
    missed: float | None = None
    told: int = 0
    exact: bool = False
    model_knows_language: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficients:
    """Of the logistic function; the share of a sentence counts squared, so that scattered words add up to little, and the words
    told of by the logarithm of one more. Under a cosine of ``near`` the share counts less, by the square of the cosine's part of
    it: words that a passage on something else happens to hold are no evidence.
    """

    intercept: float
    near: float = 0.0
    dense: float = 0.0
    sentence_share: float = 0.0
    lead: float = 0.0
    missed: float = 0.0
    told: float = 0.0
    share: float = 0.0


#: For cosines of all-MiniLM-L6-v2 and English texts. The decision record tells what they were fitted on.
ENGLISH = Coefficients(intercept=-2.85, dense=11.0, sentence_share=5.0, lead=4.0, missed=-12.0, told=0.8, near=0.3)
#: Where the words can't be held against each other by meaning.
OTHER = Coefficients(intercept=-5.32, dense=14.0, sentence_share=4.2, lead=7.0)
#: For languages that the embedding model does not know, by words alone.
WORDS = Coefficients(intercept=-3.0, share=10.0)


def refusal_score(question: Question, ranked: Sequence[Candidate]) -> float:
    """The evidence of the best of the first ``DEPTH`` passages, 0 to 1; 0 without passages. Refuse when it is low.

    ``ranked`` is best first. Where some of them hold the identifier that the question is about, those alone count. Where a price,
    a weight or another such value is asked for and none of the first passages holds any, little is left of it.
    """
    best = best_signals(question, ranked)
    if best is None or (not any(map(str.isalpha, question.text)) and not best.exact):
        return 0.0  # "{{7*7}}" asks nothing
    asked_of = [candidate for candidate in ranked[:FIELD] if candidate.exact or not best.exact]
    in_english = question.language == "en" and all(candidate.language == "en" for candidate in asked_of)
    without_value = in_english and lacks_value(question.text, [candidate.text for candidate in asked_of])
    return score(best) * (WITHOUT_VALUE if without_value else 1.0)


def score(signals: Signals) -> float:
    """One passage's evidence: the logistic function of its signals, or where it holds the identifier ``EXACT_EVIDENCE`` and more,
    unless it misses what is asked about it.
    """
    by = _coefficients(signals)
    near = min(1.0, max(0.0, signals.dense) / by.near) if by.near else 1.0
    value = _logistic(
        by.intercept
        + by.dense * signals.dense
        + by.sentence_share * (near * signals.sentence_share) ** 2
        + by.lead * signals.lead
        + by.missed * (signals.missed or 0.0)
        + by.told * math.log1p(min(signals.told, MOST_TOLD))
        + by.share * signals.share
    )
    if not signals.exact:
        return value
    first, half = EXACT_MISSED
    beyond = max(0.0, (signals.missed or 0.0) - first)
    if not beyond:
        return max(value, EXACT_EVIDENCE)
    spoken_of = _logistic(math.log(EXACT_EVIDENCE / (1 - EXACT_EVIDENCE)) * (1 - beyond / (half - first)))
    return spoken_of if _is_about_it(signals) else max(value, spoken_of)


def best_signals(question: Question, ranked: Sequence[Candidate]) -> Signals | None:
    """The signals of the passage that ``refusal_score`` rests on; ``None`` without passages."""
    signals = _signals(question, ranked)
    exact = [one for one in signals if one.exact and _is_about_it(one)]
    return max(exact or signals, key=score, default=None)


def _is_about_it(signals: Signals) -> bool:
    """Whether the identifier is what the question is about: a long story may only mention one."""
    return signals.told <= MOST_TOLD


def _coefficients(signals: Signals) -> Coefficients:
    if not signals.model_knows_language:
        return WORDS
    return OTHER if signals.missed is None else ENGLISH


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, value))))


def _signals(question: Question, ranked: Sequence[Candidate]) -> list[Signals]:
    asked = _asked(question)
    total = sum(asked.values())
    sought = Sought.of(question.text, question.term_idf, question.identifiers) if question.language == "en" else None
    cosines = np.array([_above(question, candidate) for candidate in ranked[:FIELD]])
    lead = float(cosines.max() - cosines.mean()) if len(cosines) else 0.0
    # What is asked about an identifier may stand in any passage that holds it: the identifier says which document is meant, and
    # so do words of its title ("article 5 of the noise by-law").
    exact = "\n\n".join(f"{_title(one)}\n\n{_body(one)}" for one in ranked[:FIELD] if one.exact)
    if sought:
        read_ahead([_body(one) for one in ranked[:DEPTH] if one.language == "en" and not one.exact])
    return [_of_candidate(question, candidate, asked, total, lead, exact, sought) for candidate in ranked[:DEPTH]]


def read_question(text: str) -> None:
    """Read an English question before its passages are known: what ``refusal_score`` sees in it is remembered."""
    word_vectors(tuple(dict.fromkeys(word for word, _ in asked_words(text))))
    asked_codes(text)


def _body(candidate: Candidate) -> str:
    return candidate.text.removeprefix(candidate.heading)


def _title(candidate: Candidate) -> str:
    return candidate.heading.split(HEADING_SEPARATOR, 1)[0]


def _above(question: Question, candidate: Candidate) -> float:
    """The cosine on a scale where texts that have nothing to do with each other are at 0, whichever model it comes from."""
    return (candidate.dense - question.unrelated) / (1 - question.unrelated)


def _asked(question: Question) -> dict[str, float]:
    """The IDF of each question word; a word of no document counts like the rarest one known, so that it is missed."""
    rarest = max(question.term_idf.values(), default=1.0)
    return {token: question.term_idf.get(token, rarest) for token in question.tokens}


def _of_candidate(
    question: Question,
    candidate: Candidate,
    asked: dict[str, float],
    total: float,
    lead: float,
    exact: str,
    sought: Sought | None,
) -> Signals:
    heading = _words(candidate.heading, candidate.language)
    share = 0.0
    if not question.model_knows_language:
        held = heading | _words(candidate.text, candidate.language)
        share = sum(idf for token, idf in asked.items() if token in held)
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
        missed=sought.missed(exact if candidate.exact else _body(candidate))
        if sought and candidate.language == "en"
        else None,
        told=told_words(question.text),
        exact=candidate.exact,
        model_knows_language=question.model_knows_language,
    )


@lru_cache(maxsize=4096)
def _sentences(text: str, language: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(tokenize(text[start:end], language)) for start, end in split_sentences(text))


@lru_cache(maxsize=4096)
def _words(text: str, language: str) -> frozenset[str]:
    return frozenset(tokenize(text, language))
