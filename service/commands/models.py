"""``policydesk pull`` and ``policydesk check``: bring a model to this machine; check answers against their sources."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from evals.checking import RowVerdict
    from graph.resources import Resources


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command()(check)
    app.command()(pull)


def check(
    file: Annotated[
        Path, typer.Argument(help="JSONL rows of answer or claim, and passages or source.", show_default=False)
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a row.")] = False,
) -> int:
    """Check answers or claims against their sources, without retrieval. Exit code 3 if one is not supported."""
    from evals.checking import read_rows
    from graph.resources import Resources
    from graph.settings import load_settings

    rows = read_rows(file)
    verdicts = asyncio.run(_check(Resources(load_settings()), rows))
    for verdict in verdicts:
        if as_json:
            typer.echo(json.dumps(verdict, ensure_ascii=False))
        elif not verdict["supported"]:
            typer.echo(f"✗ {verdict['id']}: {verdict['problem']} ({verdict['score']:.2f})")
    unsupported = sum(not verdict["supported"] for verdict in verdicts)
    if not as_json:
        typer.echo(f"{len(verdicts) - unsupported} of {len(verdicts)} supported.")
    return 3 if unsupported else 0


async def _check(resources: Resources, rows: list[dict[str, object]]) -> list[RowVerdict]:
    from evals.checking import check_rows

    return [row async for row in check_rows(rows, embed=resources.embed_sentences, judge=resources.judge)]


def pull(
    model: Annotated[
        str,
        typer.Argument(
            help="cross-encoder:NAME or sentence-transformers:NAME, as the settings take it.", show_default=False
        ),
    ],
) -> None:
    """Fetch a reranking or embedding model from the hub to this machine, where there is a network."""
    from knowledge.errors import BadInput, ModelUnavailable

    kind, _, name = model.partition(":")
    if kind not in ("cross-encoder", "sentence-transformers") or not name:
        raise BadInput(f"Can't pull {model!r}: name cross-encoder:NAME or sentence-transformers:NAME.", field="model")
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError, OfflineModeIsEnabled

    try:
        folder = snapshot_download(
            name, ignore_patterns=["*.onnx", "*.h5", "*.msgpack", "*.ot", "openvino/*", "onnx/*"]
        )
    except (HfHubHTTPError, LocalEntryNotFoundError, OfflineModeIsEnabled, OSError, ValueError) as error:
        raise ModelUnavailable(
            f"{name} could not be fetched ({type(error).__name__}): check the name and the network; "
            "a folder copied from another machine does as well."
        ) from None
    typer.echo(f"{name} is at {folder}")
