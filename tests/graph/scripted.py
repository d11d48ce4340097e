"""A chat model that says what it is told to, and counts how often it was asked."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field


class Scripted(BaseChatModel):
    """Answers in turn; the last one again and again. ``seen`` holds the prompts."""

    answers: list[str]
    seen: list[list[BaseMessage]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        text = self.answers[min(len(self.seen), len(self.answers) - 1)]
        self.seen.append(messages)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(text))])
