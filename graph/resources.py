"""Resources: the loaded models and the open index. Each is opened once a process, when first needed, off the event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graph.batching import Batcher
from graph.settings import Settings, load_settings
from knowledge.index.port import ChunkIndex
from knowledge.recent import Recent
from knowledge.reranking import CROSS_ENCODER, EvidenceReranker, Reranker, open_reranker
from nodes.extracting import extract
from nodes.state import State

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from knowledge.embedding import EmbeddingModel


#: Sentences whose vectors are kept.
_REMEMBERED_SENTENCES = 8192


class Resources:
    """What the graph's nodes are bound to. Tests and hosts may hand in their own models; the rest comes from the settings."""

    def __init__(
        self,
        settings: Settings,
        *,
        embedding: EmbeddingModel | None = None,
        chat: BaseChatModel | None = None,
        small_chat: BaseChatModel | None = None,
        judge: BaseChatModel | None = None,
        index: ChunkIndex | None = None,
    ) -> None:
        self.settings = settings
        self._embedding = embedding
        self._chat, self._small_chat, self._judge = chat, small_chat, judge
        self._index = index
        self._rerankers: dict[str, Reranker] = {}
        self._unrelated: float | None = None
        self._sentences: Recent[str, NDArray[np.float32]] = Recent(_REMEMBERED_SENTENCES)
        self._embedding_sentences = threading.Lock()
        self._lock = threading.Lock()

    @cached_property
    def embedding(self) -> EmbeddingModel:
        """The embedding model; its weights load with its first use."""
        from knowledge.embedding import open_embedding

        _one_thread_for_numpy()
        return self._embedding or open_embedding(self.settings.embedding, ollama_url=self.settings.ollama_host)

    @cached_property
    def chat(self) -> BaseChatModel | None:
        """The model that writes answers, or none: then answers are quoted."""
        return self._chat or self._open_chat(self.settings.chat_model)

    @cached_property
    def small_chat(self) -> BaseChatModel | None:
        """The model that rewrites, expands and reranks; the chat model where none is named."""
        return self._small_chat or self._open_chat(self.settings.small_model) or self.chat

    @cached_property
    def judge(self) -> BaseChatModel | None:
        """The model that judges support, where one is named."""
        return self._judge or self._open_chat(self.settings.judge_model)

    @property
    def known_languages(self) -> frozenset[str] | None:
        """Languages that the embedding model covers; ``None`` for all."""
        return self.embedding.languages

    async def open_index(self) -> ChunkIndex:
        """The live version of the index. Looked at anew for each question, so that a switch shows with the next one."""
        if self._index is not None:
            return self._index
        from knowledge.index.locate import open_live

        return await open_live(self.settings.index_location(), embedding=self.embedding)

    async def embed_queries(self, texts: Sequence[str]) -> list[list[float]]:
        """Vectors of a question's search texts, in one batch with those of other questions that wait."""
        return await self._query_batcher(texts)

    async def begin_queries(self, texts: Sequence[str]) -> asyncio.Future[list[list[float]]]:
        """``embed_queries`` at work: the vectors to come."""
        return await self._query_batcher.begin(texts)

    @cached_property
    def _query_batcher(self) -> Batcher:
        return Batcher(lambda texts: self.embedding.embed_queries(texts))

    async def embed_sentences(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Vectors of sentences, for comparing them with each other. The passages' sentences come again and again."""
        known = self._known(texts)
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            known |= await asyncio.to_thread(self._embed_missing, missing)
        return [known[text] for text in texts]

    def _known(self, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Those held, and the question itself, which the search has read already."""
        out = self._sentences.among(texts)
        for text in texts:
            if text not in out and (vector := self.embedding.recall(text)) is not None:
                out[text] = vector
        return out

    def _embed_missing(self, texts: list[str]) -> dict[str, NDArray[np.float32]]:
        """One question at a time: those that wait here find what the one before them needed too already made."""
        with self._embedding_sentences:
            out = self._sentences.among(texts)
            missing = [text for text in texts if text not in out]
            if missing:
                made = dict(zip(missing, self.embedding.embed_sentences(missing), strict=True))
                self._sentences.remember(made)
                out |= made
            return out

    async def unrelated(self) -> float:
        """The zero of the embedding model's cosines; measured once for a model that it is not known of."""
        if self._unrelated is None:
            self._unrelated = await asyncio.to_thread(lambda: self.embedding.unrelated)
        return self._unrelated

    async def open_reranker(self, spec: str) -> Reranker:
        """The reranker of that name, opened once, in a thread."""
        known = self._rerankers.get(spec)
        return known if known is not None else await asyncio.to_thread(self._open_reranker, spec)

    def _open_reranker(self, spec: str) -> Reranker:
        with self._lock:
            if spec not in self._rerankers:
                self._rerankers[spec] = open_reranker(best_local_reranker() if spec == "auto" else spec)
            return self._rerankers[spec]

    def count_tokens(self, text: str) -> int:
        """Tokens of a text by a real tokenizer, for budgets."""
        from knowledge.model_tokens import count

        return count(text)

    def threshold(self, index_version: str, reranker: str) -> float | None:
        """The refusal threshold calibrated for the models in use, or none. Reads a small file."""
        from knowledge import calibration

        key = calibration.key_of(embedding=self.embedding.name, reranker=reranker, index_version=index_version)
        return calibration.load(self.settings.data / calibration.FILE, key)

    async def extract(self, state: State) -> str:
        """The extractive answer."""
        return await extract(state, embed=self.embed_sentences)

    def _open_chat(self, spec: str | None) -> BaseChatModel | None:
        if spec is None:
            return None
        from graph.models import open_chat_model

        return open_chat_model(spec, self.settings)

    def loaded(self) -> dict[str, Any]:
        """What is in use, for ``doctor`` and logs."""
        return {
            "embedding": self.settings.embedding,
            "reranker": self.settings.reranker,
            "chat_model": self.settings.chat_model or "none (answers are quoted)",
        }


@cache
def _one_thread_for_numpy() -> None:
    """Give numpy's matrix products one thread: a second one waits on the cores that the model's threads are using."""
    from threadpoolctl import ThreadpoolController

    for library in ThreadpoolController().lib_controllers:
        if library.internal_api == "openblas" and "numpy" in library.filepath:
            library.set_num_threads(1)


#: Cross-encoders that ``auto`` takes where one is in the hub's cache on this machine, the better first.
_CROSS_ENCODERS = ("BAAI/bge-reranker-v2-m3", "BAAI/bge-reranker-base", "cross-encoder/ms-marco-MiniLM-L6-v2")


def best_local_reranker() -> str:
    """What ``auto`` means here: a known cross-encoder that is already on the machine, else ``evidence``. Downloads nothing."""
    from importlib.util import find_spec

    if find_spec("sentence_transformers") is None:
        return EvidenceReranker.name
    from huggingface_hub import constants

    # The hub's own look-up would import its HTTP client first, which costs more than the look.
    cache = Path(constants.HF_HUB_CACHE)
    for name in _CROSS_ENCODERS:
        model = cache / f"models--{name.replace('/', '--')}"
        newest = model / "refs" / "main"
        if newest.is_file() and (model / "snapshots" / newest.read_text().strip() / "config.json").is_file():
            return f"{CROSS_ENCODER}:{name}"
    return EvidenceReranker.name


def open_resources(settings: Settings | None = None) -> Resources:
    """Resources by the given settings, or by the environment's. Nothing is loaded until a question needs it."""
    return Resources(settings or load_settings())
