"""Room on the disk, asked for before it runs out: the engine writes to mapped files, and a full disk would kill the process."""

from __future__ import annotations

import shutil
from pathlib import Path

from knowledge.errors import IndexUnavailable

MB = 1_000_000
#: To begin a version beside the one it starts from. Where holes in files take room (tmpfs), an empty index needs 170 MB.
TO_BEGIN = 200 * MB
#: To write a batch, which grows the engine's files by up to 32 MB.
TO_WRITE = 64 * MB


def need_room(folder: Path, needed: int) -> None:
    """Raises ``IndexUnavailable`` where fewer than ``needed`` bytes are free on the disk of ``folder``, which must exist."""
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise IndexUnavailable(
            f"The disk of {folder} is nearly full: {free // MB:,} MB are free and an ingest needs {needed // MB:,} MB there. "
            "Free some, or put the index on another disk (POLICYDESK_DATA). The index is as it was."
        )


def size_of(folder: Path) -> int:
    """Bytes that a folder's files take on the disk; holes in them are left out where the system tells of them."""
    found = [at.stat() for at in folder.rglob("*") if at.is_file()]
    return sum(stat.st_blocks * 512 if hasattr(stat, "st_blocks") else stat.st_size for stat in found)
