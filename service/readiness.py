"""Whether the service can answer: the index opens, the embedding model encodes, the chat model's server has the model."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import httpx
from langchain_core.language_models import BaseChatModel

from graph.resources import Resources
from knowledge.errors import PolicyDeskError
from service.errors import body_of

OK = "ok"
#: Of a chat model: there is none, and answers are quoted; or its provider is met with the first question: asking costs money.
NONE, NOT_ASKED = "none", "not asked"
READY = frozenset({OK, NONE, NOT_ASKED})

KEPT_SECONDS = 10.0
PROBE_SECONDS = 5.0


@dataclass(kw_only=True)
class Readiness:
    """The checks, remembered for ten seconds, so that a probe a second costs nothing."""

    resources: Resources
    _at: float = field(default=-KEPT_SECONDS)
    _checks: dict[str, str] = field(default_factory=dict)

    async def checks(self) -> dict[str, str]:
        """For ``index``, ``embedding`` and ``chat_model`` one of ``READY``, or a sentence. None names a tenant or a document."""
        now = time.monotonic()
        if now - self._at >= KEPT_SECONDS:
            self._checks = {
                "index": await _told(self.resources.open_index),
                "embedding": await _told(lambda: self.resources.embed_queries(["ready"])),
                "chat_model": await _told(self._chat),
            }
            self._at = now
        return self._checks

    async def _chat(self) -> str:
        named = (self.resources.chat, self.resources.small_chat, self.resources.judge)
        models = [model for model in named if model is not None]
        asked = [model for model in models if model._llm_type == "chat-ollama"]
        for model in asked:
            await _probe_ollama(model)
        return (OK if asked else NOT_ASKED) if models else NONE


async def _told(check: Any) -> str:
    try:
        told = await check()
    except PolicyDeskError as error:
        return str(body_of(error)["error"]["message"])
    except httpx.HTTPError:
        return "Ollama does not answer; start it with: ollama serve"
    return told if isinstance(told, str) else OK


async def _probe_ollama(chat: BaseChatModel) -> None:
    """Ask Ollama what it holds; that costs no tokens. Other providers are met with the first question."""
    from knowledge.errors import ModelUnavailable

    base, name = str(getattr(chat, "base_url", "") or "http://127.0.0.1:11434"), str(getattr(chat, "model", ""))
    async with httpx.AsyncClient(timeout=PROBE_SECONDS) as client:
        response = await client.get(f"{base.rstrip('/')}/api/tags")
        response.raise_for_status()
    try:
        held = {str(model.get("name") or model.get("model")) for model in response.json()["models"]}
    except (ValueError, LookupError, TypeError, AttributeError):
        raise ModelUnavailable("What answers there is not Ollama; check OLLAMA_HOST.") from None
    if name not in held and f"{name}:latest" not in held:
        raise ModelUnavailable(f"Ollama does not have the model {name}; run: ollama pull {name}")
