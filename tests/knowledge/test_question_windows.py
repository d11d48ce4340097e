"""Windows of long questions: nothing lost, nothing over the limit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.question_windows import question_windows


def test_a_question_within_the_limit_stays_as_it_is():
    text = "  Can I return it?\n\nYes or no. "
    assert question_windows(text, 7) == [text]


def test_windows_are_cut_between_sentences():
    text = "One two three four. Five six seven eight. Nine ten eleven twelve."
    assert question_windows(text, 8) == ["One two three four.", "Five six seven eight.", "Nine ten eleven twelve."]
    assert question_windows(text + " " + text, 12)[0] == text


def test_a_sentence_over_the_limit_is_cut_between_words():
    assert question_windows("a b c d e", 2) == ["a b", "c d", "e"]


def test_an_empty_text_is_one_window():
    assert question_windows("", 5) == [""]


@pytest.mark.parametrize("words", [0, -1])
def test_a_limit_under_one_is_refused(words: int):
    with pytest.raises(ValueError, match="at least 1 word"):
        question_windows("a", words)


@given(st.text("ab .!?\n", max_size=400), st.integers(1, 20))
def test_every_word_stands_in_one_window_in_order(text: str, words: int):
    windows = question_windows(text, words)
    assert [word for window in windows for word in window.split()] == text.split()
    assert all(len(window.split()) <= words for window in windows)
