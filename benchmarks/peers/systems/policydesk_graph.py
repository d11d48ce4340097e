"""The desk as installed from this checkout: its own ingest, and the retrieval half of its graph with every default."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

#: Loaded before anything is timed.
MODULES = (
    "evals.corpus",
    "knowledge.chunking.pieces",
    "knowledge.ingest_write",
    "knowledge.index.locate",
    "knowledge.languages",
)


class System:
    """An index in a folder, by the embedded engine."""

    on_disk = True

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.vectors = str(options.get("vectors") or "")
        self.longest = import_module("evals.corpus").MAX_QUESTION_CHARACTERS
        self.embedding: Any = None
        self._resources(Path(options["scratch"]))
        self.embedding = self.resources.embedding  # one model, whichever folder is opened
        self._graph()
        self.loop = asyncio.new_event_loop()

    def ingest(self, records: Sequence[Mapping[str, str]], place: Path) -> None:
        """As ``evals.corpus`` reads a BEIR folder, but for the cutting: one chunk a record, as the others get it."""
        self._resources(place)
        if self.vectors:
            self._borrow()
        chunks = list(import_module("evals.corpus").corpus_chunks(place, self._whole))
        import_module("knowledge.ingest_write").index_chunks(
            chunks,
            store=import_module("knowledge.index.locate").open_store(self.settings.index_location()),
            embedding=self.resources.embedding,
            label="whole",
            tenant=self.settings.tenant,
        )
        self._graph()

    def open(self, place: Path) -> None:
        """The index that an ingest left."""
        self._resources(place)
        self._graph()

    def retrieve(self, question: str) -> list[str]:
        """Ids in the graph's final order, before the answer's token budget."""
        self.resources.embedding.forget_queries()
        state = self.loop.run_until_complete(
            self.graph.ainvoke({"question": question}, output_keys=["ranked", "candidates"])
        )
        held = state["candidates"]
        return list(dict.fromkeys(held[hit["id"]].metadata["record"] for hit in state["ranked"]))

    def embed(self, question: str) -> Any:
        """The question's vector alone."""
        self.resources.embedding.forget_queries()
        return self.resources.embedding.embed_query(question)

    def _resources(self, data: Path) -> None:
        desk = import_module("policydesk")
        self.settings = desk.Settings(data=data, max_question_characters=self.longest)
        self.resources = desk.Resources(self.settings, embedding=self.embedding)

    def _graph(self) -> None:
        self.graph = import_module("policydesk").build_graph(self.resources, answer=False)

    def _whole(self, name: str, title: str, text: str) -> list[Any]:
        pieces = import_module("knowledge.chunking.pieces")
        document = import_module("knowledge.documents").SourceDocument(
            document_id=name,
            title=title,
            text=text,
            source=name,
            tenant=self.settings.tenant,
            language=import_module("knowledge.languages").detect_language(f"{title}\n{text}"),
        )
        return list(pieces.to_chunks(document, [pieces.Piece(spans=((0, len(text)),))]))

    def _borrow(self) -> None:
        """Answer from vectors that were made before, in the batches that the ingest asks for."""
        held = import_module("lending").Lent(Path(self.vectors))
        model = self.resources.embedding

        def encode_windows(windows: Iterable[Sequence[str]]) -> Iterator[tuple[list[str], Any]]:
            for window in windows:
                for start in range(0, len(window), model.batch):
                    texts = list(window[start : start + model.batch])
                    yield texts, held.rows(texts)

        model.encode_windows = encode_windows
