"""The command line as its user runs it: exit codes, JSON, and what it does not import."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from graph.settings import load_settings
from nodes.state import ANSWER_KEYS, SEARCH_KEYS
from service.cli import main

ROOT = Path(__file__).resolve().parents[2]
DEMO = "Can I return my damaged headphones after 10 days?"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("POLICYDESK_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    load_settings.cache_clear()
    yield tmp_path / "data"
    load_settings.cache_clear()


def run(*argv: str) -> int:
    with pytest.raises(SystemExit) as stopped:
        main(list(argv))
    code = stopped.value.code
    return code if isinstance(code, int) else 0


def run_json(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, dict[str, Any]]:
    code = run(*argv, "--json")
    return code, json.loads(capsys.readouterr().out)


def test_the_command_line_imports_no_model_library() -> None:
    script = (
        "import sys, service.cli; sys.exit(any(m in sys.modules for m in ('torch', 'sentence_transformers', 'numpy')))"
    )
    assert subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=False).returncode == 0


def test_the_module_runs_as_the_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["policydesk", "no-such-command"])
    with pytest.raises(SystemExit) as stopped:
        runpy.run_module("policydesk", run_name="__main__")
    assert stopped.value.code == 2
    assert "no-such-command" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "rests"),
    [
        (["ask", "refund"], True),
        (["search", "ingest"], True),
        (["doctor"], True),
        (["ingest", "ask"], False),
        (["serve"], False),
        (["eval", "ask"], False),
        (["--help"], False),
    ],
)
def test_a_short_command_leaves_its_garbage_lying(
    monkeypatch: pytest.MonkeyPatch, argv: list[str], rests: bool
) -> None:
    done: list[str] = []
    collector = SimpleNamespace(disable=lambda: done.append("off"), freeze="freeze")
    monkeypatch.setattr("service.cli.gc", collector)
    monkeypatch.setattr("service.cli.atexit", SimpleNamespace(register=done.append))
    monkeypatch.setattr("service.cli.app", lambda args: done.append("run"))
    monkeypatch.setattr("sys.argv", ["policydesk", *argv])

    main()
    assert done == (["off", "freeze", "run"] if rests else ["run"])
    done.clear()
    main(argv)  # within another program, whose garbage is its own
    assert done == ["run"]


def test_the_demo_question_brings_its_own_shelf(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("ask", DEMO) == 0
    shown = capsys.readouterr()
    assert "7 days" in shown.out and "48 hours" in shown.out and "[S1] electronics-returns.md" in shown.out
    assert "demo shelf" in shown.err and data.is_dir()


def test_another_question_without_an_index_is_told_what_to_do(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("ask", "refund") == 1
    assert "policydesk ingest" in capsys.readouterr().err


def test_ask_search_and_ingest_keep_their_json_contract(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, report = run_json(capsys, "ingest", str(ROOT / "knowledge" / "kartly"))
    assert code == 0
    assert (report["documents"], report["chunks"], report["embedded"], report["failed"]) == (10, 17, 17, [])
    code, again = run_json(capsys, "ingest", str(ROOT / "knowledge" / "kartly"))
    assert (code, again["embedded"], again["unchanged"], again["index"]) == (0, 0, 17, report["index"])

    code, found = run_json(capsys, "search", DEMO, "--top-k", "3")
    assert code == 0 and set(found) == set(SEARCH_KEYS) and len(found["context"]) == 3
    assert set(found["context"][0]) >= {"label", "id", "title", "source", "page", "section", "category", "text"}
    assert {"text", "kind", "weight"} <= set(found["queries"][0])

    code, answer = run_json(capsys, "ask", DEMO)
    assert code == 0 and set(answer) == set(SEARCH_KEYS + ANSWER_KEYS)
    assert set(answer["citations"][0]) == {
        "label", "id", "title", "source", "page", "section", "quote", "start", "end"
    }  # fmt: skip
    assert set(answer["verdict"]["sentences"][0]) == {"text", "labels", "supported", "problem"}

    code, refused = run_json(capsys, "ask", "Who won the IPL in 2024?")
    assert code == 3 and refused["refused"] and refused["citations"] == []


@pytest.mark.parametrize(
    "argv",
    [
        ("ask", ""),
        ("ask", "x" * 2001),
        ("ask", "refund", "--top-k", "0"),
        ("ask", "refund", "--top-k", "9"),
        ("ask", "refund", "--top-k", "many"),
        ("ask", "refund", "--reranker", "magic"),
        ("ask", "refund", "--where", "price"),
        ("ask",),
        ("frobnicate",),
    ],
)
def test_bad_input_leaves_a_sentence_and_exit_code_2(
    data: Path, capsys: pytest.CaptureFixture[str], argv: tuple[str, ...]
) -> None:
    assert run(*argv) == 2
    shown = capsys.readouterr().err
    assert shown.strip() and "Traceback" not in shown


def test_a_setting_that_can_not_be_used_is_named(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLICYDESK_TOP_K", "99")
    assert run("ask", "refund") == 2
    assert "POLICYDESK_TOP_K" in capsys.readouterr().err


def test_an_unknown_category_is_told_with_those_there_are(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("ingest", str(ROOT / "knowledge" / "kartly"))
    capsys.readouterr()
    assert run("ask", "refund", "--category", "toys") == 2
    assert "clothing, electronics, general" in capsys.readouterr().err


def test_versions_are_built_beside_compared_and_switched(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("ingest", str(ROOT / "knowledge" / "kartly"))
    assert run("index", "build", str(ROOT / "knowledge" / "bg-sick-pay"), "--name", "bulgarian") == 0
    capsys.readouterr()
    _, listed = run_json(capsys, "index", "list")
    assert [row["live"] for row in listed["versions"] if row["name"] == "bulgarian"] == [False]
    assert run("index", "switch", "bulgarian") == 0
    assert run("index", "drop", "bulgarian") == 2
    capsys.readouterr()
    _, stats = run_json(capsys, "index", "stats")
    assert (stats["name"], stats["chunks"]) == ("bulgarian", 12)


def test_check_tells_an_altered_number(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = "Electronics can be returned within 7 days of delivery."
    rows = [
        {"id": "same", "claim": source, "source": source},
        {"id": "other", "claim": source.replace("7", "70"), "source": source},
    ]
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert run("check", str(file), "--json") == 3
    verdicts = {row["id"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}
    assert verdicts["same"]["supported"] and not verdicts["other"]["supported"]
    assert "70" in verdicts["other"]["problem"]


def test_pull_says_what_it_could_not_fetch(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("pull", "cross-encoder:no/such-model") == 1
    assert run("pull", "something") == 2
    assert "no/such-model could not be fetched" in capsys.readouterr().err


def test_doctor_says_what_is_there_and_what_to_do(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, report = run_json(capsys, "doctor")
    about = {finding["about"]: finding for finding in report["findings"]}
    assert code == 0 and report["ok"]
    assert "ingest" in about["index"]["remedy"] and "CHAT_MODEL" in about["chat model"]["remedy"]


def test_doctor_names_what_is_broken(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAT_MODEL", "ollama:llama3.1:8b")
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    code, report = run_json(capsys, "doctor")
    assert code == 1 and any("ollama serve" in finding["remedy"] for finding in report["findings"])


def test_a_path_that_is_not_there_is_named(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, report = run_json(capsys, "ingest", "no/such/folder")
    assert code == 1 and report["failed"][0]["file"] == "no/such/folder" and report["failed"][0]["reason"]


def test_an_empty_path_is_not_this_folder(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("ingest", "") == 2
    assert run("index", "build", "", "--name", "x") == 2
    assert "A path is empty" in capsys.readouterr().err and not data.exists()


def test_a_data_folder_that_can_not_be_made_is_told(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("POLICYDESK_DATA", str(tmp_path / "file"))
    load_settings.cache_clear()
    assert run("ingest", str(ROOT / "knowledge" / "kartly")) == 1
    assert "Not a directory" in capsys.readouterr().err


@pytest.mark.parametrize("pointer", [b"nosuch", b"\x00\xff"])
def test_a_pointer_to_no_version_is_told_with_the_remedy(
    data: Path, capsys: pytest.CaptureFixture[str], pointer: bytes
) -> None:
    run("ingest", str(ROOT / "knowledge" / "kartly"))
    (data / "index" / "live").write_bytes(pointer)
    for command in (("ask", "refund"), ("ingest", str(ROOT / "knowledge" / "kartly"))):
        capsys.readouterr()
        assert run(*command) == 1
        assert "make one of v0001 live with `policydesk index switch`" in capsys.readouterr().err
    assert run("index", "switch", "v0001") == 0
    assert run("ask", "How long does a refund take?") == 0
    (data / "index" / "versions" / "v0001" / "version.json").write_text("{")
    capsys.readouterr()
    assert run("index", "list") == 1
    assert "is damaged" in capsys.readouterr().err
