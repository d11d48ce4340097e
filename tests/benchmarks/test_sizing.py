"""The arithmetic of ``benchmarks/sizing.py``: Qdrant's own worked examples, and what must hold of any plan."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.sizing import (
    GB,
    HEADROOM,
    ChunkBytes,
    Plan,
    a_chunk,
    dedicated_shards,
    measured,
    node_count,
    parts,
    reindex_hours,
    reindex_table,
    shard_count,
    size,
    table,
    zipf_sizes,
)
from knowledge.embedding import open_embedding
from knowledge.index.edge_store import EdgeStore
from knowledge.ingest import ingest

PLANS = st.builds(
    Plan,
    chunks=st.integers(1, 10**9),
    dimensions=st.sampled_from([384, 768, 1024]),
    quantisation=st.sampled_from(["none", "int8", "binary"]),
    replicas=st.integers(1, 3),
    collections=st.integers(1, 4),
)


def test_the_formulas_give_the_figures_of_qdrants_own_example() -> None:
    # capacity-planning: 1,000,000 points, 768 dimensions, two replicas, in GiB: dense 5.72, HNSW .29, ids .10.
    found = parts(Plan(chunks=1_000_000, dimensions=768))
    points = 2_000_000 / 2**30
    assert round(points * found["dense"][0], 2) == 5.72
    assert round(points * found["hnsw"][0], 2) == 0.29
    assert round(points * found["id tracker"][0], 2) == 0.10
    assert round(points * parts(Plan(chunks=1, each=ChunkBytes(payload=1024)))["payload"][1], 2) == 2.86


def test_a_quantised_copy_is_held_in_memory_and_the_original_stays_on_disk() -> None:
    plain, small = parts(Plan(chunks=1)), parts(Plan(chunks=1, quantisation="int8"))
    assert small["dense"] == (0.0, plain["dense"][1]) and small["quantised"] == (384.0, 384.0)
    assert parts(Plan(chunks=1, quantisation="binary"))["quantised"] == (48.0, 48.0)


@given(PLANS)
def test_all_of_it_is_on_disk_and_replicas_and_versions_multiply(plan: Plan) -> None:
    ram, disk = a_chunk(plan)
    assert 0 < ram <= disk
    assert size(plan).ram == pytest.approx(plan.chunks * plan.replicas * plan.collections * ram)
    assert disk == pytest.approx(HEADROOM * sum(on_disk for _, on_disk in parts(plan).values()))


@given(PLANS)
def test_the_nodes_hold_it_also_when_one_is_lost(plan: Plan) -> None:
    found = size(plan)
    living = found.nodes - (1 if plan.replicas > 1 else 0)
    assert living * plan.node_gb * GB * 0.8 >= found.ram * (1 - 1e-9)
    assert found.shards % found.nodes == 0 and found.shards >= 2 * found.nodes
    assert plan.replicas == 1 or found.nodes >= 3


def test_node_and_shard_rules() -> None:
    assert node_count(10 * GB, node_gb=64, replicas=1) == 1
    assert node_count(10 * GB, node_gb=64, replicas=2) == 3
    assert node_count(200 * GB, node_gb=64, replicas=2) == 5
    assert [shard_count(nodes) for nodes in (1, 3, 4, 5, 6, 8, 12)] == [12, 12, 12, 10, 12, 16, 24]


@given(st.integers(1, 500), st.integers(1_000, 10**7))
def test_zipf_sizes_add_up_and_fall(tenants: int, chunks: int) -> None:
    sizes = zipf_sizes(tenants, chunks)
    assert sum(sizes) == chunks and len(sizes) == tenants
    assert sizes == sorted(sizes, reverse=True)


def test_large_tenants_get_shards_of_their_own_up_to_what_a_cluster_bears() -> None:
    assert dedicated_shards([50_000, 20_000, 19_999]) == 2
    assert dedicated_shards([20_000] * 1_500) == 1_000
    assert size(Plan(chunks=1_000_000, tenants=10)).shards == dedicated_shards(zipf_sizes(10, 1_000_000)) + 1


def test_bad_plans_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"int4.*none, int8, binary"):
        Plan(chunks=1, quantisation="int4")
    with pytest.raises(ValueError, match="over 0"):
        Plan(chunks=0)


def test_tables() -> None:
    text = table([Plan(chunks=1_000_000)], [64.0, 128.0])
    assert text.count("\n") == 2 and "1,000,000" in text and "nodes of 128 GB" in text
    assert reindex_hours(3_600, 1.0) == 1.0 and reindex_hours(3_600, 1.0, workers=2) == 0.5
    assert "| 7,200 | 2.0 |" in reindex_table([7_200], [("one a second", 1.0)])


def test_bytes_are_measured_on_an_index(tmp_path: Path) -> None:
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    (shelf / "returns.md").write_text("# Returns\n\nItems go back within thirty days.\n", "utf-8")
    ingest([shelf], store=EdgeStore(tmp_path / "data"), embedding=open_embedding("minilm"))
    chunks, found = measured(tmp_path / "data")
    assert chunks == 1 and found.payload > found.indexed > 0 and 3 <= found.postings <= 10
    with pytest.raises(SystemExit, match="policydesk ingest"):
        measured(tmp_path / "nothing")
