"""Running the application under uvicorn, with a stop that lets running questions finish."""

from __future__ import annotations

import asyncio
import socket
from types import FrameType

import structlog
import uvicorn
from fastapi import FastAPI

log = structlog.get_logger("policydesk")


class DrainingServer(uvicorn.Server):
    """On the first signal: new questions get 503, running ones finish, then the server ends. A second signal ends it at once."""

    def __init__(self, config: uvicorn.Config, app: FastAPI, *, drain_seconds: float) -> None:
        super().__init__(config)
        self._app, self._drain_seconds = app, drain_seconds
        self._draining: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until stopped."""
        self._loop = asyncio.get_running_loop()
        await super().serve(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal arrived."""
        running = self._app.state.desk.running
        if running.stopping or self._loop is None:
            super().handle_exit(sig, frame)
            return
        running.stopping = True
        self._loop.call_soon_threadsafe(self._begin_drain)

    def _begin_drain(self) -> None:
        self._draining = asyncio.create_task(self._drain())

    async def _drain(self) -> None:
        desk = self._app.state.desk
        log.info("stopping", running=desk.running.count)
        finished = await desk.drained(seconds=self._drain_seconds)
        log.info("stopped", all_finished=finished)
        self.should_exit = (
            True  # and not uvicorn's way, which ends the process by the signal: this stop went as it should
        )


def serve(app: FastAPI, *, host: str, port: int, drain_seconds: float) -> None:
    """Serve ``app`` until a signal stops it."""
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
        timeout_keep_alive=30,
    )
    DrainingServer(config, app, drain_seconds=drain_seconds).run()
