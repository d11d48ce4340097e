"""``Bm25`` under LangChain's interface, for ``QdrantVectorStore(sparse_embedding=…)``. Import it from ``knowledge.bm25``."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_qdrant.sparse_embeddings import SparseEmbeddings, SparseVector

from knowledge.bm25 import Bm25, Weights


class Bm25Embeddings(SparseEmbeddings):
    """BM25's term-frequency part; the collection's sparse vectors must have ``modifier=IDF``.

    Arguments as in ``knowledge.bm25.Bm25``, with the same errors.
    """

    def __init__(self, average_length: float, k1: float = 1.2, b: float = 0.75, language: str | None = None) -> None:
        self.bm25 = Bm25(average_length=average_length, k1=k1, b=b, language=language)

    def embed_documents(self, texts: list[str], languages: Sequence[str] | None = None) -> list[SparseVector]:
        """One vector a text; ``languages`` may name each text's language."""
        return [_vector(weights) for weights in self.bm25.embed_documents(texts, languages)]

    def embed_query(self, text: str) -> SparseVector:
        """The question's vector: weight 1 for each distinct token."""
        return _vector(self.bm25.embed_query(text))


def _vector(weights: Weights) -> SparseVector:
    return SparseVector(indices=weights.indices, values=weights.values)
