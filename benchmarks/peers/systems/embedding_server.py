"""A small server of OpenAI's embeddings endpoint over the given model folder, for clients that know no local model.

Prints its port and serves until it is ended. Run by the floor's interpreter: ``embedding_server.py MODEL [VECTORS]``.
"""

from __future__ import annotations

import base64
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any


def handler(model: Any) -> type[BaseHTTPRequestHandler]:
    """A request handler bound to the model."""

    class Embeddings(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            """Vectors of one text or several, as numbers or as base64 of float32."""
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
            rows = model.encode(texts, batch_size=32, normalize_embeddings=True, show_progress_bar=False)
            packed = asked.get("encoding_format") == "base64"
            data = [
                {
                    "object": "embedding",
                    "index": n,
                    "embedding": base64.b64encode(row.astype("<f4").tobytes()).decode() if packed else row.tolist(),
                }
                for n, row in enumerate(rows)
            ]
            usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
            body = json.dumps({"object": "list", "model": asked["model"], "data": data, "usage": usage}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing: a line a request would be timed as well."""

    return Embeddings


def main() -> None:
    """Load the model, print the port, serve."""
    private = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print must not be read as the port
    if len(sys.argv) > 2 and sys.argv[2]:
        sys.path.insert(0, str(Path(__file__).parent.parent))
        import_module("lending").lend(Path(sys.argv[2]))
    model = import_module("sentence_transformers").SentenceTransformer(sys.argv[1], device="cpu")
    model.encode(["warm up"])
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(model))
    private.write(f"{server.server_address[1]}\n")
    private.close()
    server.serve_forever()


if __name__ == "__main__":
    main()
