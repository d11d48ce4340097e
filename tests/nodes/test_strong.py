"""Strong text loses its marks, whatever a line holds."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.strong import without_strong

#: What it means, as a pattern that goes back over a line once for each mark.
_MEANT = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")


@given(st.text(alphabet="*_a ", max_size=24))
def test_it_is_what_the_pattern_says(text: str) -> None:
    assert without_strong(text) == _MEANT.sub(r"\2", text)


@pytest.mark.parametrize("part", [" **a", "**a ", "__", "**", "*", " __a **b", "**a** "])
def test_a_line_of_marks_is_read_in_one_pass(part: str) -> None:
    """Going over the rest of the line for each mark would take hours here."""
    text = part * 200_000
    assert len(without_strong(text)) <= len(text)
