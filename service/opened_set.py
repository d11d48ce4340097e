"""A golden set opened for measuring: its questions, its index, and progress bars while both are at work."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from evals.golden import GoldenSet
    from evals.running import Outcome
    from graph.resources import Resources
    from graph.workflow import Graph
    from knowledge.ingest_write import Progress
    from nodes.context import Context

_STEPS = {"load": "reading", "chunk": "cutting", "embed": "embedding", "write": "writing", "commit": "switching"}
#: Different notes shown after a run.
_NOTES = 5


@dataclass(frozen=True, kw_only=True)
class OpenedSet:
    """A set opened for measuring. ``home``: the data folder that the user's own index lives in."""

    golden: GoldenSet
    resources: Resources
    options: Context
    home: Path
    quiet: bool

    def measure(self, *, answer: bool) -> list[Outcome]:
        """Every question through the graph, under a progress bar, in one event loop: a server's client lives no longer."""
        from graph.workflow import build_graph

        graph = build_graph(self.resources, answer=answer)
        with steps(quiet=self.quiet) as tell:
            outcomes, absent = asyncio.run(self._measured(graph, tell, answer=answer))
        self._warn(outcomes, absent)
        return outcomes

    async def _measured(self, graph: Graph, tell: Progress, *, answer: bool) -> tuple[list[Outcome], list[str]]:
        from evals.corpus import absent
        from evals.faithfulness import rate
        from evals.running import run_set

        items, total = self.golden.items, len(self.golden.items)
        missing = await absent(self.golden, self.resources)
        asked = counted(tell, "asking", total)
        outcomes = await run_set(graph, items, self.options, judges=self.golden.judges, on_done=asked)
        judge = self.resources.judge if answer else None
        if judge is not None:
            outcomes = await rate(judge, outcomes, on_done=counted(tell, "judging", total))
        return outcomes, missing

    def _warn(self, outcomes: list[Outcome], absent: list[str]) -> None:
        """Tell, once each, what the runs warned of, and how many needed passages the index lacks."""
        told = list(dict.fromkeys(warning for outcome in outcomes for warning in outcome.warnings))
        for text in told[:_NOTES]:
            typer.echo(f"Note: {text}", err=True)
        if len(told) > _NOTES:
            typer.echo(f"Note: and {len(told) - _NOTES} more like these.", err=True)
        if absent:
            shown = ", ".join(absent[:5]) + (", …" if len(absent) > 5 else "")
            typer.echo(
                f"Note: {len(absent)} needed passages are not in the index, so they can't be found: {shown}", err=True
            )


def open_golden(golden: str, options: Context, *, limit: int | None, documents: Path | None, quiet: bool) -> OpenedSet:
    """The set and its index, built under a progress bar where it is not there yet. Bad options are told before anything loads."""
    from evals.corpus import open_set
    from evals.golden import read_golden_set
    from graph.settings import load_settings
    from nodes.context import resolve

    settings = load_settings()
    if options.tenant:
        settings = settings.model_copy(update={"tenant": options.tenant})
    resolve(options, settings.defaults())
    chosen = read_golden_set(golden).limited(limit)
    with steps(quiet=quiet) as tell:
        resources = open_set(chosen, settings, documents=documents, progress=tell)
    return OpenedSet(golden=chosen, resources=resources, options=options, home=settings.data, quiet=quiet)


@contextmanager
def steps(*, quiet: bool) -> Iterator[Progress]:
    """A progress bar on standard error with a row for each step."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=quiet) as bar:
        tasks: dict[str, Any] = {}

        def tell(step: str, done: int, total: int) -> None:
            if step not in tasks:
                tasks[step] = bar.add_task(_STEPS.get(step, step), total=total)
            bar.update(tasks[step], completed=done, total=total)

        yield tell


def counted(tell: Progress, step: str, total: int) -> Callable[[], None]:
    """Moves the step's bar on by one with each call."""
    done = count(1)
    return lambda: tell(step, next(done), total)
