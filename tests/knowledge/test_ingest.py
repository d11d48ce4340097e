"""Incremental ingest on both engines: what is embedded, written and removed, and what is left alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from knowledge.chunking import ChunkingDefaults
from knowledge.errors import BadInput, IndexBusy, IndexMismatch, ModelUnavailable
from knowledge.index.port import IndexStore
from knowledge.ingest import IngestReport, ingest
from knowledge.scope import Scope
from tests.knowledge.index.engines import ENGINES, open_engine
from tests.knowledge.index.words import words

RETURNS = """# Returns

## Period

Goods may be returned within 30 days of delivery. The form RX-77 goes with the parcel.

## Costs

The shop pays the parcel. See the section on damage.
"""
DAMAGE = """# Damage

Report damage within 48 hours of delivery.
"""


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> IndexStore:
    return open_engine(request.param, tmp_path / "data")


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    folder = tmp_path / "shelf"
    folder.mkdir()
    (folder / "returns.md").write_text(RETURNS)
    (folder / "damage.md").write_text(DAMAGE)
    return folder


def run(store: IndexStore, *paths: Path, **options: Any) -> IngestReport:
    model, _ = words()
    return ingest(list(paths), store=store, **{"embedding": model, **options})


def stored(store: IndexStore, tenant: str = "default") -> dict[str, str]:
    """Texts by chunk id."""

    async def read() -> dict[str, str]:
        index = await store.current()
        scope = Scope(tenant=tenant, include_repealed=True)
        return {str(d.id): d.page_content for d in await index.documents(scope)}

    return asyncio.run(read())


def metadata(store: IndexStore, chunk_id: str) -> Mapping[str, Any]:
    async def read() -> Mapping[str, Any]:
        return (await (await store.current()).fetch([chunk_id], Scope(tenant="default")))[0].metadata

    return asyncio.run(read())


def manifest(folder: Path, **entries: Mapping[str, Any]) -> None:
    documents = {f"{name}.md": dict(entry) for name, entry in entries.items()}
    (folder / "manifest.json").write_text(json.dumps({"documents": documents}))


def test_first_ingest_embeds_everything(store: IndexStore, shelf: Path) -> None:
    report = run(store, shelf)
    assert (report.documents, report.chunks, report.embedded, report.unchanged, report.removed) == (2, 3, 3, 0, 0)
    assert report.failed == []
    assert report.index == store.live() == "v0001"
    assert set(stored(store)) == {"returns#1", "returns#2", "damage#1"}


def test_every_chunk_carries_its_metadata(store: IndexStore, shelf: Path) -> None:
    manifest(
        shelf,
        returns={"title": "Returns", "category": "general", "updated_at": "2026-03-02", "price_tier": 3},
        damage={},
    )
    run(store, shelf)
    held = metadata(store, "returns#1")
    expected = {
        "document_id": "returns",
        "chunk_id": "returns#1",
        "title": "Returns",
        "heading_path": "Returns > Period",
        "source": "returns.md",
        "section": "Period",
        "category": "general",
        "tenant": "default",
        "language": "en",
        "status": "active",
        "position": 1,
        "price_tier": 3,
        "index_version": "words-16/structural-120w",
    }
    assert {key: held.get(key) for key in expected} == expected
    assert held["updated_at"].startswith("2026-03-02")
    assert len(held["content_hash"]) == 64
    assert "rx-77" in held["mentions"] or "rx-77" in held["defines"]


def test_the_same_folder_twice_changes_nothing(store: IndexStore, shelf: Path) -> None:
    run(store, shelf)
    model, seen = words()
    report = run(store, shelf, embedding=model)
    assert (report.embedded, report.unchanged, report.removed, report.index) == (0, 3, 0, "v0001")
    assert seen == []
    assert [info.name for info in store.versions()] == ["v0001"]


def test_one_edited_sentence_embeds_one_chunk(store: IndexStore, shelf: Path) -> None:
    run(store, shelf)
    before = stored(store)
    (shelf / "returns.md").write_text(RETURNS.replace("30 days", "40 days"))
    model, seen = words()
    report = run(store, shelf, embedding=model)
    assert (report.embedded, report.unchanged, report.removed) == (1, 2, 0)
    assert len(seen) == 1 and "40 days" in seen[0]
    after = stored(store)
    assert after.pop("returns#1") != before.pop("returns#1")
    assert after == before


def test_a_text_that_only_moved_keeps_its_vector(store: IndexStore, shelf: Path) -> None:
    run(store, shelf)
    (shelf / "returns.md").write_text(RETURNS.replace("## Period", "## Preface\n\nRead this first.\n\n## Period"))
    model, seen = words()
    report = run(store, shelf, embedding=model)
    assert [text.splitlines()[-1] for text in seen] == ["Read this first."]
    assert report.embedded == 1
    assert stored(store)["returns#3"].startswith("Returns > Costs")
    (shelf / "returns.md").write_text(RETURNS)
    report = run(store, shelf, embedding=model)
    assert (report.embedded, report.removed) == (0, 1)
    assert len(seen) == 1


def test_a_deleted_files_chunks_go(store: IndexStore, shelf: Path) -> None:
    run(store, shelf)
    (shelf / "damage.md").unlink()
    report = run(store, shelf)
    assert (report.removed, report.embedded) == (1, 0)
    assert set(stored(store)) == {"returns#1", "returns#2"}


def test_a_folder_owns_only_what_came_from_it(store: IndexStore, shelf: Path, tmp_path: Path) -> None:
    run(store, shelf)
    other = tmp_path / "other"
    other.mkdir()
    (other / "shipping.md").write_text("# Shipping\n\nDispatch within a day.\n")
    assert run(store, other).removed == 0
    assert set(stored(store)) == {"returns#1", "returns#2", "damage#1", "shipping#1"}
    (shelf / "damage.md").unlink()
    run(store, other)
    assert "damage#1" in stored(store)
    run(store, shelf, other)
    assert set(stored(store)) == {"returns#1", "returns#2", "shipping#1"}


def test_a_single_file_removes_nothing_else(store: IndexStore, shelf: Path) -> None:
    run(store, shelf)
    (shelf / "damage.md").write_text(DAMAGE.replace("48", "72"))
    report = run(store, shelf / "damage.md")
    assert (report.documents, report.embedded, report.removed) == (1, 1, 0)
    assert len(stored(store)) == 3
    assert run(store, shelf).unchanged == 3


def test_the_same_folder_for_two_tenants_stays_with_both(store: IndexStore, shelf: Path) -> None:
    run(store, shelf, tenant="a")
    run(store, shelf, tenant="b")
    assert set(stored(store, "a")) == set(stored(store, "b")) == {"returns#1", "returns#2", "damage#1"}
    (shelf / "damage.md").unlink()
    run(store, shelf, tenant="b")
    assert len(stored(store, "a")) == 3
    assert len(stored(store, "b")) == 2


def test_a_renamed_file_is_recognised(store: IndexStore, shelf: Path) -> None:
    run(store, shelf)
    (shelf / "damage.md").rename(shelf / "harm.md")
    model, seen = words()
    report = run(store, shelf, embedding=model)
    assert seen == []
    assert (report.embedded, report.removed) == (0, 1)
    assert [(Path(moved.old).name, Path(moved.new).name) for moved in report.moved] == [("damage.md", "harm.md")]
    assert set(stored(store)) == {"returns#1", "returns#2", "harm#1"}


def test_a_moved_folder_is_recognised(store: IndexStore, shelf: Path, tmp_path: Path) -> None:
    run(store, shelf)
    moved = shelf.rename(tmp_path / "elsewhere")
    model, seen = words()
    report = run(store, moved, embedding=model)
    assert seen == [] and report.failed == []
    assert len(report.moved) == 2
    assert len(stored(store)) == 3
    (moved / "damage.md").unlink()
    assert run(store, moved).removed == 1


def test_two_files_with_one_id_name_both(store: IndexStore, shelf: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "damage.md").write_text("# Damage\n\nAnother house's rule.\n")
    report = run(store, shelf, other)
    assert [failure.file for failure in report.failed] == ["damage.md"]
    assert str(shelf / "damage.md") in report.failed[0].reason
    assert "48 hours" in stored(store)["damage#1"]
    # The same between two runs.
    report = run(store, other)
    assert str(shelf / "damage.md") in report.failed[0].reason
    assert "48 hours" in stored(store)["damage#1"]


def test_a_copy_with_the_same_text_is_no_clash(store: IndexStore, shelf: Path, tmp_path: Path) -> None:
    run(store, shelf)
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "damage.md").write_text(DAMAGE)
    report = run(store, copy)
    assert (report.failed, report.embedded, report.moved) == ([], 0, [])
    assert len(stored(store)) == 3


def test_a_file_that_cannot_be_read_keeps_what_the_index_holds(store: IndexStore, shelf: Path) -> None:
    run(store, shelf)
    (shelf / "damage.md").write_text("")
    (shelf / "returns.md").write_text(RETURNS.replace("30 days", "40 days"))
    report = run(store, shelf)
    assert [failure.file for failure in report.failed] == ["damage.md"]
    assert "48 hours" in stored(store)["damage#1"]
    assert "40 days" in stored(store)["returns#1"]


@pytest.mark.parametrize("name", ["a" * 300 + ".md", "a\0.md", "x/" * 3000 + "a.md"], ids=["long", "null", "deep"])
def test_a_name_that_no_file_can_have_costs_nothing_else(store: IndexStore, shelf: Path, name: str) -> None:
    (shelf / "manifest.json").write_text(json.dumps({"documents": {name: {}}}))
    report = run(store, shelf)
    assert report.documents == 2
    assert [failure.reason for failure in report.failed] == ["is named in manifest.json, but there is no such file"]


@pytest.mark.parametrize("name", ["a" * 300, "a\0b", "gone"], ids=["long", "null", "gone"])
def test_a_path_that_is_none_is_named_and_the_rest_comes_in(store: IndexStore, shelf: Path, name: str) -> None:
    report = run(store, Path(name), shelf)
    assert report.documents == 2 and [failure.file for failure in report.failed] == [name]


def test_a_broken_manifest_empties_nothing(store: IndexStore, shelf: Path) -> None:
    run(store, shelf)
    (shelf / "manifest.json").write_text("{")
    report = run(store, shelf)
    assert report.failed and report.removed == 0
    assert len(stored(store)) == 3


def test_a_manifests_tenant_goes_before_the_given_one(store: IndexStore, shelf: Path) -> None:
    manifest(shelf, returns={"tenant": "acme"}, damage={})
    run(store, shelf)
    assert set(stored(store, "acme")) == {"returns#1", "returns#2"}
    assert set(stored(store)) == {"damage#1"}
    manifest(shelf, returns={}, damage={})
    run(store, shelf)
    assert stored(store, "acme") == {}
    assert len(stored(store)) == 3


def test_changed_metadata_is_written_without_embedding(store: IndexStore, shelf: Path) -> None:
    run(store, shelf)
    manifest(shelf, returns={"title": "Returns", "category": "electronics"}, damage={"title": "Damage"})
    report = run(store, shelf)
    assert (report.embedded, report.unchanged) == (0, 1)
    assert metadata(store, "returns#2")["category"] == "electronics"


def test_another_model_is_refused_with_a_sentence(store: IndexStore, shelf: Path) -> None:
    run(store, shelf)
    model, seen = words("other-model")
    with pytest.raises(IndexMismatch, match=r"built with the embedding model words, but other-model"):
        run(store, shelf, embedding=model)
    assert seen == []


def test_a_second_ingest_is_told_at_once(store: IndexStore, shelf: Path) -> None:
    with store.lock(), pytest.raises(IndexBusy, match="wait until it is done"):
        run(store, shelf)


def test_a_model_that_fails_midway_leaves_the_live_index(store: IndexStore, shelf: Path) -> None:
    run(store, shelf)
    before = stored(store)
    (shelf / "damage.md").unlink()
    (shelf / "returns.md").write_text(RETURNS.replace("30", "40"))
    model, _ = words()

    def fail(texts: list[str], *, query: bool) -> None:
        raise ModelUnavailable("gone")

    model.encoder().encode = fail  # type: ignore[method-assign, assignment]
    with pytest.raises(ModelUnavailable):
        run(store, shelf, embedding=model)
    assert stored(store) == before
    assert [info.name for info in store.versions()] == ["v0001"]
    assert run(store, shelf).embedded == 1


def test_build_beside_takes_these_paths_alone(store: IndexStore, shelf: Path, tmp_path: Path) -> None:
    run(store, shelf)
    other = tmp_path / "other"
    other.mkdir()
    (other / "shipping.md").write_text("# Shipping\n\nDispatch within a day.\n")
    model, _ = words("other-model")
    report = run(store, other, embedding=model, build="trial")
    assert (report.index, store.live()) == ("trial", "v0001")
    store.switch("trial")
    assert set(stored(store)) == {"shipping#1"}
    with pytest.raises(BadInput, match="already"):
        run(store, other, build="trial")


def test_parents_are_stored_once(store: IndexStore, shelf: Path) -> None:
    manifest(shelf, returns={"chunker": {"name": "parent_child", "limit": 8, "parent_limit": 200}}, damage={})
    report = run(store, shelf)
    held = metadata(store, "returns#1")

    async def read() -> list[str]:
        index = await store.current()
        return [d.page_content for d in await index.fetch([held["parent_id"]], Scope(tenant="default"))]

    (text,) = asyncio.run(read())
    assert "30 days of delivery" in text
    assert report.chunks == len(stored(store)) == report.embedded
    again = run(store, shelf)
    assert (again.unchanged, again.index) == (report.chunks, "v0001")
    (shelf / "returns.md").unlink()
    manifest(shelf, damage={})
    assert run(store, shelf).removed == report.chunks - 1


def test_other_sizes_cut_again_and_say_so(store: IndexStore, shelf: Path) -> None:
    run(store, shelf)
    (shelf / "damage.md").write_text("# Damage\n\n" + "Report damage within two days. " * 12)
    run(store, shelf, defaults=ChunkingDefaults(limit=20, overlap=0))
    assert len([at for at in stored(store) if at.startswith("damage#")]) > 1
    assert metadata(store, "damage#1")["index_version"] == "words-16/structural-20w-0s"


def test_progress_tells_every_step(store: IndexStore, shelf: Path) -> None:
    steps: dict[str, list[tuple[int, int]]] = {}
    run(store, shelf, progress=lambda step, done, total: steps.setdefault(step, []).append((done, total)))
    assert set(steps) >= {"load", "embed", "commit"}
    assert all(told[-1][0] == told[-1][1] for told in steps.values())
    assert steps["embed"][-1] == (3, 3)


def test_nothing_to_index_makes_no_index(store: IndexStore, tmp_path: Path) -> None:
    report = run(store, tmp_path / "nowhere")
    assert report.index is None and len(report.failed) == 1
    assert store.versions() == []
