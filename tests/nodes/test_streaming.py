"""What a front end sees while an answer is written: drafts as custom events, checked text as messages, nothing else."""

from __future__ import annotations

from functools import partial
from typing import Any

from langgraph.graph import END, START, StateGraph

from graph.models import open_chat
from nodes.check_faithfulness import after_check, check_faithfulness
from nodes.context import Context
from nodes.generate_answer import after_generate, generate_answer
from nodes.refuse import refuse
from nodes.state import Input, Output, State
from tests.fakes.ollama import FakeOllama
from tests.nodes.kartly_passages import damaged_headphones, hashed
from tests.nodes.runs import no_extract

WRONG = "Electronics can be returned within 70 days of delivery [S2]."
RIGHT = "Electronics can be returned within 7 days of delivery [S2]."


async def streamed(*replies: str) -> tuple[list[dict[str, Any]], list[str]]:
    """The custom events and the texts of the messages of a run of the last nodes."""
    with FakeOllama(replies) as server:
        chat = open_chat("ollama:llama3.1:8b", ollama_host=server.url)
        graph = StateGraph(State, context_schema=Context, input_schema=State, output_schema=Output)
        graph.add_node("generate_answer", partial(generate_answer, chat=chat, extract=no_extract))
        graph.add_node("check_faithfulness", partial(check_faithfulness, judge=None, embed=hashed))
        graph.add_node("refuse", refuse)
        graph.add_edge(START, "generate_answer")
        graph.add_conditional_edges("generate_answer", after_generate, ["check_faithfulness", "refuse"])
        graph.add_conditional_edges("check_faithfulness", after_check, ["generate_answer", "refuse", END])
        state: Any = {"standalone_question": "How long?", "context": damaged_headphones(), "language": "en"}
        events, texts = [], []
        async for mode, part in graph.compile().astream(state, stream_mode=["custom", "messages"]):
            if mode == "custom":
                events.append(part)
            else:
                texts.append(part[0].text)
    return events, texts


async def test_an_unchecked_draft_is_no_message() -> None:
    events, texts = await streamed(WRONG, RIGHT)
    assert texts == ["Electronics can be returned within 7 days of delivery. [S1]"]
    drafts = "".join(event["token"] for event in events if event["event"] == "draft")
    assert drafts == WRONG + RIGHT
    assert [event["event"] for event in events if event["event"] != "draft"] == [
        "model_call",
        "checked",
        "repair",
        "checked",
    ]


async def test_a_refusal_is_the_only_message_of_an_answer_that_stays_wrong() -> None:
    _, texts = await streamed(WRONG)
    assert texts == ["I can't give an answer that your documents support."]


def test_the_nodes_take_what_the_graph_takes() -> None:
    assert set(Input.__annotations__) <= set(State.__annotations__)
