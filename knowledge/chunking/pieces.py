"""A piece of a document, and how pieces become chunks: LangChain Documents with everything that search and citing need."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from langchain_core.documents import Document

from knowledge.documents import SourceDocument

Span = tuple[int, int]
SEPARATOR = " > "

#: The same text for the same content; the encoder is made once, not for each chunk.
_canonical = json.JSONEncoder(sort_keys=True, ensure_ascii=False).encode
#: Says which chunk it is, not what it holds: the same content under another number is the same content.
_NOT_CONTENT = frozenset({"chunk_id", "position", "content_hash"})
#: A line that is a list's item, and what comes behind one in its list: the next item, or more of the same.
ITEM = re.compile(r"[ \t>]*(?:[-*+•‣▪◦–—]|\d{1,3}[.)]|\(?[a-zа-я]\))[ \t]")
_NEXT_ITEM = re.compile(rf"\s*\n{ITEM.pattern}|[ \t]*(?:\n[ \t]*)?[^\s]")
#: An item has no more lines than this.
_LINES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """What a chunker cuts: stretches of the document's text, verbatim.

    Attributes:
        spans: one stretch; a table cut between its rows has two, the repeated header and the rows. Joined by a line end.
        path: headings that lead to it, without the document's title unless the text has it as a heading.
        section: how to name the place where the headings don't (``чл. 40а``).
        article: the article's number, legal texts only.
        parent: which of the parents it belongs to, from 0.
    """

    spans: tuple[Span, ...]
    path: tuple[str, ...] = ()
    section: str | None = None
    article: str | None = None
    parent: int | None = None


def to_chunks(document: SourceDocument, pieces: Sequence[Piece], parents: Sequence[Piece] = ()) -> list[Document]:
    """Chunks numbered from 1 (``id#1``), then the parents (``id#p1``), in the order given."""
    cut = _cut_lists(document.text, pieces)
    out = [
        _to_chunk(document, piece, f"{document.document_id}#{n}", n, goes_on=n in cut)
        for n, piece in enumerate(pieces, start=1)
    ]
    cut = _cut_lists(document.text, parents)
    for n, piece in enumerate(parents, start=1):
        out.append(_to_chunk(document, piece, f"{document.document_id}#p{n}", n, kind="parent", goes_on=n in cut))
    return out


def _cut_lists(text: str, pieces: Sequence[Piece]) -> set[int]:
    """The numbers, from 1, of the pieces that end within a list that goes on in the next one."""
    out: set[int] = set()
    for number, (piece, following) in enumerate(pairwise(pieces), start=1):
        end = piece.spans[-1][1]
        goes_on = piece.path == following.path and following.spans[-1][1] > end
        if goes_on and _NEXT_ITEM.match(text, end) and _is_in_item(text, piece.spans[-1][0], end):
            out.add(number)
    return out


def _is_in_item(text: str, start: int, end: int) -> bool:
    """Whether a list's item is what ends there, wrapped or not."""
    for _ in range(_LINES):
        line = text.rfind("\n", 0, end) + 1
        if ITEM.match(text, line, end):
            return True
        if line <= start or not text[line:end].strip():
            return False
        end = line - 1
    return False


def heading_path(title: str, path: Sequence[str]) -> list[str]:
    """The title, then the headings; a text that opens with its title as a heading says it once."""
    headings = [heading for heading in path if heading]
    if headings and _folded(headings[0]) == _folded(title):
        headings = headings[1:]
    return [title, *headings] if title else headings


@lru_cache(maxsize=64)
def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _to_chunk(
    document: SourceDocument,
    piece: Piece,
    chunk_id: str,
    position: int,
    kind: str | None = None,
    *,
    goes_on: bool = False,
) -> Document:
    body = "\n".join(document.text[start:end] for start, end in piece.spans)
    path = heading_path(document.title, piece.path)
    lead = SEPARATOR.join(path) + "\n\n" if path else ""
    content = lead + body
    metadata: dict[str, Any] = {
        "chunk_id": chunk_id,
        "document_id": document.document_id,
        "title": document.title,
        "heading_path": SEPARATOR.join(path),
        "body_start": len(lead),
        "source": document.source,
        "page": document.page_at(piece.spans[-1][0]),
        "page_starts": _page_starts(document, piece),
        "section": piece.section or SEPARATOR.join(path[1:]) or None,
        "article": piece.article,
        "category": document.category,
        "tenant": document.tenant,
        "language": document.language,
        "status": document.status,
        "updated_at": document.updated_at,
        "notice": document.notice,
        "kind": kind,
        "parent_id": None if piece.parent is None else f"{document.document_id}#p{piece.parent + 1}",
        "position": position,
        "words": len(body.split()),
        "list_goes_on": goes_on or None,
        **document.extra,
    }
    metadata = {key: value for key, value in metadata.items() if value is not None}
    metadata["content_hash"] = _hash(content, metadata)
    return Document(id=chunk_id, page_content=content, metadata=metadata)


def _page_starts(document: SourceDocument, piece: Piece) -> list[list[int]] | None:
    """``[page, offset in the body]`` wherever a page begins, for a chunk on several: a quote has a page of its own."""
    starts: list[list[int]] = []
    base = 0
    for start, end in piece.spans:
        inside = [offset for _, offset in document.pages if start < offset < end]
        for offset in (start, *inside):
            page = document.page_at(offset)
            if page is not None and (not starts or starts[-1][0] != page):
                starts.append([page, base + offset - start])
        base += end - start + 1
    return starts if len(starts) > 1 else None


def _hash(content: str, metadata: dict[str, Any]) -> str:
    about = {key: value for key, value in metadata.items() if key not in _NOT_CONTENT}
    text = _canonical([content, about])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


#: Names that a manifest's further fields can't take, because every chunk uses them; ``_id`` is langchain-qdrant's own.
RESERVED_KEYS = frozenset(
    {
        "_id",
        "kind",
        "index_version",
        "mentions",
        "defines",
        "ingested_as",
        "source_root",
        "text_hash",
        "references",
        "chunk_id",
        "document_id",
        "title",
        "heading_path",
        "body_start",
        "source",
        "page",
        "page_starts",
        "section",
        "article",
        "category",
    }
    | {"tenant", "language", "status", "updated_at", "notice", "kind", "parent_id", "position", "words", "content_hash"}
    | {"list_goes_on"}
    | {"index_version", "defines", "mentions", "source_root", "references", "text_hash"}
)
