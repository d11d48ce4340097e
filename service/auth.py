"""API keys: who calls, and what that caller may see.

A key reads ``pd_<id>_<secret>``. The file holds the id, the SHA-256 of the secret and the rights; never the secret. A secret is
256 random bits, so a fast hash is enough: there is nothing to guess. The file is looked at again whenever it changes, so that a
revoked key stops at the next request; one that can't be read lets nobody in. People do edit such files by hand, so every value is
checked: what is empty or missing there must never come to mean "all".
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from filelock import FileLock
from pydantic import ConfigDict, NonNegativeInt, StringConstraints, TypeAdapter, ValidationError

from knowledge.errors import BadInput, Forbidden
from service.errors import Unauthorized

KEY_PREFIX = "pd"
KEYS_FILE = "keys.json"
DEFAULT_RATE = 60
_LONGEST_KEY = 200
_NOBODY = hashlib.sha256(b"no such key").hexdigest()


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Who asks. ``categories`` empty: all. ``rate`` is questions a minute, 0: no limit."""

    key_id: str
    tenant: str
    categories: tuple[str, ...] = ()
    rate: int = 0
    metrics: bool = False

    def __post_init__(self) -> None:
        """Nobody asks for no tenant: further in, where one is missing the process's own stands in."""
        if not self.tenant:
            raise Forbidden("This key has no tenant, so nothing may be searched for it.")


_Named = Annotated[str, StringConstraints(pattern=r"\S")]


@dataclass(frozen=True, kw_only=True)
class Key:
    """A key as it is stored."""

    __pydantic_config__ = ConfigDict(extra="forbid", strict=True)

    id: _Named
    secret_sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    tenant: _Named
    categories: tuple[_Named, ...] = ()
    rate: NonNegativeInt = DEFAULT_RATE
    metrics: bool = False
    created_at: str = ""
    revoked_at: _Named | None = None

    def caller(self) -> Caller:
        """The caller that this key stands for."""
        return Caller(
            key_id=self.id, tenant=self.tenant, categories=self.categories, rate=self.rate, metrics=self.metrics
        )


#: The caller of the request being served. Set by the service's outermost layer, in the request's own context, so that it reaches
#: every task that the request starts and no other; nothing that a client sends can write to it.
_caller: ContextVar[Caller | None] = ContextVar("policydesk_caller", default=None)


def current_caller() -> Caller:
    """The caller of this request. Raises ``Forbidden`` where no door set one: there is no default to fall back to."""
    caller = _caller.get()
    if caller is None:
        raise Forbidden("This question came without a caller, so nothing may be searched for it.")
    return caller


@contextmanager
def calling(caller: Caller) -> Iterator[None]:
    """Within it, ``caller`` is the current one, here and in every task that is started here."""
    token = _caller.set(caller)
    try:
        yield
    finally:
        _caller.reset(token)


class KeyStore:
    """The keys file. Safe to use from several threads and processes; a change replaces the file in one step."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._seen: tuple[int, int, int] | None = None
        self._keys: dict[str, Key] = {}
        self._were_set = False

    def are_set(self) -> bool:
        """Whether callers must show a key. Once true it stays true, also when every key is revoked or the file goes."""
        self._were_set = self._were_set or self.path.exists()
        return self._were_set

    def authenticate(self, given: str | None) -> Caller:
        """The caller of a key. Raises ``Unauthorized``, in the same words whatever is wrong with the key."""
        prefix, _, rest = (given or "")[:_LONGEST_KEY].partition("_")
        key_id, _, secret = rest.partition("_")
        key = self._read().get(key_id)
        digest = hashlib.sha256(secret.encode()).hexdigest()
        same = hmac.compare_digest(digest, key.secret_sha256 if key else _NOBODY)
        if key is None or not same or prefix != KEY_PREFIX or key.revoked_at is not None:
            raise Unauthorized("This needs a valid key, sent in the header: Authorization: Bearer pd_….")
        return key.caller()

    def list(self) -> list[Key]:
        """All keys, the revoked too, oldest first."""
        return sorted(self._read().values(), key=lambda key: key.created_at)

    def add(
        self, tenant: str, *, categories: tuple[str, ...] = (), rate: int = DEFAULT_RATE, metrics: bool = False
    ) -> tuple[Key, str]:
        """A new key and its full text, which is not kept."""
        secret = secrets.token_hex(32)
        key = Key(
            id=secrets.token_hex(4),
            secret_sha256=hashlib.sha256(secret.encode()).hexdigest(),
            tenant=tenant,
            categories=tuple(dict.fromkeys(categories)),
            rate=rate,
            metrics=metrics,
            created_at=datetime.now(UTC).isoformat(timespec="microseconds"),
        )
        with self._changing() as keys:
            keys[key.id] = key
        return key, f"{KEY_PREFIX}_{key.id}_{secret}"

    def revoke(self, key_id: str) -> Key:
        """Mark a key as revoked. It stays in the file, so that the service does not open when the last one goes."""
        with self._changing() as keys:
            if key_id not in keys:
                raise BadInput(f"No key has the id {key_id!r}; see: policydesk keys list", field="id")
            if keys[key_id].revoked_at is None:
                keys[key_id] = replace(keys[key_id], revoked_at=datetime.now(UTC).isoformat(timespec="seconds"))
            return keys[key_id]

    def _changing(self) -> _Change:
        return _Change(self)

    def _read(self) -> dict[str, Key]:
        with self._lock:
            try:
                status = self.path.stat()
            except FileNotFoundError:
                self._seen, self._keys = None, {}
                return self._keys
            stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
            if stamp != self._seen:
                self._keys = _parse(self.path)
                self._seen = stamp
            return self._keys


class _Change:
    """A change of the keys file: read under the lock, written as a whole on success."""

    def __init__(self, store: KeyStore) -> None:
        self._store = store
        store.path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(f"{store.path}.lock")
        self._keys: dict[str, Key] = {}

    def __enter__(self) -> dict[str, Key]:
        self._lock.acquire()
        try:
            self._keys = _parse(self._store.path) if self._store.path.exists() else {}
        except BaseException:
            self._lock.release()
            raise
        return self._keys

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        try:
            if kind is None:
                _write(self._store.path, self._keys)
        finally:
            self._lock.release()


@dataclass(frozen=True, kw_only=True)
class _File:
    """The file as a whole."""

    __pydantic_config__ = ConfigDict(extra="forbid", strict=True)

    keys: tuple[Key, ...]


_FILE = TypeAdapter(_File)


def _parse(path: Path) -> dict[str, Key]:
    try:
        stored = _FILE.validate_json(path.read_bytes()).keys
    except OSError as error:
        raise BadInput(f"The keys file {path} can't be read: {error.strerror or error}.") from error
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the whole file"
        raise BadInput(f"The keys file {path} can't be read: {place}: {first['msg']}; put back a good copy.") from None
    keys = {key.id: key for key in stored}
    if len(keys) < len(stored):
        raise BadInput(f"The keys file {path} can't be read: an id stands in it twice; put back a good copy.")
    return keys


def _write(path: Path, keys: dict[str, Key]) -> None:
    """Replace the file in one step; only its owner may read it."""
    text = json.dumps({"keys": [asdict(key) for key in keys.values()]}, indent=2, ensure_ascii=False) + "\n"
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as handle:
            handle.write(text)
            handle.flush()
            os.fsync(handle.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
