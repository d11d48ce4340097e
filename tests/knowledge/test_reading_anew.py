"""An index that older code read: the next ingest reads it anew and embeds nothing."""

from __future__ import annotations

import asyncio
import json
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from qdrant_client import QdrantClient

import knowledge.ingest
import knowledge.ingest_write
from knowledge.index.port import IndexStore, ListRequest
from knowledge.index.server_store import ServerStore
from knowledge.ingest import IngestReport, ingest
from knowledge.ingest_plan import READING
from knowledge.ingest_write import index_chunks
from knowledge.scope import Scope
from tests.knowledge.index.engines import ENGINES, open_engine, sparse
from tests.knowledge.index.words import words

RETURNS = """# Returns

The form RX-77 goes with every parcel that comes back to the shop.
"""
LEAVE = """# Leave

The form LV-12 is handed in before the leave begins, and the manager signs it.
"""


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def store(engine: str, tmp_path: Path) -> IndexStore:
    return open_engine(engine, tmp_path / "data")


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    folder = tmp_path / "shelf"
    folder.mkdir()
    (folder / "returns.md").write_text(RETURNS)
    return folder


@contextmanager
def older_code() -> Iterator[None]:
    """Code that knew no identifiers and read every word as another token, and gave its readings no number."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(knowledge.ingest, "READING", 0)
        patch.setattr(knowledge.ingest_write, "READING", 0)
        patch.setattr(knowledge.ingest, "derive", lambda piece: {"defines": [], "mentions": [], "references": []})
        patch.setattr(knowledge.ingest_write, "token_indices", lambda text, language: array("L", [7, 7, 9]))
        yield


def run(store: IndexStore, *paths: Path, **options: Any) -> tuple[IngestReport, list[str]]:
    model, seen = words()
    return ingest(list(paths), store=store, **{"embedding": model, **options}), seen


def held(store: IndexStore, tenant: str = "default") -> dict[str, Document]:
    async def read() -> dict[str, Document]:
        index = await store.current()
        return {str(d.id): d for d in await index.documents(Scope(tenant=tenant, include_repealed=True))}

    return asyncio.run(read())


def found_by_words(store: IndexStore, question: str, tenant: str = "default") -> list[str]:
    async def search() -> list[str]:
        index = await store.current()
        result = await index.search([ListRequest(limit=5, sparse=sparse(question))], Scope(tenant=tenant))
        return [found.id for found in result.lists[0]]

    return asyncio.run(search())


def reading(store: IndexStore) -> int:
    return next(info.spec.reading for info in store.versions() if info.live)


def test_unchanged_chunks_are_read_anew_and_not_embedded(store: IndexStore, shelf: Path) -> None:
    with older_code():
        run(store, shelf)
    assert held(store)["returns#1"].metadata["mentions"] == [] and found_by_words(store, "parcel") == []
    report, seen = run(store, shelf)
    assert (report.read_anew, report.embedded, report.removed, seen) == (1, 0, 0, [])
    assert any("read anew: 1 chunk, nothing embedded" in note for note in report.notes)
    assert "rx-77" in held(store)["returns#1"].metadata["mentions"]
    assert found_by_words(store, "parcel") == ["returns#1"]
    assert reading(store) == READING


def test_what_was_read_anew_is_as_if_it_were_ingested_for_the_first_time(
    engine: str, shelf: Path, tmp_path: Path
) -> None:
    store, fresh = open_engine(engine, tmp_path / "old"), open_engine(engine, tmp_path / "fresh")
    with older_code():
        run(store, shelf)
    run(store, shelf)
    run(fresh, shelf)
    assert held(store) == held(fresh)


def test_then_the_same_folder_changes_nothing(store: IndexStore, shelf: Path) -> None:
    with older_code():
        run(store, shelf)
    before, _ = run(store, shelf)
    report, seen = run(store, shelf)
    assert (report.read_anew, report.unchanged, seen) == (0, 1, [])
    assert not any("anew" in note for note in report.notes)
    assert report.index == before.index


def test_other_folders_and_tenants_are_read_anew_too(store: IndexStore, shelf: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "leave.md").write_text(LEAVE)
    with older_code():
        run(store, shelf)
        run(store, other)
        run(store, other, tenant="acme")
    report, seen = run(store, shelf)
    assert (report.read_anew, report.chunks, seen) == (3, 1, [])
    for tenant in ("default", "acme"):
        assert "lv-12" in held(store, tenant)["leave#1"].metadata["mentions"]
        assert found_by_words(store, "manager", tenant) == ["leave#1"]


def test_what_changed_is_embedded_and_the_rest_read_anew(store: IndexStore, shelf: Path) -> None:
    (shelf / "leave.md").write_text(LEAVE)
    with older_code():
        run(store, shelf)
    (shelf / "leave.md").write_text(LEAVE.replace("signs", "stamps"))
    report, seen = run(store, shelf)
    assert (report.read_anew, report.embedded, len(seen)) == (1, 1, 1)
    assert any("read anew: 1 chunk, with the vectors they had" in note for note in report.notes)
    assert "lv-12" in held(store)["leave#1"].metadata["mentions"]


def test_a_file_that_is_gone_is_not_read_anew(store: IndexStore, shelf: Path) -> None:
    (shelf / "leave.md").write_text(LEAVE)
    with older_code():
        run(store, shelf)
    (shelf / "leave.md").unlink()
    report, _ = run(store, shelf)
    assert (report.read_anew, report.removed) == (1, 1)
    assert list(held(store)) == ["returns#1"]


def test_parents_are_read_anew(store: IndexStore, shelf: Path) -> None:
    chunker = {"name": "parent_child", "limit": 8, "parent_limit": 200}
    manifest = {"documents": {"returns.md": {"chunker": chunker}}}
    (shelf / "manifest.json").write_text(json.dumps(manifest))
    with older_code():
        run(store, shelf)
    run(store, shelf)

    async def parent() -> Document:
        index = await store.current()
        scope = Scope(tenant="default")
        name = str(next(iter(held_now.values())).metadata["parent_id"])
        return (await index.fetch([name], scope))[0]

    held_now = held(store)
    assert "rx-77" in asyncio.run(parent()).metadata["mentions"]


def test_chunks_of_other_tenants_are_read_anew_by_chunks_cut_already(store: IndexStore, shelf: Path) -> None:
    with older_code():
        run(store, shelf)
    model, _ = words()
    metadata = {"tenant": "acme", "language": "en", "document_id": "x", "chunk_id": "x#1", "status": "active"}
    piece = Document(id="x#1", page_content="Anything at all.", metadata={**metadata, "category": "general"})
    index_chunks([piece], store=store, embedding=model, label="made-up", tenant="acme")
    assert "rx-77" in held(store)["returns#1"].metadata["mentions"]
    assert reading(store) == READING


def test_an_index_without_the_number_was_read_by_version_0(engine: str, store: IndexStore, shelf: Path) -> None:
    run(store, shelf)
    if isinstance(store, ServerStore):
        _forget_on_server(store._clients.sync)
    else:
        (file,) = (shelf.parent / "data").rglob("version.json")
        about = json.loads(file.read_text())
        del about["spec"]["reading"]
        file.write_text(json.dumps(about))
    assert reading(store) == 0
    report, seen = run(store, shelf)
    assert (report.read_anew, seen) == (1, [])


def _forget_on_server(client: QdrantClient) -> None:
    for found in client.get_collections().collections:
        if found.name.startswith("policydesk_v"):
            about = dict(client.get_collection(found.name).config.metadata or {})["policydesk"]
            spec = {key: value for key, value in about["spec"].items() if key != "reading"}
            client.update_collection(found.name, metadata={"policydesk": {**about, "spec": spec}})


def test_a_build_beside_an_older_index_is_read_by_this_code(store: IndexStore, shelf: Path) -> None:
    with older_code():
        run(store, shelf)
    report, _ = run(store, shelf, build="next")
    assert (report.read_anew, report.embedded) == (0, 1)
    assert {info.name: info.spec.reading for info in store.versions()}["next"] == READING


def test_the_reading_does_not_change_what_a_version_is_called(store: IndexStore, shelf: Path) -> None:
    run(store, shelf)
    spec = next(info.spec for info in store.versions())
    assert replace(spec, reading=0).version == spec.version
