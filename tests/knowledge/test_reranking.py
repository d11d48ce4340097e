"""Rerankers: what each signal does, ties, and what happens without a model."""

from __future__ import annotations

import sys
import threading
import types
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.errors import BadInput, RerankerUnavailable
from knowledge.reranking import (
    Candidate,
    CrossEncoderReranker,
    EvidenceReranker,
    NoReranker,
    Question,
    document_share,
    heading_match,
    open_reranker,
    standardise,
)

np = pytest.importorskip("numpy")


def question(*tokens: str, **more: Any) -> Question:
    return Question(text=" ".join(tokens), tokens=tokens, term_idf=dict.fromkeys(tokens, 2.0), **more)


def candidate(name: str, *, dense: float = 0.5, keyword: float = 3.0, **more: Any) -> Candidate:
    return Candidate(
        id=name,
        text=more.pop("text", name),
        document_id=more.pop("document_id", name),
        dense=dense,
        keyword=keyword,
        **more,
    )


#: Candidates that only their list's end brought in, as every question has them.
FAR = [candidate(f"far{place}", dense=0.2 + place / 100, keyword=1.0) for place in range(6)]


def best(scores: Sequence[float]) -> int:
    return max(range(len(scores)), key=lambda index: scores[index])


def test_dense_and_keyword_scores_both_count():
    evidence = EvidenceReranker()
    both = [
        candidate("plain"),
        candidate("dense", dense=0.7),
        candidate("keyword", keyword=9.0),
        candidate("both", dense=0.7, keyword=9.0),
    ]
    scores = evidence.score(question("x"), both)
    assert best(scores) == 3
    assert min(scores) == scores[0]
    assert scores[1] > scores[2]


def test_a_question_that_names_the_heading_finds_it():
    asked = question("inspect", "tool", "cover", "control")
    rows = [
        candidate("AC-3", heading="AC-3 Access enforcement", dense=0.52),
        candidate("MA-3(1)", heading="MA-3(1) Inspect tools", dense=0.5),
        candidate("MA-3", heading="MA-3 Maintenance tools and what belongs to them", dense=0.51),
        *FAR,
    ]
    assert best(EvidenceReranker().score(asked, rows)) == 1


def test_heading_match_is_the_geometric_mean_of_both_shares():
    asked = Question(text="", tokens=("refund", "cash"), term_idf={"refund": 3.0, "cash": 1.0})
    rows = [
        candidate("a", heading="Refund"),
        candidate("b", heading="Refund card cash payment"),
        candidate("c", heading=""),
    ]
    assert heading_match(asked, rows) == pytest.approx([(3 / 4) ** 0.5, (1.0 * 2 / 4) ** 0.5, 0.0])


def test_heading_match_without_known_words_is_zero():
    assert heading_match(
        Question(text="asdfgh", tokens=("asdfgh",)), [candidate("a", heading="asdfgh")]
    ) == pytest.approx([0.0])


def test_a_document_that_is_found_three_times_lifts_its_chunks():
    rows = [
        candidate("lone", dense=0.60),
        candidate("page#1", dense=0.59, document_id="page"),
        candidate("page#2", dense=0.58, document_id="page"),
        candidate("page#3", dense=0.57, document_id="page"),
        *FAR,
    ]
    scores = EvidenceReranker().score(question("x"), rows)
    assert best(scores) == 1
    alone = [candidate(row.id, dense=row.dense, keyword=row.keyword) for row in rows]
    assert best(EvidenceReranker().score(question("x"), alone)) == 0


def test_document_share_sums_to_one_over_documents():
    rows = [candidate("a", document_id="one"), candidate("b", document_id="two"), candidate("c", document_id="one")]
    share = document_share(np.array([0.0, 0.0, 0.0]), rows)
    assert share == pytest.approx([2 / 3, 1 / 3, 2 / 3])


def test_a_passage_with_the_identifier_leads():
    rows = [
        candidate("prose", dense=0.7, keyword=8.0),
        candidate("code", dense=0.2, keyword=7.0, exact=True),
        candidate("other", dense=0.3, keyword=0.0),
    ]
    assert best(EvidenceReranker().score(question("p0420", identifiers=("p0420",)), rows)) == 1


def test_cosines_are_not_read_where_the_model_does_not_know_the_language():
    rows = [candidate("near", dense=0.9, keyword=1.0), candidate("words", dense=0.1, keyword=9.0)]
    assert best(EvidenceReranker().score(question("чл", language="bg", model_knows_language=False), rows)) == 1


def test_equal_candidates_get_equal_scores():
    rows = [candidate("b"), candidate("a"), candidate("c")]
    assert len(set(EvidenceReranker().score(question("x"), rows))) == 1


def test_none_keeps_the_fused_order():
    rows = [candidate("a", fused_rank=2), candidate("b", fused_rank=1), candidate("c", fused_rank=3)]
    scores = NoReranker().score(question("x"), rows)
    assert sorted(range(3), key=lambda index: -scores[index]) == [1, 0, 2]


@pytest.mark.parametrize("reranker", [EvidenceReranker(), NoReranker(), CrossEncoderReranker("nowhere")])
def test_no_candidates_no_scores(reranker):
    assert reranker.score(question("x"), []) == []


def test_standardise_survives_equal_values():
    assert standardise(np.array([2.0, 2.0])) == pytest.approx([0.0, 0.0])
    assert standardise(np.array([1.0, 3.0])) == pytest.approx([-1.0, 1.0])


ROWS = st.lists(
    st.builds(
        candidate,
        st.text("abc", min_size=1, max_size=4),
        dense=st.floats(-1, 1),
        keyword=st.floats(0, 60),
        heading=st.text("ab c", max_size=12),
        document_id=st.sampled_from("xyz"),
        exact=st.booleans(),
    ),
    min_size=1,
    max_size=12,
)


@given(ROWS, st.booleans())
def test_scores_are_finite_and_follow_the_candidates(rows: list[Candidate], knows: bool):
    asked = question("a", "b", model_knows_language=knows)
    scores = EvidenceReranker().score(asked, rows)
    assert len(scores) == len(rows)
    assert all(np.isfinite(scores))
    turned = EvidenceReranker().score(asked, rows[::-1])
    assert turned[::-1] == pytest.approx(scores)


@given(ROWS, st.floats(0.5, 20), st.floats(-3, 3))
def test_the_scale_of_the_keyword_scores_does_not_matter(rows: list[Candidate], factor: float, _shift: float):
    from dataclasses import replace

    if max(row.keyword for row in rows) - min(row.keyword for row in rows) < 1e-3:
        return
    scaled = [replace(row, keyword=row.keyword * factor) for row in rows]
    asked = question("a")
    assert EvidenceReranker().score(asked, scaled) == pytest.approx(EvidenceReranker().score(asked, rows), abs=1e-6)


@pytest.mark.parametrize(
    ("spec", "name"),
    [("evidence", "evidence"), (" none ", "none"), ("cross-encoder:my/model", "cross-encoder:my/model")],
)
def test_open_reranker_by_name(spec: str, name: str):
    assert open_reranker(spec).name == name


@pytest.mark.parametrize("spec", ["", "llm", "evidence:x", "cross-encoder:", "Evidence", "none:1"])
def test_open_reranker_refuses_other_names(spec: str):
    with pytest.raises(BadInput, match="Unknown reranker"):
        open_reranker(spec)


def test_only_the_cross_encoder_blocks():
    assert [EvidenceReranker().blocking, NoReranker().blocking, CrossEncoderReranker("m").blocking] == [
        False,
        False,
        True,
    ]


class FakeModel:
    loaded = 0

    def __init__(self, name: str, *, local_files_only: bool) -> None:
        assert local_files_only
        if name.startswith("missing"):
            raise OSError("not found")
        FakeModel.loaded += 1
        self.pairs: list[tuple[str, str]] = []

    def predict(self, pairs: list[tuple[str, str]], *, batch_size: int, show_progress_bar: bool):
        self.pairs.extend(pairs)
        return np.array([len(passage) for _, passage in pairs], dtype=np.float32)


@pytest.fixture
def fake_models(monkeypatch: pytest.MonkeyPatch):
    FakeModel.loaded = 0
    module = types.ModuleType("sentence_transformers")
    module.CrossEncoder = FakeModel  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)


def test_cross_encoder_scores_come_back_in_the_order_of_the_candidates(fake_models):
    reranker = CrossEncoderReranker("m")
    rows = [candidate("a", text="xxxx"), candidate("b", text="x"), candidate("c", text="xxx")]
    assert reranker.score(question("q"), rows) == [4.0, 1.0, 3.0]
    assert [passage for _, passage in reranker._model.pairs] == ["x", "xxx", "xxxx"]


def test_cross_encoder_loads_once_for_all_threads(fake_models):
    reranker = CrossEncoderReranker("m")
    start = threading.Barrier(4)

    def run(_: int) -> list[float]:
        start.wait()
        return reranker.score(question("q"), [candidate("a", text="x")])

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(run, range(4))) == [[1.0]] * 4
    assert FakeModel.loaded == 1


def test_a_missing_cross_encoder_says_what_to_do(fake_models):
    with pytest.raises(RerankerUnavailable, match="policydesk pull cross-encoder:missing/model"):
        CrossEncoderReranker("missing/model").score(question("q"), [candidate("a")])


def test_without_the_package_the_error_says_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(RerankerUnavailable, match="sentence-transformers"):
        CrossEncoderReranker("m").score(question("q"), [candidate("a")])
