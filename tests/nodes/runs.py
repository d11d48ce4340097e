"""Running single nodes without a graph: a runtime that keeps its events, and the loop of answer, check and refusal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from langchain_core.language_models import BaseChatModel
from langgraph.runtime import Runtime

from nodes.asking import Limits
from nodes.check_faithfulness import after_check, check_faithfulness
from nodes.context import Context
from nodes.generate_answer import after_generate, generate_answer
from nodes.refuse import refuse
from nodes.rewrite_query import rewrite_query
from nodes.state import Passage, State
from tests.nodes.kartly_passages import hashed

FAST = Limits(timeout_s=5, attempts=2, backoff_s=0.01)


def runtime(events: list[dict[str, Any]] | None = None, context: Context | None = None) -> Runtime[Context]:
    kept = events if events is not None else []
    return Runtime(context=cast(Context, context), stream_writer=kept.append)


async def no_extract(state: State) -> str:
    raise AssertionError("the extractive writer was asked")


async def answered(
    question: str,
    passages: Sequence[Passage],
    chat: BaseChatModel | None,
    *,
    judge: BaseChatModel | None = None,
    events: list[dict[str, Any]] | None = None,
    extract: Any = no_extract,
) -> State:
    """The state at the end of generate, check, repair and refuse, as the graph routes them."""
    run = runtime(events)
    state: dict[str, Any] = {"question": question}
    state |= await rewrite_query(cast(State, state), run, chat=None)
    state["context"] = list(passages)
    at = "generate_answer"
    for _ in range(8):
        here = cast(State, state)
        if at == "generate_answer":
            state |= await generate_answer(here, run, chat=chat, extract=extract, limits=FAST)
            at = after_generate(cast(State, state))
        elif at == "check_faithfulness":
            state |= await check_faithfulness(here, run, judge=judge, embed=hashed, limits=FAST)
            at = after_check(cast(State, state))
        elif at == "refuse":
            state |= await refuse(here, run)
            at = "__end__"
        else:
            return cast(State, state)
    raise AssertionError("the nodes did not come to an end")
