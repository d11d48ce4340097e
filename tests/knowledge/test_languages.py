from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.languages import STEMMERS, UNDECIDED, detect_language, stop_words


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("refund", "en"),
        ("PIN code delivery", "en"),
        ("asdfgh", "en"),
        ("Can I return my damaged headphones after 10 days?", "en"),
        ("café refund policy", "en"),
        ("What about Schadenfreude?", "en"),
        ("P0531: A/C Refrigerant Pressure Sensor Circuit", "en"),
        ("Какво урежда чл. 129 ЗЗД?", "bg"),
        ("болнични", "bg"),
        ("Sony WH-1000XM5 Wireless Headphones гаранция колко е", "bg"),
        ("Могу ли я вернуть наушники после 10 дней?", "ru"),
        ("Чи можу я повернути навушники?", "uk"),
        ("Да ли могу да вратим слушалице?", "sr"),
        ("Kann ich beschädigte Kopfhörer zurückgeben?", "de"),
        ("Wie lange habe ich Zeit", "de"),
        ("Quelle est la durée de la garantie", "fr"),
        ("¿Puedo devolver los auriculares dañados?", "es"),
        ("Quanto tempo ho per il reso", "it"),
        ("Posso devolver os fones danificados?", "pt"),
        ("Hoe lang heb ik de tijd", "nl"),
        ("Czy mogę zwrócić słuchawki?", "pl"),
        ("Mohu vrátit poškozená sluchátka?", "cs"),
        ("Μπορώ να επιστρέψω τα ακουστικά;", "el"),
        ("返品できますか", "ja"),
        ("可以退货吗", "zh"),
        ("반품할 수 있나요", "ko"),
        ("هل يمكنني إرجاع السماعات؟", "ar"),
    ],
)
def test_short_questions_get_their_language(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize("text", ["", "  ", "123", "???", "AX-204", "AC-2(3)"])
def test_without_words_nothing_decides(text: str) -> None:
    assert detect_language(text) == UNDECIDED


@given(st.text(max_size=300))
def test_any_text_gets_an_answer_and_always_the_same(text: str) -> None:
    answer = detect_language(text)
    assert answer == detect_language(text)
    assert answer == UNDECIDED or (len(answer) == 2 and answer.islower())


def test_every_stemmer_exists() -> None:
    import Stemmer

    assert set(STEMMERS.values()) <= set(Stemmer.algorithms())


def test_stop_words_come_with_a_stemmer_only() -> None:
    assert "the" in stop_words("en")
    assert "и" in stop_words("ru")
    assert stop_words("bg") == frozenset()
    assert stop_words(UNDECIDED) == frozenset()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("l'assurance d'un voyageur qui s'est blessé", "fr"),
        ("l’assurance d’un voyageur", "fr"),
        ("nell'ordine dell'azienda", "it"),
        ("nell’ordine dell’azienda", "it"),
        ("null's and dull's", "en"),
        ("“Goods” – 30 days’ notice…", "en"),
        ("¿Puedo devolver mi pedido?", "es"),
        ("№ “…” – 2024", "und"),
    ],
)
def test_marks_are_found_with_straight_and_curly_quotes(text: str, language: str) -> None:
    assert detect_language(text) == language
