"""A conversation outlives its process: the SQLite checkpointer stores every key of the state and loads it again."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from graph.resources import Resources
from graph.settings import Settings
from graph.workflow import build_graph

ROOT = Path(__file__).resolve().parents[2]
THREAD: Any = {"configurable": {"thread_id": "customer-7"}}
FIRST_PROCESS = """
import sys
from langgraph.checkpoint.sqlite import SqliteSaver
from graph.resources import Resources
from graph.settings import Settings
from graph.workflow import build_graph

with SqliteSaver.from_conn_string(sys.argv[2]) as saver:
    graph = build_graph(Resources(Settings(data=sys.argv[1])), saver)
    graph.invoke({"question": "Does the AX-204 support fast charging?"}, {"configurable": {"thread_id": "customer-7"}})
"""


async def test_a_thread_goes_on_in_another_process(kartly: Settings, resources: Resources, tmp_path: Path) -> None:
    file = str(tmp_path / "threads.sqlite")
    command = [sys.executable, "-c", FIRST_PROCESS, str(kartly.data), file]
    await asyncio.to_thread(subprocess.run, command, cwd=ROOT, check=True)
    async with AsyncSqliteSaver.from_conn_string(file) as saver:
        graph = build_graph(resources, saver)
        before = (await graph.aget_state(THREAD)).values
        assert before["context"] and before["candidates"]["ax-204-manual#2"].page_content
        follow_up = await graph.ainvoke({"question": "and the BX-900?"}, THREAD)
    assert follow_up["ranked"][0]["id"] == "bx-900-manual#2"
    assert len(follow_up["messages"]) == 4


def test_a_synchronous_checkpointer_serves_a_synchronous_host(resources: Resources, tmp_path: Path) -> None:
    with SqliteSaver.from_conn_string(str(tmp_path / "threads.sqlite")) as saver:
        graph = build_graph(resources, saver)
        graph.invoke({"question": "Does the AX-204 support fast charging?"}, THREAD)
        assert graph.invoke({"question": "and the BX-900?"}, THREAD)["ranked"][0]["id"] == "bx-900-manual#2"
