"""``/api/chunks/{id}`` and ``/api/documents``: what the caller may see of the shelf."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from fastapi.responses import JSONResponse
from langchain_core.documents import Document

from graph.resources import Resources
from knowledge.scope import Scope
from nodes.fit_context import body_of
from service.auth import current_caller
from service.errors import NotFound
from service.routes_questions import problems
from service.schemas import Chunk, Documents

_KEPT = 32


def document_routes(resources: Resources) -> APIRouter:
    """The routes that show documents and chunks, under the caller's scope."""
    router = APIRouter(prefix="/api", tags=["documents"])
    shelf = _Shelf(resources)

    @router.get(
        "/chunks/{chunk_id:path}",
        summary="One chunk by its id",
        response_model=None,
        responses={200: {"model": Chunk}, **problems(400, 401, 403, 404, 502, 503)},
    )
    async def chunk(
        chunk_id: Annotated[str, Path(max_length=400, examples=["returns#1"], description="Write # as %23.")],
    ) -> JSONResponse:
        index = await resources.open_index()
        found = await index.fetch([chunk_id], scope_of_caller(resources))
        if not found:
            raise NotFound(f"There is no chunk {chunk_id!r}.", field="id")
        return JSONResponse(_as_chunk(found[0]))

    @router.get(
        "/documents",
        summary="The documents that the key may see",
        response_model=None,
        responses={200: {"model": Documents}, **problems(400, 401, 403, 502, 503)},
    )
    async def documents(
        limit: Annotated[int, Query(ge=1, le=1000)] = 200, offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0
    ) -> JSONResponse:
        listed = await shelf.documents()
        return JSONResponse(
            {
                "total": len(listed),
                "documents": listed[offset : offset + limit],
                "categories": dict(sorted(Counter(item["category"] for item in listed).items())),
            }
        )

    return router


def scope_of_caller(resources: Resources) -> Scope:
    """What the caller may open by name; also repealed texts, which an answer may have cited."""
    caller = current_caller()
    return Scope(
        tenant=caller.tenant,
        include_shared=resources.settings.include_shared,
        allowed_categories=caller.categories,
        include_repealed=True,
    )


class _Shelf:
    """Document lists by index version and caller's scope: a version never changes, so its lists don't either."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._lists: OrderedDict[tuple[Any, ...], list[dict[str, Any]]] = OrderedDict()

    async def documents(self) -> list[dict[str, Any]]:
        scope = scope_of_caller(self._resources)
        index = await self._resources.open_index()
        key = (id(index), index.name, scope.tenant, scope.allowed_categories)
        if key not in self._lists:
            self._lists[key] = _as_documents(await index.documents(scope))
            while len(self._lists) > _KEPT:
                self._lists.popitem(last=False)
        return self._lists[key]


def _as_documents(chunks: Sequence[Document]) -> list[dict[str, Any]]:
    counts = Counter(str(chunk.metadata.get("document_id")) for chunk in chunks)
    firsts: dict[str, Document] = {}
    for chunk in chunks:
        firsts.setdefault(str(chunk.metadata.get("document_id")), chunk)
    listed = [
        {
            "id": name,
            **{
                key: str(first.metadata.get(key) or "") for key in ("title", "source", "category", "language", "status")
            },
            "updated_at": _text_or_none(first.metadata.get("updated_at")),
            "chunks": counts[name],
        }
        for name, first in firsts.items()
    ]
    return sorted(listed, key=lambda item: (item["title"], item["id"]))


def _as_chunk(document: Document) -> dict[str, Any]:
    held = document.metadata
    return {
        "id": str(document.id),
        "document_id": str(held.get("document_id") or ""),
        "title": str(held.get("title") or ""),
        "source": str(held.get("source") or ""),
        "page": held.get("page"),
        "section": str(held.get("section") or held.get("heading_path") or ""),
        **{key: str(held.get(key) or "") for key in ("category", "language", "status")},
        "updated_at": _text_or_none(held.get("updated_at")),
        "text": body_of(document),
    }


def _text_or_none(value: Any) -> str | None:
    return None if value is None else str(value)
