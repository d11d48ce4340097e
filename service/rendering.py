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

#: Characters of a passage that the stage view shows.
_SHOWN = 300


def print_answer(state: dict[str, Any]) -> None:
    """The answer, then its numbered citations with file and heading; a refusal with its reason and no sources."""
    console = Console(highlight=False, soft_wrap=False)
    console.print(Text(state["answer"]))
    if state["refused"]:
        reason = state["refusal_reason"]
        console.print(Text(f"\nRefused: {REASONS.get(reason, reason)} ({reason}).", style="yellow"))
    elif state["citations"]:
        console.print()
        for place, citations in _by_place(state["citations"]).items():
            labels = list(dict.fromkeys(citation["label"] for citation in citations))
            console.print(Text(f"{' '.join(f'[{label}]' for label in labels)} {place}", style="bold"))
            for quote in dict.fromkeys(_quote(citation, named=len(labels) > 1) for citation in citations):
                console.print(Padding(Text(quote, style="dim"), (0, 0, 0, 4), expand=False))
    for notice in state.get("notices") or []:
        console.print(Text(f"\n{notice}", style="italic"))
    _print_warnings(state)


def _by_place(citations: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Citations by file, page and heading, which two passages may share, in reading order: a table's header above its row."""
    grouped: dict[str, list[dict[str, Any]]] = {}
    for citation in citations:
        page = f", page {citation['page']}" if citation.get("page") else ""
        place = f"{citation['source']}{page} · {citation['section'] or citation['title']}"
        grouped.setdefault(place, []).append(citation)
    for place, held in grouped.items():
        labels = [citation["label"] for citation in held]
        grouped[place] = sorted(held, key=lambda citation: (labels.index(citation["label"]), citation["start"]))
    return grouped


def _quote(citation: dict[str, Any], *, named: bool) -> str:
    """The quotation on one line; ``named``: with its label, where others stand beside it."""
    quote = f"“{' '.join(citation['quote'].split())}”"
    return f"{quote} [{citation['label']}]" if named else quote


def shortened(text: str, width: int) -> str:
    """The text on one line, cut between words with "…" where it is longer than ``width`` characters."""
    line = " ".join(text.split())
    if len(line) <= width:
        return line
    whole, blank, _ = line[: width - 1].rpartition(" ")
    return (whole if blank else line[: width - 2]).rstrip(" ,;:.–—-") + " …"


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
    console.print(Text("fitted", style="italic"))
    for passage in state["context"]:
        console.print(
            Text(f"{passage['label']}  {passage['id']}  {passage['source']} · {passage['section']}", style="bold")
        )
        console.print(Padding(Text(shortened(passage["text"], _SHOWN)), (0, 0, 0, 4), expand=False))
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
