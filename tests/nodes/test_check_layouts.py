"""Sources laid out in odd ways, and words that read as something else."""

from __future__ import annotations

import asyncio

import pytest

from nodes.checking import check_answer
from nodes.dates import dates
from tests.nodes.kartly_passages import hashed, passage


def supported(claim: str, source: str) -> bool:
    (item,) = asyncio.run(check_answer(f"{claim} [S1]", [passage(source)], embed=hashed))
    return item.supported


@pytest.mark.parametrize("source", ["Prohibited:\n\n- cats\n- dogs", "Excluded:", "Forbidden."])
def test_a_source_of_one_denying_word_ends_nothing(source: str):
    assert isinstance(supported("Dogs are prohibited.", source), bool)


OWNERS = "No owner shall\n(a) block a fire exit;\n(c) store petrol in a stairwell."
PAID = "We do not pay for\n\n- legal advice\n- fines"


@pytest.mark.parametrize(
    ("claim", "source", "stands"),
    [
        ("Petrol may be stored in a stairwell.", OWNERS, False),
        ("No owner shall store petrol in a stairwell.", OWNERS, True),
        ("We pay for legal advice.", PAID, False),
        ("We do not pay for fines.", PAID, True),
    ],
)
def test_a_lead_in_needs_no_colon(claim: str, source: str, *, stands: bool):
    assert supported(claim, source) == stands


@pytest.mark.parametrize("text", ["Children under 16 may not swim.", "Room 12 may be booked."])
def test_may_behind_a_number_is_no_month(text: str):
    assert dates(text) == []


@pytest.mark.parametrize("text", ["by 12 May", "on 12 may 2025", "the 3rd of May", "12 MAY"])
def test_and_a_date_in_may_is_one(text: str):
    assert len(dates(text)) == 1


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        (
            "The insurer must end the policy if the premium is overdue.",
            "The insurer may end the policy if the premium is overdue.",
        ),
        ("The clinic must refuse treatment when it does harm.", "The clinic may refuse treatment when it does harm."),
    ],
)
def test_a_condition_makes_no_duty_of_a_choice(claim: str, source: str):
    assert not supported(claim, source) and supported(source, source)
