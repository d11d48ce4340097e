"""Made-up papers of the Kartly shelf's sentences: files to ingest, or chunks in an index without encoding each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from langchain_core.documents import Document

from knowledge.bm25 import Bm25
from knowledge.documents import DEFAULT_TENANT
from knowledge.embedding import EmbeddingModel
from knowledge.index.port import ChunkPoint, IndexStore, Sparse
from knowledge.ingest import ingest
from knowledge.ingest_write import derive

KARTLY = Path(__file__).resolve().parent.parent / "knowledge" / "kartly"
_CATEGORIES = ("general", "electronics", "clothing")
_BATCH = 1_000


def sentences() -> list[str]:
    """The shelf's sentences of 6 to 39 words."""
    lines = (
        line.strip() + "."
        for path in sorted(KARTLY.glob("*.md"))
        for line in path.read_text("utf-8").replace("\n", " ").split(". ")
    )
    return [line for line in lines if 5 < len(line.split()) < 40 and "#" not in line]


def write_papers(folder: Path, number: int, sections: int) -> None:
    """Files of that many sections, each a chunk of 40 to 118 words, until there are ``number`` chunks; always the same ones."""
    folder.mkdir()
    known = sentences()
    dice = np.random.default_rng(3)
    for paper in range(-(-number // sections)):
        parts = [f"# Paper {paper}"]
        for section in range(min(sections, number - paper * sections)):
            body = ""
            for at in dice.permutation(len(known)):
                if len((body + known[at]).split()) > int(dice.integers(40, 118)):
                    break
                body += f"{known[at]} "
            parts.append(f"## Section {section + 1}\n\n{body or known[0]}" if sections > 1 else body or known[0])
        (folder / f"paper-{paper:05}.md").write_text("\n\n".join(parts) + "\n", "utf-8")


def index_papers(store: IndexStore, embedding: EmbeddingModel, number: int) -> None:
    """The Kartly shelf, and that many chunks of its sentences beside it, three to seven in each.

    A chunk's vector is the mean of its sentences' with a little noise, near enough for a search that is only timed.
    """
    ingest([KARTLY], store=store, embedding=embedding)
    if not number:
        return
    known = sentences()
    vectors = np.asarray(embedding.embed_documents(known), dtype=np.float32)
    dice = np.random.default_rng(3)
    spec = next(info.spec for info in store.versions() if info.live)
    bm25 = Bm25(average_length=spec.average_length, language="en")
    with store.lock():
        writer = store.writer(spec, base=store.live())
        for start in range(0, number, _BATCH):
            points = []
            for n in range(start, min(number, start + _BATCH)):
                taken = dice.permutation(len(known))[: int(dice.integers(3, 8))]
                row = vectors[taken].mean(axis=0) + 0.02 * dice.standard_normal(vectors.shape[1])
                piece = _chunk(n, " ".join(known[at] for at in taken), spec.version)
                (weights,) = bm25.embed_documents([piece.page_content])
                sparse = Sparse(tuple(weights.indices), tuple(weights.values))
                points.append(ChunkPoint(piece, (row / np.linalg.norm(row)).tolist(), sparse))
            writer.upsert(points)
        writer.commit()


def _chunk(number: int, body: str, version: str) -> Document:
    paper, place = divmod(number, 8)
    heading = f"Paper {paper} > Section {place + 1}"
    piece = Document(
        id=f"paper-{paper}#{place + 1}",
        page_content=f"{heading}\n{body}",
        metadata={
            "chunk_id": f"paper-{paper}#{place + 1}",
            "document_id": f"paper-{paper}",
            "title": f"Paper {paper}",
            "heading_path": heading,
            "section": f"Section {place + 1}",
            "source": f"paper-{paper}.md",
            "category": _CATEGORIES[number % 3],
            "tenant": DEFAULT_TENANT,
            "language": "en",
            "status": "active",
            "position": place + 1,
            "text_hash": str(number),
            "index_version": version,
        },
    )
    piece.metadata |= derive(piece)
    return piece
