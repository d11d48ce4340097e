from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

import pytest

from graph.models import open_chat
from nodes.context import Context, Defaults
from nodes.expand_query import expand_query, without_near_copies
from nodes.state import Query, State
from tests.fakes.ollama import FakeOllama, Reply
from tests.nodes.runs import FAST, runtime

QUESTION = "Can I return my damaged AX-204 headphones after 10 days?"
DEFAULTS = Defaults(tenant="kartly")


async def expanded(expansion: str, replies: Sequence[Any] | None, **state: Any) -> tuple[dict[str, Any], FakeOllama]:
    given = cast(State, {"standalone_question": QUESTION, "queries": [], "warnings": [], "model_calls": {}, **state})
    context = Context(expansion=expansion)
    with FakeOllama(list(replies or [""])) as server:
        chat = open_chat("ollama:llama3.1:8b", ollama_host=server.url) if replies is not None else None
        return await expand_query(given, runtime(context=context), chat=chat, defaults=DEFAULTS, limits=FAST), server


def kinds(out: dict[str, Any]) -> list[str]:
    return [query["kind"] for query in out["queries"]]


async def test_none_is_the_question_alone_without_a_call() -> None:
    out, server = await expanded("none", ["x"])
    assert out["queries"] == [Query(text=QUESTION, kind="original", weight=1.0)]
    assert server.chats == []


@pytest.mark.parametrize(
    ("expansion", "reply", "kind"),
    [
        ("multi_query", '["Is a broken AX-204 accepted back?", "Late return of headphones"]', "paraphrase"),
        (
            "decompose",
            "1. What is the return period for headphones?\n2. Can a damaged item be returned?",
            "sub_question",
        ),
    ],
)
async def test_added_queries_come_after_the_original_and_weigh_less(expansion: str, reply: str, kind: str) -> None:
    out, server = await expanded(expansion, [reply])
    assert kinds(out) == ["original", kind, kind]
    assert all(query["weight"] < 1 for query in out["queries"][1:])
    assert out["model_calls"] == {"expand": 1}
    assert QUESTION in server.prompts()[0]


async def test_hyde_is_one_invented_passage() -> None:
    out, _ = await expanded("hyde", ["Electronics are returned\nwithin a week. Damage is reported at once."])
    assert kinds(out) == ["original", "hyde"]
    assert out["queries"][1]["text"] == "Electronics are returned within a week. Damage is reported at once."


async def test_several_run_side_by_side() -> None:
    def reply(body: dict[str, Any]) -> Reply:
        system = body["messages"][0]["content"]
        texts = {"Split": '["Damaged headphones?"]', "other ways": '["Broken ones back?"]'}
        text = next((text for word, text in texts.items() if word in system), "An invented rule.")
        return Reply(text=text, delay_s=0.15)

    out, server = await expanded("multi_query,decompose,hyde", [reply])
    assert kinds(out) == ["original", "paraphrase", "sub_question", "hyde"]
    assert out["model_calls"] == {"expand": 3}
    assert server.most_at_once == 3


async def test_copies_and_codes_that_nobody_asked_for_are_dropped() -> None:
    copies = [QUESTION, "can i return my damaged ax-204 headphones after 10 days", "Late return?", "late return"]
    reply = json.dumps([*copies, "Does BX-900 break?"])
    out, _ = await expanded("multi_query", [reply])
    assert [query["text"] for query in out["queries"]] == [QUESTION, "Late return?"]


@pytest.mark.parametrize("broken", [Reply(status=500), Reply(status=404), Reply(text="")])
async def test_a_failure_leaves_the_original_and_a_warning(broken: Reply) -> None:
    out, _ = await expanded("multi_query", [broken])
    assert kinds(out) == ["original"]
    assert len(out["warnings"]) == 1 and "multi_query" in out["warnings"][0]


async def test_one_failure_does_not_take_the_others_along() -> None:
    def reply(body: dict[str, Any]) -> Reply:
        return Reply(status=400) if "Split" in body["messages"][0]["content"] else Reply(text='["Late return?"]')

    out, _ = await expanded("multi_query,decompose", [reply])
    assert kinds(out) == ["original", "paraphrase"]
    assert "decompose" in out["warnings"][0]


async def test_without_a_chat_model_the_question_goes_on_alone() -> None:
    out, _ = await expanded("multi_query", None)
    assert kinds(out) == ["original"]
    assert "No chat model" in out["warnings"][0]


async def test_auto_calls_no_model_at_first_and_does_when_it_comes_back() -> None:
    first, server = await expanded("auto", ["x"])
    assert (kinds(first), server.chats, "expand" in first["model_calls"]) == (["original"], [], False)
    again, _ = await expanded("auto", ['["Late return?"]'], queries=first["queries"])
    assert kinds(again)[0] == "original" and len(again["queries"]) > 1
    assert again["model_calls"] == {"expand": 2}


async def test_auto_without_a_model_marks_that_it_came_back() -> None:
    again, _ = await expanded("auto", None, queries=[Query(text=QUESTION, kind="original", weight=1.0)])
    assert (kinds(again), again["model_calls"], again["warnings"]) == (["original"], {"expand": 0}, [])


def test_near_copies() -> None:
    queries = [Query(text=text, kind="paraphrase", weight=1.0) for text in ("a b c d", "D c B a!", "a b x y", "")]
    assert [query["text"] for query in without_near_copies(queries)] == ["a b c d", "a b x y"]
