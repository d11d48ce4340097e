"""Each mistake in a manifest is named by file and field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from knowledge.errors import BadInput
from knowledge.manifest import read_manifest


def write(tmp_path: Path, content: Any) -> Path:
    path = tmp_path / "manifest.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"status": "old"}, ["status", "'old'"]),
        ({"updated_at": "2026-13-40"}, ["updated_at", "2026-13-40"]),
        ({"updated_at": 20260101}, ["updated_at"]),
        ({"language": "Bulgarian"}, ["language", "two or three letters, such as 'en'", "'Bulgarian'"]),
        ({"category": ""}, ["category", "not empty"]),
        ({"category": " "}, ["category", "not empty"]),
        ({"title": 5}, ["title"]),
        ({"tenat": "acme"}, ["'tenat'", "'tenant'"]),
        ({"chunk_id": "x"}, ["'chunk_id'"]),
        ({"_id": "x"}, ["'_id'"]),
        ({"price tier": "x"}, ["'price tier'"]),
        ({"price_tier": {"a": 1}}, ["'price_tier'"]),
        ({"price_tier": None}, ["'price_tier'"]),
        ({"price_tier": [1, "a"]}, ["'price_tier'"]),
        ({"chunker": "structurl"}, ["chunker", "'structurl'", "did you mean 'structural'", "legal"]),
        ({"chunker": {"name": "structural", "limt": 5}}, ["chunker", "'limt'", "limit"]),
        ({"chunker": {"name": "fixed", "limit": 10, "overlap": 10}}, ["overlap (10)", "limit (10)"]),
        ({"chunker": {"name": "semantic", "percentile": 101}}, ["percentile", "101"]),
        ({"chunker": {"name": "parent_child", "limit": 50, "parent_limit": 40}}, ["parent_limit (40)"]),
        ({"chunker": {"name": "structural", "limit": 0}}, ["limit", "0"]),
        ({"chunker": {"name": "structural", "unit": "lines"}}, ["unit", "'lines'"]),
        ({"chunker": {"limit": 5}}, ["chunker", "name"]),
        ({"id": "a/b"}, ["id", "letters, digits"]),
        ({"updated_at": "0001-01-01T00:00:00+14:00"}, ["updated_at", "2026-03-02"]),
        ({"updated_at": "9999-12-31T23:59:59-14:00"}, ["updated_at", "2026-03-02"]),
        ({"price": 10**30}, ["'price'"]),
        ({"price": [1, -(10**30)]}, ["'price'"]),
        ({"region": "\ud800"}, ["'region'"]),
        ({"region": ["eu", "\udfff"]}, ["'region'"]),
        ("title", ["must be an object"]),
    ],
    ids=str,
)
def test_a_bad_entry_is_named_by_field(tmp_path: Path, entry: Any, words: list[str]) -> None:
    manifest = read_manifest(write(tmp_path, {"documents": {"a.md": entry, "b.md": {"title": "B"}}}))
    assert list(manifest.entries) == ["b.md"]
    for word in words:
        assert word in manifest.bad["a.md"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", ["not JSON", "line 1"]),
        ("[]", ["object"]),
        ({"document": {}}, ["'document'", "documents"]),
        ({"documents": []}, ["'documents'"]),
        ({"defaults": {"status": "old"}}, ["defaults", "status"]),
        ({"defaults": {"id": "x"}}, ["one document"]),
        ('{"documents": {"a.md": {}, "a.md": {}}}', ["'a.md'", "twice"]),
        ("[" * 100_000, ["nested too deep"]),
        ('{"documents": {"a.md": {"n": ' + "9" * 5000 + "}}}", ["digits"]),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_bad_manifest_is_refused_whole(tmp_path: Path, content: Any, words: list[str]) -> None:
    with pytest.raises(BadInput) as caught:
        read_manifest(write(tmp_path, content))
    for word in words:
        assert word in caught.value.message


def test_a_file_named_in_two_spellings_is_in_neither(tmp_path: Path) -> None:
    documents = {"./a.md": {"tenant": "acme"}, "a.md": {"tenant": "rival"}, ".//a.md": {}, "b.md": {}}
    manifest = read_manifest(write(tmp_path, {"documents": documents}))
    assert list(manifest.entries) == ["b.md"] and "twice" in manifest.bad["a.md"]


def test_defaults_stand_in_and_entries_win(tmp_path: Path) -> None:
    defaults = {"category": "hr", "tenant": "acme", "region": "eu", "chunker": {"name": "structural", "limit": 80}}
    entries = read_manifest(
        write(tmp_path, {"defaults": defaults, "documents": {"a.md": {"tenant": "b", "chunker": "legal"}, "b.md": {}}})
    ).entries
    assert (entries["a.md"].category, entries["a.md"].tenant, entries["a.md"].extra) == ("hr", "b", {"region": "eu"})
    assert entries["a.md"].chunker == {"name": "legal"}
    assert entries["b.md"].chunker == {"name": "structural", "limit": 80}


def test_names_are_compared_composed(tmp_path: Path) -> None:
    assert list(read_manifest(write(tmp_path, {"documents": {"./и\u0306.md": {}}})).entries) == ["й.md"]


def test_a_complaint_names_the_value_once(tmp_path: Path) -> None:
    bad = read_manifest(write(tmp_path, {"documents": {"a.md": {"chunker": "leagal"}}})).bad["a.md"]
    assert bad.count("leagal") == 1
