"""The handlers in front of ``langgraph dev``: whatever a run names, its key's scope replaces it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from langgraph_sdk import Auth

from service import studio_auth
from service.auth import KeyStore


class User(dict[str, Any]):
    """As the server hands it over: its fields by item."""


@pytest.fixture
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KeyStore:
    made = KeyStore(tmp_path / "keys.json")
    monkeypatch.setattr(studio_auth, "keys", made)
    return made


def context_of(user: Any, action: str = "create_run") -> Any:
    return SimpleNamespace(user=user, action=action)


async def test_without_keys_everything_is_open(keys: KeyStore) -> None:
    user = await studio_auth.authenticate(None)
    run: dict[str, Any] = {"kwargs": {"context": {"tenant": "any"}}}

    assert await studio_auth.scoped_run(context_of(User(user)), run) is None
    assert run["kwargs"]["context"] == {"tenant": "any"}
    assert await studio_auth.deny_the_rest(context_of(User(user)), {}) is True


@pytest.mark.parametrize("given", [None, "", "Bearer", "Bearer pd_a_b", "Basic x"])
async def test_with_keys_nobody_comes_without_one(keys: KeyStore, given: str | None) -> None:
    keys.add("acme")

    with pytest.raises(Auth.exceptions.HTTPException) as caught:
        await studio_auth.authenticate(given)
    assert caught.value.status_code == 401


async def test_a_runs_scope_is_its_keys_whatever_it_names(keys: KeyStore) -> None:
    _, text = keys.add("acme", categories=("hr",))
    user = User(await studio_auth.authenticate(f"Bearer {text}"))
    for context in ({"tenant": "zeta", "allowed_categories": [], "top_k": 3}, {}, None):
        run: dict[str, Any] = {"kwargs": {"context": context}, "metadata": {"policydesk_tenant": "zeta"}}
        owner = await studio_auth.scoped_run(context_of(user), run)

        assert run["kwargs"]["context"]["tenant"] == "acme"
        assert run["kwargs"]["context"]["allowed_categories"] == ["hr"]
        assert owner == {"policydesk_tenant": "acme", "policydesk_categories": "hr"}
        assert run["metadata"] == owner, "the thread that it makes is its own"


async def test_a_thread_is_seen_by_its_own_scope_only(keys: KeyStore) -> None:
    narrow, wide = keys.add("acme", categories=("it", "hr"))[1], keys.add("acme")[1]
    owners = []
    for text in (narrow, wide):
        user = User(await studio_auth.authenticate(f"Bearer {text}"))
        thread: dict[str, Any] = {}
        owners.append(await studio_auth.own_threads(context_of(user, "create"), thread))
        assert thread["metadata"] == owners[-1]

    assert owners[0] != owners[1], "its state holds passages of categories that the other key may not see"


async def test_studios_own_user_has_no_scope_once_keys_are_set(keys: KeyStore) -> None:
    keys.add("acme")
    studio = SimpleNamespace(identity="langgraph-studio-user")
    for handler in (studio_auth.scoped_run, studio_auth.own_threads):
        with pytest.raises(Auth.exceptions.HTTPException) as caught:
            await handler(context_of(studio), {})
        assert caught.value.status_code == 403
    assert await studio_auth.deny_the_rest(context_of(studio), {}) is False
