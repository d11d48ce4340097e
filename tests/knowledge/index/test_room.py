"""A disk that is nearly full is told before the engine meets its end, and the live version stays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from knowledge.errors import IndexUnavailable
from knowledge.index import room
from knowledge.index.edge_store import EdgeStore
from knowledge.index.edge_writer import EdgeWriter
from tests.knowledge.index.engines import chunk, spec


def begin(writer: EdgeWriter) -> None:
    writer.upsert([chunk("b#1", "eight days")])


def write_more(writer: EdgeWriter) -> None:
    writer.upsert([chunk("b#2", "nine days")])


@pytest.mark.parametrize("at_step", [0, 1, 2])
async def test_each_step_of_an_ingest_asks_for_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_step: int
) -> None:
    store = EdgeStore(tmp_path)
    first = store.writer(spec())
    first.upsert([chunk("a#1", "seven days")])
    first.commit()
    writer = store.writer(spec(), base=store.live())
    steps: list[Callable[[EdgeWriter], None]] = [begin, write_more, EdgeWriter.commit]
    for step in steps[:at_step]:
        step(writer)
    monkeypatch.setattr(room.shutil, "disk_usage", lambda _: SimpleNamespace(free=3 * room.MB))

    with pytest.raises(IndexUnavailable, match=r"3 MB are free.*POLICYDESK_DATA"):
        steps[at_step](writer)
    writer.abort()
    monkeypatch.undo()
    index = await EdgeStore(tmp_path).current()
    assert index.name == first.name
    assert [path.name for path in (tmp_path / "index" / "versions").iterdir()] == [first.name]


def test_a_version_is_as_large_as_what_is_written_in_it(tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as file:
        file.truncate(50 * room.MB)
        file.seek(10 * room.MB)
        file.write(b"x" * room.MB)
    assert room.MB <= room.size_of(tmp_path) <= 51 * room.MB
