"""The application over the fake graph, met through ASGI without a socket."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("fastapi")

from service.api import ServeOptions, create_app
from service.auth import KeyStore
from service.observability import configure_logging
from tests.service.fakes import MINE, OTHERS, FakeDesk

BASE = "http://127.0.0.1"

configure_logging("error", as_json=True)


@pytest.fixture
def fake(tmp_path: Path) -> FakeDesk:
    return FakeDesk(tmp_path)


@pytest.fixture
def keys(tmp_path: Path) -> KeyStore:
    return KeyStore(tmp_path / "keys.json")


@pytest.fixture
def mine(keys: KeyStore) -> str:
    """A key of our tenant. Asking for it puts keys in force."""
    return keys.add(MINE, rate=0)[1]


@pytest.fixture
def theirs(keys: KeyStore) -> str:
    return keys.add(OTHERS, rate=0)[1]


@pytest.fixture
def app(fake: FakeDesk, keys: KeyStore) -> Any:
    return create_app(fake.resources, ServeOptions(max_body=8192), keys=keys, desk=fake.desk)


def client_of(app: Any, *, raises: bool = True, **options: Any) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=raises)
    return httpx.AsyncClient(transport=transport, base_url=BASE, **options)


@pytest.fixture
async def client(app: Any) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(app, raises=False) as made:
        yield made


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}
