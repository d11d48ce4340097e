from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.numerals import as_decimal, quantities, single_units, unit_mentions


def read(text: str) -> list[tuple[int | float, str]]:
    return [(float(quantity.value), quantity.unit) for quantity in quantities(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("within 7 days", [(7, "day")]),
        ("within seven days", [(7, "day")]),
        ("a 7-day window and a 48-hour rule", [(7, "day"), (48, "hour")]),
        ("24h", [(24, "hour")]),
        ("3 to 6 business days", [(3, "business day"), (6, "business day")]),
        ("within 2 working days", [(2, "business day")]),
        ("60 calendar days", [(60, "day")]),
        ("INR 1,000 or ₹499", [(1000, "INR"), (499, "INR")]),
        ("Rs. 250", [(250, "INR")]),
        ("two hundred and fifty rupees", [(250, "INR")]),
        ("twenty-four months", [(24, "month")]),
        ("three thousand", [(3000, "")]),
        ("5 million users", [(5_000_000, "")]),
        ("70 %, 70% and 70 percent", [(70, "percent")] * 3),
        ("1 234 567", [(1234567, "")]),
        ("a 5 V adapter of 1.5 kg", [(5, "V"), (1.5, "kg")]),
        ("първите два работни дни, 70 на сто", [(2, "business day"), (70, "percent")]),
        ("двадесет и четири месеца", [(24, "month")]),
        ("one of the items", []),
        ("one year", [(1, "year")]),
        ("a third party and third-parties", []),
        ("on the third day and the 7th day", [(3, "ordinal"), (7, "ordinal")]),
    ],
)
def test_quantities(text: str, expected: list[tuple[float, str]]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("48 hours", "2 days", True),
        ("a full 12 months: 12 months", "1 year", True),
        ("7 days", "1 week", True),
        ("7 days", "7 weeks", False),
        ("2 days", "2 business days", False),
        ("30 days", "1 month", False),
        ("INR 499", "USD 499", False),
    ],
)
def test_what_measures_the_same(one: str, other: str, same: bool) -> None:
    assert (quantities(one)[0].measure == quantities(other)[0].measure) is same


def test_units_without_numbers() -> None:
    assert single_units("once a week and per day") == {"week", "day"}
    assert unit_mentions("| days | 7 |") == {"day"}


@pytest.mark.parametrize(
    ("written", "value"),
    [("1,000", "1000"), ("1.5", "1.5"), ("1,5", "1.5"), ("1.000.000", "1000000"), ("1.234,50", "1234.50")],
)
def test_digits(written: str, value: str) -> None:
    assert as_decimal(written) == Decimal(value)


@given(st.integers(min_value=0, max_value=999_999_999))
def test_thousands_signs_do_not_matter(number: int) -> None:
    assert (
        [q.value for q in quantities(f"{number:,} days")] == [q.value for q in quantities(f"{number} days")] == [number]
    )


@given(st.text(alphabet="0123456789., -%₹daysнседем one two hundred and\n", max_size=60))
def test_nothing_raises_and_spans_are_inside(text: str) -> None:
    for quantity in quantities(text):
        assert 0 <= quantity.start < quantity.end


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7² days, ⁷⁰ days and 7×2 days", [(49, "day"), (70, "day"), (14, "day")]),
        ("5½ days or ½ day", [(5.5, "day"), (0.5, "day")]),
        ("seven and a half days, 1 and a half hours", [(7.5, "day"), (1.5, "hour")]),
        ("half a year, half an hour", [(0.5, "year"), (0.5, "hour")]),
        ("twice 7 days, half of 48 hours", [(14, "day"), (24, "hour")]),
        ("a dozen days, half a dozen days, a couple of days", [(12, "day"), (6, "day"), (2, "day")]),
        ("half the rent, a third of the rent", [(50, "percent"), (33, "percent")]),
        ("they pay half, and once only; it is exchanged once", [(50, "percent"), (1, "times")]),
        ("twice a week, double the price", [(2, "times"), (2, "times")]),
        ("двойната цена", [(2, "times")]),
        ("drei Monate, die doppelte Miete", [(3, "month"), (2, "times")]),
        ("a half-full battery, a pair of headphones, once it arrives", []),
    ],
)
def test_numbers_that_a_sum_hides(text: str, expected: list[tuple[float, str]]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1.8 litres", "1,800 ml"),
        ("8.2 kg", "8200 g"),
        ("2.5 metres", "250 cm"),
        ("half a year", "6 months"),
        ("90 minutes", "one and a half hours"),
        ("half of the rent", "50% of the rent"),
        ("0,20 лв.", "20 стотинки"),
        ("a fortnight: 14 days", "two weeks"),
    ],
)
def test_units_of_one_dimension_convert(one: str, other: str) -> None:
    assert quantities(one)[0].measure == quantities(other)[0].measure
