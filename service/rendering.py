"""What the terminal shows: an answer with its citations, or every stage as a table. Document text is never read as markup."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

REASONS = {
    "nothing_found": "nothing in the documents matches",
    "weak_retrieval": "what was found does not bear on the question",
    "not_in_documents": "the passages do not hold the answer",
    "unsupported_answer": "an answer was written, but its sentences are not supported by the passages",
}


def print_answer(state: dict[str, Any]) -> None:
    """The answer, then its numbered citations with file and heading; a refusal with its reason and no sources."""
    console = Console(highlight=False, soft_wrap=False)
    console.print(Text(state["answer"]))
    if state["refused"]:
        reason = state["refusal_reason"]
        console.print(Text(f"\nRefused: {REASONS.get(reason, reason)} ({reason}).", style="yellow"))
    elif state["citations"]:
        console.print()
        for label, quotes in _by_label(state["citations"]).items():
            first = quotes[0]
            page = f", page {first['page']}" if first.get("page") else ""
            head = f"[{label}] {first['source']}{page} · {first['section'] or first['title']}"
            console.print(Text(head, style="bold"))
            for quote in dict.fromkeys(" ".join(citation["quote"].split()) for citation in quotes):
                console.print(Padding(Text(f"“{quote}”", style="dim"), (0, 0, 0, 4)))
    for notice in state.get("notices") or []:
        console.print(Text(f"\n{notice}", style="italic"))
    _print_warnings(state)


def _by_label(citations: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    grouped: dict[str, list[dict[str, Any]]] = {}
    for citation in citations:
        grouped.setdefault(citation["label"], []).append(citation)
    return grouped


def print_stages(state: dict[str, Any]) -> None:
    """Every stage of the retrieval as a table."""
    console = Console(highlight=False)
    console.print(Text(f"Question: {state['standalone_question']}", style="bold"))
    for query in state["queries"][1:]:
        console.print(Text(f"  also searched ({query['kind']}): {query['text']}"))
    for ranked in state["lists"]:
        console.print(_table(f"{ranked['kind']} · {ranked['query']} · weight {ranked['weight']:g}", ranked["hits"]))
    console.print(_table("fused", state["fused"]))
    name = f"reranked by {state['reranker']}" if state["reranked"] else "not reranked: the fused order stands"
    console.print(_table(name, state["ranked"]))
    fitted = Table(title="fitted", title_justify="left", expand=True)
    for column in ("label", "chunk", "section", "source", "text"):
        fitted.add_column(column, overflow="fold" if column == "text" else "ellipsis", no_wrap=column != "text")
    for passage in state["context"]:
        start = " ".join(passage["text"].split())[:160]
        cells = (passage["label"], passage["id"], passage["section"], passage["source"], start)
        fitted.add_row(*(Text(cell) for cell in cells))
    console.print(fitted)
    verdict = f"refused ({state['refusal_reason']})" if state["refused"] else "enough to answer on"
    console.print(Text(f"Evidence {state.get('evidence', 0.0):.2f}: {verdict}"))
    timings = ", ".join(f"{name} {spent:.1f}" for name, spent in state["timings_ms"].items())
    console.print(Text(f"Milliseconds: {timings}", style="dim"))
    _print_warnings(state)


def _table(title: str, hits: list[dict[str, Any]]) -> Table:
    table = Table(title=Text(title), title_justify="left")
    table.add_column("rank", justify="right")
    table.add_column("chunk")
    table.add_column("score", justify="right")
    for rank, hit in enumerate(hits, start=1):
        table.add_row(str(rank), Text(hit["id"]), f"{hit['score']:.4f}")
    return table


def _print_warnings(state: dict[str, Any]) -> None:
    errors = Console(stderr=True, highlight=False)
    for warning in state.get("warnings") or []:
        errors.print(Text(f"Note: {warning}", style="yellow"))
