"""Milliseconds per stage over the Kartly questions, and the desk's own share: all but model forward passes and engine calls.

    python benchmarks/latency.py [--golden FILE] [--rounds N]

The shelf is ingested into a temporary folder, every question is asked once to warm up, then ``--rounds`` times in turn.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from graph.resources import Resources
from graph.settings import Settings
from graph.workflow import build_graph
from knowledge.index.edge_shard import Shard
from knowledge.index.locate import open_store
from knowledge.ingest import ingest

ROOT = Path(__file__).resolve().parent.parent
ENGINE_CALLS = ("query", "payloads", "scroll", "count", "facet")


class Meter:
    """Seconds spent inside wrapped functions, by name."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = defaultdict(float)

    def wrap(self, owner: Any, attribute: str, name: str) -> None:
        """Replace ``owner.attribute`` by itself with a clock around it."""
        inner: Callable[..., Any] = getattr(owner, attribute)

        def timed(*args: Any, **kwargs: Any) -> Any:
            started = time.perf_counter()
            try:
                return inner(*args, **kwargs)
            finally:
                self.spent[name] += time.perf_counter() - started

        setattr(owner, attribute, timed)


async def measure(resources: Resources, questions: list[dict[str, Any]], rounds: int) -> None:
    """Ask, and print the table."""
    graph = build_graph(resources)
    meter = Meter()
    meter.wrap(resources.embedding.encoder(), "encode", "models")
    for call in ENGINE_CALLS:
        meter.wrap(Shard, call, "engine")
    for row in questions:
        await graph.ainvoke({"question": row["question"]})
    stages: dict[str, list[float]] = defaultdict(list)
    walls, own, ratios = [], [], []
    for _ in range(rounds):
        for row in questions:
            # A repeated question's vector is remembered; a bench must pay for it each time.
            resources.embedding.forget_queries()
            meter.spent.clear()
            started = time.perf_counter()
            result = await graph.ainvoke({"question": row["question"]})
            wall = (time.perf_counter() - started) * 1000
            inside = sum(meter.spent.values()) * 1000
            walls.append(wall)
            own.append(wall - inside)
            ratios.append(wall / inside)
            for name, spent in result["timings_ms"].items():
                stages[name].append(spent)
    print(f"{len(questions)} questions, {rounds} rounds; milliseconds a question")
    print(f"{'stage':<22}{'median':>9}{'p95':>9}")
    for name, values in stages.items():
        print(f"{name:<22}{statistics.median(values):>9.2f}{_p95(values):>9.2f}")
    for name, values in (("whole question", walls), ("own share", own)):
        print(f"{name:<22}{statistics.median(values):>9.2f}{_p95(values):>9.2f}")
    print(f"wall time / (models + engine): median {statistics.median(ratios):.3f}")


def _p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


def main() -> None:
    """Parse the options, ingest and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--golden", type=Path, default=ROOT / "evals" / "golden" / "kartly.jsonl")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    rows = [json.loads(line) for line in given.golden.read_text(encoding="utf-8").splitlines() if line.strip()]
    with tempfile.TemporaryDirectory() as folder:
        resources = Resources(Settings(data=Path(folder)))
        store = open_store(resources.settings.index_location())
        ingest([ROOT / "knowledge" / "kartly"], store=store, embedding=resources.embedding)
        asyncio.run(measure(resources, [row for row in rows if not row.get("history")], given.rounds))


if __name__ == "__main__":
    main()
