"""``expand_query``: more texts to search for, beside the original, which is always first and weighs most.

``multi_query`` asks in other words, ``decompose`` asks one question for each condition, ``hyde`` invents a passage that
would answer. Each is one model call; several run side by side. ``auto`` calls no model until a first retrieval was weak: then
the graph comes back here.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langgraph.runtime import Runtime

from knowledge.errors import ModelUnavailable
from nodes.asking import DEFAULT_LIMITS, Limits, ask
from nodes.context import Context, Defaults, resolve
from nodes.facts import codes_in
from nodes.prompts import fill
from nodes.quoting import quoted
from nodes.state import Query, QueryKind, State
from nodes.structured import read_list

PARAPHRASES = 3
SUB_QUESTIONS = 4
_AUTO = ("multi_query", "decompose")
_KINDS: dict[str, QueryKind] = {"multi_query": "paraphrase", "decompose": "sub_question", "hyde": "hyde"}
#: The say of an added query's lists beside the original's 1.0. A sub-question asks for a rule of its own; a paraphrase or an
#: invented passage may have drifted.
_WEIGHTS: dict[QueryKind, float] = {"paraphrase": 0.5, "sub_question": 0.7, "hyde": 0.5}
#: Two queries are near copies when this share of their words (Jaccard) is the same.
_NEAR_COPY = 0.85
_MAX_CHARACTERS = {"paraphrase": 300, "sub_question": 300, "hyde": 1200}


async def expand_query(
    state: State,
    runtime: Runtime[Context],
    *,
    chat: BaseChatModel | None,
    defaults: Defaults,
    limits: Limits = DEFAULT_LIMITS,
) -> dict[str, Any]:
    """``queries``: the original first. A model that fails or is not there leaves the original alone, with a warning."""
    question = state["standalone_question"]
    original = Query(text=question, kind="original", weight=1.0)
    wanted = resolve(runtime.context, defaults).expansion
    second_visit = bool(state.get("queries"))
    if wanted == ("auto",):
        wanted = _AUTO if second_visit else ()
    calls = state.get("model_calls", {})
    if second_visit:
        calls = {**calls, "expand": calls.get("expand", 0)}
    if not wanted:
        return {"queries": [original], "model_calls": calls}
    warnings = list(state.get("warnings", []))
    if chat is None:
        if not second_visit:
            warnings.append(f"No chat model: {', '.join(wanted)} was left out.")
        return {"queries": [original], "warnings": warnings, "model_calls": calls}
    runtime.stream_writer({"node": "expand_query", "event": "model_call", "expansions": list(wanted)})
    results = await asyncio.gather(*(_expansion(name, question, chat, limits) for name in wanted))
    queries = [original]
    for name, (texts, problem) in zip(wanted, results, strict=True):
        if problem:
            warnings.append(f"The question was not expanded by {name}: {problem}")
        kind = _KINDS[name]
        queries += [Query(text=text, kind=kind, weight=_WEIGHTS[kind]) for text in texts]
    return {
        "queries": without_near_copies(queries),
        "warnings": warnings,
        "model_calls": {**calls, "expand": calls.get("expand", 0) + len(wanted)},
    }


def without_near_copies(queries: Sequence[Query]) -> list[Query]:
    """The queries without those that say the same as an earlier one in the same words."""
    kept: list[Query] = []
    seen: list[frozenset[str]] = []
    for query in queries:
        words = frozenset(re.findall(r"\w+", query["text"].casefold()))
        if not words or any(len(words & other) / len(words | other) >= _NEAR_COPY for other in seen):
            continue
        kept.append(query)
        seen.append(words)
    return kept


async def _expansion(name: str, question: str, chat: BaseChatModel, limits: Limits) -> tuple[list[str], str | None]:
    """The texts of one expansion and, where it failed, why."""
    count = {"multi_query": PARAPHRASES, "decompose": SUB_QUESTIONS}.get(name, 1)
    try:
        reply = await ask(chat, fill(name, {"question": quoted(question), "count": str(count)}), limits=limits)
    except ModelUnavailable as error:
        return [], error.message
    kind = _KINDS[name]
    texts = [" ".join(reply.text.split())] if name == "hyde" else read_list(reply.text)
    allowed = codes_in(question)
    usable = [text[: _MAX_CHARACTERS[kind]] for text in texts if text and codes_in(text) <= allowed]
    return (usable[:count], None) if usable else ([], "the model's reply held no usable text.")
