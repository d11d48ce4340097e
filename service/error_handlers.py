"""FastAPI's side of the errors: every one leaves in the one shape of ``service.errors``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from knowledge.errors import PolicyDeskError
from service.errors import as_body, headers_of, report, status_of

CHAT_PATH = "/chat/"
LANGSERVE_PATHS = ("/desk/", CHAT_PATH)

#: Parts of pydantic's locations that name where it looked or which type it tried, not a field of the request.
_NOT_A_FIELD = re.compile(r"body|query|path|input|constrained-str|str|int|bool|list\[.*")

#: Pydantic's kinds of errors that mean: this is no conversation. Its own words name its types, not ours.
_NO_MESSAGES = frozenset(
    {"list_type", "model_type", "model_attributes_type", "string_type", "literal_error", "missing"}
    | {"union_tag_invalid", "union_tag_not_found"}
)
#: What one looks like, here and at the chat door, which takes LangChain's messages.
_MESSAGES = {
    False: '[{"role": "user", "content": "May I return it?"}], with the roles user and assistant',
    True: '[{"type": "human", "content": "May I return it?"}], with the types human and ai',
}

_HTTP_CODES = {404: "not_found", 405: "method_not_allowed", 413: "too_large", 415: "unsupported_media_type"}
_HTTP_WORDS = {404: "There is no such page.", 405: "This page does not take that method."}


def response_of(error: BaseException) -> JSONResponse:
    """The whole response of an error; what the caller is not told goes to the log."""
    return JSONResponse(report(error), status_of(error), headers=headers_of(error))


def register_handlers(app: FastAPI) -> None:
    """Answer every error of ``app`` in the one shape."""

    async def known(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, PolicyDeskError)
        return response_of(error)

    async def invalid(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        return JSONResponse(_body_of_validation(error.errors(), chat=request.url.path.startswith(CHAT_PATH)), 400)

    async def invalid_input(request: Request, error: Exception) -> JSONResponse:
        """LangServe's batch lets its inputs' errors through as pydantic raises them; anywhere else that is a fault of ours."""
        assert isinstance(error, ValidationError)
        if not request.url.path.startswith(LANGSERVE_PATHS):
            return JSONResponse(report(error), 500)
        return JSONResponse(_body_of_validation(error.errors(), chat=request.url.path.startswith(CHAT_PATH)), 400)

    async def http(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        status = 400 if error.status_code == 422 else error.status_code
        code = _HTTP_CODES.get(status, "bad_request" if status < 500 else "internal")
        message = _HTTP_WORDS.get(status, f"{str(error.detail).rstrip('.')}.")
        return JSONResponse(as_body(code, message), status, headers=error.headers)

    async def crashed(request: Request, error: Exception) -> JSONResponse:
        return JSONResponse(report(error), 500)

    app.add_exception_handler(PolicyDeskError, known)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(ValidationError, invalid_input)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(Exception, crashed)


def _body_of_validation(problems: Sequence[Any], *, chat: bool = False) -> dict[str, Any]:
    """The first thing that is wrong, as a sentence that names the field."""
    first = problems[0] if problems else None
    if not isinstance(first, Mapping):
        return as_body("bad_request", str(first or "The request can't be read."))
    place = [str(part) for part in first.get("loc", ()) if not _NOT_A_FIELD.fullmatch(str(part))]
    field = ".".join(place) or (first.get("ctx") or {}).get("field")
    if first.get("type") == "json_invalid":
        return as_body("bad_request", "The body is not valid JSON.")
    said = str(first.get("msg", "not valid")).removeprefix("Value error, ")
    if first.get("type") == "extra_forbidden":
        return as_body("bad_question", f"Unknown field {place[-1]!r}.", field)
    if place[:1] == ["messages"] and first.get("type") in _NO_MESSAGES:
        return as_body("bad_question", f"{field} can't be read: send a list such as {_MESSAGES[chat]}.", field)
    whole = said if said.endswith(".") else f"{field or 'The body'}: {said}."
    return as_body("bad_question", whole, field)
