"""How a chunk stands in a store, whichever engine keeps it, and how its reader sees it.

A stored point: id ``point_id(tenant, chunk_id)``, dense vector ``DENSE`` (cosine), sparse vector ``SPARSE`` (BM25 tf part,
``modifier=IDF``), payload ``{"page_content": str, "metadata": {...}}`` as ``langchain-qdrant`` lays it out, so that
``QdrantVectorStore`` opens a collection of ours.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from langchain_core.documents import Document

from knowledge.scope import Scope

DENSE = ""
SPARSE = "langchain-sparse"
CONTENT_KEY = "page_content"
METADATA_KEY = "metadata"

#: Metadata keys that every engine indexes; the manifest's further fields are added when an index is built.
INDEXED_KEYS = (
    "tenant",
    "category",
    "document_id",
    "language",
    "status",
    "defines",
    "mentions",
    "kind",
    "source_root",
)
INDEXED_TIMES = ("updated_at",)

#: ``metadata.kind`` of a parent: a point without vectors, reached by id alone, so that no list and no IDF holds it.
PARENT = "parent"
#: Metadata that stays in the store: where a document came from is the operator's business.
PRIVATE_KEYS = ("source_root", "ingested_as")
#: Stands between the tenant and the id of a chunk that another tenant shares: both may hold ``returns#1``.
SHARED_MARK = "::"

_NAMESPACE = uuid.UUID("6f2c1d0a-5f0b-4a53-9a0e-0d6a5b1c7e11")


@lru_cache(maxsize=1024)
def point_id(tenant: str, chunk_id: str) -> str:
    """The point's UUID: chunk ids are readable and unique within a tenant, so two tenants may both hold ``returns#1``."""
    return str(uuid.uuid5(_NAMESPACE, f"{tenant}\x00{chunk_id}"))


def visible_id(tenant: str, chunk_id: str, scope: Scope) -> str:
    """The id under which the scope's tenant sees a chunk: its own as they are, a shared one with its tenant before it."""
    return chunk_id if tenant == scope.tenant else f"{tenant}{SHARED_MARK}{chunk_id}"


def stored_ids(visible: str, scope: Scope) -> list[tuple[str, str]]:
    """The (tenant, chunk id) pairs that a visible id may stand for; the inverse of ``visible_id``."""
    pairs = [(scope.tenant, visible)]
    tenant, mark, chunk_id = visible.partition(SHARED_MARK)
    if mark and tenant != scope.tenant and tenant in scope.tenants():
        pairs.append((tenant, chunk_id))
    return pairs


def document_of(payload: Mapping[str, Any] | None, stored_id: str | int, scope: Scope) -> Document:
    """The Document of a stored payload, as the scope's tenant sees it.

    Tolerant: a point that another program wrote may lack our metadata; its chunk id is then the point's id, given as it is
    written or as the number that it stands for.
    """
    payload = payload or {}
    metadata = dict(payload.get(METADATA_KEY) or {})
    for key in PRIVATE_KEYS:
        metadata.pop(key, None)
    tenant = str(metadata.get("tenant", scope.tenant))
    chunk_id = metadata.get("chunk_id") or (uuid.UUID(int=stored_id) if isinstance(stored_id, int) else stored_id)
    metadata["chunk_id"] = visible_id(tenant, str(chunk_id), scope)
    if metadata.get("parent_id"):
        metadata["parent_id"] = visible_id(tenant, str(metadata["parent_id"]), scope)
    metadata.setdefault("document_id", metadata["chunk_id"])
    metadata.setdefault("source", "")
    metadata.setdefault("title", metadata["source"])
    return Document(id=metadata["chunk_id"], page_content=str(payload.get(CONTENT_KEY) or ""), metadata=metadata)


def in_reading_order(documents: Iterable[Document]) -> list[Document]:
    """By tenant's document and position in it."""
    return sorted(
        documents, key=lambda d: (str(d.metadata.get("document_id")), int(d.metadata.get("position") or 0), str(d.id))
    )
