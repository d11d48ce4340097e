"""One Kartly index and one embedding model for all tests of the whole graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from graph.resources import Resources
from graph.settings import Settings
from knowledge.embedding import EmbeddingModel, open_embedding
from knowledge.index.locate import open_store
from knowledge.ingest import ingest

SHELVES = Path(__file__).resolve().parents[2] / "knowledge"


@pytest.fixture(scope="session")
def embedding() -> EmbeddingModel:
    return open_embedding("minilm")


@pytest.fixture(scope="session")
def kartly(tmp_path_factory: pytest.TempPathFactory, embedding: EmbeddingModel) -> Settings:
    """Settings of a data folder that holds both demo shelves."""
    settings = Settings(data=tmp_path_factory.mktemp("kartly"))
    store = open_store(settings.index_location())
    ingest([SHELVES / "kartly", SHELVES / "bg-sick-pay"], store=store, embedding=embedding)
    return settings


@pytest.fixture
def resources(kartly: Settings, embedding: EmbeddingModel) -> Resources:
    return Resources(kartly, embedding=embedding)
