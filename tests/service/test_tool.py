"""The desk in an agent's hands."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.tools import BaseTool

from knowledge.errors import BadQuestion, ModelUnavailable
from nodes.context import Context
from service.retriever import as_tool
from tests.service.fakes import MINE, FakeDesk


@pytest.fixture
def tool(fake: FakeDesk, monkeypatch: pytest.MonkeyPatch) -> BaseTool:
    monkeypatch.setattr("service.retriever.build_graph", lambda resources, **_: fake.desk.answering)
    return as_tool(fake.resources, context=Context(tenant=MINE))


def fails(error: Exception) -> Any:
    def hook(state: Any) -> None:
        raise error

    return hook


def called(tool: BaseTool) -> dict[str, Any]:
    return {"type": "tool_call", "id": "1", "name": tool.name, "args": {"question": "items"}}


async def test_an_agent_is_told_what_is_wrong_with_its_question(tool: BaseTool, fake: FakeDesk) -> None:
    fake.hook = fails(BadQuestion("The question is empty: ask something.", field="question"))

    for said in (tool.invoke(called(tool)), await tool.ainvoke(called(tool))):
        assert (said.status, said.content) == ("error", "The question is empty: ask something.")
    fake.hook = None
    assert tool.invoke(called(tool)).status == "success"


@pytest.mark.parametrize(
    "error", [BadQuestion("Unknown category 'x'.", field="category"), ModelUnavailable("The model is down.")], ids=str
)
async def test_what_an_agent_can_not_mend_is_raised(tool: BaseTool, fake: FakeDesk, error: Exception) -> None:
    fake.hook = fails(error)

    with pytest.raises(type(error)):
        await tool.ainvoke(called(tool))
