from __future__ import annotations

from typing import Any

import pytest

from graph.models import open_chat
from nodes.checking import Checked
from nodes.citing import Said
from nodes.judging import judged, support_probability
from tests.fakes.ollama import FakeOllama, Reply
from tests.nodes.kartly_passages import passage
from tests.nodes.runs import FAST


async def probability(*replies: Any) -> tuple[float | None, int, FakeOllama]:
    with FakeOllama(list(replies)) as server:
        judge = open_chat("ollama:llama3.1:8b", ollama_host=server.url)
        found, calls = await support_probability(judge, "Seven <days>. [S2]", "Seven days.", limits=FAST)
    return found, calls, server


async def test_yes_or_no_with_probabilities_where_the_server_gives_them() -> None:
    found, calls, server = await probability(Reply(text="yes", yes=0.8))
    assert found == pytest.approx(0.8) and calls == 1
    assert (server.chats[0]["logprobs"], server.chats[0]["top_logprobs"]) == (True, 10)
    assert "‹days>" in server.prompts()[0] and "[S2]" not in server.prompts()[0]


@pytest.mark.parametrize(
    ("word", "reply", "expected"),
    [
        ("Yes.", "5", 1.0),
        ("yes", "Rating: 3", 2 / 3),
        ("**No**", "3", 1 / 3),
        ("No, it says so.", "1", 0.0),
        ("Hard to say", "3", 0.5),
        ("yes", "good", 1.0),
        ("Hard to say", "good", None),
    ],
)
async def test_a_rating_beside_the_word_where_it_gives_none(word: str, reply: str, expected: float | None) -> None:
    found, calls, server = await probability(word, reply)
    assert (found, calls) == (pytest.approx(expected) if expected is not None else None, 2)
    assert "one number" in server.prompts()[1]


async def test_only_sentences_that_stand_are_judged_and_all_at_once() -> None:
    passages = [passage("Seven days."), passage("48 hours.", label="S2")]
    items = [
        Checked(Said("Seven days.", ["S1"]), True, 0.9, None),
        Checked(Said("Wrong.", ["S2"]), False, 0.1, "is wrong"),
        Checked(Said("48 hours.", ["S2"]), True, 0.8, None),
    ]

    def reply(body: dict[str, Any]) -> Reply:
        return Reply(text="yes", yes=0.9 if "Statement: Seven" in body["messages"][-1]["content"] else 0.2, delay_s=0.1)

    with FakeOllama([reply]) as server:
        judge = open_chat("ollama:llama3.1:8b", ollama_host=server.url)
        out, calls, warning = await judged(items, passages, judge, limits=FAST)
    assert [item.supported for item in out] == [True, False, False]
    assert out[1] is items[1] and "judge" in str(out[2].problem)
    assert (calls, server.most_at_once, warning) == (2, 2, None)


async def test_measuring_judges_what_fails_too_and_lifts_it_no_higher_than_the_middle() -> None:
    def item(problem: str | None, score: float) -> Checked:
        return Checked(Said("Seven days.", []), problem is None, score, problem)

    items = [
        item(None, 0.9),
        item("is not supported by what it cites", 0.5),
        item("the number 70 days is not in what it cites", 0.09),
    ]
    for yes, scores in ((0.8, [0.84, 0.5, 0.5]), (0.4, [0.6, 0.44, 0.276]), (0.1, [0.42, 0.26, 0.096])):
        with FakeOllama([Reply(text="yes", yes=yes)]) as server:
            judge = open_chat("ollama:llama3.1:8b", ollama_host=server.url)
            out, calls, _ = await judged(items, [passage("Seven days.")], judge, limits=FAST, measuring=True)
        assert [item.score for item in out] == scores
        assert [item.supported for item in out] == [yes > 0.35, False, False]
        assert calls == len(server.chats) == 3


async def test_a_judge_that_is_down_changes_nothing_and_says_so() -> None:
    items = [Checked(Said("Seven days.", ["S1"]), True, 0.9, None)]
    with FakeOllama([Reply(status=400)]) as server:
        judge = open_chat("ollama:llama3.1:8b", ollama_host=server.url)
        out, _, warning = await judged(items, [passage("Seven days.")], judge, limits=FAST)
    assert out == items and warning is not None and "judge was not asked" in warning
