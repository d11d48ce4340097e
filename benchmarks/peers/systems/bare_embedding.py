"""A question's vector by sentence-transformers in a process that holds nothing else: what every system needs at least."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any


class System:
    """Finds nothing."""

    on_disk = False

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.model = import_module("sentence_transformers").SentenceTransformer(options["model"], device="cpu")

    def ingest(self, records: Sequence[Mapping[str, str]], place: Path) -> None:
        """Nothing is kept."""

    def retrieve(self, question: str) -> list[str]:
        """The vector is made, and no passage is looked for."""
        self.embed(question)
        return []

    def embed(self, question: str) -> Any:
        """The question's vector."""
        return self.model.encode([question], normalize_embeddings=True, show_progress_bar=False)[0]
