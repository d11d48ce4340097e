"""Stems by Snowball's C library, from any thread."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.languages import STEMMERS
from knowledge.stemming import stem


# From the vocabularies that Snowball publishes with its algorithms.
@pytest.mark.parametrize(
    ("word", "algorithm", "expected"),
    [
        ("consigned", "english", "consign"),
        ("knackeries", "english", "knackeri"),
        ("returned", "english", "return"),
        ("aufeinanderschlügen", "german", "aufeinanderschlug"),
        ("continuellement", "french", "continuel"),
        ("важнейшие", "russian", "важн"),
    ],
)
def test_stems_are_those_of_the_published_vocabularies(word: str, algorithm: str, expected: str):
    assert stem(word, algorithm) == expected


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60), st.sampled_from(sorted(STEMMERS.values())))
def test_any_text_has_a_stem_and_always_the_same(word: str, algorithm: str):
    assert stem(word, algorithm) == stem(word, algorithm)


def test_threads_do_not_mix_their_words():
    words = ["returned", "deliveries", "warranties", "refunding", "exchanges", "shipped"]
    expected = [stem(word, "english") for word in words]
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: [stem(word, "english") for word in words], range(400)))
    assert all(each == expected for each in found)
