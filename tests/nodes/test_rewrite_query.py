from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from graph.models import open_chat
from knowledge.errors import BadQuestion
from nodes.rewrite_query import follow_up, rewrite_query, why_dropped
from nodes.state import State
from tests.fakes.ollama import FakeOllama, Reply
from tests.nodes.runs import FAST, runtime

CONVERSATIONS = [
    json.loads(line)
    for line in (Path(__file__).parent / "conversations.jsonl").read_text(encoding="utf-8").splitlines()
]
ASKED = "Does the AX-204 wireless headphone support fast charging?"
HISTORY = [HumanMessage(ASKED), AIMessage("It does not. [S1]")]


async def rewritten(
    messages: Sequence[AnyMessage], replies: Sequence[Any] | None = None, **state: Any
) -> tuple[dict[str, Any], list[str]]:
    """The node's update and the prompts sent; without ``replies`` there is no chat model."""
    given = cast(State, {"messages": list(messages), **state})
    if replies is None:
        return await rewrite_query(given, runtime(), chat=None), []
    with FakeOllama(list(replies)) as server:
        chat = open_chat("ollama:llama3.1:8b", ollama_host=server.url)
        return await rewrite_query(given, runtime(), chat=chat, limits=FAST), server.prompts()


@pytest.mark.parametrize("talk", CONVERSATIONS, ids=[talk["id"] for talk in CONVERSATIONS])
async def test_follow_ups_become_stand_alone(talk: dict[str, Any]) -> None:
    history: list[AnyMessage] = []
    for asked, answered in talk["before"]:
        history += [HumanMessage(asked), AIMessage(answered)]
    out, prompts = await rewritten([*history, HumanMessage(talk["message"])], [talk["rewrite"]])
    assert out["standalone_question"] == talk["rewrite"]
    assert (out["question"], out["warnings"], out["model_calls"]) == (talk["message"], [], {"rewrite": 1})
    assert talk["before"][-1][0] in prompts[0] and talk["message"] in prompts[0]


async def test_without_history_no_model_is_called() -> None:
    out, prompts = await rewritten([HumanMessage("How long is the warranty?")], ["x"])
    assert prompts == []
    assert (out["standalone_question"], out["model_calls"]) == ("How long is the warranty?", {})


@pytest.mark.parametrize(
    ("rewrite", "problem"),
    [
        ("Does the headphone support fast charging?", "lost the code"),
        ('Does the BX-900 beat the QX-7 for 30 days with "gold"?', "brought in the code"),
        ("Does the BX-900 charge for 30 days with gold?", "lost the quoted"),
        ('Does the BX-900 charge with "gold"?', "lost the number"),
        ('Does the BX-900 charge for 60 days or 30 days with "gold"?', "brought in the number"),
        ("", "empty"),
        ('Bananas grow near BX-900 plantations where 30 monkeys sing "gold" songs nightly', "something else"),
        ('BX-900 30 "gold" ' + "very " * 200 + "long", "too long"),
    ],
)
async def test_a_rewrite_that_changes_what_was_asked_is_dropped(rewrite: str, problem: str) -> None:
    asked = 'And the BX-900 for 30 days with "gold"?'
    out, _ = await rewritten([*HISTORY, HumanMessage(asked)], [rewrite])
    assert out["standalone_question"] == asked
    [warning] = out["warnings"]
    assert problem in warning


@pytest.mark.parametrize(
    "broken", [Reply(status=500), Reply(status=404, error="model not found"), Reply(text="a b c", cut_after=1)]
)
async def test_a_model_that_fails_leaves_the_question_and_a_warning(broken: Reply) -> None:
    out, _ = await rewritten([*HISTORY, HumanMessage("and for BX-900?")], [broken])
    assert out["standalone_question"] == "and for BX-900?"
    assert len(out["warnings"]) == 1 and "not rewritten" in out["warnings"][0]


async def test_the_last_unanswered_message_wins_over_the_question() -> None:
    out, _ = await rewritten([HumanMessage("From the chat?")], question="From the key?")
    assert out["question"] == "From the chat?"
    out, _ = await rewritten(HISTORY, question="From the key?", messages_seen=2)
    assert out["question"] == "From the key?"


async def test_a_question_by_key_joins_the_conversation() -> None:
    out, _ = await rewritten([], question="How long is the warranty?")
    assert [message.text for message in out["messages"]] == ["How long is the warranty?"]
    assert out["messages_seen"] == 1


async def test_a_message_already_seen_is_not_asked_again() -> None:
    failed = [HumanMessage("Old?")]
    out, _ = await rewritten(failed, question="New?", messages_seen=1)
    assert out["question"] == "New?"


@pytest.mark.parametrize("question", ["", "   ", "?!", "x" * 2001])
async def test_a_question_that_is_none_is_refused(question: str) -> None:
    with pytest.raises(BadQuestion):
        await rewritten([], question=question)


async def test_each_question_starts_clean() -> None:
    stale = dict.fromkeys(State.__annotations__, "stale") | {
        "messages": [],
        "messages_seen": 0,
        "question": "How long?",
    }
    out = await rewrite_query(cast(State, stale), runtime(), chat=None)
    kept = {"index", "index_version", "timings_ms"}  # written anew by every run
    assert set(State.__annotations__) - kept <= set(out)
    assert "stale" not in [value for value in out.values() if isinstance(value, str)]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("and for BX-900?", "Does the BX-900 wireless headphone support fast charging?"),
        ("what about the BX 900?", "what about the BX 900?"),
        ("and is it waterproof?", f"{ASKED} and is it waterproof?"),
        (
            "How many days do I have to return an unopened phone?",
            "How many days do I have to return an unopened phone?",
        ),
        ("Express delivery?", "Express delivery?"),
        ("By when?", f"{ASKED} By when?"),
        ("How much does it cost?", f"{ASKED} How much does it cost?"),
        ("Within what time?", f"{ASKED} Within what time?"),
        ("How do I return a shirt?", "How do I return a shirt?"),
        ("When is the office open?", "When is the office open?"),
    ],
)
def test_a_short_follow_up_without_a_model(question: str, expected: str) -> None:
    found = follow_up(ASKED, question)
    assert found == expected or (question in found and ASKED in found)


def test_a_good_rewrite_is_kept() -> None:
    assert why_dropped("and for BX-900?", "Does the BX-900 support fast charging?", ASKED) is None
    assert why_dropped("how do i retrun it", "How do I return the AX-204?", ASKED) is None
