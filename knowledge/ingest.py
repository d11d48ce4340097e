"""Ingest: load, chunk, embed what changed, write it, remove what went; then switch in one step.

A folder owns what came from it for the tenant it was ingested as: a document that is no longer there goes, and what came from
elsewhere stays. The live index is never touched; a copy is changed beside it, so a run that dies leaves nothing but a folder that
nobody points to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from langchain_core.documents import Document

from knowledge.chunking import ChunkingDefaults
from knowledge.documents import DEFAULT_TENANT
from knowledge.embedding import EmbeddingModel
from knowledge.index.layout import PARENT
from knowledge.index.locate import check_embedding
from knowledge.index.port import IndexSpec, IndexStore, IndexWriter
from knowledge.index.version_files import check_new_name, lost
from knowledge.ingest_encode import Awaited, EncodingAhead
from knowledge.ingest_load import CutDocument, Loaded, load_and_cut
from knowledge.ingest_plan import READING, Moved, Plan, Planner, path_of
from knowledge.ingest_write import Progress, TokenLengths, derive, read_anew, write_plans
from knowledge.loading import Failure


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest did. Parents are not counted.

    Attributes:
        documents: loaded and indexed, changed or not.
        chunks: that they have.
        embedded: chunks whose text was embedded.
        unchanged: chunks that were not even written, unless ``read_anew`` says so.
        removed: chunks taken out.
        failed: files that could not be used, each with its reason; what the index held of them stays.
        notes: what a user may want to know and need not act on.
        index: the version that holds it all; ``None`` when nothing has ever been indexed.
        moved: documents recognised in another file or under another id.
        read_anew: chunks of the whole index whose identifiers and tokens were read by other code before and are now read by
            this one, with the vectors they had.
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
    read_anew: int = 0


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
    with store.lock(), EncodingAhead(embedding) as ahead:
        if build is not None:
            check_new_name(build, (info.name for info in store.versions()))
        base = None if build is not None else store.live()
        spec, outdated = _spec_of(store, base, embedding, defaults)
        loaded = Loaded(tenant)
        held = store.writer(spec, base=base) if base is not None else None
        plans = Planning(held, loaded)
        lengths = TokenLengths() if base is None else None
        plans.take_all(load_and_cut(paths, loaded, spec, defaults, embedding, tell), ahead, lengths)
        planned = plans.finish(outdated)
        if lengths is not None:
            spec = replace(spec, average_length=lengths.average)
        spec = replace(spec, fields=tuple(sorted({*spec.fields, *loaded.fields})))
        writer = held if held is not None and held.spec == spec else store.writer(spec, base=base, name=build)
        try:
            empty = all(plan.empty for plan in planned) and not outdated
            read = 0
            if not empty:
                write_plans(writer, planned, ahead, tell)
                read = read_anew(writer, planned, tell) if outdated else 0
                tell("commit", 0, 1)
                writer.commit(live=build is None)
                tell("commit", 1, 1)
        finally:
            writer.abort()
        embedded = sum(plan.embedded for plan in planned)
        return IngestReport(
            documents=plans.documents,
            chunks=plans.chunks,
            embedded=embedded,
            unchanged=sum(plan.unchanged for plan in planned),
            removed=sum(plan.removed for plan in planned),
            failed=loaded.failed,
            notes=[*loaded.notes, *_told_anew(read, embedded)],
            index=base if empty else writer.name,
            moved=[moved for plan in planned for moved in plan.moved if not Path(moved.old).exists()],
            read_anew=read,
        )


def _told_anew(read: int, embedded: int) -> list[str]:
    if not read:
        return []
    vectors = "with the vectors they had" if embedded else "nothing embedded"
    chunks = "1 chunk" if read == 1 else f"{read:,} chunks"
    return [f"The index was read by another version of this program; read anew: {chunks}, {vectors}."]


def _spec_of(
    store: IndexStore, base: str | None, embedding: EmbeddingModel, defaults: ChunkingDefaults
) -> tuple[IndexSpec, bool]:
    """What the version is built with, and whether the one that it starts from was read by other code."""
    if base is None:
        fresh = IndexSpec(
            embedding=embedding.name,
            dimension=embedding.dimension,
            chunking=defaults.label,
            average_length=1.0,
            reading=READING,
        )
        return fresh, False
    specs = {info.name: info.spec for info in store.versions()}
    if base not in specs:
        raise lost(base, specs)
    spec = specs[base]
    check_embedding(spec.embedding, embedding.name)
    return replace(spec, chunking=defaults.label, reading=READING), spec.reading != READING


class Planning:
    """The plans of all tenants, document by document.

    Attributes:
        documents: taken; one whose id belongs to another file is none.
        chunks: that they have, without parents.
    """

    def __init__(self, held: IndexWriter | None, loaded: Loaded) -> None:
        self._held, self._loaded = held, loaded
        self._planners: dict[str, Planner] = {}
        self._ids: defaultdict[str, set[str]] = defaultdict(set)
        self._files: defaultdict[str, set[str]] = defaultdict(set)
        self.documents = 0
        self.chunks = 0

    def take_all(self, documents: Iterable[CutDocument], ahead: EncodingAhead, lengths: TokenLengths | None) -> None:
        """Plan all documents and have their new texts encoded; nothing of them is kept here, so that what is written can go."""
        for document in documents:
            for piece in self._take(document):
                ahead.add(Awaited(piece, lengths.note(piece) if lengths else None))

    def _take(self, document: CutDocument) -> Iterator[Document]:
        """Plan a document, and give those of its chunks that are to be embedded."""
        planner = self._of(document.tenant)
        other = planner.other_file(document.document_id, document.file, document.chunks)
        if other is not None:
            self._loaded.fail(document.clash(other), document.root)
            return
        self.documents += 1
        self.chunks += sum(piece.metadata.get("kind") != PARENT for piece in document.chunks)
        self._ids[document.tenant].add(document.document_id)
        self._files[document.tenant].add(document.file)
        yield from planner.take(document.chunks)

    def finish(self, everyone: bool) -> list[Plan]:
        """The plans by tenant, those of tenants whose documents are all gone too; of ``everyone`` in the index where asked."""
        held = self._held.tenants(None if everyone else sorted(self._loaded.folders)) if self._held else ()
        return [self._of(tenant).finish(self._gone(tenant)) for tenant in sorted({*self._planners, *held})]

    def _of(self, tenant: str) -> Planner:
        if tenant not in self._planners:
            stored = self._held.stored(tenant) if self._held else {}
            self._planners[tenant] = Planner(tenant, stored, derive)
        return self._planners[tenant]

    def _gone(self, tenant: str) -> Callable[[Mapping[str, Any]], bool]:
        """Whether a stored chunk, which no loaded document has any more, is to go."""
        loaded, ids, files = self._loaded, self._ids[tenant], self._files[tenant]
        kept = {str(path) for path in loaded.kept}

        def gone(metadata: Mapping[str, Any]) -> bool:
            file = path_of(metadata)
            if metadata.get("document_id") in ids or file in files:
                return True
            owned = metadata.get("source_root") in loaded.folders and metadata.get("ingested_as") == loaded.tenant
            return owned and not kept & {file, *map(str, PurePath(file).parents)}

        return gone
