"""A doer that the source does not name, and doers that it leaves open."""

from __future__ import annotations

import pytest

from nodes.agents import invented_agent

REFUND = (
    "A refund for a cash-on-delivery order is paid by bank transfer to an account in the customer's name.",
    "The customer's bank may need up to 7 further business days to show a refund.",
    "Kartly confirms every refund by email.",
)
LEAVE = (
    "A request for leave is approved within 5 working days.",
    "The manager tells the employee of a refusal in writing.",
)


@pytest.mark.parametrize(
    ("claim", "sources"),
    [
        ("Refunds are paid by the courier.", REFUND),
        ("The courier pays the refund.", REFUND),
        ("A refund for a damaged item is paid by the customer's bank.", REFUND),
        ("Every refund is confirmed by the police.", REFUND),
        ("The court approves a request for leave within 5 working days.", LEAVE),
        ("A request for leave is approved by the police.", LEAVE),
    ],
)
def test_a_third_party_that_the_source_does_not_have_do_it(claim: str, sources: tuple[str, ...]):
    assert invented_agent(claim, sources)


@pytest.mark.parametrize(
    ("claim", "sources"),
    [
        ("We pay the refund by bank transfer.", REFUND),
        ("Kartly pays a cash-on-delivery refund by bank transfer.", REFUND),
        ("You get the refund by bank transfer.", REFUND),
        ("Your bank may take 7 more business days to show the refund.", REFUND),
        ("The bank needs up to 7 business days.", REFUND),
        (
            "It runs from the day the courier records it.",
            ("It runs from the day on which the courier records the delivery.",),
        ),
        ("Refunds are paid by bank transfer.", REFUND),
        ("The insurer pays claims within 30 days.", ("Claims are paid within 30 days.",)),
        ("The court must agree in writing.", ("A sublease needs the court's agreement in writing.",)),
        ("The refund reaches you through a bank transfer.", REFUND),
        ("A bank transfer brings the refund for a cash-on-delivery order.", REFUND),
        ("The manager tells you of a refusal in writing.", LEAVE),
        ("An employee's request is approved within 5 working days.", LEAVE),
        (
            "The employer approves leave within 5 working days.",
            ("The employer approves a request within 5 working days.",),
        ),
    ],
)
def test_the_house_the_one_addressed_and_those_who_are_named(claim: str, sources: tuple[str, ...]):
    assert invented_agent(claim, sources) is None


def test_a_party_that_the_question_names_is_known():
    source = ("A parcel that stands with a neighbour counts as delivered.",)
    claim = "The courier leaves the parcel with a neighbour."
    assert invented_agent(claim, source)
    assert invented_agent(claim, source, context=("May the courier leave my parcel with a neighbour?",)) is None
