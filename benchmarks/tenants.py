"""Where tenants of unequal size lie in a cluster: a simulation.

    python -m benchmarks.tenants [--tenants 2000] [--chunks 20000000] [--nodes 6] [--exponent 1.0] [--seed 7]

It places tenants of Zipf sizes in three ways, two replicas each: every chunk by the hash of its id (Qdrant's automatic
sharding), every tenant whole on a shard by its hash, and tiered (tenants of 20,000 chunks or more on a shard of their own, all
others on one fallback shard, as Qdrant has it since 1.16). It prints how unequal the nodes are, how many shards a question
touches, and what the busiest node serves when another has failed.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.sizing import MOST_DEDICATED, PROMOTE_AT, zipf_sizes

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

SHARDS_A_NODE = 2
REPLICAS = 2


@dataclass(frozen=True, kw_only=True)
class Placement:
    """Chunks by shard, the shards that a question of each tenant touches, and each tenant's shard where it has just one."""

    name: str
    shards: Floats
    touched: Ints


@dataclass(frozen=True, kw_only=True)
class Spread:
    """How a placement lies on the nodes.

    Attributes:
        fullest: chunks of the fullest node over the mean.
        largest_shard: share of all chunks in the largest shard; no node can hold less than one shard.
        touched: shards that a question touches, the mean over questions, which come in proportion to a tenant's chunks.
        after_failure: questions served by the busiest node after another one failed, over the mean before.
    """

    name: str
    shards: int
    fullest: float
    largest_shard: float
    touched: float
    after_failure: float


def by_chunk(sizes: Sequence[int], shards: int) -> Placement:
    """Automatic sharding: each chunk goes where its id hashes to, so every shard holds an equal part of every tenant."""
    return Placement(
        name="chunk by hash",
        shards=np.full(shards, sum(sizes) / shards),
        touched=np.full(len(sizes), shards, dtype=np.int64),
    )


def by_tenant(sizes: Sequence[int], shards: int, dice: np.random.Generator) -> Placement:
    """Each tenant whole on one of the shards, by its hash."""
    held = np.zeros(shards)
    np.add.at(held, dice.integers(shards, size=len(sizes)), sizes)
    return Placement(name="tenant by hash", shards=held, touched=np.ones(len(sizes), dtype=np.int64))


def tiered(sizes: Sequence[int]) -> Placement:
    """Large tenants on shards of their own, the others on one fallback shard, the first of the result."""
    large = [one for one in sorted(sizes, reverse=True) if one >= PROMOTE_AT][:MOST_DEDICATED]
    held = np.asarray([sum(sizes) - sum(large), *large], float)
    return Placement(name="tiered", shards=held, touched=np.ones(len(sizes), dtype=np.int64))


def on_nodes(shards: Floats, nodes: int, replicas: int = REPLICAS) -> list[list[int]]:
    """The shards of each node, the largest placed first: its replicas go where least lies and, among equals, where least is
    shared with the other replica's node, so that a lost node's questions are taken over by many.
    """
    held: list[list[int]] = [[] for _ in range(nodes)]
    load, shared = np.zeros(nodes), np.zeros((nodes, nodes))
    for shard in np.argsort(-shards, kind="stable"):
        homes: list[int] = []
        for _ in range(min(replicas, nodes)):
            free = [node for node in np.lexsort((shared[homes].sum(axis=0), load)) if node not in homes]
            homes.append(int(free[0]))
        for home in homes:
            held[home].append(int(shard))
            load[home] += shards[shard]
            shared[home, [other for other in homes if other != home]] += shards[shard]
    return held


def spread(placed: Placement, sizes: Sequence[int], nodes: int, replicas: int = REPLICAS) -> Spread:
    """How the placement lies on that many nodes; each shard's questions are shared by its living replicas."""
    held = on_nodes(placed.shards, nodes, replicas)
    chunks = np.asarray([placed.shards[one].sum() for one in held])
    worst = max(max(_served(placed.shards, held, lost=lost)) for lost in range(nodes))
    shares = np.asarray(sizes, float) / sum(sizes)
    return Spread(
        name=placed.name,
        shards=len(placed.shards),
        fullest=float(chunks.max() / chunks.mean()),
        largest_shard=float(placed.shards.max() / placed.shards.sum()),
        touched=float((placed.touched * shares).sum()),
        after_failure=float(worst / (placed.shards.sum() / nodes)),
    )


def _served(shards: Floats, held: Sequence[Sequence[int]], *, lost: int) -> list[float]:
    """What each living node serves, in chunks' worth of questions, when one is lost."""
    living = [node for node in range(len(held)) if node != lost]
    owners = [[node for node in living if shard in held[node]] for shard in range(len(shards))]
    return [sum(float(shards[shard]) / len(owners[shard]) for shard in held[node]) for node in living]


def main() -> None:
    """Print one of the two tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tenants", type=int, default=2_000)
    parser.add_argument("--chunks", type=int, default=20_000_000)
    parser.add_argument("--nodes", type=int, default=6)
    parser.add_argument("--exponent", type=float, default=1.0, help="of Zipf's law")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    sizes = zipf_sizes(given.tenants, given.chunks, given.exponent)
    shards = SHARDS_A_NODE * given.nodes
    ways = [by_chunk(sizes, shards), by_tenant(sizes, shards, np.random.default_rng(given.seed)), tiered(sizes)]
    print(
        "| placement | shards | fullest node, of the mean | largest shard | shards a question | busiest after a loss |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for way in ways:
        one_way = spread(way, sizes, given.nodes)
        print(
            f"| {one_way.name} | {one_way.shards} | {one_way.fullest:.2f} | {one_way.largest_shard:.0%} "
            f"| {one_way.touched:.1f} | {one_way.after_failure:.2f} |"
        )


if __name__ == "__main__":
    main()
