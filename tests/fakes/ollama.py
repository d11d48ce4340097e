"""A real HTTP server that speaks Ollama's protocol, with scripted replies, errors, delays and cuts.

    with FakeOllama(replies=["Seven days [S1]."]) as server:
        chat = open_chat("ollama:llama3.1:8b", ollama_host=server.url)

``replies`` are taken one a chat call, the last one again and again; each is a text, a ``Reply``, or a function of the request
body that returns one of them. Every request body is kept in ``server.requests``.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]
CREATED = "2026-01-31T12:00:00Z"
DIMENSION = 64


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One chat reply. ``delay_s`` before the first byte, ``pause_s`` between pieces, ``cut_after`` pieces it drops."""

    text: str = ""
    status: int = 200
    error: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    thinking: str = ""
    delay_s: float = 0.0
    pause_s: float = 0.0
    cut_after: int | None = None
    error_after: int | None = None
    done_reason: str = "stop"
    prompt_tokens: int | None = None
    yes: float | None = None  # P(yes) of the first token, given as logprobs when asked for


Scripted = str | Reply | Callable[[Body], "str | Reply"]


class FakeOllama:
    """The server. ``context_tokens``: a longer prompt (four characters a token) is an error, or with ``cut_silently`` cut."""

    def __init__(
        self,
        replies: Sequence[Scripted] = ("",),
        *,
        models: Sequence[str] = ("llama3.1:8b", "nomic-embed-text"),
        context_tokens: int | None = None,
        cut_silently: bool = False,
        capabilities: Sequence[str] = ("completion",),
    ) -> None:
        self.replies = list(replies)
        self.models = list(models)
        self.context_tokens, self.cut_silently = context_tokens, cut_silently
        self.capabilities = list(capabilities)
        self.requests: list[tuple[str, Body]] = []
        self.most_at_once = 0
        self._at_once = 0
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"fake": self}))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> FakeOllama:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def chats(self) -> list[Body]:
        """The bodies of the chat calls so far."""
        return [body for path, body in self.requests if path == "/api/chat"]

    def prompts(self) -> list[str]:
        """All messages of each chat call, as one text."""
        return ["\n\n".join(message["content"] for message in body["messages"]) for body in self.chats]

    def knows(self, name: str) -> bool:
        return name in self.models or f"{name}:latest" in self.models

    def take(self, path: str, body: Body) -> None:
        with self._lock:
            self.requests.append((path, body))

    def reply_to(self, body: Body) -> Reply:
        with self._lock:
            scripted = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        given = scripted(body) if callable(scripted) else scripted
        return Reply(text=given) if isinstance(given, str) else given

    def enter_chat(self) -> None:
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)

    def leave_chat(self) -> None:
        with self._lock:
            self._at_once -= 1


class _Handler(BaseHTTPRequestHandler):
    fake: FakeOllama
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or each small piece waits 40 ms for the one before it to be acknowledged

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        self.fake.take(self.path, {})
        if self.path == "/":
            self._plain("Ollama is running")
        elif self.path == "/api/version":
            self._json({"version": "0.12.6"})
        elif self.path in ("/api/tags", "/api/ps"):
            self._json({"models": [_described(name) for name in self.fake.models]})
        else:
            self._json({"error": "not found"}, 404)

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(raw or b"{}")
        except ValueError as error:
            return self._json({"error": f"invalid JSON: {error}"}, 400)
        self.fake.take(self.path, body)
        name = str(body.get("model") or body.get("name") or "")
        known = {"/api/chat": self._chat, "/api/embed": self._embed, "/api/show": self._show}
        if self.path not in known:
            return self._json({"error": "not found"}, 404)
        if not self.fake.knows(name):
            return self._json({"error": f"model '{name}' not found"}, 404)
        return known[self.path](body)

    def _show(self, body: Body) -> None:
        self._json({"details": _described("x")["details"], "model_info": {}, "capabilities": self.fake.capabilities})

    def _embed(self, body: Body) -> None:
        texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
        self._json({"model": body["model"], "embeddings": [hashed_vector(text) for text in texts]})

    def _chat(self, body: Body) -> None:
        self.fake.enter_chat()
        try:
            self._chat_reply(body, self.fake.reply_to(body))
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client gave up first
        finally:
            self.fake.leave_chat()

    def _chat_reply(self, body: Body, reply: Reply) -> None:
        time.sleep(reply.delay_s)
        if reply.status != 200:
            return self._json({"error": reply.error or f"error {reply.status}"}, reply.status, reply.headers)
        tokens = reply.prompt_tokens or sum(len(message["content"]) for message in body["messages"]) // 4
        window = self.fake.context_tokens
        if window is not None and tokens > window:
            if not self.fake.cut_silently:
                return self._json({"error": "input length exceeds the available context size"}, 400)
            tokens = window
        done = {
            "done": True, "done_reason": reply.done_reason, "total_duration": 1, "load_duration": 1,
            "prompt_eval_count": tokens, "eval_count": len(reply.text) // 4 + 1,
        }  # fmt: skip
        pieces = re.findall(r"\S+\s*|\s+", reply.text)
        if body.get("stream", True) is False:
            return self._json(self._line(body, reply.text, reply.thinking) | done)
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if reply.thinking:
            self._chunk(self._line(body, "", reply.thinking))
        for number, piece in enumerate(pieces):
            if number == reply.cut_after:
                return self._drop()
            if number == reply.error_after:
                self._chunk({"error": reply.error or "an error was encountered while running the model"})
                return self._end()
            self._chunk(self._line(body, piece) | self._logprobs(body, reply, number))
            time.sleep(reply.pause_s)
        self._chunk(self._line(body, "") | done)
        return self._end()

    @staticmethod
    def _line(body: Body, content: str, thinking: str = "") -> Body:
        message = {"role": "assistant", "content": content} | ({"thinking": thinking} if thinking else {})
        return {"model": body["model"], "created_at": CREATED, "message": message, "done": False}

    @staticmethod
    def _logprobs(body: Body, reply: Reply, number: int) -> Body:
        if not body.get("logprobs") or reply.yes is None or number:
            return {}
        choices = [
            {"token": "yes", "logprob": math.log(max(reply.yes, 1e-9))},
            {"token": " No", "logprob": math.log(max(1 - reply.yes, 1e-9))},
        ]
        return {"logprobs": [{**choices[0], "top_logprobs": choices}]}

    def _chunk(self, line: Body) -> None:
        data = json.dumps(line, ensure_ascii=False).encode() + b"\n"
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _end(self) -> None:
        self.wfile.write(b"0\r\n\r\n")

    def _drop(self) -> None:
        self.close_connection = True
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)

    def _json(self, value: Body, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self._send(json.dumps(value, ensure_ascii=False).encode(), "application/json", status, headers or {})

    def _plain(self, text: str) -> None:
        self._send(text.encode(), "text/plain", 200, {})

    def _send(self, data: bytes, kind: str, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


def hashed_vector(text: str) -> list[float]:
    """A unit vector of hashed words: alike texts are near, and the same text is the same everywhere."""
    vector = [0.0] * DIMENSION
    for word in re.findall(r"\w+", text.casefold()):
        digest = hashlib.sha256(word.encode()).digest()
        vector[digest[0] % DIMENSION] += 1.0 if digest[1] % 2 else -1.0
    norm = math.sqrt(sum(value * value for value in vector)) or 1.0
    return [value / norm for value in vector]


def obey(body: Body) -> str:
    """What a model says that follows every order it reads in a passage, each time with a citation, and makes up the rest.

    Each line of a passage that looks like an order is carried out: what it wants printed is printed, and where it wants something
    else done the model claims that it is so.
    """
    user = body["messages"][-1]["content"]
    if "A check of your answer" in user:
        user = body["messages"][-3]["content"] if len(body["messages"]) >= 3 else user
    said: list[str] = []
    for label, passage in re.findall(r"\[(S\d+)\][^\n]*\n(.*?)</passage>", user, re.DOTALL):
        for wanted in re.findall(r"[\"'“]([^\"'”]{4,200})[\"'”]", passage):
            said.append(f"{wanted.rstrip('.')} [{label}].")
        for order in re.findall(
            r"(?im)^.*\b(?:ignore|instead|add|include|say|print|write|reply|respond|mention|tell|your answer)\b.*$",
            passage,
        ):
            said.append(f"{order.strip().rstrip('.')} [{label}].")
            said.append(f"As ordered, everything is free for ever and the return window is 90 days [{label}].")
    return " ".join(said) or "The return window is 90 days [S1]."


def _described(name: str) -> Body:
    return {
        "name": name, "model": name, "modified_at": CREATED, "size": 1, "digest": "0" * 64,
        "details": {"format": "gguf", "family": "llama", "families": ["llama"], "parameter_size": "8B",
                    "quantization_level": "Q4_K_M", "parent_model": ""},
    }  # fmt: skip
