"""Haystack: a pipeline of its BM25 and embedding retrievers over the in-memory store, joined by reciprocal ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

CANDIDATES = 20
EMBEDDERS = "haystack_integrations.components.embedders.sentence_transformers"
JOINER = "haystack.components.joiners.document_joiner"
RETRIEVERS = "haystack.components.retrievers.in_memory"
STORE = "haystack.document_stores.in_memory"
WRITERS = "haystack.components.writers"
#: Loaded before anything is timed.
MODULES = (JOINER, RETRIEVERS, STORE, WRITERS)


class System:
    """Everything in memory."""

    on_disk = False

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.haystack = import_module("haystack")
        embedders = import_module(EMBEDDERS)
        device = import_module("haystack.utils").ComponentDevice.from_str("cpu")
        shared = {"model": options["model"], "device": device, "progress_bar": False, "normalize_embeddings": True}
        self.reading = embedders.SentenceTransformersDocumentEmbedder(**shared)
        self.asking = embedders.SentenceTransformersTextEmbedder(**shared)
        self.reading.warm_up()
        self.asking.warm_up()

    def ingest(self, records: Sequence[Mapping[str, str]], place: Path) -> None:
        """An indexing pipeline, then the asking one."""
        store = import_module(STORE).InMemoryDocumentStore(embedding_similarity_function="cosine")
        writer = import_module(WRITERS).DocumentWriter(store)
        indexing = self.haystack.Pipeline()
        indexing.add_component("embedder", self.reading)
        indexing.add_component("writer", writer)
        indexing.connect("embedder", "writer")
        document = self.haystack.Document
        documents = [
            document(id=record["id"], content=f"{record['title']}\n{record['text']}", meta={"record": record["id"]})
            for record in records
        ]
        indexing.run({"embedder": {"documents": documents}})
        retrievers = import_module(RETRIEVERS)
        joiner = import_module(JOINER).DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=CANDIDATES)
        self.pipeline = self.haystack.Pipeline()
        self.pipeline.add_component("embedder", self.asking)
        self.pipeline.add_component("dense", retrievers.InMemoryEmbeddingRetriever(store, top_k=CANDIDATES))
        self.pipeline.add_component("words", retrievers.InMemoryBM25Retriever(store, top_k=CANDIDATES))
        self.pipeline.add_component("joiner", joiner)
        self.pipeline.connect("embedder.embedding", "dense.query_embedding")
        self.pipeline.connect("dense", "joiner")
        self.pipeline.connect("words", "joiner")

    def retrieve(self, question: str) -> list[str]:
        """The joined ids, best first."""
        found = self.pipeline.run({"embedder": {"text": question}, "words": {"query": question}})
        return [document.meta["record"] for document in found["joiner"]["documents"]]

    def embed(self, question: str) -> Any:
        """The question's vector alone."""
        return self.asking.run(question)["embedding"]
