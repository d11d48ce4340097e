"""What runs, in what order: the whole graph on one screen."""

from __future__ import annotations

from functools import partial
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import RetryPolicy

from graph.resources import Resources
from graph.straight import PolicyGraph
from graph.timing import Node, route, timed
from knowledge.errors import IndexUnavailable
from nodes.asking import Limits
from nodes.check_faithfulness import after_check, check_faithfulness
from nodes.context import Context
from nodes.expand_query import expand_query
from nodes.fit_context import after_fit, fit_context
from nodes.fuse import fuse
from nodes.generate_answer import after_generate, generate_answer
from nodes.refuse import refuse
from nodes.rerank import rerank
from nodes.retrieve import retrieve
from nodes.rewrite_query import rewrite_query
from nodes.state import Input, Output, State

Graph = CompiledStateGraph[State, Context, Input, Output]

_STORE_RETRY = RetryPolicy(max_attempts=3, initial_interval=0.2, retry_on=IndexUnavailable)


def build_graph(
    resources: Resources, checkpointer: BaseCheckpointSaver[Any] | None = None, *, answer: bool = True
) -> Graph:
    """The compiled graph. With ``answer=False`` it ends with the fitted context: retrieval alone, no answer model.

    Takes ``{"question": …}`` or ``{"messages": […]}`` and per-question options as ``context``.
    """
    r = resources
    defaults = r.settings.defaults()
    limits = Limits(timeout_s=r.settings.model_timeout)
    graph = StateGraph(State, context_schema=Context, input_schema=Input, output_schema=Output)

    def add(name: str, node: Node, *, retry: RetryPolicy | None = None) -> None:
        graph.add_node(name, timed(name, node, first=name == "rewrite_query"), retry_policy=retry)

    add(
        "rewrite_query",
        partial(rewrite_query, chat=r.small_chat, limits=limits, max_characters=defaults.max_question_characters),
    )
    add("expand_query", partial(expand_query, chat=r.small_chat, defaults=defaults, limits=limits))
    add(
        "retrieve",
        partial(
            retrieve,
            open_index=r.open_index,
            begin_queries=r.begin_queries,
            known_languages=r.known_languages,
            defaults=defaults,
        ),
        retry=_STORE_RETRY,
    )
    add("fuse", fuse)
    add(
        "rerank",
        partial(
            rerank,
            open_reranker=r.open_reranker,
            chat=r.small_chat,
            known_languages=r.known_languages,
            read_unrelated=r.unrelated,
            read_threshold=r.threshold,
            defaults=defaults,
            limits=limits,
        ),
    )
    add("fit_context", partial(fit_context, count_tokens=r.count_tokens, defaults=defaults))
    add("refuse", refuse)

    graph.add_edge(START, "rewrite_query")
    graph.add_edge("rewrite_query", "expand_query")
    graph.add_edge("expand_query", "retrieve")
    graph.add_edge("retrieve", "fuse")
    graph.add_edge("fuse", "rerank")
    graph.add_edge("rerank", "fit_context")
    graph.add_edge("refuse", END)
    if not answer:
        graph.add_conditional_edges(
            "fit_context",
            route(after_fit),
            {"expand_query": "expand_query", "refuse": "refuse", "generate_answer": END},
        )
        return PolicyGraph.over(graph.compile(checkpointer=checkpointer, name="policydesk-search"))

    add("generate_answer", partial(generate_answer, chat=r.chat, extract=r.extract, limits=limits))
    add("check_faithfulness", partial(check_faithfulness, judge=r.judge, embed=r.embed_sentences, limits=limits))
    graph.add_conditional_edges("fit_context", route(after_fit), ["expand_query", "refuse", "generate_answer"])
    graph.add_conditional_edges("generate_answer", route(after_generate), ["check_faithfulness", "refuse"])
    graph.add_conditional_edges("check_faithfulness", route(after_check), ["generate_answer", "refuse", END])
    return PolicyGraph.over(graph.compile(checkpointer=checkpointer, name="policydesk"))
