"""Ingest: load, chunk, embed what changed, write it, remove what went; then switch in one step.

A folder owns what came from it for the tenant it was ingested as: a document that is no longer there goes, and what came from
elsewhere stays. The live index is never touched; a copy is changed beside it, so a run that dies leaves nothing but a folder that
nobody points to.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from langchain_core.documents import Document

from knowledge.chunking import ChunkingDefaults, chunk
from knowledge.documents import DEFAULT_TENANT, SourceDocument
from knowledge.embedding import EmbeddingModel
from knowledge.errors import BadInput
from knowledge.index.locate import check_embedding
from knowledge.index.port import PARENT, IndexSpec, IndexStore, IndexWriter
from knowledge.ingest_plan import Moved, Plan, make_plan, path_of, text_hash
from knowledge.ingest_write import Progress, derive, fresh_spec, write_plans
from knowledge.loading import Failure, LoadReport, load


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest did.

    Attributes:
        documents: loaded and indexed, changed or not.
        chunks: that they have, parents aside.
        embedded: chunks whose text was embedded.
        unchanged: chunks and parents that were not written.
        removed: chunks and parents taken out.
        failed: files that could not be used, each with its reason; what the index held of them stays.
        notes: what a user may want to know and need not act on.
        index: the version that holds it all; ``None`` when nothing has ever been indexed.
        moved: documents recognised in another file or under another id.
    """

    documents: int
    chunks: int
    embedded: int
    unchanged: int
    removed: int
    failed: list[Failure]
    notes: list[str]
    index: str | None
    moved: list[Moved] = field(default_factory=list)


@dataclass(slots=True)
class _Loaded:
    tenant: str
    documents: list[SourceDocument] = field(default_factory=list)
    folders: set[str] = field(default_factory=set)
    failed: list[Failure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def ingest(
    paths: Sequence[Path],
    *,
    store: IndexStore,
    embedding: EmbeddingModel,
    defaults: ChunkingDefaults | None = None,
    tenant: str = DEFAULT_TENANT,
    progress: Progress | None = None,
    build: str | None = None,
) -> IngestReport:
    """Bring the index up to date with files and folders.

    Args:
        paths: folders (which own what came from them) and single files.
        store: where the index lives.
        embedding: the model; it must be the one that the index was built with.
        defaults: sizes of the default chunker.
        tenant: of documents whose manifest names none.
        progress: called as work goes on, from this thread.
        build: build a version of that name from these paths alone, beside the live one, and don't switch to it.

    Raises:
        IndexBusy: another ingest is running.
        IndexMismatch: the index was built with another embedding model.
        BadInput: a path does not exist, or the version's name can't be used.
        ModelUnavailable, IndexUnavailable: the live index stays as it was.
    """
    tell = progress or (lambda step, done, total: None)
    defaults = defaults or ChunkingDefaults()
    with store.lock():
        base = None if build else store.live()
        spec = _spec_of(store, base, embedding, defaults)
        loaded = _load(paths, tenant, tell)
        chunks = _chunk(loaded, spec, defaults, embedding, tell)
        if base is None:
            spec = fresh_spec(spec, [piece for pieces in chunks.values() for piece in pieces])
        spec = replace(spec, fields=tuple(sorted({*spec.fields, *_fields(loaded.documents)})))
        writer = store.writer(spec, base=base, name=build)
        try:
            plans = _plans(writer, chunks, loaded)
            empty = all(plan.empty for plan in plans)
            if not empty:
                write_plans(writer, plans, embedding, tell)
                tell("commit", 0, 1)
                writer.commit(live=build is None)
                tell("commit", 1, 1)
        finally:
            writer.abort()
        return IngestReport(
            documents=len(loaded.documents),
            chunks=sum(c.metadata.get("kind") != PARENT for cs in chunks.values() for c in cs),
            embedded=sum(len(plan.embed) for plan in plans),
            unchanged=sum(plan.unchanged for plan in plans),
            removed=sum(len(plan.remove) for plan in plans),
            failed=loaded.failed,
            notes=loaded.notes,
            index=base if empty else writer.name,
            moved=[moved for plan in plans for moved in plan.moved if not Path(moved.old).exists()],
        )


def _spec_of(store: IndexStore, base: str | None, embedding: EmbeddingModel, defaults: ChunkingDefaults) -> IndexSpec:
    if base is None:
        return IndexSpec(
            embedding=embedding.name, dimension=embedding.dimension, chunking=defaults.label, average_length=1.0
        )
    spec = next(info.spec for info in store.versions() if info.name == base)
    check_embedding(spec.embedding, embedding.name)
    return replace(spec, chunking=defaults.label)


def _fields(documents: Iterable[SourceDocument]) -> set[str]:
    return {key for document in documents for key in document.extra}


def _load(paths: Sequence[Path], tenant: str, tell: Progress) -> _Loaded:
    loaded = _Loaded(tenant)
    taken: dict[tuple[str, str], str] = {}
    for done, path in enumerate(paths):
        tell("load", done, len(paths))
        report: LoadReport = load([path], tenant=tenant)
        loaded.failed.extend(report.failed)
        loaded.notes.extend(report.notes)
        if path.is_dir():
            loaded.folders.add(str(path.resolve()))
        for document in report.documents:
            key, file = (document.tenant, document.document_id), _file(document)
            if key not in taken:
                taken[key] = file
                loaded.documents.append(document)
            elif taken[key] != file:  # the same file named twice is no clash
                loaded.failed.append(_clash(document, file, taken[key]))
    tell("load", len(paths), len(paths))
    return loaded


def _file(document: SourceDocument) -> str:
    return str(PurePath(document.root) / document.source)


def _clash(document: SourceDocument, file: str, other: str) -> Failure:
    return Failure(
        document.source,
        f"its document id {document.document_id!r} is already that of {other}: give {file} an id of its own in the manifest.",
    )


def _chunk(
    loaded: _Loaded, spec: IndexSpec, defaults: ChunkingDefaults, embedding: EmbeddingModel, tell: Progress
) -> dict[tuple[str, str], list[Document]]:
    """Chunks by tenant and document id; a document that can't be cut becomes a failure."""
    out: dict[tuple[str, str], list[Document]] = {}
    kept = []
    for done, document in enumerate(loaded.documents):
        tell("chunk", done, len(loaded.documents))
        try:
            label = defaults.options_for(document).label
            pieces = chunk(document, defaults, embed=embedding.embed_documents)
        except BadInput as error:
            loaded.failed.append(Failure(document.source, error.message))
            continue
        version = replace(spec, chunking=label).version
        for piece in pieces:
            piece.metadata |= {
                "text_hash": text_hash(piece.page_content),
                "index_version": version,
                "source_root": document.root,
                "ingested_as": loaded.tenant,
            }
        kept.append(document)
        out[document.tenant, document.document_id] = pieces
    loaded.documents = kept
    tell("chunk", len(kept), len(kept))
    return out


def _plans(writer: IndexWriter, chunks: dict[tuple[str, str], list[Document]], loaded: _Loaded) -> list[Plan]:
    by_tenant: defaultdict[str, list[str]] = defaultdict(list)
    for tenant, document_id in chunks:
        by_tenant[tenant].append(document_id)
    plans = []
    for tenant in sorted({*by_tenant, *writer.tenants(sorted(loaded.folders))}):
        stored = writer.stored(tenant)
        documents = _without_clashes(tenant, by_tenant[tenant], chunks, stored, loaded)
        files = {path_of(chunks[tenant, at][0].metadata) for at in documents if chunks[tenant, at]}
        pieces = [piece for at in by_tenant[tenant] if at in documents for piece in chunks[tenant, at]]
        plans.append(make_plan(tenant, pieces, stored, derive=derive, gone=_gone(documents, files, loaded)))
    return plans


def _gone(documents: set[str], files: set[str], loaded: _Loaded) -> Callable[[Mapping[str, Any]], bool]:
    """Whether a stored chunk, which no loaded document has any more, is to go."""
    failed = {failure.file for failure in loaded.failed}

    def gone(metadata: Mapping[str, Any]) -> bool:
        file = path_of(metadata)
        if metadata.get("document_id") in documents or file in files:
            return True
        owned = metadata.get("source_root") in loaded.folders and metadata.get("ingested_as") == loaded.tenant
        # A file that can't be read today has not gone: the index keeps what it held.
        return owned and not failed & {str(metadata.get("source")), file}

    return gone


def _without_clashes(
    tenant: str,
    document_ids: Iterable[str],
    chunks: dict[tuple[str, str], list[Document]],
    stored: Mapping[str, Mapping[str, Any]],
    loaded: _Loaded,
) -> set[str]:
    """The documents that may be written: not those whose id belongs to another file that is still there with another text."""
    owners: defaultdict[str, set[str]] = defaultdict(set)
    texts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for metadata in stored.values():
        owners[str(metadata.get("document_id"))].add(path_of(metadata))
        texts[str(metadata.get("document_id"))][str(metadata.get("text_hash"))] += 1
    accepted = set()
    for document in [d for d in loaded.documents if d.tenant == tenant and d.document_id in set(document_ids)]:
        at, file = document.document_id, _file(document)
        others = [other for other in owners[at] if other != file and Path(other).is_file()]
        same = Counter(str(piece.metadata["text_hash"]) for piece in chunks[tenant, at]) == texts[at]
        if others and not same:
            loaded.failed.append(_clash(document, file, others[0]))
            loaded.documents.remove(document)
            del chunks[tenant, at]
        else:
            accepted.add(at)
    return accepted
