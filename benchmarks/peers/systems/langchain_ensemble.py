"""LangChain: ``EnsembleRetriever`` of its BM25 retriever and a FAISS store; its cross-encoder compressor where one is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

CANDIDATES = 20
#: Loaded before anything is timed.
MODULES = (
    "faiss",
    "rank_bm25",
    "langchain_community.retrievers",
    "langchain_community.vectorstores",
    "langchain_classic.retrievers",
)


class System:
    """Everything in memory: the BM25 retriever can't be kept on disk."""

    on_disk = False

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.cross_encoder = options.get("cross_encoder")
        self.embeddings = import_module("langchain_huggingface").HuggingFaceEmbeddings(
            model_name=options["model"],
            model_kwargs={"device": "cpu"},
            encode_kwargs={"normalize_embeddings": True},
        )

    def ingest(self, records: Sequence[Mapping[str, str]], place: Path) -> None:
        """Two retrievers of 20 each, fused with equal weights."""
        document = import_module("langchain_core.documents").Document
        documents = [
            document(page_content=f"{record['title']}\n{record['text']}", metadata={"record": record["id"]})
            for record in records
        ]
        words = import_module("langchain_community.retrievers").BM25Retriever.from_documents(documents, k=CANDIDATES)
        store = import_module("langchain_community.vectorstores").FAISS.from_documents(documents, self.embeddings)
        retrievers = import_module("langchain_classic.retrievers")
        self.retriever = retrievers.EnsembleRetriever(
            retrievers=[words, store.as_retriever(search_kwargs={"k": CANDIDATES})], weights=[0.5, 0.5], id_key="record"
        )
        if self.cross_encoder:
            compressors = import_module("langchain_classic.retrievers.document_compressors")
            model = import_module("langchain_community.cross_encoders").HuggingFaceCrossEncoder(
                model_name=self.cross_encoder, model_kwargs={"device": "cpu"}
            )
            self.retriever = retrievers.ContextualCompressionRetriever(
                base_compressor=compressors.CrossEncoderReranker(model=model, top_n=10), base_retriever=self.retriever
            )

    def retrieve(self, question: str) -> list[str]:
        """The fused ids, best first."""
        return [found.metadata["record"] for found in self.retriever.invoke(question)]

    def embed(self, question: str) -> Any:
        """The question's vector alone."""
        return self.embeddings.embed_query(question)
