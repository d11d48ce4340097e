"""Text that makes a pattern begin anew at every sign: what is not linear in it would not end within the test's patience."""

from __future__ import annotations

import pytest

from nodes.citing import sentences_of, without_marks
from nodes.facts import facts_of

SIZE = 60_000


@pytest.mark.parametrize("text", [" " * SIZE, "1" * SIZE, "ab-" * (SIZE // 3), "a." * (SIZE // 2), "(" * SIZE])
def test_marks_and_facts_of_a_long_run_are_read(text: str):
    assert without_marks(text) is not None
    assert facts_of(text[: SIZE // 2]) is not None
    assert isinstance(sentences_of(f"A rule.{text}"), list)
