"""Who does what: a rule with its parties exchanged is another rule, however it is turned round."""

from __future__ import annotations

import pytest

from nodes.parties import parties_in, party_conflict

PICKUP = "Acme arranges a courier pickup within 3 business days of an approved request."
SPLIT = "The buyer pays for shipping to the service partner; the manufacturer pays for the return."
LAPTOP = "The company provides a laptop; the employee pays for the internet connection."
ILL = "An employee who is ill informs the line manager by 9:30."


def test_you_are_the_customer() -> None:
    assert party_conflict("You can send us the reading online.", "The customer can send the reading online.") is None
    assert party_conflict("The bank can send the reading online.", "The customer can send the reading online.")


def test_more_than_one_of_a_kind_is_no_name() -> None:
    assert party_conflict("Tenants pay a fee for a new key.", "Residents pay a charge for a new key.") is None


@pytest.mark.parametrize(
    ("claim", "rule"),
    [
        ("The customer arranges a courier pickup within 3 business days.", PICKUP),
        ("A courier pickup is arranged by the customer.", PICKUP),
        ("The manufacturer pays for shipping to the service partner; the buyer pays for the return.", SPLIT),
        ("The employee provides a laptop; the company pays for the internet connection.", LAPTOP),
        ("The line manager informs the employee by 9:30.", ILL),
        (
            "The bank is liable for payments made before the report.",
            "The customer is liable for payments before the report.",
        ),
        ("Acme must erase personal data.", "Customers must erase personal data before they hand over an item."),
        ("A permit is issued by the municipality.", "A permit is issued by the water authority."),
        ("Der Vermieter kann den Vertrag kündigen.", "Der Mieter kann den Vertrag kündigen."),
        (
            "The customer pays a refund where the size is out of stock.",
            "Where the size is out of stock, Acme pays a refund.",
        ),
        ("The insured person decides on the claim.", "The insurer decides on the claim within 20 days."),
        ("Отпускът се разрешава от работника.", "Отпускът се разрешава от работодателя."),
    ],
)
def test_another_party_is_told(claim: str, rule: str) -> None:
    assert party_conflict(claim, rule) and not party_conflict(rule, rule)


@pytest.mark.parametrize(
    ("claim", "rule"),
    [
        ("A courier pickup is arranged by Acme within 3 business days.", PICKUP),
        ("The shop arranges a courier pickup within 3 business days.", PICKUP),
        ("Shipping to the service partner is paid by the buyer, and the return by the manufacturer.", SPLIT),
        ("A laptop is provided by the company, and the internet connection is paid by the employee.", LAPTOP),
        ("You must inform your line manager by 9:30.", ILL),
        ("The line manager must be informed by 9:30.", ILL),
        (
            "You are liable for payments before the report.",
            "The customer is liable for payments made before the report.",
        ),
        ("Buyers must erase personal data.", "Customers must erase personal data before they hand over an item."),
        ("Der Vertrag kann vom Mieter gekündigt werden.", "Der Mieter kann den Vertrag kündigen."),
        ("You may work from abroad with HR's approval.", "Work from abroad needs the approval of HR."),
        ("It heats up.", "The machine heats up."),
    ],
)
def test_the_same_party_in_other_words_is_not(claim: str, rule: str) -> None:
    assert not party_conflict(claim, rule)


def test_parties_are_roles_and_names() -> None:
    assert parties_in("The buyer writes to the courier; Acme pays the postage.") == {"customer", "courier", "name"}
    assert parties_in("Clothing must be unworn.") == frozenset()
    assert parties_in("Die Waschküche ist offen.") == frozenset()
