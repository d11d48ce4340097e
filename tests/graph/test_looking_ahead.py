"""What needs no vector is found while the embedding model reads, and changes nothing of what is found."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import pytest

from graph.resources import Resources
from graph.workflow import build_graph
from knowledge.index.edge import EdgeIndex
from knowledge.index.port import Ahead

QUESTIONS = (
    "Can I return my damaged headphones after 10 days?",
    "Does the AX-204 charge fast?",
    "What does P0999 mean?",
    "the of and",
    "Колко плаща работодателят за болничен?",
)


async def test_the_keyword_lists_are_found_before_the_vectors_come(
    resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked, look, embed = threading.Event(), EdgeIndex.look_ahead, resources.embedding.embed_queries

    def after_the_look(texts: Sequence[str]) -> list[list[float]]:
        assert looked.wait(timeout=30)
        return embed(texts)

    async def told(self: EdgeIndex, *asked: Any, **more: Any) -> Any:
        found = await look(self, *asked, **more)
        looked.set()
        return found

    monkeypatch.setattr(EdgeIndex, "look_ahead", told)
    monkeypatch.setattr(resources.embedding, "embed_queries", after_the_look)
    state = await build_graph(resources, answer=False).ainvoke({"question": QUESTIONS[0]}, output_keys=["ranked"])

    assert state["ranked"]


@pytest.mark.parametrize("question", QUESTIONS)
async def test_what_is_found_does_not_hang_on_it(
    question: str, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nothing(self: EdgeIndex, *asked: Any, **more: Any) -> Ahead:
        return Ahead()

    graph, keys = build_graph(resources, answer=False), ["lists", "signals", "ranked", "evidence", "context"]
    ahead = await graph.ainvoke({"question": question}, output_keys=keys)
    monkeypatch.setattr(EdgeIndex, "look_ahead", nothing)

    assert await graph.ainvoke({"question": question}, output_keys=keys) == ahead
