"""Tracing by LangSmith's own variables: runs arrive where they say, and with none set no connection is made at all."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.conftest import ROOT, policydesk, serve, until

pytestmark = pytest.mark.slow

QUESTION = "How long does a refund take?"
FROM_A_DOCUMENT = b"5 business days"
NODES = (b"rewrite_query", b"retrieve", b"generate_answer", b"check_faithfulness")


class Collector(ThreadingHTTPServer):
    """Takes whatever tracers send, and keeps it by path."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Keeps)
        self.got: dict[str, bytes] = {}
        self.url = f"http://127.0.0.1:{self.server_port}"

    def holds(self, path: str, *texts: bytes) -> bool:
        return all(text in self.got.get(path, b"") for text in texts)


class _Keeps(BaseHTTPRequestHandler):
    server: Collector

    def _keep(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        self.server.got[self.path] = self.server.got.get(self.path, b"") + body
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_GET = do_POST = do_PATCH = _keep  # noqa: N815 the base class's names

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def collector() -> Iterator[Collector]:
    made = Collector()
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield made
    made.shutdown()


def by_langsmith(collector: Collector) -> dict[str, str]:
    return {"LANGSMITH_TRACING": "true", "LANGSMITH_ENDPOINT": collector.url, "LANGSMITH_API_KEY": "any"}


def by_opentelemetry(collector: Collector) -> dict[str, str]:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="pip install 'langsmith[otel]'")
    more = {"LANGSMITH_OTEL_ENABLED": "true", "LANGSMITH_OTEL_ONLY": "true"}
    return {**by_langsmith(collector), **more, "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url}


WAYS = [(by_langsmith, "/runs/multipart"), (by_opentelemetry, "/v1/traces")]


@pytest.mark.parametrize(("way", "path"), WAYS)
def test_a_question_on_the_command_line_is_traced(data: Path, collector: Collector, way: Any, path: str) -> None:
    policydesk("ask", QUESTION, data=data, **way(collector))

    assert collector.holds(path, QUESTION.encode(), *NODES)
    assert collector.holds(path, FROM_A_DOCUMENT), "the documents' words go along: the README warns of it"


@pytest.mark.parametrize(("way", "path"), WAYS)
def test_a_question_to_the_service_is_traced(data: Path, collector: Collector, way: Any, path: str) -> None:
    process, address = serve(data, **way(collector))
    try:
        assert httpx.post(f"{address}/api/ask", json={"question": QUESTION}, timeout=60).status_code == 200
        until(lambda: collector.holds(path, QUESTION.encode(), *NODES), seconds=30)
    finally:
        process.stop()


WATCH = """
import os, sys
def watch(event, given):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        with open(os.environ["CONNECTIONS"], "a") as kept:
            kept.write(f"{event} {given}\\n")
sys.addaudithook(watch)
"""


def test_with_nothing_set_no_connection_is_made(data: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(WATCH)
    seen = tmp_path / "connections"
    watched = {"PYTHONPATH": f"{tmp_path}:{ROOT}", "CONNECTIONS": str(seen)}

    policydesk("ask", QUESTION, data=data, **watched)
    process, address = serve(data, **watched)
    try:
        for path in ("/api/ask", "/api/search", "/api/ask/stream"):
            assert httpx.post(f"{address}{path}", json={"question": QUESTION}, timeout=60).status_code == 200
    finally:
        process.stop()
    made = seen.read_text().splitlines() if seen.exists() else []
    listening = "socket.getaddrinfo ('127.0.0.1'"  # uvicorn looks up the address that it listens on
    assert [line for line in made if not line.startswith(listening)] == []


def test_the_watch_sees_a_connection(data: Path, tmp_path: Path, collector: Collector) -> None:
    (tmp_path / "sitecustomize.py").write_text(WATCH)
    seen = tmp_path / "connections"
    policydesk(
        "ask", QUESTION, data=data, PYTHONPATH=f"{tmp_path}:{ROOT}", CONNECTIONS=str(seen), **by_langsmith(collector)
    )
    assert "socket.connect" in seen.read_text()
