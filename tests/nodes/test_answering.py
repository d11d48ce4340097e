from __future__ import annotations

import pytest

from knowledge.errors import BadInput
from knowledge.model_tokens import count
from nodes.answering import messages_for, says_not_there, tidied, whole_sentences, without_remarks
from nodes.prompts import fill, load
from tests.nodes.kartly_passages import damaged_headphones

NAMES = ("answer", "repair", "rewrite", "multi_query", "decompose", "hyde", "rerank", "judge", "rate")


@pytest.mark.parametrize(
    "answer",
    [
        "No, the AX-204 does not support fast charging [S1].",
        "Electronics cannot be returned after 7 days [S2]. The documents do not say more [S2].",
        "The warranty does not cover accidental damage.",
        "You don't have to pay for the pickup.",
        "A report needs no details of the courier [S1].",
    ],
)
def test_a_denial_is_an_answer(answer: str) -> None:
    assert not says_not_there(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "NOT_IN_DOCUMENTS",
        "NOT IN DOCUMENTS.",
        "Not mentioned in the passages.",
        "I could not find that in your documents.",
    ],
)
def test_not_there(answer: str) -> None:
    assert says_not_there(answer)


def test_the_agreed_word_beside_real_sentences_is_left_out() -> None:
    answer = "Electronics can be returned within 7 days [S2]. NOT_IN_DOCUMENTS"
    assert not says_not_there(answer)
    assert without_remarks(answer) == "Electronics can be returned within 7 days [S2]."


@pytest.mark.parametrize(
    ("cut", "whole"),
    [("One [S1]. Two is", "One [S1]."), ("One. [S1] Two", "One. [S1]"), ("Nothing ends", ""), ("One [S1]", "One [S1]")],
)
def test_what_is_whole_of_a_cut_answer(cut: str, whole: str) -> None:
    assert whole_sentences(cut) == whole


@pytest.mark.parametrize(
    ("answer", "tidy"),
    [
        (
            "[S2] Electronics Returns > Return window and conditions (applies to: electronics)\nSeven days. In its box.",
            "Seven days. [S2] In its box. [S2]",
        ),
        ("[S1] One. Two.\n[S2] Three.", "One. [S1] Two. [S1]\nThree. [S2]"),
        ("- [S1]: One.\n- Two [S2].", "One. [S1]\n- Two [S2]."),
        ("Answer: One [S1]. Two [S3].", "One [S1]. Two [S3]."),
        ("[S3]\nOne.", "One. [S3]"),
        ("**Damage Policy**\nOne [S3].", "One [S3]."),
        ("[S1] One [S1]. Two [S2].", "[S1] One [S1]. Two [S2]."),
        ("One. Two. [S2] Three [S1, S3]. Four.", "One. [S2] Two. [S2] Three [S1, S3]. Four."),
        ("One.", "One."),
        ("", ""),
    ],
)
def test_labels_go_behind_their_sentences_and_copied_headings_go(answer: str, tidy: str) -> None:
    assert tidied(answer, damaged_headphones()) == tidy


@pytest.mark.parametrize("name", NAMES)
def test_every_prompt_is_there_and_short(name: str) -> None:
    assert sum(count(part) for part in load(name).values()) <= 330


def test_the_prompt_around_the_passages_is_small() -> None:
    passages = damaged_headphones()
    whole = sum(count(message.text) for message in messages_for("Can I return them?", passages))
    assert whole - sum(count(passage["text"]) for passage in passages) <= 450


def test_a_filled_value_is_not_searched_for_places() -> None:
    [system, user] = fill("rewrite", {"history": "{question} {nothing}", "question": "Why?"})
    assert "{question} {nothing}" in user.text and system.type == "system"


def test_an_unknown_place_or_file_is_named() -> None:
    with pytest.raises(BadInput, match="history"):
        fill("rewrite", {"question": "Why?"})
    with pytest.raises(BadInput, match=r"prompts/none\.md"):
        load("none")


def test_the_marks_of_passages_are_no_part_of_an_answer() -> None:
    assert tidied("<passage> Seven days. [S1]</passage>", damaged_headphones()) == "Seven days. [S1]"
