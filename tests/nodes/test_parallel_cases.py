"""Parallel cases of a rule are quoted beside each other, and words of asking choose no sentence."""

from __future__ import annotations

import numpy as np
import pytest

from nodes.apart import are_apart
from nodes.extracting import Sentence, word_weights
from nodes.picking import picked
from nodes.stated_quantities import quantity_in
from tests.nodes.kartly_passages import passage
from tests.nodes.test_extracting import quoted


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("In the first year you get four weeks of pay.", "After that you get two weeks of pay.", True),
        ("Parcels under 5 kg are free.", "Parcels over 5 kg are not.", True),
        ("The courier keeps the key.", "The police keeps the key.", True),
        ("You get 30 days to return it.", "It can be returned for 30 days.", False),
        ("You can return it.", "It can be returned for 30 days.", False),
        ("(1) You can return it for 30 days.", "2. For 30 days it can be returned.", False),
        ("You must tell us.", "The customer must tell the shop.", False),
    ],
)
def test_a_number_a_bound_or_a_party_sets_sentences_apart(one: str, other: str, apart: bool) -> None:
    assert are_apart(one, other) is apart
    assert are_apart(other, one) is apart


PAY = [
    "If you have been here for over 1 year, you get 2 weeks of pay for every year.",
    "If you have been here for less than 1 year, you get 4 weeks of pay.",
    "If you have been here for over 1 year, you get 2 weeks of pay for each year.",
]


def chosen_of(texts: list[str], *, row: bool = False) -> list[int]:
    sentences = [
        Sentence("S1", 0, at, text, frozenset({"pay"}), frozenset(), place=at, row=row) for at, text in enumerate(texts)
    ]
    worth = np.array([1.0, 0.75, 0.7], dtype=np.float32)
    return picked(sentences, worth, np.full((3, 3), 0.95, dtype=np.float32))


def test_the_other_case_is_picked_and_a_repetition_is_not() -> None:
    assert chosen_of(PAY) == [0, 1]
    assert chosen_of(PAY, row=True) == [0]


def test_words_of_asking_weigh_nothing() -> None:
    known = {"long": 4.0, "borrow": 1.0, "film": 1.0}
    assert word_weights(["long", "borrow", "film"], known, {"long"}) == {"long": 0.0, "borrow": 0.5, "film": 0.5}
    assert word_weights(["long"], known, {"long"}) == {"long": 1.0}


async def test_how_much_is_no_word_to_find() -> None:
    rule = "Paid leave is six weeks for a parent."
    noise = "Talk to us if leave must be much, much longer."
    answer = await quoted("How much leave does a parent get?", passage(f"{noise} {rule}", title="Leave"))
    assert answer.startswith(f"Leave: {rule}")


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("It takes place in January, February or March.", True),
        ("We open on Tuesdays.", True),
        ("You have two weeks.", True),
        ("It is valid for one year.", True),
        ("You may ask one of us.", False),
        ("They march on.", False),
        ("May I?", False),
        ("Twice.", True),
    ],
)
def test_what_states_a_quantity(text: str, states: bool) -> None:
    assert quantity_in(text) is states


async def test_what_two_chunks_of_a_section_share_is_quoted_once() -> None:
    shared = "You may return a lamp within ten days."
    first = passage(f"{shared} Bring the lamp and its receipt.", title="Lamps", section="Lamps > May I return a lamp?")
    second = passage(
        f"Ask at the desk.\n\n{shared} This does not apply to used lamps.",
        label="S2",
        title="Lamps",
        section="Lamps > May I return a lamp?",
    )
    answer = await quoted("May I return a lamp?", first, second)
    assert answer.count(shared) == 1 and "used lamps" in answer


async def test_the_same_words_of_two_sections_are_both_quoted() -> None:
    rule = "The shop pays the whole fee for a card."
    passages = [
        passage(f"{rule} Ask at window 4.", title="Fees", section="Fees > Tram"),
        passage(f"The tram card is blue. {rule}", label="S2", title="Fees", section="Fees > Bus"),
    ]
    answer = await quoted("Who pays the fee for a tram card and a bus card?", *passages)
    assert "[S1]" in answer and "[S2]" in answer
