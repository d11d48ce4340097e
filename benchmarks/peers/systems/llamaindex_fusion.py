"""LlamaIndex: ``QueryFusionRetriever`` (reciprocal ranks, no generated queries) of its vector index and its BM25 retriever."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

CANDIDATES = 20
#: Loaded before anything is timed.
MODULES = (
    "Stemmer",
    "llama_index.core.llms",
    "llama_index.core.retrievers",
    "llama_index.retrievers.bm25",
)


class System:
    """Everything in memory, as its default stores are."""

    on_disk = False

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.core = import_module("llama_index.core")
        self.embeddings = import_module("llama_index.embeddings.huggingface").HuggingFaceEmbedding(
            model_name=options["model"], device="cpu"
        )

    def ingest(self, records: Sequence[Mapping[str, str]], place: Path) -> None:
        """A vector index and a BM25 index of the same nodes."""
        node = import_module("llama_index.core.schema").TextNode
        nodes = [node(id_=record["id"], text=f"{record['title']}\n{record['text']}") for record in records]
        index = self.core.VectorStoreIndex(nodes, embed_model=self.embeddings)
        words = import_module("llama_index.retrievers.bm25").BM25Retriever.from_defaults(
            nodes=nodes,
            similarity_top_k=CANDIDATES,
            stemmer=import_module("Stemmer").Stemmer("english"),
            language="english",
        )
        self.retriever = import_module("llama_index.core.retrievers").QueryFusionRetriever(
            [index.as_retriever(similarity_top_k=CANDIDATES), words],
            similarity_top_k=CANDIDATES,
            num_queries=1,
            mode="reciprocal_rerank",
            use_async=False,
            llm=import_module("llama_index.core.llms").MockLLM(),
        )

    def retrieve(self, question: str) -> list[str]:
        """The fused ids, best first."""
        return [found.node.node_id for found in self.retriever.retrieve(question)]

    def embed(self, question: str) -> Any:
        """The question's vector alone."""
        return self.embeddings.get_query_embedding(question)
