"""langchain-qdrant: hybrid mode over a local (embedded) collection, BM25 by fastembed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

CANDIDATES = 20
COLLECTION = "chunks"
#: Loaded before anything is timed.
MODULES = (
    "langchain_core.documents",
    "qdrant_client.models",
)


class System:
    """A collection in a folder, read whole when it is opened."""

    on_disk = True

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.library = import_module("langchain_qdrant")
        self.embeddings = import_module("langchain_huggingface").HuggingFaceEmbeddings(
            model_name=options["model"],
            model_kwargs={"device": "cpu"},
            encode_kwargs={"normalize_embeddings": True},
        )
        # fastembed fetches its stop words from the hub; given a list and a folder it works without a network.
        self.sparse = self.library.FastEmbedSparse(
            model_name="Qdrant/bm25", specific_model_path=options["scratch"], stopwords=set(options["stopwords"])
        )

    def ingest(self, records: Sequence[Mapping[str, str]], place: Path) -> None:
        """Dense and sparse vectors; the IDF modifier is set, which the library leaves out unless told."""
        document = import_module("langchain_core.documents").Document
        models = import_module("qdrant_client.models")
        documents = [
            document(page_content=f"{record['title']}\n{record['text']}", metadata={"record": record["id"]})
            for record in records
        ]
        self.store = self.library.QdrantVectorStore.from_documents(
            documents,
            self.embeddings,
            sparse_embedding=self.sparse,
            sparse_vector_params={"modifier": models.Modifier.IDF},
            path=str(place),
            collection_name=COLLECTION,
            retrieval_mode=self.library.RetrievalMode.HYBRID,
        )

    def close(self) -> None:
        """Let the folder go, so that another process can open it."""
        self.store.client.close()

    def open(self, place: Path) -> None:
        """The collection that an ingest left."""
        self.store = self.library.QdrantVectorStore.from_existing_collection(
            COLLECTION,
            self.embeddings,
            sparse_embedding=self.sparse,
            path=str(place),
            retrieval_mode=self.library.RetrievalMode.HYBRID,
        )

    def retrieve(self, question: str) -> list[str]:
        """The fused ids, best first."""
        return [found.metadata["record"] for found in self.store.similarity_search(question, k=CANDIDATES)]

    def embed(self, question: str) -> Any:
        """The question's vector alone."""
        return self.embeddings.embed_query(question)
