"""Versions of an index: build one beside the live one, look at them, compare two, switch, drop.

Thin over ``IndexStore``, for the command line and for programs. Everything that counts or shows chunks does so under a scope.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from langchain_core.documents import Document

from knowledge.chunking import ChunkingDefaults
from knowledge.documents import DEFAULT_TENANT
from knowledge.embedding import EmbeddingModel
from knowledge.index.port import ChunkIndex, IndexStats, IndexStore, VersionInfo
from knowledge.ingest import IngestReport, ingest
from knowledge.ingest_write import Progress
from knowledge.scope import Scope

#: Chunk ids a comparison spells out of each kind.
_SHOWN = 20


def build(
    paths: Sequence[Path],
    *,
    name: str,
    store: IndexStore,
    embedding: EmbeddingModel,
    defaults: ChunkingDefaults | None = None,
    tenant: str = DEFAULT_TENANT,
    progress: Progress | None = None,
) -> IngestReport:
    """Build a version of that name from files and folders alone. The live version is neither read nor changed.

    Raises ``BadInput`` when the name is taken or can't be one, else as ``ingest``.
    """
    return ingest(
        paths,
        store=store,
        embedding=embedding,
        defaults=defaults,
        tenant=tenant,
        progress=progress,
        build=name,
    )


def listing(store: IndexStore) -> list[VersionInfo]:
    """All committed versions, oldest first; one of them is live."""
    return store.versions()


def switch(store: IndexStore, name: str) -> VersionInfo | None:
    """Make a version live in one step; running processes answer from it with their next question. The one that was live.

    Raises ``BadInput`` for an unknown name, ``IndexBusy`` while another process writes.
    """
    with store.lock():
        before = next((info for info in store.versions() if info.live), None)
        store.switch(name)
    return before


def drop(store: IndexStore, name: str) -> None:
    """Delete a version. Raises ``BadInput`` for the live one or an unknown name, ``IndexBusy`` while another process writes."""
    with store.lock():
        store.drop(name)


def unlock(store: IndexStore, tell: Callable[[str], None]) -> str | None:
    """Take the write lock from a writer that is dead, and say who that was; ``None`` where nobody left one behind.

    ``tell`` is told before a wait of a minute. Raises ``IndexBusy`` where the writer gives a sign of life.
    """
    return store.unlock(tell)


async def stats(store: IndexStore, scope: Scope, name: str | None = None) -> IndexStats:
    """Chunks and documents of a version (the live one where none is named) that the scope admits."""
    index = await (store.current() if name is None else store.version(name))
    documents = await index.values("document_id", scope)
    return IndexStats(chunks=await index.count(scope), documents=len(documents), name=index.name, spec=index.spec)


@dataclass(frozen=True, slots=True)
class Changed:
    """A chunk id that stands in both versions with different text."""

    chunk_id: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs between two versions under one scope. Ids are complete; ``changed`` holds the first twenty texts.

    Attributes:
        old, new: the two versions' counts and specs.
        added, removed: chunk ids that stand in one alone.
        changed: chunks of one id whose text differs, and how many such there are.
        same: chunks of one id and one text.
        documents_added, documents_removed: document ids.
    """

    old: IndexStats
    new: IndexStats
    added: list[str]
    removed: list[str]
    changed: list[Changed]
    changed_count: int
    same: int
    documents_added: list[str] = field(default_factory=list)
    documents_removed: list[str] = field(default_factory=list)


async def compare(store: IndexStore, old: str, new: str, scope: Scope) -> Difference:
    """Two versions' chunks side by side. Recall over a golden set is measured by ``evals`` on ``store.version(name)``."""
    before, after = await store.version(old), await store.version(new)
    left, right = await _by_id(before, scope), await _by_id(after, scope)
    common = [at for at in left if at in right]
    differing = [at for at in common if left[at].page_content != right[at].page_content]
    old_documents, new_documents = _documents(left.values()), _documents(right.values())
    return Difference(
        old=IndexStats(chunks=len(left), documents=len(old_documents), name=before.name, spec=before.spec),
        new=IndexStats(chunks=len(right), documents=len(new_documents), name=after.name, spec=after.spec),
        added=[at for at in right if at not in left],
        removed=[at for at in left if at not in right],
        changed=[Changed(at, left[at].page_content, right[at].page_content) for at in differing[:_SHOWN]],
        changed_count=len(differing),
        same=len(common) - len(differing),
        documents_added=sorted(new_documents - old_documents),
        documents_removed=sorted(old_documents - new_documents),
    )


async def _by_id(index: ChunkIndex, scope: Scope) -> Mapping[str, Document]:
    return {str(document.id): document for document in await index.documents(scope)}


def _documents(documents: Iterable[Document]) -> set[str]:
    return {str(document.metadata["document_id"]) for document in documents}
