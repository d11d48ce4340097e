"""Doers and places whose nouns no list knows: one in another's place, and the same told in other words."""

from __future__ import annotations

import asyncio

import pytest

from nodes.checking import check_answer
from nodes.stand_ins import stand_ins
from tests.nodes.kartly_passages import hashed, passage

DOSES = (
    "The nurse on duty hands out the evening doses.",
    "The pharmacist checks every order before it leaves the store.",
)
CREW = ("The purser assigns the seats before boarding.", "The captain decides whether a guest is taken off the flight.")
LEAVERS = ("Managers must inform the service desk of leavers one week ahead.", "The security team reads odd letters.")
SAFE = ("Jewellery is covered only if it was kept in a safe.",)
SIGNED = ("Trainees can get a full card with the signature of a parent.",)
CLAIMS = ("Claims must be sent to us within 90 days of treatment.", "Every accident is noted.")
LOST = ("Anyone who loses a tool must pay the cost.", "The librarian may block a card.")
TOOLS = ("Adults may borrow up to 12 tools at a time, children up to 20.",)
KEPT = ("The hirer returns the van to the depot.", "The depot is open until 8 pm.")


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The nurse checks every order before it leaves the store.", DOSES),
        ("The evening doses are handed out by the pharmacist.", DOSES),
        ("The porter on duty hands out the evening doses.", DOSES),
        ("The captain assigns the seats before boarding.", CREW),
        ("The seats are assigned by the captain before boarding.", CREW),
        ("The service desk must inform managers of leavers one week ahead.", LEAVERS),
        ("Jewellery is covered only if it was kept in a suitcase.", SAFE),
        ("Trainees can get a full card with the signature of a teacher.", SIGNED),
        ("Claims must be sent to us within 90 days of the accident.", CLAIMS),
    ],
)
def test_one_in_the_place_of_another(claim: str, source: tuple[str, ...]) -> None:
    assert stand_ins(claim, source)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The evening doses are handed out by the nurse on duty.", DOSES),
        ("Every order is checked by the pharmacist before it leaves the store.", DOSES),
        ("You hand out the evening doses.", DOSES),
        ("The purser assigns seats before boarding, and the captain decides who is taken off the flight.", CREW),
        ("The service desk must be informed of leavers by their managers one week ahead.", LEAVERS),
        ("Jewellery kept in a safe is covered.", SAFE),
        ("With a parent's signature, trainees can get a full card.", SIGNED),
        ("Within 90 days of treatment, claims must be sent to us.", CLAIMS),
        ("If you lose a tool, you must pay the cost.", LOST),
        ("Children may borrow up to 20 tools at a time.", TOOLS),
        ("The service must be booked by phone.", ("The customer must book the service by phone.",)),
        ("The policy covers dogs.", ("The insurer covers dogs.",)),
        ("Both the owner and the tenant may end the lease.", ("Either party may end the lease.",)),
        ("You need a description of what's wrong.", ("You need a description of the fault.",)),
        ("Tenants must pay a fee for a new key.", ("Residents must pay a charge for a new key.",)),
        ("The van is returned to the depot by the hirer.", KEPT),
    ],
)
def test_the_same_in_other_words(claim: str, source: tuple[str, ...]) -> None:
    assert not stand_ins(claim, source)


def test_embeddings_tell_whether_two_doers_are_the_same() -> None:
    source = "Staff must water the plants every day. Visitors admire the garden."

    async def alike(texts: list[str]) -> list[list[float]]:
        """All phrases mean the same."""
        return [[1.0, 0.0] for _ in texts]

    claim = "The gardeners must water the plants every day."
    same = asyncio.run(check_answer(claim, [passage(source)], embed=alike, labels_needed=False))
    apart = asyncio.run(check_answer(claim, [passage(source)], embed=hashed, labels_needed=False))
    assert same[0].problem is None
    assert apart[0].problem and "stands where" in apart[0].problem
