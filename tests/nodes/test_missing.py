"""Codes that are steps of a scale."""

from __future__ import annotations

import pytest

from nodes.missing import in_a_range


@pytest.mark.parametrize(
    "text",
    [
        "Staff at G5 and above get a card.",
        "Grades G5 or higher travel in business class.",
        "Grades G1 to G3 book the cheapest fare.",
        "G1–G3: economy.",
        "G1-3 fly economy.",
        "G5+ may upgrade.",
        "Anyone below grade G6 asks first.",
        "up to G5",
        "from G 5",
    ],
)
def test_a_range_speaks_of_every_step(text: str) -> None:
    assert in_a_range("G4", [text]) and in_a_range("g 7", ["no", text])


@pytest.mark.parametrize(
    "text", ["G5 gets a card.", "H5 and above", "AG5 and above", "G512 and above", "see G5 to learn more"]
)
def test_a_single_step_speaks_of_itself(text: str) -> None:
    assert not in_a_range("G4", [text])


@pytest.mark.parametrize("code", ["AX-204", "P0420", "4012", "INV-2024-1"])
def test_products_and_errors_are_no_steps(code: str) -> None:
    assert not in_a_range(code, [f"{code} and above, AX-100 to AX-300, P0100-P0500"])
