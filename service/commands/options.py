"""What several commands take on the command line: the arguments, and the options of a question."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

if TYPE_CHECKING:
    from nodes.context import Context

Question = Annotated[str, typer.Argument(help="The question, in quotes.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Tenant = Annotated[str | None, typer.Option(help="Whose documents to search.")]
WhoseTenant = Annotated[str | None, typer.Option("--tenant", help="Whose documents to look at.")]
OwnTenant = Annotated[str | None, typer.Option("--tenant", help="Whose documents these are, where no manifest says.")]
Reranker = Annotated[str | None, typer.Option(help="auto, evidence, none, llm or cross-encoder:NAME_OR_FOLDER.")]

Paths = Annotated[list[str], typer.Argument(help="Folders and files.", show_default=False)]

#: A question's options by their name here: the ``Context`` field, the option and its default.
_OPTIONS: dict[str, tuple[str, Any, Any]] = {
    "tenant": ("tenant", Tenant, None),
    "category": ("category", Annotated[str | None, typer.Option(help="Only this category, and general.")], None),
    "top_k": ("top_k", Annotated[int | None, typer.Option(help="Passages for the answer, 1 to 8.")], None),
    "candidate_k": ("candidate_k", Annotated[int | None, typer.Option(help="Length of each list, 1 to 100.")], None),
    "rerank_k": ("rerank_k", Annotated[int | None, typer.Option(help="Candidates reranked, 1 to 100.")], None),
    "token_budget": ("token_budget", Annotated[int | None, typer.Option(help="Tokens of all passages.")], None),
    "expand": (
        "expansion",
        Annotated[str | None, typer.Option(help="none, auto, or multi_query, decompose, hyde joined by commas.")],
        None,
    ),
    "reranker": ("reranker", Reranker, None),
    "threshold": (
        "threshold",
        Annotated[float | None, typer.Option(help="Least evidence to answer on, 0 to 1.")],
        None,
    ),
    "document": (
        "document_ids",
        Annotated[list[str] | None, typer.Option(help="Only this document id. May be repeated.")],
        None,
    ),
    "language": (
        "languages",
        Annotated[list[str] | None, typer.Option(help="Only this language. May be repeated.")],
        None,
    ),
    "include_repealed": (
        "include_repealed",
        Annotated[bool, typer.Option("--include-repealed", help="Also search repealed documents.")],
        False,
    ),
    "updated_since": (
        "updated_since",
        Annotated[str | None, typer.Option(help="Only documents updated since YYYY-MM-DD.")],
        None,
    ),
    "where": (
        "fields",
        Annotated[list[str] | None, typer.Option(help="A manifest field, as field=value. May be repeated.")],
        None,
    ),
}
_LISTS = ("document", "language")
#: What only the instruments offer.
DIALS = ("candidate_k", "rerank_k", "token_budget", "threshold")


def takes_question_options(*, dials: bool) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """A decorator: the command's ``options: Context`` comes from options on the command line, put in front of ``as_json``.

    ``dials``: with those that only the instruments offer. Raises ``BadQuestion`` where one can't be read.
    """
    names = [name for name in _OPTIONS if dials or name not in DIALS]

    def decorate(command: Callable[..., int]) -> Callable[..., int]:
        # Typer reads the hints themselves; a ``Context`` is none of its business, and its import waits until a command runs.
        hints = get_type_hints(command, localns={"Context": object}, include_extras=True)
        given_by_typer = [
            one.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[one.name])
            for one in inspect.signature(command).parameters.values()
            if one.name != "options"
        ]
        own = [one for one in given_by_typer if one.name != "as_json"]
        last = [one for one in given_by_typer if one.name == "as_json"]
        shared = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=_OPTIONS[name][2], annotation=_OPTIONS[name][1]
            )
            for name in names
        ]

        @wraps(command)
        def run(**given: Any) -> int:
            chosen = {name: given.pop(name) for name in names}
            return command(**given, options=_context(chosen))

        parameters = [*own, *shared, *last]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        return run

    return decorate


def _context(chosen: dict[str, Any]) -> Context:
    from nodes.context import Context

    options: dict[str, Any] = {
        _OPTIONS[name][0]: value or [] if name in _LISTS else value for name, value in chosen.items()
    }
    options["fields"] = read_fields(chosen["where"] or [])
    return Context(**options)


def read_paths(given: list[str]) -> list[Path]:
    """The paths. Raises ``BadInput`` for an empty one, which an unset variable leaves and which would mean this folder."""
    from knowledge.errors import BadInput

    if not all(one.strip() for one in given):
        raise BadInput("A path is empty: name a folder or a file, and the folder you are in as '.'.", field="paths")
    return [Path(one) for one in given]


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
