"""The embedded store looks up the live version for each question, and opens it only where another one is live."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest

from knowledge.errors import IndexMissing, IndexUnavailable
from knowledge.index.edge_store import EdgeStore
from tests.knowledge.index.engines import chunk, spec


def write(store: EdgeStore, text: str) -> str:
    writer = store.writer(spec())
    writer.upsert([chunk("a#1", text)])
    writer.commit()
    return str(store.live())


async def test_the_live_version_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = EdgeStore(tmp_path)
    write(store, "seven days")
    first = await store.current()

    async def no_thread(*_: Any) -> None:
        raise AssertionError("a thread was asked for")

    monkeypatch.setattr(asyncio, "to_thread", no_thread)
    assert await store.current() is first


async def test_a_switch_by_any_process_shows_with_the_next_question(tmp_path: Path) -> None:
    store, other = EdgeStore(tmp_path), EdgeStore(tmp_path)
    first = write(store, "seven days")
    assert (await store.current()).name == first
    second = write(other, "eight days")
    assert (await store.current()).name == second
    for name in (first, second, first):
        other.switch(name)
        assert (await store.current()).name == name


async def test_an_index_that_was_taken_away_is_told(tmp_path: Path) -> None:
    store = EdgeStore(tmp_path)
    name = write(store, "seven days")
    await store.current()
    kept = tmp_path / "kept"
    shutil.copytree(tmp_path / "index", kept)
    shutil.rmtree(tmp_path / "index" / "versions" / name)
    with pytest.raises(IndexUnavailable, match="is not in the index"):
        await store.current()
    shutil.rmtree(tmp_path / "index")
    with pytest.raises(IndexMissing):
        await store.current()
    shutil.copytree(kept, tmp_path / "index")
    assert (await store.current()).name == name
