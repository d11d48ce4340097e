"""What surrounds every request, outermost first: headers, size, the caller, disconnects. Plain ASGI, so that streams stay streams
and what the caller's layer sets is seen by all that runs inside it.
"""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from knowledge.errors import Forbidden, PolicyDeskError
from service.auth import Caller, KeyStore, calling
from service.error_handlers import response_of
from service.errors import TooLarge, TooSlow
from service.limits import Running

#: Pages that hold nothing of anybody's: the chat page's own files and the probes.
OPEN_PATHS = frozenset({"/", "/healthz", "/readyz", "/favicon.ico", "/openapi.json"})
OPEN_PREFIXES = ("/web/",)
LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]"})
BODY_SECONDS = 30.0

_PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Heads:
    """HEAD for whatever answers GET: the same headers and no body. Watchers of a service ask so."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def without_body(message: Message) -> None:
            await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

        await self.app({**scope, "method": "GET"}, receive, without_body)


class SafeHeaders:
    """Headers of every response; the chat page may load nothing but its own files."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = uuid.uuid4().hex
        scope.setdefault("state", {})["request_id"] = request_id

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["X-Request-Id"] = request_id
                headers["X-Content-Type-Options"] = "nosniff"
                headers["X-Frame-Options"] = "DENY"
                headers["Referrer-Policy"] = "no-referrer"
                if "playground" not in scope["path"]:
                    headers["Content-Security-Policy"] = _PAGE_POLICY
                if "cache-control" not in headers:
                    headers["Cache-Control"] = "no-store"
            await send(message)

        await self.app(scope, receive, with_headers)


class Access:
    """Finds out who calls, before anything reads the request's body. Without keys only this machine is answered."""

    def __init__(self, app: ASGIApp, *, keys: KeyStore, local: Caller, running: Running) -> None:
        self.app, self.keys, self.local, self.running = app, keys, local, running

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            caller = self._admit(scope)
        except PolicyDeskError as error:
            await response_of(error)(scope, receive, send)
            return
        if caller is None:
            await self.app(scope, receive, send)
            return
        with calling(caller):
            await self.app(scope, receive, send)

    def _admit(self, scope: Scope) -> Caller | None:
        """The caller, or none for an open page. Raises what keeps the request out."""
        headers, path = Headers(scope=scope), str(scope["path"])
        keyed = self.keys.are_set()
        if not keyed and _host(headers) not in LOOPBACK_HOSTS:
            # A foreign page can point its own name at 127.0.0.1; the Host header gives it away.
            raise Forbidden("Without keys this service answers requests to localhost only; add a key first.")
        if path in OPEN_PATHS or path.startswith(OPEN_PREFIXES):
            return None
        self.running.check_open()
        return self.keys.authenticate(_bearer(headers)) if keyed else self.local


class WholeBody:
    """Reads the body up to a limit and hands it on as one piece; stops the work when the client goes away."""

    def __init__(self, app: ASGIApp, *, limit: int, seconds: float = BODY_SECONDS) -> None:
        self.app, self.limit, self.seconds = app, limit, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            body = await self._read(scope, receive)
        except PolicyDeskError as error:
            await response_of(error)(scope, receive, send)
            return
        if body is not None:
            await _serve_while_connected(self.app, scope, receive, send, body)

    async def _read(self, scope: Scope, receive: Receive) -> bytes | None:
        """The body, or ``None`` when the client went away before it was complete."""
        announced = Headers(scope=scope).get("content-length", "")
        if announced.isdigit() and int(announced) > self.limit:
            raise self._too_large()
        body = bytearray()
        try:
            async with asyncio.timeout(self.seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None
                    body += message.get("body", b"")
                    if len(body) > self.limit:
                        raise self._too_large()
                    if not message.get("more_body", False):
                        return bytes(body)
        except TimeoutError:
            raise TooSlow(f"The request's body did not arrive within {self.seconds:g} s.") from None

    def _too_large(self) -> TooLarge:
        return TooLarge(f"The request's body is over {self.limit:,} bytes; send less.")


async def _serve_while_connected(app: ASGIApp, scope: Scope, receive: Receive, send: Send, body: bytes) -> None:
    gone = asyncio.Event()
    handed_over = False

    async def replay() -> Message:
        nonlocal handed_over
        if not handed_over:
            handed_over = True
            return {"type": "http.request", "body": body, "more_body": False}
        await gone.wait()
        return {"type": "http.disconnect"}

    async def watch() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    serving = asyncio.ensure_future(app(scope, replay, send))
    watching = asyncio.create_task(watch())
    try:
        await asyncio.wait({serving, watching}, return_when=asyncio.FIRST_COMPLETED)
        gone.set()
        if not serving.done():
            serving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await serving
    finally:
        await _end((serving, watching))


async def _end(tasks: Iterable[asyncio.Future[None]]) -> None:
    for task in tasks:
        if not task.done():
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task


def _host(headers: Headers) -> str:
    """The Host header without its port."""
    host = headers.get("host", "")
    return host[: host.index("]") + 1] if host.startswith("[") and "]" in host else host.partition(":")[0]


def _bearer(headers: Headers) -> str | None:
    scheme, _, key = headers.get("authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else None
