"""Rules of many houses in a reader's words: what must not be found against them, and the same words made wrong."""

from __future__ import annotations

import pytest

from nodes.agreement import disagreement
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
        ("A fence may not be built if the neighbour agrees in advance.", SHEDS),
        ("The archive may not refuse access if it would harm the family.", REFUSE),
        ("An excess of EUR 150 applies to dental costs.", EXCESS),
    ],
)
def test_the_same_words_made_wrong(claim: str, source: str) -> None:
    assert found_against(claim, source)
