"""The registry: which chunker cuts which document, and the one door to all six."""

from __future__ import annotations

from dataclasses import dataclass

from langchain_core.documents import Document

from knowledge.chunking import fixed, legal, parent_child, recursive, semantic, structural
from knowledge.chunking.headings import is_headed
from knowledge.chunking.options import (
    FixedOptions,
    LegalOptions,
    Options,
    ParentChildOptions,
    RecursiveOptions,
    SemanticOptions,
    StructuralOptions,
    parse_options,
)
from knowledge.chunking.pieces import Piece, to_chunks
from knowledge.chunking.semantic import Embed
from knowledge.documents import DocumentKind, SourceDocument

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
        return StructuralOptions(limit=self.limit, overlap=self.overlap).label

    def options_for(self, document: SourceDocument) -> Options:
        """How ``document`` is cut. Raises ``BadInput`` that names an option which can't be used."""
        name = document.chunker or _default(document)
        given = dict(document.chunker_options)
        if name == "structural":
            given = {"limit": self.limit, "overlap": self.overlap, **given}
        return parse_options(name, given)


def _default(document: SourceDocument) -> str:
    """A PDF or plain text in which headings were found is cut at them, like what has them by its kind."""
    return "structural" if is_headed(document) else CHUNKER_OF_KIND[document.kind]


def chunk(document: SourceDocument, defaults: ChunkingDefaults, *, embed: Embed | None = None) -> list[Document]:
    """The chunks of a document, then its parents (``metadata["kind"] == "parent"``, ``parent_child`` only).

    ``embed`` turns n texts into n vectors; only ``semantic`` needs it. Raises ``BadInput`` for options that can't be used.
    """
    return chunk_by(document, defaults.options_for(document), embed=embed)


def chunk_by(document: SourceDocument, options: Options, *, embed: Embed | None = None) -> list[Document]:
    """``chunk`` where the document's options are known."""
    pieces, parents = cut(document, options, embed)
    return to_chunks(document, pieces, parents)


def cut(document: SourceDocument, options: Options, embed: Embed | None = None) -> tuple[list[Piece], list[Piece]]:
    """The pieces that the options' chunker makes of a document, and their parents."""
    match options:
        case StructuralOptions():
            return structural.cut(document, options), []
        case RecursiveOptions():
            return recursive.cut(document, options), []
        case FixedOptions():
            return fixed.cut(document, options), []
        case SemanticOptions():
            return semantic.cut(document, options, embed), []
        case ParentChildOptions():
            return parent_child.cut(document, options)
        case LegalOptions():
            return legal.cut(document, options), []
    raise TypeError(f"no chunker takes {type(options).__name__}")
