from __future__ import annotations

import json
from pathlib import Path

import pytest

from evals.golden import GOLDEN_FOLDER, read_golden_set
from knowledge.errors import BadInput


def write(path: Path, *records: object) -> Path:
    path.write_text("\n".join(json.dumps(record, ensure_ascii=False) for record in records), encoding="utf-8")
    return path


def beir(folder: Path, queries: list[dict[str, object]], qrels: str) -> Path:
    folder.mkdir()
    write(folder / "corpus.jsonl", {"_id": "AC-2(3)", "title": "Disable", "text": "Disable accounts."})
    write(folder / "queries.jsonl", *queries)
    (folder / "qrels.tsv").write_text(qrels, encoding="utf-8")
    return folder


def test_bundled_sets_are_found_by_name_and_know_their_shelf() -> None:
    kartly = read_golden_set("kartly")
    assert len(kartly.items) >= 80
    assert kartly.judges == "chunks"
    assert kartly.documents is not None
    assert (kartly.documents / "manifest.json").is_file()
    assert read_golden_set(GOLDEN_FOLDER / "kartly.jsonl").items == kartly.items


def test_history_and_flags_are_read() -> None:
    follow_ups = [item for item in read_golden_set("kartly").items if item.kind == "follow_up"]
    assert all(item.history[0]["role"] == "user" for item in follow_ups)
    off_topic = next(item for item in read_golden_set("kartly").items if item.kind == "off_topic")
    assert off_topic.answerable is False
    assert not off_topic.needed


def test_own_file_is_about_the_live_index(tmp_path: Path) -> None:
    golden = read_golden_set(write(tmp_path / "mine.jsonl", {"question": "How long?", "needed": ["a#1"]}))
    assert golden.documents is None
    assert golden.items[0].id == "1"
    assert golden.items[0].answerable is None
    assert golden.items[0].needed == {"a#1": 1}


def test_beir_folder(tmp_path: Path) -> None:
    queries = [
        {"_id": "q1", "text": "What does AC-2(3) say?", "kind": "exact_code"},
        {"_id": "q2", "text": "What of P0999?", "answerable": False},
    ]
    golden = read_golden_set(beir(tmp_path / "nist", queries, "query-id\tcorpus-id\tscore\nq1\tAC-2(3)\t2\nq1\tX\t0\n"))
    assert (golden.name, golden.judges) == ("nist", "documents")
    assert golden.items[0].needed == {"AC-2(3)": 2}
    assert golden.items[1].needed == {}
    assert golden.items[1].answerable is False


def test_beirs_own_archives_keep_judgements_in_a_folder(tmp_path: Path) -> None:
    folder = beir(tmp_path / "b", [{"_id": "q1", "text": "x"}], "query-id\tcorpus-id\tscore\nq1\td\t1\n")
    (folder / "qrels").mkdir()
    (folder / "qrels.tsv").rename(folder / "qrels" / "test.tsv")
    assert read_golden_set(folder).items[0].needed == {"d": 1}


def test_limit_takes_the_first_questions() -> None:
    kartly = read_golden_set("kartly")
    assert kartly.limited(3).items == kartly.items[:3]
    assert kartly.limited(None) is kartly


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (['{"question": "a'], "line 1: not JSON"),
        (['["question"]'], "an object in braces"),
        (['{"needed": []}'], "'question' is missing"),
        (['{"question": "a", "needed": "x"}'], "'needed' must be a list"),
        (['{"question": "a", "answerable": "yes"}'], "'answerable' must be true or false"),
        (['{"question": "a", "history": [{"role": "user"}]}'], "'content'"),
        (['{"id": "x", "question": "a"}', '{"id": "x", "question": "b"}'], "stands twice"),
        ([], "holds no questions"),
    ],
)
def test_bad_lines_are_told(tmp_path: Path, lines: list[str], said: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(BadInput, match=said):
        read_golden_set(path)


def test_bad_sources_are_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="kartly"):
        read_golden_set(tmp_path / "absent.jsonl")
    with pytest.raises(BadInput, match=r"corpus\.jsonl is missing"):
        read_golden_set(tmp_path)
    with pytest.raises(BadInput, match="line 2"):
        read_golden_set(beir(tmp_path / "b", [{"_id": "q", "text": "x"}], "query-id\tcorpus-id\tscore\nq\tx\n"))
