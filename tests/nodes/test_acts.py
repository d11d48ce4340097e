"""A rule told with another verb for the same act is as well supported as with its own."""

from __future__ import annotations

import asyncio

import pytest

from nodes.acts import act_of
from nodes.checking import check_answer
from nodes.words import words
from tests.nodes.kartly_passages import hashed, passage


def score(claim: str, source: str) -> float:
    (checked,) = asyncio.run(check_answer(claim, [passage(source)], embed=hashed, labels_needed=False))
    return checked.score


@pytest.mark.parametrize(
    ("source", "own", "other", "strange"),
    [
        ("Members shall disclose a change of address to the office.", "disclose", "communicate", "bake"),
        ("Trainees must retain the log book for the examiner.", "retain", "keep", "paint"),
        ("The clinic will notify patients of a changed appointment.", "notify", "inform", "tease"),
        ("Drivers must erase the addresses of the day.", "erase", "delete", "admire"),
    ],
)
def test_another_verb_for_an_act_is_held(source: str, own: str, other: str, strange: str) -> None:
    assert score(source.replace(own, other), source) > score(source.replace(own, strange), source) + 0.05


def test_information_informs_nobody() -> None:
    assert [act_of(word) for word in words("inform information holder holds")] == ["notify", "", "", "keep"]
