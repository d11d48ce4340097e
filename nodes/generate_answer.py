"""``generate_answer``: a draft from the labelled passages alone. Nothing leaves before ``check_faithfulness`` has read it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel
from langgraph.runtime import Runtime

from nodes.answering import first_draft, messages_for, says_not_there, tidied, whole_sentences, without_remarks
from nodes.asking import DEFAULT_LIMITS, ContextOverflow, Limits, Reply, ask, name_of
from nodes.context import Context
from nodes.state import Passage, State

Extract = Callable[[State], Awaitable[str]]
EXTRACTIVE = "extractive"


async def generate_answer(
    state: State,
    runtime: Runtime[Context],
    *,
    chat: BaseChatModel | None,
    extract: Extract,
    limits: Limits = DEFAULT_LIMITS,
) -> dict[str, Any]:
    """The draft and the model's name; without a chat model ``extract`` writes it.

    With ``findings`` in the state it is the repair round. A model that says that the answer is not there sets ``refusal_reason``.
    Raises ``ModelUnavailable``; the state keeps what was retrieved, so that another try begins here.
    """
    if chat is None:
        draft = await extract(state)
        reason = None if draft.strip() else "not_in_documents"
        return {"draft": draft, "model": EXTRACTIVE, "refusal_reason": reason}
    repairing = bool(state.get("findings"))
    runtime.stream_writer({"node": "generate_answer", "event": "repair" if repairing else "model_call"})
    reply, passages, calls = await _ask_within_context(state, runtime, chat, limits)
    warnings = list(state.get("warnings", []))
    if len(passages) < len(state["context"]):
        warnings.append(f"The model's context holds only {len(passages)} of {len(state['context'])} passages.")
    text = reply.text
    if reply.cut:
        warnings.append("The answer reached the model's length limit and was cut at a sentence end.")
        text = whole_sentences(text)
    made = state.get("model_calls", {})
    out: dict[str, Any] = {
        "draft": text,
        "model": name_of(chat),
        "model_calls": {**made, "answer": made.get("answer", 0) + calls},
        "chunk_ids": [passage["id"] for passage in passages],
        "warnings": list(dict.fromkeys(warnings)),  # a repair round may meet the same limit again
        "refusal_reason": None,
    }
    if repairing and (not text.strip() or says_not_there(text)):
        return {**out, "draft": first_draft(state["findings"])}  # the check drops what fails and keeps what stands
    if not text.strip():
        out["warnings"] = [*dict.fromkeys(warnings), "The model gave an empty answer."]
        return {**out, "refusal_reason": "unsupported_answer"}
    if says_not_there(text):
        return {**out, "draft": "", "refusal_reason": "not_in_documents"}
    return {**out, "draft": tidied(without_remarks(text), passages)}


def after_generate(state: State) -> Literal["check_faithfulness", "refuse"]:
    """A draft is checked; without one the desk refuses."""
    return "refuse" if state.get("refusal_reason") else "check_faithfulness"


async def _ask_within_context(
    state: State, runtime: Runtime[Context], chat: BaseChatModel, limits: Limits
) -> tuple[Reply, Sequence[Passage], int]:
    """The reply, the passages that went into the prompt, and the calls made: where they overflow, the lower half goes."""
    passages: Sequence[Passage] = state["context"]
    calls = 0

    def show(token: str) -> None:
        runtime.stream_writer({"node": "generate_answer", "event": "draft", "token": token})

    while True:
        messages = messages_for(
            state["standalone_question"],
            passages,
            draft=state.get("draft", ""),
            findings=state.get("findings", []),
        )
        calls += 1
        try:
            return await ask(chat, messages, limits=limits, on_token=show), passages, calls
        except ContextOverflow:
            if len(passages) <= 1:
                raise
            passages = passages[: len(passages) // 2]
