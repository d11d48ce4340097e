"""Per-question options, bounded and defaulted in one place.

``langgraph dev`` builds a ``Context`` from the run's JSON, LangServe passes none, plain ``ainvoke`` gives ``None``: ``resolve``
turns each into a checked value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Any, get_args

from knowledge.errors import BadQuestion, Forbidden
from knowledge.scope import GENERAL_CATEGORY, Scope
from nodes.expansions import Expansion

MAX_QUESTION_CHARACTERS = 2000

_HALF = re.compile("[\ud800-\udfff]")
#: Whole numbers that an engine can hold.
_LEAST, _MOST = -(2**63), 2**63 - 1


@dataclass(kw_only=True)
class Context:
    """Options of one question. ``None`` takes the process's setting. An option that it does not have is a ``BadQuestion``."""

    tenant: str | None = field(default=None, metadata={"description": "Whose documents are searched."})
    category: str | None = field(default=None, metadata={"description": "Only this category, and general."})
    allowed_categories: list[str] = field(
        default_factory=list,
        metadata={"description": "Set by the doors: the categories that the caller's key may see, and general."},
    )
    document_ids: list[str] = field(default_factory=list, metadata={"description": "Only these documents."})
    languages: list[str] = field(default_factory=list, metadata={"description": "Only these languages (ISO 639-1)."})
    include_repealed: bool = field(default=False, metadata={"description": "Also documents marked repealed."})
    updated_since: str | None = field(
        default=None, metadata={"description": "Only documents updated since YYYY-MM-DD."}
    )
    fields: dict[str, Any] = field(
        default_factory=dict, metadata={"description": "Further manifest fields: a value, or a list of values."}
    )
    top_k: int | None = field(default=None, metadata={"description": "Passages for the answer, 1 to 8."})
    candidate_k: int | None = field(default=None, metadata={"description": "Length of each list, 1 to 100."})
    rerank_k: int | None = field(default=None, metadata={"description": "Candidates reranked, 1 to 100."})
    token_budget: int | None = field(default=None, metadata={"description": "Tokens of all passages, 50 to 100000."})
    expansion: str | None = field(
        default=None, metadata={"description": "none, auto, or any of multi_query, decompose, hyde joined by commas."}
    )
    reranker: str | None = field(
        default=None, metadata={"description": "auto, evidence, none, llm or cross-encoder:NAME_OR_PATH."}
    )
    threshold: float | None = field(default=None, metadata={"description": "Least evidence to answer on, 0 to 1."})

    def __new__(cls, *_: Any, **given: Any) -> Context:
        """LangGraph calls this with whatever a caller wrote, before any code of ours can look at it."""
        unknown = sorted(set(given) - set(cls.__dataclass_fields__))
        if unknown:
            known = ", ".join(sorted(cls.__dataclass_fields__))
            raise BadQuestion(f"Unknown option {unknown[0]!r}; known: {known}.", field=unknown[0])
        return super().__new__(cls)


@dataclass(frozen=True, kw_only=True)
class Defaults:
    """What stands in where a question says nothing. Built once from the settings.

    ``tenant`` is ``None`` where callers must name theirs: then a question without one is ``Forbidden``.
    """

    tenant: str | None = None
    include_shared: bool = False
    top_k: int = 5
    candidate_k: int = 20
    rerank_k: int = 20
    token_budget: int = 6000
    expansion: str = "none"
    reranker: str = "auto"
    threshold: float | None = None
    max_question_characters: int = MAX_QUESTION_CHARACTERS


@dataclass(frozen=True, kw_only=True)
class Options:
    """A question's options after defaults and checks."""

    scope: Scope
    top_k: int
    candidate_k: int
    rerank_k: int
    token_budget: int
    expansion: tuple[str, ...]
    reranker: str
    threshold: float | None


_BOUNDS = {"top_k": (1, 8), "candidate_k": (1, 100), "rerank_k": (1, 100), "token_budget": (50, 100_000)}


def resolve(context: Context | Mapping[str, Any] | None, defaults: Defaults) -> Options:
    """Check the options and fill them in. Raises ``BadQuestion`` naming the field, or ``Forbidden`` without a tenant."""
    return _of_defaults(defaults) if context is None else _resolved(_as_context(context), defaults)


@lru_cache(maxsize=16)
def _of_defaults(defaults: Defaults) -> Options:
    return _resolved(Context(), defaults)


def _resolved(given: Context, defaults: Defaults) -> Options:
    _check_types(given)
    tenant = given.tenant or defaults.tenant
    if not tenant:
        raise Forbidden("No tenant: say whose documents to search.", field="tenant")
    allowed = tuple(given.allowed_categories)
    if given.category and allowed and given.category not in (*allowed, GENERAL_CATEGORY):
        raise Forbidden(f"Your key may not search the category {given.category!r}.", field="category")
    numbers = {name: _bounded(name, getattr(given, name), getattr(defaults, name)) for name in _BOUNDS}
    threshold = defaults.threshold if given.threshold is None else given.threshold
    if threshold is not None and not 0 <= threshold <= 1:
        raise BadQuestion(f"threshold must be from 0 to 1, not {threshold}.", field="threshold")
    return Options(
        scope=Scope(
            tenant=tenant,
            include_shared=defaults.include_shared,
            categories=(given.category,) if given.category else (),
            allowed_categories=allowed,
            document_ids=tuple(given.document_ids or ()),
            languages=tuple(given.languages or ()),
            include_repealed=bool(given.include_repealed),
            updated_since=_as_date(given.updated_since),
            fields={key: _as_values(key, value) for key, value in (given.fields or {}).items()},
        ),
        expansion=_as_expansion(given.expansion or defaults.expansion),
        reranker=_as_reranker(given.reranker or defaults.reranker),
        threshold=threshold,
        **numbers,
    )


def check_question(question: object, *, limit: int = MAX_QUESTION_CHARACTERS) -> str:
    """The question without surrounding blanks. Raises ``BadQuestion`` when it is no text, empty or over ``limit`` characters."""
    if not isinstance(question, str):
        raise BadQuestion(f"The question must be a text, not {_kind(question)}.", field="question")
    if not _is_text(question):
        raise BadQuestion("The question holds half a character (a lone surrogate): send whole UTF-8.", field="question")
    text = question.strip()
    if not text or not any(character.isalnum() for character in text):
        raise BadQuestion("The question is empty: ask something.", field="question")
    if len(text) > limit:
        raise BadQuestion(
            f"The question has {len(text):,} characters; the limit is {limit:,}. Shorten it.",
            field="question",
        )
    return text


def _as_context(context: Context | Mapping[str, Any]) -> Context:
    if isinstance(context, Context):
        return context
    if not isinstance(context, Mapping):
        raise BadQuestion(f"The options must be an object, not {_kind(context)}.", field="context")
    return Context(**context)


def _check_types(given: Context) -> None:
    """Callers write the options in JSON, and nothing before this has looked at their types."""
    for name in ("tenant", "category", "updated_since", "expansion", "reranker"):
        value = getattr(given, name)
        if value is not None and not _is_text(value):
            raise BadQuestion(f"{name} must be a text, not {_kind(value)}.", field=name)
    for name in ("allowed_categories", "document_ids", "languages"):
        value = getattr(given, name)
        # What limits a key is never left out: nothing there would mean that all may be seen.
        if value is None and name != "allowed_categories":
            continue
        if not isinstance(value, (list, tuple)) or not all(map(_is_text, value)):
            raise BadQuestion(f"{name} must be a list of texts, not {_kind(value)}.", field=name)
    if not isinstance(given.include_repealed, (bool, type(None))):
        raise BadQuestion(
            f"include_repealed must be true or false, not {_kind(given.include_repealed)}.", field="include_repealed"
        )
    if not isinstance(given.threshold, (int, float, type(None))) or isinstance(given.threshold, bool):
        raise BadQuestion(f"threshold must be a number from 0 to 1, not {_kind(given.threshold)}.", field="threshold")
    if not isinstance(given.fields, (Mapping, type(None))) or not all(map(_is_text, given.fields or ())):
        raise BadQuestion('fields must be an object such as {"price_tier": "gold"}.', field="fields")


def _is_text(value: object) -> bool:
    """A string of whole characters: half of a surrogate pair can't be stored, sent or searched for."""
    return isinstance(value, str) and not _HALF.search(value)


def _kind(value: object) -> str:
    """What a wrong value is, in the words of JSON and without its content."""
    if isinstance(value, str):
        return "a text" if _is_text(value) else "a text with half a character"
    if isinstance(value, (list, tuple)):
        return "a list" if all(map(_is_text, value)) else "a list of other things"
    names: dict[type, str] = {type(None): "nothing", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(value), "an object")


def _bounded(name: str, given: int | None, default: int) -> int:
    low, high = _BOUNDS[name]
    value = default if given is None else given
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        shown = str(value) if type(value) is int and abs(value) < 10**9 else _kind(value)
        raise BadQuestion(f"{name} must be a whole number from {low} to {high}, not {shown}.", field=name)
    return value


def _as_date(text: str | None) -> date | None:
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except (TypeError, ValueError):
        raise BadQuestion(
            f"updated_since must be a date like 2026-01-31, not {text!r}.", field="updated_since"
        ) from None


def _as_values(key: str, value: object) -> tuple[str | int | bool, ...]:
    values = tuple(value) if isinstance(value, (list, tuple)) else (value,)
    if not values or not all(_is_value(item) for item in values):
        raise BadQuestion(f"Filter {key!r} takes a text, a whole number, true or false, or a list of them.", field=key)
    return values


def _is_value(item: object) -> bool:
    return _is_text(item) or (isinstance(item, int) and _LEAST <= item <= _MOST)


def _as_expansion(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    known = get_args(Expansion)
    for name in names:
        if name not in known:
            raise BadQuestion(f"Unknown expansion {name!r}; known: {', '.join(known)}.", field="expansion")
    if len(names) > 1 and ("none" in names or "auto" in names):
        raise BadQuestion("none and auto stand alone; join only multi_query, decompose and hyde.", field="expansion")
    return () if names == ("none",) else names


def _as_reranker(text: str) -> str:
    kind, colon, name = text.strip().partition(":")
    if (kind == "cross-encoder" and name) or (kind in ("auto", "evidence", "none", "llm") and not colon):
        return text.strip()
    raise BadQuestion(
        f"Unknown reranker {text!r}; known: auto, evidence, none, llm and cross-encoder:NAME_OR_FOLDER.",
        field="reranker",
    )
