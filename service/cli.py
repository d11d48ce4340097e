"""The command line. Heavy imports wait inside the commands, so that ``--help`` is quick and imports no model library."""

from __future__ import annotations

import atexit
import gc
import sys

import typer

from knowledge.errors import BadInput, BadQuestion, Forbidden, PolicyDeskError
from service.commands import asking, doctor, ingesting, measuring, models, serving, versions


def _leave(code: object, **_: object) -> None:
    """A command's return value is the exit code."""
    raise typer.Exit(code if isinstance(code, int) else 0)


app = typer.Typer(
    name="policydesk",
    help="Answers questions over your own policies, manuals and laws, with citations that can be checked.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    result_callback=_leave,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for module in (ingesting, asking, measuring, versions, models, doctor, serving):
    module.register(app)

#: Exit codes: 0 answered, 1 failure, 2 bad input; ``asking`` adds 3, refused.
FAILED, BAD_INPUT = 1, 2


def exit_code(error: PolicyDeskError) -> int:
    """The exit code of an error: 2 where the user can mend the input, 1 for the rest."""
    return BAD_INPUT if isinstance(error, (BadQuestion, BadInput, Forbidden)) else FAILED


#: Commands that are over before garbage matters.
_SHORT = frozenset({"ask", "search", "why", "check", "doctor", "keys"})


def main(argv: list[str] | None = None) -> None:
    """Run the command line; every foreseen error leaves as one sentence on standard error."""
    if argv is None and _SHORT.intersection(sys.argv[1:2]):
        _let_garbage_lie()
    try:
        app(args=argv)
    except PolicyDeskError as error:
        typer.echo(f"policydesk: {error.message}", err=True)
        raise SystemExit(exit_code(error)) from None
    except OSError as error:  # a folder that can't be written, a full disk
        at = f": {error.filename}" if error.filename else ""
        typer.echo(f"policydesk: {error.strerror or error}{at}", err=True)
        raise SystemExit(FAILED) from None


def _let_garbage_lie() -> None:
    """A quarter of a cold question's time went into going over what imports made, again and again and once more at the end."""
    gc.disable()
    atexit.register(gc.freeze)


if __name__ == "__main__":
    main()
