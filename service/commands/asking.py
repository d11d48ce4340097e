"""``policydesk ask`` and ``policydesk search``."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Annotated, Any

import typer

DEMO_QUESTION = "Can I return my damaged headphones after 10 days?"
REFUSED = 3

Question = Annotated[str, typer.Argument(help="The question, in quotes.", show_default=False)]
Tenant = Annotated[str | None, typer.Option(help="Whose documents to search.")]
Category = Annotated[str | None, typer.Option(help="Only this category, and general.")]
TopK = Annotated[int | None, typer.Option(help="Passages for the answer, 1 to 8.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Expansion = Annotated[
    str | None, typer.Option("--expand", help="none, auto, or multi_query, decompose, hyde joined by commas.")
]
Reranker = Annotated[str | None, typer.Option(help="auto, evidence, none, llm or cross-encoder:NAME_OR_FOLDER.")]
Documents = Annotated[list[str] | None, typer.Option("--document", help="Only this document id. May be repeated.")]
Languages = Annotated[list[str] | None, typer.Option("--language", help="Only this language. May be repeated.")]
Repealed = Annotated[bool, typer.Option("--include-repealed", help="Also search repealed documents.")]
Since = Annotated[str | None, typer.Option("--updated-since", help="Only documents updated since YYYY-MM-DD.")]
Where = Annotated[list[str] | None, typer.Option("--where", help="A manifest field, as field=value. May be repeated.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command(
        "ask",
        help="Answer a question from the documents, with citations; or say that they don't hold the answer (exit code 3).",
    )(_command(answer=True))
    app.command(
        "search",
        help="Show what each stage found for a question: dense, keyword, exact, fused, reranked, fitted. "
        "No answer is written.",
    )(_command(answer=False))


def _command(*, answer: bool) -> Callable[..., int]:
    """The two commands take the same options and run the same retrieval; only ``ask`` goes on to answer."""

    def command(
        question: Question,
        tenant: Tenant = None,
        category: Category = None,
        top_k: TopK = None,
        expand: Expansion = None,
        reranker: Reranker = None,
        document: Documents = None,
        language: Languages = None,
        include_repealed: Repealed = False,
        updated_since: Since = None,
        where: Where = None,
        as_json: Json = False,
    ) -> int:
        options = {
            "tenant": tenant,
            "category": category,
            "top_k": top_k,
            "expansion": expand,
            "reranker": reranker,
            "document_ids": document or [],
            "languages": language or [],
            "include_repealed": include_repealed,
            "updated_since": updated_since,
            "fields": read_fields(where or []),
        }
        state = run(question, options, answer=answer)
        _print(state, as_json=as_json, answer=answer)
        return REFUSED if state["refused"] else 0

    return command


def read_fields(pairs: list[str]) -> dict[str, list[str]]:
    """``--where field=value`` pairs as a filter: several values of one field are alternatives."""
    from knowledge.errors import BadQuestion

    fields: dict[str, list[str]] = {}
    for pair in pairs:
        key, sign, value = pair.partition("=")
        if not sign or not key:
            raise BadQuestion(f"--where takes field=value, not {pair!r}.", field="where")
        fields.setdefault(key, []).append(value)
    return fields


def run(question: str, options: dict[str, Any], *, answer: bool) -> dict[str, Any]:
    """One question through the graph, in this process. The demo question brings its own shelf where nothing is indexed."""
    from graph.resources import Resources
    from graph.settings import load_settings
    from graph.workflow import build_graph
    from nodes.context import Context, check_question, resolve

    settings = load_settings()
    context = Context(**options)
    check_question(question)
    resolve(context, settings.defaults())  # bad options are told before a model loads
    resources = Resources(settings)
    if question.strip() == DEMO_QUESTION:
        from service.commands.ingesting import ingest_demo_if_empty

        ingest_demo_if_empty(resources)
    graph = build_graph(resources, answer=answer)
    return dict(asyncio.run(graph.ainvoke({"question": question}, context=context)))


def _print(state: dict[str, Any], *, as_json: bool, answer: bool) -> None:
    from nodes.state import as_json as shape

    if as_json:
        typer.echo(json.dumps(shape(state, answer=answer), ensure_ascii=False, indent=2))  # type: ignore[arg-type]
        return
    from service import rendering

    if answer:
        rendering.print_answer(state)
    else:
        rendering.print_stages(state)
