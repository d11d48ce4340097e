"""The rows of words seen: the same vectors however often, from however many threads and after however many others."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from knowledge.meanings import SeenWords, word_vectors

WORDS = (
    *("refund", "Refund", "return", "delivery", "parcel", "warranty", "invoice", "kettle", "zzqx-unheard"),
    *("jacket", "courier", "deposit", "charger", "battery", "express", "address", "exchange", "voucher"),
)
DIMENSION = word_vectors(("refund",)).shape[1]
ALONE = {word: SeenWords(DIMENSION).rows((word,))[0] for word in WORDS}


def expected(words: tuple[str, ...]) -> np.ndarray:
    return np.array([ALONE[word] for word in words]).reshape(len(words), DIMENSION)


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map(tuple), max_size=12))
def test_rows_do_not_depend_on_what_was_seen_before(asked: list[tuple[str, ...]]):
    seen = SeenWords(DIMENSION, most=6, few=2)
    for words in asked:
        assert np.array_equal(seen.rows(words), expected(words))


def test_rows_are_right_while_others_grow_and_drop_them():
    seen = SeenWords(DIMENSION, most=7, few=1)

    def ask(start: int) -> bool:
        words = tuple(WORDS[(start + step) % len(WORDS)] for step in range(5))
        return all(np.array_equal(seen.rows(words), expected(words)) for _ in range(50))

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(ask, range(64)))
