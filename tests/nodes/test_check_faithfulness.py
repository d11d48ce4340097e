"""Answer, check, repair, drop, refuse: with a scripted model behind real HTTP."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage

from graph.models import open_chat
from nodes.check_faithfulness import surviving
from nodes.checking import Checked
from nodes.citing import Said
from tests.fakes.ollama import FakeOllama, Reply
from tests.nodes.kartly_passages import damaged_headphones, passage
from tests.nodes.runs import answered

QUESTION = "Can I return my damaged headphones after 10 days?"
SEVEN = "Electronics can be returned within 7 days of delivery"
DAMAGE = "A damaged item must be reported within 48 hours of delivery"


async def ask_desk(*replies: Any, judge: list[Any] | None = None, **more: Any) -> tuple[Any, FakeOllama]:
    with FakeOllama(list(replies)) as server, FakeOllama(judge or [""]) as court:
        state = await answered(
            QUESTION,
            more.pop("passages", damaged_headphones()),
            open_chat("ollama:llama3.1:8b", ollama_host=server.url),
            judge=open_chat("ollama:llama3.1:8b", ollama_host=court.url) if judge else None,
            **more,
        )
    return state, server


async def test_a_supported_answer_leaves_with_citations_renumbered_in_order_of_use() -> None:
    state, server = await ask_desk(f"{SEVEN} [S2]. {DAMAGE} (S3).")
    assert state["answer"] == f"{SEVEN}. [S1] {DAMAGE}. [S2]"
    assert [(c["label"], c["title"]) for c in state["citations"]] == [
        ("S1", "Electronics Returns"),
        ("S2", "Damage Policy"),
    ]
    labelled = {p["label"]: p for p in state["context"]}
    assert sorted(labelled) == ["S1", "S2", "S3", "S4"]
    for citation in state["citations"]:
        source = labelled[citation["label"]]
        assert citation["id"] == source["id"]
        assert citation["quote"] == source["text"][citation["start"] : citation["end"]]
    assert state["verdict"]["faithful"]
    assert [s["labels"] for s in state["verdict"]["sentences"]] == [["S1"], ["S2"]]
    assert (state["refused"], state["model"], state["model_calls"]) == (False, "llama3.1:8b", {"answer": 1})
    assert state["messages"][-1].text == state["answer"] and isinstance(state["messages"][-1], AIMessage)
    assert len(server.chats) == 1


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ("Electronics can be returned within 70 days of delivery [S2].", "70 days"),
        ("Electronics can be returned within 7 weeks of delivery [S2].", "7 weeks"),
        (f"{SEVEN}.", "cites no passage"),
        (f"{SEVEN} [S9].", "cites S9"),
        (f"{SEVEN}, see form RT-77 [S2].", "RT-77"),
        ("Electronics cannot be returned within 7 days of delivery [S2].", "opposite"),
        ("The chief executive is called Ravi and lives in Goa [S2].", "the name Ravi"),
    ],
)
async def test_a_wrong_sentence_is_repaired_once(wrong: str, problem: str) -> None:
    state, server = await ask_desk(wrong, f"{SEVEN} [S2].")
    assert state["answer"] == f"{SEVEN}. [S1]"
    assert state["model_calls"] == {"answer": 2}
    second = server.prompts()[1]
    assert problem in second and wrong.split(" [")[0].rstrip(".") in second
    assert server.chats[1]["messages"][2] == {"role": "assistant", "content": wrong} | {
        key: value for key, value in server.chats[1]["messages"][2].items() if key not in ("role", "content")
    }


async def test_a_wrong_answer_that_stays_wrong_is_refused() -> None:
    state, server = await ask_desk("Electronics can be returned within 70 days [S2].")
    assert (state["refused"], state["refusal_reason"]) == (True, "unsupported_answer")
    assert "70" not in state["answer"]
    assert state["citations"] == []
    assert len(server.chats) == 2
    assert not state["verdict"]["faithful"]
    assert "70 days" in str(state["verdict"]["sentences"][0]["problem"])


async def test_what_fails_after_the_repair_is_dropped_where_a_whole_answer_remains() -> None:
    both = f"{SEVEN} [S2]. {DAMAGE} [S3]. You get 500 points [S3]."
    state, _ = await ask_desk(both)
    assert state["answer"] == f"{SEVEN}. [S1] {DAMAGE}. [S2]"
    assert "500" not in str(state["citations"])


async def test_a_sentence_said_again_and_again_leaves_once() -> None:
    state, _ = await ask_desk(f"{SEVEN} [S2]. {DAMAGE} [S3]. {SEVEN} [S2]. {SEVEN.upper()} [S2]. {SEVEN} [S2].")
    assert state["answer"] == f"{SEVEN}. [S1] {DAMAGE}. [S2]"
    assert len(state["verdict"]["sentences"]) == 2


async def test_a_failed_sentence_said_again_does_not_outweigh_the_right_ones() -> None:
    wrong = "Electronics can be returned within 70 days of delivery [S2]."
    again = f"{SEVEN} [S2]. {DAMAGE} [S3]. {' '.join([wrong] * 5)}"
    state, _ = await ask_desk(again, again)
    assert state["answer"] == f"{SEVEN}. [S1] {DAMAGE}. [S2]"


def test_a_sentence_falls_with_the_one_it_leans_on() -> None:
    def item(text: str, supported: bool) -> Checked:
        return Checked(Said(text, ["S1"]), supported, 1.0, None)

    one, two, three = item("A.", True), item("B.", True), item("C.", True)
    assert surviving([one, item("X.", False), two, three]) == [one, two, three]
    assert surviving([item("X.", False), item("However, it is free.", True), two, three]) == [two, three]
    assert surviving([item("X.", False), item("Y.", False), one]) == []
    assert surviving([]) == []


@pytest.mark.parametrize(
    "words",
    [
        "NOT_IN_DOCUMENTS",
        "I'm sorry, but the passages do not mention this.",
        "The provided documents don't contain information about that.",
        "There is no information on this in the context.",
        "I cannot answer that from the given passages.",
        "I don't know.",
        "Няма информация за това в документите.",
        "Dazu steht nichts in den Dokumenten, keine Passage nennt es.",
        "<think>hm</think>NOT_IN_DOCUMENTS",
    ],
)
async def test_the_model_says_that_it_is_not_there_in_any_words(words: str) -> None:
    state, server = await ask_desk(words)
    assert (state["refused"], state["refusal_reason"], state["citations"]) == (True, "not_in_documents", [])
    assert len(server.chats) == 1


async def test_an_empty_answer_is_refused_with_a_warning() -> None:
    state, _ = await ask_desk("")
    assert state["refusal_reason"] == "unsupported_answer"
    assert state["warnings"] == ["The model gave an empty answer."]


async def test_a_cut_answer_keeps_its_whole_sentences() -> None:
    state, _ = await ask_desk(Reply(text=f"{SEVEN} [S2]. A damaged item must be rep", done_reason="length"))
    assert state["answer"] == f"{SEVEN}. [S1]"
    assert any("length limit" in warning for warning in state["warnings"])


async def test_a_prompt_that_overflows_is_sent_with_fewer_passages() -> None:
    long = [passage(f"{SEVEN}. " + "Filler words of no use. " * 60, label="S1", title="Electronics")]
    long += [passage("More words of no use. " * 80, label=f"S{n}", title=f"Other {n}") for n in (2, 3, 4)]
    with FakeOllama([f"{SEVEN} [S1]."], context_tokens=1500) as server:
        state = await answered(QUESTION, long, open_chat("ollama:llama3.1:8b", ollama_host=server.url))
    assert state["answer"] == f"{SEVEN}. [S1]"
    assert state["chunk_ids"] == ["electronics#1"] or len(state["chunk_ids"]) == 2
    assert any("context holds only" in warning for warning in state["warnings"])
    assert state["model_calls"]["answer"] == len(server.chats) > 1


async def test_a_judge_that_doubts_brings_a_repair_and_then_a_refusal() -> None:
    state, _ = await ask_desk(f"{SEVEN} [S2].", judge=[Reply(text="no", yes=0.1)])
    assert state["refusal_reason"] == "unsupported_answer"
    assert state["model_calls"] == {"answer": 2, "judge": 2}
    assert "judge" in str(state["verdict"]["sentences"][0]["problem"])


async def test_a_judge_that_agrees_changes_nothing() -> None:
    state, _ = await ask_desk(f"{SEVEN} [S2].", judge=[Reply(text="yes", yes=0.9)])
    assert state["answer"] == f"{SEVEN}. [S1]"


async def test_a_judge_that_is_down_leaves_the_other_checks_to_decide() -> None:
    state, _ = await ask_desk(f"{SEVEN} [S2].", judge=[Reply(status=400, error="broken")])
    assert state["answer"] == f"{SEVEN}. [S1]"
    assert any("judge was not asked" in warning for warning in state["warnings"])


async def test_tokens_come_as_drafts_and_events_name_their_node() -> None:
    events: list[dict[str, Any]] = []
    await ask_desk(f"{SEVEN} [S2].", events=events)
    drafts = [event["token"] for event in events if event["event"] == "draft"]
    assert "".join(drafts) == f"{SEVEN} [S2]."
    assert {event["node"] for event in events} == {"generate_answer", "check_faithfulness"}


async def test_the_extractive_writer_is_not_asked_to_repair() -> None:
    asked = []

    async def extract(state: Any) -> str:
        asked.append(1)
        return f"Electronics Returns > Return window and conditions: {SEVEN}. [S2] It takes 99 days. [S2]"

    state = await answered(QUESTION, damaged_headphones(), None, extract=extract)
    assert asked == [1]
    assert state["model"] == "extractive"
    assert state["answer"].endswith(f"{SEVEN}. [S1]") and "99" not in state["answer"]
