"""Second look at the best fused candidates: rerankers that score question and passage together.

``evidence`` needs no weights file, ``cross-encoder:NAME_OR_PATH`` reads both texts with a model, ``none`` keeps the fused
order. The one that asks a chat model is a node's business, since this layer knows no chat models.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from knowledge.errors import BadInput, RerankerUnavailable
from knowledge.tokens import tokenize

Vector = NDArray[np.float64]

CROSS_ENCODER = "cross-encoder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question as the rerankers see it.

    Attributes:
        text: as asked (or rewritten to stand alone).
        tokens: its keyword tokens in order, repeats kept.
        term_idf: ln(1 + (N - n + 0.5) / (n + 0.5)) of its tokens; one that stands in no document may be absent.
        language: ISO 639-1.
        identifiers: codes and article numbers found in it.
        model_knows_language: whether the embedding model was trained on ``language``.
        unrelated: the model's cosine of texts that have nothing to do with each other.
    """

    text: str
    tokens: Sequence[str] = ()
    term_idf: Mapping[str, float] = field(default_factory=dict)
    language: str = "en"
    identifiers: Sequence[str] = ()
    model_knows_language: bool = True
    unrelated: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A chunk that may answer, with what the search already knows about it.

    Attributes:
        text: the chunk as it was embedded, heading path first.
        heading: its heading path, or its title where there is no other heading.
        document_id: the document it was cut from; ``position`` its place there.
        language: ISO 639-1, for its keyword tokens.
        dense: cosine of question and chunk, -1 to 1; ``keyword``: its BM25 score. Both exact, whichever list found the chunk.
        exact: whether it holds an identifier that the question names.
        fused_rank: its place after fusion, from 1.
    """

    id: str
    text: str
    document_id: str
    dense: float
    keyword: float
    heading: str = ""
    position: int = 0
    language: str = "en"
    exact: bool = False
    fused_rank: int = 1


class Reranker(Protocol):
    """Scores candidates against a question; higher is better, comparable within one call only."""

    @property
    def name(self) -> str:
        """As a user names it: ``evidence``, ``none``, ``cross-encoder:…``."""

    @property
    def blocking(self) -> bool:
        """Whether ``score`` runs a model, so that an event loop should give it a thread."""

    def score(self, question: Question, candidates: Sequence[Candidate]) -> list[float]:
        """One score a candidate, in their order. Raises ``RerankerUnavailable`` where its model can't be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceWeights:
    """How loudly each signal speaks, in standard deviations of the candidates' cosines.

    The defaults lie on a plateau: halving or doubling any one of them moves recall@5 by less than .02 on the sets they were
    measured on (government guidance, bank procedures, security controls, encyclopedia passages).
    """

    dense: float = 1.0
    dense_unknown_language: float = 0.0
    keyword: float = 0.5
    heading: float = 3.0
    document: float = 4.0
    exact: float = 3.0


class EvidenceReranker:
    """Adds up what the search already knows; no weights file and no model call.

    For candidate i of document D(i), z being standardisation over the candidates::

        base_i  = z(dense)_i + 0.5 z(keyword)_i + 3 heading_i + 3 exact_i
        score_i = base_i + 4 * sum of softmax(base)_j over all candidates j with D(j) = D(i)

    ``heading_i`` is the geometric mean of the share of the question's IDF that the heading holds and the share of the
    heading's words that the question holds, 0 to 1: a question that names a rule by its title finds it, and a long question
    that happens to hold one word of a title does not. The last term is the share of all evidence that the document holds:
    the rules of one case mostly stand in one document, and a document hit three times is the likelier subject.
    """

    name = "evidence"
    blocking = False

    def __init__(self, weights: EvidenceWeights | None = None) -> None:
        self._weights = weights or EvidenceWeights()

    def score(self, question: Question, candidates: Sequence[Candidate]) -> list[float]:
        """Scores in standard deviations; takes well under 2 ms for 40 candidates."""
        if not candidates:
            return []
        weights = self._weights
        dense_weight = weights.dense if question.model_knows_language else weights.dense_unknown_language
        base = (
            dense_weight * standardise(np.array([candidate.dense for candidate in candidates]))
            + weights.keyword * standardise(np.array([candidate.keyword for candidate in candidates]))
            + weights.heading * heading_match(question, candidates)
            + weights.exact * np.array([float(candidate.exact) for candidate in candidates])
        )
        scores: Vector = base + weights.document * document_share(base, candidates)
        return [float(score) for score in scores]


class NoReranker:
    """Keeps the fused order."""

    name = "none"
    blocking = False

    def score(self, question: Question, candidates: Sequence[Candidate]) -> list[float]:
        """The negated fused rank."""
        return [-float(candidate.fused_rank) for candidate in candidates]


class CrossEncoderReranker:
    """A sentence-transformers ``CrossEncoder`` that is already on the machine; it is never downloaded here."""

    blocking = True

    def __init__(self, name_or_path: str, *, batch_size: int = 32) -> None:
        self.name = f"{CROSS_ENCODER}:{name_or_path}"
        self._name_or_path = name_or_path
        self._batch_size = batch_size
        self._model: Any = None
        self._lock = threading.Lock()

    def score(self, question: Question, candidates: Sequence[Candidate]) -> list[float]:
        """The model's own scores. Batches hold passages of like length, so that little is spent on padding."""
        if not candidates:
            return []
        model = self._loaded()
        by_length = sorted(range(len(candidates)), key=lambda index: len(candidates[index].text))
        pairs = [(question.text, candidates[index].text) for index in by_length]
        values = model.predict(pairs, batch_size=self._batch_size, show_progress_bar=False)
        scores = [0.0] * len(candidates)
        for index, value in zip(by_length, values, strict=True):
            scores[index] = float(value)
        return scores

    def _loaded(self) -> Any:
        with self._lock:
            if self._model is None:
                self._model = _load_cross_encoder(self._name_or_path)
            return self._model


def open_reranker(spec: str) -> Reranker:
    """The reranker that ``evidence``, ``none`` or ``cross-encoder:NAME_OR_PATH`` names. Models load at the first question.

    Raises ``BadInput`` for any other text.
    """
    kind, _, argument = spec.strip().partition(":")
    if kind == EvidenceReranker.name and not argument:
        return EvidenceReranker()
    if kind == NoReranker.name and not argument:
        return NoReranker()
    if kind == CROSS_ENCODER and argument:
        return CrossEncoderReranker(argument)
    raise BadInput(f"Unknown reranker {spec!r}: use evidence, none or {CROSS_ENCODER}:NAME_OR_PATH.", field="reranker")


def standardise(values: Vector) -> Vector:
    """Mean 0 and standard deviation 1 over the candidates; all zeros where the values do not differ."""
    if not len(values):
        return values
    from_mean: Vector = values - values.sum() / len(values)
    spread = math.sqrt(from_mean @ from_mean / len(values))  # a third of the time of ``std`` over so few
    return from_mean / spread if spread >= 1e-9 else np.zeros_like(values)


def heading_match(question: Question, candidates: Sequence[Candidate]) -> Vector:
    """Shape (n,), 0 to 1: geometric mean of the question's IDF share in the heading and the heading's share in the question."""
    asked = {token: question.term_idf.get(token, 0.0) for token in question.tokens}
    total = sum(asked.values())
    if total <= 0:
        return np.zeros(len(candidates))
    return np.array([_match(asked, total, _words(candidate.heading, candidate.language)) for candidate in candidates])


def document_share(base: Vector, candidates: Sequence[Candidate]) -> Vector:
    """Shape (n,), 0 to 1: the part of the softmax over all candidates that falls on each one's document."""
    held = np.exp(base - base.max())
    held /= held.sum()
    number = {document: place for place, document in enumerate(dict.fromkeys(c.document_id for c in candidates))}
    places = np.array([number[candidate.document_id] for candidate in candidates])
    share: Vector = np.bincount(places, weights=held)[places]
    return share


@lru_cache(maxsize=8192)
def _words(heading: str, language: str) -> frozenset[str]:
    return frozenset(tokenize(heading, language))


def _match(asked: Mapping[str, float], total: float, heading: frozenset[str]) -> float:
    common = [token for token in heading if token in asked]
    if not common:
        return 0.0
    shared = sum(asked[token] for token in common) / total
    return math.sqrt(shared * len(common) / len(heading))


def _load_cross_encoder(name_or_path: str) -> Any:
    try:
        from sentence_transformers import CrossEncoder
    except ImportError as error:
        raise RerankerUnavailable(
            "Cross-encoders need the package sentence-transformers: install it, or use the reranker evidence."
        ) from error
    try:
        return CrossEncoder(name_or_path, local_files_only=True)
    except (OSError, ValueError) as error:
        raise RerankerUnavailable(
            f"The cross-encoder {name_or_path!r} is not on this machine: fetch it with "
            f"`policydesk pull {CROSS_ENCODER}:{name_or_path}`, give a folder, or use the reranker evidence."
        ) from error
