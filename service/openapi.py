"""The OpenAPI description, as the service really answers: FastAPI's own 422 leaves as a 400 here."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

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
        for path in described["paths"].values():
            for operation in path.values():
                operation["responses"].pop("422", None)
        schemas = described["components"]["schemas"]
        for name in _UNUSED:
            schemas.pop(name, None)
        described["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        described["security"] = [{"key": []}, {}]
        app.openapi_schema = described
    return app.openapi_schema
