"""A graph and an index small enough to read at a glance: documents of two tenants, found by shared words under the scope."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from langchain_core.documents import Document
from langchain_core.messages import AIMessage
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from graph.settings import Settings
from knowledge.scope import Scope
from nodes.context import Context, resolve
from nodes.state import Input, Output, State
from service.desk import Desk

MINE, OTHERS = "acme", "zeta"
SECRET = "zirconium"  # a word that only the other tenant's documents hold

Hook = Callable[[State], Any]


def document(tenant: str, chunk_id: str, text: str, *, category: str = "general", **more: Any) -> Document:
    held = {"tenant": tenant, "document_id": chunk_id.split("#")[0], "category": category, "language": "en"}
    held |= {"title": chunk_id.split("#")[0].title(), "source": f"{chunk_id.split('#')[0]}.md", "status": "active"}
    return Document(page_content=text, id=chunk_id, metadata={**held, "chunk_id": chunk_id, **more})


SHELF = [
    document(MINE, "returns#1", "Items can be returned within 30 days of delivery."),
    document(MINE, "electronics#1", "Headphones can be returned within 7 days.", category="electronics"),
    document(MINE, "wages#1", "Managers earn a yearly bonus of 9 percent.", category="hr"),
    document(OTHERS, "returns#1", f"Items can be returned within 90 days, says {SECRET}."),
    document(OTHERS, "plan#1", f"The {SECRET} headphones launch in May.", category="electronics"),
]


class MemoryIndex:
    """The calls that the service itself makes of an index."""

    name = "memory"

    async def fetch(self, chunk_ids: Sequence[str], scope: Scope) -> list[Document]:
        return [chunk for chunk in SHELF if chunk.id in chunk_ids and scope.admits(chunk.metadata)]

    async def documents(self, scope: Scope) -> list[Document]:
        return [chunk for chunk in SHELF if scope.admits(chunk.metadata)]


class FakeResources:
    """What the service asks of ``Resources``, with nothing behind it."""

    def __init__(self, data: Path, **settings: Any) -> None:
        self.settings = Settings(_env_file=None, data=data, tenant=MINE, **settings)
        self.chat = self.small_chat = self.judge = None
        self.failure: Exception | None = None

    async def open_index(self) -> MemoryIndex:
        if self.failure:
            raise self.failure
        return MemoryIndex()

    async def embed_queries(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0] for _ in texts]


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w{4,}", text.lower()))


class FakeDesk:
    """A desk over a two-node graph. ``hook`` sees each question's state first: it may raise or wait."""

    def __init__(self, data: Path, **desk: Any) -> None:
        self.resources: Any = FakeResources(data)
        self.hook: Hook | None = None
        self.weak = False  # what is found is too weak to answer from
        self.seen: list[Context] = []
        self.answering_now = 0
        self._arrivals = asyncio.Semaphore(0)
        self.desk = Desk(resources=self.resources, answering=self._graph(True), searching=self._graph(False), **desk)

    def _graph(self, answer: bool) -> Any:
        graph = StateGraph(State, context_schema=Context, input_schema=Input, output_schema=Output)
        graph.add_node("retrieve", self._retrieve)
        graph.add_node("generate_answer", self._answer if answer else _nothing)
        graph.add_edge(START, "retrieve")
        graph.add_edge("retrieve", "generate_answer")
        graph.add_edge("generate_answer", END)
        return graph.compile()

    async def arrived(self, count: int = 1) -> None:
        """Wait until so many questions more have reached the answering node."""
        for _ in range(count):
            await self._arrivals.acquire()

    async def _retrieve(self, state: State, runtime: Runtime[Context]) -> dict[str, Any]:
        self.seen.append(runtime.context)
        options = resolve(runtime.context, self.resources.settings.defaults())
        question = state.get("question") or str(state["messages"][-1].text)
        asked = words(question)
        found = [chunk for chunk in SHELF if options.scope.admits(chunk.metadata) and asked & words(chunk.page_content)]
        hits = [{"id": str(chunk.id), "score": 1.0} for chunk in found]
        passages = [_passage(chunk, number) for number, chunk in enumerate(found[: options.top_k], start=1)]
        return {
            "question": question,
            "standalone_question": question,
            "queries": [{"text": question, "kind": "original", "weight": 1.0}],
            "lists": [{"query": question, "kind": "keyword", "weight": 1.0, "hits": hits}],
            "fused": hits,
            "ranked": hits,
            "reranked": False,
            "reranker": "none",
            "candidates": {str(chunk.id): chunk for chunk in found},
            "context": passages,
            "chunk_ids": [passage["id"] for passage in passages],
            "evidence": 1.0 if found else 0.0,
            "refused": self.weak or not found,
            "refusal_reason": "nothing_found" if not found else "weak_retrieval" if self.weak else None,
            "warnings": [],
            "notices": [],
            "timings_ms": {"retrieve": 1.5},
        }

    async def _answer(self, state: State, runtime: Runtime[Context]) -> dict[str, Any]:
        self.answering_now += 1
        self._arrivals.release()
        try:
            if self.hook:
                waited = self.hook(state)
                if asyncio.iscoroutine(waited):
                    await waited
        finally:
            self.answering_now -= 1
        runtime.stream_writer({"node": "generate_answer", "event": "draft", "token": "Items "})
        if state["refused"]:
            text, citations = "I don't have that in your documents.", []
        else:
            first = state["context"][0]
            text = f"{first['text']} [S1]"
            place = {key: first[key] for key in ("label", "id", "title", "source", "page", "section")}
            citations = [{**place, "quote": first["text"], "start": 0, "end": len(first["text"])}]
        return {
            "answer": text,
            "citations": citations,
            "verdict": {"faithful": True, "sentences": []},
            "model": "fake",
            "model_calls": {},
            "messages": [AIMessage(text)],
        }


async def _nothing(state: State) -> dict[str, Any]:
    return {"warnings": []}


def _passage(chunk: Document, number: int) -> dict[str, Any]:
    held = chunk.metadata
    return {
        "label": f"S{number}",
        "id": chunk.id,
        "title": held["title"],
        "source": held["source"],
        "page": None,
        "section": held["title"],
        "category": held["category"],
        "text": chunk.page_content,
        "truncated": False,
    }
