"""What a number is tied to: another event, rate or end of a range makes another rule of the same number."""

from __future__ import annotations

import pytest

from nodes.terms import term_conflict

WINDOW = "Electronics can be returned within 7 days of delivery."
COUNTED = "The 30 days are counted from the day on which the courier records the delivery."
TRANSIT = "Standard delivery takes 3 to 6 business days after dispatch."
PASSPORT = "The passport must be valid for at least 3 months after the planned departure."


@pytest.mark.parametrize(
    ("claim", "rule"),
    [
        ("Electronics can be returned within 7 days of the order.", WINDOW),
        ("Electronics can be returned within a week of purchase.", WINDOW),
        ("You have 7 days from when you paid.", WINDOW),
        ("It must be valid for 3 months after the planned arrival.", PASSPORT),
        (
            "Die Kaution wird innerhalb von 6 Monaten nach dem Einzug gezahlt.",
            "Sie wird in 6 Monaten nach dem Auszug gezahlt.",
        ),
        ("Картата е валидна 1 година от раждането.", "Картата е валидна 1 година от издаването."),
        (
            "A claim must be reported within 7 days of the purchase.",
            "A claim must be reported within 7 days of the damage.",
        ),
        ("The account costs €4.90 per year.", "The account costs €4.90 per month."),
        ("Interest is 9.9% a month.", "Interest is 9.9% per year."),
        ("The rent is 2.40 euros per hectare.", "The rent is 2.40 euros per square metre."),
        ("Up to €1,000 can be withdrawn per week.", "Up to €1,000 can be withdrawn per day."),
        ("Standard delivery takes 3 business days.", TRANSIT),
        ("Standard delivery takes 6 business days.", TRANSIT),
        ("Standard delivery takes up to 3 business days.", TRANSIT),
    ],
)
def test_another_tie_is_told(claim: str, rule: str) -> None:
    assert term_conflict(claim, rule) and not term_conflict(rule, rule)


@pytest.mark.parametrize(
    ("claim", "rule"),
    [
        ("Electronics can be returned within 7 days after you receive them.", WINDOW),
        ("You have 7 days from the delivery date.", WINDOW),
        ("You have 7 days.", WINDOW),
        ("You have 30 days after delivery.", COUNTED),
        (
            "It must be valid for 3 months after your trip ends.",
            "It must be valid for 3 months after the end of the trip.",
        ),
        ("The account costs €4.90 a month.", "The account costs €4.90 per month."),
        ("It costs €4.90 monthly.", "It costs €4.90 each month."),
        ("Express costs INR 99 per order.", "Express costs INR 99 for each order."),
        ("Standard delivery takes between 3 and 6 business days.", TRANSIT),
        ("Standard delivery takes 3-6 business days.", TRANSIT),
        ("Standard delivery takes at least 3 business days.", TRANSIT),
        ("Standard delivery takes at most 6 business days.", TRANSIT),
    ],
)
def test_the_same_tie_in_other_words_is_not(claim: str, rule: str) -> None:
    assert not term_conflict(claim, rule)
