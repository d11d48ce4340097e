from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.asked_words import NEAR, Sought, asked_words, told_words
from knowledge.meanings import word_vectors

FEES = "Express delivery costs INR 99 for each order. The express fee is refunded when an express order arrives late."


def missed(question: str, body: str, term_idf: Mapping[str, float]) -> float:
    return Sought.of(question, term_idf).missed(body)


def weights(question: str) -> dict[str, float]:
    return dict(asked_words(question))


def likeness(first: str, second: str) -> float:
    rows = word_vectors((first, second))
    return float(rows[0] @ rows[1])


@pytest.mark.parametrize(("word", "near", "far"), [("sent", "send", "invoice"), ("warranty", "guarantee", "parcel")])
def test_words_of_like_meaning_lie_nearer(word: str, near: str, far: str):
    assert likeness(word, near) > likeness(word, far)


def test_vectors_are_of_length_1_and_blind_to_case():
    rows = word_vectors(("Refund", "refund", "zzqx-unheard"))
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    assert np.array_equal(rows[0], rows[1])
    assert word_vectors(()).shape == (0, rows.shape[1])


def test_a_word_without_pieces_is_near_nothing():
    assert not word_vectors((" ",)).any()


def test_what_is_asked_counts_whole_and_what_is_told_less():
    found = weights("I bought a kettle last week. Is there a restocking fee for my order?")
    assert found["restocking"] == found["fee"] == 1.0
    assert found["kettle"] == found["bought"] == found["order"] < 1.0


def test_a_named_thing_is_told_of_unless_it_is_what_is_asked_for():
    assert weights("Can I return a toaster?")["toaster"] < weights("Do you have a toaster?")["toaster"] == 1.0


def test_a_question_after_a_comma_leaves_the_story_told():
    assert weights("My parcel came late, who pays the fee?") == {"parcel": 0.3, "late": 0.3, "pays": 1.0, "fee": 1.0}


def test_a_message_without_a_question_asks_with_all_its_words():
    assert weights("refund status") == {"refund": 1.0, "status": 1.0}


def test_words_of_asking_codes_and_units_need_no_answer():
    assert asked_words("What does trouble code P0420 mean?") == ()
    assert weights("Can I still return it after 10 days?") == {"return": 1.0}
    assert "days" in weights("How many days do I have?")


def test_a_word_after_a_code_is_asked():
    assert weights("Is the BX-900 foldable?") == {"foldable": 1.0}


def test_told_words_are_counted():
    assert told_words("Is there a fee?") == 0
    assert told_words("My lamp arrived broken. Is there a fee?") == 3


def test_another_side_of_the_topic_is_missed():
    assert missed("Is there a restocking fee?", FEES, {}) > missed("Is the express fee refunded?", FEES, {}) == 0.0


def test_a_common_word_counts_less_than_a_rare_one():
    rare = missed("fee warehouse", FEES, {"fee": 3.0, "warehous": 3.0})
    assert missed("fee warehouse", FEES, {"fee": 3.0, "warehous": 0.1}) < rare


def test_a_question_of_stop_words_misses_nothing_and_an_empty_passage_all():
    assert missed("what is it", FEES, {}) == 0.0
    assert missed("restocking", "", {}) == pytest.approx(NEAR)


@given(st.text(max_size=80), st.text(max_size=80))
def test_missed_lies_in_its_range(question: str, body: str):
    assert 0.0 <= missed(question, body, {}) <= NEAR + 1e-6


@pytest.mark.parametrize(
    "question",
    [
        "What is the text of AC-7(2) in the catalogue?",
        "Give me the wording of P0420 in the official database",
        "What does the leaflet say about F07?",
        "What does the official documentation state about E-42?",
        "Show me section 14(2) from our register",
        "the description of E-22",
    ],
)
def test_where_to_look_for_a_code_needs_no_answer(question: str):
    assert asked_words(question) == ()


def test_without_a_code_and_for_another_side_of_it_such_words_are_asked_for():
    assert "catalogue" in weights("Where is the text on returns in the catalogue?")
    assert weights("What does AX-204 cost in the catalogue?") == {"cost": 1.0}
    assert "manual" in weights("Is there a manual for the AX-204?")
    assert "contents" in weights("What contents may a AX-204 parcel have?")
