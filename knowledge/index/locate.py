"""Where the index is: one place that chooses the engine and keeps what is open, once a process."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from knowledge.errors import IndexMismatch
from knowledge.index.port import ChunkIndex, IndexStore


class EmbeddingName(Protocol):
    """The part of an embedding model that an index is held to."""

    @property
    def name(self) -> str:
        """As the index stores it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexLocation:
    """Where an index lives.

    Attributes:
        data: the folder of the embedded index; with a server it holds this machine's part of the write lock.
        url: of a Qdrant server; ``None`` means embedded.
        api_key: the server's key.
        alias: the name that the live collection goes by on a server.
        on_disk: keep vectors on the server's disk, not in its memory.
    """

    data: Path
    url: str | None = None
    api_key: str | None = None
    alias: str = "policydesk"
    on_disk: bool = False


_stores: dict[IndexLocation, IndexStore] = {}
_lock = threading.Lock()


def open_store(location: IndexLocation) -> IndexStore:
    """The store at that location, the same object for the whole process. Nothing is opened before it is needed."""
    with _lock:
        if location not in _stores:
            _stores[location] = _new_store(location)
        return _stores[location]


async def open_live(location: IndexLocation, *, embedding: EmbeddingName | None = None) -> ChunkIndex:
    """The live version, looked up anew; hold it for one question, so that all of it comes from one version.

    Raises:
        IndexMissing: nothing is indexed yet.
        IndexMismatch: it was built with another embedding model than the one given.
        IndexUnavailable: the store does not answer.
    """
    index = await open_store(location).current()
    if embedding is not None:
        check_embedding(index.spec.embedding, embedding.name)
    return index


def check_embedding(built_with: str, in_use: str) -> None:
    """Raises ``IndexMismatch`` when an index and the model in use are of different vector spaces."""
    if built_with != in_use:
        raise IndexMismatch(
            f"The index was built with the embedding model {built_with}, but {in_use} is in use: "
            f"set POLICYDESK_EMBEDDING back, or build an index with {in_use} (`policydesk index build`) and switch to it."
        )


def _new_store(location: IndexLocation) -> IndexStore:
    if location.url is None:
        from knowledge.index.edge_store import EdgeStore

        return EdgeStore(location.data)
    from knowledge.index.server_store import ServerStore, connect

    return ServerStore(connect(location.url, location.api_key), location.alias, location.data, on_disk=location.on_disk)
