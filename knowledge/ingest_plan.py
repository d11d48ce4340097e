"""What an ingest has to do, decided before anything is written: plain functions on plain values.

A chunk is told apart by its id and by the hash of its text. The same text is never embedded twice: where only its place or its
metadata changed, it is written again with the vector it had.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from langchain_core.documents import Document

from knowledge.index.port import PARENT

#: Read off a chunk's text and headings, so that they need not be read again while those stay as they were.
DERIVED_KEYS = ("defines", "mentions", "references")


@dataclass(frozen=True, slots=True)
class Moved:
    """A document that stands in another file, or under another id, with the text it had."""

    old: str
    new: str


@dataclass(slots=True)
class Plan:
    """What to do for one tenant.

    Attributes:
        embed: chunks whose text is new.
        rewrite: chunks whose text is known: the chunk, and the stored chunk id whose vector it takes (none for a parent).
        remove: stored ids that go, parents' too.
        removed: chunks among them.
        unchanged: chunks that stay as they are.
        moved: documents recognised by their text.
    """

    tenant: str
    embed: list[Document] = field(default_factory=list)
    rewrite: list[tuple[Document, str | None]] = field(default_factory=list)
    remove: list[str] = field(default_factory=list)
    removed: int = 0
    unchanged: int = 0
    moved: list[Moved] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        """Nothing to write."""
        return not (self.embed or self.rewrite or self.remove)


def text_hash(text: str) -> str:
    """The first half of a text's SHA-256, in hex: 128 bits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def path_of(metadata: Mapping[str, Any]) -> str:
    """The file that a stored chunk came from."""
    return str(PurePath(str(metadata.get("source_root", ""))) / str(metadata.get("source", "")))


def make_plan(
    tenant: str,
    chunks: Sequence[Document],
    stored: Mapping[str, Mapping[str, Any]],
    *,
    derive: Callable[[Document], Mapping[str, list[str]]],
    gone: Callable[[Mapping[str, Any]], bool],
) -> Plan:
    """Compare what was loaded with what is stored.

    Args:
        tenant: whose chunks they are.
        chunks: all chunks and parents of the loaded documents, with final metadata but for the derived keys, added here.
        stored: metadata by chunk id of everything that the tenant has in the index.
        derive: reads identifiers and references off a chunk.
        gone: whether a stored chunk that no loaded document has any more is to be removed.
    """
    plan = Plan(tenant)
    vectors = {
        str(metadata["text_hash"]): chunk_id
        for chunk_id, metadata in stored.items()
        if metadata.get("kind") != PARENT and "text_hash" in metadata
    }
    for chunk in chunks:
        old = stored.get(str(chunk.id))
        if old is not None and _without(old) == chunk.metadata:
            plan.unchanged += chunk.metadata.get("kind") != PARENT
            continue
        chunk.metadata.update(derive(chunk))
        if chunk.metadata.get("kind") == PARENT:
            plan.rewrite.append((chunk, None))
        elif (known := vectors.get(str(chunk.metadata["text_hash"]))) is not None:
            plan.rewrite.append((chunk, known))
        else:
            plan.embed.append(chunk)
    ids = {str(chunk.id) for chunk in chunks}
    plan.remove = [chunk_id for chunk_id, metadata in stored.items() if chunk_id not in ids and gone(metadata)]
    plan.removed = sum(stored[chunk_id].get("kind") != PARENT for chunk_id in plan.remove)
    plan.moved = _moved(chunks, stored, set(plan.remove))
    return plan


def _without(metadata: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in metadata.items() if key not in DERIVED_KEYS}


def _moved(chunks: Iterable[Document], stored: Mapping[str, Mapping[str, Any]], removed: set[str]) -> list[Moved]:
    """Loaded documents whose texts, in order, are those of a stored document with another id or file."""
    before = _by_document((chunk_id, metadata) for chunk_id, metadata in stored.items())
    after = _by_document((str(chunk.id), chunk.metadata) for chunk in chunks)
    gone = {
        texts: (document_id, path)
        for document_id, (texts, path, ids) in before.items()
        if document_id not in after and ids <= removed
    }
    out = []
    for document_id, (texts, path, _) in after.items():
        if document_id in before:
            old_texts, old_path, _ = before[document_id]
            if old_path != path and old_texts == texts:
                out.append(Moved(old_path, path))
        elif texts in gone:
            out.append(Moved(gone[texts][1], path))
    return out


_Documents = dict[str, tuple[tuple[str, ...], str, set[str]]]


def _by_document(chunks: Iterable[tuple[str, Mapping[str, Any]]]) -> _Documents:
    """By document id: its texts' hashes in order, its file, its chunk ids."""
    parts: defaultdict[str, list[tuple[int, str, str, str]]] = defaultdict(list)
    for chunk_id, metadata in chunks:
        place = int(metadata.get("position") or 0)
        text = str(metadata.get("text_hash", ""))
        parts[str(metadata.get("document_id"))].append((place, chunk_id, text, path_of(metadata)))
    return {
        document_id: (tuple(text for _, _, text, _ in sorted(rows)), rows[0][3], {row[1] for row in rows})
        for document_id, rows in parts.items()
    }
