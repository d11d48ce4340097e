"""The first half of an ingest: files to chunks, one text in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath

from langchain_core.documents import Document

from knowledge.chunking import ChunkingDefaults, chunk_by
from knowledge.documents import SourceDocument
from knowledge.embedding import EmbeddingModel
from knowledge.errors import BadInput
from knowledge.index.port import IndexSpec
from knowledge.ingest_plan import text_hash
from knowledge.ingest_write import Progress
from knowledge.loading import Failure, discover, iterate_found
from knowledge.loading.files import is_folder
from knowledge.manifest import MANIFEST_NAME


@dataclass(frozen=True, slots=True)
class CutDocument:
    """A document that was read and cut; its text is let go of. ``file`` is where it came from."""

    document_id: str
    tenant: str
    source: str
    root: str
    file: str
    chunks: list[Document]

    def clash(self, other: str) -> Failure:
        """Why it can't be indexed when another file has its id."""
        return Failure(
            self.source,
            f"has the document id {self.document_id!r}, which is that of {other}: give one of them an 'id' in the manifest",
        )


@dataclass(slots=True)
class Loaded:
    """What is known beside the documents: further fields, folders read whole, failures, and paths that keep what they have."""

    tenant: str
    fields: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)
    failed: list[Failure] = field(default_factory=list)
    kept: list[PurePath] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def fail(self, failure: Failure, root: str) -> None:
        """Note a failure. What the index holds of a file that is there and can't be used today stays, and so does what a
        folder holds whose manifest can't be used."""
        self.failed.append(failure)
        path = Path(root) / failure.file
        if _may_be_there(path):
            self.kept.append(path.parent if path.name == MANIFEST_NAME else path)


def load_and_cut(
    paths: Sequence[Path],
    loaded: Loaded,
    spec: IndexSpec,
    defaults: ChunkingDefaults,
    embedding: EmbeddingModel,
    tell: Progress,
) -> Iterator[CutDocument]:
    """Read and cut one document at a time; ``loaded`` is filled as they come.

    One document an id: a file that was named twice counts once, and another file with the same id is a failure.
    """
    found = [(path, discover([path])) for path in paths]
    total = len({(file.root, file.source) for _, discovery in found for file in discovery.files})
    tell("load", 0, total)
    taken: dict[tuple[str, str], str] = {}
    done = 0
    for path, discovery in found:
        folder = is_folder(path)
        root = str((path if folder else path.parent).resolve())
        if folder:
            loaded.folders.add(root)
        for item in iterate_found(discovery, tenant=loaded.tenant, notes=loaded.notes):
            if isinstance(item, Failure):
                loaded.fail(item, root)
                continue
            document = _cut(item, loaded, spec, defaults, embedding)
            if document is None:
                continue
            done += 1
            tell("load", min(done, total), total)
            key = document.tenant, document.document_id
            if key not in taken:
                taken[key] = document.file
                yield document
            elif taken[key] != document.file:
                loaded.fail(document.clash(taken[key]), document.root)
    tell("load", total, total)


def _cut(
    document: SourceDocument, loaded: Loaded, spec: IndexSpec, defaults: ChunkingDefaults, embedding: EmbeddingModel
) -> CutDocument | None:
    try:
        options = defaults.options_for(document)
        pieces = chunk_by(document, options, embed=embedding.embed_documents)
    except BadInput as error:
        loaded.fail(Failure(document.source, error.message), document.root)
        return None
    about = {
        "index_version": replace(spec, chunking=options.label).version,
        "source_root": document.root,
        "ingested_as": loaded.tenant,
    }
    for piece in pieces:
        piece.metadata |= {"text_hash": text_hash(piece.page_content), **about}
    loaded.fields |= set(document.extra)
    file = str(PurePath(document.root) / document.source)
    return CutDocument(document.document_id, document.tenant, document.source, document.root, file, pieces)


def _may_be_there(path: Path) -> bool:
    """Whether there is such a file; one that can't even be looked at may be there, so what the index holds of it stays."""
    try:
        return path.exists()
    except OSError:
        return True
