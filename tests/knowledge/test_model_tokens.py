"""Counting tokens word by word gives what reading the whole text gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge import model_tokens

WORDS = st.sampled_from(
    [
        "refund",
        "Refunds",
        "AX-204",
        "unreimbursable",
        "[CLS]",
        "[MASK",
        "mask]",
        "7%",
        "don't",
        "a\x07b",
        "\u200b",
        "é",
        "x" * 130,
    ]
)


@given(st.one_of(st.text(max_size=200), st.text(st.characters(max_codepoint=127), max_size=200)))
def test_a_count_is_the_number_of_tokens_read(text: str):
    assert model_tokens.count(text) == len(model_tokens.spans(text))


@given(st.lists(st.tuples(WORDS, st.sampled_from([" ", "\n", "", ".", "\t"])), max_size=12))
def test_so_it_is_for_words_markers_and_what_the_tokenizer_takes_out(parts: list[tuple[str, str]]):
    text = "".join(word + behind for word, behind in parts)
    assert model_tokens.count(text) == len(model_tokens.spans(text))


@pytest.mark.parametrize("text", ["refund", "unreimbursable", "ax204", "[MASK]", "two words", "", "É"])
def test_pieces_are_the_numbers_of_the_tokens_read(text: str):
    read = model_tokens._tokenizer().encode(text, add_special_tokens=False).ids
    assert model_tokens.pieces(text) == read
