"""The other end of ``worker.py``: one system in a process of its own, asked by lines of JSON."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.peers.catalogue import System
from benchmarks.peers.environments import PeerFailed

SCRIPT = Path(__file__).with_name("worker.py")
#: A system that takes longer over one request is taken to hang.
PATIENCE_S = 1800.0
#: Settings of the desk, and whatever else would make a system behave unlike a fresh one.
DROPPED = ("POLICYDESK_", "CHAT_MODEL", "SMALL_MODEL", "JUDGE_MODEL", "QDRANT_", "OLLAMA_", "LANGCHAIN_", "LANGSMITH_")
DROPPED_WHOLE = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"}


class Running:
    """A started worker. Everything raises ``PeerFailed`` in one sentence; its whole output stands in the log."""

    def __init__(self, system: System, python: Path, options: Mapping[str, Any], folder: Path) -> None:
        self.system = system
        self.log = folder / f"{system.key}.log"
        spec = {"file": system.file, "options": dict(options), "distributions": list(system.distributions)}
        with self.log.open("a", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                [str(python), "-P", str(SCRIPT), json.dumps(spec)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=folder,
                env=_environment(),
            )
        self.about = self._answer()

    def call(self, op: str, **given: Any) -> dict[str, Any]:
        """Ask for one thing and wait for it."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"op": op, **given}) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise PeerFailed(f"ended before {op!r}; see {self.log}") from error
        return self._answer()

    def stop(self) -> None:
        """End the worker, kindly where it listens."""
        if self._process.poll() is None:
            try:
                self.call("stop")
                self._process.wait(timeout=30)
            except (PeerFailed, subprocess.TimeoutExpired):
                self._process.kill()
        self._process.wait()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        alarm = threading.Timer(PATIENCE_S, self._process.kill)
        alarm.start()
        try:
            line = self._process.stdout.readline()
        finally:
            alarm.cancel()
        if not line:
            code = self._process.wait()
            raise PeerFailed(f"ended with code {code} and without an answer; see {self.log}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            first = str(answer["error"]).strip().splitlines()[0]
            raise PeerFailed(f"failed: {first} (see {self.log})")
        return answer


def _environment() -> dict[str, str]:
    kept = {
        name: value for name, value in os.environ.items() if name not in DROPPED_WHOLE and not name.startswith(DROPPED)
    }
    quiet = {"HAYSTACK_TELEMETRY_ENABLED": "false", "ANONYMIZED_TELEMETRY": "false", "TOKENIZERS_PARALLELISM": "false"}
    return {**kept, **quiet, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
