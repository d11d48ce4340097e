"""A right sentence with a wrong label is cited right; a wrong sentence finds no label that saves it."""

from __future__ import annotations

from typing import Any

import pytest

from graph.models import open_chat
from nodes.checking import check_answer
from nodes.relabelling import relabelled, with_sources
from tests.fakes.ollama import FakeOllama
from tests.nodes.kartly_passages import damaged_headphones, hashed, passage
from tests.nodes.runs import answered

SEVEN = "Electronics can be returned within 7 days of delivery"
DAMAGE = "A damaged item must be reported within 48 hours of delivery"


async def labels_of(draft: str) -> list[tuple[list[str], bool]]:
    passages = damaged_headphones()
    checked = await check_answer(draft, passages, embed=hashed)
    out = await relabelled(checked, passages, embed=hashed)
    return [(item.said.labels, item.supported) for item in out]


async def test_a_right_sentence_is_cited_by_the_passage_that_says_it() -> None:
    assert await labels_of(f"{SEVEN} [S4].") == [(["S2"], True)]
    assert await labels_of(f"{SEVEN} [S2]. {DAMAGE} [S1].") == [(["S2"], True), (["S3"], True)]


async def test_the_labels_in_front_of_sentences_and_lines_are_put_right() -> None:
    assert await labels_of(f"[S2] {SEVEN}.\n[S3] {DAMAGE}.") == [(["S2"], True), (["S3"], True)]
    assert await labels_of(f"{SEVEN}. {DAMAGE} [S3].") == [(["S2"], True), (["S3"], True)]


@pytest.mark.parametrize(
    "wrong",
    [
        "Electronics can be returned within 30 days of delivery",  # the general rule's number
        "Electronics can be returned within 48 hours of delivery",
        "Electronics cannot be returned within 7 days of delivery",
        "A damaged item must be reported within 7 days of delivery",
        "The AX-204 wireless headphones support fast charging",
        "Our chief executive lives in Goa",
    ],
)
@pytest.mark.parametrize("label", ["S1", "S2", "S3", "S4"])
async def test_no_label_saves_a_wrong_sentence(wrong: str, label: str) -> None:
    before = await check_answer(f"{wrong} [{label}].", damaged_headphones(), embed=hashed)
    [(_, supported)] = await labels_of(f"{wrong} [{label}].")
    assert supported == before[0].supported  # what its own label bears out stands, and nothing is added


@pytest.mark.parametrize(
    "general",
    [
        "Headphones can be returned within 30 days of delivery",
        "Phones and tablets can be returned within a period of 30 days",
    ],
)
@pytest.mark.parametrize("label", ["S1", "S3", "S4"])
async def test_a_rule_that_another_passage_decides_finds_no_label(general: str, label: str) -> None:
    assert [supported for _, supported in await labels_of(f"{general} [{label}].")] == [False]


async def test_a_label_that_no_passage_has_stays_a_fault() -> None:
    assert await labels_of(f"{SEVEN} [S9].") == [(["S9"], False)]


async def test_an_answer_without_any_label_is_left_alone() -> None:
    assert await labels_of(f"{SEVEN}. {DAMAGE}.") == [([], False)] * 2


async def test_findings_show_what_the_nearest_passage_says() -> None:
    passages = [*damaged_headphones(), passage("Ovens can be returned within <8> days. [S7]", label="S5")]
    drafts = "Electronics can be returned within 70 days of delivery [S1]. Ovens can be returned within 9 days [S5]. Goa [S1]."
    checked = await check_answer(drafts, passages, embed=hashed)
    first, second, third = await with_sources(checked, passages, embed=hashed)
    assert str(first["problem"]).endswith(f'; [S2] says: "{SEVEN}."')
    assert "within ‹8> days" in str(second["problem"]) and "[S7]" not in str(second["problem"])
    assert third["problem"] == checked[2].problem
    assert checked[0].problem and "says" not in checked[0].problem


async def ask_desk(*replies: str) -> tuple[Any, FakeOllama]:
    with FakeOllama(list(replies)) as server:
        chat = open_chat("ollama:llama3.1:8b", ollama_host=server.url)
        state = await answered("Can I return my damaged headphones after 10 days?", damaged_headphones(), chat)
    return state, server


async def test_a_wrong_label_costs_no_second_call() -> None:
    state, server = await ask_desk(f"{SEVEN} [S4]. {DAMAGE} [S1].")
    assert state["answer"] == f"{SEVEN}. [S1] {DAMAGE}. [S2]"
    assert [citation["title"] for citation in state["citations"]] == ["Electronics Returns", "Damage Policy"]
    assert len(server.chats) == 1


@pytest.mark.parametrize("repaired", ["NOT_IN_DOCUMENTS", "", "The passages do not say.", "It takes 99 days [S1]."])
async def test_a_repair_that_spoils_the_draft_leaves_what_stood_in_it(repaired: str) -> None:
    state, server = await ask_desk(f"{SEVEN} [S2]. You get 500 points [S2].", repaired)
    assert state["answer"] == f"{SEVEN}. [S1]"
    assert state["model_calls"] == {"answer": 2} and len(server.chats) == 2
    assert state["verdict"]["faithful"]


@pytest.mark.parametrize("repaired", ["NOT_IN_DOCUMENTS", "", "It takes 99 days [S1]."])
async def test_a_draft_in_which_nothing_stood_is_refused(repaired: str) -> None:
    state, _ = await ask_desk("It takes 70 days [S2]. You get 500 points [S2].", repaired)
    assert (state["refused"], state["refusal_reason"]) == (True, "unsupported_answer")


async def test_an_answer_that_never_cites_is_refused() -> None:
    state, server = await ask_desk(f"{SEVEN}.")
    assert (state["refused"], state["refusal_reason"], len(server.chats)) == (True, "unsupported_answer", 2)


@pytest.mark.parametrize("label", ["", " [S1]", " [S2]", " [S3]", " [S4]"])
async def test_a_yes_to_the_damaged_headphones_does_not_leave(label: str) -> None:
    state, _ = await ask_desk(f"Yes, you can return your damaged headphones after 10 days{label}. {DAMAGE}{label}.")
    assert not state["answer"].casefold().startswith("yes") and "after 10 days" not in state["answer"]
