"""An item of a list is read with its lead-in, or with the heading it stands under: alone it may say the opposite."""

from __future__ import annotations

import asyncio

import pytest

from nodes.checking import Checked, check_answer
from nodes.state import Passage
from tests.nodes.kartly_passages import hashed, passage

BOATS = "No person shall moor a boat:\n(a) at a bridge;\n(b) at a landing stage."
GYM = "The following may not be taken into the gym:\n- food\n- glass bottles\n- pets"
COVER = "The warranty does not cover:\n\n* accidental damage\n* liquid damage\n* theft"
NEEDED = "To join, members must bring:\n1. a passport or identity card;\n2. proof of address."
NESTED = (
    "The hall may not be hired for:\n1. events that need:\n   a. open fire\n   b. live animals\n2. private auctions."
)


POOL = "The following may not be brought into the pool area:\n- animals, except\n  - assistance dogs\n- glass bottles"


def checked(claim: str, source: Passage) -> Checked:
    (item,) = asyncio.run(check_answer(f"{claim} [S1]", [source], embed=hashed))
    return item


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("A person may moor a boat at a landing stage.", BOATS),
        ("A person may moor a boat: (b) at a landing stage.", BOATS),
        ("You can take food into the gym.", GYM),
        ("The warranty covers liquid damage.", COVER),
        ("Members must not bring proof of address.", NEEDED),
        ("The hall may be hired for private auctions.", NESTED),
        ("Glass bottles may be brought into the pool area.", POOL),
    ],
)
def test_an_item_without_its_lead_in_is_no_rule(claim: str, text: str):
    assert not checked(claim, passage(text)).supported


@pytest.mark.parametrize(
    ("claim", "text", "quoted"),
    [
        ("No person shall moor a boat at a bridge.", BOATS, ["No person shall moor a boat:", "(a) at a bridge;"]),
        ("Food may not be taken into the gym.", GYM, ["The following may not be taken into the gym:", "- food"]),
        (
            "Glass bottles may not be brought into the pool area.",
            POOL,
            ["The following may not be brought into the pool area:", "- glass bottles"],
        ),
        ("The warranty does not cover theft.", COVER, ["The warranty does not cover:", "* theft"]),
        (
            "Members must bring proof of address to join.",
            NEEDED,
            ["To join, members must bring:", "2. proof of address."],
        ),
    ],
)
def test_with_it_it_is_one_and_both_are_quoted(claim: str, text: str, quoted: list[str]):
    item = checked(claim, passage(text))
    assert item.supported
    assert [text[start:end] for _, start, end in item.quotes] == quoted


@pytest.mark.parametrize(
    ("claim", "section", "stands"),
    [
        ("The warranty covers liquid damage.", "What is not covered", False),
        ("Liquid damage is not covered.", "What is not covered", True),
        ("Liquid damage is covered.", "What is covered", True),
        ("Liquid damage is not covered.", "What is covered", False),
    ],
)
def test_a_list_under_a_heading_is_read_with_it(claim: str, section: str, *, stands: bool):
    source = passage("- accidental damage\n- liquid damage\n- theft", title="Warranty", section=f"Warranty > {section}")
    assert checked(claim, source).supported == stands


def test_an_item_that_states_something_needs_no_heading():
    source = passage("- Scratches are repaired once.\n- A repair takes 3 days.", section="What is not covered")
    assert checked("Scratches are repaired once.", source).supported
