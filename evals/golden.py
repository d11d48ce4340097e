"""Golden sets: questions with what they need, read from our JSONL or from a BEIR folder.

A golden line: ``{"id", "question", "needed": [chunk or document ids], "category", "answerable", "kind", "facts": [texts],
"history": [{"role", "content"}]}``; only ``question`` must be there. A BEIR folder (Thakur et al. 2021) holds ``corpus.jsonl``,
``queries.jsonl`` and ``qrels.tsv``; its queries may carry ``kind`` and ``answerable`` too.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from knowledge.errors import BadInput

GOLDEN_FOLDER = Path(__file__).parent / "golden"
SHELF_FOLDER = Path(__file__).parent.parent / "knowledge"
CORPUS, QUERIES, QRELS = "corpus.jsonl", "queries.jsonl", "qrels.tsv"

Judges = Literal["chunks", "documents"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One question and what a right run of it holds.

    Attributes:
        needed: chunk or document id -> grade, 1 or more. Empty: no positive judgement, so no ranking metric counts it.
        answerable: ``None`` where the set does not say.
        facts: texts that a right answer holds.
        history: earlier messages of the conversation, ``{"role", "content"}``, oldest first.
    """

    id: str
    question: str
    needed: Mapping[str, int] = field(default_factory=dict)
    category: str | None = None
    answerable: bool | None = None
    kind: str | None = None
    facts: tuple[str, ...] = ()
    history: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenSet:
    """A set's items. ``documents``: the folder they ask about (a shelf, or a BEIR folder); ``None``: the live index."""

    name: str
    items: tuple[Item, ...]
    judges: Judges
    path: Path
    documents: Path | None = None

    def limited(self, limit: int | None) -> GoldenSet:
        """The first ``limit`` questions, or all."""
        return self if limit is None else replace(self, items=self.items[:limit])


def read_golden_set(source: str | Path) -> GoldenSet:
    """The set at a path: a JSONL file, a BEIR folder, or the name of a set that comes with the package (``kartly``).

    Raises ``BadInput`` that names the file and line.
    """
    path = Path(source)
    bundled = GOLDEN_FOLDER / f"{source}.jsonl"
    if not path.exists() and bundled.is_file():
        path = bundled
    if path.is_dir():
        return _read_beir(path)
    if path.is_file():
        return _read_jsonl(path)
    names = ", ".join(sorted(file.stem for file in GOLDEN_FOLDER.glob("*.jsonl")))
    raise BadInput(f"No golden set at {source}: give a JSONL file, a BEIR folder, or one of {names}.", field="golden")


def is_beir(folder: Path) -> bool:
    """Whether the folder is laid out as BEIR."""
    return all((folder / name).is_file() for name in (CORPUS, QUERIES)) and _qrels_of(folder) is not None


def _qrels_of(folder: Path) -> Path | None:
    """The judgements: ``qrels.tsv``, or ``qrels/test.tsv`` as BEIR's own archives have it."""
    return next((path for path in (folder / QRELS, folder / "qrels" / "test.tsv") if path.is_file()), None)


def records(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSONL file, blank lines passed over. Raises ``BadInput`` with the line's number."""
    with path.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except json.JSONDecodeError as error:
                raise BadInput(f"{path}, line {number}: not JSON ({error.msg}).") from None
            if not isinstance(record, dict):
                raise BadInput(f"{path}, line {number}: an object in braces is wanted.")
            yield record


def _read_jsonl(path: Path) -> GoldenSet:
    items: list[Item] = []
    for number, record in enumerate(records(path), start=1):
        where = f"{path}, question {number}"
        question = record.get("question")
        if not isinstance(question, str) or not question.strip():
            raise BadInput(f"{where}: 'question' is missing or empty.")
        items.append(
            Item(
                id=str(record.get("id") or number),
                question=question,
                needed=dict.fromkeys(_texts(record, "needed", where), 1),
                category=record.get("category") or None,
                answerable=_flag(record, where),
                kind=record.get("kind") or None,
                facts=_texts(record, "facts", where),
                history=_history(record, where),
            )
        )
    _check_items(items, path)
    shelf = SHELF_FOLDER / path.stem
    ours = path.resolve().parent == GOLDEN_FOLDER.resolve() and (shelf / "manifest.json").is_file()
    return GoldenSet(name=path.stem, items=tuple(items), judges="chunks", path=path, documents=shelf if ours else None)


def _read_beir(folder: Path) -> GoldenSet:
    qrels = _qrels_of(folder)
    missing = [name for name in (CORPUS, QUERIES) if not (folder / name).is_file()] + [QRELS] * (qrels is None)
    if missing or qrels is None:
        raise BadInput(
            f"{folder} is not a BEIR folder: {missing[0]} is missing (it holds {CORPUS}, {QUERIES}, {QRELS})."
        )
    judged = _read_qrels(qrels)
    items: list[Item] = []
    for record in records(folder / QUERIES):
        if "_id" not in record or not str(record.get("text", "")).strip():
            raise BadInput(f"{folder / QUERIES}: every query needs '_id' and 'text'.")
        name = str(record["_id"])
        items.append(
            Item(
                id=name,
                question=str(record["text"]),
                needed=judged.get(name, {}),
                answerable=_flag(record, f"{folder / QUERIES}, query {name}"),
                kind=record.get("kind") or None,
            )
        )
    _check_items(items, folder / QUERIES)
    name = folder.resolve().name
    return GoldenSet(name=name, items=tuple(items), judges="documents", path=folder, documents=folder)


def _read_qrels(path: Path) -> dict[str, dict[str, int]]:
    judged: dict[str, dict[str, int]] = {}
    with path.open(encoding="utf-8-sig", newline="") as lines:
        for number, row in enumerate(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE), start=1):
            if not row or (number == 1 and row[-1].strip().lower() == "score"):
                continue
            if len(row) != 3 or not row[2].strip().lstrip("-").isdigit():
                raise BadInput(f"{path}, line {number}: wanted query id, corpus id and a whole score, split by tabs.")
            if int(row[2]) > 0:
                judged.setdefault(row[0], {})[row[1]] = int(row[2])
    return judged


def _check_items(items: Sequence[Item], path: Path) -> None:
    if not items:
        raise BadInput(f"{path} holds no questions.")
    seen: set[str] = set()
    for item in items:
        if item.id in seen:
            raise BadInput(f"{path}: the id {item.id!r} stands twice; ids must differ.")
        seen.add(item.id)


def _texts(record: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
    values = record.get(key) or []
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise BadInput(f"{where}: {key!r} must be a list of texts.")
    return tuple(values)


def _flag(record: Mapping[str, Any], where: str) -> bool | None:
    value = record.get("answerable")
    if value is not None and not isinstance(value, bool):
        raise BadInput(f"{where}: 'answerable' must be true or false.")
    return value


def _history(record: Mapping[str, Any], where: str) -> tuple[Mapping[str, str], ...]:
    turns = record.get("history") or []
    for turn in turns:
        if not isinstance(turn, dict) or not {"role", "content"} <= set(turn):
            raise BadInput(f"{where}: each message of 'history' needs 'role' and 'content'.")
    return tuple({"role": str(turn["role"]), "content": str(turn["content"])} for turn in turns)
