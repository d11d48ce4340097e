"""One structured log line a question, and figures for Prometheus. Neither holds text of a question, an answer or a chunk."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, PlatformCollector, ProcessCollector
from prometheus_client.exposition import generate_latest

from knowledge.errors import PolicyDeskError

log = structlog.get_logger("policydesk")


class LogLines:
    """Standard error as the log's file. A line that it does not take (the disk is full, its reader has gone) is counted and let
    go: no question fails, and no stop hangs, for want of a log.
    """

    def __init__(self) -> None:
        self.lost = 0

    def write(self, line: str) -> None:
        """Write one line."""
        try:
            sys.stderr.write(line)
        except (OSError, ValueError):  # ValueError: it is closed
            self.lost += 1

    def flush(self) -> None:
        """Nothing to do: standard error passes on each line as it ends."""


LOG_LINES = LogLines()

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)


@dataclass(kw_only=True)
class Question:
    """What is remembered of a question while it runs, for its log line."""

    id: str
    door: str
    tenant: str
    key_id: str
    started: float = field(default_factory=time.perf_counter)
    result: dict[str, Any] | None = None

    def finish(self, result: dict[str, Any]) -> dict[str, Any]:
        """The result with the question's id in front."""
        self.result = result
        return {"id": self.id, **result}


class Metrics:
    """The service's figures. No label names a tenant, a key or a document."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        registry: dict[str, Any] = {"registry": self.registry}
        self.questions = Counter(
            "policydesk_questions", "Questions by door and outcome.", ["door", "outcome"], **registry
        )
        self.refusals = Counter("policydesk_refusals", "Refusals by reason.", ["reason"], **registry)
        self.seconds = Histogram(
            "policydesk_question_seconds", "Time to a result.", ["door"], buckets=_SECONDS, **registry
        )
        self.stages = Histogram("policydesk_stage_seconds", "Time in a stage.", ["stage"], buckets=_SECONDS, **registry)
        self.running = Gauge("policydesk_questions_running", "Questions that run now.", **registry)
        self.rate_limited = Counter("policydesk_rate_limited", "Questions over a key's limit.", **registry)
        lost = Gauge("policydesk_log_lines_lost", "Log lines that could not be written.", **registry)
        lost.set_function(lambda: LOG_LINES.lost)

    def text(self) -> bytes:
        """The figures in Prometheus' text format."""
        return generate_latest(self.registry)

    @contextmanager
    def observe(self, question: Question) -> Iterator[None]:
        """Counts, times and logs one question, whatever becomes of it."""
        outcome, problem = "failed", None
        self.running.inc()
        try:
            yield
            outcome = _outcome(question.result)
        except PolicyDeskError as error:
            problem = error.code
            raise
        except BaseException as error:
            outcome = "failed" if isinstance(error, Exception) else "cancelled"
            problem = type(error).__name__
            raise
        finally:
            self.running.dec()
            self._record(question, outcome, problem)

    def _record(self, question: Question, outcome: str, problem: str | None) -> None:
        spent = time.perf_counter() - question.started
        result = question.result or {}
        self.questions.labels(question.door, outcome).inc()
        self.seconds.labels(question.door).observe(spent)
        if result.get("refused"):
            self.refusals.labels(result.get("refusal_reason") or "unknown").inc()
        for stage, milliseconds in (result.get("timings_ms") or {}).items():
            self.stages.labels(stage).observe(milliseconds / 1000)
        log.info(
            "question",
            id=question.id,
            door=question.door,
            tenant=question.tenant,
            key=question.key_id,
            outcome=outcome,
            reason=result.get("refusal_reason"),
            problem=problem,
            chunk_ids=[passage["id"] for passage in result.get("context") or []] or result.get("chunk_ids") or [],
            reranked=result.get("reranked"),
            model=result.get("model"),
            model_calls=result.get("model_calls"),
            timings_ms=result.get("timings_ms"),
            total_ms=round(spent * 1000, 1),
        )


def _outcome(result: dict[str, Any] | None) -> str:
    if result is None:
        return "failed"
    if result.get("refused"):
        return "refused"
    return "answered" if "answer" in result else "found"


def configure_logging(level: str, *, as_json: bool) -> None:
    """Log lines to standard error: JSON, or plain text for people. Called once, by ``policydesk serve``."""
    renderer: Any = (
        structlog.processors.JSONRenderer()
        if as_json
        else structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.WriteLoggerFactory(LOG_LINES),  # type: ignore[arg-type]
        cache_logger_on_first_use=True,
    )
