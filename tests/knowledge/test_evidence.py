"""The refusal score: what raises it, what lowers it, and fitting it."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.evidence import (
    DEFAULT_THRESHOLD,
    DEPTH,
    EXACT_EVIDENCE,
    Coefficients,
    Signals,
    best_signals,
    fit,
    refusal_score,
    score,
)
from knowledge.reranking import Candidate, Question
from knowledge.tokens import tokenize


def ask(text: str, *, idf: float = 2.0, **more: Any) -> Question:
    tokens = tuple(tokenize(text, more.get("language", "en")))
    return Question(text=text, tokens=tokens, term_idf=dict.fromkeys(tokens, idf), **more)


def passage(text: str, *, dense: float, heading: str = "", **more: Any) -> Candidate:
    return Candidate(
        id=more.pop("id", "c"),
        text=f"{heading}\n{text}",
        heading=heading,
        document_id="d",
        dense=dense,
        keyword=1.0,
        **more,
    )


def test_nothing_found_is_no_evidence():
    assert refusal_score(ask("refund"), []) == 0.0
    assert best_signals(ask("refund"), []) is None


def test_off_topic_lies_under_the_default_threshold_and_an_answer_over_it():
    rules = "Refunds are paid within 5 business days to the original payment method."
    off = refusal_score(ask("Who won the IPL in 2024?"), [passage(rules, dense=0.1, heading="Refunds")])
    on = refusal_score(ask("refund"), [passage(rules, dense=0.55, heading="Refunds")])
    assert off < DEFAULT_THRESHOLD < on


def test_a_passage_that_only_repeats_its_heading_counts_less():
    asked = ask("deforestation in the United States causes")
    heading = "Deforestation in the United States"
    title_only = passage("Massachusetts forests at the crossroads, a report.", dense=0.6, heading=heading)
    answers = passage("Its causes are farming and timber.", dense=0.6, heading=heading)
    assert refusal_score(asked, [answers]) > refusal_score(asked, [title_only])


def test_the_best_of_the_first_passages_decides():
    weak = passage("nothing of it", dense=0.1, id="w")
    strong = passage("a refund is paid", dense=0.8, id="s")
    asked = ask("refund")
    assert refusal_score(asked, [weak, strong]) == refusal_score(asked, [strong])
    assert refusal_score(asked, [weak] * DEPTH + [strong]) == refusal_score(asked, [weak])


def test_an_identifier_is_evidence_where_the_cosine_is_low():
    found = passage("P0420: Catalyst efficiency below threshold", dense=0.05, exact=True)
    assert refusal_score(ask("What does P0420 mean?"), [found]) >= EXACT_EVIDENCE


def test_words_decide_where_the_model_does_not_know_the_language():
    asked = ask("болничен работодател", language="bg", model_knows_language=False)
    holds = passage("Работодателят: болничен, работодател", dense=-0.1, language="bg")
    lacks = passage("Данък върху наследствата", dense=0.9, language="bg")
    assert refusal_score(asked, [holds]) > 0.5 > refusal_score(asked, [lacks])


def test_a_word_of_no_document_is_missed():
    known = Question(text="", tokens=("refund",), term_idf={"refund": 2.0})
    unknown = Question(text="", tokens=("refund", "asdfgh"), term_idf={"refund": 2.0})
    row = [passage("a refund is paid", dense=0.4)]
    first, second = best_signals(known, row), best_signals(unknown, row)
    assert first is not None
    assert second is not None
    assert (first.share, second.share) == (1.0, 0.5)


def test_a_question_of_stop_words_alone_rests_on_its_cosine():
    signals = best_signals(Question(text="what is it"), [passage("a refund", dense=0.4)])
    assert signals is not None
    assert (signals.share, signals.body_share) == (0.0, 0.0)


SIGNALS = st.builds(
    Signals,
    dense=st.floats(-1, 1),
    body_share=st.floats(0, 1),
    share=st.floats(0, 1),
    exact=st.booleans(),
    model_knows_language=st.booleans(),
)


@given(SIGNALS)
def test_scores_lie_between_0_and_1(signals: Signals):
    assert 0.0 <= score(signals) <= 1.0


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(0, 1))
def test_a_higher_cosine_never_lowers_it(first: float, second: float, share: float):
    low, high = sorted((first, second))
    assert score(Signals(dense=low, body_share=share, share=share)) <= score(
        Signals(dense=high, body_share=share, share=share)
    )


def _examples(seed: int, count: int) -> list[tuple[Signals, bool]]:
    generator = random.Random(seed)
    rows = []
    for place in range(count):
        label = place % 2 == 0
        dense = generator.gauss(0.65 if label else 0.45, 0.1)
        body = min(1.0, max(0.0, generator.gauss(0.5 if label else 0.3, 0.2)))
        rows.append((Signals(dense=dense, body_share=body, share=body), label))
    return rows


def test_fit_separates_what_it_learnt_and_what_it_did_not():
    fitted = fit(_examples(1, 200))
    assert fitted.dense > 0
    assert fitted.body_share > 0
    right = [(score(signals, fitted) > 0.5) == label for signals, label in _examples(2, 200)]
    assert sum(right) / len(right) > 0.8


def test_fit_keeps_the_words_of_unknown_languages_out():
    rows = _examples(1, 50)
    odd = [(Signals(dense=-1.0, body_share=0.0, share=1.0, model_knows_language=False), True)] * 50
    assert fit([*rows, *odd]) == fit(rows)


@pytest.mark.parametrize("examples", [[], [(Signals(dense=0.5, body_share=0.5, share=0.5), True)] * 3])
def test_fit_needs_both_labels(examples):
    with pytest.raises(ValueError, match="answerable and unanswerable"):
        fit(examples)


def test_fit_survives_a_signal_that_never_changes():
    rows = [(Signals(dense=0.3 + 0.4 * (place % 2), body_share=0.2, share=0.2), place % 2 == 1) for place in range(20)]
    fitted = fit(rows)
    assert isinstance(fitted, Coefficients)
    assert score(rows[1][0], fitted) > 0.5 > score(rows[0][0], fitted)
