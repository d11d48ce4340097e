"""A passage that reached the context and of which the quoted answer says nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.evals.desk import chunk, desk
from tests.evals.test_why import RULE, TARGET, ask, rivals


def test_a_sentence_that_is_worth_too_little(tmp_path: Path) -> None:
    other = chunk("roofs#1", "Rain falls on damaged roofs and nobody minds the water in the yard below.")
    found = ask(desk(tmp_path, [RULE, other]), expect="roofs#1")
    assert (found.lost, found.attempts) == ("not_quoted", ())
    assert "quotes nothing of it" in found.sentence and "Rain falls on damaged roofs" in found.sentence
    assert "62%" in found.sentence
    assert found.places and found.as_json()["would_keep"] == []


def test_what_is_quoted_is_kept(tmp_path: Path) -> None:
    other = chunk("roofs#1", "Rain falls on damaged roofs and nobody minds the water in the yard below.")
    assert ask(desk(tmp_path, [RULE, other]), expect=TARGET).lost == "kept"


def test_another_categorys_rule_on_the_matter(tmp_path: Path) -> None:
    first = chunk("damage#1", str(RULE.page_content), title="Damaged headphones", category="headphones")
    other = chunk("sofas#1", "Damaged sofas must be reported.", title="Damaged sofas", category="sofas")
    found = ask(desk(tmp_path, [first, other]), expect="sofas#1")
    assert found.lost == "not_quoted"
    assert "category (sofas)" in found.sentence and "Damaged headphones" in found.sentence


def test_a_passage_that_says_nothing(tmp_path: Path) -> None:
    other = chunk("numbers#1", "Damaged headphones?\n\nHow many?")
    found = ask(desk(tmp_path, [RULE, other]), expect="numbers#1")
    assert found.lost == "not_quoted" and "no sentence that says anything" in found.sentence


def test_sentences_that_do_not_name_what_is_asked_for(tmp_path: Path) -> None:
    own = chunk("codes#1", "| Code | Fault |\n|---|---|\n| K-11 | Valve open |")
    other = chunk("codes#2", "Is it K-11?\n\nK-12: the fault is that the valve is shut.")
    found = ask(desk(tmp_path, [own, other]), expect="codes#2", question="What fault is K-11?")
    assert found.lost == "not_quoted" and "other entries than the one asked for" in found.sentence


def test_what_others_say_too(tmp_path: Path) -> None:
    resources = desk(tmp_path, rivals(8))
    found = [ask(resources, expect=f"rival{number}#1", top_k=8) for number in range(8)]
    assert "kept" in [one.lost for one in found]
    assert any("others say the same" in one.sentence for one in found)


@pytest.mark.parametrize("model", ["ollama:some-model"])
def test_a_models_answer_is_its_own(tmp_path: Path, model: str) -> None:
    other = chunk("roofs#1", "Rain falls on damaged roofs and nobody minds the water in the yard below.")
    assert ask(desk(tmp_path, [RULE, other], chat_model=model), expect="roofs#1").lost == "kept"
