"""Rules of many houses in a reader's words: what must not be found against them, and the same words made wrong."""

from __future__ import annotations

import pytest

from nodes.agreement import disagreement
from nodes.conditions import dropped_condition
from nodes.facts import missing_facts
from nodes.moods import mood_conflict
from nodes.polarity import as_free
from nodes.statements import parts

CANCEL = "Lessons can be cancelled by phone up to 24 hours in advance; later cancellations are charged at £20."
CARRIED = "Up to three unused tickets may be carried over to the next term and must be used by 31 May."
LOANS = "Teachers may borrow up to 12 tools at a time, pupils up to 20."
FINES = "The fine for late tools is 20 cents per day for teachers; pupils pay no fines."
CREDIT = "The clerk approves credits up to €3,000; the loan board approves higher ones."
YOUNG = "16- and 17-year-olds can get a full card with the signature of a parent."
AGED = "Divers aged 16 and 17 need the consent of a parent."
PETS = "Pets are not allowed in the lounge, except guide dogs."
SHEDS = "Building a shed is prohibited. A fence may be built if the neighbour agrees in advance."
RENEWED = "Subscriptions run for a year and renew automatically unless cancelled at least 30 days before the end."
REFUSE = "The archive may refuse access if it would harm the family."
RESULTS = "Reports are sent to the doctor who ordered them, not to the patient."
EXCESS = "The excess is EUR 150 per claim. No excess applies to dental costs."
ZONES = "Holders of a blue badge may park in zone B without time limit, but not in zone A."
OFF = "Pupils and pensioners get 20% off, and groups get 15% off; discounts cannot be combined."
PICKED = "Reserved seats that are not picked up 30 minutes before the start are sold."
TREES = "Trees must not grow higher than 4 metres."
WORK = "Every member does at least eight hours of common work a year or pays £15 for each hour missed."
OVERTIME = "Overtime is paid at time and a half after 40 hours."
REASON = "You may turn down a task without giving a reason."
HOSE = "Watering with a hose is forbidden in June, July and August."
FIRES = "Bonfires are allowed from October to March only."
INSTALLED = "Ovens are installed by the fitter; tenants may not install them themselves."


def found_against(claim: str, source: str) -> bool:
    sentences = [sentence for sentence in source.replace(". ", ".\n").split("\n") if sentence]
    stated = parts(as_free(claim))
    return bool(
        missing_facts(claim, [source])
        or any(disagreement(part, sentences) for part in stated)
        or any(mood_conflict(part, sentences) for part in stated)
    )


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        # a term ahead of an event
        ("You can cancel a lesson by phone no later than 24 hours in advance.", CANCEL),
        ("Cancelling a lesson later than 24 hours in advance costs £20.", CANCEL),
        ("You can cancel a lesson up to 24 hours before it.", CANCEL),
        # the bound nearest to the number
        ("You can carry over up to three unused tickets to the next term.", CARRIED),
        ("Tickets may be handed over within 5 days.", "Within 5 days tickets may be handed over."),
        # what is left out of a second half
        ("Pupils may borrow up to 20 tools at a time.", LOANS),
        ("Teachers may borrow up to 12 tools.", LOANS),
        # the clause that speaks of it
        ("Teachers pay a fine of 20 cents per day for late tools.", FINES),
        ("Pupils do not pay fines.", FINES),
        ("The fitter installs ovens; you may not install one yourself.", INSTALLED),
        # what is above a limit
        ("Credits of more than €3,000 are approved by the loan board.", CREDIT),
        ("Credits up to €3,000 are approved by the clerk.", CREDIT),
        # ages
        ("If you are 16 or 17, you can get a full card with a parent's signature.", YOUNG),
        ("16- and 17-year-olds need the consent of a parent.", AGED),
        ("Divers aged 16 need the consent of a parent.", AGED),
        ("A 17-year-old needs the consent of a parent.", AGED),
        ("You must be at least 21 to drive.", "Drivers must be at least 21 years old."),
        ("Drivers must be at least 21 years of age.", "Drivers must be aged at least twenty-one."),
        ("Drivers must be 21 years old or older.", "Drivers must be 21 or older."),
        # an exception as a contrast
        ("Guide dogs are allowed in the lounge, but other pets are not.", PETS),
        ("Sheds must not be built, but a fence may be if the neighbour agrees in advance.", SHEDS),
        # denials in other words
        ("To stop a subscription from renewing, cancel it at least 30 days before the end.", RENEWED),
        ("Access may be refused by the archive if it would harm the family.", REFUSE),
        ("Reports are not sent to the patient but to the doctor who ordered them.", RESULTS),
        ("With a blue badge, you may park in zone B without time limit.", ZONES),
        ("Pupils get a discount of 20%.", OFF),
        ("Reserved seats must be picked up 30 minutes before the start, otherwise they are sold.", PICKED),
        ("Trees may grow to a height of 4 metres at most.", TREES),
        ("If you do less than eight hours of common work, you pay £15 for each hour missed.", WORK),
        ("Overtime is paid at 1.5 times the rate after 40 hours.", OVERTIME),
        ("You do not have to give a reason for turning down a task.", REASON),
        ("Do not water with a hose in July.", HOSE),
        ("Bonfires are only allowed from October to March.", FIRES),
        (
            "Parking in zone A costs €3 per hour.",
            "| Zone | Price |\n| --- | --- |\n| A | €3 per hour |\n| B | €2 per hour |",
        ),
        ("Vitamin C is given daily.", "The nurse gives vitamins C and D daily."),
        # before and after, by a denial and by an "only"
        ("The account may not be closed before two warnings.", "The account may be closed only after two warnings."),
        ("A booking is not valid until it has been paid.", "Bookings are only valid once they have been paid."),
        (
            "Refunds are only available before the course starts.",
            "Refunds are not available once the course has started.",
        ),
        # what binds without binding
        ("You must be a member to vote.", "Only members may vote."),
        ("Non-members may not vote.", "Only members may vote."),
        ("Keys may only be copied with a written permit.", "Keys must not be copied without a written permit."),
        # denials in other words
        (
            "A dog may return after 24 hours without ticks.",
            "A dog may return when it has been free of ticks for 24 hours.",
        ),
        ("Applications must be received by 1 May.", "Applications received after 1 May will not be considered."),
        ("Students are exempt from late fees.", "Late fees are waived for students."),
        ("Everyone but contractors may use the room.", "The room may be used by anyone except contractors."),
        ("The first card is free.", "The bank does not charge for the first card."),
        ("Give suspicious parcels to the guard.", "Suspicious parcels should be given to the guard, not opened."),
        ("Scooters may be kept in the shed.", "Scooters may be kept in the shed but not in the hallway."),
        ("Do not keep scooters in the hallway.", "Scooters may be kept in the shed but not in the hallway."),
        (
            "A late pickup costs €10 per started 15 minutes.",
            "A late pickup costs €10 for each started quarter of an hour.",
        ),
        (
            "Coins are accepted at the kiosk, but vouchers are not.",
            "Coins are accepted at the kiosk. Vouchers are not accepted.",
        ),
        ("A court costs €6 per hour for members.", "Members pay €6 per hour for a court, non-members €9."),
        ("Non-members pay €9 per hour for a court.", "Members pay €6 per hour for a court, non-members €9."),
        # a period and its event
        ("Claims must be sent within 90 days after treatment.", "Claims must be sent within 90 days of treatment."),
        ("Check in within 24 hours of departure.", "Check in within 24 hours before departure."),
        ("Cancel at least 24 hours before the lesson.", CANCEL),
        ("You receive the report from the doctor who ordered it.", RESULTS),
    ],
)
def test_nothing_is_found_against_other_words(claim: str, source: str) -> None:
    assert not found_against(claim, source)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Lessons can be cancelled by phone up to 48 hours in advance.", CANCEL),
        ("At least three unused tickets may be carried over to the next term.", CARRIED),
        ("Teachers may borrow up to 15 tools at a time.", LOANS),
        ("Pupils pay fines.", FINES),
        ("The clerk approves credits above €3,000.", CREDIT),
        ("Divers aged 15 need the consent of a parent.", AGED),
        ("18-year-olds need the consent of a parent.", AGED),
        ("Drivers must be at least 18 years old.", "Drivers must be at least 21 years old."),
        ("Pets are allowed in the lounge.", PETS),
        ("Guide dogs are not allowed in the lounge, but other pets are.", PETS),
        ("With a blue badge, you may park in zone A without time limit.", ZONES),
        ("Trees may grow higher than 4 metres.", TREES),
        ("Overtime is paid at double the rate after 40 hours.", OVERTIME),
        ("Do not water with a hose in May.", HOSE),
        ("Bonfires are allowed from October to May.", FIRES),
        ("The account may not be closed after two warnings.", "The account may be closed only after two warnings."),
        ("The account may be closed only before two warnings.", "The account may be closed only after two warnings."),
        (
            "Refunds are only available after the course starts.",
            "Refunds are not available once the course has started.",
        ),
        ("Applications must be received after 1 May.", "Applications received after 1 May will not be considered."),
        ("Contractors may use the room.", "The room may be used by anyone except contractors."),
        ("The first card is not free.", "The bank does not charge for the first card."),
        ("Suspicious parcels should be opened.", "Suspicious parcels should be given to the guard, not opened."),
        ("Reports are sent to the patient.", "Reports are sent to the doctor who ordered them, not to the patient."),
        ("Scooters may be kept in the hallway.", "Scooters may be kept in the shed but not in the hallway."),
        (
            "A late pickup costs €10 per started 30 minutes.",
            "A late pickup costs €10 for each started quarter of an hour.",
        ),
        # the other side of an event
        ("Lessons can be cancelled by phone up to 24 hours after booking.", CANCEL),
        ("Claims must be sent within 90 days before treatment.", "Claims must be sent within 90 days of treatment."),
        ("The form is due ten days before the move.", "The form is due ten days after the move."),
        ("A fence may not be built if the neighbour agrees in advance.", SHEDS),
        ("The archive may not refuse access if it would harm the family.", REFUSE),
        ("An excess of EUR 150 applies to dental costs.", EXCESS),
    ],
)
def test_the_same_words_made_wrong(claim: str, source: str) -> None:
    assert found_against(claim, source)


def test_a_condition_of_another_clause_is_not_left_out() -> None:
    source = "You build up 5 weeks of holiday a year, which can't be swapped for money except when you leave."
    assert not dropped_condition("You get 5 weeks of holiday a year.", source, frozenset())
    assert dropped_condition(
        "Holiday can be swapped for money.", "Holiday can be swapped for money if you leave.", frozenset()
    )
