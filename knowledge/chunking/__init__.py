"""Six ways of cutting a document into chunks, chosen per document.

``structural`` at headings and sentences, ``recursive`` at the largest break that fits, ``fixed`` windows, ``semantic`` where
the topic turns, ``parent_child`` small to search and large to read, ``legal`` one article a chunk. Each cuts the text verbatim
into pieces; ``pieces.to_chunks`` makes Documents of them.
"""

from __future__ import annotations

from knowledge.chunking.options import OPTIONS, parse_options
from knowledge.chunking.pieces import RESERVED_KEYS, heading_path
from knowledge.chunking.registry import ChunkingDefaults, chunk, chunk_by
from knowledge.chunking.semantic import Embed

__all__ = [
    "OPTIONS",
    "RESERVED_KEYS",
    "ChunkingDefaults",
    "Embed",
    "chunk",
    "chunk_by",
    "heading_path",
    "parse_options",
]
