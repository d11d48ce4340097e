"""The versions on a Qdrant server: a collection each (``<alias>_<name>``), the live one named by the alias.

What built a version stands in its collection's metadata, with a mark that is set when it is complete. The write lock is on the
server too (``server_lock``), so that any machine may ingest, one at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from qdrant_client import AsyncQdrantClient, QdrantClient, models

from knowledge.errors import BadInput, IndexMissing, IndexUnavailable
from knowledge.index.port import IndexSpec, VersionInfo
from knowledge.index.server import ServerIndex
from knowledge.index.server_lock import ServerLock
from knowledge.index.server_points import NotThere, answering
from knowledge.index.server_writer import ServerWriter
from knowledge.index.version_files import PREVIOUS, check_new_name

#: Key of our part of a collection's metadata.
_ABOUT = "policydesk"
_TIMEOUT = 30
#: The first server version that counts IDF over a filter.
_OLDEST = (1, 19)


@dataclass(frozen=True, slots=True)
class Clients:
    """How to reach a server: the client that writes, and the async one that reads, of the running event loop."""

    sync: QdrantClient
    reading: Callable[[], AsyncQdrantClient]


def connect(url: str, api_key: str | None) -> Clients:
    """Clients of a server. Nothing is sent yet. An async client belongs to one event loop, so each loop gets its own."""
    options: dict[str, Any] = {"url": url, "api_key": api_key, "timeout": _TIMEOUT, "check_compatibility": False}
    by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncQdrantClient] = WeakKeyDictionary()

    def reading() -> AsyncQdrantClient:
        loop = asyncio.get_running_loop()
        if loop not in by_loop:
            by_loop[loop] = AsyncQdrantClient(**options)
        return by_loop[loop]

    return Clients(QdrantClient(**options), reading)


class ServerStore:
    """See ``IndexStore``."""

    def __init__(self, clients: Clients, alias: str, data: Path, *, on_disk: bool = False) -> None:
        self._clients, self._alias, self._data, self._on_disk = clients, alias, data, on_disk
        self._lock = ServerLock(clients.sync, alias)

    async def current(self) -> ServerIndex:
        """See ``IndexStore``. One small call: a collection answers to its alias, and its metadata says which version it is."""
        index = await self._opened(self._alias)
        if index is None:
            raise IndexMissing("Nothing is indexed on the Qdrant server yet: run `policydesk ingest PATH`.")
        return index

    async def version(self, name: str) -> ServerIndex:
        """See ``IndexStore``."""
        index = await self._opened(self._collection(name))
        if index is None:
            raise await asyncio.to_thread(self._unknown, name)
        return index

    def live(self) -> str | None:
        """The live version's name."""
        with answering():
            aliases = self._clients.sync.get_aliases().aliases
        collection = next((a.collection_name for a in aliases if a.alias_name == self._alias), None)
        return collection.removeprefix(self._collection("")) if collection else None

    def versions(self) -> list[VersionInfo]:
        """All committed versions, oldest first."""
        live = self.live()
        infos = [_info(about, about["name"] == live) for about in self._abouts() if about["complete"]]
        return sorted(infos, key=lambda info: info.created_at)

    def writer(self, spec: IndexSpec, *, base: str | None = None, name: str | None = None) -> ServerWriter:
        """See ``IndexStore``. Clears away what an ingest that died left behind, which only who holds the lock can tell."""
        self._check_server()
        taken = []
        for about in self._abouts():
            if about["complete"] or not self._lock.taken:
                taken.append(str(about["name"]))
            else:
                self._remove(about["name"])
        if name is not None:
            check_new_name(name, taken)
        kept = name is not None
        name = name or f"v{max((int(n[1:]) for n in taken if n[0] == 'v' and n[1:].isdigit()), default=0) + 1:04d}"
        about = {
            "alias": self._alias,
            "name": name,
            "spec": asdict(spec),
            "created_at": datetime.now(UTC).isoformat(),
            "kept": kept,
            "complete": False,
        }
        return ServerWriter(
            self._clients.sync,
            name=name,
            collection=self._collection(name),
            spec=spec,
            base=self._collection(base) if base else None,
            about={_ABOUT: about},
            on_disk=self._on_disk,
            publish=self._publish,
            lock=self._lock,
        )

    def switch(self, name: str) -> None:
        """See ``IndexStore``."""
        self._known(name)
        self._point(name)

    def drop(self, name: str) -> None:
        """See ``IndexStore``."""
        self._known(name)
        if name == self.live():
            raise BadInput(f"{name} is the live index version: switch to another one before dropping it.", field="name")
        self._remove(name)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """See ``IndexStore``. Older servers would write what is conditional without its condition, so they are refused."""
        self._check_server()
        with self._lock.held(self._data / "index"):
            yield

    def unlock(self, tell: Callable[[str], None]) -> str | None:
        """See ``IndexStore``."""
        self._check_server()
        dead = self._lock.unlock(self._data / "index", tell)
        return None if dead is None else str(dead)

    def _check_server(self) -> None:
        with answering():
            version = self._clients.sync.info().version
        if tuple(int(part) for part in version.split("-")[0].split(".")[:2]) < _OLDEST:
            raise IndexUnavailable(
                f"The Qdrant server is {version}: use 1.19 or newer, since older ones count how rare a word is over all tenants."
            )

    def _collection(self, name: str) -> str:
        return f"{self._alias}_{name}"

    async def _opened(self, collection: str) -> ServerIndex | None:
        try:
            with answering():
                about = _about(await self._clients.reading().get_collection(collection))
        except NotThere:
            return None
        if not about.get("complete"):
            return None
        info = _info(about, live=False)
        return ServerIndex(self._clients.reading, self._collection(info.name), info.name, info.spec)

    def _abouts(self) -> list[dict[str, Any]]:
        """The metadata of the collections that are versions of this index."""
        with answering():
            names = [c.name for c in self._clients.sync.get_collections().collections]
            abouts = [_about(self._clients.sync.get_collection(n)) for n in names if n.startswith(self._collection(""))]
        return [about for about in abouts if about.get("alias") == self._alias]

    def _unknown(self, name: str) -> BadInput:
        names = ", ".join(info.name for info in self.versions())
        return BadInput(f"There is no index version {name!r}; there are: {names or 'none'}.", field="name")

    def _known(self, name: str) -> None:
        if name not in [info.name for info in self.versions()]:
            raise self._unknown(name)

    def _publish(self, name: str, live: bool) -> None:
        collection = self._collection(name)
        about = _about(self._clients.sync.get_collection(collection))
        self._lock.check()
        self._clients.sync.update_collection(collection, metadata={_ABOUT: {**about, "complete": True}})
        if live:
            self._point(name)
            trail = [info for info in self.versions() if not info.kept and not info.live]
            for info in trail[:-PREVIOUS]:
                self._remove(info.name)

    def _point(self, name: str) -> None:
        alias = self._alias
        create = models.CreateAlias(collection_name=self._collection(name), alias_name=alias)
        changes: list[models.AliasOperations] = [models.CreateAliasOperation(create_alias=create)]
        if self.live() is not None:
            changes.insert(0, models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=alias)))
        self._lock.check()
        with answering():  # all changes of one call happen together
            self._clients.sync.update_collection_aliases(changes)

    def _remove(self, name: str) -> None:
        self._lock.check()
        with answering():
            self._clients.sync.delete_collection(self._collection(name))


def _about(info: models.CollectionInfo) -> dict[str, Any]:
    return dict((info.config.metadata or {}).get(_ABOUT) or {})


def _info(about: dict[str, Any], live: bool) -> VersionInfo:
    spec = {**about["spec"], "fields": tuple(about["spec"]["fields"])}
    created = datetime.fromisoformat(about["created_at"])
    return VersionInfo(str(about["name"]), IndexSpec(**spec), created, live, bool(about["kept"]))
