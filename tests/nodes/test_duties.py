"""How far a rule binds: must, should and may are told apart, in copies and in other words."""

from __future__ import annotations

import pytest

from nodes.agreement import disagreement

LOCK = "Volunteers must lock the shed when they leave the garden."
ARRIVE = "Visitors should arrive ten minutes before their tour."
REPORT = "The renter must inform us immediately of any damage."
BAN = "The chair may ban anyone who breaks the rules for up to six months."
LATE = "Late check-in until 2 pm may be granted on request for a fee of EUR 25."
WIPE = "On leaving, the volunteer must wipe all drives and confirm it in writing."


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Volunteers should lock the shed when they leave the garden.", LOCK),
        ("You should lock the shed when you leave the garden.", LOCK),
        ("Volunteers may lock the shed when they leave the garden.", LOCK),
        ("Volunteers can lock the shed when they leave the garden.", LOCK),
        ("It is recommended to lock the shed when you leave the garden.", LOCK),
        ("The renter should inform us immediately of any damage.", REPORT),
        ("The renter is encouraged to inform us immediately of any damage.", REPORT),
        ("Visitors must arrive ten minutes before their tour.", ARRIVE),
        ("Visitors are required to arrive ten minutes before their tour.", ARRIVE),
        ("The chair must ban anyone who breaks the rules for up to six months.", BAN),
        ("Late check-in until 2 pm must be granted on request for a fee of EUR 25.", LATE),
        ("On leaving, the volunteer may wipe all drives.", WIPE),
    ],
)
def test_another_force(claim: str, source: str) -> None:
    assert disagreement(claim, [source])


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Volunteers have to lock the shed when they leave the garden.", LOCK),
        ("Lock the shed when you leave the garden.", LOCK),
        ("The shed must be locked by volunteers when they leave the garden.", LOCK),
        ("The shed needs to be locked when you leave the garden.", LOCK),
        ("Visitors are asked to arrive ten minutes before their tour.", ARRIVE),
        ("You are expected to arrive ten minutes before your tour.", ARRIVE),
        ("You must tell us immediately about any damage.", REPORT),
        ("Should you damage the car, you must inform us immediately.", REPORT),
        ("Anyone who breaks the rules can be banned by the chair for up to six months.", BAN),
        ("Late check-in until 2 pm is possible on request for a fee of EUR 25.", LATE),
        ("An appeal must be lodged within two weeks.", "An appeal may be lodged within two weeks."),
        ("You may not smoke in the shed.", "Visitors must not smoke in the shed."),
        ("Some duties may outlast the contract.", "The duties shall outlast the contract."),
        ("Only signed forms can be handed in.", "Forms that are handed in must be signed."),
    ],
)
def test_the_same_force(claim: str, source: str) -> None:
    assert not disagreement(claim, [source])


def test_a_spelled_number_is_bounded_as_digits_are() -> None:
    source = "Guards with more than ten years of service get two extra days."
    assert disagreement("Guards with less than ten years of service get two extra days.", [source])
    assert not disagreement("Guards with more than 10 years of service get two extra days.", [source])
