"""The commands as a user types them, over the real graph with vectors made from words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from graph.resources import Resources
from graph.settings import load_settings
from knowledge.calibration import FILE
from service.cli import main
from tests.evals.desk import embedding

CORPUS = [
    {"_id": f"P0{n}00", "title": f"P0{n}00", "text": f"P0{n}00: fault of circuit {chr(97 + n) * 4}"} for n in range(10)
]
QUERIES = [
    *({"_id": f"q{n}", "text": f"What does code P0{n}00 mean?", "kind": "exact_code"} for n in range(5)),
    {"_id": "q8", "text": "Who won the football cup?", "kind": "off_topic", "answerable": False},
    {"_id": "q9", "text": "What does code P0999 mean?", "kind": "absent_code", "answerable": False},
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("POLICYDESK_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("POLICYDESK_RERANKER", "evidence")
    monkeypatch.setattr(Resources, "embedding", embedding())
    monkeypatch.chdir(tmp_path)
    load_settings.cache_clear()
    folder = tmp_path / "codes"
    folder.mkdir()
    for name, records in (("corpus", CORPUS), ("queries", QUERIES)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, records)))
    judged = "\n".join(f"q{n}\tP0{n}00\t1" for n in range(5))
    (folder / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\n{judged}\n")
    yield folder
    load_settings.cache_clear()


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main(list(argv))
    out = capsys.readouterr()
    return int(stopped.value.code or 0), out.out, out.err


def as_json(capsys: pytest.CaptureFixture[str], *argv: str) -> dict[str, Any]:
    code, out, err = run(capsys, *argv, "--json")
    assert code == 0, err
    return dict(json.loads(out))


def test_eval_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    summary = as_json(capsys, "eval", str(folder))
    assert summary["metrics"]["recall@1"] == 1
    assert summary["metrics"]["refusal_recall"] == 1
    assert summary["by_kind"]["exact_code"]["refused"] == 0
    assert summary["by_kind"]["absent_code"]["refused"] == 1
    assert summary["questions"] == 7
    assert {"retrieve", "fuse", "rerank", "fit_context", "total"} <= set(summary["latency_ms"])
    assert as_json(capsys, "eval", str(folder), "--limit", "2")["questions"] == 2


def test_options_reach_the_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    summary = as_json(capsys, "eval", str(folder), "--stage", "fit", "--top-k", "1", "--threshold", "1")
    assert summary["stage"] == "fit"
    assert summary["by_kind"]["exact_code"]["refused"] == 1


def test_tables_are_for_people(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "eval", str(folder))
    assert code == 0
    assert "R@5" in out
    assert "nDCG@10" in out
    row = next(line for line in out.split("of the answerable")[1].splitlines() if "exact code" in line)
    assert row.split() == ["exact", "code", "5", "0.000", "0.000"]
    assert "exact code" in out


def test_answers_are_measured(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    metrics = as_json(capsys, "eval", str(folder), "--answers")["metrics"]
    assert metrics["citation_recall"] > 0


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("--stage", "later"), "--stage is one of"),
        (("--top-k", "99"), "top_k must be"),
        (("--ablate", "--answers"), "leave --answers out"),
    ],
)
def test_bad_options_are_told_first(
    folder: Path, capsys: pytest.CaptureFixture[str], argv: tuple[str, ...], said: str
) -> None:
    code, _, err = run(capsys, "eval", str(folder), *argv)
    assert code == 2
    assert said in err
    assert not (folder.parent / "data").exists()


def test_needed_ids_not_in_the_index_are_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (folder / "qrels.tsv").open("a") as qrels:
        qrels.write("q4\tP7777\t1\n")
    _, _, err = run(capsys, "eval", str(folder))
    assert "1 needed passages are not in the index" in err
    assert "P7777" in err


def test_ablation_and_report(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    report = folder.parent / "report"
    summary = as_json(capsys, "eval", str(folder), "--ablate", "--report", str(report))
    names = {row["name"] for row in summary["ablation"]}
    assert {"without identifiers", "without the reranker"} <= names
    assert all({"low", "high", "value"} == set(row["differences"]["mrr"]) for row in summary["ablation"])
    assert "What each stage and option brings" in (report / "index.html").read_text(encoding="utf-8")


def test_calibrate_writes_what_ask_reads(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys, "calibrate", str(folder))
    assert found["unanswerable_refused"] == 1
    assert found["answerable_refused"] == 0
    stored = json.loads((folder.parent / "data" / FILE).read_text())["thresholds"]
    assert stored[found["key"]]["threshold"] == found["threshold"]
    assert found["key"].startswith("words | evidence | ")
    assert found["interval"][0] <= found["threshold"] <= found["interval"][1]
    _, out, err = run(capsys, "calibrate", str(folder), "--max-refused", "10")
    assert "Rule: at most 10 %" in out
    assert "5 answerable and 2 unanswerable questions are few" in err


def test_why_over_the_live_index(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shelf = folder.parent / "shelf"
    shelf.mkdir()
    (shelf / "damage.md").write_text("# Damage\n\nDamaged goods are reported within 48 hours.\n")
    assert run(capsys, "ingest", str(shelf))[0] == 0
    found = as_json(capsys, "why", "When are damaged goods reported?", "--expect", "within 48 hours")
    assert (found["lost"], found["chunk_id"]) == ("kept", "damage#1")
    for absent in ("nowhere", "damage#9", "nosuch#1", ""):
        code, out, _ = run(capsys, "why", "When are damaged goods reported?", "--expect", absent, "--json")
        assert (code, json.loads(out)["lost"]) == (2, "not_indexed")
    code, out, _ = run(capsys, "why", "When are damaged goods reported?", "--expect", "nosuch#1")
    assert code == 2
    assert "No chunk has the id 'nosuch#1'" in out
    code, out, _ = run(capsys, "why", "When are damaged goods reported?", "--expect", "damage", "--language", "bg")
    assert code == 0
    assert "filtered" in out
    assert "without the filter language" in out


def test_why_over_the_index_of_a_set(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys, "why", "What does code P0300 mean?", "--expect", "P0300", "--set", str(folder))
    assert (found["lost"], found["chunk_id"]) == ("kept", "P0300#1")
    found = as_json(
        capsys, "why", "What does code P0300 mean?", "--expect", "P0400", "--set", str(folder), "--top-k", "1"
    )
    assert found["lost"] in ("reranked_too_low", "below_lists")


def test_own_golden_file_over_the_live_index_or_a_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shelf, golden = folder.parent / "shelf", folder.parent / "mine.jsonl"
    shelf.mkdir()
    (shelf / "damage.md").write_text("# Damage\n\nDamaged goods are reported within 48 hours.\n")
    golden.write_text('{"question": "When are damaged goods reported?", "needed": ["damage#1"]}\n')
    code, _, err = run(capsys, "eval", str(golden))
    assert code == 1
    assert "policydesk ingest" in err
    assert as_json(capsys, "eval", str(golden), "--documents", str(shelf))["metrics"]["recall@1"] == 1
    assert run(capsys, "ingest", str(shelf), "--tenant", "acme")[0] == 0
    assert as_json(capsys, "eval", str(golden), "--tenant", "acme")["metrics"]["recall@1"] == 1
    assert as_json(capsys, "eval", str(golden), "--tenant", "zeta")["metrics"]["recall@1"] == 0


def test_a_set_of_its_own_belongs_to_whoever_measures(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert as_json(capsys, "eval", str(folder), "--tenant", "acme")["metrics"]["recall@1"] == 1
