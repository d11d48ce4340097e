from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from evals import corpus
from evals.corpus import absent, build_from_corpus, corpus_chunks, folder_for, open_set
from evals.golden import read_golden_set
from evals.running import RECORD, run_set
from graph.resources import Resources
from graph.settings import Settings
from graph.workflow import build_graph
from knowledge import calibration
from knowledge.embedding import EmbeddingModel
from knowledge.errors import BadInput
from knowledge.index.locate import open_store
from nodes.context import Context
from tests.evals.desk import chunk, embedding

RECORDS = [
    {"_id": "page#0", "title": "Agency work - Rights", "text": "Agency workers have the right to equal pay."},
    {"_id": "page#1", "title": "Agency work - Holidays", "text": "Agency workers collect paid holidays each month."},
    {"_id": "AC-2(3)", "title": "AC-2(3) Disable accounts", "text": "Disable accounts after a time. " * 60},
    {"_id": "ЗЗД:чл.129", "title": "ЗЗД, чл. 129", "text": "Чл. 129. Правото на обезщетение се погасява."},
]
QUERIES = [
    {"_id": "q1", "text": "What does control AC-2(3) require?", "kind": "exact_code"},
    {"_id": "q2", "text": "When do agency workers collect paid holidays?"},
]


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    folder = tmp_path / "small"
    folder.mkdir()
    for name, records in (("corpus", RECORDS), ("queries", QUERIES)):
        lines = "\n".join(json.dumps(record, ensure_ascii=False) for record in records)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tAC-2(3)\t1\nq2\tpage#1\t1\n", encoding="utf-8")
    return folder


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setattr(Resources, "embedding", embedding())
    return Settings(data=tmp_path / "data", reranker="evidence", _env_file=None)


def counting(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    embedded: list[int] = []
    plain = EmbeddingModel.encode_batches

    def encode(self: EmbeddingModel, texts: list[str]):  # type: ignore[no-untyped-def]
        embedded.append(len(texts))
        return plain(self, texts)

    monkeypatch.setattr(EmbeddingModel, "encode_batches", encode)
    return embedded


def test_pieces_of_a_page_are_one_document(beir: Path) -> None:
    chunks = list(corpus_chunks(beir, lambda name, title, text: [chunk(f"{name}#1", text)]))
    about = [(one.metadata["document_id"], one.metadata[RECORD], one.metadata["position"]) for one in chunks]
    assert about == [
        ("page", "page#0", 1),
        ("page", "page#1", 2),
        ("AC-2(3)", "AC-2(3)", 1),
        ("ЗЗД:чл.129", "ЗЗД:чл.129", 1),
    ]


def test_a_long_record_is_cut_and_judged_as_one(beir: Path, settings: Settings) -> None:
    golden = read_golden_set(beir)
    resources = open_set(golden, settings)
    graph = build_graph(resources, answer=False)
    first, second = asyncio.run(run_set(graph, golden.items, Context(), judges="documents"))
    assert first.stages["rerank"][0] == "AC-2(3)"
    assert second.stages["rerank"][0] == "page#1"
    assert len(set(first.stages["rerank"])) == len(first.stages["rerank"])
    assert asyncio.run(absent(golden, resources)) == []


def test_second_opening_embeds_nothing(beir: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    embedded = counting(monkeypatch)
    open_set(read_golden_set(beir), settings)
    assert sum(embedded) > 4
    before = len(embedded)
    open_set(read_golden_set(beir), settings)
    assert len(embedded) == before


def test_other_code_reads_the_texts_anew_and_embeds_nothing(
    beir: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    resources = open_set(read_golden_set(beir), settings)
    store = open_store(resources.settings.index_location())
    first = store.live()
    embedded = counting(monkeypatch)
    monkeypatch.setattr(corpus, "_code_hash", lambda: "another release")
    build_from_corpus(beir, resources, None)
    assert store.live() != first
    assert sum(embedded) == 0


def test_changed_documents_and_chunk_sizes_have_an_index_of_their_own(beir: Path, settings: Settings) -> None:
    first = folder_for(beir, settings)
    assert first.parent == settings.data / "eval"
    assert folder_for(beir, settings.model_copy(update={"chunk_limit": 200})) != first
    with (beir / "corpus.jsonl").open("a") as corpus_file:
        corpus_file.write('\n{"_id": "new", "text": "x"}')
    assert folder_for(beir, settings) != first


def test_thresholds_are_the_users(beir: Path, settings: Settings) -> None:
    resources = open_set(read_golden_set(beir), settings)
    key = calibration.key_of(embedding="words", reranker="evidence", index_version="v")
    calibration.save(settings.data / calibration.FILE, key, {"threshold": 0.37})
    assert resources.threshold("v", "evidence") == 0.37


def test_long_questions_are_below_the_doors_limit(beir: Path, settings: Settings) -> None:
    (beir / "queries.jsonl").write_text(json.dumps({"_id": "q1", "text": "agency workers " * 500}))
    golden = read_golden_set(beir)
    graph = build_graph(open_set(golden, settings), answer=False)
    assert asyncio.run(run_set(graph, golden.items, Context(), judges="documents"))[0].stages["rerank"]
    assert settings.max_question_characters == 2000


def test_needed_ids_that_nothing_has_are_told(beir: Path, settings: Settings) -> None:
    (beir / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tAC-2(3)\t1\nq2\tpage#7\t1\n")
    golden = read_golden_set(beir)
    assert asyncio.run(absent(golden, open_set(golden, settings))) == ["page#7"]


def test_documents_must_be_a_folder(beir: Path, settings: Settings) -> None:
    with pytest.raises(BadInput, match="not a folder"):
        open_set(read_golden_set(beir), settings, documents=beir / "corpus.jsonl")
