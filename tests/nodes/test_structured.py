from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.structured import read_line, read_list, read_rating, read_scores

WANTED = ["Is a worn jacket accepted?", "Return of used clothing"]


@pytest.mark.parametrize(
    "text",
    [
        '["Is a worn jacket accepted?", "Return of used clothing"]',
        '```json\n["Is a worn jacket accepted?", "Return of used clothing"]\n```',
        'Sure! Here you are: ["Is a worn jacket accepted?", "Return of used clothing"] I hope it helps.',
        '"[\\"Is a worn jacket accepted?\\", \\"Return of used clothing\\"]"',
        '{"queries": ["Is a worn jacket accepted?", "Return of used clothing"]}',
        '[{"query": "Is a worn jacket accepted?"}, {"query": "Return of used clothing"}]',
        '{"1": "Is a worn jacket accepted?", "2": "Return of used clothing"}',
        '<think>["no"]</think>\n1. Is a worn jacket accepted?\n2. Return of used clothing',
        "Here are two:\n\n- Is a worn jacket accepted?\n* Return of used clothing",
        '1) **Is a worn jacket accepted?**\n2) "Return of used clothing"',
        "Is a worn jacket accepted?\nReturn of used clothing",
        'broken [ and then ["Is a worn jacket accepted?", "Return of used clothing", "Return of used clothing"]',
    ],
)
def test_a_list_in_any_wrapping(text: str) -> None:
    assert read_list(text) == WANTED


def test_a_list_of_nothing() -> None:
    assert read_list("") == []
    assert read_list("[]") == []
    assert read_list("---") == []


@pytest.mark.parametrize(
    "text",
    [
        "Does the BX-900 charge fast?",
        'Question: "Does the BX-900 charge fast?"',
        "Stand-alone question: Does the BX-900 charge fast?",
        '{"question": "Does the BX-900 charge fast?"}',
        "```\nDoes the BX-900 charge fast?\n```",
        "Here is the question:\n\nDoes the BX-900 charge fast?\n\nIt names the model.",
    ],
)
def test_a_line_in_any_wrapping(text: str) -> None:
    assert read_line(text) == "Does the BX-900 charge fast?"


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        ('{"1": 8, "2": 0, "3": 5}', [8, 0, 5]),
        ('{"1": 80, "2": -3, "7": 9, "x": 1}', [10, 0, 0]),
        ('[{"id": 1, "score": 8}, {"id": 3, "score": "5/10"}]', [8, 0, 5]),
        ('{"scores": [8, 0, 5]}', [8, 0, 5]),
        ("[8, 0, 5]", [8, 0, 5]),
        ("[[1, 8], [3, 5]]", [8, 0, 5]),
        ("Passage 1: 8\nPassage 2: 0\nPassage 3 - 5", [8, 0, 5]),
        ("[1]: 8, [3]: 5", [8, 0, 5]),
        ('{"passage 1": {"score": 8}, "passage 3": {"score": 5.0}}', [8, 0, 5]),
        ('{"1": true, "2": null, "3": NaN}', [0, 0, 0]),
        ("I can't say.", [0, 0, 0]),
    ],
)
def test_scores_in_any_wrapping(text: str, scores: list[float]) -> None:
    assert read_scores(text, 3) == scores


@pytest.mark.parametrize(
    ("text", "rating"), [("4", 4), ("Rating: 5.", 5), ("10", None), ("4/5", 4), ("3.5", None), ("", None)]
)
def test_a_rating(text: str, rating: int | None) -> None:
    assert read_rating(text) == rating


@given(st.text())
def test_nothing_raises(text: str) -> None:
    assert all(read_list(text))
    assert "\n" not in read_line(text)
    assert all(0 <= score <= 10 for score in read_scores(text, 4))


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    )
)
def test_no_json_raises(value: object) -> None:
    text = json.dumps(value)
    read_list(text)
    assert all(0 <= score <= 10 for score in read_scores(text, 3))
