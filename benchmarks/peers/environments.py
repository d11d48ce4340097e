"""One virtual environment a system, made by ``venv`` and pip with the machine's own index, and kept in the cache folder."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.peers.catalogue import CHECKOUT, System

ROOT = Path(__file__).resolve().parents[2]
MARK = "installed.json"


class PeerFailed(Exception):
    """A system can't be measured, in one sentence that says why."""


def environment(system: System, cache: Path) -> Path:
    """The system's interpreter, its packages installed. Raises ``PeerFailed``."""
    python = interpreter(system.python)
    folder = cache / "environments" / (system.environment or system.key)
    inside = folder / "bin" / "python"
    wanted = {"python": str(python), "requirements": list(system.requirements)}
    mark = folder / MARK
    if mark.is_file() and json.loads(mark.read_text("utf-8")) == wanted and inside.exists():
        return inside
    shutil.rmtree(folder, ignore_errors=True)
    print(f"{system.label}: installing into {folder} …", flush=True)
    requirements = [str(ROOT) if part == CHECKOUT else part for part in system.requirements]
    constraints = ["-c", str(ROOT / "constraints.txt")]
    for command in (
        [str(python), "-m", "venv", str(folder)],
        [str(inside), "-m", "pip", "install", "--quiet", *constraints, *requirements],
    ):
        done = subprocess.run(command, capture_output=True, text=True, cwd=cache)
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or ["no reason was given"]
            raise PeerFailed(f"could not be installed: {lines[-1].removeprefix('ERROR: ')}")
    mark.write_text(json.dumps(wanted), "utf-8")
    return inside


def interpreter(oldest: tuple[int, int]) -> Path:
    """A Python that is new enough: this one, or the first found. Raises ``PeerFailed``."""
    if sys.version_info[:2] >= oldest:
        return Path(sys.executable)
    for path in _others():
        done = subprocess.run(
            [str(path), "-c", "import sys, venv; print(*sys.version_info[:2])"], capture_output=True, text=True
        )
        if done.returncode == 0 and tuple(int(part) for part in done.stdout.split()) >= oldest:
            return path
    version = ".".join(str(part) for part in oldest)
    raise PeerFailed(f"needs Python {version} or newer, and there is none on the path or under pyenv")


def _others() -> Iterator[Path]:
    names = ("python3.12", "python3.13", "python3.14", "python3", "python")
    yield from (Path(found) for name in names if (found := shutil.which(name)))
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from sorted((pyenv / "versions").glob("3.1[2-9]*/bin/python"))
