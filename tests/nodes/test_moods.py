"""What a rule lets, bids or forbids, and a claim that has it otherwise in other words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.moods import bonds, mood_conflict


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        # leave against prohibition, the act in other words
        (
            "Members may share their password with colleagues.",
            "Members shall not disclose their password to colleagues.",
        ),
        ("Staff can copy the handbook.", "Staff must not print, scan or reproduce the handbook."),
        ("Tenants are allowed to sublet the flat.", "Tenants are prohibited from assigning the flat or parts of it."),
        ("Guests may film the show.", "Neither guests nor staff may photograph or record the show."),
        ("Visitors may use the lift.", "No visitor may use the lift."),
        ("Readers may change a record.", "Readers are not permitted to alter a record."),
        ("Pupils may bring phones into the hall.", "Pupils shall under no circumstances carry phones into the hall."),
        # the denial far from its act
        (
            "Trainees may share exam questions.",
            "Trainees will not at any time, during or after the course, disclose exam questions.",
        ),
        (
            "Drivers may keep the fuel card.",
            "Drivers shall: (a) not lend or retain the fuel card; and (b) report its loss.",
        ),
        # prohibition against leave
        ("Staff must not use the car park.", "Staff are free to use the car park."),
        ("Users shall not copy the files.", "Nothing in this policy shall prevent users from copying the files."),
        ("Guests must not use the pool.", "Guests will not be restricted from using the pool."),
        # duty against none
        ("Travellers must keep their receipts.", "Travellers are not required to retain their receipts."),
        ("Patients must inform the clinic.", "Patients need not notify the clinic."),
        ("All parcels must be labelled.", "All parcels are accepted, whether or not marked with a name."),
        # keeping what has to go back
        ("Leavers may keep their laptop.", "Leavers must return or wipe their laptop on the last day."),
        ("The agency may retain the photos.", "The agency will promptly destroy the photos."),
    ],
)
def test_holds_otherwise(claim: str, source: str) -> None:
    assert mood_conflict(claim, [source])


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Members may share their address with staff.", "Members shall not disclose their address except to staff."),
        (
            "The trainee may give the key to the guard.",
            "The trainee may not give the key to anyone other than the guard.",
        ),
        ("Tenants may sublet with the owner's consent.", "Tenants may not sublet without the owner's consent."),
        ("You can return it if it is unopened.", "You cannot return it if it is opened."),
        ("An item cannot be returned after 7 days.", "An item can be returned within 7 days."),
        (
            "Staff must not use the van for trips other than deliveries.",
            "Staff shall use the van solely for deliveries.",
        ),
        ("Leavers may keep one copy of their file.", "Leavers must return their file, but may retain one copy of it."),
        ("You must tell the clinic.", "Patients must inform the clinic."),
        ("Guests may use the pool.", "Guests must not use the sauna of the staff in the east wing at night."),
        ("Information must be kept safe.", "The desk need not inform visitors of changes."),
        ("The desk answers within a day.", "The desk will not answer at night."),
    ],
)
def test_holds_as_well(claim: str, source: str) -> None:
    assert mood_conflict(claim, [source]) is None


def test_the_nearest_clause_of_the_act_decides() -> None:
    rules = ["Guests must not use the sauna.", "Guests may use the pool."]
    assert mood_conflict("Guests may use the pool.", rules) is None
    assert mood_conflict("Guests may use the sauna.", rules)


def test_reads_the_acts_of_a_list() -> None:
    (bond,) = bonds("Staff shall not modify, reverse engineer or copy the program.")
    assert bond.mood == "never"
    assert bond.acts == {"change", "copy"}


@given(st.text(alphabet="abc not may shall (a);,. use copy", max_size=120))
def test_says_nothing_against_itself(text: str) -> None:
    bonds(text)
    assert mood_conflict("", [text]) is None
    assert mood_conflict(text, []) is None
