"""Writing what an ingest planned: texts encoded once, chunks weighed for BM25, points upserted in batches."""

from __future__ import annotations

from array import array
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from langchain_core.documents import Document

from knowledge.bm25 import DEFAULT_AVERAGE_LENGTH, Bm25, average_length, token_indices
from knowledge.embedding import EmbeddingModel
from knowledge.identifiers import index_identifiers
from knowledge.index.layout import PARENT
from knowledge.index.port import ChunkPoint, IndexSpec, IndexStore, IndexWriter, Sparse
from knowledge.ingest_encode import Awaited, EncodingAhead
from knowledge.ingest_plan import DERIVED_KEYS, READING, Plan, Planner, text_hash
from knowledge.references import find_references, link_anchors

T = TypeVar("T")
Rows = npt.NDArray[np.float32]

#: Called as work goes on: the step ("load", "chunk", "embed", "write", "commit"), how much is done, and of how much.
Progress = Callable[[str, int, int], None]

#: Points a write.
_BATCH = 256
_EMBEDDED_BATCH = 64
#: Batches that may wait to be written while the next is encoded.
_AHEAD = 4


def index_chunks(
    chunks: Sequence[Document],
    *,
    store: IndexStore,
    embedding: EmbeddingModel,
    label: str,
    tenant: str,
    progress: Progress | None = None,
) -> str:
    """Build a version that holds the tenant's chunks, cut already, and make it live; its name.

    Everything is read off the chunks anew; only a text that the live version holds is not embedded again. ``label`` names how
    they were cut, for the version. Raises ``IndexBusy``, ``ModelUnavailable``, ``IndexUnavailable``.
    """
    tell = progress or (lambda step, done, total: None)
    with store.lock():
        spec = IndexSpec(embedding=embedding.name, dimension=embedding.dimension, chunking=label, average_length=1.0)
        spec = replace(fresh_spec(spec, chunks), reading=READING)
        for piece in chunks:
            piece.metadata |= {"text_hash": text_hash(piece.page_content), "index_version": spec.version}
        writer = store.writer(spec, base=store.live())
        try:
            stored = {at: {**metadata, "index_version": None} for at, metadata in writer.stored(tenant).items()}
            planner = Planner(tenant, stored, derive)
            fresh = list(planner.take(chunks))
            with EncodingAhead(embedding, first=len(fresh)) as ahead:
                for piece in fresh:
                    ahead.add(Awaited(piece))
                write_plans(writer, [planner.finish(lambda metadata: True)], ahead, tell)
            others = [Planner(name, writer.stored(name), derive) for name in writer.tenants(None) if name != tenant]
            read_anew(writer, [other.finish(lambda metadata: False) for other in others], tell)
            tell("commit", 0, 1)
            writer.commit()
            tell("commit", 1, 1)
        finally:
            writer.abort()
        return writer.name


def fresh_spec(spec: IndexSpec, chunks: Iterable[Document]) -> IndexSpec:
    """The spec with the average length of these chunks, parents aside."""
    searched = [c for c in chunks if c.metadata.get("kind") != PARENT]
    average = average_length([c.page_content for c in searched], [str(c.metadata["language"]) for c in searched])
    return replace(spec, average_length=round(average, 2))


def derive(piece: Document) -> Mapping[str, list[str]]:
    """Identifiers that a chunk defines and mentions, the names by which links reach it, and what it refers to."""
    heading, source = str(piece.metadata.get("heading_path", "")), str(piece.metadata.get("source", ""))
    defines, mentions = index_identifiers(piece.page_content, heading)
    references = find_references(piece.page_content, heading, source)
    return {
        "defines": [*defines, *link_anchors(source, heading)] if source else defines,
        "mentions": mentions,
        "references": [name for name in references if name not in defines],
    }


class TokenLengths:
    """The average length of the chunks of a first ingest, known when all were seen; their tokens are kept for the weights."""

    def __init__(self) -> None:
        self._tokens = self._chunks = 0

    def note(self, piece: Document) -> array[int]:
        """The indices of a chunk's tokens, which are counted in."""
        tokens = token_indices(piece.page_content, str(piece.metadata["language"]))
        self._tokens += len(tokens)
        self._chunks += 1
        return tokens

    @property
    def average(self) -> float:
        """Tokens a chunk, rounded as the index holds it; a default where there is no token at all."""
        return round(self._tokens / self._chunks, 2) if self._tokens else DEFAULT_AVERAGE_LENGTH


def write_plans(writer: IndexWriter, plans: Sequence[Plan], ahead: EncodingAhead, tell: Progress) -> None:
    """Everything that the plans ask for, of all tenants, with the vectors of what is encoded. Nothing is committed here."""
    bm25 = Bm25(average_length=writer.spec.average_length)
    # Read before anything is written: a text that moved may stand under an id that another chunk is about to take.
    known = {(plan.tenant, at): row for plan in plans for at, row in _known_vectors(writer, plan, ahead).items()}
    for plan in plans:
        writer.delete(plan.tenant, plan.remove)
    rewrites = [
        (piece, known[plan.tenant, source] if source else None) for plan in plans for piece, source in plan.rewrite
    ]
    for done, batch in _batched(rewrites):
        _upsert(writer, [(Awaited(piece), [] if row is None else row.tolist()) for piece, row in batch], bm25)
        tell("write", done, len(rewrites))
    _embed(writer, ahead, bm25, tell)


def read_anew(writer: IndexWriter, plans: Sequence[Plan], tell: Progress) -> int:
    """Read everything that stays as it is with today's code, and write it with the vectors it has; how many chunks those are.

    Only what an ingest of ours wrote is read: another program's points stay as that program left them.
    """
    bm25 = Bm25(average_length=writer.spec.average_length)
    staying = [(plan.tenant, *one) for plan in plans for one in plan.stay.items() if "text_hash" in one[1]]
    chunks = 0
    for done, batch in _batched(staying):
        by_tenant: defaultdict[str, dict[str, Mapping[str, Any]]] = defaultdict(dict)
        for tenant, chunk_id, metadata in batch:
            by_tenant[tenant][chunk_id] = metadata
        for tenant, held in by_tenant.items():
            texts, vectors = writer.texts(tenant, list(held)), writer.vectors(tenant, list(held))
            pairs = []
            for chunk_id, text in texts.items():
                vector = [] if held[chunk_id].get("kind") == PARENT else vectors.get(chunk_id)
                if vector is not None:
                    pairs.append((Awaited(_read(chunk_id, text, held[chunk_id])), vector))
            _upsert(writer, pairs, bm25)
            chunks += sum(bool(vector) for _, vector in pairs)
        tell("write", done, len(staying))
    return chunks


def _read(chunk_id: str, text: str, metadata: Mapping[str, Any]) -> Document:
    """A stored chunk with what is read off it anew."""
    kept = {key: value for key, value in metadata.items() if key not in DERIVED_KEYS}
    piece = Document(id=chunk_id, page_content=text, metadata=kept)
    piece.metadata.update(derive(piece))
    return piece


def _embed(writer: IndexWriter, ahead: EncodingAhead, bm25: Bm25, tell: Progress) -> None:
    """Take what is encoded while another thread weighs, writes and waits for the store."""
    waiting: deque[Future[None]] = deque()
    done = 0
    batch: list[tuple[Awaited, Rows]] = []
    with ThreadPoolExecutor(1, thread_name_prefix="ingest-write") as pool:

        def write() -> None:
            waiting.append(pool.submit(_upsert_rows, writer, batch, bm25))
            if len(waiting) > _AHEAD:
                waiting.popleft().result()

        for chunks, rows in ahead.encoded():
            batch.extend(zip(chunks, rows, strict=True))
            done += len(chunks)
            if len(batch) >= _EMBEDDED_BATCH:
                write()
                batch = []
            tell("embed", done, ahead.added)
        if batch:
            write()
        for future in waiting:
            future.result()


def _upsert_rows(writer: IndexWriter, pairs: Sequence[tuple[Awaited, Rows]], bm25: Bm25) -> None:
    _upsert(writer, [(chunk, row.tolist()) for chunk, row in pairs], bm25)


def _upsert(writer: IndexWriter, pairs: Sequence[tuple[Awaited, list[float]]], bm25: Bm25) -> None:
    points = []
    for chunk, row in pairs:
        piece, tokens = chunk.piece, chunk.tokens
        if tokens is None:
            tokens = token_indices(piece.page_content, str(piece.metadata["language"]))
        weights = bm25.embed_indices(tokens)
        points.append(ChunkPoint(piece, row, Sparse(tuple(weights.indices), tuple(weights.values))))
    writer.upsert(points)


def _known_vectors(writer: IndexWriter, plan: Plan, ahead: EncodingAhead) -> dict[str, Rows]:
    wanted = sorted({source for _, source in plan.rewrite if source is not None})
    out: dict[str, Rows] = {}
    for _, batch in _batched(wanted):
        vectors = writer.vectors(plan.tenant, batch)
        out.update({at: np.asarray(vector, dtype=np.float32) for at, vector in vectors.items()})
    lost = [pair for pair in plan.rewrite if pair[1] is not None and pair[1] not in out]
    if lost:  # a point without its vector, which only another program can have left
        for piece, _ in lost:
            ahead.add(Awaited(piece))
        plan.embedded += len(lost)
        plan.rewrite = [pair for pair in plan.rewrite if pair not in lost]
    return out


def _batched(items: Sequence[T]) -> Iterable[tuple[int, list[T]]]:
    rest = iter(items)
    done = 0
    while batch := list(islice(rest, _BATCH)):
        done += len(batch)
        yield done, batch
