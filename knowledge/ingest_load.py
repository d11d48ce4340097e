"""The first half of an ingest: files to chunks, one text in memory at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath

from langchain_core.documents import Document

from knowledge.chunking import ChunkingDefaults, chunk
from knowledge.documents import SourceDocument
from knowledge.embedding import EmbeddingModel
from knowledge.errors import BadInput
from knowledge.index.port import IndexSpec
from knowledge.ingest_plan import text_hash
from knowledge.ingest_write import Progress
from knowledge.loading import Failure, discover, iterate
from knowledge.loading.files import is_folder
from knowledge.manifest import MANIFEST_NAME


@dataclass(slots=True)
class CutDocument:
    """A document that was read and cut; its text is let go of."""

    document_id: str
    tenant: str
    source: str
    root: str
    chunks: list[Document]

    @property
    def file(self) -> str:
        """The file it came from."""
        return str(PurePath(self.root) / self.source)

    def clash(self, other: str) -> Failure:
        """Why it can't be indexed when another file has its id."""
        return Failure(
            self.source,
            f"has the document id {self.document_id!r}, which is that of {other}: give one of them an 'id' in the manifest",
        )


@dataclass(slots=True)
class Loaded:
    """Everything read: documents, further fields seen, folders read whole, failures, and the paths that keep what they have."""

    tenant: str
    documents: list[CutDocument] = field(default_factory=list)
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
    tenant: str,
    spec: IndexSpec,
    defaults: ChunkingDefaults,
    embedding: EmbeddingModel,
    tell: Progress,
) -> Loaded:
    """Read and cut one document at a time, so that no more than one text is held beside the chunks."""
    loaded = Loaded(tenant)
    total = len(discover(paths).files)
    tell("load", 0, total)
    for path in paths:
        folder = is_folder(path)
        root = str((path if folder else path.parent).resolve())
        if folder:
            loaded.folders.add(root)
        for item in iterate([path], tenant=tenant, notes=loaded.notes):
            if isinstance(item, Failure):
                loaded.fail(item, root)
            else:
                _cut(item, loaded, spec, defaults, embedding)
                tell("load", min(len(loaded.documents), total), total)
    loaded.documents = _first_of_each_id(loaded)
    tell("load", total, total)
    return loaded


def _cut(
    document: SourceDocument, loaded: Loaded, spec: IndexSpec, defaults: ChunkingDefaults, embedding: EmbeddingModel
) -> None:
    try:
        label = defaults.options_for(document).label
        pieces = chunk(document, defaults, embed=embedding.embed_documents)
    except BadInput as error:
        loaded.fail(Failure(document.source, error.message), document.root)
        return
    about = {
        "index_version": replace(spec, chunking=label).version,
        "source_root": document.root,
        "ingested_as": loaded.tenant,
    }
    for piece in pieces:
        piece.metadata |= {"text_hash": text_hash(piece.page_content), **about}
    loaded.fields |= set(document.extra)
    loaded.documents.append(CutDocument(document.document_id, document.tenant, document.source, document.root, pieces))


def _may_be_there(path: Path) -> bool:
    """Whether there is such a file; one that can't even be looked at may be there, so what the index holds of it stays."""
    try:
        return path.exists()
    except OSError:
        return True


def _first_of_each_id(loaded: Loaded) -> list[CutDocument]:
    """One document an id; a file that was named twice counts once, and another file with the same id is a failure."""
    taken: dict[tuple[str, str], str] = {}
    out = []
    for document in loaded.documents:
        key = (document.tenant, document.document_id)
        if key not in taken:
            taken[key] = document.file
            out.append(document)
        elif taken[key] != document.file:
            loaded.fail(document.clash(taken[key]), document.root)
    return out
