"""A rule copied with a word's opposite, a period that it does not name, or one number more says another thing than the rule."""

from __future__ import annotations

import pytest

from nodes.agreement import disagreement, recounted
from nodes.facts import missing_facts
from nodes.opposites import swaps
from nodes.statements import parts

SWAPPED = [
    ("A refund is paid {} the item passes its inspection.", "before", "after"),
    ("Express delivery brings an order placed {} noon on the next business day.", "before", "after"),
    ("Slide the power switch to the {} to turn it on.", "left", "right"),
    ("The express fee is refunded when an order arrives {}.", "late", "early"),
    ("Clean the ear cushions with a {} cloth.", "dry", "wet"),
    ("A discount {} the refund in proportion.", "reduces", "increases"),
    ("The cost of a missing accessory is {} to or from the refund.", "deducted", "added"),
    ("The ready light turns {} when the machine is hot.", "green", "red"),
    ("The offer is for items of a {} price.", "higher", "lower"),
    ("An item can be exchanged for the {} product.", "same", "different"),
    ("Молбата се подава {} изтичане на отпуска.", "преди", "след"),
]


@pytest.mark.parametrize(("rule", "one", "other"), SWAPPED)
def test_a_word_changed_for_its_opposite_is_the_opposite(rule: str, one: str, other: str) -> None:
    for said, cited in ((one, other), (other, one)):
        claim, source = rule.format(said), rule.format(cited)
        assert swaps(claim, source) == 1 and swaps(claim, claim) == 0
        assert disagreement(claim, [source]) and not disagreement(claim, [claim])


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("An order is not accepted before noon.", "An order is accepted after noon."),
        ("Report damage before you return the item.", "A refund follows after the item is returned and inspected."),
        ("The late report is a normal return.", "A report made early or late is a normal return."),
        ("Pay on delivery.", "Switch the lamp off."),
    ],
)
def test_other_words_are_no_swap(claim: str, source: str) -> None:
    assert not disagreement(claim, [source])


@pytest.mark.parametrize(
    "period",
    [
        "a month",
        "half a year",
        "several weeks",
        "a couple of weeks",
        "a fortnight",
        "months",
        "VII weeks",
        "един месец",
    ],
)
def test_a_period_that_no_source_names_is_missing(period: str) -> None:
    assert missing_facts(f"Items can be returned within {period}.", ["Items can be returned within 7 days."])
    assert not missing_facts(f"Items can be returned within {period}.", [f"You have {period} for a return."])


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("It takes a day.", "It takes 24 hours."),
        ("It lasts a year.", "It lasts 12 months."),
        ("Wait a few days.", "It takes 3 business days."),
        ("It may take long.", "It takes 3 days."),
        ("The brand tag must be on an item.", "Tags stay on items."),
    ],
)
def test_a_period_in_other_words_is_held(claim: str, source: str) -> None:
    assert not missing_facts(claim, [source])


@pytest.mark.parametrize("span", ["7-30 days", "7 to 30 days", "7 dozen days", "seven dozen days", "7 days or 30 days"])
def test_a_number_more_than_the_rule_has_is_told(span: str) -> None:
    rule = "Electronics can be returned within 7 days of delivery."
    claim = rule.replace("7 days", span)
    assert disagreement(claim, [rule]) or missing_facts(claim, [rule])


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The AX-204 can be put under water.", "The AX-204 resists splashes (IPX4) and must not be put under water."),
        ("Innerwear can be returned within 15 days.", "Innerwear, swimwear and socks cannot be returned for hygiene."),
        ("Clothing must be returned worn, washed and with tags.", "Clothing must be returned unworn, unwashed and with tags."),
        ("Clothing must be returned worn and unwashed.", "Clothing must be returned unworn and unwashed."),
    ],
)  # fmt: skip
def test_what_is_denied_elsewhere_in_the_sentence_is_denied(claim: str, source: str) -> None:
    assert disagreement(claim, [source]) == "says the opposite of what it cites"


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("It is false that shoes can be returned.", "Shoes can be returned."),
        ("Shoes fail to qualify for a return.", "Shoes qualify for a return."),
        ("Shoes can hardly be returned.", "Shoes can be returned."),
        ("A return that passes the inspection is sent back.", "A return that fails the inspection is sent back."),
        ("A return may include the invoice.", "A return must include the invoice."),
        ("The invoice is required for a return if you like.", "The invoice is required for a return."),
        ("The passport must have three blank pages.", "The passport must have two blank pages."),
        ("The holder must erect a shed.", "The holder may erect a shed of 12 square metres."),
        ("It pays 60% for the first 4 weeks.", "It pays 100% for the first 4 weeks and 60% for the following 8 weeks."),
        (
            "Part-timers have leave in proportion to contracted days.",
            "Part-timers have leave in proportion to contracted hours.",
        ),
        ("The invoice is optional for a return.", "The invoice is required for a return."),
    ],
)
def test_a_denial_in_other_words_and_a_duty_made_a_choice(claim: str, source: str) -> None:
    assert disagreement(claim, [source]) and not disagreement(source, [source])


@pytest.mark.parametrize("address", ["evil.example", "pay.shop", "kartly.de/x", "a-b.xyz", "www.kartly.support"])
def test_an_address_that_no_source_has_is_missing(address: str) -> None:
    assert missing_facts(f"Return it at {address}.", ["Return it at kartly.com. The shop is open."])
    assert not missing_facts(f"Return it at {address}.", [f"Return it at {address}."])


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        (
            "Basic accounts cost 5 euros, and premium ones cost 7 euros.",
            ["Basic accounts cost 5 euros.", "Premium ones cost 7 euros."],
        ),
        ("Visitors may not work.", ["Visitors must not work."]),
        ("The appeal must be lodged within 14 days.", ["An appeal may be lodged within 14 days."]),
    ],
)
def test_two_rules_in_one_sentence_and_terms_kept_are_no_conflict(claim: str, sentence: list[str]) -> None:
    assert not any(disagreement(part, sentence) for part in parts(claim))


@pytest.mark.parametrize(
    "claim",
    [
        "Clothing must not be worn or washed.",
        "Clothing must be unworn and unwashed.",
        "Clothing must be not worn and not washed.",
    ],
)
def test_denials_in_a_row_agree_however_they_are_counted(claim: str) -> None:
    assert not disagreement(claim, ["Clothing must be unworn and unwashed."])


def test_a_number_for_another_in_a_sentence_of_two_rules() -> None:
    rule = "The 7-day electronics rule applies to phones, and it wins over the general 30-day rule."
    assert recounted(rule.replace("30-day", "7-day"), [rule]) and recounted(rule.replace("7-day", "30-day"), [rule])
    assert not recounted(rule, [rule]) and not recounted("Phones have 7 days.", [rule])
