"""The OpenAPI description, as the service really answers: FastAPI's own 422 leaves as a 400 here."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from service.error_handlers import LANGSERVE_PATHS

_LANGSERVE_ERRORS = {
    str(status): {
        "description": "As for /api/ask.",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorBody"}}},
    }
    for status in (400, 401, 403, 413, 415, 429, 502, 503)
}
_UNUSED = ("HTTPValidationError", "ValidationError")


def describe(app: FastAPI) -> dict[str, Any]:
    """The description of ``app``, made once."""
    if app.openapi_schema is None:
        described = get_openapi(
            title=app.title,
            version=app.version,
            summary=app.summary,
            description=app.description,
            routes=app.routes,
            tags=app.openapi_tags,
        )
        for name, path in described["paths"].items():
            for operation in path.values():
                operation["responses"].pop("422", None)
                if name.startswith(LANGSERVE_PATHS):
                    operation["responses"] |= _LANGSERVE_ERRORS
                for response in operation["responses"].values():
                    _complete(response)
        schemas = described["components"]["schemas"]
        for name in _UNUSED:
            schemas.pop(name, None)
        described["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        described["security"] = [{"key": []}, {}]
        app.openapi_schema = described
    return app.openapi_schema


def _complete(response: dict[str, Any]) -> None:
    """FastAPI drops nulls from examples; an error always has its field, also where it is null."""
    example = response.get("content", {}).get("application/json", {}).get("example", {})
    if "error" in example:
        example["error"].setdefault("field", None)
