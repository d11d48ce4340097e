"""Every way a model fails, through langchain-ollama and real HTTP."""

from __future__ import annotations

import socket

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.constants import TAG_NOSTREAM

from graph.models import open_chat
from knowledge.errors import ModelUnavailable
from nodes.asking import _NO_STREAM, ContextOverflow, Limits, ask, name_of, without_thinking
from tests.fakes.ollama import FakeOllama, Reply

FAST = Limits(timeout_s=5, attempts=3, backoff_s=0.01)
HI = [HumanMessage("hi")]


def chat_of(server: FakeOllama, *, model: str = "llama3.1:8b", num_ctx: int = 8192) -> BaseChatModel:
    return open_chat(f"ollama:{model}", ollama_host=server.url, num_ctx=num_ctx)


async def test_a_reply_with_its_tokens() -> None:
    with FakeOllama(["Seven days [S1]."]) as server:
        reply = await ask(chat_of(server), HI, limits=FAST)
    assert (reply.text, reply.cut) == ("Seven days [S1].", False)
    assert reply.input_tokens is not None and reply.output_tokens is not None


async def test_a_missing_model_says_what_to_pull_and_is_asked_once() -> None:
    with FakeOllama(models=["other"]) as server:
        with pytest.raises(ModelUnavailable, match=r"run: ollama pull llama3\.1:8b"):
            await ask(chat_of(server), HI, limits=FAST)
        assert len(server.chats) == 1


async def test_no_server_says_how_to_start_it() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    chat = open_chat("ollama:llama3.1:8b", ollama_host=f"http://127.0.0.1:{port}")
    with pytest.raises(ModelUnavailable, match="ollama serve"):
        await ask(chat, HI, limits=FAST)


async def test_a_slow_model_times_out_and_is_not_asked_again() -> None:
    with FakeOllama([Reply(text="late", delay_s=2.5)]) as server:
        with pytest.raises(ModelUnavailable, match=r"did not answer within 1 second"):
            await ask(chat_of(server), HI, limits=Limits(timeout_s=1.0, backoff_s=0.01))
        assert len(server.chats) == 1


async def test_a_stream_that_never_ends_times_out() -> None:
    slow = Reply(text="word " * 100, pause_s=0.05)
    with FakeOllama([slow]) as server, pytest.raises(ModelUnavailable, match="did not answer"):
        await ask(chat_of(server), HI, limits=Limits(timeout_s=0.3, backoff_s=0.01))


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_passing_errors_are_tried_again(status: int) -> None:
    with FakeOllama([Reply(status=status), Reply(status=status), "Fine."]) as server:
        assert (await ask(chat_of(server), HI, limits=FAST)).text == "Fine."
        assert len(server.chats) == 3


async def test_passing_errors_end_after_the_last_attempt() -> None:
    with FakeOllama([Reply(status=500, error="out of memory")]) as server:
        with pytest.raises(ModelUnavailable, match="out of memory"):
            await ask(chat_of(server), HI, limits=FAST)
        assert len(server.chats) == 3


@pytest.mark.parametrize(("status", "words"), [(400, "bad request here"), (401, "API key"), (403, "API key")])
async def test_other_errors_are_not_tried_again(status: int, words: str) -> None:
    with FakeOllama([Reply(status=status, error="bad request here")]) as server:
        with pytest.raises(ModelUnavailable, match=words):
            await ask(chat_of(server), HI, limits=FAST)
        assert len(server.chats) == 1


@pytest.mark.parametrize(
    "broken", [Reply(text="one two three", cut_after=2), Reply(text="one two three", error_after=2)]
)
async def test_a_reply_that_breaks_off_is_asked_for_again(broken: Reply) -> None:
    with FakeOllama([broken, "Whole."]) as server:
        assert (await ask(chat_of(server), HI, limits=FAST)).text == "Whole."
        assert len(server.chats) == 2


async def test_a_reply_that_always_breaks_off_is_an_error() -> None:
    with FakeOllama([Reply(text="one two three", cut_after=1)]) as server, pytest.raises(ModelUnavailable):
        await ask(chat_of(server), HI, limits=FAST)


async def test_an_empty_reply_is_empty_text() -> None:
    with FakeOllama([""]) as server:
        assert (await ask(chat_of(server), HI, limits=FAST)).text == ""
    empty = GenericFakeChatModel(messages=iter([AIMessage("")]))
    assert (await ask(empty, HI, limits=FAST)).text == ""


async def test_the_length_limit_is_reported() -> None:
    with FakeOllama([Reply(text="Seven days [S1]. And th", done_reason="length")]) as server:
        assert (await ask(chat_of(server), HI, limits=FAST)).cut


async def test_an_overflow_that_the_server_reports() -> None:
    with FakeOllama(["x"], context_tokens=10) as server:
        with pytest.raises(ContextOverflow, match="token budget"):
            await ask(chat_of(server), [HumanMessage("long " * 50)], limits=FAST)
        assert len(server.chats) == 1


async def test_an_overflow_that_the_server_cuts_in_silence() -> None:
    fake = FakeOllama(["An answer without the rules."], context_tokens=64, cut_silently=True)
    with fake as server, pytest.raises(ContextOverflow):
        await ask(chat_of(server, num_ctx=64), [HumanMessage("long " * 500)], limits=FAST)


async def test_drafts_come_as_tokens_without_thinking() -> None:
    tokens: list[str] = []
    with FakeOllama(["<think>let me see</think>Seven days [S1]."]) as server:
        reply = await ask(chat_of(server), HI, limits=FAST, on_token=tokens.append)
    assert reply.text == "Seven days [S1]."
    assert "".join(tokens) == reply.text
    assert len(tokens) > 1


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>a\nb</think>Yes.", "Yes."),
        ("a thought without a beginning</think> Yes.", "Yes."),
        ("Yes.<thinking>and then", "Yes."),
        ("<think>only thoughts", ""),
        ("5 < 7 and 7 > 5", "5 < 7 and 7 > 5"),
    ],
)
def test_thinking_is_left_out(text: str, left: str) -> None:
    assert without_thinking(text) == left


async def test_a_thinking_field_is_not_part_of_the_reply() -> None:
    with FakeOllama([Reply(text="Seven.", thinking="hmm")]) as server:
        assert (await ask(chat_of(server), HI, limits=FAST)).text == "Seven."


def test_the_name_and_the_tag_are_what_others_use() -> None:
    assert name_of(open_chat("ollama:llama3.1:8b", ollama_host="http://127.0.0.1:9")) == "llama3.1:8b"
    assert _NO_STREAM == TAG_NOSTREAM
