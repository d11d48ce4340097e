"""An embedding model made of words, which counts what it is given."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from knowledge.embedding import EmbeddingModel
from knowledge.model_traits import Traits
from tests.knowledge.index.engines import DIMENSION, embed


class WordEncoder:
    dimension = DIMENSION

    def __init__(self) -> None:
        self.seen: list[str] = []

    def encode(self, texts: list[str], *, query: bool) -> npt.NDArray[np.float32]:
        if not query:
            self.seen += texts
        return np.asarray([embed(text) for text in texts], dtype=np.float32)

    def count_tokens(self, text: str) -> int:
        return len(text.split())


def words(name: str = "words") -> tuple[EmbeddingModel, list[str]]:
    """The model, and the list of texts that it was made to embed as documents."""
    encoder = WordEncoder()
    return EmbeddingModel(name, lambda: encoder, Traits(), dimension=DIMENSION), encoder.seen
