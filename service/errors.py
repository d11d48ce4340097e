"""From errors to HTTP: one table, one body shape.

Every error leaves as ``{"error": {"code", "message", "field"}}``. ``code`` is stable, ``message`` is a sentence for people,
``field`` names what was wrong with the request, or is null.
"""

from __future__ import annotations

import re
from typing import Any

import structlog

from knowledge.errors import (
    BadInput,
    BadQuestion,
    Forbidden,
    IndexBusy,
    IndexMismatch,
    IndexMissing,
    IndexUnavailable,
    ModelUnavailable,
    PolicyDeskError,
)

log = structlog.get_logger("policydesk")


class Unauthorized(PolicyDeskError):
    """No key, or not a valid one."""

    code = "unauthorized"


class NotFound(PolicyDeskError):
    """There is no such thing, or the caller may not know of it."""

    code = "not_found"


class BadBody(BadQuestion):
    """What was sent can't be read at all."""

    code = "bad_request"


class WrongMediaType(PolicyDeskError):
    """The body is not said to be JSON."""

    code = "unsupported_media_type"

    def __init__(self) -> None:
        super().__init__("Send JSON, with the header Content-Type: application/json.")


class TooLarge(PolicyDeskError):
    """The request's body is over the limit."""

    code = "too_large"


class TooSlow(PolicyDeskError):
    """The request's body did not arrive in time."""

    code = "too_slow"


class RateLimited(PolicyDeskError):
    """The key's questions of this minute are used up. ``retry_after`` in seconds."""

    code = "rate_limited"

    def __init__(self, message: str, *, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Overloaded(PolicyDeskError):
    """Too many questions are running."""

    code = "overloaded"


class Stopping(PolicyDeskError):
    """The service is shutting down."""

    code = "stopping"


#: The first class that an error is an instance of decides. 500 stands for what nobody foresaw.
STATUS: tuple[tuple[type[PolicyDeskError], int], ...] = (
    (BadQuestion, 400),
    (Unauthorized, 401),
    (Forbidden, 403),
    (NotFound, 404),
    (TooSlow, 408),
    (TooLarge, 413),
    (WrongMediaType, 415),
    (RateLimited, 429),
    (ModelUnavailable, 502),
    (IndexUnavailable, 502),
    (IndexMissing, 503),
    (IndexMismatch, 503),
    (IndexBusy, 503),
    (Overloaded, 503),
    (Stopping, 503),
    (BadInput, 500),
)
#: Of a failure behind the service, what is the log's alone: where models and stores listen, folders, and others' own words, which
#: may hold keys, accounts and pieces of prompts.
_INNER = (
    (re.compile(r" at \w+://\S+?(?=[;,.]?(?:\s|$))"), ""),
    (
        re.compile(r"( failed| can't be (?:read|opened|used|loaded[\w -]*)): .+", re.DOTALL),
        r"\1; the service's log says why.",
    ),
    (re.compile(r"(?<!\S)(?:[A-Za-z]:)?(?:[/\\][^\s/\\:]+){2,}"), "…"),
)
_INTERNAL = "Something went wrong in the service; its log says what."


def status_of(error: BaseException) -> int:
    """The HTTP status of an error; 500 for one that nobody foresaw."""
    return next((status for kind, status in STATUS if isinstance(error, kind)), 500)


def body_of(error: PolicyDeskError) -> dict[str, Any]:
    """The JSON body of an error, without what is the log's business and not the caller's."""
    status, message = status_of(error), error.message
    if status == 500:
        return as_body("internal", _INTERNAL)
    for inner, instead in _INNER if status > 500 else ():
        message = inner.sub(instead, message)
    return as_body(error.code, message, error.field)


def as_body(code: str, message: str, field: str | None = None) -> dict[str, Any]:
    """The shape of every error."""
    return {"error": {"code": code, "message": message, "field": field}}


def headers_of(error: BaseException) -> dict[str, str]:
    """The headers that go with an error."""
    if isinstance(error, Unauthorized):
        return {"WWW-Authenticate": "Bearer"}
    if isinstance(error, RateLimited):
        return {"Retry-After": str(error.retry_after)}
    if isinstance(error, (Overloaded, Stopping)):
        return {"Retry-After": "5"}
    return {}


def report(error: BaseException) -> dict[str, Any]:
    """The body of any error, after the log was told what the caller is not."""
    if isinstance(error, PolicyDeskError):
        if status_of(error) >= 500:
            log.error("request_failed", code=error.code, problem=error.message)
        return body_of(error)
    log.error("request_crashed", exc_info=error)
    return as_body("internal", _INTERNAL)
