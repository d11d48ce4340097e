"""The same keys in front of ``langgraph dev`` and Studio: ``auth`` of ``langgraph.json``.

Without keys everything is open, as for local work. With keys each run is searched under its key's scope, whatever context,
configurable or assistant it names, and a thread is seen only by keys of the scope that made it, since its state holds passages.
"""

from __future__ import annotations

from typing import Any

from langgraph_sdk import Auth

from graph.settings import load_settings
from knowledge.errors import PolicyDeskError
from service.auth import KEYS_FILE, KeyStore

auth = Auth()
keys = KeyStore(load_settings().data / KEYS_FILE)

#: Fields of the user that ``authenticate`` returns and the handlers read back.
_OPEN = "open"
_ALL_CATEGORIES = "*"


@auth.authenticate
async def authenticate(authorization: str | None) -> Auth.types.MinimalUserDict:
    """The caller of ``Authorization: Bearer pd_…``; anybody where no keys are set."""
    if not keys.are_set():
        return {"identity": _OPEN, "is_authenticated": True}
    scheme, _, given = (authorization or "").partition(" ")
    try:
        caller = keys.authenticate(given.strip() if scheme.lower() == "bearer" else None)
    except PolicyDeskError as error:
        raise Auth.exceptions.HTTPException(status_code=401, detail=error.message) from None
    user: dict[str, Any] = {
        "identity": caller.key_id,
        "is_authenticated": True,
        "tenant": caller.tenant,
        "categories": list(caller.categories),
    }
    return user  # type: ignore[return-value]


@auth.on
async def deny_the_rest(ctx: Auth.types.AuthContext, value: Any) -> bool:
    """With keys, what no handler below allows is refused: crons, the store, changes of assistants."""
    return _is_open(ctx)


@auth.on.assistants.read
async def show_assistant(ctx: Auth.types.AuthContext, value: Any) -> bool:
    """Nobody can add one while keys are set, so there is nothing of anybody's to see."""
    return True


@auth.on.assistants.search
async def list_assistants(ctx: Auth.types.AuthContext, value: Any) -> bool:
    """As for one."""
    return True


@auth.on.threads
async def own_threads(ctx: Auth.types.AuthContext, value: Any) -> dict[str, Any] | None:
    """A thread belongs to the scope that made it."""
    if _is_open(ctx):
        return None
    owner = _owner(ctx)
    if ctx.action in ("create", "update", "create_run"):
        _stamp(value, owner)
    return owner


@auth.on.threads.create_run
async def scoped_run(ctx: Auth.types.AuthContext, value: Any) -> dict[str, Any] | None:
    """The key's scope replaces whatever the run names; the run's context wins over its assistant's."""
    if _is_open(ctx):
        return None
    owner = _owner(ctx)
    _stamp(value, owner)
    options: Any = value.setdefault("kwargs", {})
    scope = {"tenant": ctx.user["tenant"], "allowed_categories": list(ctx.user["categories"])}
    options["context"] = {**(options.get("context") or {}), **scope}
    return owner


def _is_open(ctx: Auth.types.AuthContext) -> bool:
    """No keys, then and now. A caller who came as somebody else (Studio's own user) is not open and has no scope."""
    return not keys.are_set()


def _owner(ctx: Auth.types.AuthContext) -> dict[str, Any]:
    try:
        tenant, categories = ctx.user["tenant"], ctx.user["categories"]
    except (KeyError, AttributeError, TypeError):
        raise Auth.exceptions.HTTPException(
            status_code=403, detail="This needs a valid key, sent in the header: Authorization: Bearer pd_…."
        ) from None
    return {"policydesk_tenant": tenant, "policydesk_categories": ",".join(sorted(categories)) or _ALL_CATEGORIES}


def _stamp(value: Any, owner: dict[str, Any]) -> None:
    """Write the owner into the metadata that the server goes on to store: into that very dict, also where it is empty."""
    if value.get("metadata") is None:
        value["metadata"] = {}
    value["metadata"].update(owner)
