"""FastAPI's side of the errors: every one leaves in the one shape of ``service.errors``."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from knowledge.errors import PolicyDeskError
from service.errors import WrongMediaType, as_body, headers_of, report, status_of
from service.wording import NOT_JSON, body_of_validation

CHAT_PATH = "/chat/"
LANGSERVE_PATHS = ("/desk/", CHAT_PATH)

_FASTAPI_CAN_NOT_READ_IT = "There was an error parsing the body"
_HTTP_CODES = {404: "not_found", 405: "method_not_allowed", 413: "too_large", 415: "unsupported_media_type"}
_HTTP_WORDS = {404: "There is no such page.", 405: "This page does not take that method."}


def _came_as_text(error: RequestValidationError) -> bool:
    """FastAPI did not read the body as JSON, and there was one."""
    return any(
        isinstance(problem, Mapping) and problem.get("loc") == ("body",) and problem.get("type") != "missing"
        for problem in error.errors()
    )


def is_json(request: Request) -> bool:
    """Whether the body is said to be JSON. A browser says so only to a service that let it: a foreign page can't ask unseen."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


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
        if _came_as_text(error) and not is_json(request):
            return response_of(WrongMediaType())
        return JSONResponse(body_of_validation(error.errors(), chat=request.url.path.startswith(CHAT_PATH)), 400)

    async def invalid_input(request: Request, error: Exception) -> JSONResponse:
        """LangServe's batch lets its inputs' errors through as pydantic raises them; anywhere else that is a fault of ours."""
        assert isinstance(error, ValidationError)
        if not request.url.path.startswith(LANGSERVE_PATHS):
            return JSONResponse(report(error), 500)
        return JSONResponse(body_of_validation(error.errors(), chat=request.url.path.startswith(CHAT_PATH)), 400)

    async def http(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        status = 400 if error.status_code == 422 else error.status_code
        code = _HTTP_CODES.get(status, "bad_request" if status < 500 else "internal")
        if error.detail == _FASTAPI_CAN_NOT_READ_IT:
            return JSONResponse(as_body("bad_request", NOT_JSON), 400)
        message = _HTTP_WORDS.get(status, f"{str(error.detail).rstrip('.')}.")
        return JSONResponse(as_body(code, message), status, headers=error.headers)

    async def crashed(request: Request, error: Exception) -> JSONResponse:
        return JSONResponse(report(error), 500)

    app.add_exception_handler(PolicyDeskError, known)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(ValidationError, invalid_input)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(Exception, crashed)
