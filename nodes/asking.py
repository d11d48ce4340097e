"""Calling a chat model: the one place where a provider's errors become ``ModelUnavailable``, and where a reply is cleaned.

Connection errors, 429 and 5xx are tried again with growing waits; nothing else is. Every attempt has a time limit. Tokens can be
watched as they come, as drafts; a run's ``messages`` stream does not show them, since they are unchecked.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage, BaseMessageChunk

from knowledge.errors import ModelUnavailable, PolicyDeskError

#: LangGraph leaves calls with this tag out of ``stream_mode="messages"`` (``langgraph.constants.TAG_NOSTREAM``).
_NO_STREAM = "nostream"
_MAX_WAIT_S = 8.0

_THINKING = re.compile(r"<(think|thinking|thought|reasoning|reflection)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_THOUGHT_BEFORE = re.compile(r"\A.*</(?:think|thinking|thought|reasoning|reflection)>", re.DOTALL | re.IGNORECASE)
_OPENING = re.compile(r"<[a-z]{0,10}\Z", re.IGNORECASE)

_CUT_REASONS = frozenset({"length", "max_tokens", "MAX_TOKENS"})
_TIMEOUTS = frozenset({"TimeoutError", "TimeoutException", "APITimeoutError"})
_CONNECTION = frozenset(
    {"ConnectionError", "ConnectTimeout", "NetworkError", "ProtocolError", "TransportError", "APIConnectionError"}
)
_OVERFLOW = re.compile(
    r"context (?:length|window|size)|maximum context|exceeds? (?:the )?(?:available )?context|prompt is too long|"
    r"input (?:length|is too long)|too many tokens",
    re.IGNORECASE,
)


class ContextOverflow(ModelUnavailable):
    """The prompt is longer than the model's context."""


class _CutOff(Exception):
    """The stream ended before the model said that it was done."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How long an attempt may take (seconds), how many there are, and the first wait between them (it doubles each time)."""

    timeout_s: float = 120.0
    attempts: int = 3
    backoff_s: float = 0.5


@dataclass(frozen=True, kw_only=True)
class Reply:
    """A model's reply without its thinking. ``cut``: it ran into its length limit. Tokens are ``None`` where not reported."""

    text: str
    cut: bool = False
    input_tokens: int | None = None
    output_tokens: int | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


DEFAULT_LIMITS = Limits()


async def ask(
    chat: BaseChatModel,
    messages: Sequence[BaseMessage],
    *,
    limits: Limits = DEFAULT_LIMITS,
    on_token: Callable[[str], None] | None = None,
    **options: Any,
) -> Reply:
    """The model's reply. ``on_token`` sees drafts as they come; ``options`` go to the provider (``logprobs=True``).

    Raises ``ModelUnavailable`` with what to do, or its subclass ``ContextOverflow``.
    """
    wait = limits.backoff_s
    for attempt in range(1, limits.attempts + 1):
        try:
            async with asyncio.timeout(limits.timeout_s):
                return await _stream(chat, messages, on_token, options)
        except PolicyDeskError:
            raise
        except Exception as error:
            if isinstance(error, ValueError) and "No generation chunks" in str(
                error
            ):  # LangChain's word for an empty reply
                return Reply(text="")
            if not _is_passing(error) or attempt == limits.attempts:
                raise _unavailable(error, chat, limits) from error
        await asyncio.sleep(min(wait, _MAX_WAIT_S))
        wait *= 2
    raise AssertionError("limits.attempts must be at least 1")


def name_of(chat: BaseChatModel) -> str:
    """The model's name as its provider knows it."""
    for attribute in ("model", "model_name", "model_id"):
        name = getattr(chat, attribute, None)
        if isinstance(name, str) and name:
            return name
    return chat._llm_type


def without_thinking(text: str) -> str:
    """The text without ``<think>…</think>`` and its like, an unclosed one to the end and an unopened one from the start."""
    text = _THINKING.sub("", text)
    return _THOUGHT_BEFORE.sub("", text).strip()


async def _stream(
    chat: BaseChatModel,
    messages: Sequence[BaseMessage],
    on_token: Callable[[str], None] | None,
    options: dict[str, Any],
) -> Reply:
    whole: BaseMessageChunk | None = None
    shown = 0
    async for chunk in chat.astream(list(messages), config={"tags": [_NO_STREAM]}, **options):
        whole = chunk if whole is None else whole + chunk
        if on_token is not None:
            draft = _OPENING.sub("", without_thinking(str(whole.text)))
            if len(draft) > shown:
                on_token(draft[shown:])
                shown = len(draft)
    if whole is None:
        return Reply(text="")
    metadata = dict(whole.response_metadata)
    reason = metadata.get("done_reason") or metadata.get("finish_reason") or metadata.get("stop_reason")
    if reason is None and chat._llm_type == "chat-ollama":
        raise _CutOff("The connection closed in the middle of the reply.")
    usage = whole.usage_metadata if isinstance(whole, AIMessageChunk) else None
    reply = Reply(
        text=without_thinking(str(whole.text)),
        cut=reason in _CUT_REASONS,
        input_tokens=usage["input_tokens"] if usage else None,
        output_tokens=usage["output_tokens"] if usage else None,
        metadata=metadata,
    )
    _check_context(chat, reply)
    return reply


def _check_context(chat: BaseChatModel, reply: Reply) -> None:
    """Ollama cuts a prompt that is too long at its start, without a word: the rules would be what is lost."""
    window = getattr(chat, "num_ctx", None)
    if isinstance(window, int) and reply.input_tokens is not None and reply.input_tokens >= window - 1:
        raise ContextOverflow(_overflow_sentence(chat))


def _kinds(error: BaseException) -> set[str]:
    """Class names of the error, its bases and what caused it: providers share names, not classes."""
    names: set[str] = set()
    seen: BaseException | None = error
    for _ in range(4):
        if seen is None:
            break
        names |= {kind.__name__ for kind in type(seen).__mro__}
        seen = seen.__cause__
    return names


def _status(error: BaseException) -> int | None:
    for holder in (error, getattr(error, "response", None)):
        for attribute in ("status_code", "code"):
            value = getattr(holder, attribute, None)
            if isinstance(value, int):
                return value
    return None


def _is_passing(error: BaseException) -> bool:
    """Whether another try may help: a lost connection, a cut stream, too many requests, a server's own fault."""
    status = _status(error)
    if status is not None and status > 0:
        return status == 429 or status >= 500
    if isinstance(error, _CutOff) or status == -1:  # -1: Ollama's error in the middle of a stream
        return not _OVERFLOW.search(str(error))
    kinds = _kinds(error)
    return bool(kinds & _CONNECTION) and ("ConnectTimeout" in kinds or not kinds & _TIMEOUTS)


def _unavailable(error: Exception, chat: BaseChatModel, limits: Limits) -> ModelUnavailable:
    name, kinds, status, said = name_of(chat), _kinds(error), _status(error), str(error)[:200]
    ollama = chat._llm_type == "chat-ollama"
    where = f" at {getattr(chat, 'base_url', None)}" if ollama and getattr(chat, "base_url", None) else ""
    if status == 404 or (ollama and "not found" in said):
        advice = f"run: ollama pull {name}" if ollama else "check the model's name."
        return ModelUnavailable(f"The model {name} is not there{where}; {advice}")
    if _OVERFLOW.search(said):
        return ContextOverflow(_overflow_sentence(chat))
    if isinstance(error, _CutOff):
        return ModelUnavailable(f"The model {name}{where} broke off in the middle of its reply; try again.")
    if status in (401, 403):
        return ModelUnavailable(f"The provider of {name} refused the key (HTTP {status}); check its API key.")
    if status == 429:
        return ModelUnavailable(f"The provider of {name} is over its request limit (HTTP 429); try again later.")
    if kinds & _TIMEOUTS and "ConnectTimeout" not in kinds:
        return ModelUnavailable(
            f"The model {name}{where} did not answer within {limits.timeout_s:g} seconds; raise the model timeout or use a "
            "smaller model."
        )
    if kinds & _CONNECTION:
        advice = "is Ollama running? Start it with: ollama serve" if ollama else "check the network."
        return ModelUnavailable(f"The model {name} can't be reached{where}; {advice}")
    return ModelUnavailable(f"The model {name}{where} failed: {type(error).__name__}: {said}")


def _overflow_sentence(chat: BaseChatModel) -> str:
    return (
        f"The prompt is longer than the context of {name_of(chat)}; lower the token budget or give the model a larger "
        "context."
    )
