from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.agreement import disagreement, fact_conflict
from nodes.polarity import contradicts
from nodes.strength import overstatement


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Damaged electronics can be returned.", "Damaged electronics cannot be returned."),
        ("Worn shoes are eligible.", "Worn shoes are not eligible."),
        ("Worn shoes are eligible.", "Worn shoes are ineligible."),
        ("Worn shoes are refundable.", "Worn shoes are non-refundable."),
        ("The item may be opened.", "The item may be unopened."),
        ("The AX-204 supports fast charging.", "The AX-204 wireless headphones do not support fast charging."),
        (
            "Electronics can be returned after 7 days of delivery.",
            "Electronics can be returned within 7 days of delivery.",
        ),
        ("Orders of at least INR 499 ship free.", "Orders of at most INR 499 ship free."),
        ("A return with brand tags is declined.", "A return without brand tags is declined."),
        ("Items made to order are returnable unless opened.", "Items made to order are returnable if opened."),
        ("Обезщетение се изплаща при алкохол.", "Обезщетение не се изплаща при алкохол."),
        ("Withdrawals are not free of charge.", "Withdrawals are free of charge."),
        (
            "The application is submitted no later than 6 months before the trip.",
            "The application is submitted no earlier than 6 months before the trip.",
        ),
        ("Musik darf mindestens zwei Stunden gespielt werden.", "Musik darf höchstens zwei Stunden gespielt werden."),
        ("The category policy applies and the window does.", "The category policy applies and the window does not."),
    ],
)
def test_opposites(claim: str, source: str) -> None:
    assert contradicts(claim, source) is True
    assert contradicts(source, claim) is not False


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Damaged electronics can't be returned.", "Damaged electronics cannot be returned."),
        ("Worn shoes are not eligible.", "Worn shoes are ineligible."),
        ("Electronics cannot be returned after 7 days.", "Electronics can be returned within 7 days."),
        (
            "Electronics must be returned no later than 7 days after delivery.",
            "Electronics must be returned within 7 days of delivery.",
        ),
        ("No, it does not support fast charging.", "It does not support fast charging."),
        ("Not only electronics can be returned.", "Electronics can be returned."),
        ("The AX-204 has no noise cancellation.", "The AX-204 does not have noise cancellation."),
        ("You are not allowed to work.", "You must not work."),
        (
            "You need to cancel no later than 6 weeks before the end.",
            "You need to cancel at least 6 weeks before the end.",
        ),
        ("Sale items can be exchanged.", "Sale items can be exchanged but not refunded."),
    ],
)
def test_the_same_in_other_words(claim: str, source: str) -> None:
    assert contradicts(claim, source) is False


def test_another_subject_is_not_compared() -> None:
    assert contradicts("Perishable food is delivered on Mondays.", "Electronics cannot be returned.") is None
    assert contradicts("", "Electronics cannot be returned.") is None


def test_a_number_of_another_rule_is_no_support() -> None:
    sentences = ["Electronics can be returned within 7 days.", "Most items can be returned within 30 days."]
    assert disagreement("Electronics can be returned within 7 days.", sentences[:1]) is None
    assert "30 days" in str(disagreement("Electronics can be returned within 30 days.", sentences[:1]))
    assert disagreement("Electronics have 7 days, most items have 30 days.", sentences) is None


@pytest.mark.parametrize(
    ("claim", "sentence", "conflict"),
    [
        ("Clothing has 15 days, not the general 15 days.", "Clothing has 15 days, not the general 30 days.", True),
        ("It ships in 2 days.", "It ships in 2 business days.", True),
        ("It uses Bluetooth 5.0.", "It uses Bluetooth 5.2.", True),
        ("The rule starts on 1 May 2024.", "The rule starts on 1 June 2024.", True),
        ("Error E-4013 means a low battery.", "Error E-4012 means a low battery.", True),
        ("Express delivery is available in every city.", "Express delivery is available in selected cities.", True),
        ("It ships in 48 hours.", "It ships in 2 days.", False),
        ("It ships in two days.", "It ships in 2 days.", False),
        ("It ships.", "It ships in 2 days.", False),
    ],
)
def test_facts_against_the_sentence_that_speaks_of_the_same(claim: str, sentence: str, conflict: bool) -> None:
    assert bool(fact_conflict(claim, sentence)) is conflict


def test_saying_more_than_the_source_costs() -> None:
    assert overstatement("It shall only include technical data.", "It includes technical data.") == pytest.approx(0.4)
    assert overstatement("Only unopened items.", "Items must be unopened, except gifts.") == 0
    assert overstatement("It is not free.", "It costs INR 5.") > 0
    assert overstatement("Items can be returned.", "Items cannot be returned.") == 0


@given(st.text(max_size=80), st.text(max_size=80))
def test_nothing_raises_and_no_text_contradicts_itself(one: str, other: str) -> None:
    contradicts(one, other)
    assert not contradicts(one, one)
    assert not fact_conflict(one, one)
