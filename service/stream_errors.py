"""What goes wrong in a LangServe stream, told as everywhere else.

LangServe ends a stream that fails with an event that says 500 whatever happened, and then lets the error break the connection.
Here an error that comes before the first event is the whole response, with its status; a later one is the stream's last event,
``{"status_code", "message", …}`` as LangServe's client reads it, and the stream ends in order.
"""

from __future__ import annotations

import json

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.error_handlers import LANGSERVE_PATHS, response_of
from service.errors import report, status_of

_LANGSERVES_OWN = b"event: error\r\n"


class StreamErrors:
    """The layer right around the routes. It looks at LangServe's only."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or not str(scope["path"]).startswith(LANGSERVE_PATHS):
            await self.app(scope, receive, send)
            return
        start: Message | None = None
        begun = failed = False

        async def watched(message: Message) -> None:
            nonlocal start, begun, failed
            if message["type"] == "http.response.start":
                start = message
                return
            if message.get("body", b"").startswith(_LANGSERVES_OWN):
                failed = True
                return
            if start is not None and not begun:
                begun = True
                await send(start)
            await send(message)

        try:
            await self.app(scope, receive, watched)
        except Exception as error:
            if not failed:
                raise
            cause = _cause(error)
            if not begun:
                await response_of(cause)(scope, receive, send)
                return
            await send({"type": "http.response.body", "body": _event(cause), "more_body": False})


def _cause(error: Exception) -> BaseException:
    """Starlette wraps an error that comes after the response began."""
    return error.__cause__ if isinstance(error, RuntimeError) and error.__cause__ else error


def _event(error: BaseException) -> bytes:
    data = json.dumps({"status_code": status_of(error), **report(error)["error"]}, ensure_ascii=False)
    return f"event: error\r\ndata: {data}\r\n\r\n".encode()
