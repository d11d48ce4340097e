"""An index of its own for every set: built once from the set's documents, kept, and found again by what it was built from.

A BEIR corpus is read as a user's documents would be: each record becomes a document of its title and text, cut by the same
chunker, and a chunk is judged as its record. Records whose ids say that they are pieces of one page (``page#0``, ``page#1``)
are kept together as one document, since that is what they are.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from evals.golden import CORPUS, GoldenSet, is_beir, records
from evals.running import RECORD, names_of
from graph.resources import Resources
from knowledge import calibration
from knowledge.errors import BadInput
from nodes.context import resolve

if TYPE_CHECKING:
    from langchain_core.documents import Document

    from graph.settings import Settings
    from knowledge.index.port import ChunkIndex
    from knowledge.ingest_write import Progress
    from knowledge.scope import Scope

#: Holds the hash of the code that built the index.
_BUILT_BY = "built-by"
#: Goes into the folder's name, so that an index built by another reading of the corpus is not taken for this one.
_LAYOUT = "1"
_PIECE = re.compile(r"(?P<page>.+)#\d+")

#: Longer than any question of the sets: evaluation measures retrieval, below the door that bounds a user's question.
MAX_QUESTION_CHARACTERS = 100_000


class SetResources(Resources):
    """Resources over a set's own index, with the thresholds that were calibrated for the user's: same models, same threshold."""

    def __init__(self, settings: Settings, *, home: Path) -> None:
        super().__init__(settings)
        self._home = home

    def threshold(self, index_version: str, reranker: str) -> float | None:
        """As the user's own index has it."""
        key = calibration.key_of(embedding=self.embedding.name, reranker=reranker, index_version=index_version)
        return calibration.load(self._home / calibration.FILE, key)


def open_set(
    golden: GoldenSet, settings: Settings, *, documents: Path | None = None, progress: Progress | None = None
) -> Resources:
    """Resources over the index that the set is about: the live one, or one of its own, which is built when it is not there yet.

    ``documents`` (a folder or BEIR folder) overrides the set's own. Raises ``BadInput`` for a folder that can't be used, and what
    an ingest raises.
    """
    home = settings.data
    settings = settings.model_copy(update={"max_question_characters": MAX_QUESTION_CHARACTERS})
    folder = documents or golden.documents
    if folder is None:
        return Resources(settings)
    if not folder.is_dir():
        raise BadInput(f"{folder} is not a folder of documents.", field="documents")
    data = folder_for(folder, settings)
    own = settings.model_copy(update={"data": data, "qdrant_url": None})
    resources = SetResources(own, home=home)
    if is_beir(folder):
        build_from_corpus(folder, resources, progress)
    else:
        _build_from_files(folder, resources, progress)
    return resources


def folder_for(documents: Path, settings: Settings) -> Path:
    """``DATA/eval/<name>-<hash>``: the hash is over the documents' content, the embedding model and the chunk sizes."""
    digest = hashlib.sha256()
    for part in (_LAYOUT, settings.embedding, settings.tenant, settings.chunk_limit, settings.chunk_overlap):
        digest.update(f"{part}\x00".encode())
    files = (
        [documents / CORPUS] if is_beir(documents) else sorted(file for file in documents.rglob("*") if file.is_file())
    )
    for file in files:
        digest.update(file.relative_to(documents).as_posix().encode() + b"\x00")
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return settings.data / "eval" / f"{documents.resolve().name}-{digest.hexdigest()[:12]}"


def corpus_chunks(folder: Path, chunk_record: Callable[[str, str, str], list[Document]]) -> Iterator[Document]:
    """The chunks of a BEIR corpus. ``chunk_record`` cuts a record (id, title, text); each chunk learns its record and page."""
    positions: dict[str, int] = {}
    for record in records(folder / CORPUS):
        if "_id" not in record:
            raise BadInput(f"{folder / CORPUS}: every record needs '_id'.")
        name = str(record["_id"])
        piece_of = _PIECE.fullmatch(name)
        page = piece_of["page"] if piece_of else name
        for chunk in chunk_record(name, str(record.get("title") or ""), str(record.get("text") or "")):
            positions[page] = positions.get(page, 0) + 1
            chunk.metadata |= {"document_id": page, RECORD: name, "position": positions[page]}
            yield chunk


def build_from_corpus(folder: Path, resources: Resources, progress: Progress | None) -> None:
    """Ingest the corpus into the resources' own index, unless that is done."""
    from knowledge.chunking import ChunkingDefaults, chunk
    from knowledge.documents import SourceDocument
    from knowledge.index.locate import open_store
    from knowledge.ingest_write import index_chunks
    from knowledge.languages import detect_language

    settings, embedding = resources.settings, resources.embedding
    store = open_store(settings.index_location())
    if _is_current(settings.data) and store.live() is not None:
        return
    defaults = ChunkingDefaults(limit=settings.chunk_limit, overlap=settings.chunk_overlap)

    def chunk_record(name: str, title: str, text: str) -> list[Document]:
        return chunk(
            SourceDocument(
                document_id=name,
                title=title,
                text=text,
                source=name,
                root=str(folder.resolve()),
                tenant=settings.tenant,
                language=detect_language(f"{title}\n{text}"),
            ),
            defaults,
        )

    chunks = list(corpus_chunks(folder, chunk_record))
    if not chunks:
        raise BadInput(f"{folder / CORPUS} holds no text.")
    index_chunks(
        chunks, store=store, embedding=embedding, label=defaults.label, tenant=settings.tenant, progress=progress
    )
    _mark_current(settings.data)


def _build_from_files(folder: Path, resources: Resources, progress: Progress | None) -> None:
    from knowledge.chunking import ChunkingDefaults
    from knowledge.index.locate import open_store
    from knowledge.ingest import ingest

    settings = resources.settings
    store = open_store(settings.index_location())
    if _is_current(settings.data) and store.live() is not None:
        return
    shutil.rmtree(settings.data, ignore_errors=True)
    report = ingest(
        [folder],
        store=store,
        embedding=resources.embedding,
        defaults=ChunkingDefaults(limit=settings.chunk_limit, overlap=settings.chunk_overlap),
        tenant=settings.tenant,
        progress=progress,
    )
    if report.failed:
        raise BadInput(f"{folder}: {report.failed[0].file}: {report.failed[0].reason}")
    _mark_current(settings.data)


def _is_current(data: Path) -> bool:
    """Whether the index was built by this very code: what it reads off a text may differ from one release to the next."""
    mark = data / _BUILT_BY
    return mark.is_file() and mark.read_text(encoding="utf-8") == _code_hash()


def _mark_current(data: Path) -> None:
    (data / _BUILT_BY).write_text(_code_hash(), encoding="utf-8")


@cache
def _code_hash() -> str:
    digest = hashlib.sha256()
    for file in sorted(Path(str(files("knowledge"))).rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


async def absent(golden: GoldenSet, resources: Resources) -> list[str]:
    """Needed ids that the index holds nothing of, in the order of the questions: a typing error, or documents not ingested."""
    wanted = list(dict.fromkeys(name for item in golden.items for name in item.needed))
    if golden.judges == "documents":
        held = {str(record.get("_id")) for record in records(golden.path / CORPUS)}
    else:
        scope = resolve(None, resources.settings.defaults()).scope
        held = await _held(await resources.open_index(), wanted, scope)
    return [name for name in wanted if name not in held]


async def _held(index: ChunkIndex, wanted: list[str], scope: Scope) -> set[str]:
    scope = replace(scope, include_repealed=True)
    held = {str(chunk.id) for chunk in await index.fetch(wanted, scope)}
    if set(wanted) <= held:
        return held
    for chunk in await index.documents(scope):
        held |= names_of(str(chunk.id), chunk)
    return held
