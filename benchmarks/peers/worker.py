"""One system in one process: reads a request a line, answers a line. Run inside the system's own virtual environment.

    python -P worker.py '{"file": "by_hand.py", "options": {…}, "distributions": ["bm25s"]}'

Requests are objects with an ``op``: ``ingest``, ``open``, ``ask``, ``encode``, ``peak``, ``stop``. An answer is an object, with
``error`` where the system failed. Only the standard library is imported here.
"""

from __future__ import annotations

import ctypes
import gc
import importlib.util
import json
import os
import resource
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

Answer = dict[str, Any]
HERE = Path(__file__).parent


class Worker:
    """Holds one system and times it. Times are in milliseconds for questions, seconds for an ingest."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        sys.path.insert(0, str(HERE))  # for ``lending``
        self.options = spec["options"]
        self.distributions = spec["distributions"]
        if self.options.get("vectors") and self.options.get("patch"):
            import_module("lending").lend(Path(self.options["vectors"]))
        file = HERE / "systems" / spec["file"]
        found = importlib.util.spec_from_file_location("system_under_test", file)
        assert found is not None
        assert found.loader is not None
        module = importlib.util.module_from_spec(found)
        found.loader.exec_module(module)
        for name in getattr(module, "MODULES", ()):
            import_module(name)
        self.system = module.System(self.options)
        self.system.embed("Are the models loaded?")

    def hello(self, request: Mapping[str, Any]) -> Answer:
        """Versions, and whether the index lives in a folder."""
        versions = {name: metadata.version(name) for name in self.distributions}
        python = ".".join(str(part) for part in sys.version_info[:3])
        return {"versions": {"python": python, **versions}, "on_disk": self.system.on_disk}

    def ingest(self, request: Mapping[str, Any]) -> Answer:
        """Index a corpus; the model is loaded already. ``index_mb`` is what it takes on disk, or has added to memory."""
        place = Path(request["place"])
        records = read_records(place / "corpus.jsonl")
        before = resident_mb()
        began = time.perf_counter()
        self.system.ingest(records, place)
        seconds = time.perf_counter() - began
        if self.system.on_disk:
            size = folder_mb(place) - (place / "corpus.jsonl").stat().st_blocks * 512 / 1e6
        else:
            size = max(0.0, resident_mb() - before)
        return {"seconds": seconds, "chunks": len(records), "index_mb": size}

    def open(self, request: Mapping[str, Any]) -> Answer:
        """Open what another process ingested."""
        began = time.perf_counter()
        self.system.open(Path(request["place"]))
        return {"seconds": time.perf_counter() - began}

    def ask(self, request: Mapping[str, Any]) -> Answer:
        """Every question retrieved and, apart from that, embedded; which comes first changes from one to the next."""
        if request.get("blas"):
            with import_module("threadpoolctl").threadpool_limits(request["blas"], user_api="blas"):
                return {"answers": [self._ask(n, text) for n, text in enumerate(request["questions"])]}
        return {"answers": [self._ask(n, text) for n, text in enumerate(request["questions"])]}

    def _ask(self, n: int, text: str) -> Answer:
        if n % 2:
            bare, _ = timed(lambda: self.system.embed(text))
            took, ids = timed(lambda: self.system.retrieve(text))
        else:
            took, ids = timed(lambda: self.system.retrieve(text))
            bare, _ = timed(lambda: self.system.embed(text))
        return {"ids": ids[:10], "retrieve_ms": took, "embed_ms": bare}

    def encode(self, request: Mapping[str, Any]) -> Answer:
        """Vectors of a corpus for the others, written to ``out``."""
        texts = [f"{record['title']}\n{record['text']}" for record in read_records(Path(request["corpus"]))]
        took, _ = timed(lambda: import_module("lending").add(Path(request["out"]), texts, self.system.encode))
        return {"seconds": took / 1000}

    def peak(self, request: Mapping[str, Any]) -> Answer:
        """The most memory held so far, in MB; ``companion_mb``: by a server that the system can't do without."""
        companion = getattr(self.system, "companion", None)
        return {"peak_mb": peak_mb(), "companion_mb": peak_mb(companion()) if companion else None}

    def stop(self, request: Mapping[str, Any]) -> Answer:
        """Close and end whatever the system started."""
        for name in ("close", "stop"):
            ending: Callable[[], None] | None = getattr(self.system, name, None)
            if ending is not None:
                ending()
        return {}


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Milliseconds that it took, and what came of it."""
    began = time.perf_counter()
    out = work()
    return 1000 * (time.perf_counter() - began), out


def read_records(path: Path) -> list[dict[str, str]]:
    """Records of a ``corpus.jsonl``: ``id``, ``title``, ``text``."""
    lines = path.read_text("utf-8").split("\n")  # not splitlines: a text may hold U+2028
    rows = [json.loads(line) for line in lines if line]
    return [{"id": row["_id"], "title": row["title"], "text": row["text"]} for row in rows]


def peak_mb(process: int | None = None) -> float:
    """The most memory that a process has held. Where Linux tells it, not ``ru_maxrss``, which counts what the parent held."""
    value = _status("VmHWM", process)
    return value if value else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def resident_mb() -> float:
    """Memory held now, once what is free has been given back."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    return _status("VmRSS")


def _status(name: str, process: int | None = None) -> float:
    path = Path(f"/proc/{process or 'self'}/status")
    if not path.is_file():
        return 0.0
    line = next(line for line in path.read_text("utf-8").splitlines() if line.startswith(name))
    return int(line.split()[1]) / 1024


def folder_mb(folder: Path) -> float:
    """What a folder takes on disk; files may have holes."""
    return sum(at.stat().st_blocks * 512 for at in folder.rglob("*") if at.is_file()) / 1e6


def main() -> None:
    """Answer requests until the end of the input."""
    private = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print must not be read as an answer

    def say(answer: Answer) -> None:
        private.write(json.dumps(answer) + "\n")
        private.flush()

    worker: Worker | None = None
    try:
        worker = Worker(json.loads(sys.argv[1]))
        say(worker.hello({}))
        for line in sys.stdin:
            request = json.loads(line)
            say(getattr(worker, request["op"])(request))
            if request["op"] == "stop":
                return
    except Exception as error:
        traceback.print_exc()
        say({"error": f"{type(error).__name__}: {error}"})
        if worker is not None and hasattr(worker.system, "stop"):
            worker.system.stop()


if __name__ == "__main__":
    main()
