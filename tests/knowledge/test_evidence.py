"""The refusal score: what raises it and what lowers it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from knowledge.evidence import (
    DEFAULT_THRESHOLD,
    DEPTH,
    EXACT_EVIDENCE,
    FIELD,
    Signals,
    best_signals,
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
    assert refusal_score(asked, [weak, strong]) == refusal_score(asked, [strong, weak]) > refusal_score(asked, [weak])
    assert refusal_score(asked, [weak] * FIELD + [strong]) == refusal_score(asked, [weak] * DEPTH)


def test_an_identifier_is_evidence_where_the_cosine_is_low():
    found = passage("P0420: Catalyst efficiency below threshold", dense=0.05, exact=True)
    assert refusal_score(ask("What does P0420 mean?"), [found]) >= EXACT_EVIDENCE


def test_words_decide_where_the_model_does_not_know_the_language():
    asked = ask("болничен работодател", language="bg", model_knows_language=False)
    holds = passage("Работодателят: болничен, работодател", dense=-0.1, language="bg")
    lacks = passage("Данък върху наследствата", dense=0.9, language="bg")
    assert refusal_score(asked, [holds]) > 0.5 > refusal_score(asked, [lacks])


def test_a_word_of_no_document_is_missed():
    known = Question(text="", tokens=("refund",), term_idf={"refund": 2.0}, model_knows_language=False)
    unknown = replace(known, tokens=("refund", "asdfgh"))
    row = [passage("a refund is paid", dense=0.4)]
    first, second = best_signals(known, row), best_signals(unknown, row)
    assert first is not None
    assert second is not None
    assert (first.share, second.share) == (1.0, 0.5)
    assert (first.sentence_share, second.sentence_share) == (1.0, 0.5)


def test_a_question_of_stop_words_alone_rests_on_its_cosine():
    signals = best_signals(Question(text="what is it"), [passage("a refund", dense=0.4)])
    assert signals is not None
    assert (signals.share, signals.sentence_share) == (0.0, 0.0)


SIGNALS = st.builds(
    Signals,
    dense=st.floats(-1, 1),
    sentence_share=st.floats(0, 1),
    share=st.floats(0, 1),
    missed=st.none() | st.floats(0, 0.4),
    told=st.integers(0, 50),
    exact=st.booleans(),
    model_knows_language=st.booleans(),
)


@given(SIGNALS)
def test_scores_lie_between_0_and_1(signals: Signals):
    assert 0.0 <= score(signals) <= 1.0


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(0, 1))
def test_a_higher_cosine_never_lowers_it(first: float, second: float, share: float):
    low, high = sorted((first, second))
    assert score(Signals(dense=low, sentence_share=share, share=share)) <= score(
        Signals(dense=high, sentence_share=share, share=share)
    )


def test_words_scattered_over_sentences_count_less_than_words_of_one():
    asked = ask("opening hours of the store in Mumbai")
    together = passage("The store in Mumbai has opening hours from 9 to 5.", dense=0.4)
    scattered = passage(
        "The store is closed. Mumbai has express delivery. The opening is wide. It takes 24 hours.", dense=0.4
    )
    assert refusal_score(asked, [together]) > refusal_score(asked, [scattered])


def test_a_passage_that_stands_out_counts_more_than_one_of_many_as_near():
    best = passage("a refund is paid", dense=0.4)
    asked = ask("gift cards")
    near = [passage("shipping costs", dense=0.39, id=str(place)) for place in range(FIELD - 1)]
    far = [passage("shipping costs", dense=0.1, id=str(place)) for place in range(FIELD - 1)]
    assert refusal_score(asked, [best, *far]) > refusal_score(asked, [best, *near])


def test_a_model_whose_cosines_begin_high_is_read_from_its_own_zero():
    rules = passage("a refund is paid", dense=0.8)
    asked = ask("gift cards")
    assert refusal_score(asked, [rules]) > DEFAULT_THRESHOLD
    e5 = Question(text=asked.text, tokens=asked.tokens, term_idf=asked.term_idf, unrelated=0.78)
    assert refusal_score(e5, [rules]) < DEFAULT_THRESHOLD


@given(st.floats(0, 0.4), st.floats(0, 0.4), st.booleans())
def test_what_is_missed_never_raises_it(first: float, second: float, exact: bool):
    less, more = sorted((first, second))
    held = {"dense": 0.4, "sentence_share": 0.2, "share": 0.5, "exact": exact}
    assert score(Signals(missed=more, **held)) <= score(Signals(missed=less, **held)) + 1e-12


def test_another_side_of_the_topic_is_weaker_evidence():
    fees = [passage("The express fee is refunded when an express order arrives late.", dense=0.22)]
    assert refusal_score(ask("Is there a restocking fee?"), fees) < DEFAULT_THRESHOLD
    assert refusal_score(ask("When is the express fee refunded?"), fees) > DEFAULT_THRESHOLD


def test_an_identifier_does_not_carry_what_its_passages_do_not_speak_of():
    manual = [
        passage(
            "The AX-204 has no active noise cancellation. Clean the ear cushions with a dry cloth.",
            dense=0.6,
            exact=True,
        )
    ]
    assert refusal_score(ask("What is the price of the AX-204?"), manual) < DEFAULT_THRESHOLD
    assert refusal_score(ask("How do I clean the AX-204?"), manual) >= EXACT_EVIDENCE


def test_a_passage_that_lacks_the_identifier_asked_about_is_no_evidence():
    manual = passage("The AX-204 has no active noise cancellation.", dense=0.3, exact=True, id="manual")
    prices = passage("The price of an item is shown on its page.", dense=0.6, id="prices")
    asked = ask("What is the price of the AX-204?")
    assert refusal_score(asked, [manual, prices]) == refusal_score(asked, [manual]) < DEFAULT_THRESHOLD


def test_a_long_story_may_only_mention_an_identifier():
    told = "My employer gave me form P45 after I left my old workshop last summer because the owner moved. Who pays my tax?"
    form = passage("Form P45 is handed over on the last day.", dense=0.3, exact=True, id="form")
    taxes = passage("The new employer pays your tax to the office each month.", dense=0.6, id="taxes")
    assert refusal_score(ask(told), [form, taxes]) > DEFAULT_THRESHOLD


def test_words_held_by_a_passage_on_something_else_are_little_evidence():
    words = {"sentence_share": 0.6, "share": 0.6, "missed": 0.0}
    far, near = score(Signals(dense=0.1, **words)), score(Signals(dense=0.3, **words))
    without = score(Signals(dense=0.1, sentence_share=0.0, share=0.6, missed=0.0))
    assert far < DEFAULT_THRESHOLD < near
    assert far - without < 0.1


def test_texts_that_are_not_english_are_not_held_against_each_other_by_meaning():
    for question, text in ((ask("refund", language="de"), "en"), (ask("refund"), "de")):
        signals = best_signals(question, [passage("a refund is paid", dense=0.4, language=text)])
        assert signals is not None
        assert signals.missed is None


def test_words_of_the_title_say_which_documents_article_is_meant():
    rule = "Section 5. A dog may not bark for long. The kennels are exempt."
    found = passage(rule, dense=0.3, heading="Aeroplane Ordinance > Section 5", exact=True)
    other = passage(rule, dense=0.3, heading="Chemistry > Section 5", exact=True)
    asked = ask("What is section 5 of the aeroplane ordinance?")
    assert refusal_score(asked, [found]) > DEFAULT_THRESHOLD > refusal_score(asked, [other])
