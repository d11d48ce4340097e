"""A rule without what it hangs on is another rule, unless the question or the answer says the condition."""

from __future__ import annotations

import pytest

from nodes.conditions import dropped_condition
from nodes.words import content

NOTHING: frozenset[str] = frozenset()
FEE = "The express fee is refunded when an express order arrives late."
EXCHANGE = "Where the requested size is out of stock, the shop pays a refund instead of an exchange."
REMOTE = "Employees may work remotely up to 3 days a week if their line manager agrees."


@pytest.mark.parametrize(
    ("claim", "rule"),
    [
        ("The express fee is refunded.", FEE),
        ("The shop pays a refund instead of an exchange.", EXCHANGE),
        ("Employees may work remotely up to 3 days a week.", REMOTE),
        ("A transfer can be recalled.", "A transfer can be recalled only before it is executed."),
        ("Standard delivery is free.", "Standard delivery is free for orders of INR 499 or more."),
        (
            "The holder removes all structures.",
            "The holder removes all structures unless the new holder takes them over.",
        ),
        ("Hunde dürfen gehalten werden.", "Hunde dürfen nur mit Zustimmung des Vermieters gehalten werden."),
        ("Срокът може да бъде удължен.", "Срокът може да бъде удължен, ако книгата не е запазена."),
        ("Documents must be translated.", "Documents that are not in English must be translated."),
        ("Postage is reimbursed in every case.", "Postage is reimbursed up to INR 150."),
    ],
)
def test_a_dropped_condition_is_told(claim: str, rule: str) -> None:
    assert dropped_condition(claim, rule, NOTHING)
    assert not dropped_condition(rule, rule, NOTHING)


@pytest.mark.parametrize(
    ("claim", "rule", "around"),
    [
        ("The express fee is refunded.", FEE, "My express order arrived late. Is the fee refunded?"),
        ("If your express order is late, the fee is refunded.", FEE, ""),
        ("With the manager's agreement, employees may work remotely.", REMOTE, ""),
        ("Employees may work remotely once their manager agreed.", REMOTE, ""),
        ("The shop sends a tracking link.", "The shop sends a tracking link when the order is dispatched.", ""),
        ("A late return is declined.", "A late return is declined, even when the item is unopened.", ""),
        ("The sky is blue.", FEE, ""),
    ],
)
def test_a_condition_said_or_of_no_weight_is_not(claim: str, rule: str, around: str) -> None:
    assert not dropped_condition(claim, rule, content(around))
