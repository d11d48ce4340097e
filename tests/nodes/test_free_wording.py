"""Rules in a reader's own words, right and wrong: what is found against them besides the distance of their words."""

from __future__ import annotations

import asyncio

import pytest

from nodes.checking import check_answer
from tests.nodes.kartly_passages import hashed, passage

LAMP = (
    "Press the switch for 3 seconds to turn the lamp on or off. The lamp stays linked to three phones at the same time."
)
TANK = "Leave the van with a half-full tank when it is parked for a week or more."
GOWN = "A gown must come back unworn and unstained."
DAMAGE = (
    "A fault must be reported within 48 hours of delivery. Volta answers every fault report within 2 business days. "
    "A late report is treated as a repair."
)
CLAIM = "After a claim is approved, Volta collects the faulty lamp free of cost and repairs it within 15 business days."
CITIES = "Night buses run in selected cities. The selected cities are Varna, Sofia and Ruse. Night buses do not take bicycles."
REQUEST = "A booking request must name the room, the date and the number of guests."
PRICE = "The price covers the full stay, taxes included."
HALLS = "The hall has no projector. The hall seats 40 people."
COVER = "A claim for a broken item also covers the postage. A claim for a lost item does not cover the postage."


def found_against(claim: str, source: str) -> str | None:
    checked = asyncio.run(check_answer(claim, [passage(source)], embed=hashed, labels_needed=False))
    problems = [item.problem for item in checked if item.problem and "is not supported" not in item.problem]
    return problems[0] if problems else None


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Switching the lamp off takes a three-second press of the switch.", LAMP),
        ("Turn the lamp on by pressing the switch for 3 seconds.", LAMP),
        ("If the van is parked for a week or more, leave it with the tank half full.", TANK),
        ("Leave the van half full of fuel when it is parked for a week or more.", TANK),
        ("Let Volta know about a fault within 48 hours of getting the lamp.", DAMAGE),
        ("Approved claims are repaired within 15 business days, and pickup is free.", CLAIM),
        ("You only get the postage for a broken item.", COVER),
        ("Faulty? The lamp is repaired within 15 business days.", CLAIM),
    ],
)
def test_nothing_is_found_against_other_words(claim: str, source: str) -> None:
    assert found_against(claim, source) is None


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The lamp can be linked to two phones simultaneously.", LAMP + " Tap 2 times to link the lamp."),
        ("You need not state the room when you make a booking request.", REQUEST),
        ("A projector is something the hall offers.", HALLS),
        ("You only get the postage for a lost item.", COVER),
    ],
)
def test_what_is_wrong_is_found_in_other_words(claim: str, source: str) -> None:
    assert found_against(claim, source)


STRICTER = (
    "Where a category policy sets a shorter return window or a stricter condition, the category policy applies and the 30-day "
    "window does not."
)
DECLINED = (
    "Electronics can be returned within 7 days of delivery. An electronics return requested more than 7 days after delivery is "
    "declined, even when the item is unopened."
)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        (
            "If a category policy has a shorter return window, that policy applies instead of the 30-day window.",
            STRICTER,
        ),
        (
            "Where a category policy has a stricter condition, that policy applies rather than the 30-day window.",
            STRICTER,
        ),
        ("You have one week from delivery to return electronics.", DECLINED),
        ("Customers get 7 days from delivery to return electronics.", DECLINED),
        ("Delivery is free on orders of INR 499 and above.", "Delivery is free on orders of INR 499 or more."),
        ("Delivery is free on orders of INR 499 and upwards.", "Delivery is free on orders of INR 499 or more."),
    ],
)
def test_what_stands_in_place_of_another_and_terms_told_as_time_to_act(claim: str, source: str):
    assert found_against(claim, source) is None


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        (
            "Where a category policy sets a stricter condition, the 30-day window applies instead of the category policy.",
            STRICTER,
        ),
        ("The 30-day window applies rather than the category policy where that sets a stricter condition.", STRICTER),
        ("You have two weeks from delivery to return electronics.", DECLINED),
        ("Delivery is free on orders of INR 499 and below.", "Delivery is free on orders of INR 499 or more."),
    ],
)
def test_and_what_turns_them_round(claim: str, source: str):
    assert found_against(claim, source)


TERM = "Clothing can be returned within 15 days of delivery. The 15-day rule wins over the general 30-day rule."
WATER = "The MX-20 is rated IPX5: rain does not harm it. The MX-20 must not be put under water."
STATE = (
    "An item must be unused, complete and in the condition in which it was delivered. Most items can be returned within 30 days. "
    "Where a policy sets a stricter condition, the policy applies and the 30-day window does not."
)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("You have 15 days, not 30, to return clothing.", TERM),
        ("Rain is no problem for the MX-20 (IPX5), but don't put it under water.", WATER),
        ("Rain won't hurt the MX-20, which is rated IPX5.", WATER),
        ("Only unused, complete items in their delivered condition may be returned.", STATE),
    ],
)
def test_contrasts_harmlessness_and_a_condition_told_by_only(claim: str, source: str):
    assert found_against(claim, source) is None


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("You have 30 days, not 15, to return clothing.", TERM),
        ("Water is no problem for the MX-20, so put it under water.", WATER),
    ],
)
def test_and_their_opposites(claim: str, source: str):
    assert found_against(claim, source)


def test_a_question_states_nothing_and_needs_no_source():
    rule = "Clothing in the wrong size can be exchanged."
    checked = asyncio.run(check_answer(f"Wrong size? {rule} [S1]", [passage(rule)], embed=hashed))
    assert [item.said.text for item in checked] == [rule]
    assert asyncio.run(check_answer("Wrong size?", [passage(rule)], embed=hashed)) == []
