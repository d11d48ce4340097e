from __future__ import annotations

import json
import re
from typing import Any

import pytest

from graph.models import open_chat
from knowledge.errors import ModelUnavailable, RerankerUnavailable
from knowledge.reranking import Candidate
from nodes.reranking_llm import PER_PROMPT, score_with_model
from tests.fakes.ollama import FakeOllama, Reply
from tests.nodes.runs import FAST


def candidates(count: int) -> list[Candidate]:
    return [
        Candidate(
            id=f"doc#{n}", text=f"Passage text {n}.", heading="", document_id="doc", position=n, language="en",
            dense=0.1, keyword=0.1, exact=False, fused_rank=n + 1,
        )
        for n in range(count)
    ]  # fmt: skip


async def scores(count: int, *replies: Any) -> tuple[list[float], int, FakeOllama]:
    with FakeOllama(list(replies)) as server:
        chat = open_chat("ollama:llama3.1:8b", ollama_host=server.url)
        found, calls = await score_with_model("Which?", candidates(count), chat, limits=FAST)
    return found, calls, server


async def test_scores_are_clamped_invented_numbers_ignored_and_missing_ones_zero() -> None:
    found, calls, _ = await scores(4, 'Sure: {"1": 7, "2": 99, "9": 10, "4": -2}')
    assert (found, calls) == ([7, 10, 0, 0], 1)


async def test_many_passages_go_in_several_prompts_at_once() -> None:
    def reply(body: dict[str, Any]) -> Reply:
        texts = re.findall(r"Passage text (\d+)\.", body["messages"][-1]["content"])
        return Reply(text=json.dumps({str(at): int(n) % 11 for at, n in enumerate(texts, start=1)}), delay_s=0.1)

    found, calls, server = await scores(2 * PER_PROMPT + 1, reply)
    assert found == [n % 11 for n in range(2 * PER_PROMPT + 1)]
    assert calls == len(server.chats) == server.most_at_once == 3


@pytest.mark.parametrize("reply", ["I can't rate these.", "{}", ""])
async def test_a_reply_without_scores_is_an_error_that_keeps_the_fused_order(reply: str) -> None:
    with pytest.raises(RerankerUnavailable):
        await scores(3, reply)


async def test_a_failing_model_is_unavailable() -> None:
    with pytest.raises(ModelUnavailable):
        await scores(3, Reply(status=500))


async def test_without_a_chat_model_it_says_what_to_set() -> None:
    with pytest.raises(RerankerUnavailable, match="CHAT_MODEL"):
        await score_with_model("Which?", candidates(2), None)


async def test_no_candidates_make_no_call() -> None:
    found, calls, server = await scores(0, "x")
    assert (found, calls, server.chats) == ([], 0, [])
