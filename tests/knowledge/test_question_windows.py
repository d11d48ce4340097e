"""Windows of long questions: nothing lost, nothing over the limit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.question_windows import question_windows, reading_windows


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


def test_a_question_that_the_model_has_room_for_is_read_as_it_is():
    text = "**Can** I return it?\n\n- Yes, or no. "
    assert reading_windows(text, 9) == [text]


def test_a_longer_one_is_read_in_windows_of_half_the_room_without_the_marks_between_words():
    text = "**Card:** I don't owe $4,000!\n- What (if any) is `user_id`?\n\n## It is 3.5 % -- or 4%..."
    assert reading_windows(text, 16) == ["Card I don't owe $4,000", "What if any is user_id", "It is 3.5 % or 4%"]


def test_a_text_of_marks_alone_is_read_as_it_is():
    assert reading_windows("* * * *", 2) == ["*", "*", "*", "*"]


def test_a_room_of_one_word_is_enough():
    assert reading_windows("One two.", 1) == ["One", "two"]


@given(
    st.lists(st.sampled_from(["ab", "c.d", "e's", "$5", "7%", "x_y", "-", "**", "?!"]), max_size=60), st.integers(1, 20)
)
def test_no_word_is_lost(words: list[str], room: int):
    windows = reading_windows(" ".join(words), room)
    read = [word for window in windows for word in window.split()]
    told = [word for word in words if any(map(str.isalnum, word))]
    assert [word for word in read if any(map(str.isalnum, word))] == told
    assert len(words) <= room or all(len(window.split()) <= max(1, room // 2) for window in windows)
