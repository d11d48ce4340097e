"""What ``/readyz`` says of the chat models: only what it knows."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from tests.fakes.ollama import FakeOllama
from tests.service.fakes import FakeDesk


def ollama(url: str, model: str = "llama3.1:8b") -> Any:
    return SimpleNamespace(_llm_type="chat-ollama", base_url=url, model=model)


async def told(client: httpx.AsyncClient) -> tuple[int, str]:
    response = await client.get("/readyz")
    return response.status_code, response.json()["checks"]["chat_model"]


async def test_where_there_is_none_it_says_none(client: httpx.AsyncClient) -> None:
    assert await told(client) == (200, "none")


@pytest.mark.parametrize("which", ["chat", "small_chat", "judge"])
async def test_each_model_of_ollama_is_asked_for(client: httpx.AsyncClient, fake: FakeDesk, which: str) -> None:
    with FakeOllama() as server:
        setattr(fake.resources, which, ollama(server.url))
        assert await told(client) == (200, "ok")
        assert [path for path, _ in server.requests] == ["/api/tags"]


async def test_a_model_that_ollama_lacks_is_named(client: httpx.AsyncClient, fake: FakeDesk) -> None:
    with FakeOllama() as server:
        fake.resources.chat, fake.resources.judge = ollama(server.url), ollama(server.url, "qwen3:4b")
        status, said = await told(client)

    assert status == 503 and "ollama pull qwen3:4b" in said


async def test_another_providers_model_is_not_asked(client: httpx.AsyncClient, fake: FakeDesk) -> None:
    fake.resources.chat = SimpleNamespace(_llm_type="openai-chat")
    assert await told(client) == (200, "not asked")


@pytest.fixture(
    params=[b"<html>A proxy</html>", b"[]", b'{"models": null}', b'{"models": ["x"]}', b"{}", b"\xff"], ids=str
)
def another_server(request: pytest.FixtureRequest) -> Iterator[str]:
    """Something else where Ollama should be."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(request.param)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


async def test_what_is_not_ollama_is_told(client: httpx.AsyncClient, fake: FakeDesk, another_server: str) -> None:
    fake.resources.chat = ollama(another_server)
    status, said = await told(client)

    assert status == 503 and said == "What answers there is not Ollama; check OLLAMA_HOST."
