"""What the process tests run in other processes: an ingest that is killed or that switches, and readers that ask without pause.

``python -m tests.knowledge.index.workers ingest DATA FOLDER`` and ``… read DATA SECONDS``. Prints one JSON line at the end.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from knowledge.embedding import EmbeddingModel
from knowledge.index.edge_store import EdgeStore
from knowledge.index.port import ListRequest
from knowledge.ingest import ingest
from knowledge.model_traits import Traits
from knowledge.scope import Scope
from tests.knowledge.index.engines import DIMENSION, embed, sparse

SCOPE = Scope(tenant="default")


class SlowEncoder:
    """Takes its time, so that there are many moments to die in."""

    dimension = DIMENSION

    def encode(self, texts: list[str], *, query: bool) -> npt.NDArray[np.float32]:
        time.sleep(0.01)
        return np.asarray([embed(text) for text in texts], dtype=np.float32)

    def count_tokens(self, text: str) -> int:
        return len(text.split())


def model() -> EmbeddingModel:
    return EmbeddingModel("words", SlowEncoder, Traits(), dimension=DIMENSION, batch=4)


def write_shelf(folder: Path, generation: int, documents: int = 12) -> None:
    """Documents that all say which generation they are of; a third of them change with it."""
    folder.mkdir(exist_ok=True)
    for n in range(documents):
        said = generation if n % 3 == 0 else 0
        sections = "\n\n".join(f"## Part {part}\n\nRule {part} of paper {n}, edition {said}." for part in range(4))
        (folder / f"paper{n:02}.md").write_text(f"# Paper {n}\n\n{sections}\n")


def run_ingest(data: Path, folder: Path) -> dict[str, Any]:
    report = ingest([folder], store=EdgeStore(data), embedding=model())
    return {"index": report.index, "embedded": report.embedded, "failed": len(report.failed)}


async def read(data: Path, seconds: float) -> dict[str, Any]:
    """Ask until the time is up. A question's answers must all come from one version, and never be empty."""
    store = EdgeStore(data)
    asked = 0
    seen: set[str] = set()
    faults: list[str] = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        index = await store.current()
        result = await index.search(
            [ListRequest(limit=60, dense=embed("rule")), ListRequest(limit=60, sparse=sparse("rule paper edition"))],
            SCOPE,
        )

        texts = {found.id: found.document.page_content for row in result.lists for found in row}
        editions = {texts[at].rsplit("edition ", 1)[1] for at in texts if int(at[5:7]) % 3 == 0}
        fetched = await index.fetch(list(texts), SCOPE)
        if len(result.lists[0]) != 48 or len(result.lists[1]) != 48 or len(fetched) != 48:
            faults.append(f"{index.name}: {len(result.lists[0])}, {len(result.lists[1])}, {len(fetched)} found")
        if len(editions) != 1:
            faults.append(f"{index.name}: mixed editions {sorted(editions)}")
        if any(document.page_content != texts[str(document.id)] for document in fetched):
            faults.append(f"{index.name}: a fetched text differs")
        asked += 1
        seen.add(index.name)
    return {"asked": asked, "versions": sorted(seen), "faults": faults[:5]}


def main(arguments: list[str]) -> dict[str, Any]:
    what, data, last = arguments
    if what == "ingest":
        return run_ingest(Path(data), Path(last))
    return asyncio.run(read(Path(data), float(last)))


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1:])) + "\n")
