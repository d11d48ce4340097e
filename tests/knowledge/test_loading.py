"""Folders, names, encodings, bounds: what is read, what is not, and what is said of it."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from knowledge.loading import LoadReport, iterate, load, reading
from knowledge.loading.files import document_id
from tests.knowledge.files import docx, paragraph, pdf


def reasons(report: LoadReport) -> dict[str, str]:
    return {failure.file: failure.reason for failure in report.failed}


def ids(report: LoadReport) -> list[str]:
    return [document.document_id for document in report.documents]


def test_folder_of_good_and_bad_files_each_bad_one_named_with_its_reason(tmp_path: Path) -> None:
    folder = tmp_path / "policies"
    folder.mkdir()
    (tmp_path / "secret.md").write_text("# Secret\n\nNot yours.")
    good = {
        "returns.md": b"# Returns\n\nThirty days.\n",
        "notes.txt": b"Plain notes about refunds.",
        "page.html": b"<html><body><h1>Shipping</h1><p>Two days.</p></body></html>",
        "manual.pdf": pdf([["First page."], ["Second page."]]),
        "leave.docx": docx(paragraph("Leave", "Heading1") + paragraph("Twenty days.")),
        "latin.txt": "Le café est fermé à Noël, déjà réservé.".encode("cp1252"),
        "wide.txt": "Срокът за връщане е седем дни.".encode("utf-16"),
        "правила за отпуск 2024.md": "# Отпуск\n\nДвадесет дни.".encode(),
    }
    bad = {
        "scan.pdf": (pdf([[]]), "OCR"),
        "locked.pdf": (pdf([["Secret."]], encrypted=True), "encrypted"),
        "empty.md": (b" \n", "empty"),
        "picture.md": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4, "PNG"),
        "noise.txt": (bytes(range(1, 256)) * 50, "can't be told|binary"),
        "broken.docx": (b"PK\x03\x04 and nothing more", "damaged"),
        "broken.pdf": (b"%PDF-1.4 and nothing more", "not a PDF"),
    }
    for name, data in good.items():
        (folder / name).write_bytes(data)
    for name, (data, _) in bad.items():
        (folder / name).write_bytes(data)
    (folder / "out.md").symlink_to(tmp_path / "secret.md")
    (folder / ".hidden.md").write_text("hidden")
    report = load([folder])
    assert {document.source for document in report.documents} == set(good)
    assert "правила-за-отпуск-2024" in ids(report)
    found = reasons(report)
    assert set(found) == {*bad, "out.md"}
    for name, (_, words) in bad.items():
        assert any(word in found[name] for word in words.split("|")), found[name]
    assert "leads out of the folder" in found["out.md"]
    texts = {document.source: document.text for document in report.documents}
    assert "café est fermé à Noël" in texts["latin.txt"]
    assert texts["wide.txt"] == "Срокът за връщане е седем дни."


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("ax-204-manual.md", "ax-204-manual"),
        ("Правила 2024.md", "правила-2024"),
        ("hr/Leave Policy.docx", "hr-leave-policy"),
        ("a__b...c.txt", "a-b-c"),
        ("---.md", "document"),
        ("и\u0306.md", "й"),
        ("हिन्दी नियम.md", "हिन्दी-नियम"),
    ],
)
def test_document_id_is_readable_and_depends_on_the_path_alone(source: str, wanted: str) -> None:
    assert document_id(source) == wanted


def test_same_id_twice_is_named_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "leave.md").write_text("# A\n\na")
    (tmp_path / "leave.txt").write_text("b")
    report = load([tmp_path])
    assert ids(report) == ["leave"]
    assert "same id as leave.md" in reasons(report)["leave.txt"]


def test_without_a_manifest_one_note_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# The A policy\n\ntext")
    (tmp_path / "b.md").write_text("text alone")
    report = load([tmp_path])
    assert [note for note in report.notes if "manifest.json" in note] == report.notes
    assert len(report.notes) == 1
    assert [document.title for document in report.documents] == ["The A policy", "b"]
    assert {document.category for document in report.documents} == {"general"}
    assert {document.tenant for document in report.documents} == {"default"}


def test_manifest_says_what_the_documents_are(tmp_path: Path) -> None:
    entry = {
        "title": "Leave",
        "category": "hr",
        "tenant": "acme",
        "language": "bg",
        "status": "repealed",
        "updated_at": "2026-03-02T10:00:00+02:00",
        "chunker": {"name": "legal", "limit": 200},
        "notice": "Not advice.",
        "id": "leave-2026",
        "price_tier": "gold",
        "course_id": [1, 2],
    }
    (tmp_path / "x.md").write_text("# Other\n\ntext")
    (tmp_path / "y.md").write_text("# Y\n\ntext")
    (tmp_path / "manifest.json").write_text(
        json.dumps({"defaults": {"category": "rules"}, "documents": {"x.md": entry}})
    )
    report = load([tmp_path], tenant="other")
    x, y = report.documents
    assert (x.title, x.category, x.tenant, x.language, x.status) == ("Leave", "hr", "acme", "bg", "repealed")
    assert (x.updated_at, x.notice, x.document_id) == ("2026-03-02T08:00:00+00:00", "Not advice.", "leave-2026")
    assert (x.chunker, dict(x.chunker_options)) == ("legal", {"limit": 200})
    assert dict(x.extra) == {"price_tier": "gold", "course_id": [1, 2]}
    assert (y.category, y.tenant) == ("rules", "other")
    assert any("y.md is not in manifest.json" in note for note in report.notes)


def test_bad_entries_cost_their_document_and_missing_files_are_named(tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("# T\n\ntext")
    documents = {"a.md": {"status": "old"}, "b.md": {}, "gone.md": {}, "../out.md": {}}
    (tmp_path / "manifest.json").write_text(json.dumps({"documents": documents}))
    report = load([tmp_path])
    assert ids(report) == ["b"]
    found = reasons(report)
    assert "status" in found["a.md"]
    assert "'old'" in found["a.md"]
    assert "no such file" in found["gone.md"]
    assert any("out of the folder" in reason for reason in found.values())


def test_nothing_is_loaded_under_a_manifest_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# T\n\ntext")
    (tmp_path / "manifest.json").write_text('{"documents": {"a.md": {"tenant": "acme"}')
    report = load([tmp_path])
    assert not report.documents
    assert "not JSON" in reasons(report)["manifest.json"]


def test_each_shelf_in_a_folder_has_its_own_manifest(tmp_path: Path) -> None:
    for shelf in ("hr", "it"):
        (tmp_path / shelf).mkdir()
        (tmp_path / shelf / "rules.md").write_text("# Rules\n\ntext")
        (tmp_path / shelf / "manifest.json").write_text(json.dumps({"documents": {"rules.md": {"category": shelf}}}))
    report = load([tmp_path])
    assert {document.document_id: document.category for document in report.documents} == {
        "hr-rules": "hr",
        "it-rules": "it",
    }
    assert not report.failed


def test_single_file_has_its_folders_manifest_and_the_same_id(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\ntext")
    (tmp_path / "b.md").write_text("# B\n\ntext")
    (tmp_path / "manifest.json").write_text(
        json.dumps({"documents": {"a.md": {"category": "hr"}, "b.md": {"category": 5}}})
    )
    (document,) = load([tmp_path / "a.md"]).documents
    assert (document.category, document.document_id, document.root) == ("hr", "a", str(tmp_path))


def test_paths_that_lead_nowhere_are_named(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "x.csv").write_text("a,b")
    (tmp_path / "old.doc").write_bytes(b"\xd0\xcf\x11\xe0")
    found = [failure.reason for failure in load([tmp_path / "gone", tmp_path / "empty", tmp_path / "x.csv"]).failed]
    assert "no such file" in found[0]
    assert "no documents" in found[1]
    assert "can't be read (.csv)" in found[2]
    report = load([tmp_path])
    assert "save it as .docx" in reasons(report)["old.doc"]
    assert any("x.csv" in note for note in report.notes)


def test_links_inside_are_read_once_and_broken_ones_named(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.md").write_text("# A\n\ntext")
    (tmp_path / "again").symlink_to(tmp_path / "real", target_is_directory=True)
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "dead.md").symlink_to(tmp_path / "nowhere.md")
    report = load([tmp_path])
    assert [document.source for document in report.documents] == ["real/a.md"]
    assert "leads nowhere" in reasons(report)["dead.md"]


def test_a_file_that_goes_while_its_folder_is_walked_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("# Title\n\nSome text.", encoding="utf-8")
    is_dir = Path.is_dir

    def goes(path: Path) -> bool:
        found = is_dir(path)
        if path.name == "b.md":
            path.unlink()
        return found

    monkeypatch.setattr(Path, "is_dir", goes)
    report = load([tmp_path])
    assert [document.source for document in report.documents] == ["a.md"]
    assert [failure.file for failure in report.failed] == ["b.md"]


def test_pipes_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert "ordinary file" in reasons(load([tmp_path]))["pipe.md"]


def test_a_file_over_the_limit_is_refused_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_FILE_BYTES", 10)
    (tmp_path / "a.md").write_text("# Eleven bytes")
    assert "over the limit" in reasons(load([tmp_path]))["a.md"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1251"])
def test_bulgarian_in_every_encoding(tmp_path: Path, encoding: str) -> None:
    text = "Чл. 40а. Работодателят изплаща първите два дни от отпуска.\nОстаналото се изплаща от осигуряването.\n"
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    (document,) = load([tmp_path]).documents
    assert document.text == text
    assert document.language == "bg"


def test_line_ends_strays_and_soft_hyphens_are_cleaned(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes("# T\r\n\r\nwar\u00adranty\rline\x00 end\ufeff\r\n".encode() + b"x" * 400)
    (document,) = load([tmp_path]).documents
    assert document.text == "# T\n\nwarranty\nline end\n" + "x" * 400


def test_utf8_with_a_broken_byte_is_still_utf8(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(("Срокът е седем дни. " * 50).encode() + b"\xff")
    (document,) = load([tmp_path]).documents
    assert document.text.startswith("Срокът е седем дни.")


def test_front_matter_is_taken_off_and_names_the_title(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\ntitle: 'Leave'\ntags:\n  - hr\n---\n# Heading\n\ntext\n")
    (tmp_path / "b.md").write_text("---\nA rule, then text.\n---\n")
    a, b = load([tmp_path]).documents
    assert (a.title, a.text) == ("Leave", "# Heading\n\ntext\n")
    assert b.text.startswith("---")


def test_content_hash_follows_text_and_metadata(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\ntext")
    (first,) = load([tmp_path]).documents
    (again,) = load([tmp_path]).documents
    assert first.content_hash == again.content_hash
    for change in ({"text": "other"}, {"category": "hr"}, {"extra": {"x": 1}}, {"chunker": "fixed"}, {"title": "B"}):
        assert replace(first, content_hash="", **change).content_hash != first.content_hash


def test_iterate_reads_one_file_at_a_time(tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("# T\n\ntext")
    items = iterate([tmp_path])
    next(items)
    (tmp_path / "b.md").write_text("")
    assert [type(item).__name__ for item in items] == ["Failure"]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Rücksendung innerhalb von sieben Tagen, übliche Gebühren für Käufer.", "latin-1"),
        ("La politique de retour exige la facture d'achat, même à l'étranger.", "cp1252"),
        ("Zwrot jest możliwy w ciągu siedmiu dni, jeżeli klient zachował fakturę i opakowanie.", "cp1250"),
        ("Клиентът връща стоката в срок от седем дни след доставката.", "koi8-r"),
    ],
)
def test_eight_bit_encodings_are_guessed(tmp_path: Path, text: str, encoding: str) -> None:
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    (document,) = load([tmp_path]).documents
    assert document.text == text


def test_files_that_no_manifest_names_are_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"documents": {}}')
    for number in range(7):
        (tmp_path / f"d{number}.md").write_text(f"# Rule {number}")
    assert load([tmp_path]).notes == [
        "7 files are not in manifest.json and were loaded with the defaults: d0.md, d1.md, d2.md, d3.md, d4.md, …"
    ]


def test_a_file_that_was_not_read_was_not_loaded_with_the_defaults(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"documents": {"a.md": {"title": "A"}}}')
    (tmp_path / "a.md").write_text("# A\n\nText.")
    (tmp_path / "b.md").write_text("# B\n\nText.")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4 nothing of the kind")
    (tmp_path / "empty.docx").write_bytes(b"")
    report = load([tmp_path])
    assert {failure.file for failure in report.failed} == {"broken.pdf", "empty.docx"}
    assert report.notes == ["b.md is not in manifest.json: it was loaded with the defaults."]
    (tmp_path / "b.md").unlink()
    assert load([tmp_path]).notes == []
