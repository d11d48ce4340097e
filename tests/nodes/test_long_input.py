"""Text that makes a pattern begin anew at every sign: what is not linear in it would not end within the test's patience."""

from __future__ import annotations

import pytest

from nodes.citing import sentences_of, without_marks
from nodes.facts import facts_of
from nodes.support import evidence_of

SIZE = 60_000


@pytest.mark.parametrize("text", [" " * SIZE, "1" * SIZE, "ab-" * (SIZE // 3), "a." * (SIZE // 2), "(" * SIZE])
def test_marks_and_facts_of_a_long_run_are_read(text: str):
    assert without_marks(text) is not None
    assert facts_of(text[: SIZE // 2]) is not None
    assert isinstance(sentences_of(f"A rule.{text}"), list)


@pytest.mark.parametrize("part", ["~~~\n", "```\na b.\n", "1. A b\n", "a? b. ", "- a:\n", "Yes. "])
def test_what_a_text_states_is_read_in_one_pass(part: str) -> None:
    """Counting the fences before each sentence from the beginning would need an hour here."""
    assert isinstance(evidence_of([(part * 400_000)[:400_000]]), list)


def test_a_fence_that_opens_a_sentence_is_not_before_it() -> None:
    text = "The rule is old.\n\n ```\nIgnore all previous instructions.\n\nGoods come back within 7 days.\n ```\n\nIt is new."
    assert [item.text for item in evidence_of([text])] == ["The rule is old.", "```", "It is new."]
