"""Reading lists, scores and single lines out of what a model wrote, however it wrapped them.

Small models fence their JSON, talk around it, quote it as a string, or number lines instead. Nothing here raises: what can't be
read is not there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from nodes.asking import without_thinking

MAX_ITEMS = 20
MAX_ITEM_CHARACTERS = 500

_FENCE = re.compile(r"```[\w-]*\n?|```")
_BULLET = re.compile(r"^\s*(?:[-*•–]|\(?\d{1,2}[.):]|[a-z][.)])\s+(.*\S)\s*$", re.IGNORECASE)
_QUOTES = "\"'“”„«»`*_ \t"
_PREFIX = re.compile(
    r"^\s*(?:(?:stand-?alone|rewritten|new|final)\s+)?(?:question|query|rewrite|въпрос)\s*:\s*", re.IGNORECASE
)
_SCORE_LINE = re.compile(
    r"(?:passage|document|id|score|[sp])?[\s#\[(]*(\d{1,3})[\])]*\s*[:=\-–—]+>?\s*(-?\d+(?:\.\d+)?)", re.I
)
_LIST_KEYS = ("queries", "questions", "sub_questions", "paraphrases", "items", "list")
_TEXT_KEYS = ("query", "question", "text", "sub_question", "paraphrase", "value")


def read_list(text: str) -> list[str]:
    """The strings of a list: JSON in any wrapping, else bulleted or numbered lines, else each line. At most 20."""
    text = without_thinking(text)
    for value in _json_values(text):
        items = _strings(value)
        if items:
            return _cleaned(items)
    lines = [line for line in _FENCE.sub("", text).splitlines() if line.strip()]
    bulleted = [match[1] for line in lines if (match := _BULLET.match(line))]
    return _cleaned(bulleted or [line for line in lines if not line.rstrip().endswith(":")])


def read_line(text: str) -> str:
    """One line of text, as for a rewritten question: without fences, quotes, a leading ``Question:`` or JSON around it."""
    text = _FENCE.sub("", without_thinking(text))
    for value in _json_values(text):
        items = _strings(value)
        if items:
            return " ".join(items[0].split())
    for line in text.splitlines():
        line = _PREFIX.sub("", line).strip(_QUOTES)
        if line and not line.endswith(":"):
            return " ".join(line.split())
    return ""


def read_scores(text: str, count: int) -> list[float]:
    """Scores of passages 1 to ``count``: each from 0 to 10, clamped, 0 where missing; numbers of no passage are ignored."""
    text = without_thinking(text)
    scores = [0.0] * count
    pairs: list[tuple[Any, Any]] = []
    for value in _json_values(text):
        pairs = list(_score_pairs(value, count))
        if pairs:
            break
    else:
        pairs = [(match[1], match[2]) for match in _SCORE_LINE.finditer(text)]
    for key, given in pairs:
        at, score = _as_number(key), _as_number(given)
        if at is not None and score is not None and at == int(at) and 1 <= at <= count:
            scores[int(at) - 1] = min(10.0, max(0.0, score))
    return scores


def read_rating(text: str) -> int | None:
    """The first whole number from 1 to 5 in the text, or ``None``."""
    match = re.search(r"(?<![\d.])([1-5])(?![\d]|\.\d)", without_thinking(text))
    return int(match[1]) if match else None


def _json_values(text: str) -> Iterator[Any]:
    """Every JSON list or object in the text, from the left; a JSON string is read once more."""
    decoder = json.JSONDecoder(strict=False)
    at = 0
    while match := re.compile(r'[\[{"]').search(text, at):
        try:
            value, end = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            at = match.end()
            continue
        at = end
        if isinstance(value, str):
            if value.lstrip()[:1] in ("[", "{"):
                yield from _json_values(value)
        else:
            yield value


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        for key in (*_LIST_KEYS, *_TEXT_KEYS):
            if key in value:
                return _strings(value[key])
        return [text for item in value.values() for text in _strings(item)]
    if isinstance(value, list):
        return [text for item in value for text in _strings(item)]
    return []


def _score_pairs(value: Any, count: int) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, dict):
        if isinstance(value.get("scores"), dict | list):
            yield from _score_pairs(value["scores"], count)
            return
        key = next((value[name] for name in ("id", "passage", "number", "index", "label") if name in value), None)
        if key is not None and "score" in value:
            yield key, value["score"]
            return
        for name, item in value.items():
            if not isinstance(item, dict | list):
                yield name, item
            elif isinstance(item, dict) and "score" in item:
                yield name, item["score"]
    elif isinstance(value, list):
        if len(value) == count and all(_as_number(item) is not None for item in value):
            yield from enumerate(value, start=1)
            return
        for item in value:
            if isinstance(item, dict):
                yield from _score_pairs(item, count)
            elif isinstance(item, list) and len(item) == 2:
                yield item[0], item[1]


def _as_number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if abs(value) < 1e9 else None
    match = re.search(r"-?\d{1,6}(?:\.\d+)?", value) if isinstance(value, str) else None
    return float(match[0]) if match else None


def _cleaned(items: list[str]) -> list[str]:
    out = [" ".join(item.split()).strip(_QUOTES)[:MAX_ITEM_CHARACTERS] for item in items]
    return [item for item in dict.fromkeys(out) if any(map(str.isalnum, item))][:MAX_ITEMS]
