"""Real processes: killed ingests, and readers beside an ingest that switches. Short here; the long forms are marked slow."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from knowledge.index.edge_store import EdgeStore
from tests.knowledge.index.workers import SCOPE, run_ingest, write_shelf

ROOT = Path(__file__).parents[3]


def start(*arguments: str | Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.knowledge.index.workers", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def outcome(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    return dict(json.loads(out))


def answers(data: Path) -> list[tuple[str, str]]:
    """Every chunk, as a fresh reader sees it."""

    async def read() -> list[tuple[str, str]]:
        index = await EdgeStore(data).current()
        documents = await index.documents(SCOPE)
        assert len(documents) == await index.count(SCOPE) == len({d.id for d in documents})
        return [(str(d.id), d.page_content) for d in documents]

    return asyncio.run(read())


def kill_at(delays: list[Callable[[float], float]], data: Path, shelf: Path) -> int:
    """Kill an ingest at each of these moments (of how long a whole one takes). How many of them it did not survive."""
    write_shelf(shelf, 0)
    run_ingest(data, shelf)
    before = answers(data)
    write_shelf(shelf, 1)
    began = time.monotonic()
    process = start("ingest", data / "warm-up", shelf)
    outcome(process)
    whole = time.monotonic() - began
    killed = 0
    for delay in delays:
        process = start("ingest", data, shelf)
        time.sleep(delay(whole))
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
        if process.returncode == 0:  # it was done before
            assert answers(data) != before
            write_shelf(shelf, 0)
            run_ingest(data, shelf)
            write_shelf(shelf, 1)
            continue
        killed += 1
        now = answers(data)
        # Killed after the switch, it is the new one, whole; killed before it, the old one.
        assert now == before or all("edition 1" in text for at, text in now if int(at[5:7]) % 3 == 0)
        if now != before:
            write_shelf(shelf, 0)
            run_ingest(data, shelf)
            assert answers(data) == before
            write_shelf(shelf, 1)
    report = outcome(start("ingest", data, shelf))
    assert report["failed"] == 0
    after = answers(data)
    assert len(after) == len(before) == 48
    assert sum("edition 1" in text for _, text in after) == 16
    left = [at.name for at in (data / "index" / "versions").iterdir() if at.name.startswith(".")]
    assert left == []
    return killed


def test_a_killed_ingest_leaves_the_live_index(tmp_path: Path) -> None:
    moments = [lambda whole: whole * 0.5, lambda whole: whole * 0.8]
    assert kill_at(moments, tmp_path / "data", tmp_path / "shelf") >= 1


@pytest.mark.slow
def test_an_ingest_killed_at_ten_random_moments(tmp_path: Path) -> None:
    dice = random.Random()
    moments = [lambda whole: whole * dice.uniform(0.2, 1.0) for _ in range(10)]
    assert kill_at(moments, tmp_path / "data", tmp_path / "shelf") >= 5


def read_while_switching(
    data: Path, shelf: Path, *, readers: int, switches: int, seconds: float
) -> list[dict[str, Any]]:
    write_shelf(shelf, 0)
    run_ingest(data, shelf)
    running = [start("read", data, seconds) for _ in range(readers)]
    for generation in range(1, switches + 1):
        write_shelf(shelf, generation)
        report = outcome(start("ingest", data, shelf))
        assert report["embedded"] == 16
    return [outcome(process) for process in running]


def test_readers_see_whole_versions_while_an_ingest_switches(tmp_path: Path) -> None:
    for told in read_while_switching(tmp_path / "data", tmp_path / "shelf", readers=2, switches=2, seconds=6):
        assert told["faults"] == []
        assert told["asked"] > 0


@pytest.mark.slow
def test_eight_readers_while_an_ingest_switches_ten_times(tmp_path: Path) -> None:
    told = read_while_switching(tmp_path / "data", tmp_path / "shelf", readers=8, switches=10, seconds=60)
    assert [one["faults"] for one in told] == [[]] * 8
    assert all(len(one["versions"]) > 2 for one in told)


def test_a_second_ingest_is_refused_at_once(tmp_path: Path) -> None:
    data, shelf = tmp_path / "data", tmp_path / "shelf"
    write_shelf(shelf, 0)
    with EdgeStore(data).lock():
        process = start("ingest", data, shelf)
        _, errors = process.communicate(timeout=120)
    assert process.returncode != 0
    assert "IndexBusy" in errors and "wait until it is done" in errors
