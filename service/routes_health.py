"""``/healthz``, ``/readyz`` and ``/metrics``."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST

from knowledge.errors import Forbidden
from service.auth import KeyStore, current_caller
from service.desk import Desk
from service.readiness import READY, Readiness
from service.routes_questions import problems


def health_routes(desk: Desk, keys: KeyStore) -> APIRouter:
    """The routes for what watches the service."""
    router = APIRouter(tags=["operation"])
    readiness = Readiness(resources=desk.resources)

    @router.get("/healthz", summary="The process answers")
    async def healthz() -> dict[str, str]:
        return {"status": "ok"}

    @router.get("/readyz", summary="Index and models answer", responses={503: {"description": "Not ready; says why."}})
    async def readyz() -> JSONResponse:
        checks = {**await readiness.checks(), **({"warm_up": "The models are being loaded."} if desk.warming else {})}
        ready = not desk.running.stopping and all(told in READY for told in checks.values())
        body = {"ready": ready, "stopping": desk.running.stopping, "checks": checks}
        return JSONResponse(body, 200 if ready else 503)

    @router.get(
        "/metrics",
        summary="Figures for Prometheus",
        response_class=Response,
        responses={
            200: {"content": {"text/plain": {"schema": {"type": "string"}}}, "description": "Prometheus' text format."},
            **problems(401, 403),
        },
    )
    async def metrics() -> Response:
        if keys.are_set() and not current_caller().metrics:
            raise Forbidden("This key may not read metrics; make one with: policydesk keys add --metrics")
        return Response(desk.metrics.text(), media_type=CONTENT_TYPE_LATEST)

    return router
