"""haiku.rag: hybrid search over LanceDB. It speaks to embedding models by a server alone, so it gets one of its own."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

LIMIT = 20
BATCH = 500
#: Loaded before anything is timed.
MODULES = (
    "haiku.rag.client.documents",
    "haiku.rag.store.models.chunk",
    "docling_core.types.doc.document",
)


class System:
    """A LanceDB database in a folder; beside it the server that holds the model."""

    on_disk = True

    def __init__(self, options: Mapping[str, Any]) -> None:
        script = Path(__file__).with_name("embedding_server.py")
        command = [options["server_python"], "-P", str(script), options["model"], options.get("vectors") or ""]
        self.server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.server.stdout is not None
        port = self.server.stdout.readline().strip()
        if not port:
            raise RuntimeError("the embedding server did not start")
        models = import_module("haiku.rag.config")
        self.config = models.AppConfig.model_validate(
            {
                "embeddings": {
                    "model": {
                        "provider": "openai",
                        "name": "minilm",
                        "vector_dim": 384,
                        "base_url": f"http://127.0.0.1:{port}/v1",
                        "api_key": "none",
                    }
                }
            }
        )
        self.loop = asyncio.new_event_loop()
        self.client_module = import_module("haiku.rag.client")
        self.embedder = import_module("haiku.rag.embeddings").get_embedder(self.config)

    def ingest(self, records: Sequence[Mapping[str, str]], place: Path) -> None:
        """Documents of one chunk each, imported in batches."""
        self._open(place, create=True)
        self.loop.run_until_complete(self._import(records))

    def open(self, place: Path) -> None:
        """The database that an ingest left."""
        self._open(place, create=False)

    def close(self) -> None:
        """Let the database go."""
        self.loop.run_until_complete(self.client.__aexit__(None, None, None))

    def stop(self) -> None:
        """End the server."""
        self.server.terminate()
        self.server.wait()

    def companion(self) -> int:
        """The server's process id: its memory is needed as well."""
        return self.server.pid

    def retrieve(self, question: str) -> list[str]:
        """The fused ids, best first."""
        found = self.loop.run_until_complete(self.client.search(question, limit=LIMIT))
        return [str(result.document_uri) for result in found]

    def embed(self, question: str) -> Any:
        """The question's vector alone, as the client gets it."""
        return self.loop.run_until_complete(self.embedder.embed_query(question))

    def _open(self, place: Path, *, create: bool) -> None:
        client = self.client_module.HaikuRAG(place / "peers.lancedb", config=self.config, create=create)
        self.client = self.loop.run_until_complete(client.__aenter__())

    async def _import(self, records: Sequence[Mapping[str, str]]) -> None:
        chunk = import_module("haiku.rag.store.models.chunk").Chunk
        item = import_module("haiku.rag.client.documents").DocumentImport
        core = import_module("docling_core.types.doc.document")
        label = import_module("docling_core.types.doc").DocItemLabel.TEXT
        for start in range(0, len(records), BATCH):
            batch = []
            for record in records[start : start + BATCH]:
                text = f"{record['title']}\n{record['text']}"
                document = core.DoclingDocument(name=record["id"])
                document.add_text(label=label, text=text)
                batch.append(
                    item(
                        docling_document=document, chunks=[chunk(content=text)], uri=record["id"], title=record["title"]
                    )
                )
            await self.client.import_documents(batch)
