"""``policydesk ask`` and ``policydesk search``."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import typer

from service.commands.options import Json, Question, takes_question_options

if TYPE_CHECKING:
    from nodes.context import Context

DEMO_QUESTION = "Can I return my damaged headphones after 10 days?"
REFUSED = 3


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

    @takes_question_options(dials=False)
    def command(question: Question, options: Context, as_json: Json = False) -> int:
        state = run(question, options, answer=answer)
        _print(state, as_json=as_json, answer=answer)
        return REFUSED if state["refused"] else 0

    return command


def run(question: str, context: Context, *, answer: bool) -> dict[str, Any]:
    """One question through the graph, in this process. The demo question brings its own shelf where nothing is indexed."""
    from graph.resources import Resources
    from graph.settings import load_settings
    from graph.workflow import build_graph
    from nodes.context import check_question, resolve

    settings = load_settings()
    check_question(question)
    resolve(context, settings.defaults())  # bad options are told before a model loads
    resources = Resources(settings)
    if question.strip() == DEMO_QUESTION:
        from service.commands.ingesting import ingest_demo_if_empty

        ingest_demo_if_empty(resources)
    graph = build_graph(resources, answer=answer)
    return dict(asyncio.run(graph.ainvoke({"question": question}, context=context)))


def _print(state: dict[str, Any], *, as_json: bool, answer: bool) -> None:
    if as_json:
        from nodes.state import as_json as shape
        from service.results import answer_of

        shown = answer_of(state) if answer else shape(state, answer=False)  # type: ignore[arg-type]
        typer.echo(json.dumps(shown, ensure_ascii=False, indent=2))
        return
    from service import rendering

    if answer:
        rendering.print_answer(state)
    else:
        rendering.print_stages(state)
