"""The port: what the desk asks of a search engine. Two engines answer it: ``edge`` (embedded) and ``server`` (Qdrant).

Engines only search. Fusing is ours (``nodes/fuse.py``), because lists of several queries are fused and the stage view shows each.
Every call takes a ``Scope``; an engine applies it inside the search, never after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from langchain_core.documents import Document

from knowledge.index.layout import INDEXED_KEYS, PARENT, PRIVATE_KEYS
from knowledge.scope import Scope

#: Scores are compared to this many decimals: engines sum in different orders, and float noise must not decide a rank.
SCORE_DECIMALS = 5


def is_countable(key: str, spec: IndexSpec) -> bool:
    """Whether an index counts the values of this metadata key."""
    return key not in PRIVATE_KEYS and key in (*INDEXED_KEYS, *spec.fields)


@dataclass(frozen=True, slots=True)
class Sparse:
    """A sparse vector: token indices (uint32, ascending not required) and their weights."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRequest:
    """One ranked list wanted: exactly one of ``dense`` and ``sparse`` orders it.

    Attributes:
        defines, mentions: only chunks whose metadata of that name holds one of these identifiers.
        chunk_ids: only these chunks (used to score known candidates by the other vector).
        limit: the longest the list may be.
    """

    limit: int
    dense: Sequence[float] | None = None
    sparse: Sparse | None = None
    defines: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    chunk_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """A chunk in a list: its score by that list's own measure (cosine, or BM25), higher is better."""

    document: Document
    score: float

    @property
    def id(self) -> str:
        """The chunk id, as in ``document.id``."""
        return str(self.document.id)


@dataclass(frozen=True, slots=True)
class QueryVectors:
    """A query by which every chunk found is scored, whichever list found it; ``sparse`` is ``None`` for one without words."""

    dense: Sequence[float]
    sparse: Sparse | None


class Scores(NamedTuple):
    """A chunk's cosine and BM25 score by the ``QueryVectors``; 0 where it has none."""

    dense: float
    keyword: float


@dataclass(frozen=True, slots=True)
class Ahead:
    """What ``ChunkIndex.look_ahead`` found, for the ``search`` that follows under the same scope.

    Attributes:
        rows: by the request that will ask for them: the engine's own points and their scores.
        documents: of these points, as the scope's tenant sees them, best first list by list.
        idf: as ``SearchResult.idf``, of the ``counted`` tokens.
        counted: the tokens whose IDF was looked up.
    """

    rows: Mapping[ListRequest, list[tuple[Any, float]]] = field(default_factory=dict)
    documents: Mapping[Any, Document] = field(default_factory=dict)
    idf: Mapping[int, float] = field(default_factory=dict)
    counted: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """``lists`` in the order asked for, ties by chunk id; ``idf`` per token index asked for; ``scores`` of all that was found.

    The IDF is counted over the scope's tenants: ln(1 + (N - n + 0.5) / (n + 0.5)); a token that stands nowhere is absent from
    the mapping. ``scores`` are by chunk id, and empty where no ``score_by`` was given.
    """

    lists: tuple[tuple[Found, ...], ...]
    idf: Mapping[int, float] = field(default_factory=dict)
    scores: Mapping[str, Scores] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSpec:
    """What built an index. Stored with it; ``version`` goes on every chunk as ``index_version``.

    Attributes:
        embedding: the embedding model's name, ``provider:model``.
        dimension: of the dense vectors.
        chunking: a short text of the default chunker and its sizes ("structural-120w").
        average_length: tokens a chunk, BM25's avgdl, fixed for the life of the index so that unchanged chunks stay unchanged.
        fields: the manifest's further fields that are filterable.
        reading: ``ingest_plan.READING`` of the code that read its texts; 0 in an index that is older than the number.
    """

    embedding: str
    dimension: int
    chunking: str
    average_length: float
    fields: tuple[str, ...] = ()
    reading: int = 0

    @property
    def version(self) -> str:
        """A readable name of what built it, the same for the same settings."""
        model = self.embedding.rsplit("/", 1)[-1]
        return f"{model}-{self.dimension}/{self.chunking}"


@dataclass(frozen=True, slots=True)
class ChunkPoint:
    """A chunk ready to be written. A parent has no vectors: ``dense`` is empty."""

    document: Document
    dense: Sequence[float]
    sparse: Sparse

    @property
    def is_parent(self) -> bool:
        """Whether it is a parent, which is fetched and never searched."""
        return self.document.metadata.get("kind") == PARENT


@dataclass(frozen=True, slots=True)
class VersionInfo:
    """One version as ``index list`` shows it. Questions are answered from the one that is ``live``.

    ``kept``: built by name, so it goes only by ``drop``; the others are the trail of ingests, of which the last few stay.
    """

    name: str
    spec: IndexSpec
    created_at: datetime
    live: bool
    kept: bool


@dataclass(frozen=True, slots=True)
class IndexStats:
    """Counts under one scope; never over other tenants."""

    chunks: int
    documents: int
    name: str
    spec: IndexSpec


class ChunkIndex(Protocol):
    """One version of an index, open for reading. Safe to call from many tasks at once; every call under a scope."""

    @property
    def name(self) -> str:
        """The version's name, as ``index list`` shows it."""

    @property
    def spec(self) -> IndexSpec:
        """What built it."""

    async def search(
        self,
        requests: Sequence[ListRequest],
        scope: Scope,
        *,
        terms: Iterable[int] = (),
        score_by: QueryVectors | None = None,
        ahead: Ahead | None = None,
    ) -> SearchResult:
        """All lists in one batched call, and with ``score_by`` a second one that scores what they hold.

        ``ahead`` is what ``look_ahead`` gave under the same scope. Raises ``IndexUnavailable`` when the store does not answer.
        """

    async def look_ahead(self, requests: Sequence[ListRequest], scope: Scope, *, terms: Iterable[int] = ()) -> Ahead:
        """Keyword lists and IDFs that the next ``search`` will ask for among others, while the caller waits for its vectors.

        An engine in the process finds them now; one behind a network finds none, so that all lists stay one call.
        """

    async def fetch(self, chunk_ids: Sequence[str], scope: Scope) -> list[Document]:
        """The chunks (or parents) of these ids that the scope admits, in the order of the ids."""

    async def count(self, scope: Scope) -> int:
        """How many chunks the scope admits."""

    async def values(self, key: str, scope: Scope) -> dict[str, int]:
        """The values of a metadata key with their chunk counts, under the scope."""

    async def documents(self, scope: Scope) -> list[Document]:
        """All chunks that the scope admits, ordered by document and position. For listings and comparison, not for search."""

    async def close(self) -> None:
        """Release the store. Calling it twice is fine."""


class IndexWriter(Protocol):
    """One version of an index being built or changed. Not safe for concurrent use; the ingest lock guards it.

    Nothing is written before the first ``upsert`` or ``delete``, so that an ingest that finds no change costs no copy.
    """

    @property
    def name(self) -> str:
        """The name that the version has once it is committed."""

    @property
    def spec(self) -> IndexSpec:
        """What it is built with."""

    def tenants(self, source_roots: Sequence[str] | None) -> list[str]:
        """The tenants that have chunks from one of these folders; with ``None`` from anywhere."""

    def stored(self, tenant: str) -> dict[str, dict[str, Any]]:
        """Metadata of every stored chunk of the tenant by chunk id (and parents), for finding what changed."""

    def vectors(self, tenant: str, chunk_ids: Sequence[str]) -> dict[str, list[float]]:
        """The stored dense vectors of these chunks, so that unchanged text is never embedded again."""

    def texts(self, tenant: str, chunk_ids: Sequence[str]) -> dict[str, str]:
        """The stored texts of these chunks and parents."""

    def upsert(self, points: Sequence[ChunkPoint]) -> None:
        """Write these chunks, replacing those of the same id."""

    def delete(self, tenant: str, chunk_ids: Sequence[str]) -> None:
        """Remove these chunks; unknown ids are passed over."""

    def commit(self, *, live: bool = True) -> None:
        """Make the version durable, and (unless told not to) live, in one step."""

    def abort(self) -> None:
        """Drop what was written; the live version stays as it was. After a commit it does nothing."""


class IndexStore(Protocol):
    """All versions of one index, and which of them is live. Every error is a ``PolicyDeskError``."""

    async def current(self) -> ChunkIndex:
        """The live version, looked up anew. Who holds it keeps it, whatever is switched. Raises ``IndexMissing``."""

    async def version(self, name: str) -> ChunkIndex:
        """A version by name. Raises ``BadInput`` when there is none."""

    def live(self) -> str | None:
        """The live version's name."""

    def versions(self) -> list[VersionInfo]:
        """All committed versions, oldest first."""

    def writer(self, spec: IndexSpec, *, base: str | None = None, name: str | None = None) -> IndexWriter:
        """A new version: a copy of ``base``, or empty. With a ``name`` it is kept until dropped."""

    def switch(self, name: str) -> None:
        """Make a version live in one step."""

    def drop(self, name: str) -> None:
        """Delete a version that is not live."""

    def lock(self) -> AbstractContextManager[None]:
        """Held by whoever writes, switches or drops. Raises ``IndexBusy`` at once when another does."""

    def unlock(self, tell: Callable[[str], None]) -> str | None:
        """Take the lock from a writer that is dead, and say who that was; ``None`` where nobody left one behind.

        ``tell`` is told before a long wait. Raises ``IndexBusy`` where the writer is alive.
        """
