"""What a shard's own IDF does to a tenant's keyword list: Qdrant counts the rarity of a word shard by shard.

    python -m benchmarks.shard_idf [--sizes 200 1000 5000 20000] [--shards 2 6 12] [--seed 7]
    python -m benchmarks.shard_idf --data DATA --set SET     # the live embedded index in DATA, a golden file or BEIR folder

A tenant's chunks are spread over shards by chance, as automatic sharding by the hash of the id does. Each question's keyword list
is ordered twice: with the IDF of all the tenant's chunks, which one shard gives, and with each chunk's score counted by the IDF
of its own shard. Without ``--data`` texts are made up by Zipf's law, which makes near ties far more common than real text does.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

WORDS = 30_000
CHUNK_WORDS = 60
QUESTION_WORDS = 8
K1 = 1.2


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A question: its words' counts, each word's chunks with their BM25 part, and the needed chunks (empty: not judged)."""

    counts: Floats
    rows: list[Ints]
    parts: list[Floats]
    needed: frozenset[int] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """Means over questions: shares of the right first, best ten and best twenty that per-shard IDF finds; recall both ways."""

    chunks: int
    shards: int
    first: float
    at_10: float
    at_20: float
    recall_whole: float
    recall_shards: float


def idf(chunks: float | Floats, holding: float | Floats) -> Floats:
    """ln(1 + (N - n + 0.5) / (n + 0.5)), as the engine has it."""
    return np.asarray(np.log(1 + (chunks - holding + 0.5) / (holding + 0.5)))


def scores(asked: Asked, shard: Ints, shards: int) -> Floats:
    """Every chunk's BM25 score with the IDF of its own shard; with one shard, of all chunks."""
    in_shard = np.bincount(shard, minlength=shards).astype(float)
    out = np.zeros(len(shard))
    for count, rows, parts in zip(asked.counts, asked.rows, asked.parts, strict=True):
        holding = np.bincount(shard[rows], minlength=shards).astype(float)
        out[rows] += count * idf(in_shard, holding)[shard[rows]] * parts
    return out


def agreement(questions: Sequence[Asked], chunks: int, shards: int, *, seed: int = 7) -> Agreement:
    """Both ways of counting over the same questions; recall is of the needed chunks among the best twenty."""
    shard = np.random.default_rng(seed).integers(shards, size=chunks)
    whole = np.zeros(chunks, dtype=np.int64)
    found: defaultdict[str, list[float]] = defaultdict(list)
    for asked in questions:
        right, per_shard = scores(asked, whole, 1), scores(asked, shard, shards)
        possible = int((right > 0).sum())
        if not possible:
            continue
        best, other = np.argsort(-right, kind="stable"), np.argsort(-per_shard, kind="stable")
        for depth in (1, 10, 20):
            cut = min(depth, possible)
            found[str(depth)].append(len(set(best[:cut]) & set(other[:cut])) / cut)
        if asked.needed:
            found["whole"].append(len(asked.needed & set(best[:20].tolist())) / len(asked.needed))
            found["shards"].append(len(asked.needed & set(other[:20].tolist())) / len(asked.needed))
    mean = {name: float(np.mean(values)) for name, values in found.items()}
    return Agreement(
        chunks=chunks,
        shards=shards,
        first=mean["1"],
        at_10=mean["10"],
        at_20=mean["20"],
        recall_whole=mean.get("whole", float("nan")),
        recall_shards=mean.get("shards", float("nan")),
    )


def made_up(chunks: int, *, questions: int = 100, seed: int = 7) -> list[Asked]:
    """Questions to a tenant of so many made-up chunks, each of words of one chunk, the rarer the sooner."""
    dice = np.random.default_rng(seed)
    weights = 1 / np.arange(1, WORDS + 1)
    words = dice.choice(WORDS, size=(chunks, CHUNK_WORDS), p=weights / weights.sum())
    out = []
    for row in dice.integers(chunks, size=questions):
        distinct = np.unique(words[row])
        rare = 1 / np.sqrt(weights[distinct])
        asked = dice.choice(distinct, size=min(QUESTION_WORDS, len(distinct)), replace=False, p=rare / rare.sum())
        rows, parts = [], []
        for word in asked:
            counts = (words == word).sum(axis=1)
            held = np.flatnonzero(counts)
            rows.append(held.astype(np.int64))
            # Chunks are of one length here, so the length part of BM25 is 1.
            parts.append(counts[held] * (K1 + 1) / (counts[held] + K1))
        out.append(Asked(counts=np.ones(len(asked)), rows=rows, parts=parts))
    return out


def of_index(data: Path, golden: Path) -> tuple[list[Asked], int]:
    """A set's questions to the live embedded index in a data folder, and its chunks."""
    from langchain_core.documents import Document

    from evals.golden import read_golden_set
    from evals.running import names_of
    from knowledge.bm25 import Bm25
    from knowledge.index.edge_shard import Shard, compile_filter
    from knowledge.index.edge_store import EdgeStore
    from knowledge.index.layout import CONTENT_KEY, METADATA_KEY, PARENT
    from knowledge.index.version_files import SHARD

    store = EdgeStore(data)
    info = next((one for one in store.versions() if one.live), None)
    if info is None:
        raise SystemExit(f"There is no index in {data}: run `policydesk ingest PATH`, or name another data folder.")
    shard = Shard.open(data / "index" / "versions" / info.name / SHARD)
    payloads = [payload for _, payload in shard.scroll(compile_filter([]), content=True)]
    payloads = [one for one in payloads if one[METADATA_KEY].get("kind") != PARENT]
    weigh = Bm25(average_length=info.spec.average_length)
    postings: defaultdict[int, list[tuple[int, float]]] = defaultdict(list)
    rows_of: defaultdict[str, set[int]] = defaultdict(set)
    for row, payload in enumerate(payloads):
        metadata = payload[METADATA_KEY]
        weights = weigh.embed_documents([payload[CONTENT_KEY]], [str(metadata["language"])])[0]
        for token, value in zip(weights.indices, weights.values, strict=True):
            postings[token].append((row, value))
        for name in names_of(str(metadata["chunk_id"]), Document("", metadata=metadata)):
            rows_of[name].add(row)
    out = []
    for item in read_golden_set(golden).items:
        query = weigh.embed_query(item.question)
        known = [(token, count) for token, count in zip(query.indices, query.values, strict=True) if token in postings]
        out.append(
            Asked(
                counts=np.asarray([count for _, count in known]),
                rows=[np.asarray([row for row, _ in postings[token]], dtype=np.int64) for token, _ in known],
                parts=[np.asarray([value for _, value in postings[token]]) for token, _ in known],
                needed=frozenset(row for name in item.needed for row in rows_of.get(name, ())),
            )
        )
    return out, len(payloads)


def main() -> None:
    """Print one line a size and number of shards."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[200, 1_000, 5_000, 20_000])
    parser.add_argument("--shards", type=int, nargs="+", default=[2, 6, 12])
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--data", type=Path, help="a data folder")
    parser.add_argument("--set", type=Path, help="a golden file or BEIR folder about that index")
    given = parser.parse_args()
    if (given.data is None) != (given.set is None):
        parser.error("--data and --set go together: the index, and the questions about it.")
    tenants = (
        [of_index(given.data, given.set)] if given.data else [(made_up(n, seed=given.seed), n) for n in given.sizes]
    )
    judged = " recall@20, one shard | recall@20, these |" if given.data else ""
    print(f"| chunks | shards | same first | of the best 10 | of the best 20 |{judged}")
    print("|" + " ---: |" * (7 if given.data else 5))
    for questions, chunks in tenants:
        for shards in given.shards:
            one = agreement(questions, chunks, shards, seed=given.seed)
            line = f"| {one.chunks:,} | {shards} | {one.first:.2f} | {one.at_10:.2f} | {one.at_20:.2f} |"
            print(line + (f" {one.recall_whole:.3f} | {one.recall_shards:.3f} |" if given.data else ""))


if __name__ == "__main__":
    main()
