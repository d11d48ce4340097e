"""A run that nobody watches goes straight through the nodes, and nobody can tell."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.globals import set_debug
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import EmptyInputError
from langgraph.graph import END, START, StateGraph
from langgraph.pregel import Pregel

from graph.resources import Resources
from graph.straight import PolicyGraph, steps_of
from graph.workflow import build_graph
from knowledge.errors import BadQuestion, IndexUnavailable
from nodes.context import Context
from nodes.state import Input, Output, State
from tests.graph.scripted import Scripted

DEMO = "Can I return my damaged headphones after 10 days?"
#: LangGraph's own run.
stepwise: Any = Pregel.ainvoke
INPUTS: list[dict[str, Any]] = [
    {"question": DEMO},
    {"question": "Who won the IPL in 2024?"},
    {"question": "Is the ZX-999 waterproof?"},
    {"question": "Does the AX-204 support fast charging?", "unknown": "key"},
    {"messages": [{"role": "user", "content": "How long do refunds take?"}]},
    {
        "messages": [
            HumanMessage("Does the AX-204 support fast charging?"),
            AIMessage("No. [S1]"),
            HumanMessage("and for BX-900?"),
        ]
    },
]


class Ways:
    """Which way each run took."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.taken: list[str] = []
        straight: Any = PolicyGraph._straight

        async def noted(graph: Any, *given: Any, **options: Any) -> Any:
            self.taken.append("straight")
            return await straight(graph, *given, **options)

        async def noted_too(graph: Any, *given: Any, **options: Any) -> Any:
            self.taken.append("LangGraph")
            return await stepwise(graph, *given, **options)

        monkeypatch.setattr(PolicyGraph, "_straight", noted)
        monkeypatch.setattr(Pregel, "ainvoke", noted_too)


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> Ways:
    return Ways(monkeypatch)


def plain(result: dict[str, Any]) -> dict[str, Any]:
    """Without what differs from run to run: times, and the ids that messages are given."""
    said = [(message.type, message.text) for message in result["messages"]]
    return {**result, "timings_ms": list(result["timings_ms"]), "messages": said}


@pytest.mark.parametrize("given", INPUTS)
@pytest.mark.parametrize("answer", [True, False])
async def test_the_result_is_that_of_langgraph(resources: Resources, given: dict[str, Any], answer: bool) -> None:
    graph: Any = build_graph(resources, answer=answer)
    for options in ({}, {"context": Context(top_k=2)}, {"context": {"category": "electronics"}}):
        ours = await graph.ainvoke(given, **options)
        theirs = await stepwise(graph, given, **options)
        assert plain(ours) == plain(theirs) and list(ours) == list(theirs)


async def test_so_it_is_over_rounds_of_repair(kartly: Any, resources: Resources) -> None:
    for answers in (["Nine weeks [S1].", "Within 7 days of delivery [S1]."], ["Nine weeks [S1]."], ["I don't know."]):
        results = []
        for run in (PolicyGraph.ainvoke, stepwise):
            chat = Scripted(answers=answers)
            graph: Any = build_graph(Resources(kartly, embedding=resources.embedding, chat=chat))
            results.append(plain(await run(graph, {"question": DEMO})))
        assert results[0] == results[1]


async def test_a_plain_run_goes_straight(resources: Resources, ways: Ways) -> None:
    graph: Any = build_graph(resources)
    await graph.ainvoke({"question": DEMO})
    await asyncio.to_thread(graph.invoke, {"question": DEMO})
    await graph.abatch([{"question": DEMO}] * 2)
    await graph.with_config(tags=["a"]).ainvoke({"question": DEMO})
    await graph.ainvoke({"question": DEMO}, output_keys=["signals", "candidates"])
    assert ways.taken == ["straight"] * 6


async def test_output_keys_reach_into_the_state(resources: Resources) -> None:
    graph: Any = build_graph(resources, answer=False)
    for keys in (["signals", "ranked"], "term_idf", list(State.__annotations__)):
        ours = await graph.ainvoke({"question": DEMO}, output_keys=keys)
        theirs = await stepwise(graph, {"question": DEMO}, output_keys=keys)
        assert type(ours) is type(theirs) and ours.keys() == theirs.keys()


async def test_whatever_is_watched_stored_or_stopped_is_run_by_langgraph(resources: Resources, ways: Ways) -> None:
    graph: Any = build_graph(resources)
    asked: dict[str, Any] = {"question": DEMO}
    seen: list[str] = []

    class Watcher(AsyncCallbackHandler):
        async def on_chain_start(self, serialized: Any, inputs: Any, *, name: str = "", **rest: Any) -> None:
            seen.append(name)

    await graph.ainvoke(asked, {"callbacks": [Watcher()]})
    assert "check_faithfulness" in seen
    seen.clear()
    await RunnableLambda(graph.ainvoke).ainvoke(asked, {"callbacks": [Watcher()]})  # the watcher stands around it
    assert "check_faithfulness" in seen
    await graph.with_config(callbacks=[Watcher()]).ainvoke(asked)
    stored: Any = build_graph(resources, InMemorySaver())
    await stored.ainvoke(asked, {"configurable": {"thread_id": "1"}})
    await graph.ainvoke(asked, stream_mode="updates")
    await graph.ainvoke(asked, interrupt_before=["generate_answer"])
    await graph.ainvoke(asked, {"configurable": {"anything": 1}})
    assert ways.taken == ["LangGraph"] * 7


async def test_inside_another_graph_it_is_run_by_langgraph(resources: Resources, ways: Ways) -> None:
    inner = build_graph(resources)
    outer: Any = StateGraph(State)
    outer.add_node("desk", inner)
    outer.add_edge(START, "desk")
    outer.add_edge("desk", END)
    whole = outer.compile(checkpointer=InMemorySaver())
    events = [
        part
        async for part in whole.astream(
            {"question": DEMO}, {"configurable": {"thread_id": "1"}}, stream_mode="updates", subgraphs=True
        )
    ]
    assert any("check_faithfulness" in update for _, update in events)
    assert "straight" not in ways.taken


async def test_a_handler_that_langchain_adds_itself_counts_as_watching(resources: Resources, ways: Ways) -> None:
    graph: Any = build_graph(resources, answer=False)
    set_debug(True)
    try:
        await graph.ainvoke({"question": DEMO})
    finally:
        set_debug(False)
    assert ways.taken == ["LangGraph"]


@pytest.mark.parametrize(
    ("given", "error"), [({}, BadQuestion), ({"text": "no question"}, BadQuestion), (None, EmptyInputError)]
)
async def test_what_is_no_question_is_told(resources: Resources, given: Any, error: type[Exception]) -> None:
    for run in (PolicyGraph.ainvoke, stepwise):
        with pytest.raises(error):
            graph: Any = build_graph(resources)
            await run(graph, given)


async def test_errors_come_out_as_they_are(resources: Resources) -> None:
    graph: Any = build_graph(resources)
    with pytest.raises(BadQuestion):
        await graph.ainvoke({"question": " "})
    with pytest.raises(BadQuestion, match="Unknown option"):
        await graph.ainvoke({"question": DEMO}, context={"nonsense": 1})
    with pytest.raises(BadQuestion, match="messages"):
        await graph.ainvoke({"messages": [{"no": "message"}]})


async def test_a_store_that_fails_once_is_asked_again(resources: Resources, monkeypatch: pytest.MonkeyPatch) -> None:
    opened, failures = resources.open_index, [IndexUnavailable("gone"), IndexUnavailable("gone")]

    async def open_index() -> Any:
        if failures:
            raise failures.pop()
        return await opened()

    monkeypatch.setattr(resources, "open_index", open_index)
    assert (await build_graph(resources).ainvoke({"question": DEMO}))["answer"]


async def test_a_cancelled_run_stops(kartly: Any, resources: Resources, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, stopped = asyncio.Event(), []

    async def open_index() -> Any:
        begun.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            stopped.append(True)
            raise

    monkeypatch.setattr(resources, "open_index", open_index)
    running = asyncio.create_task(build_graph(resources).ainvoke({"question": DEMO}))
    await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert stopped == [True]


def test_a_graph_that_forks_is_not_taken_for_a_straight_one() -> None:
    async def node(state: State) -> dict[str, Any]:
        return {}

    builder = StateGraph(State, context_schema=Context, input_schema=Input, output_schema=Output)
    for name in ("a", "b", "c"):
        builder.add_node(name, node)
    builder.add_edge("a", "b")
    builder.add_edge("a", "c")
    with pytest.raises(ValueError, match="'a' has 2 ways on"):
        steps_of(builder)
