"""``policydesk eval``, ``why`` and ``calibrate``: the instruments."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.commands.options import Json, Question, Reranker, Tenant, takes_question_options
from service.opened_set import OpenedSet, counted, open_golden, steps

if TYPE_CHECKING:
    from evals.running import Outcome
    from nodes.context import Context

#: The exit code of ``why`` where what is expected is not there: bad input, as everywhere.
NOT_INDEXED = 2

Golden = Annotated[
    str,
    typer.Argument(
        help="A golden JSONL file, a BEIR folder (corpus.jsonl, queries.jsonl, qrels.tsv), or a set that comes with the desk: "
        "kartly, bg-sick-pay.",
        show_default=False,
    ),
]
Folder = Annotated[
    Path | None,
    typer.Option(help="Measure over this folder's documents, in an index of its own, and not over the live index."),
]
Limit = Annotated[int | None, typer.Option(min=1, help="Only the first questions.")]
Stage = Annotated[str, typer.Option(help="Measure the order after retrieve, fuse, rerank or fit.")]
ReportFolder = Annotated[
    Path | None, typer.Option("--report", help="Write an HTML report with pictures to this folder.")
]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command("eval")(evaluate)
    app.command()(why)
    app.command()(calibrate)


@takes_question_options(dials=True)
def evaluate(
    golden: Golden,
    limit: Limit = None,
    stage: Stage = "rerank",
    answers: Annotated[
        bool, typer.Option("--answers", help="Also write the answers, and measure their citations.")
    ] = False,
    ablate: Annotated[
        bool, typer.Option("--ablate", help="Switch each stage and option off and on, and compare.")
    ] = False,
    report: ReportFolder = None,
    documents: Folder = None,
    *,
    options: Context,
    as_json: Json = False,
) -> int:
    """Measure retrieval, refusal and latency over a golden set; with --ablate, what each stage and option brings."""
    from evals.running import STAGES
    from knowledge.errors import BadQuestion

    if stage not in STAGES:
        raise BadQuestion(f"--stage is one of {', '.join(STAGES)}, not {stage!r}.", field="stage")
    if ablate and answers:
        raise BadQuestion("--ablate compares retrieval: leave --answers out.", field="answers")
    if report is not None:
        from evals.pictures import check_drawing

        check_drawing()
    run = open_golden(golden, options, limit=limit, documents=documents, quiet=as_json)
    if ablate:
        return _ablate(run, report)
    outcomes = run.measure(answer=answers)
    from evals.summary import summarise

    summary = {"set": run.golden.name, "stage": stage, **summarise(outcomes, stage=stage, answers=answers)}
    if as_json:
        typer.echo(json.dumps(summary, ensure_ascii=False, indent=2))
    else:
        from service.measurements import print_summary

        print_summary(summary, answers=answers)
    _write_report(report, run, summary, outcomes, stage=stage)
    return 0


@takes_question_options(dials=True)
def why(
    question: Question,
    expect: Annotated[
        str, typer.Option(help="A chunk id, a document id, or words of the passage.", show_default=False)
    ],
    in_set: Annotated[
        str | None, typer.Option("--set", help="Look in the index of this golden set or BEIR folder.")
    ] = None,
    *,
    options: Context,
    as_json: Json = False,
) -> int:
    """Say at which stage a passage was lost for a question, what beat it, and which option would have kept it.

    Exit code 2 if nothing that is indexed has that id or holds these words.
    """
    from evals.why import explain
    from graph.resources import Resources
    from graph.settings import load_settings
    from graph.workflow import build_graph

    if in_set is None:
        resources = Resources(load_settings())
    else:
        resources = open_golden(in_set, options, limit=None, documents=None, quiet=as_json).resources
    found = asyncio.run(explain(build_graph(resources, answer=False), resources, question, expect, options))
    if as_json:
        typer.echo(json.dumps(found.as_json(), ensure_ascii=False, indent=2))
    else:
        from service.measurements import print_explanation

        print_explanation(found)
    return NOT_INDEXED if found.lost == "not_indexed" else 0


def calibrate(
    golden: Golden,
    max_refused: Annotated[
        float, typer.Option(min=0, max=50, help="Answerable questions that may be refused, in percent.")
    ] = 3.0,
    documents: Folder = None,
    tenant: Tenant = None,
    reranker: Reranker = None,
    limit: Limit = None,
    as_json: Json = False,
) -> int:
    """Choose the refusal threshold from a golden set's answerable and unanswerable questions, for the models in use."""
    from evals.calibrating import calibrate as choose
    from evals.steadiness import small_set_warning, threshold_interval
    from knowledge import calibration
    from nodes.context import Context

    options = Context(tenant=tenant, reranker=reranker)
    run = open_golden(golden, options, limit=limit, documents=documents, quiet=as_json)
    outcomes = run.measure(answer=False)
    found = choose(outcomes, max_refused_percent=max_refused)
    interval = threshold_interval(outcomes, max_refused_percent=max_refused)
    warning = small_set_warning(found.answerable, found.unanswerable, interval)
    key = calibration.key_of(
        embedding=run.resources.embedding.name,
        reranker=outcomes[0].reranker,
        index_version=outcomes[0].index_version,
    )
    path = run.home / calibration.FILE
    calibration.save(path, key, found.as_entry(golden=run.golden.name))
    if as_json:
        shown = {"key": key, "file": str(path), "interval": interval, "warning": warning, "curve": found.curve}
        typer.echo(json.dumps(found.as_entry(golden=run.golden.name) | shown, indent=2))
    else:
        from service.measurements import print_calibration

        print_calibration(found, key=key, path=path)
        if warning:
            typer.echo(f"Note: {warning}", err=True)
    return 0


def _ablate(run: OpenedSet, report: Path | None) -> int:
    from langgraph.checkpoint.memory import InMemorySaver

    from evals.ablating import ablate, changes_for
    from evals.summary import summarise
    from graph.workflow import build_graph

    graph = build_graph(run.resources, InMemorySaver(), answer=False)
    defaults = run.resources.settings.defaults()
    changes = changes_for(run.options, defaults, has_chat=run.resources.small_chat is not None)
    total = len(run.golden.items) * (1 + len(changes))
    with steps(quiet=run.quiet) as tell:
        outcomes, rows = asyncio.run(
            ablate(graph, run.golden, run.options, changes, on_done=counted(tell, "asking", total))
        )
    summary = {"set": run.golden.name, "stage": "rerank", **summarise(outcomes)}
    if run.quiet:
        typer.echo(json.dumps(summary | {"ablation": [row.as_json() for row in rows]}, ensure_ascii=False, indent=2))
    else:
        from service.measurements import print_ablation

        print_ablation(run.golden.name, len(outcomes), rows)
    _write_report(report, run, summary, outcomes, stage="rerank", rows=rows)
    return 0


def _write_report(
    folder: Path | None,
    run: OpenedSet,
    summary: Mapping[str, Any],
    outcomes: list[Outcome],
    *,
    stage: str,
    rows: Any = (),
) -> None:
    if folder is None:
        return
    from evals.report import Report, write_report

    settings = run.resources.settings
    reranker = next((outcome.reranker for outcome in outcomes), settings.reranker)
    about = f"{len(outcomes)} questions · embedding {settings.embedding} · reranker {reranker} · measured after {stage}"
    page = Report(name=run.golden.name, about=about, summary=summary, outcomes=outcomes, stage=stage, rows=rows)
    typer.echo(f"Report: {write_report(page, folder)}", err=True)
