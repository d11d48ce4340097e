"""A loaded document: its text, where it came from, and what its manifest says of it."""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

DocumentKind = Literal["markdown", "text", "html", "pdf", "docx"]
FieldValue = str | int | float | bool | list[str] | list[int] | list[float] | list[bool]

DEFAULT_TENANT = "default"
_canonical = json.JSONEncoder(sort_keys=True, ensure_ascii=False).encode


@dataclass(frozen=True, kw_only=True)
class SourceDocument:
    """One document as text, with everything that its chunks will carry.

    Attributes:
        document_id: readable and stable, unique within the folder ingested (``правила-2024``, ``hr-leave``).
        text: Markdown-like whatever the kind: headings as ``#`` lines, tables as Markdown tables, line ends ``\\n``.
        pages: ``(page number, offset into text)`` in order, from page 1; empty where the kind has no pages.
        source: the file's path under ``root``, with ``/``.
        root: the folder ingested, absolute.
        updated_at: an ISO date or time in UTC.
        chunker: the manifest's choice, with ``chunker_options``; ``None`` leaves it to the kind.
        notice: a sentence that goes with every answer from this document.
        extra: the manifest's further fields.
    """

    document_id: str
    title: str
    text: str
    source: str
    root: str = ""
    kind: DocumentKind = "markdown"
    pages: tuple[tuple[int, int], ...] = ()
    category: str = "general"
    tenant: str = DEFAULT_TENANT
    language: str = "en"
    status: str = "active"
    updated_at: str | None = None
    chunker: str | None = None
    chunker_options: Mapping[str, int | float | str] = field(default_factory=dict)
    notice: str | None = None
    extra: Mapping[str, FieldValue] = field(default_factory=dict)
    content_hash: str = ""

    def __post_init__(self) -> None:
        if not self.content_hash:
            object.__setattr__(self, "content_hash", self._hash())

    def page_at(self, offset: int) -> int | None:
        """The page that the character at ``offset`` stands on; ``None`` where the kind has no pages."""
        if not self.pages:
            return None
        at = bisect_right(self.pages, offset, key=lambda page: page[1])
        return self.pages[max(at - 1, 0)][0]

    def _hash(self) -> str:
        """SHA-256 of the text and of everything else that goes into the chunks."""
        about = {
            "document_id": self.document_id,
            "title": self.title,
            "source": self.source,
            "kind": self.kind,
            "pages": self.pages,
            "category": self.category,
            "tenant": self.tenant,
            "language": self.language,
            "status": self.status,
            "updated_at": self.updated_at,
            "chunker": self.chunker,
            "chunker_options": dict(self.chunker_options),
            "notice": self.notice,
            "extra": dict(self.extra),
        }
        digest = hashlib.sha256(_canonical(about).encode())
        digest.update(b"\x00")
        digest.update(self.text.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()
