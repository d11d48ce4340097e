"""A general rule told of a special case is refused with the passage that decides; the general answer itself is not."""

from __future__ import annotations

import pytest

from nodes.checking import check_answer
from nodes.state import Passage
from tests.nodes.kartly_passages import damaged_headphones, hashed, passage, section

BANK = [
    passage(
        "Up to €1,000 can be withdrawn per day. Premium Account holders can withdraw up to €2,500 per day. The Basic Account "
        "costs €4.90 per month. The fee is waived for students.",
        title="Fees",
    )
]
LEAVE = [
    passage("Employees receive 25 working days of annual leave each year.", title="Annual leave"),
    passage("Employees on probation receive 8 working days of annual leave.", title="Probation", label="S2"),
]


def shelf() -> list[Passage]:
    return [*damaged_headphones(), section("clothing-returns", "", label="S5", category="clothing")]


async def problem_of(text: str, passages: list[Passage], question: str = "") -> str | None:
    checked = await check_answer(text, passages, embed=hashed, question=question)
    return next((item.problem for item in checked if item.problem), None)


@pytest.mark.parametrize(
    "claim",
    [
        "Headphones can be returned within 30 days of delivery [S1].",
        "Yes, you can return electronics within 30 days of delivery [S1].",
        "Clothing can be returned within 30 days of delivery [S1].",
        "Swimwear can be returned within 15 days of delivery [S5].",
        "Phones and tablets can be returned within a period of 30 days [S1].",
    ],
)
async def test_the_general_window_is_not_that_of_a_category(claim: str) -> None:
    problem = await problem_of(claim, shelf(), "Can I return it after 10 days?")
    assert problem and "another passage decides this" in problem


@pytest.mark.parametrize(
    "claim",
    [
        "Items can be returned within 30 days of delivery [S1].",
        "Most items sold by Kartly can be returned within 30 days [S1].",
        "In general items can be returned within 30 days [S1], but electronics within 7 days of delivery [S2].",
        "Electronics can be returned within 7 days of delivery [S2].",
        "The 7-day electronics rule applies to headphones, and it wins over the general 30-day rule [S2].",
        "According to the Returns Policy, most items can be returned within 30 days of delivery [S1].",
        "A damaged item must be reported within 48 hours of delivery [S3].",
        "Under the Returns Policy, you are free to return most items within 30 days [S1].",
    ],
)
async def test_a_rule_told_of_what_it_is_for_stands(claim: str) -> None:
    assert "another passage" not in str(await problem_of(claim, shelf()))


async def test_other_domains() -> None:
    assert await problem_of("Premium Account holders can withdraw up to €1,000 per day [S1].", BANK)
    assert "decides" in str(
        await problem_of("Employees on probation receive 25 working days of annual leave [S1].", LEAVE)
    )
    for right in (
        "Up to €1,000 can be withdrawn per day [S1].",
        "Premium Account holders can withdraw €2,500 per day [S1].",
    ):
        assert "decides" not in str(await problem_of(right, BANK))
    assert "decides" not in str(await problem_of("Employees receive 25 working days of annual leave [S1].", LEAVE))


REFUNDS = [
    passage(
        "A refund for a damaged or wrong item also covers the delivery fee. A refund for a normal return does not cover the "
        "delivery fee. The warranty covers faults in material. The warranty does not cover liquid damage or theft.",
        title="Refunds",
    )
]


@pytest.mark.parametrize(
    ("claim", "question"),
    [
        ("The refund covers the delivery fee [S1].", "I return my shoes. Is the fee refunded?"),
        ("The delivery fee is refunded [S1].", "How long may I return shoes, and is the delivery fee refunded?"),
        ("The delivery fee will be refunded to you [S1].", "Is the fee refunded?"),
        ("The refund does not cover the delivery fee [S1].", "Is the fee refunded?"),
        ("The warranty does not cover it [S1].", "My phone stopped working. Does the warranty cover it?"),
    ],
)
async def test_what_holds_in_some_cases_names_its_case(claim: str, question: str) -> None:
    problem = await problem_of(claim, REFUNDS, question)
    assert problem and "holds in some cases only" in problem


@pytest.mark.parametrize(
    ("claim", "question"),
    [
        ("The refund covers the delivery fee [S1].", "The lamp came damaged. Is the delivery fee refunded?"),
        ("The delivery fee is refunded [S1].", "The lamp came damaged. Is the delivery fee refunded?"),
        ("The delivery fee is not refunded for a normal return [S1].", "Is the fee refunded?"),
        ("A refund for a normal return does not cover the delivery fee [S1].", "Is the fee refunded?"),
        ("The warranty does not cover theft [S1].", "Does the warranty cover it?"),
        ("The warranty does not cover liquid damage [S1].", "Does the warranty cover it?"),
    ],
)
async def test_a_named_case_leaves(claim: str, question: str) -> None:
    assert await problem_of(claim, REFUNDS, question) is None
