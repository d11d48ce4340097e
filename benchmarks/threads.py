"""What a conversation's checkpoints take: bytes a question that a checkpointer has to write and keep.

    python -m benchmarks.threads [--turns 4]

The graph runs over the demo shop with a checkpointer in memory that keeps one blob a changed channel and version, as the Postgres
one does, and serializes with the same serializer; a thread asks one question after another.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver

from evals.golden import read_golden_set
from graph.resources import Resources
from graph.settings import Settings
from graph.workflow import build_graph
from knowledge.index.locate import open_store
from knowledge.ingest import ingest

ROOT = Path(__file__).resolve().parent.parent


def stored_bytes(saver: InMemorySaver) -> tuple[int, int]:
    """Bytes in checkpoints, channel blobs and pending writes of all threads, and the number of checkpoints."""
    total = sum(len(blob) for _, blob in saver.blobs.values())
    checkpoints = 0
    for spaces in saver.storage.values():
        for kept in spaces.values():
            checkpoints += len(kept)
            total += sum(len(checkpoint[1]) + len(metadata[1]) for checkpoint, metadata, _ in kept.values())
    total += sum(len(value[1]) for writes in saver.writes.values() for _, _, value, _ in writes.values())
    return total, checkpoints


async def measure(resources: Resources, questions: Sequence[str]) -> list[tuple[int, int]]:
    """Bytes and checkpoints that each question of one thread adds."""
    saver = InMemorySaver()
    graph = build_graph(resources, saver)
    config: Any = {"configurable": {"thread_id": "one"}}
    out, before = [], (0, 0)
    for question in questions:
        await graph.ainvoke({"question": question}, config)
        after = stored_bytes(saver)
        out.append((after[0] - before[0], after[1] - before[1]))
        before = after
    return out


def main() -> None:
    """Print one line a question of the thread."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=4)
    given = parser.parse_args()
    items = read_golden_set(ROOT / "evals" / "golden" / "kartly.jsonl").items
    questions = [item.question for item in items if item.answerable and not item.history][: given.turns]
    with tempfile.TemporaryDirectory() as folder:
        resources = Resources(Settings(data=Path(folder)))
        store = open_store(resources.settings.index_location())
        ingest([ROOT / "knowledge" / "kartly"], store=store, embedding=resources.embedding)
        added = asyncio.run(measure(resources, questions))
    for turn, (size, checkpoints) in enumerate(added, start=1):
        print(f"question {turn}: {checkpoints} checkpoints, {size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
