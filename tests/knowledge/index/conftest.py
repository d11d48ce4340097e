from __future__ import annotations

from pathlib import Path

import pytest

from knowledge.index.port import IndexStore
from tests.knowledge.index.engines import ENGINES, open_engine


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> IndexStore:
    """An empty store of each engine."""
    return open_engine(request.param, tmp_path)
