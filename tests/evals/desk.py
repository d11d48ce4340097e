"""A whole desk small enough to read: the real graph over an index in a folder, with vectors made from words."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from langchain_core.documents import Document

from graph.resources import Resources
from graph.settings import Settings
from knowledge.embedding import EmbeddingModel
from knowledge.index.locate import open_store
from knowledge.ingest_write import index_chunks
from knowledge.model_traits import Traits
from knowledge.tokens import tokenize

DIMENSION = 128


class WordEncoder:
    """Counts words in hashed places, so that texts with the same words lie near each other."""

    dimension = DIMENSION

    def encode(self, texts: list[str], *, query: bool) -> Any:
        rows = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for token in tokenize(text, "en"):
                row[zlib.crc32(token.encode()) % DIMENSION] += 1
            row /= np.linalg.norm(row) or 1
        return rows

    def count_tokens(self, text: str) -> int:
        return len(text.split())


def embedding() -> EmbeddingModel:
    return EmbeddingModel("words", WordEncoder, Traits(), dimension=DIMENSION)


def chunk(chunk_id: str, text: str, **more: Any) -> Document:
    document_id, _, position = chunk_id.rpartition("#")
    metadata: dict[str, Any] = {
        "chunk_id": chunk_id,
        "document_id": document_id,
        "title": document_id.title(),
        "heading_path": document_id.title(),
        "body_start": 0,
        "source": f"{document_id}.md",
        "category": "general",
        "tenant": "acme",
        "language": "en",
        "status": "active",
        "position": int(position or 1),
    }
    return Document(id=chunk_id, page_content=text, metadata=metadata | more)


def desk(folder: Path, chunks: Sequence[Document], **settings: Any) -> Resources:
    """Resources over an index of these chunks."""
    settings = {"tenant": "acme", "reranker": "none", "threshold": 0.0, **settings}
    resources = Resources(Settings(data=folder, _env_file=None, **settings), embedding=embedding())
    by_tenant: dict[str, list[Document]] = {}
    for one in chunks:
        by_tenant.setdefault(one.metadata["tenant"], []).append(one)
    for tenant, mine in by_tenant.items():
        index_chunks(
            mine,
            store=open_store(resources.settings.index_location()),
            embedding=embedding(),
            label="test",
            tenant=tenant,
        )
    return resources
