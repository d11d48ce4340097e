"""The write lock of an index on a Qdrant server: one writer at a time, whichever machine it runs on.

It is one point in a collection of its own, ``<alias>.lock``, which says who writes. Every change of it is a single conditional
write, which the server decides on while it holds the shard: it goes through only where the point still is what its writer last
read. So of two that find the lock free, or left behind, one gets it. Who holds it gives a sign of life every ``BEAT`` seconds.

A lock without a sign of life for ``STALE`` seconds is left behind. Since clocks differ, whoever takes it over watches it for
``WATCH`` seconds first. A holder writes nothing on a confirmation older than ``TRUST`` seconds, which with a request's longest
time is less than the watch: a machine that was asleep meanwhile finds out before it writes.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import UnexpectedResponse

from knowledge.errors import IndexBusy, IndexUnavailable
from knowledge.index.server_points import NotThere, answering, retried
from knowledge.index.version_files import ingest_lock

#: Seconds between signs of life.
BEAT = 10.0
#: Seconds for which a holder relies on a confirmed sign of life.
TRUST = 20.0
#: Seconds for which a lock is watched before it is taken from its holder; more than ``TRUST`` and a request's 30.
WATCH = 60.0
#: Seconds of silence after which a lock counts as left behind.
STALE = 600.0

_POINT = 1
_STRONG = models.WriteOrdering.STRONG  # on a cluster: one after the other, through the shard's leader


@dataclass(frozen=True, slots=True)
class Holder:
    """Who writes: ``token`` is of this one taking of the lock, ``mark`` of its last sign of life. Times are the holder's."""

    token: str
    mark: str
    host: str
    pid: int
    since: float
    seen: float

    def __str__(self) -> str:
        """For a sentence."""
        since = datetime.fromtimestamp(self.since, UTC)
        return f"Process {self.pid} on {self.host} has been writing to this index since {since:%Y-%m-%d %H:%M:%S} UTC"


class ServerLock:
    """The lock of the index that goes by ``alias``."""

    def __init__(self, client: QdrantClient, alias: str) -> None:
        self._client, self._collection = client, f"{alias}.lock"
        self._renewing = threading.Lock()
        self._mine: Holder | None = None
        self._lost = False
        self._confirmed = 0.0

    @property
    def taken(self) -> bool:
        """Whether this process has taken it and not let go of it. It may have lost it since: see ``check``."""
        return self._mine is not None

    @contextmanager
    def held(self, folder: Path) -> Iterator[None]:
        """Take it, and let go of it. ``folder`` is this machine's own: a writer that was killed here is known by it.

        Raises ``IndexBusy`` at once when another writes, ``IndexUnavailable``.
        """
        with ExitStack() as stack:
            self._on_this_machine(folder, stack)
            mine = self._take(folder)
            self._mine, self._lost = mine, False
            stopped = threading.Event()
            beating = threading.Thread(target=self._beat, args=(mine, stopped), name="index-lock", daemon=True)
            beating.start()
            try:
                yield
            finally:
                stopped.set()
                beating.join()
                self._mine = None
                self._delete("token", mine.token)

    def check(self) -> None:
        """To be called before each write. Raises ``IndexBusy`` where the lock was taken and another has it by now."""
        if not self.still_held():
            raise IndexBusy(
                "This writer has lost the index's lock, since it was silent for too long or was unlocked by hand: "
                "it stops here, so look at `policydesk index list` and run it again."
            )

    def still_held(self) -> bool:
        """Whether nobody has taken it away. True where it was never taken, as by a program that knows itself alone."""
        mine = self._mine
        if mine is None or (not self._lost and 0 <= time.time() - self._confirmed < TRUST):
            return True
        with answering():
            return retried(lambda: self._renew(mine))

    def unlock(self, folder: Path, tell: Callable[[str], None]) -> Holder | None:
        """Take it from a dead writer, who is returned; ``None`` where nobody has it. ``tell`` is told before a long wait.

        Raises ``IndexBusy`` for a writer that gives a sign of life.
        """
        with ExitStack() as stack:
            self._on_this_machine(folder, stack)
            found = self._read()
            if found is None:
                return None
            if not _killed_here(found, folder):
                tell(f"{found}: watching for a minute whether it gives a sign of life.")
                time.sleep(WATCH)
            self._delete("mark", found.mark)
            left = self._read()
            if left is not None and left.token == found.token:
                raise IndexBusy(f"{found}, and gave a sign of life just now: wait until it is done, or stop it there.")
            return found

    def _on_this_machine(self, folder: Path, stack: ExitStack) -> None:
        try:
            stack.enter_context(ingest_lock(folder / "write.lock"))
        except IndexBusy:
            found = self._read()
            if found is None:
                raise
            raise _busy(found) from None

    def _take(self, folder: Path) -> Holder:
        found = self._read()
        if found is not None and not _killed_here(found, folder):
            if time.time() - found.seen < STALE:
                raise _busy(found)
            time.sleep(WATCH)
            # If it is alive, its mark is another one by now, and the write below does not go through.
        now = time.time()
        mine = Holder(uuid4().hex, uuid4().hex, socket.gethostname(), os.getpid(), now, now)
        _token_file(folder).write_text(mine.token, "ascii")
        try:
            self._swap(found, mine)
        except NotThere:
            self._create()
            self._swap(found, mine)
        winner = self._read()
        if winner is None or winner.token != mine.token:
            raise _busy(winner) if winner else IndexBusy("Another writer was quicker: wait until it is done.")
        self._confirmed = now
        return mine

    def _swap(self, found: Holder | None, mine: Holder) -> None:
        """Write our point where there is none, or where it still is the one found."""
        unchanged = _where("mark", found.mark if found else "")
        point = models.PointStruct(id=_POINT, vector={}, payload=_payload(mine))
        with answering():
            retried(
                lambda: self._client.upsert(
                    self._collection, [point], wait=True, ordering=_STRONG, update_filter=unchanged
                )
            )

    def _renew(self, mine: Holder) -> bool:
        """A sign of life; whether the lock is still ours."""
        with self._renewing:
            now = time.time()
            fresh = _payload(replace(mine, mark=uuid4().hex, seen=now))
            held = _where("token", mine.token)
            self._client.set_payload(self._collection, fresh, held, wait=True, ordering=_STRONG)
            found = self._read()
            if found is None or found.token != mine.token:
                self._lost = True
            else:
                self._confirmed = now
            return not self._lost

    def _beat(self, mine: Holder, stopped: threading.Event) -> None:
        while not stopped.wait(BEAT):
            try:
                with answering():
                    if not self._renew(mine):
                        return
            except IndexUnavailable:
                continue  # the server may come back; if not, the writer itself meets it and says so

    def _delete(self, key: str, value: str) -> None:
        with answering():
            selector = models.FilterSelector(filter=_where(key, value))
            retried(lambda: self._client.delete(self._collection, selector, wait=True, ordering=_STRONG))

    def _read(self) -> Holder | None:
        try:
            with answering():
                found = retried(
                    lambda: self._client.retrieve(
                        self._collection, [_POINT], consistency=models.ReadConsistencyType.MAJORITY
                    )
                )
        except NotThere:
            return None
        return Holder(**{name: (found[0].payload or {})[name] for name in Holder.__slots__}) if found else None

    def _create(self) -> None:
        """The collection, which stays. Another may make it at the same moment."""
        with answering():
            try:
                retried(
                    lambda: self._client.create_collection(
                        self._collection,
                        vectors_config={},
                        sparse_vectors_config={"unused": models.SparseVectorParams()},  # a collection has some vector
                        shard_number=1,
                    )
                )
            except (UnexpectedResponse, ValueError):  # the client's in-memory stand-in says 409 by the latter
                if not self._client.collection_exists(self._collection):
                    raise
            for key in ("token", "mark"):
                self._client.create_payload_index(self._collection, key, models.PayloadSchemaType.KEYWORD, wait=True)


def _busy(found: Holder) -> IndexBusy:
    return IndexBusy(f"{found}: wait until it is done, or, if that process is dead, run `policydesk index unlock`.")


def _killed_here(found: Holder, folder: Path) -> bool:
    """Whether it was this folder's last writer, which then is dead: we hold the lock file that the system frees at its end."""
    file = _token_file(folder)
    return found.host == socket.gethostname() and file.is_file() and file.read_text("ascii") == found.token


def _token_file(folder: Path) -> Path:
    return folder / "write.token"


def _where(key: str, value: str) -> models.Filter:
    return models.Filter(must=[models.FieldCondition(key=key, match=models.MatchValue(value=value))])


def _payload(holder: Holder) -> dict[str, str | int | float]:
    return {name: getattr(holder, name) for name in Holder.__slots__}
