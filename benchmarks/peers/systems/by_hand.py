"""The floor: numpy for the vectors, bm25s for the words, reciprocal rank fusion (k = 60), and nothing around them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

CANDIDATES = 20
K = 60


class System:
    """Everything in memory."""

    on_disk = False

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.np = import_module("numpy")
        self.bm25s = import_module("bm25s")
        self.stemmer = import_module("Stemmer").Stemmer("english")
        self.model = import_module("sentence_transformers").SentenceTransformer(options["model"], device="cpu")

    def ingest(self, records: Sequence[Mapping[str, str]], place: Path) -> None:
        """A matrix of vectors and a BM25 index."""
        texts = [f"{record['title']}\n{record['text']}" for record in records]
        self.ids = [record["id"] for record in records]
        self.vectors = self._encode(texts)
        self.words = self.bm25s.BM25(k1=1.2, b=0.75)
        self.words.index(self._tokens(texts), show_progress=False)

    def retrieve(self, question: str) -> list[str]:
        """The fused ids, best first."""
        limit = min(CANDIDATES, len(self.ids))
        cosines = self.vectors @ self.embed(question)
        dense = self.np.argpartition(-cosines, limit - 1)[:limit]
        dense = dense[self.np.argsort(-cosines[dense])]
        found, scores = self.words.retrieve(self._tokens([question]), k=limit, show_progress=False)
        keyword = [at for at, score in zip(found[0], scores[0], strict=True) if score > 0]
        fused: dict[int, float] = defaultdict(float)
        for ranking in (dense, keyword):
            for rank, at in enumerate(ranking, start=1):
                fused[int(at)] += 1 / (K + rank)
        return [self.ids[at] for at in sorted(fused, key=lambda at: -fused[at])]

    def embed(self, question: str) -> Any:
        """The question's vector alone."""
        return self._encode([question])[0]

    def encode(self, texts: Sequence[str]) -> Any:
        """Vectors to be lent to the other systems, shape (len(texts), dimension)."""
        return self._encode(list(texts))

    def _encode(self, texts: list[str]) -> Any:
        return self.model.encode(texts, batch_size=32, normalize_embeddings=True, show_progress_bar=False)

    def _tokens(self, texts: list[str]) -> Any:
        return self.bm25s.tokenize(texts, stopwords="en", stemmer=self.stemmer, show_progress=False)
