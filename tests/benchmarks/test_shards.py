"""The two simulations: placements on nodes, and IDF counted shard by shard."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.shard_idf import Asked, agreement, idf, made_up, of_index, scores
from benchmarks.sizing import PROMOTE_AT, zipf_sizes
from benchmarks.tenants import by_chunk, by_tenant, on_nodes, spread, tiered
from knowledge.embedding import open_embedding
from knowledge.index.edge_store import EdgeStore
from knowledge.index.terms import idf as engine_idf
from knowledge.ingest import ingest

SIZES = zipf_sizes(200, 2_000_000)


def test_every_placement_holds_every_chunk() -> None:
    for placed in (by_chunk(SIZES, 12), by_tenant(SIZES, 12, np.random.default_rng(1)), tiered(SIZES)):
        assert placed.shards.sum() == pytest.approx(sum(SIZES)) and len(placed.touched) == len(SIZES)


def test_large_tenants_are_alone_and_the_others_share_the_first_shard() -> None:
    placed = tiered([50_000, 30_000, PROMOTE_AT - 1, 5])
    assert placed.shards.tolist() == [PROMOTE_AT + 4, 50_000, 30_000]


@given(st.lists(st.floats(1, 1e6), min_size=1, max_size=40), st.integers(2, 9), st.integers(1, 3))
def test_a_shards_replicas_lie_on_nodes_of_their_own(shards: list[float], nodes: int, replicas: int) -> None:
    held = on_nodes(np.asarray(shards), nodes, replicas)
    for shard in range(len(shards)):
        assert sum(shard in one for one in held) == min(replicas, nodes)


def test_equal_shards_make_equal_nodes_and_a_loss_raises_the_load_of_the_rest() -> None:
    even = spread(by_chunk(SIZES, 12), SIZES, 6)
    assert even.fullest == pytest.approx(1.0) and even.touched == 12.0
    assert 6 / 5 <= even.after_failure <= 2.0


def test_a_question_of_a_tenant_with_a_key_touches_one_shard_and_the_largest_shard_bounds_the_balance() -> None:
    placed = spread(tiered(SIZES), SIZES, 6)
    assert placed.touched == 1.0
    assert placed.largest_shard == pytest.approx(max(tiered(SIZES).shards) / sum(SIZES))


def test_the_idf_is_the_engines() -> None:
    assert float(idf(100.0, 7.0)) == pytest.approx(engine_idf(100, 7))


def test_one_shard_agrees_with_itself_and_many_do_not() -> None:
    questions = made_up(400, questions=20)
    alone = agreement(questions, 400, 1)
    assert (alone.first, alone.at_10, alone.at_20) == (1.0, 1.0, 1.0)
    assert agreement(questions, 400, 12).at_10 < 1.0
    assert math.isnan(alone.recall_whole)


def test_a_word_that_one_shard_alone_holds_is_common_there_and_rare_in_the_whole() -> None:
    asked = Asked(counts=np.ones(1), rows=[np.array([0, 1])], parts=[np.ones(2)])
    shard = np.array([0, 0, 1, 1, 1, 1])
    local, whole = scores(asked, shard, 2), scores(asked, np.zeros(6, dtype=np.int64), 1)
    assert local[0] == pytest.approx(engine_idf(2, 2)) and whole[0] == pytest.approx(engine_idf(6, 2))
    assert local[2] == whole[2] == 0.0


def test_a_real_index_is_asked_its_own_questions(tmp_path: Path) -> None:
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    for name in ("returns", "shipping"):
        (shelf / f"{name}.md").write_text(f"# {name.title()}\n\nThe rule on {name} is short.\n", "utf-8")
    (tmp_path / "golden.jsonl").write_text('{"question": "rule on shipping", "needed": ["shipping"]}\n', "utf-8")
    ingest([shelf], store=EdgeStore(tmp_path / "data"), embedding=open_embedding("minilm"))
    questions, chunks = of_index(tmp_path / "data", tmp_path / "golden.jsonl")
    assert chunks == 2 and len(questions[0].needed) == 1
    assert agreement(questions, chunks, 1).recall_whole == 1.0
