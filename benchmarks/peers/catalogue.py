"""The systems that are measured: what each needs, and which adapter runs it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

OURS = "policydesk"
FLOOR = "floor"


@dataclass(frozen=True, kw_only=True)
class System:
    """One system.

    Attributes:
        key: what ``--systems`` calls it, and its virtual environment.
        requirements: what pip installs; ``CHECKOUT`` stands for this project's folder.
        distributions: packages whose versions the report names.
        python: the oldest Python that it runs on.
        environment: the key of the system whose virtual environment it shares.
        needs: what it needs beside its own environment: ``cross_encoder`` or ``server``.
    """

    key: str
    label: str
    file: str
    requirements: tuple[str, ...] = ()
    distributions: tuple[str, ...] = ()
    python: tuple[int, int] = (3, 11)
    environment: str = ""
    needs: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


CHECKOUT = "CHECKOUT"

_LANGCHAIN = ("langchain-core", "langchain-classic", "langchain-community", "rank-bm25", "faiss-cpu")

SYSTEMS = (
    System(
        key=OURS,
        label="Policy Desk",
        file="policydesk_graph.py",
        requirements=("-e", CHECKOUT),
        distributions=("policydesk", "qdrant-edge-py", "onnxruntime"),
    ),
    System(
        key="langchain",
        label="LangChain ensemble (FAISS)",
        file="langchain_ensemble.py",
        requirements=(
            "langchain-classic",
            "langchain-community",
            "langchain-huggingface",
            "rank-bm25",
            "faiss-cpu",
            "sentence-transformers",
        ),
        distributions=_LANGCHAIN,
    ),
    System(
        key="langchain-rerank",
        label="LangChain ensemble, cross-encoder",
        file="langchain_ensemble.py",
        distributions=_LANGCHAIN,
        environment="langchain",
        needs="cross_encoder",
    ),
    System(
        key="langchain-qdrant",
        label="langchain-qdrant hybrid, local",
        file="langchain_qdrant_hybrid.py",
        requirements=("langchain-qdrant", "fastembed", "langchain-huggingface", "sentence-transformers"),
        distributions=("langchain-qdrant", "qdrant-client", "fastembed"),
    ),
    System(
        key="llamaindex",
        label="LlamaIndex fusion",
        file="llamaindex_fusion.py",
        requirements=("llama-index-core", "llama-index-retrievers-bm25", "llama-index-embeddings-huggingface"),
        distributions=("llama-index-core", "llama-index-retrievers-bm25"),
    ),
    System(
        key="haystack",
        label="Haystack joiner",
        file="haystack_joiner.py",
        requirements=("haystack-ai", "sentence-transformers-haystack", "sentence-transformers"),
        distributions=("haystack-ai", "sentence-transformers-haystack"),
    ),
    System(
        key="haiku",
        label="haiku.rag",
        file="haiku_search.py",
        requirements=("haiku.rag-slim", "threadpoolctl"),
        distributions=("haiku.rag-slim", "lancedb"),
        python=(3, 12),
        needs="server",
    ),
    System(
        key=FLOOR,
        label="floor: numpy, bm25s, RRF by hand",
        file="by_hand.py",
        requirements=("bm25s", "PyStemmer", "sentence-transformers"),
        distributions=("bm25s", "numpy", "sentence-transformers", "torch"),
    ),
)

#: What ``--systems`` takes.
CHOICES = tuple(system.key for system in SYSTEMS)

#: Asked beside the others where the floor is, and no line of a table.
BARE = System(
    key="bare",
    label="a bare embedding",
    file="bare_embedding.py",
    distributions=("sentence-transformers", "torch"),
    environment=FLOOR,
)

BY_KEY = {system.key: system for system in (*SYSTEMS, BARE)}
