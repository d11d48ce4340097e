"""Two words written as one are read as two, and shown as two."""

from __future__ import annotations

import asyncio

import pytest

from nodes.checking import check_answer
from nodes.gluing import unglued
from tests.nodes.kartly_passages import hashed, passage

SOURCE = (
    "A refund for a cash-on-delivery order is paid by bank transfer to an account in the customer's name. The customer's bank "
    "may need up to 7 further business days to show a refund. A request made after the return window has closed is declined. "
    "The forbiddenby form is AX-204's."
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is paidby bank transfer.", "It is paid by bank transfer."),
        ("A request made afterthe window is declined.", "A request made after the window is declined."),
        ("Therefund is paid.", "The refund is paid."),
        ("The refund is payable, notwithstanding AX-204 and within 7 days.",) * 2,
        ("The forbiddenby form.",) * 2,
        ("Unreimbursable deductibles.",) * 2,
    ],
)
def test_only_what_is_no_word_is_parted(text: str, expected: str):
    assert unglued(text, [SOURCE]) == expected


def test_a_glued_lie_is_seen_and_a_glued_truth_is_mended():
    def said(claim: str) -> tuple[bool, str]:
        (item,) = asyncio.run(check_answer(f"{claim} [S1]", [passage(SOURCE)], embed=hashed))
        return item.supported, item.said.text

    assert not said("A refund for a cash-on-delivery order is paidby the customer's bank.")[0]
    right = "A refund for a cash-on-delivery order is paid by bank transfer."
    assert said(right.replace("paid by", "paidby")) == (True, right)
