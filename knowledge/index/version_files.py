"""What the engines' versions have in common, and the files of a versions folder: each version's own, and the pointer."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from knowledge.errors import BadInput, IndexBusy, IndexUnavailable
from knowledge.index.port import IndexSpec, VersionInfo

#: Subfolder with the engine's own files.
SHARD = "shard"
#: A folder of this prefix is being written, or was when a process died; nobody reads it.
BUILDING = ".building-"
_VERSION = "version.json"
_POINTER = "live"
_SYNCS = 16

#: Versions that ingests leave behind the live one: questions that began before a switch end on the one they began with.
PREVIOUS = 2
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


@contextmanager
def ingest_lock(path: Path) -> Iterator[None]:
    """Held by one writer at a time; the system lets go of it when the process ends, however it ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise IndexBusy("Another ingest or index command is running on this index: wait until it is done.") from None
    try:
        yield
    finally:
        lock.release()


def check_new_name(name: str, taken: Iterable[str]) -> None:
    """Raises ``BadInput`` for what can't be a new version's name."""
    if not _NAME.fullmatch(name):
        raise BadInput(f"{name!r} can't name an index version: use letters, digits, '-', '_' and '.'.", field="name")
    if name in taken:
        raise BadInput(f"There is an index version {name!r} already: drop it, or choose another name.", field="name")


def write(folder: Path, spec: IndexSpec, *, created_at: datetime, kept: bool) -> None:
    """The file that makes a folder a version."""
    text = json.dumps({"spec": asdict(spec), "created_at": created_at.isoformat(), "kept": kept}, indent=2)
    (folder / _VERSION).write_text(text, "utf-8")


def read(folder: Path, *, live: bool = False) -> VersionInfo:
    """What a version's folder says of itself. Raises ``FileNotFoundError`` where there is no version, ``IndexUnavailable`` where
    its file is damaged.
    """
    text = (folder / _VERSION).read_bytes()
    try:
        stored = json.loads(text)
        spec = IndexSpec(**{**stored["spec"], "fields": tuple(stored["spec"]["fields"])})
        return VersionInfo(folder.name, spec, datetime.fromisoformat(stored["created_at"]), live, bool(stored["kept"]))
    except (ValueError, KeyError, TypeError) as error:
        raise IndexUnavailable(
            f"Index version {folder.name!r} is unreadable: {folder / _VERSION} is damaged. Delete its folder, ingest again."
        ) from error


def point(root: Path, name: str) -> None:
    """Make a version the live one, in one step: readers see the old name or the new one, whole."""
    fresh = root / f".{_POINTER}-{os.getpid()}"
    with fresh.open("w", encoding="utf-8") as file:
        file.write(name)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(root / _POINTER)
    sync_folder(root)


def pointed(root: Path) -> str | None:
    """The live version's name."""
    try:
        return (root / _POINTER).read_text("utf-8", "replace").strip() or None
    except FileNotFoundError:
        return None


def pointer_date(root: Path) -> tuple[int, int] | None:
    """What tells one pointing from another: the pointer's file and when it was written. ``None`` where nothing is live."""
    try:
        found = (root / _POINTER).stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns


def lost(name: str, others: Iterable[str]) -> IndexUnavailable:
    """The error where the pointer names a version that is not there."""
    there = ", ".join(others)
    remedy = (
        f"make one of {there} live with `policydesk index switch`" if there else f"delete the file {_POINTER!r} in it"
    )
    return IndexUnavailable(f"The live index version {name!r} is not in the index: {remedy}.")


def sync(folder: Path) -> None:
    """Every file and folder below, on disk. Many at a time, because the file system writes those that wait together as one."""
    files = [Path(where) / name for where, _, names in os.walk(folder) for name in names]
    with ThreadPoolExecutor(_SYNCS) as pool:
        for _ in pool.map(_sync_file, files):
            pass
    for where, _, _ in os.walk(folder):
        sync_folder(Path(where))


def _sync_file(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """The folder's own entries, on disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
