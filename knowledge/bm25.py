"""BM25 as sparse vectors: the term-frequency part here, the inverse document frequency counted by the engine.

A document's weight for a token is ``tf (k1 + 1) / (tf + k1 (1 - b + b length / average length))`` and a question's is its
count there (Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009, equation 3.15). The engine
multiplies by ln(1 + (N - n + 0.5) / (n + 0.5)), which is what ``modifier=IDF`` means to Qdrant.

``Bm25`` is all that the desk needs. ``Bm25Embeddings`` is the same under LangChain's interface, an instance of
``langchain_qdrant.sparse_embeddings.SparseEmbeddings``; it is made when first named, because importing
``langchain_qdrant`` takes a second.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

from knowledge.languages import detect_language
from knowledge.tokens import tokenize, tokenize_query

if TYPE_CHECKING:
    from knowledge.bm25_langchain import Bm25Embeddings as Bm25Embeddings

#: Used where an index is empty and no average is known yet.
DEFAULT_AVERAGE_LENGTH = 64.0


class Weights(NamedTuple):
    """A sparse vector: distinct token indices (uint32) and their weights, of one length."""

    indices: list[int]
    values: list[float]


@lru_cache(maxsize=1 << 17)
def token_index(token: str) -> int:
    """The token's dimension: CRC-32 of its UTF-8 bytes, the same in every process and release.

    Two given tokens collide with odds of 1 to 2^32; among 100,000 distinct tokens about one pair is to be expected
    (100,000² / 2^33 = 1.2), among 10,000 one in 86 indexes has one. A collision adds two document frequencies, no more.
    """
    return crc32(token.encode("utf-8", "surrogatepass"))


def token_indices(text: str, language: str) -> array[int]:
    """The index of each of a text's tokens, in order, duplicates kept, in 4 bytes each."""
    return array("I", map(token_index, tokenize(text, language)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Bm25:
    """The term-frequency part of BM25.

    Attributes:
        average_length: tokens a chunk over the index, as ``average_length()`` counts them; over 0.
        k1: how soon repeating a word stops to count; at least 0.
        b: how far long chunks are held back, 0 (not at all) to 1.
        language: of every text (ISO 639-1); None finds it text by text.
    """

    average_length: float
    k1: float = 1.2
    b: float = 0.75
    language: str | None = None

    def __post_init__(self) -> None:
        if not self.average_length > 0:
            raise ValueError(f"average_length is {self.average_length}; give the tokens of an average chunk, over 0.")
        if self.k1 < 0 or not 0 <= self.b <= 1:
            raise ValueError(f"k1={self.k1} and b={self.b}: k1 is at least 0 and b lies between 0 and 1.")

    def embed_documents(self, texts: Sequence[str], languages: Sequence[str] | None = None) -> list[Weights]:
        """One vector a text. ``languages`` names each text's language and goes before ``language``."""
        return [
            self.embed_tokens(tokenize(text, language))
            for text, language in zip(texts, self._languages(texts, languages), strict=True)
        ]

    def embed_tokens(self, tokens: Sequence[str]) -> Weights:
        """The vector of a text that is tokenized already."""
        return self.embed_indices(list(map(token_index, tokens)))

    def embed_indices(self, indices: Sequence[int]) -> Weights:
        """The vector of a text whose ``token_indices`` are known."""
        counts = Counter(indices)
        plus = self.k1 + 1
        norm = self.k1 * (1 - self.b + self.b * len(indices) / self.average_length)
        return Weights(list(counts), [count * plus / (count + norm) for count in counts.values()])

    def embed_query(self, text: str, language: str | None = None) -> Weights:
        """The question's vector: each distinct token by how often it stands there, since a long question repeats its subject."""
        counts = Counter(map(token_index, tokenize_query(text, language or self.language or detect_language(text))))
        return Weights(list(counts), [float(count) for count in counts.values()])

    def _languages(self, texts: Sequence[str], languages: Sequence[str] | None) -> Sequence[str]:
        if languages is not None:
            return languages
        if self.language is not None:
            return list(repeat(self.language, len(texts)))
        return [detect_language(text) for text in texts]


def average_length(texts: Sequence[str], languages: Sequence[str] | None = None) -> float:
    """Tokens a text on the average, by the given languages or the detected ones; a default where there is no token at all."""
    spoken = [detect_language(text) for text in texts] if languages is None else languages
    lengths = [len(tokenize(text, language)) for text, language in zip(texts, spoken, strict=True)]
    return sum(lengths) / len(lengths) if sum(lengths) else DEFAULT_AVERAGE_LENGTH


def __getattr__(name: str) -> Any:
    if name == "Bm25Embeddings":
        from knowledge.bm25_langchain import Bm25Embeddings

        return Bm25Embeddings
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
