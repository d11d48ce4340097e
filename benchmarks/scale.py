"""How the embedded index grows, and what ingest costs beside plain encoding.

    python benchmarks/scale.py [--sizes 1000 10000 100000] [--questions 200] [--ingest 400]
                               [--sections 8] [--folder DIR]

For each size a version is built from made-up chunks (100 words by Zipf's law, clustered vectors, two tenants of which one holds
nine tenths), then opened and asked in a process of its own: a question is a dense list, a keyword list and an exact list of 20
each with the IDF of its words, everything that retrieval needs but the question's vector. Recall compares the dense list with
exact search.

``--ingest`` chunks, ``--sections`` of them a document, are ingested between two halves of plain encoding (every second chunk,
then the others: batches by length, nothing else), in one process, by the same model path; ways that are slower anyway encode a
thousand of the chunks. Processor time tells on a busy machine what the clock can't.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from langchain_core.documents import Document

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.papers import write_papers  # noqa: E402
from benchmarks.peers.worker import folder_mb, peak_mb  # noqa: E402
from knowledge.bm25 import Bm25, token_index  # noqa: E402
from knowledge.chunking import ChunkingDefaults, chunk  # noqa: E402
from knowledge.embedding import open_embedding  # noqa: E402
from knowledge.index.edge_store import EdgeStore  # noqa: E402
from knowledge.index.port import ChunkPoint, IndexSpec, ListRequest, Sparse  # noqa: E402
from knowledge.ingest import ingest  # noqa: E402
from knowledge.loading import load  # noqa: E402
from knowledge.scope import Scope  # noqa: E402

DIMENSION = 384
WORDS = 30_000
TOPICS = 400
BATCH = 1_000
SCOPE = Scope(tenant="large")
#: Chunks by which the slower ways to encode are measured.
SAMPLE = 1_000


class Corpus:
    """Made-up chunks, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.dice = np.random.default_rng(seed)
        shared = np.random.default_rng(7)
        self.topics = shared.standard_normal((TOPICS, DIMENSION)).astype(np.float32)
        weights = 1 / np.arange(1, WORDS + 1)
        self.frequency = weights / weights.sum()
        self.words = np.array(["".join(shared.choice(list("abcdefghijklmnoprstuvz"), 7)) for _ in range(WORDS)])

    def vectors(self, number: int) -> npt.NDArray[np.float32]:
        """Unit vectors, shape (number, 384), each near one of the topics."""
        rows = self.topics[self.dice.integers(TOPICS, size=number)] * 0.8
        rows = rows + self.dice.standard_normal((number, DIMENSION)).astype(np.float32)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)

    def texts(self, number: int, length: int) -> list[str]:
        """Texts of that many words each."""
        return [" ".join(self.words[row]) for row in self.dice.choice(WORDS, size=(number, length), p=self.frequency)]


def _points(corpus: Corpus, start: int, number: int) -> list[ChunkPoint]:
    weights = Bm25(average_length=100.0, language="en").embed_documents(texts := corpus.texts(number, 100))
    out = []
    for n, (text, row, weight) in enumerate(
        zip(texts, corpus.vectors(number).tolist(), weights, strict=True), start=start
    ):
        metadata = {
            "chunk_id": f"document-{n // 8}#{n % 8 + 1}",
            "document_id": f"document-{n // 8}",
            "title": f"Document {n // 8}",
            "heading_path": f"Document {n // 8} > Section {n % 8 + 1}",
            "source": f"document-{n // 8}.md",
            "section": f"Section {n % 8 + 1}",
            "category": ("general", "electronics", "clothing")[n % 3],
            "tenant": "small" if n % 10 == 0 else "large",
            "language": "en",
            "status": "active",
            "position": n % 8 + 1,
            "defines": [f"rx-{n}"],
            "mentions": [f"rx-{n % 5000}"],
        }
        document = Document(page_content=text, metadata=metadata)
        out.append(ChunkPoint(document, row, Sparse(tuple(weight.indices), tuple(weight.values))))
    return out


def build(folder: Path, size: int) -> dict[str, float]:
    """Write one version of that many chunks. Seconds of writing and of the commit, which builds the graph of a big one."""
    store = EdgeStore(folder)
    spec = IndexSpec(embedding="made-up", dimension=DIMENSION, chunking="made-up", average_length=100.0)
    corpus = Corpus(seed=size)
    writing = 0.0
    with store.lock():
        writer = store.writer(spec)
        for start in range(0, size, BATCH):
            points = _points(corpus, start, min(BATCH, size - start))
            began = time.perf_counter()
            writer.upsert(points)
            writing += time.perf_counter() - began
        began = time.perf_counter()
        writer.commit()
    return {"write_s": writing, "commit_s": time.perf_counter() - began}


async def read(folder: Path, questions: int) -> dict[str, float]:
    """Open the live version in a fresh process and ask it. Milliseconds a question, megabytes of memory."""
    began = time.perf_counter()
    index = await EdgeStore(folder).current()
    opening = time.perf_counter() - began
    corpus = Corpus(seed=1)
    vectors = corpus.vectors(questions).tolist()
    took, recall = [], []
    for n, (vector, text) in enumerate(zip(vectors, corpus.texts(questions, 9), strict=True)):
        tokens = list(dict.fromkeys(token_index(word) for word in text.split()))
        requests = [
            ListRequest(limit=20, dense=vector),
            ListRequest(limit=20, sparse=Sparse(tuple(tokens), (1.0,) * len(tokens))),
            ListRequest(limit=20, dense=vector, mentions=(f"rx-{n}",)),
        ]
        began = time.perf_counter()
        result = await index.search(requests, SCOPE, terms=tokens)
        took.append(1000 * (time.perf_counter() - began))
        if n < 50:
            exact = await asyncio.to_thread(_exact, index, vector)
            recall.append(len(exact & {found.id for found in result.lists[0]}) / 20)
    return {
        "open_s": opening,
        "median_ms": statistics.median(took),
        "p95_ms": sorted(took)[int(len(took) * 0.95)],
        "recall": statistics.mean(recall),
        "memory_mb": peak_mb(),
    }


def _exact(index: Any, vector: list[float]) -> set[str]:
    import qdrant_edge as qe

    from knowledge.index.edge_shard import compile_filter

    request = qe.QueryRequest(
        limit=20,
        query=qe.Query.Nearest(vector, using=""),
        filter=compile_filter(SCOPE.conditions()),
        params=qe.SearchParams(exact=True),
    )
    ids = [at for at, _ in index._shard.query([request])[0]]
    return {payload["metadata"]["chunk_id"] for payload in index._shard.payloads(ids).values()}


def measure(folder: Path, size: int, questions: int) -> dict[str, float]:
    """Build, then read in a process of its own."""
    place = folder / str(size)
    built = build(place, size)
    command = [sys.executable, __file__, "--read", str(place), "--questions", str(questions)]
    told = subprocess.run(
        command, check=True, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    out = {**built, **json.loads(told.stdout), "disk_mb": folder_mb(place)}
    shutil.rmtree(place)
    return out


def ingest_rate(folder: Path, number: int, sections: int) -> tuple[dict[str, tuple[float, float]], int]:
    """Seconds a thousand chunks by the clock and of the processor, of a whole ingest and of encoding alone; and the chunks."""
    shelf = folder / "shelf"
    write_papers(shelf, number, sections)
    chunks = [piece.page_content for one in load([shelf]).documents for piece in chunk(one, ChunkingDefaults())]
    sample = chunks[:: -(-len(chunks) // SAMPLE)]
    model = open_embedding("minilm")
    together = model.encoder()

    def timed(work: Callable[[], object], number: int) -> tuple[float, float]:
        began, busy = time.perf_counter(), time.process_time()
        work()
        return 1000 * (time.perf_counter() - began) / number, 1000 * (time.process_time() - busy) / number

    def plainly(texts: list[str]) -> None:
        for _ in model.encode_windows([texts]):
            pass

    def all_cores_together() -> None:
        in_order = sorted(sample, key=len, reverse=True)
        for start in range(0, len(in_order), model.batch):
            together.encode(in_order[start : start + model.batch], query=False)

    plainly(sample[:256])  # warm up
    before = timed(lambda: plainly(chunks[::2]), len(chunks[::2]))
    whole = timed(lambda: ingest([shelf], store=EdgeStore(folder / "ingested"), embedding=model), len(chunks))
    after = timed(lambda: plainly(chunks[1::2]), len(chunks[1::2]))
    model.embed_query("warm up")
    one_by_one = timed(all_cores_together, len(sample))
    from sentence_transformers import SentenceTransformer

    from knowledge.model_tokens import minilm_folder

    usual = SentenceTransformer(str(minilm_folder()), device="cpu")
    usual.encode(sample[:32])
    usually = timed(lambda: usual.encode(sample, batch_size=32, show_progress_bar=False), len(sample))
    return {
        "ingest": whole,
        "plain encoding, each core apart": ((before[0] + after[0]) / 2, (before[1] + after[1]) / 2),
        "plain encoding, all cores together": one_by_one,
        "sentence-transformers' model.encode": usually,
    }, len(chunks)


def main() -> None:
    """Print one table, and the ingest rate."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--ingest", type=int, default=400, help="chunks; 0 leaves it out")
    parser.add_argument("--sections", type=int, default=8, help="chunks of each ingested document")
    parser.add_argument("--folder", type=Path, help="where to build; a temporary folder by default")
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.read:
        print(json.dumps(asyncio.run(read(given.read, given.questions))))
        return
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        folder = Path(name)
        columns = ("median_ms", "p95_ms", "recall", "open_s", "write_s", "commit_s", "disk_mb", "memory_mb")
        print(f"{'chunks':>8}" + "".join(f"{column:>11}" for column in columns))
        for size in given.sizes:
            row = measure(folder, size, given.questions)
            print(f"{size:>8}" + "".join(f"{row[column]:>11.2f}" for column in columns), flush=True)
        if given.ingest:
            told, chunks = ingest_rate(folder, given.ingest, given.sections)
            title = f"{chunks} chunks"
            print(f"\n{title:<38}{'a second':>10}{'ingest / it':>13}{'processor ms a chunk':>22}{'ingest / it':>13}")
            for name, (wall, busy) in told.items():
                by_clock, by_processor = wall / told["ingest"][0], busy / told["ingest"][1]
                print(f"{name:<38}{1000 / wall:>10.1f}{by_clock:>13.3f}{busy:>22.2f}{by_processor:>13.3f}")


if __name__ == "__main__":
    main()
