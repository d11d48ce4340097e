"""Both engines for the contract suite, a small embedding without a model, and chunks to write."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from langchain_core.documents import Document
from qdrant_client import AsyncQdrantClient, QdrantClient

from knowledge.bm25 import Bm25
from knowledge.index.edge_store import EdgeStore
from knowledge.index.port import ChunkPoint, IndexSpec, IndexStore, ListRequest, Sparse
from knowledge.index.server_store import Clients, ServerStore

DIMENSION = 16
ENGINES = ("edge", "server")


def spec(**changes: Any) -> IndexSpec:
    return IndexSpec(
        **{
            "embedding": "words",
            "dimension": DIMENSION,
            "chunking": "structural-120w",
            "average_length": 8.0,
            **changes,
        }
    )


def memory_clients() -> Clients:
    """The client API without a server: the async client looks into the sync one's collections."""
    sync = QdrantClient(":memory:")
    reading = AsyncQdrantClient(":memory:")

    def look() -> AsyncQdrantClient:
        reading._client.collections = sync._client.collections  # type: ignore[union-attr]
        reading._client.aliases = sync._client.aliases  # type: ignore[union-attr]
        return reading

    return Clients(sync, look)


def open_engine(engine: str, folder: Path) -> IndexStore:
    return EdgeStore(folder) if engine == "edge" else ServerStore(memory_clients(), "policydesk", folder)


def embed(text: str) -> list[float]:
    """A vector of the text's words: texts that share words are near each other."""
    out = np.zeros(DIMENSION)
    for word in text.lower().split():
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big")
        out += np.random.default_rng(seed).standard_normal(DIMENSION)
    norm = np.linalg.norm(out)
    return (out / norm if norm else np.eye(DIMENSION)[0]).tolist()


def sparse(text: str) -> Sparse:
    weights = Bm25(average_length=8.0, language="en").embed_query(text)
    return Sparse(tuple(weights.indices), tuple(weights.values))


def chunk(chunk_id: str, text: str, tenant: str = "a", **metadata: Any) -> ChunkPoint:
    document_id, _, position = chunk_id.partition("#")
    about = {
        "chunk_id": chunk_id,
        "document_id": document_id,
        "tenant": tenant,
        "category": "general",
        "language": "en",
        "status": "active",
        "position": int(position) if position.isdecimal() else 0,
        "source_root": "/secret/root",
        **metadata,
    }
    about = {key: value for key, value in about.items() if value is not None}
    weights = Bm25(average_length=8.0, language="en").embed_documents([text])[0]
    document = Document(id=chunk_id, page_content=text, metadata=about)
    return ChunkPoint(document, embed(text), Sparse(tuple(weights.indices), tuple(weights.values)))


def parent(parent_id: str, text: str, tenant: str = "a") -> ChunkPoint:
    point = chunk(parent_id, text, tenant, kind="parent")
    return ChunkPoint(point.document, [], Sparse((), ()))


def write(
    store: IndexStore, points: Sequence[ChunkPoint], *, name: str | None = None, live: bool = True, **about: Any
) -> str:
    """One version of these points alone."""
    with store.lock():
        writer = store.writer(spec(**about), name=name)
        writer.upsert(points)
        writer.commit(live=live)
    return writer.name


def both(text: str, limit: int = 10) -> list[ListRequest]:
    """The dense and the keyword list of a question."""
    return [ListRequest(limit=limit, dense=embed(text)), ListRequest(limit=limit, sparse=sparse(text))]


def tokens(text: str) -> list[int]:
    return list(sparse(text).indices)


def ids(found: Iterable[Any]) -> list[str]:
    return [one.id for one in found]
