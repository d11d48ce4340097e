"""``rewrite_query``: one stand-alone question from the last message and the conversation before it.

It is the first node: it also sets every key of the last question afresh, so that a thread's next turn starts clean. A rewrite
that loses a code, a number or a quoted word of the original, or brings in one that nobody said, is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.runtime import Runtime

from knowledge.errors import ModelUnavailable
from knowledge.languages import detect_language
from nodes.asking import DEFAULT_LIMITS, Limits, ask
from nodes.context import MAX_QUESTION_CHARACTERS, Context, check_question
from nodes.facts import codes_in, kept_words, numbers_in, quotations_in
from nodes.prompts import fill
from nodes.quoting import quoted
from nodes.state import State
from nodes.structured import read_line

_HISTORY_MESSAGES = 6
_HISTORY_CHARACTERS = 600
#: The share of a rewrite's words that the conversation must hold: a rewrite names things again, it does not invent.
_OWN_WORDS = 0.5

_FOLLOW_UP = re.compile(
    r"^\W*(?:and|what about|how about|or|but|also|then|same for|а|ами|и|или|und|oder|et|y)\b|"
    r"\b(?:it|its|they|them|that|this|those|these|one|ones|there|той|тя|то|те|това|този|тази|тези)\b",
    re.IGNORECASE,
)
_FOLLOW_UP_WORDS = 8
#: A question that names nothing asks of what was asked before: "By when?", "Within what time?", "How do I apply?".
_NAMELESS = re.compile(
    r"^\W*(?:(?:by|until|since|from|for|within|in|at|on|to) )?(?:when|where|why|how|who|whom|which|what)"
    r"(?: (?:long|soon|much|many|often|time|else|date|day|deadline|cost|price|form|way|is|are|the|does|do|did|can|may|must"
    r"|should|will|i|we|you|he|she|apply|pay|start|begin|get|ask|cost|costs|by|for|to))*\W*$",
    re.IGNORECASE,
)


async def rewrite_query(
    state: State,
    runtime: Runtime[Context],
    *,
    chat: BaseChatModel | None,
    limits: Limits = DEFAULT_LIMITS,
    max_characters: int = MAX_QUESTION_CHARACTERS,
) -> dict[str, Any]:
    """The question, stand-alone, and a clean slate. Raises ``BadQuestion`` for an empty or over-long question.

    The question is the last human message not answered yet, else ``state["question"]``. Without history no model is called;
    without a model a short follow-up takes its words from the question before it.
    """
    given, history, from_messages = _question_of(state)
    question = check_question(given, limit=max_characters)
    out = _clean_slate(state, question, from_messages=from_messages)
    if not history:
        return out
    if chat is None:
        before = _question_before(state, history)
        return {**out, "standalone_question": follow_up(before, question) if before else question}
    runtime.stream_writer({"node": "rewrite_query", "event": "model_call"})
    out["model_calls"] = {"rewrite": 1}
    shown = "\n".join(f"{_speaker(message)}: {_shortened(message.text)}" for message in history[-_HISTORY_MESSAGES:])
    try:
        reply = await ask(
            chat, fill("rewrite", {"history": quoted(shown), "question": quoted(question)}), limits=limits
        )
    except ModelUnavailable as error:
        return {**out, "warnings": [f"The question was not rewritten: {error.message}"]}
    rewrite = read_line(reply.text)
    problem = why_dropped(question, rewrite, " ".join(message.text for message in history))
    if problem:
        return {**out, "warnings": [f"The rewritten question was dropped: {problem}."]}
    return {**out, "standalone_question": rewrite}


def why_dropped(question: str, rewrite: str, history: str) -> str | None:
    """Why a rewrite can't stand for the question, or ``None`` when it can."""
    if not rewrite or not any(map(str.isalnum, rewrite)):
        return "it was empty"
    if len(rewrite) > MAX_QUESTION_CHARACTERS or len(rewrite) > 4 * len(question) + 300:
        return "it was too long"
    for kind, found in (("the code", codes_in), ("the number", numbers_in), ("the quoted", quotations_in)):
        before, after = found(question), found(rewrite)
        for item in sorted(before - after):
            return f"it lost {kind} {item}"
        for item in sorted(after - before - found(history)):
            return f"it brought in {kind} {item}"
    words, known = kept_words(rewrite), kept_words(question) | kept_words(history)
    if words and len(words & known) / len(words) < _OWN_WORDS:
        return "it speaks of something else"
    return None


def follow_up(before: str, question: str) -> str:
    """A stand-alone text for a short follow-up, from the question before it.

    "and for BX-900?" after a question on AX-204 asks the same of BX-900; another short one is read together with the question
    before it, which is good enough to search with. A full question stays as it is.
    """
    leans = _FOLLOW_UP.search(question) or _NAMELESS.match(question)
    if len(question.split()) > _FOLLOW_UP_WORDS or not leans:
        return question
    new, old = _written_codes(question), _written_codes(before)
    content = kept_words(question) - {word.casefold() for code in new for word in code.split()}
    if len(new) == 1 and len(old) == 1 and len(content) <= 1:
        return before.replace(old[0], new[0])
    joined = f"{before.rstrip()} {question}"
    return joined if len(joined) <= MAX_QUESTION_CHARACTERS else question


def _written_codes(text: str) -> list[str]:
    return [word for word in re.findall(r"[\w–-]*\d[\w–-]*|\w+[–-]\w+", text) if codes_in(word)]


def _question_of(state: State) -> tuple[str, list[AnyMessage], bool]:
    """The question, the messages before it, and whether it came as a message."""
    messages = list(state.get("messages", []))
    seen = state.get("messages_seen", 0)
    for at in range(len(messages) - 1, seen - 1, -1):
        if isinstance(messages[at], HumanMessage):
            return messages[at].text, messages[:at], True
        if isinstance(messages[at], AIMessage):
            break
    return state.get("question", ""), messages, False


def _question_before(state: State, history: Sequence[AnyMessage]) -> str:
    """The last question of the conversation, as it was searched for where this thread knows it."""
    asked = [message.text.strip() for message in history if isinstance(message, HumanMessage)]
    if asked and asked[-1] == state.get("question") and state.get("standalone_question"):
        return state["standalone_question"]
    return asked[-1] if asked else ""


def _clean_slate(state: State, question: str, *, from_messages: bool) -> dict[str, Any]:
    """Every per-question key at its beginning. ``messages_seen`` counts this question, so that it is not answered twice."""
    messages = state.get("messages", [])
    added = {} if from_messages else {"messages": [HumanMessage(question)]}
    return {
        **added,
        "messages_seen": len(messages) + (0 if from_messages else 1),
        "question": question,
        "standalone_question": question,
        "language": detect_language(question),
        "queries": [],
        "identifiers": [],
        "missing_identifiers": [],
        "near_identifiers": {},
        "lists": [],
        "candidates": {},
        "parents": {},
        "signals": {},
        "sent_on": [],
        "term_idf": {},
        "fused": [],
        "reranked": False,
        "reranker": "none",
        "ranked": [],
        "evidence": 0.0,
        "threshold": 0.0,
        "context": [],
        "expand_again": False,
        "refused": False,
        "refusal_reason": None,
        "answer": "",
        "draft": "",
        "findings": [],
        "repairs": 0,
        "citations": [],
        "verdict": {"faithful": False, "sentences": []},
        "chunk_ids": [],
        "notices": [],
        "model": "",
        "model_calls": {},
        "warnings": [],
    }


def _speaker(message: AnyMessage) -> str:
    return "user" if isinstance(message, HumanMessage) else "assistant"


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _HISTORY_CHARACTERS else text[:_HISTORY_CHARACTERS] + " …"
