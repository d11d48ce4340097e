"""One writer at a time on a server, whichever machine it runs on: stores with folders of their own over one client."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from qdrant_client import models

from knowledge import versions
from knowledge.errors import IndexBusy, IndexUnavailable
from knowledge.index import server_lock
from knowledge.index.server_store import Clients, ServerStore
from knowledge.ingest import ingest
from knowledge.scope import Scope
from tests.knowledge.index.engines import chunk, memory_clients, spec, write
from tests.knowledge.index.words import words

A = Scope(tenant="a")


@dataclass
class Clock:
    """Time that passes only when somebody waits; ``meanwhile`` happens during the wait."""

    now: float = 1_790_000_000.0
    waits: list[float] = field(default_factory=list)
    meanwhile: Callable[[], object] = lambda: None

    def time(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds
        self.meanwhile()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(server_lock, "time", clock)
    return clock


@pytest.fixture
def clients() -> Clients:
    return memory_clients()


@pytest.fixture
def machine(clients: Clients, tmp_path: Path) -> Callable[[str], ServerStore]:
    """A store as another machine has it: the same server, a data folder of its own."""
    return lambda name: ServerStore(clients, "policydesk", tmp_path / name)


Machine = Callable[[str], ServerStore]


def die(store: ServerStore, clients: Clients) -> None:
    """A writer that begins a version and is killed: what it leaves on the server and in its folder is as it was then."""
    with store.lock():
        store.writer(spec()).upsert([chunk("half#1", "half")])
        (left,) = clients.sync.scroll("policydesk.lock")[0]
    clients.sync.upsert("policydesk.lock", [models.PointStruct(id=left.id, vector={}, payload=left.payload)])


def collections(clients: Clients) -> set[str]:
    return {one.name for one in clients.sync.get_collections().collections}


def interrupted(clients: Clients, monkeypatch: pytest.MonkeyPatch, by: Callable[[], None]) -> None:
    """The next conditional write reaches the server only after another machine did all that it wants to."""
    real, todo = clients.sync.upsert, [by]

    def upsert(collection: str, *given: Any, **options: Any) -> Any:
        if collection.endswith(".lock") and todo:
            todo.pop()()
        return real(collection, *given, **options)

    monkeypatch.setattr(clients.sync, "upsert", upsert)


async def test_an_ingest_elsewhere_is_told_who_writes_and_undoes_nothing(machine: Machine, clients: Clients) -> None:
    ours, theirs = machine("ours"), machine("theirs")
    with ours.lock():
        writer = ours.writer(spec())
        writer.upsert([chunk("returns#1", "goods")])
        with pytest.raises(
            IndexBusy, match=r"^Process \d+ on \S+ has been writing .* since \d{4}-.* UTC: wait until"
        ) as told:
            write(theirs, [chunk("damage#1", "harm")])
        assert "policydesk index unlock" in told.value.message
        writer.upsert([chunk("returns#2", "more goods")])
        writer.commit()
    assert await (await ours.current()).count(A) == 2
    assert write(theirs, [chunk("damage#1", "harm")]) == "v0002"


def test_whole_ingests_wait_for_each_other(machine: Machine, tmp_path: Path) -> None:
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    (shelf / "rules.md").write_text("# Rules\n\nReport damage within two days.\n")
    ours, theirs = machine("ours"), machine("theirs")
    model, _ = words()
    told: list[str] = []

    def meanwhile(step: str, done: int, total: int) -> None:
        if step == "commit" and done == 0:
            for attempt in (
                lambda: ingest([shelf], store=theirs, embedding=model),
                lambda: versions.build([shelf], name="beside", store=theirs, embedding=model),
                lambda: versions.switch(theirs, "v0001"),
                lambda: versions.drop(theirs, "v0001"),
            ):
                with pytest.raises(IndexBusy) as busy:
                    attempt()
                told.append(busy.value.message)

    assert ingest([shelf], store=ours, embedding=model, progress=meanwhile).index == "v0001"
    assert len(told) == 4 and all("has been writing" in one for one in told)
    assert ingest([shelf], store=theirs, embedding=model).index == "v0001"


def test_the_lock_is_no_version_and_a_failed_ingest_lets_go_of_it(machine: Machine, clients: Clients) -> None:
    ours, theirs = machine("ours"), machine("theirs")
    with pytest.raises(RuntimeError, match="broke"), ours.lock():
        assert ours.versions() == []
        raise RuntimeError("broke")
    assert write(theirs, [chunk("damage#1", "harm")]) == "v0001"
    assert [info.name for info in theirs.versions()] == ["v0001"]
    assert collections(clients) == {"policydesk.lock", "policydesk_v0001"}


def test_two_indexes_on_one_server_have_a_lock_each(clients: Clients, tmp_path: Path) -> None:
    ours, theirs = ServerStore(clients, "desk", tmp_path / "1"), ServerStore(clients, "desk_two", tmp_path / "2")
    with ours.lock():
        assert write(theirs, [chunk("damage#1", "harm")]) == "v0001"


def test_two_that_find_it_free_do_not_both_get_it(
    machine: Machine, clients: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = machine("ours"), machine("theirs")
    quick = theirs.lock()
    interrupted(clients, monkeypatch, lambda: quick.__enter__())
    with pytest.raises(IndexBusy, match="has been writing"), ours.lock():
        pytest.fail("both hold it")
    theirs._lock.check()
    quick.__exit__(None, None, None)


def test_a_machine_whose_writer_was_killed_goes_on_at_once(machine: Machine, clients: Clients, clock: Clock) -> None:
    die(machine("ours"), clients)
    assert write(machine("ours"), [chunk("returns#1", "goods")]) == "v0001"
    assert clock.waits == []


def test_a_writer_that_died_elsewhere_blocks_until_it_has_been_silent_for_long(
    machine: Machine, clients: Clients, clock: Clock
) -> None:
    die(machine("ours"), clients)
    theirs = machine("theirs")
    clock.now += server_lock.STALE - 1
    with pytest.raises(IndexBusy, match="has been writing"):
        write(theirs, [chunk("damage#1", "harm")])
    assert "policydesk_v0001" in collections(clients) and clock.waits == []
    clock.now += 1
    assert write(theirs, [chunk("damage#1", "harm")]) == "v0001"
    assert clock.waits == [server_lock.WATCH]


def test_a_silent_writer_that_gives_a_sign_while_watched_keeps_it(
    machine: Machine, clients: Clients, clock: Clock
) -> None:
    ours, theirs = machine("ours"), machine("theirs")
    with ours.lock():
        clock.now += server_lock.STALE  # say that this machine's clock is wrong
        clock.meanwhile = ours._lock.check
        with pytest.raises(IndexBusy, match="has been writing"), theirs.lock():
            pytest.fail("a live writer's lock was taken")
        ours._lock.check()


def test_of_two_that_take_over_one_wins(
    machine: Machine, clients: Clients, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    die(machine("dead"), clients)
    clock.now += server_lock.STALE
    ours, theirs = machine("ours"), machine("theirs")
    quick = theirs.lock()
    interrupted(clients, monkeypatch, lambda: quick.__enter__())
    with pytest.raises(IndexBusy, match="has been writing"), ours.lock():
        pytest.fail("both hold it")
    theirs._lock.check()
    quick.__exit__(None, None, None)


async def test_a_writer_that_slept_through_a_takeover_stops_and_spoils_nothing(
    machine: Machine, clients: Clients, clock: Clock
) -> None:
    ours, theirs = machine("ours"), machine("theirs")
    write(ours, [chunk("old#1", "old")])
    write(ours, [chunk("old#1", "newer")])
    with ours.lock():
        slept = ours.writer(spec())
        slept.upsert([chunk("returns#1", "goods")])
        clock.now += server_lock.STALE
        with theirs.lock():
            awake = theirs.writer(spec())
            assert awake.name == slept.name
            awake.upsert([chunk("damage#1", "harm")])
            late: list[Callable[[], object]] = [
                lambda: slept.upsert([chunk("returns#2", "goods")]),
                lambda: slept.delete("a", ["damage#1"]),
                slept.commit,
                lambda: ours.switch("v0001"),
                lambda: ours.drop("v0001"),
            ]
            for attempt in late:
                with pytest.raises(IndexBusy, match="lost the index's lock"):
                    attempt()
            slept.abort()
            awake.commit()
    assert set(await (await theirs.current()).values("document_id", A)) == {"damage"}


def test_signs_of_life_come_while_nothing_is_written(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_lock, "BEAT", 0.001)
    store = machine("ours")
    came = threading.Event()
    with store.lock():
        first = store._lock._read()
        assert first is not None
        while (now := store._lock._read()) is not None and now.mark == first.mark:
            came.wait(0.001)
        assert now is not None and (now.token, now.since) == (first.token, first.since)


def test_a_server_that_is_away_for_a_moment_costs_no_lock(
    machine: Machine, clients: Clients, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = machine("ours")
    with store.lock():
        clock.now += server_lock.TRUST
        with monkeypatch.context() as patch:

            def away(*given: Any, **options: Any) -> None:
                raise OSError("reset")

            patch.setattr(clients.sync, "set_payload", away)
            with pytest.raises(IndexUnavailable):
                store._lock.check()
        store._lock.check()


def test_unlock_takes_it_from_a_dead_writer_alone(machine: Machine, clients: Clients, clock: Clock) -> None:
    ours, theirs = machine("ours"), machine("theirs")
    said: list[str] = []
    assert versions.unlock(theirs, said.append) is None and said == []
    with ours.lock():
        clock.meanwhile = ours._lock.check
        with pytest.raises(IndexBusy, match="gave a sign of life"):
            versions.unlock(theirs, said.append)
        ours._lock.check()
        clock.meanwhile = lambda: None
    die(ours, clients)
    clock.now += 5
    assert (versions.unlock(theirs, said.append) or "").startswith("Process ")
    assert len(said) == 2 and "for a minute" in said[0]
    assert clock.waits == [server_lock.WATCH] * 2
    assert write(theirs, [chunk("damage#1", "harm")]) == "v0001"


def test_unlock_on_the_dead_writers_own_machine_waits_for_nothing(
    machine: Machine, clients: Clients, clock: Clock
) -> None:
    die(machine("ours"), clients)
    assert versions.unlock(machine("ours"), pytest.fail) is not None
    assert clock.waits == []
    assert write(machine("theirs"), [chunk("damage#1", "harm")]) == "v0001"


def test_a_program_without_the_lock_clears_nothing_away(machine: Machine, clients: Clients) -> None:
    ours, theirs = machine("ours"), machine("theirs")
    with ours.lock():
        ours.writer(spec()).upsert([chunk("returns#1", "goods")])
        assert theirs.writer(spec()).name == "v0002"
        assert "policydesk_v0001" in collections(clients)


def test_a_copied_data_folder_does_not_make_another_machine_the_dead_one(
    machine: Machine, clients: Clients, clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    die(machine("ours"), clients)
    shutil.copytree(tmp_path / "ours", tmp_path / "copy")
    monkeypatch.setattr(server_lock.socket, "gethostname", lambda: "elsewhere")
    with pytest.raises(IndexBusy, match="has been writing"):
        write(machine("copy"), [chunk("damage#1", "harm")])
