"""``policydesk index unlock``, as its user runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowledge.index import server_lock
from knowledge.index.port import IndexStore
from knowledge.index.server_store import ServerStore
from service.cli import main
from service.commands import versions
from tests.knowledge.index.engines import ENGINES, memory_clients, open_engine


def run(store: IndexStore, monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setattr(versions, "_store", lambda resources: store)
    with pytest.raises(SystemExit) as stopped:
        main(["index", "unlock"])
    return stopped.value.code or 0


@pytest.mark.parametrize("engine", ENGINES)
def test_there_is_nothing_to_unlock(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store = open_engine(engine, tmp_path)
    assert run(store, monkeypatch) == 0
    assert capsys.readouterr().out == "Nobody left a lock behind.\n"
    with store.lock():
        assert run(store, monkeypatch) == 1
    assert "wait until it is done" in capsys.readouterr().err


def test_a_silent_writer_elsewhere_is_unlocked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(server_lock, "WATCH", 0.0)
    clients = memory_clients()
    ours, theirs = (ServerStore(clients, "policydesk", tmp_path / name) for name in ("ours", "theirs"))
    with ours.lock():
        assert run(theirs, monkeypatch) == 0
        shown = capsys.readouterr()
        assert shown.out.startswith("Unlocked. Process ") and shown.err.startswith("Process ")
        assert run(theirs, monkeypatch) == 0
    assert capsys.readouterr().out == "Nobody left a lock behind.\n"
