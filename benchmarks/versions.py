"""What one changed document costs: an ingest copies the live version, changes the copy and switches to it.

    python -m benchmarks.versions [--sizes 1000 10000 100000] [--folder DIR]

A version of that many made-up chunks is built (see ``scale.py``); then one chunk is written again, three times over. The table
gives the seconds until the first write (which makes the copy), of the commit, and what the data folder takes when the versions
that ingests leave behind are there.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers.worker import folder_mb
from benchmarks.scale import Corpus, _points, build
from knowledge.index.edge_store import EdgeStore

ROUNDS = 3


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Seconds of one small ingest's copy and commit (the median of the rounds), megabytes before and after them all."""

    chunks: int
    copy_s: float
    commit_s: float
    one_mb: float
    all_mb: float
    versions: int


def measure(folder: Path, chunks: int, rounds: int = ROUNDS) -> Cost:
    """Build a version of that many chunks, then change one chunk so many times."""
    build(folder, chunks)
    one = folder_mb(folder)
    store = EdgeStore(folder)
    copies, commits = [], []
    for number in range(rounds):
        with store.lock():
            live = next(info for info in store.versions() if info.live)
            writer = store.writer(live.spec, base=live.name)
            point = _points(Corpus(seed=number), 0, 1)
            began = time.perf_counter()
            writer.upsert(point)
            written = time.perf_counter()
            writer.commit()
            copies.append(written - began)
            commits.append(time.perf_counter() - written)
    return Cost(
        chunks=chunks,
        copy_s=sorted(copies)[rounds // 2],
        commit_s=sorted(commits)[rounds // 2],
        one_mb=one,
        all_mb=folder_mb(folder),
        versions=len(store.versions()),
    )


def main() -> None:
    """Print one line a size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--folder", type=Path, help="where to build; a temporary folder by default")
    given = parser.parse_args()
    print("| chunks | copy and write, s | commit, s | one version, MB | versions kept | all, MB |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        for chunks in given.sizes:
            place = Path(name) / str(chunks)
            cost = measure(place, chunks)
            shutil.rmtree(place)
            print(
                f"| {cost.chunks:,} | {cost.copy_s:.2f} | {cost.commit_s:.2f} | {cost.one_mb:.0f} | {cost.versions} "
                f"| {cost.all_mb:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
