"""Memory, disk, nodes and shards of a Qdrant cluster for so many chunks: pure functions, and a table.

    python -m benchmarks.sizing [--chunks N ...] [--dimensions D ...] [--quantisation none int8 binary]
                                [--replicas R] [--tenants T] [--collections C] [--node-gb G ...]
    python -m benchmarks.sizing --measure .policydesk   # bytes a chunk of your own index, for --payload and its like
    python -m benchmarks.sizing --reindex               # how long it takes to embed so many chunks anew

The formulas are Qdrant's (https://qdrant.tech/documentation/capacity-planning/, read for 1.19). Bytes a chunk are measured
on payloads as the desk writes them; ``--measure`` does it for an index. Sizes are in GB of 10^9 bytes.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

GB = 1e9
#: Bytes a dimension of the copy that is searched. The originals stay, on disk, for rescoring.
QUANTISED_BYTES = {"none": 0.0, "int8": 1.0, "binary": 1 / 8}
FLOAT_BYTES = 4
HNSW_M = 16
ID_TRACKER_BYTES = 52
#: Qdrant's own allowances: lower HNSW layers, sparse index over sparse vectors, stored payload, payload indexes, the rest.
HNSW_LAYERS, SPARSE_INDEX, STORED_PAYLOAD, INDEXED_PAYLOAD, HEADROOM = 1.2, 1.5, 1.5, 2.0, 1.2
#: The share of a node's memory that its resident data may fill.
FILL = 0.8
#: A tenant of this many chunks is worth a shard of its own, and a cluster bears this many such shards.
PROMOTE_AT, MOST_DEDICATED = 20_000, 1_000
#: Nodes that can lose one and still agree on changes of collections.
QUORUM_NODES = 3


@dataclass(frozen=True, kw_only=True)
class ChunkBytes:
    """What one chunk brings besides its vector. The defaults are ``--measure`` of the demo shop's index.

    Four public sets cut at 120 words gave 1,138 to 1,379 bytes, 220 to 457 of them indexed, and 25 to 41 tokens.

    Attributes:
        payload: JSON bytes of text and metadata.
        indexed: JSON bytes of the metadata that has a payload index.
        postings: distinct tokens, which are the sparse vector's entries.
    """

    payload: float = 1_290.0
    indexed: float = 310.0
    postings: float = 36.0


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A cluster to be sized.

    Attributes:
        chunks: points of one collection, without replicas.
        dimensions: of the dense vectors.
        quantisation: ``none`` (vectors in memory), ``int8`` or ``binary`` (those in memory, the originals on disk).
        replicas: copies of each shard.
        collections: how many of that size are held at once: versions kept, and the one being built.
        tenants: their number, for shard keys; 1 for none.
        node_gb: memory of a node.
    """

    chunks: int
    dimensions: int = 384
    quantisation: str = "none"
    replicas: int = 2
    collections: int = 1
    tenants: int = 1
    node_gb: float = 64.0
    each: ChunkBytes = ChunkBytes()

    def __post_init__(self) -> None:
        if self.quantisation not in QUANTISED_BYTES:
            raise ValueError(f"quantisation {self.quantisation!r}: use one of {', '.join(QUANTISED_BYTES)}.")
        if min(self.chunks, self.dimensions, self.replicas, self.collections, self.tenants) < 1 or self.node_gb <= 0:
            raise ValueError("chunks, dimensions, replicas, collections, tenants and node_gb must be over 0.")


@dataclass(frozen=True, kw_only=True)
class Size:
    """What a plan needs over all nodes: bytes, nodes, shards (without replicas) and shard keys."""

    ram: float
    disk: float
    nodes: int
    shards: int
    dedicated: int

    @property
    def disk_a_node(self) -> float:
        """Bytes of disk a node."""
        return self.disk / self.nodes


def parts(plan: Plan) -> dict[str, tuple[float, float]]:
    """Bytes of memory and of disk a chunk, by structure, without headroom and without replicas."""
    dense = float(plan.dimensions * FLOAT_BYTES)
    quantised = plan.dimensions * QUANTISED_BYTES[plan.quantisation]
    hnsw = HNSW_M * 2 * 4 * HNSW_LAYERS
    sparse = plan.each.postings * FLOAT_BYTES
    indexed = plan.each.indexed * INDEXED_PAYLOAD
    return {
        "dense": (0.0 if quantised else dense, dense),
        "quantised": (quantised, quantised),
        "hnsw": (hnsw, hnsw),
        "sparse vectors": (0.0, sparse),
        "sparse index": (sparse * SPARSE_INDEX, sparse * SPARSE_INDEX),
        "payload": (0.0, plan.each.payload * STORED_PAYLOAD),
        "payload indexes": (indexed, indexed),
        "id tracker": (float(ID_TRACKER_BYTES), float(ID_TRACKER_BYTES)),
    }


def a_chunk(plan: Plan) -> tuple[float, float]:
    """Bytes of memory and of disk a chunk and replica, headroom included."""
    found = parts(plan).values()
    return HEADROOM * sum(ram for ram, _ in found), HEADROOM * sum(disk for _, disk in found)


def size(plan: Plan) -> Size:
    """Memory, disk, nodes and shards of a plan."""
    ram, disk = a_chunk(plan)
    points = plan.chunks * plan.replicas * plan.collections
    nodes = node_count(points * ram, node_gb=plan.node_gb, replicas=plan.replicas)
    dedicated = dedicated_shards(zipf_sizes(plan.tenants, plan.chunks)) if plan.tenants > 1 else 0
    return Size(
        ram=points * ram,
        disk=points * disk,
        nodes=nodes,
        shards=shard_count(nodes) if plan.tenants == 1 else dedicated + 1,
        dedicated=dedicated,
    )


def node_count(ram: float, *, node_gb: float, replicas: int) -> int:
    """Nodes for so many bytes. With replicas: at least three, and one more than fits, so that a lost one's shards find room."""
    fitting = max(1, math.ceil(ram / (node_gb * GB * FILL)))
    return fitting if replicas == 1 else max(QUORUM_NODES, fitting + 1)


def shard_count(nodes: int) -> int:
    """Two a node, so that nodes can be added without resharding; 12 where that divides evenly, which leaves more room."""
    return 12 if nodes <= 6 and 12 % nodes == 0 else 2 * nodes


def zipf_sizes(tenants: int, chunks: int, exponent: float = 1.0) -> list[int]:
    """Chunks of each tenant, largest first, by Zipf's law; they add up to ``chunks``."""
    weights = [1 / rank**exponent for rank in range(1, tenants + 1)]
    total = sum(weights)
    sizes = [int(chunks * weight / total) for weight in weights]
    sizes[0] += chunks - sum(sizes)
    return sizes


def dedicated_shards(sizes: Iterable[int]) -> int:
    """Tenants worth a shard of their own, at most as many as a cluster bears; the others share the fallback shard."""
    return min(MOST_DEDICATED, sum(1 for one in sizes if one >= PROMOTE_AT))


def reindex_hours(chunks: int, rate: float, workers: int = 1) -> float:
    """Hours to embed so many chunks at ``rate`` a second and worker."""
    return chunks / (rate * workers) / 3600


def measured(data: Path) -> tuple[int, ChunkBytes]:
    """The chunks of the live embedded index in a data folder, and their mean bytes as they are stored."""
    from knowledge.bm25 import Bm25
    from knowledge.index.edge_shard import Shard, compile_filter
    from knowledge.index.edge_store import EdgeStore
    from knowledge.index.layout import CONTENT_KEY, INDEXED_KEYS, INDEXED_TIMES, METADATA_KEY, PARENT
    from knowledge.index.version_files import SHARD

    live = EdgeStore(data).live()
    if live is None:
        raise SystemExit(f"There is no index in {data}: run `policydesk ingest PATH`, or name another data folder.")
    weigh = Bm25(average_length=64.0)
    filtered = (*INDEXED_KEYS, *INDEXED_TIMES, "chunk_id")
    sums, chunks = [0, 0, 0], 0
    shard = Shard.open(data / "index" / "versions" / live / SHARD)
    for _, payload in shard.scroll(compile_filter([]), content=True):
        metadata = payload[METADATA_KEY]
        sums[0] += json_bytes(payload)
        sums[1] += json_bytes({key: metadata[key] for key in filtered if metadata.get(key) is not None})
        if metadata.get("kind") != PARENT:
            chunks += 1
            weights = weigh.embed_documents([payload[CONTENT_KEY]], [str(metadata["language"])])[0]
            sums[2] += len(weights.indices)
    each = [total / max(chunks, 1) for total in sums]
    return chunks, ChunkBytes(payload=each[0], indexed=each[1], postings=each[2])


def json_bytes(value: object) -> int:
    """Bytes of a value as compact JSON."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def table(plans: Sequence[Plan], node_sizes: Sequence[float]) -> str:
    """A Markdown table of the plans, with the node count for each size of node."""
    heads = [f"nodes of {gb:g} GB (shards)" for gb in node_sizes]
    columns = ("chunks", "dimensions", "quantisation", "replicas", "tenants", "RAM, GB", "disk, GB", *heads)
    lines = ["| " + " | ".join(columns) + " |", "| " + " | ".join(["---:"] * len(columns)) + " |"]
    for plan in plans:
        sizes = [size(replace(plan, node_gb=gb)) for gb in node_sizes]
        cells = [f"{plan.chunks:,}", str(plan.dimensions), plan.quantisation, str(plan.replicas), f"{plan.tenants:,}"]
        cells += [f"{sizes[0].ram / GB:,.1f}", f"{sizes[0].disk / GB:,.1f}"]
        cells += [f"{one.nodes} ({one.shards})" for one in sizes]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def reindex_table(counts: Sequence[int], rates: Sequence[tuple[str, float]]) -> str:
    """A Markdown table of the hours to embed so many chunks anew, by rate."""
    lines = ["| chunks | " + " | ".join(name for name, _ in rates) + " |", "| ---: |" + " ---: |" * len(rates)]
    lines += [
        f"| {chunks:,} | " + " | ".join(f"{reindex_hours(chunks, rate):,.1f}" for _, rate in rates) + " |"
        for chunks in counts
    ]
    return "\n".join(lines)


#: Chunks a second: measured on two cores by ``benchmarks/scale.py``; one NVIDIA L4 with a model of 768 dimensions, the lowest
#: and highest of https://huggingface.co/datasets/derek-thomas/embedding-ie-optimization.
RATES = (
    ("hours at 135/s (2 cores)", 135.0),
    ("at 4,320/s (64 cores)", 4_320.0),
    ("at 200/s (one L4)", 200.0),
    ("at 543/s (one L4)", 543.0),
)


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, nargs="+", default=[1_000_000, 10_000_000, 100_000_000])
    parser.add_argument("--dimensions", type=int, nargs="+", default=[384, 768, 1024])
    parser.add_argument("--quantisation", nargs="+", choices=tuple(QUANTISED_BYTES), default=list(QUANTISED_BYTES))
    parser.add_argument("--replicas", type=int, default=2)
    parser.add_argument("--tenants", type=int, default=1, help="over 1: tenants as shard keys, sizes by Zipf's law")
    parser.add_argument("--collections", type=int, default=1, help="collections of that size that are held at once")
    parser.add_argument("--node-gb", type=float, nargs="+", default=[64.0, 128.0])
    parser.add_argument("--payload", type=float, default=ChunkBytes.payload, help="bytes a chunk")
    parser.add_argument("--indexed", type=float, default=ChunkBytes.indexed, help="of those, bytes in payload indexes")
    parser.add_argument("--postings", type=float, default=ChunkBytes.postings, help="distinct tokens a chunk")
    parser.add_argument("--measure", type=Path, metavar="DATA", help="bytes a chunk of the live index in a data folder")
    parser.add_argument("--parts", action="store_true", help="bytes a chunk by structure, for the first plan")
    parser.add_argument("--reindex", action="store_true", help="hours to embed everything anew")
    given = parser.parse_args()
    if given.measure:
        chunks, found = measured(given.measure)
        print(f"{chunks} chunks: --payload {found.payload:.0f} --indexed {found.indexed:.0f} ", end="")
        print(f"--postings {found.postings:.0f}")
        return
    if given.reindex:
        print(reindex_table(given.chunks, RATES))
        return
    each = ChunkBytes(payload=given.payload, indexed=given.indexed, postings=given.postings)
    plans = [
        Plan(
            chunks=chunks,
            dimensions=dimensions,
            quantisation=quantisation,
            replicas=given.replicas,
            collections=given.collections,
            tenants=given.tenants,
            each=each,
        )
        for chunks in given.chunks
        for dimensions in given.dimensions
        for quantisation in given.quantisation
    ]
    if given.parts:
        for name, (ram, disk) in parts(plans[0]).items():
            print(f"{name:<16} {ram:>8.0f} B in memory {disk:>8.0f} B on disk")
        return
    print(table(plans, given.node_gb))


if __name__ == "__main__":
    main()
