"""The registry: which chunker cuts which document, and the one door to all six."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from langchain_core.documents import Document

from knowledge.chunking import structural
from knowledge.chunking.options import Options, StructuralOptions, parse_options
from knowledge.chunking.pieces import to_chunks
from knowledge.documents import DocumentKind, SourceDocument

Embed = Callable[[list[str]], list[list[float]]]

#: Kinds whose headings are known are cut at them.
CHUNKER_OF_KIND: dict[DocumentKind, str] = {
    "markdown": "structural",
    "html": "structural",
    "docx": "structural",
    "text": "recursive",
    "pdf": "recursive",
}


@dataclass(frozen=True)
class ChunkingDefaults:
    """Sizes of the ``structural`` chunker where a document says nothing: ``limit`` in words, ``overlap`` in sentences.

    The other chunkers start from their own defaults (``options.py``). A manifest's choice may change any of them.
    """

    limit: int = 120
    overlap: int = 1

    @property
    def label(self) -> str:
        """A short text for the index's version: ``structural-120w``."""
        return self._structural().label

    def _structural(self) -> StructuralOptions:
        return StructuralOptions(limit=self.limit, overlap=self.overlap)

    def options_for(self, document: SourceDocument) -> Options:
        """How ``document`` is cut. Raises ``BadInput`` that names an option which can't be used."""
        name = document.chunker or CHUNKER_OF_KIND[document.kind]
        given = dict(document.chunker_options)
        if name == "structural":
            given = {"limit": self.limit, "overlap": self.overlap, **given}
        return parse_options(name, given)


def chunk(document: SourceDocument, defaults: ChunkingDefaults, *, embed: Embed | None = None) -> list[Document]:
    """The chunks of a document, then its parents (``metadata["kind"] == "parent"``, ``parent_child`` only).

    ``embed`` turns n texts into n vectors; only ``semantic`` needs it. Raises ``BadInput`` for options that can't be used.
    """
    options = defaults.options_for(document)
    match options:
        case StructuralOptions():
            return to_chunks(document, structural.cut(document, options))
    raise AssertionError(options)
