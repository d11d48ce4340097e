"""What is wrong with a request, in a sentence of ours: pydantic's own words name its types and, in unions, its inner parts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from service.errors import as_body

NOT_JSON = "The body is not valid JSON."

#: Parts of pydantic's locations that name where it looked or which type it tried, not a field of the request.
_NOT_A_FIELD = re.compile(r"body|query|path|input|constrained-str|str|int|bool|\[key\]|[\w-]+\[.*", re.DOTALL)

#: Pydantic's kinds of errors that mean: this is no conversation.
_NO_MESSAGES = frozenset(
    {"list_type", "model_type", "model_attributes_type", "string_type", "literal_error", "missing"}
    | {"union_tag_invalid", "union_tag_not_found"}
)
#: What one looks like, here and at the chat door, which takes LangChain's messages.
_MESSAGES = {
    False: '[{"role": "user", "content": "May I return it?"}], with the roles user and assistant',
    True: '[{"type": "human", "content": "May I return it?"}], with the types human and ai',
}

_WORDS = {
    "missing": "{field} is missing.",
    "greater_than_equal": "{field} must be at least {ge}.",
    "less_than_equal": "{field} must be at most {le}.",
    "too_long": "{field} is too long: {max_length:,} at most, not {actual_length:,}.",
    "string_too_long": "{field} is too long: {max_length:,} characters at most.",
    "string_pattern_mismatch": "{field} must be one line of text.",
    **dict.fromkeys(("too_short", "string_too_short"), "{field} is empty."),
    **dict.fromkeys(
        ("int_type", "int_parsing", "int_from_float", "int_parsing_size"), "{field} must be a whole number."
    ),
    **dict.fromkeys(("float_type", "float_parsing", "finite_number"), "{field} must be a number."),
    **dict.fromkeys(("bool_type", "bool_parsing"), "{field} must be true or false."),
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), "{field} must be a JSON object."),
    "string_type": "{field} must be a text.",
    "list_type": "{field} must be a list.",
}


def body_of_validation(problems: Sequence[Any], *, chat: bool = False) -> dict[str, Any]:
    """The first thing that is wrong, as a sentence that names the field. ``chat``: at the door that takes LangChain's messages.

    A sentence about a whole body has no field.
    """
    first = problems[0] if problems else None
    if not isinstance(first, Mapping):
        return as_body("bad_request", str(first or "The request can't be read."))
    kind, parts = first.get("type"), [str(part) for part in first.get("loc", ())]
    place = [part for part in parts if not _NOT_A_FIELD.fullmatch(part)]
    if parts == ["input"]:  # LangServe's own field, and not the question inside it
        place = parts
    field = ".".join(place) or (first.get("ctx") or {}).get("field")
    if kind == "json_invalid":
        return as_body("bad_request", NOT_JSON)
    if kind == "extra_forbidden":
        return as_body("bad_question", f"Unknown field {place[-1]!r}.", field)
    if place[:1] == ["messages"] and kind in _NO_MESSAGES:
        return as_body("bad_question", f"{field} can't be read: send a list such as {_MESSAGES[chat]}.", field)
    if place[:1] == ["fields"] and len(place) > 1:
        return as_body("bad_question", _of_filter(place, named_badly=parts[-1] == "[key]"), field)
    return as_body("bad_question", _sentence(first, field), field)


def _sentence(problem: Mapping[str, Any], field: str | None) -> str:
    named = field or ("The body" if problem.get("loc", ())[:1] == ("body",) else "The input")
    if not field and problem.get("type") == "missing":
        return "The body is empty: send a JSON object."
    if problem.get("type") in _WORDS:
        return _WORDS[problem["type"]].format(**{**(problem.get("ctx") or {}), "field": named})
    said = str(problem.get("msg", "not valid")).removeprefix("Value error, ")
    return said if said.endswith(".") else f"{named}: {said}."


def _of_filter(place: Sequence[str], *, named_badly: bool) -> str:
    if named_badly:
        return "A name in fields must be one line of 1 to 200 characters."
    return f"Filter {place[1]!r} takes a text, a whole number, true or false, or a list of them."
