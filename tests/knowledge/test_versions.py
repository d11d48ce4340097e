from __future__ import annotations

from pathlib import Path

import pytest

from knowledge import versions
from knowledge.chunking import ChunkingDefaults
from knowledge.errors import BadInput, IndexBusy
from knowledge.index.locate import IndexLocation, open_live, open_store
from knowledge.index.port import IndexStore
from knowledge.ingest import ingest
from knowledge.scope import Scope
from tests.knowledge.index.engines import ENGINES, both, ids, open_engine
from tests.knowledge.index.words import words

SCOPE = Scope(tenant="default")


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> IndexStore:
    return open_engine(request.param, tmp_path / "data")


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    folder = tmp_path / "shelf"
    folder.mkdir()
    long = " ".join(f"Rule {n} of the house holds for everyone." for n in range(30))
    (folder / "rules.md").write_text(f"# Rules\n\n{long}\n")
    (folder / "damage.md").write_text("# Damage\n\nReport damage within two days.\n")
    return folder


async def test_build_compare_switch_drop(store: IndexStore, shelf: Path) -> None:
    model, _ = words()
    ingest([shelf], store=store, embedding=model)
    report = versions.build([shelf], name="small", store=store, embedding=model, defaults=ChunkingDefaults(limit=40))
    assert report.index == "small"
    assert [(info.name, info.live) for info in versions.listing(store)] == [("v0001", True), ("small", False)]

    difference = await versions.compare(store, "v0001", "small", SCOPE)
    assert difference.same == 1
    assert difference.removed == []
    assert difference.changed_count == len(difference.changed) == 3
    assert difference.changed[0].chunk_id == "rules#1"
    assert difference.added == [f"rules#{n}" for n in range(4, difference.new.chunks)]
    assert (difference.old.documents, difference.new.documents) == (2, 2)
    assert (difference.documents_added, difference.documents_removed) == ([], [])
    assert difference.new.spec.chunking == "structural-40w"

    before = versions.switch(store, "small")
    assert before is not None and before.name == "v0001"
    told = await versions.stats(store, SCOPE)
    assert (told.name, told.chunks, told.documents) == ("small", difference.new.chunks, 2)
    assert (await versions.stats(store, SCOPE, "v0001")).chunks == difference.old.chunks
    assert (await versions.stats(store, Scope(tenant="other"))).chunks == 0
    versions.drop(store, "v0001")
    assert [info.name for info in versions.listing(store)] == ["small"]
    with pytest.raises(BadInput, match="no index version 'v0001'"):
        await versions.compare(store, "v0001", "small", SCOPE)


async def test_a_round_trip_of_versions_leaves_the_lists_as_they_were(store: IndexStore, shelf: Path) -> None:
    model, _ = words()
    ingest([shelf], store=store, embedding=model)
    asked = both("which rule of the house holds for damage", limit=20)

    async def lists() -> list[list[tuple[str, float]]]:
        found = await (await store.current()).search(asked, SCOPE)
        return [[(one.id, one.score) for one in row] for row in found.lists]

    before = await lists()
    versions.build([shelf], name="again", store=store, embedding=model)
    versions.switch(store, "again")
    versions.drop(store, "v0001")
    assert await lists() == before
    (shelf / "damage.md").write_text("# Damage\n\nReport damage within three days.\n")
    ingest([shelf], store=store, embedding=model)
    assert await lists() != before
    (shelf / "damage.md").write_text("# Damage\n\nReport damage within two days.\n")
    ingest([shelf], store=store, embedding=model)
    assert await lists() == before


def test_switch_and_drop_wait_for_no_one(store: IndexStore, shelf: Path) -> None:
    model, _ = words()
    ingest([shelf], store=store, embedding=model)
    with store.lock():
        for refused in (lambda: versions.switch(store, "v0001"), lambda: versions.drop(store, "v0001")):
            with pytest.raises(IndexBusy):
                refused()


async def test_engines_agree_on_every_list(tmp_path: Path, shelf: Path) -> None:
    model, _ = words()
    answers = []
    for engine in ENGINES:
        store = open_engine(engine, tmp_path / engine)
        ingest([shelf], store=store, embedding=model)
        index = await store.current()
        found = await index.search(both("rule seven of the house about damage", limit=20), SCOPE)
        answers.append([[(one.id, pytest.approx(one.score, abs=2e-5)) for one in row] for row in found.lists])
    assert answers[0] == answers[1]
    assert len(answers[0][0]) == 4


async def test_a_location_opens_one_store_a_process(tmp_path: Path, shelf: Path) -> None:
    location = IndexLocation(data=tmp_path / "data")
    model, _ = words()
    ingest([shelf], store=open_store(location), embedding=model)
    assert open_store(location) is open_store(IndexLocation(data=tmp_path / "data"))
    first = await open_live(location, embedding=model)
    assert first is await open_live(location)
    assert ids((await first.search(both("damage"), SCOPE)).lists[0])[0] == "damage#1"
