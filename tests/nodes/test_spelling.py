"""Typing errors become words of the passages; everything else stays as it was typed."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.spelling import correct, misspelled, names_in, nearest, without_names

TEXTS = [
    "The return window for electronics is 7 days. Clothing goes to the warehouse. The product has a warranty of months."
]
ENGLISH = {"price", "store", "means", "closing", "window", "general", "ware", "house", "month", "turn", "ship"}


def fix(question: str) -> str:
    held = set(" ".join(TEXTS).casefold().replace(".", "").split())
    suspects = misspelled(
        question, is_held=lambda word: word.casefold() in held, is_word=lambda word: word.casefold() in ENGLISH
    )
    return correct(question, suspects, TEXTS)[0]


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("retrun of electroncs", "return of electronics"),
        ("Waranty of the prodct?", "warranty of the product?"),
        ("what is the price", "what is the price"),
        ("closing of the store", "closing of the store"),
        ('the "electroncs" rule', 'the "electroncs" rule'),
        ("is retrun-X1 an electroncs7 code", "is retrun-X1 an electroncs7 code"),
        ("did Mr Monts call", "did Mr Monts call"),
        ("ELECTRONCS", "electronics"),
        ("the ELECTRONCS act", "the ELECTRONCS act"),
        ("asdfgh", "asdfgh"),
        ("monthing warehouse", "monthing warehouse"),
        ("the interhouse returning", "the interhouse returning"),
        ("storeing", "storeing"),
        ("see AC-7 in the warehuose", "see AC-7 in the warehouse"),
    ],
)
def test_what_is_read_for_what_is_typed(typed: str, read: str) -> None:
    assert fix(typed) == read


@given(st.text(max_size=80))
def test_any_text_is_taken_and_a_text_of_known_words_stays(text: str) -> None:
    assert misspelled(text, is_held=lambda _: True, is_word=lambda _: False) == []
    assert correct(text, [], TEXTS) == (text, {})
    fix(text)


def test_a_word_that_says_where_to_look_is_no_slip() -> None:
    def read(question: str) -> str:
        texts = ["The internet and the working hours."]
        suspects = misspelled(question, is_held=lambda _: False, is_word=lambda word: word in {"what", "word"})
        return correct(question, suspects, texts)[0]

    assert read("What is the wording for IS-4 in the intranet?") == "What is the wording for IS-4 in the intranet?"
    assert read("who has intrnet") == "who has internet"


def test_a_stem_that_would_have_changed_is_no_word_by_itself() -> None:
    def slips(word: str) -> bool:
        return bool(
            misspelled(word, is_held=lambda _: False, is_word=lambda one: one in {"ship", "store", "word", "ring"})
        )

    assert [slips(word) for word in ("wording", "shiping", "storeing", "wordings", "interword")] == [
        False,
        True,
        True,
        False,
        False,
    ]


def test_the_commoner_word_wins_among_equals() -> None:
    assert nearest("wondow", Counter({"window": 1, "wonder": 5})) == "window"
    assert nearest("carts", Counter({"cards": 1, "carps": 3})) == "carps"
    assert nearest("short", Counter({"shirts": 9})) is None


def test_the_name_of_the_house_is_left_out_and_nothing_else() -> None:
    assert names_in("Who is the CEO of Kartly and of Mumbai?") == ["Kartly"]
    assert names_in("does the AX-204 charge") == []
    assert without_names("What are Kartly's opening hours at Kartly?", {"Kartly"}) == "What are opening hours at ?"
    assert without_names("Kartly", {"Kartly"}) == "Kartly"
