"""``policydesk index``: versions of the index: build one beside the live one, list, compare, switch, drop, unlock, stats."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.commands import ingesting
from service.commands.options import Json, OwnTenant, Paths, WhoseTenant, read_paths

if TYPE_CHECKING:
    from evals.comparing import ComparedMetric
    from graph.resources import Resources
    from knowledge.index.port import IndexStats
    from knowledge.scope import Scope
    from knowledge.versions import Difference

Name = Annotated[str, typer.Argument(help="The version's name, as index list shows it.", show_default=False)]


def register(app: typer.Typer) -> None:
    """Add the command group to the application."""
    group = typer.Typer(
        help="Versions of the index: build one beside the live one, compare, then switch in one step.",
        no_args_is_help=True,
    )
    group.command("build", help="Build a version from folders and files alone, beside the live one.")(build)
    group.command("list", help="The versions; one is live.")(list_versions)
    group.command("compare", help="Two versions side by side: chunks, and with --golden what each finds.")(compare)
    group.command("switch", help="Make a version live in one step; running processes follow with their next question.")(
        switch
    )
    group.command("drop", help="Delete a version that is not live.")(drop)
    group.command("unlock", help="Take the write lock from a writer that died on another machine.")(unlock)
    group.command("stats", help="Chunks and documents of a version.")(stats)
    app.add_typer(group, name="index")


def build(
    paths: Paths,
    name: Annotated[str, typer.Option(help="What to call the version.", show_default=False)],
    tenant: OwnTenant = None,
    as_json: Json = False,
) -> int:
    """See ``register``."""
    report = ingesting.run(_resources(), read_paths(paths), tenant=tenant, quiet=as_json, build=name)
    ingesting.show(report, as_json=as_json)
    return 1 if report.failed else 0


def list_versions(as_json: Json = False) -> None:
    """See ``register``."""
    from knowledge import versions

    rows = [
        {
            "name": info.name,
            "live": info.live,
            "kept": info.kept,
            "created_at": info.created_at.isoformat(timespec="seconds"),
            "built_with": info.spec.version,
        }
        for info in versions.listing(_store(_resources()))
    ]
    if as_json:
        _print_json({"versions": rows})
    elif not rows:
        typer.echo("No version yet: run policydesk ingest PATH.")
    else:
        _print_table(["name", "live", "created at", "built with"], [[row["name"], "live" if row["live"] else "",
                     row["created_at"], row["built_with"]] for row in rows])  # fmt: skip


def compare(
    old: Name,
    new: Name,
    golden: Annotated[Path | None, typer.Option(help="A golden file: also compare what each version finds.")] = None,
    tenant: WhoseTenant = None,
    as_json: Json = False,
) -> None:
    """See ``register``."""
    from service.rendering import shortened

    difference, metrics = asyncio.run(_compare(_resources(), old, new, golden, tenant))
    if as_json:
        _print_json({**_as_json(difference), "metrics": [metric.as_json() for metric in metrics]})
        return
    counts: list[list[Any]] = [["chunks", difference.old.chunks, difference.new.chunks],
              ["documents", difference.old.documents, difference.new.documents],
              ["built with", difference.old.spec.version, difference.new.spec.version]]  # fmt: skip
    _print_table(["", old, new], counts)
    typer.echo(
        f"{difference.same} chunks the same, {difference.changed_count} changed, "
        f"{len(difference.added)} added, {len(difference.removed)} removed."
    )
    for title, ids in (("added", difference.added), ("removed", difference.removed)):
        if ids:
            typer.echo(f"{title}: {', '.join(ids[:20])}{' …' if len(ids) > 20 else ''}")
    for change in difference.changed:
        typer.echo(f"changed {change.chunk_id}:\n  - {shortened(change.old, 200)}\n  + {shortened(change.new, 200)}")
    if metrics:
        _print_table(["metric", old, new, "difference", "95 %"], [
            [metric.metric, f"{metric.first:.3f}", f"{metric.second:.3f}", f"{metric.difference.value:+.3f}",
             f"{metric.difference.low:+.3f} to {metric.difference.high:+.3f}"] for metric in metrics])  # fmt: skip


def switch(name: Name) -> None:
    """See ``register``."""
    from knowledge import versions

    before = versions.switch(_store(_resources()), name)
    typer.echo(f"{name} is live." + (f" {before.name} was: policydesk index switch {before.name}" if before else ""))


def drop(name: Name) -> None:
    """See ``register``."""
    from knowledge import versions

    versions.drop(_store(_resources()), name)
    typer.echo(f"{name} is gone.")


def unlock() -> None:
    """See ``register``."""
    from knowledge import versions

    dead = versions.unlock(_store(_resources()), lambda text: typer.echo(text, err=True))
    typer.echo("Nobody left a lock behind." if dead is None else f"Unlocked. {dead}; if it lives after all, it stops.")


def stats(
    name: Annotated[str | None, typer.Argument(help="The version; the live one if none.")] = None,
    tenant: WhoseTenant = None,
    as_json: Json = False,
) -> None:
    """See ``register``."""
    resources = _resources()
    scope = _scope(resources, tenant)
    found, fields = asyncio.run(_stats(resources, scope, name))
    values = {
        "name": found.name,
        "documents": found.documents,
        "chunks": found.chunks,
        "embedding": found.spec.embedding,
        "dimension": found.spec.dimension,
        "chunking": found.spec.chunking,
        "average_length": found.spec.average_length,
        "fields": fields,
    }
    if as_json:
        _print_json(values)
    else:
        _print_table(
            ["", found.name], [[key.replace("_", " "), value] for key, value in values.items() if key != "name"]
        )


async def _stats(resources: Resources, scope: Scope, name: str | None) -> tuple[IndexStats, list[str]]:
    """The counts, and the manifest fields that the tenant's own documents have: another tenant's are nobody's business."""
    from knowledge import versions

    store = _store(resources)
    found = await versions.stats(store, scope, name)
    index = await (store.current() if name is None else store.version(name))
    return found, [field for field in found.spec.fields if await index.values(field, scope)]


async def _compare(
    resources: Resources, old: str, new: str, golden: Path | None, tenant: str | None
) -> tuple[Difference, list[ComparedMetric]]:
    from knowledge import versions

    store = _store(resources)
    difference = await versions.compare(store, old, new, _scope(resources, tenant))
    if golden is None:
        return difference, []
    from evals import comparing
    from evals.golden import read_golden_set
    from nodes.context import Context

    first, second = await store.version(old), await store.version(new)
    metrics = await comparing.compare(first, second, read_golden_set(golden), resources, options=Context(tenant=tenant))
    return difference, metrics


def _as_json(difference: Difference) -> dict[str, Any]:
    return {
        "old": {"name": difference.old.name, "chunks": difference.old.chunks, "documents": difference.old.documents},
        "new": {"name": difference.new.name, "chunks": difference.new.chunks, "documents": difference.new.documents},
        "same": difference.same,
        "changed": difference.changed_count,
        "changes": [{"id": item.chunk_id, "old": item.old, "new": item.new} for item in difference.changed],
        "added": difference.added,
        "removed": difference.removed,
        "documents_added": difference.documents_added,
        "documents_removed": difference.documents_removed,
    }


def _resources() -> Resources:
    from graph.resources import Resources
    from graph.settings import load_settings

    return Resources(load_settings())


def _store(resources: Resources) -> Any:
    from knowledge.index.locate import open_store

    return open_store(resources.settings.index_location())


def _scope(resources: Resources, tenant: str | None) -> Scope:
    from knowledge.scope import Scope

    settings = resources.settings
    return Scope(tenant=tenant or settings.tenant, include_shared=settings.include_shared, include_repealed=True)


def _print_json(value: dict[str, Any]) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def _print_table(columns: list[str], rows: list[list[Any]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*columns)
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    Console(highlight=False).print(table)
