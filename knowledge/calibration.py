"""The calibrated refusal thresholds of a data folder, one for each set of models: ``calibration.json`` beside the index.

The file: ``{"format": 1, "thresholds": {key: {"threshold": 0 to 1, …how it was found…}}}``. A threshold fits only the models it
was measured with, so the key names them, and another model finds none. Nor does one that was measured with an older evidence.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from knowledge.errors import BadInput

FILE = "calibration.json"
_FORMAT = 1
#: Counted up when ``knowledge.evidence`` changes its scale.
_EVIDENCE = 2


def key_of(*, embedding: str, reranker: str, index_version: str) -> str:
    """The key of a combination of models: ``minilm | evidence | minilm-384/structural-120w | evidence 2``."""
    return " | ".join((embedding, reranker, index_version, f"evidence {_EVIDENCE}"))


def load(path: Path, key: str) -> float | None:
    """The threshold for ``key``, or ``None`` where none was calibrated. Raises ``BadInput`` when the file can't be read."""
    entry = _read(path).get(key)
    return None if entry is None else float(entry["threshold"])


def save(path: Path, key: str, entry: Mapping[str, Any]) -> None:
    """Write the entry for ``key``, the others kept; readers see the old file or the new one, never half of one.

    ``entry`` holds ``threshold`` (0 to 1) and whatever tells how it was found.
    """
    threshold = entry["threshold"]
    if not 0 <= threshold <= 1:
        raise ValueError(f"A threshold lies between 0 and 1, not at {threshold}.")
    content = {"format": _FORMAT, "thresholds": {**_read(path), key: dict(entry)}}
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(content, file, ensure_ascii=False, indent=2)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _read(path: Path) -> Mapping[str, Any]:
    """The entries by key. A file is read once; a look at its date tells whether it is still that one."""
    try:
        found = path.stat()
        return _read_dated(path, found.st_ino, found.st_mtime_ns, found.st_size)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} can't be read ({error}): delete it and run policydesk calibrate again.") from None


@lru_cache(maxsize=8)
def _read_dated(path: Path, *date: int) -> Mapping[str, Any]:
    content = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise BadInput(f"{path} is of another version: delete it and run policydesk calibrate again.")
    entries = content.get("thresholds", {})
    for entry in entries.values():
        if not isinstance(entry, dict) or not isinstance(entry.get("threshold"), (int, float)):
            raise BadInput(f"{path} holds an entry without a threshold: delete it and run policydesk calibrate again.")
    return dict(entries)
