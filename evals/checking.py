"""Checking answers or claims from a file against their sources, without the graph: what ``policydesk check`` runs.

A row holds ``answer`` or ``claim``, and ``passages`` (texts, or objects with ``text`` and perhaps ``label``, ``title``) or
``source``.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel
from typing_extensions import TypedDict

from knowledge.errors import BadInput
from nodes.asking import DEFAULT_LIMITS, Limits
from nodes.checking import Checked, check_answer
from nodes.citing import labels_in
from nodes.judging import judged
from nodes.state import Passage
from nodes.support import EmbedSentences, Weights, word_weights


class RowVerdict(TypedDict):
    """One line of ``check --json``. ``score`` from 0 to 1 is that of the weakest sentence."""

    id: str
    supported: bool
    score: float
    problem: str | None


def read_rows(file: Path) -> list[dict[str, Any]]:
    """The rows of a JSONL file, each with an ``id`` (its line number where it has none).

    Raises ``BadInput`` that names the line when it is no JSON object or lacks the answer or its source.
    """
    rows = []
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{file} can't be read: {error}.", field="file") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            raise BadInput(f"{file}, line {number} is no JSON: write one object a line.", field="file") from None
        problem = _problem_of(row)
        if problem:
            raise BadInput(f"{file}, line {number}: {problem}", field="file")
        rows.append({**row, "id": str(row.get("id", number))})
    return rows


async def check_rows(
    rows: Sequence[Mapping[str, Any]],
    *,
    embed: EmbedSentences,
    judge: BaseChatModel | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> AsyncIterator[RowVerdict]:
    """A verdict for each row, in order. Words are weighed by their rarity over the sources of all rows."""
    weights = word_weights(dict.fromkeys(passage["text"] for row in rows for passage in passages_of(row)))
    for row in rows:
        yield await check_row(row, embed=embed, judge=judge, weights=weights, limits=limits)


async def check_row(
    row: Mapping[str, Any],
    *,
    embed: EmbedSentences,
    judge: BaseChatModel | None = None,
    weights: Weights | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> RowVerdict:
    """The verdict on one row. Labels are needed only where the answer uses any."""
    text, passages = str(row.get("answer") or row.get("claim") or ""), passages_of(row)
    labels_needed = bool(labels_in(text))
    checked = await check_answer(
        text, passages, embed=embed, question=str(row.get("question", "")), labels_needed=labels_needed, weights=weights
    )
    if judge is not None:
        checked, _, _ = await judged(checked, passages, judge, limits=limits, measuring=True)
    return _row_verdict(str(row.get("id", "")), checked)


def passages_of(row: Mapping[str, Any]) -> list[Passage]:
    """The row's sources as labelled passages."""
    given = row.get("passages", row.get("source"))
    items = given if isinstance(given, list) else [given]
    return [_as_passage(item, number) for number, item in enumerate(items, start=1)]


def _as_passage(item: Any, number: int) -> Passage:
    values = item if isinstance(item, Mapping) else {"text": str(item)}
    return Passage(
        label=_as_label(str(values.get("label") or number)),
        id=str(values.get("id") or number),
        title=str(values.get("title") or ""),
        source=str(values.get("source") or ""),
        page=None,
        section=str(values.get("section") or ""),
        category="",
        text=str(values.get("text") or ""),
        truncated=False,
    )


def _as_label(given: str) -> str:
    """A label as answers are read: ``1``, ``s1`` and ``[S1]`` are ``S1``."""
    bare = given.strip("[]() ")
    return f"S{bare.lstrip('Ss')}" if bare.lstrip("Ss").isdecimal() else given


def _row_verdict(row_id: str, checked: Sequence[Checked]) -> RowVerdict:
    if not checked:
        return RowVerdict(id=row_id, supported=False, score=0.0, problem="The answer states nothing.")
    failed = next((item for item in checked if not item.supported), None)
    problem = f'"{failed.said.text}" {failed.problem}.' if failed else None
    return RowVerdict(id=row_id, supported=failed is None, score=min(item.score for item in checked), problem=problem)


def _problem_of(row: Any) -> str | None:
    if not isinstance(row, dict):
        return "write an object with 'answer' or 'claim', and 'passages' or 'source'."
    if not isinstance(row.get("answer", row.get("claim")), str):
        return "'answer' or 'claim' is missing, or no text."
    source = row.get("passages", row.get("source"))
    items = source if isinstance(source, list) else [source]
    texts = [item.get("text") if isinstance(item, dict) else item for item in items]
    if not texts or not all(isinstance(text, str) for text in texts):
        return "'passages' or 'source' is missing, or holds something else than texts."
    return None
