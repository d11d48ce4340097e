"""Messages as they come into the graph, before any node runs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.graph import END, START, StateGraph

from knowledge.errors import BadQuestion
from nodes.state import ASK_KEYS, SEARCH_KEYS, Input, State, add_turns

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["role", "type", "content", "id", "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)

NO_MESSAGES: list[tuple[Any, str]] = [
    (7, "messages"),
    ({}, "messages"),
    (None, "messages"),
    ([None], "messages.0"),
    ([HumanMessage("May I?"), 7], "messages.1"),
    ([{"role": "wizard", "content": "May I?"}], "messages.0"),
    ([{"role": "user"}], "messages.0"),
    ([{"role": "user", "content": 7}], "messages.0"),
    ([{"role": "user", "content": [7]}], "messages.0"),
    ([{"role": "tool", "content": "a tool call without its id"}], "messages.0"),
    ([{"type": "remove", "id": "never there", "content": ""}], "messages"),
]


@pytest.mark.parametrize(("given", "field"), NO_MESSAGES)
async def test_a_graph_says_what_is_no_message(given: Any, field: str) -> None:
    graph = StateGraph(State, input_schema=Input).add_node("answer", lambda state: {"answer": "yes"})
    compiled = graph.add_edge(START, "answer").add_edge("answer", END).compile()

    with pytest.raises(BadQuestion, match="send a list such as") as raised:
        await compiled.ainvoke({"messages": given})
    assert raised.value.field == field


def test_messages_are_added_as_langgraph_adds_them() -> None:
    held: list[AnyMessage] = add_turns([], [{"role": "user", "content": "May I?"}])
    added = add_turns(held, AIMessage("You may."))

    assert [message.type for message in added] == ["human", "ai"]
    assert add_turns(added, [HumanMessage("Must I?", id=held[0].id)])[0].text == "Must I?", "one id, one message"


@given(JSON)
def test_whatever_comes_is_read_or_told(given: Any) -> None:
    try:
        assert isinstance(add_turns([], given), list)
    except BadQuestion as error:
        assert error.field is not None and error.field.startswith("messages")


def test_the_answer_comes_before_the_lists() -> None:
    assert set(SEARCH_KEYS) < set(ASK_KEYS)
    assert ASK_KEYS[:5] == ("question", "answer", "refused", "refusal_reason", "citations")
    assert ASK_KEYS[-1] == SEARCH_KEYS[-1] == "lists"
