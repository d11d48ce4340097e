"""A claim that a rule is of one thing only, where the rule names others beside it or leaves its list open."""

from __future__ import annotations

import pytest

from nodes.agreement import disagreement
from nodes.exclusive import exclusive_conflict
from nodes.strength import overstatement


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        # an open list
        ("The cover only includes drinks.", "The cover includes drinks, including but not limited to tea."),
        ("Records shall include only letters.", "“Records” means letters and, without limitation, notes."),
        ("The ban covers only cigarettes.", "The ban covers smoking of any kind, such as cigarettes and pipes."),
        (
            "Notes only include letters.",
            "Notes, save where only one copy exists, include, but are not limited to, letters.",
        ),
        # others beside it
        ("The cover shall only include dental treatment.", "The cover means dental, optical or surgical treatment."),
        ("The allowance covers solely train tickets.", "The allowance covers train, bus and tram tickets."),
        ("The rule applies only to contractors.", "The rule applies to employees and contractors."),
        # all of them
        ("The fee covers only electric cars.", "The fee covers all cars."),
        (
            "Personal data only includes health information.",
            "Personal data means any and all information about a person.",
        ),
        ("The rule is limited to electric cars.", "The rule applies to all cars."),
    ],
)
def test_says_of_one_alone_what_holds_for_more(claim: str, source: str) -> None:
    assert exclusive_conflict(claim, source)
    assert disagreement(claim, [source])


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The cover only includes drinks.", "The cover includes drinks only."),
        ("The cover only includes tea and coffee.", "The cover is limited to tea and coffee."),
        ("The cover only includes tea and coffee.", "The cover includes nothing but tea and coffee."),
        ("The cover includes drinks.", "The cover includes drinks, including but not limited to tea."),
        ("Only the first page needs a stamp.", "The first page, of all pages, needs a stamp."),
        ("The fee covers only electric cars.", "The fee covers all electric cars."),
        ("You can only return it within 7 days.", "Returns are possible within 7 days, without limitation of value."),
        ("The fee covers only cars.", "The pass covers trams, buses and trains."),
        ("The offer is only for members and staff.", "The offer is for members and staff."),
    ],
)
def test_leaves_alone_what_says_as_much(claim: str, source: str) -> None:
    assert not exclusive_conflict(claim, source)


def test_a_list_that_is_not_limited_bears_no_only_out() -> None:
    open_list = "It includes technical data, including but not limited to plans."
    assert overstatement("It shall only include technical data.", open_list) == pytest.approx(0.4)
