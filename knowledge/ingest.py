"""Ingest: load, chunk, embed what changed, write it, remove what went; then switch in one step.

A folder owns what came from it for the tenant it was ingested as: a document that is no longer there goes, and what came from
elsewhere stays. The live index is never touched; a copy is changed beside it, so a run that dies leaves nothing but a folder that
nobody points to.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from knowledge.chunking import ChunkingDefaults
from knowledge.documents import DEFAULT_TENANT
from knowledge.embedding import EmbeddingModel
from knowledge.index.locate import check_embedding
from knowledge.index.port import PARENT, IndexSpec, IndexStore, IndexWriter
from knowledge.index.version_files import check_new_name, lost
from knowledge.ingest_load import CutDocument, Loaded, load_and_cut
from knowledge.ingest_plan import Moved, Plan, make_plan, path_of
from knowledge.ingest_write import Progress, derive, fresh_spec, write_plans
from knowledge.loading import Failure


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest did. Parents are not counted.

    Attributes:
        documents: loaded and indexed, changed or not.
        chunks: that they have.
        embedded: chunks whose text was embedded.
        unchanged: chunks that were not even written.
        removed: chunks taken out.
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
        BadInput: the version's name can't be used.
        ModelUnavailable, IndexUnavailable: the live index stays as it was.
    """
    tell = progress or (lambda step, done, total: None)
    defaults = defaults or ChunkingDefaults()
    with store.lock():
        if build is not None:
            check_new_name(build, (info.name for info in store.versions()))
        base = None if build is not None else store.live()
        spec = _spec_of(store, base, embedding, defaults)
        loaded = load_and_cut(paths, tenant, spec, defaults, embedding, tell)
        if base is None:
            spec = fresh_spec(spec, [piece for document in loaded.documents for piece in document.chunks])
        spec = replace(spec, fields=tuple(sorted({*spec.fields, *loaded.fields})))
        writer = store.writer(spec, base=base, name=build)
        try:
            plans = _plans(writer, loaded)
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
            chunks=sum(piece.metadata.get("kind") != PARENT for one in loaded.documents for piece in one.chunks),
            embedded=sum(len(plan.embed) for plan in plans),
            unchanged=sum(plan.unchanged for plan in plans),
            removed=sum(plan.removed for plan in plans),
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
    specs = {info.name: info.spec for info in store.versions()}
    if base not in specs:
        raise lost(base, specs)
    spec = specs[base]
    check_embedding(spec.embedding, embedding.name)
    return replace(spec, chunking=defaults.label)


def _plans(writer: IndexWriter, loaded: Loaded) -> list[Plan]:
    tenants = {document.tenant for document in loaded.documents}
    plans = []
    for tenant in sorted({*tenants, *writer.tenants(sorted(loaded.folders))}):
        stored = writer.stored(tenant)
        documents = _without_clashes(tenant, stored, loaded)
        pieces = [piece for document in documents for piece in document.chunks]
        plans.append(make_plan(tenant, pieces, stored, derive=derive, gone=_gone(documents, loaded)))
    return plans


def _gone(documents: Sequence[CutDocument], loaded: Loaded) -> Callable[[Mapping[str, Any]], bool]:
    """Whether a stored chunk, which no loaded document has any more, is to go."""
    ids = {document.document_id for document in documents}
    files = {document.file for document in documents}
    kept = {str(path) for path in loaded.kept}

    def gone(metadata: Mapping[str, Any]) -> bool:
        file = path_of(metadata)
        if metadata.get("document_id") in ids or file in files:
            return True
        owned = metadata.get("source_root") in loaded.folders and metadata.get("ingested_as") == loaded.tenant
        return owned and not kept & {file, *map(str, PurePath(file).parents)}

    return gone


def _without_clashes(tenant: str, stored: Mapping[str, Mapping[str, Any]], loaded: Loaded) -> list[CutDocument]:
    """The tenant's documents, less those whose id belongs to another file that is still there with another text."""
    owners: defaultdict[str, set[str]] = defaultdict(set)
    texts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for metadata in stored.values():
        owners[str(metadata.get("document_id"))].add(path_of(metadata))
        texts[str(metadata.get("document_id"))][str(metadata.get("text_hash"))] += 1
    accepted = []
    for document in [one for one in loaded.documents if one.tenant == tenant]:
        others = [other for other in owners[document.document_id] if other != document.file and Path(other).is_file()]
        same = Counter(str(piece.metadata["text_hash"]) for piece in document.chunks) == texts[document.document_id]
        if others and not same:
            loaded.fail(document.clash(others[0]), document.root)
            loaded.documents.remove(document)
        else:
            accepted.append(document)
    return accepted
