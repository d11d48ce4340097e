"""The embedded index's versions under ``DATA/index``: ``versions/<name>/``, a pointer to the live one, and a lock."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from knowledge.errors import BadInput, IndexMissing, IndexUnavailable
from knowledge.index import version_files
from knowledge.index.edge import EdgeIndex
from knowledge.index.edge_writer import EdgeWriter
from knowledge.index.port import IndexSpec, VersionInfo
from knowledge.index.version_files import PREVIOUS, check_new_name, ingest_lock

_Key = tuple[str, int]


class EdgeStore:
    """See ``IndexStore``. Open versions are shared by all questions of a process."""

    def __init__(self, data: Path) -> None:
        self._root = data / "index"
        self._folder = self._root / "versions"
        self._open: OrderedDict[_Key, EdgeIndex] = OrderedDict()
        self._opening = threading.Lock()
        self._live: tuple[tuple[int, int] | None, _Key, EdgeIndex] | None = None

    async def current(self) -> EdgeIndex:
        """See ``IndexStore``. Where nothing was switched this looks at two dates, which is no work for a thread."""
        pointed = version_files.pointer_date(self._root)
        if self._live is not None and pointed is not None:
            then, key, index = self._live
            if then == pointed and key == self._key(index.name):
                return index
        index = await asyncio.to_thread(self._open_live)
        self._live = pointed, self._key(index.name), index
        return index

    async def version(self, name: str) -> EdgeIndex:
        """See ``IndexStore``."""
        self._known(name)
        return await asyncio.to_thread(self._opened, name)

    def live(self) -> str | None:
        """The live version's name."""
        return version_files.pointed(self._root)

    def versions(self) -> list[VersionInfo]:
        """All committed versions, oldest first."""
        live = self.live()
        infos = []
        for folder in self._folder.glob("[!.]*") if self._folder.is_dir() else ():
            try:
                infos.append(version_files.read(folder, live=folder.name == live))
            except FileNotFoundError:  # dropped by another process since it was listed
                continue
        return sorted(infos, key=lambda info: info.created_at)

    def writer(self, spec: IndexSpec, *, base: str | None = None, name: str | None = None) -> EdgeWriter:
        """See ``IndexStore``. Clears away what an ingest that died left behind."""
        if name is not None:
            check_new_name(name, (info.name for info in self.versions()))
        self._folder.mkdir(parents=True, exist_ok=True)
        for left in self._folder.glob(f"{version_files.BUILDING}*"):
            shutil.rmtree(left, ignore_errors=True)
        return EdgeWriter(
            self._folder / (name or self._next_name()),
            spec,
            base=self._folder / base if base else None,
            kept=name is not None,
            publish=self._publish,
        )

    def switch(self, name: str) -> None:
        """See ``IndexStore``."""
        self._known(name)
        version_files.point(self._root, name)

    def drop(self, name: str) -> None:
        """See ``IndexStore``. Processes that hold it open keep what they have open."""
        self._known(name)
        if name == self.live():
            raise BadInput(f"{name} is the live index version: switch to another one before dropping it.", field="name")
        self._open.pop(self._key(name), None)
        self._remove(name)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """See ``IndexStore``."""
        with ingest_lock(self._root / "write.lock"):
            yield

    def unlock(self, tell: Callable[[str], None]) -> str | None:
        """See ``IndexStore``. The system lets go of a dead writer's lock by itself, so nobody's can be left behind."""
        with self.lock():
            return None

    def _key(self, name: str) -> _Key:
        # A name may be dropped and built again; the folder is then another one.
        try:
            return name, (self._folder / name).stat().st_ino
        except FileNotFoundError:
            return name, 0

    def _known(self, name: str) -> None:
        names = [info.name for info in self.versions()]
        if name not in names:
            raise BadInput(
                f"There is no index version {name!r}; there are: {', '.join(names) or 'none'}.", field="name"
            )

    def _open_live(self) -> EdgeIndex:
        # A folder can go between reading the pointer and opening it, when others ingest meanwhile. Then the pointer has moved.
        for _ in range(5):
            name = self.live()
            if name is None:
                raise IndexMissing("Nothing is indexed yet: run `policydesk ingest PATH`.")
            try:
                return self._opened(name)
            except (IndexUnavailable, FileNotFoundError, ValueError) as error:
                if name == self.live():
                    if isinstance(error, IndexUnavailable):
                        raise
                    raise version_files.lost(name, (info.name for info in self.versions())) from None
        raise IndexUnavailable("The index changes faster than it can be opened: ask again.")

    def _opened(self, name: str) -> EdgeIndex:
        with self._opening:
            key = self._key(name)
            index = self._open.get(key)
            if index is None:
                folder = self._folder / name
                index = EdgeIndex(folder, name, version_files.read(folder).spec)
                self._open[key] = index
                # The one before stays, for questions on their way; whoever holds an older one keeps it alive.
                while len(self._open) > PREVIOUS:
                    self._open.popitem(last=False)
            return index

    def _next_name(self) -> str:
        taken = [int(at.name[1:]) for at in self._folder.glob("v*") if at.name[1:].isdigit()]
        return f"v{max(taken, default=0) + 1:04d}"

    def _publish(self, name: str) -> None:
        version_files.point(self._root, name)
        trail = [info for info in self.versions() if not info.kept and not info.live]
        for info in trail[:-PREVIOUS]:
            self._remove(info.name)

    def _remove(self, name: str) -> None:
        # Out of sight first, so that nobody opens half a folder.
        gone = self._folder / f"{version_files.BUILDING}dropped-{name}"
        (self._folder / name).rename(gone)
        shutil.rmtree(gone, ignore_errors=True)
