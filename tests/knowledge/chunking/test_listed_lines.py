"""Whether a numbered title is an entry of a list: the lines of its block are looked through once, with the same answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.chunking.numbered import _Block

_PIECES = st.lists(st.sampled_from(["\n", "\n\n", "1. ", "2) ", "1.1 b", " ", "\t", "\r", "a", "x y"]), max_size=25)


@given(pieces=_PIECES, steps=st.lists(st.integers(1, 4), max_size=40))
def test_a_kept_block_answers_as_a_new_one(pieces: list[str], steps: list[int]) -> None:
    text, kept, at = "".join(pieces), _Block(), 0
    for step in steps:
        if at > len(text):
            break
        assert kept.is_listed(text, at) == _Block().is_listed(text, at)
        at += step


@pytest.mark.parametrize(
    ("text", "listed"), [("One.\n2. Two.", True), ("One.\n\n2. Two.", False), ("One.\nTwo.", False), ("One.", False)]
)
def test_an_entry_is_followed_by_a_numbered_line_in_its_block(text: str, *, listed: bool) -> None:
    assert _Block().is_listed(text, 0) is listed
