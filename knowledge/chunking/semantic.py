"""Cut where the topic turns: where neighbouring sentences are further apart than most neighbours are."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from knowledge.chunking.headings import outline_of
from knowledge.chunking.lists import Unit
from knowledge.chunking.markdown import sections
from knowledge.chunking.options import SemanticOptions
from knowledge.chunking.packing import cut_stretch, pack, sentence_units
from knowledge.chunking.pieces import Piece
from knowledge.chunking.ruler import Ruler
from knowledge.documents import SourceDocument
from knowledge.errors import BadInput

Embed = Callable[[list[str]], list[list[float]]]
#: A section of fewer sentences has no inside to cut at.
_LEAST_SENTENCES = 3


def cut(document: SourceDocument, options: SemanticOptions, embed: Embed | None) -> list[Piece]:
    """Pieces that no heading and no turn of topic crosses; a piece over the limit is cut again at sentence ends.

    The percentile is taken over all neighbours of the document that stand in one section. Raises ``BadInput`` without ``embed``.
    """
    if embed is None:
        raise BadInput(
            f"The semantic chunker of {document.source} needs an embedding model: set one, or choose another chunker.",
            field="chunker",
        )
    ruler = Ruler(document.text, options.unit)
    parts = [
        (section, _sentences(ruler, section.start, section.end, options.limit))
        for section in sections(document.text, outline_of(document))
    ]
    long = [units for _, units in parts if len(units) >= _LEAST_SENTENCES]
    turns = _turns(document.text, long, options.percentile, embed)
    out: list[Piece] = []
    for section, units in parts:
        if len(units) < _LEAST_SENTENCES:
            spans = cut_stretch(ruler, section.start, section.end, section.blocks, options.limit, 0)
            out.extend(Piece(spans=span, path=section.path) for span in spans)
            continue
        group: list[Unit] = []
        for unit in units:
            if unit.start in turns:
                out.extend(Piece(spans=(span,), path=section.path) for span in pack(group, ruler, options.limit, 0))
                group = []
            group.append(unit)
        out.extend(Piece(spans=(span,), path=section.path) for span in pack(group, ruler, options.limit, 0))
    return out


def _sentences(ruler: Ruler, start: int, end: int, limit: int) -> list[Unit]:
    return list(sentence_units(ruler, start, end, limit))


def _turns(text: str, groups: list[list[Unit]], percentile: float, embed: Embed) -> set[int]:
    """Starts of the sentences that a new piece begins with."""
    units = [unit for group in groups for unit in group]
    if not units:
        return set()
    vectors = np.asarray(embed([text[unit.start : unit.end] for unit in units]), dtype=np.float64)
    if vectors.ndim != 2 or len(vectors) != len(units):
        raise BadInput(
            f"The embedding model gave {len(vectors)} vectors for {len(units)} sentences.", field="embedding"
        )
    distances: list[tuple[float, int]] = []
    at = 0
    for group in groups:
        own = vectors[at : at + len(group)]
        at += len(group)
        starts = (after.start for _, after in pairwise(group))
        distances.extend(zip(_distances(own).tolist(), starts, strict=True))
    threshold = float(np.percentile([distance for distance, _ in distances], percentile))
    return {start for distance, start in distances if distance > threshold}


def _distances(vectors: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Cosine distance of each row to the next; a zero vector is as far as can be from everything."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    distances: npt.NDArray[np.float64] = 1.0 - np.einsum("ij,ij->i", unit[:-1], unit[1:])
    return distances
