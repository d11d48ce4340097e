"""The pure parts of the comparison with other systems: corpora, figures, tables, lent vectors."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.peers.catalogue import BARE, BY_KEY, OURS, SYSTEMS
from benchmarks.peers.corpora import JOINED, Corpus, Question, Record, join, load, spread, spread_over
from benchmarks.peers.environments import PeerFailed, interpreter
from benchmarks.peers.lending import Lent, add
from benchmarks.peers.report import BEGIN, END, put_into, tables
from benchmarks.peers.scores import costs, percentile, quality, ratio
from benchmarks.peers.worker import folder_mb, read_records
from knowledge.errors import BadInput

HERE = Path(__file__).resolve().parents[2] / "benchmarks" / "peers"


def corpus(name: str, chunks: int, questions: int) -> Corpus:
    records = [Record(f"d{n}", f"Title {n}", f"text {n}") for n in range(chunks)]
    return Corpus(name, records, [Question(f"q{n}", f"question {n}?", {f"d{n}": 1}) for n in range(questions)])


def test_joining_keeps_sets_apart_and_stops_at_the_size() -> None:
    joined = join([corpus("a", 5, 5), corpus("b", 5, 5)], [], chunks=8, questions=6)
    assert joined.name == JOINED
    assert [one.id for one in joined.records] == [*(f"a/d{n}" for n in range(5)), *(f"b/d{n}" for n in range(3))]
    held = {one.id for one in joined.records}
    assert all(set(one.needed) <= held for one in joined.questions)
    assert [one.id.split("/")[0] for one in joined.questions] == ["a", "a", "a", "b", "b", "b"]


def test_a_question_whose_records_did_not_get_in_is_not_asked() -> None:
    joined = join([corpus("a", 4, 4), corpus("b", 4, 4)], [], chunks=5, questions=8)
    assert [one.id for one in joined.questions] == ["a/q0", "a/q1", "a/q2", "a/q3", "b/q0"]


def test_a_corpus_that_is_too_small_is_topped_up() -> None:
    joined = join([corpus("a", 2, 1)], [Record("shelf/1", "", "x"), Record("shelf/2", "", "y")], chunks=3, questions=1)
    assert [one.id for one in joined.records] == ["a/d0", "a/d1", "shelf/1"]


@given(st.lists(st.integers(), max_size=30), st.integers(0, 40))
def test_spread_takes_that_many_in_order(items: list[int], number: int) -> None:
    places = spread(list(range(len(items))), number)
    assert len(places) == min(number, len(items))
    assert places == sorted(set(places))


@given(st.lists(st.lists(st.integers(), max_size=8), max_size=5), st.integers(0, 20))
def test_pools_give_no_more_than_asked(pools: list[list[int]], number: int) -> None:
    taken = spread_over(pools, number)
    assert len(taken) <= number
    share = -(-number // max(1, sum(1 for pool in pools if pool)))
    assert len(taken) == min(number, sum(min(share, len(pool)) for pool in pools))


def test_an_absent_set_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "tau2_banking"
    corpus("x", 3, 0).write(folder)
    (folder / "queries.jsonl").write_text('{"_id": "q", "text": "what?"}\n', "utf-8")
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq\td1\t1\n", "utf-8")
    names = ["conditionalqa_dev", "tau2_banking", JOINED]
    found, missing = load(names, tmp_path, chunks=10, questions=4, topping=tmp_path)
    assert [(one.name, len(one.records), len(one.questions)) for one in found] == [
        ("tau2_banking", 3, 1),
        (JOINED, 3, 1),
    ]
    assert missing[0].startswith("conditionalqa_dev is left out")
    assert "3 chunks, not 10" in missing[1]


def test_workers_read_what_was_written(tmp_path: Path) -> None:
    path = Corpus("a", [Record("é#1", "T", "line\nline\u2028x")], []).write(tmp_path)
    assert read_records(path) == [{"id": "é#1", "title": "T", "text": "line\nline\u2028x"}]
    assert folder_mb(tmp_path) > 0


def test_quality_of_known_rankings() -> None:
    asked = [Question("a", "?", {"x": 1, "y": 1}), Question("b", "?", {"z": 1})]
    told = quality(asked, [{"ids": ["x", "u", "y"]}, {"ids": ["u"]}])
    assert told["recall@1"] == pytest.approx(0.25)
    assert told["recall@5"] == pytest.approx(0.5)
    assert told["all@5"] == pytest.approx(0.5)
    assert 0 < (told["ndcg@10"] or 0) < 0.5


def test_costs_take_what_is_left_question_by_question() -> None:
    told = costs([{"retrieve_ms": took, "embed_ms": bare} for took, bare in ((10, 4), (20, 19), (30, 22))])
    assert (told["median_ms"], told["p95_ms"], told["embed_ms"], told["left_ms"]) == (20, 30, 19, 6)
    assert told["over_bare_ms"] is None


def test_so_they_do_over_a_bare_embedding() -> None:
    answers = [{"retrieve_ms": took, "embed_ms": 1} for took in (10, 20, 30)]
    assert costs(answers, [{"embed_ms": bare} for bare in (12, 19, 27)])["over_bare_ms"] == 1


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=200), st.floats(0.01, 1.0))
def test_a_percentile_is_a_value_that_the_share_does_not_exceed(values: list[float], share: float) -> None:
    at = percentile(values, share)
    assert at in values
    assert sum(value <= at for value in values) >= share * len(values) - 1e-6


def test_a_ratio_needs_both_sides() -> None:
    assert ratio(3.0, 2.0) == 1.5
    assert ratio(None, 2.0) is None
    assert ratio(3.0, None) is None
    assert ratio(3.0, 0.0) is None


def a_run() -> dict[str, Any]:
    def row(median: float, recall: float, *, on_disk: bool) -> dict[str, Any]:
        return {
            "versions": {"python": "3.11.0"},
            "on_disk": on_disk,
            "chunks_per_s": 50.0,
            "index_mb": 12.0,
            "ingest_peak_mb": 600.0,
            "peak_mb": 500.0,
            "plain": {"median_ms": median, "p95_ms": 2 * median, "embed_ms": 5.0, "left_ms": median - 5},
            "quality": {"recall@1": recall, "recall@5": recall, "all@5": None, "ndcg@10": 1.0},
        }

    systems = {OURS: row(10, 0.8, on_disk=True), "haystack": row(40, 0.6, on_disk=False)}
    return {
        "when": "today",
        "checkout": "abc",
        "machine": {"cores": 2, "memory_gb": 24.0, "system": "Linux"},
        "corpora": [{"name": "set", "chunks": 1234, "questions": 7, "encoded": False, "systems": systems}],
        "left_out": {"haiku": "needs Python 3.12"},
        "notes": ["joined is short."],
    }


def test_tables_show_figures_and_their_ratio_to_ours() -> None:
    text = tables(a_run())
    assert "### set: 1,234 chunks, 7 questions" in text
    assert "| **Policy Desk** | 10.0 | 20.0 |" in text
    assert "| Haystack joiner | 40.0 (4.00) | 80.0 (4.00) |" in text
    assert "| Haystack joiner | .600 (0.75) | .600 (0.75) | 1.000 (1.00) |" in text
    assert "all needed" not in text  # no figure, no column
    assert "one BLAS" not in text
    assert "without encoding" in text
    assert "- haiku.rag is left out: needs Python 3.12." in text
    assert "- joined is short." in text


def test_a_table_without_figures_is_left_out() -> None:
    run = a_run()
    for row in run["corpora"][0]["systems"].values():
        for name in ("plain", "chunks_per_s", "index_mb", "ingest_peak_mb", "peak_mb"):
            del row[name]
    text = tables(run)
    assert "recall@5" in text
    assert "median ms" not in text
    assert "index kept" not in text


def test_tables_survive_json() -> None:
    assert tables(json.loads(json.dumps(a_run()))) == tables(a_run())


def test_tables_go_between_the_marks_and_nothing_else_changes(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", "utf-8")
    put_into(page, "new \\1 table\n")
    put_into(page, "new \\1 table\n")
    assert page.read_text("utf-8") == f"before\n{BEGIN}\n\nnew \\1 table\n\n{END}\nafter\n"
    page.write_text("no marks", "utf-8")
    with pytest.raises(BadInput, match="needs a line"):
        put_into(page, "x")


def test_lent_vectors_are_found_whatever_the_white_space(tmp_path: Path) -> None:
    path = tmp_path / "some" / "vectors.npy"
    asked: list[list[str]] = []

    def encode(texts: list[str]) -> Any:
        asked.append(texts)
        return np.asarray([[len(text), 1.0] for text in texts])

    add(path, ["one", "two words"], encode)
    add(path, ["two  words", "three"], encode)
    add(path, ["one"], encode)
    held = Lent(path)
    assert asked == [["one", "two words"], ["three"]]
    assert held.rows(["three", "two\nwords"]).tolist() == [[5.0, 1.0], [9.0, 1.0]]
    assert not held.lacks(["one", "three"])
    assert held.lacks(["one", "four"])


def test_every_system_has_an_adapter_and_an_environment() -> None:
    for system in (*SYSTEMS, BARE):
        assert (HERE / "systems" / system.file).is_file()
        assert BY_KEY[system.environment or system.key].requirements
        assert system.distributions


def test_an_interpreter_that_is_nowhere_is_said_plainly() -> None:
    assert interpreter((3, 11)) == Path(sys.executable)
    with pytest.raises(PeerFailed, match=r"needs Python 9\.9 or newer"):
        interpreter((9, 9))
