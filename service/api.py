"""The web service: the chat page, the HTTP API and LangServe, over one graph."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles

from graph.resources import Resources
from service.auth import KEYS_FILE, Caller, KeyStore
from service.desk import Desk
from service.error_handlers import register_handlers
from service.langserve_routes import add_langserve
from service.limits import Running
from service.middleware import Access, Heads, SafeHeaders, WholeBody
from service.openapi import describe
from service.routes_documents import document_routes
from service.routes_health import health_routes
from service.routes_questions import question_routes
from service.stream_errors import StreamErrors
from service.warming import get_ready

WEB = Path(__file__).parent / "web"


@dataclass(frozen=True, kw_only=True)
class ServeOptions:
    """What the operator chooses for the service. ``local_rate``: questions a minute without keys, 0 for no limit."""

    cors_origins: tuple[str, ...] = ()
    max_body: int = 65_536
    max_running: int = 64
    local_rate: int = 0


DEFAULT_OPTIONS = ServeOptions()


def create_app(
    resources: Resources,
    options: ServeOptions = DEFAULT_OPTIONS,
    *,
    keys: KeyStore | None = None,
    desk: Desk | None = None,
) -> FastAPI:
    """The application. ``app.state.desk`` is its desk, ``app.state.keys`` its keys (by default in the data folder)."""
    keys = keys or KeyStore(resources.settings.data / KEYS_FILE)
    desk = desk or Desk(resources=resources, running=Running(most=options.max_running))

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        warming = asyncio.create_task(get_ready(desk, keys))
        yield
        warming.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await warming

    app = FastAPI(
        title="Policy Desk",
        version=_version(),
        summary="Answers questions over your own documents, with citations that can be checked.",
        description="Send a key as `Authorization: Bearer pd_…`. What a question may see is the key's, never the request's.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.state.desk, app.state.keys = desk, keys
    app.openapi = lambda: describe(app)  # type: ignore[method-assign]
    register_handlers(app)
    app.include_router(question_routes(desk))
    app.include_router(document_routes(resources))
    app.include_router(health_routes(desk, keys))
    add_langserve(app, desk)
    _add_page(app)
    _surround(app, desk, keys, options)
    return app


def _version() -> str:
    try:
        return version("policydesk")
    except PackageNotFoundError:  # run from a source tree that is not installed
        return "0"


def _surround(app: FastAPI, desk: Desk, keys: KeyStore, options: ServeOptions) -> None:
    """The layers around every request; the last one added is the outermost."""
    local = Caller(key_id="local", tenant=desk.resources.settings.tenant, rate=options.local_rate, metrics=True)
    app.add_middleware(StreamErrors)
    app.add_middleware(WholeBody, limit=options.max_body)
    app.add_middleware(Access, keys=keys, local=local, running=desk.running)
    app.add_middleware(SafeHeaders)
    app.add_middleware(Heads)
    if options.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(options.cors_origins),
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type"],
            expose_headers=["X-Request-Id", "Retry-After"],
        )


def _add_page(app: FastAPI) -> None:
    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(WEB / "index.html", headers={"Cache-Control": "no-cache"})

    @app.get("/favicon.ico", include_in_schema=False)
    async def icon() -> FileResponse:
        return FileResponse(WEB / "icon.svg", media_type="image/svg+xml", headers={"Cache-Control": "max-age=86400"})

    app.mount("/web", StaticFiles(directory=WEB), name="web")
