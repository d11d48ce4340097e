"""The log is there for the service, not the service for the log."""

from __future__ import annotations

import io
import sys
from typing import Any

import httpx
import pytest
import structlog

from service.observability import LOG_LINES, configure_logging
from tests.service.fakes import FakeDesk


class Gone(io.StringIO):
    """Standard error whose reader went away, or whose disk is full."""

    def write(self, text: str) -> int:
        raise BrokenPipeError(32, "Broken pipe")


def closed() -> io.StringIO:
    file = io.StringIO()
    file.close()
    return file


@pytest.fixture(autouse=True)
def _told_everything(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The service's own way of logging, at its usual level."""
    monkeypatch.setattr("service.observability.log", structlog.get_logger("asked anew"))
    configure_logging("info", as_json=True)
    yield
    configure_logging("error", as_json=True)


@pytest.mark.parametrize("stderr", [Gone(), closed()], ids=["gone", "closed"])
@pytest.mark.parametrize("route", ["/api/ask", "/api/ask/stream", "/desk/invoke"])
async def test_a_log_that_can_not_be_written_stops_no_question(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, route: str, stderr: io.StringIO
) -> None:
    before = LOG_LINES.lost
    question = {"question": "items"}
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", stderr)
        response = await client.post(route, json={"input": question} if "desk" in route else question)

    assert response.status_code == 200 and "30 days" in response.text
    assert LOG_LINES.lost == before + 1
    assert f"policydesk_log_lines_lost {before + 1}.0" in (await client.get("/metrics")).text


async def test_a_line_goes_to_where_standard_error_is_now(
    client: httpx.AsyncClient, fake: FakeDesk, capsys: pytest.CaptureFixture[str]
) -> None:
    await client.post("/api/ask", json={"question": "items"})

    written = capsys.readouterr().err
    assert written.count("\n") == 1 and '"event": "question"' in written and '"outcome": "answered"' in written
