"""What an ingest has to do, decided before anything is written: plain functions on plain values.

A chunk is told apart by its id and by the hash of its text. The same text is never embedded twice: where only its place or its
metadata changed, it is written again with the vector it had.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Any

from langchain_core.documents import Document

from knowledge.index.layout import PARENT

#: Read off a chunk's text and headings, so that they need not be read again while those stay as they were.
DERIVED_KEYS = ("defines", "mentions", "references")
#: The version of how texts are read: identifiers, references and the keyword search's tokens. Raise it when a text would be read
#: in another way than before; an index that was read by another version is then read anew by the next ingest.
READING = 1


@dataclass(frozen=True, slots=True)
class Moved:
    """A document that stands in another file, or under another id, with the text it had."""

    old: str
    new: str


@dataclass(slots=True)
class Plan:
    """What to do for one tenant.

    Attributes:
        embedded: how many chunks have a new text; they are not held here.
        rewrite: chunks whose text is known: the chunk, and the stored chunk id whose vector it takes (none for a parent).
        remove: stored ids that go, parents' too.
        removed: chunks among them.
        unchanged: chunks that stay as they are.
        stay: stored chunks and parents by id that are neither written nor removed, with their metadata.
        moved: documents recognised by their text.
    """

    tenant: str
    embedded: int = 0
    rewrite: list[tuple[Document, str | None]] = field(default_factory=list)
    remove: list[str] = field(default_factory=list)
    removed: int = 0
    unchanged: int = 0
    stay: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    moved: list[Moved] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        """Nothing to write."""
        return not (self.embedded or self.rewrite or self.remove)


def text_hash(text: str) -> str:
    """The first half of a text's SHA-256, in hex: 128 bits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@lru_cache(maxsize=256)
def _path(root: str, source: str) -> str:
    return str(PurePath(root) / source)


def path_of(metadata: Mapping[str, Any]) -> str:
    """The file that a stored chunk came from."""
    return _path(str(metadata.get("source_root", "")), str(metadata.get("source", "")))


class Planner:
    """Compares what one tenant's documents hold with what is stored, one document after another.

    Args:
        tenant: whose chunks they are.
        stored: metadata by chunk id of everything that the tenant has in the index.
        derive: reads identifiers and references off a chunk.
    """

    def __init__(
        self,
        tenant: str,
        stored: Mapping[str, Mapping[str, Any]],
        derive: Callable[[Document], Mapping[str, list[str]]],
    ) -> None:
        self._plan = Plan(tenant)
        self._stored = stored
        self._derive = derive
        self._loaded: _Parts = defaultdict(list)
        self._owners: defaultdict[str, set[str]] = defaultdict(set)
        self._texts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._vectors: dict[str, str] = {}
        for chunk_id, metadata in stored.items():
            text = str(metadata.get("text_hash"))
            self._owners[str(metadata.get("document_id"))].add(path_of(metadata))
            self._texts[str(metadata.get("document_id"))][text] += 1
            if metadata.get("kind") != PARENT and "text_hash" in metadata:
                self._vectors[text] = chunk_id

    def other_file(self, document_id: str, file: str, chunks: Sequence[Document]) -> str | None:
        """The file that has this id in the index, where it is another one that is still there with another text."""
        others = [other for other in self._owners.get(document_id, ()) if other != file and Path(other).is_file()]
        if not others or Counter(str(chunk.metadata["text_hash"]) for chunk in chunks) == self._texts[document_id]:
            return None
        return others[0]

    def take(self, chunks: Iterable[Document]) -> Iterator[Document]:
        """Plan a document's chunks and parents, with final metadata but for the derived keys, added here: those to embed."""
        plan = self._plan
        for chunk in chunks:
            if self._stored:  # else there is nothing that it could be compared with later
                _note(self._loaded, str(chunk.id), chunk.metadata)
                old = self._stored.get(str(chunk.id))
                if old is not None and _without(old) == chunk.metadata:
                    plan.unchanged += chunk.metadata.get("kind") != PARENT
                    plan.stay[str(chunk.id)] = old
                    continue
            chunk.metadata.update(self._derive(chunk))
            if chunk.metadata.get("kind") == PARENT:
                plan.rewrite.append((chunk, None))
            elif (known := self._vectors.get(str(chunk.metadata["text_hash"]))) is not None:
                plan.rewrite.append((chunk, known))
            else:
                plan.embedded += 1
                yield chunk

    def finish(self, gone: Callable[[Mapping[str, Any]], bool]) -> Plan:
        """The plan, when all documents were taken.

        ``gone`` says whether a stored chunk that no loaded document has any more is to be removed.
        """
        plan, stored = self._plan, self._stored
        ids = {chunk_id for rows in self._loaded.values() for _, chunk_id, _, _ in rows}
        for chunk_id, metadata in stored.items():
            if chunk_id not in ids and gone(metadata):
                plan.remove.append(chunk_id)
            elif chunk_id not in ids:
                plan.stay[chunk_id] = metadata
        plan.removed = sum(stored[chunk_id].get("kind") != PARENT for chunk_id in plan.remove)
        plan.moved = _moved(self._loaded, stored, set(plan.remove))
        return plan


def _without(metadata: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in metadata.items() if key not in DERIVED_KEYS}


#: By document id, of each chunk its place, its id, its text's hash and its file.
_Parts = defaultdict[str, list[tuple[int, str, str, str]]]


def _note(parts: _Parts, chunk_id: str, metadata: Mapping[str, Any]) -> None:
    row = int(metadata.get("position") or 0), chunk_id, str(metadata.get("text_hash", "")), path_of(metadata)
    parts[str(metadata.get("document_id"))].append(row)


def _moved(loaded: _Parts, stored: Mapping[str, Mapping[str, Any]], removed: set[str]) -> list[Moved]:
    """Loaded documents whose texts, in order, are those of a stored document with another id or file."""
    held: _Parts = defaultdict(list)
    for chunk_id, metadata in stored.items():
        _note(held, chunk_id, metadata)
    before, after = _by_document(held), _by_document(loaded)
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


def _by_document(parts: _Parts) -> _Documents:
    """By document id: its texts' hashes in order, its file, its chunk ids."""
    return {
        document_id: (tuple(text for _, _, text, _ in sorted(rows)), rows[0][3], {row[1] for row in rows})
        for document_id, rows in parts.items()
    }
