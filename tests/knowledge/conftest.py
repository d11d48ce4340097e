from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from knowledge.index import edge_writer, version_files
from knowledge.index.edge_shard import Shard

_MEMORY = Path("/dev/shm")


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """In memory where the system has such a folder: the engine waits for the disk at every step, and a test need not."""
    if not (_MEMORY.is_dir() and os.access(_MEMORY, os.W_OK)):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=_MEMORY, prefix="policydesk-test-") as folder:
        yield Path(folder)


@pytest.fixture(autouse=True, scope="session")
def quick_shards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Empty shards are copied from one made before, and nothing waits for the disk: tests make hundreds of indexes."""
    made = tmp_path_factory.mktemp("empty-shards")
    create = Shard.create

    def copied(folder: Path, dimension: int) -> Shard:
        template = made / str(dimension)
        if not template.exists():
            shard = create(template, dimension)
            shard.finish()
            shard.close()
        shutil.copytree(template, folder, copy_function=edge_writer._copy_sparse)
        return Shard.open(folder)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Shard, "create", copied)
        patch.setattr(version_files, "sync", lambda folder: None)
        patch.setattr(version_files, "sync_folder", lambda folder: None)
        yield
