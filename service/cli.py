"""The command line. Heavy imports wait inside the commands, so that ``--help`` is quick and imports no model library."""

from __future__ import annotations

import sys
from typing import Any

import typer

from knowledge.errors import BadInput, BadQuestion, Forbidden, PolicyDeskError
from service.commands import asking, doctor, ingesting, measuring, serving

app = typer.Typer(
    name="policydesk",
    help="Answers questions over your own policies, manuals and laws, with citations that can be checked.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for module in (ingesting, asking, measuring, doctor, serving):
    module.register(app)

#: Exit codes: 0 answered, 1 failure, 2 bad input, 3 refused.
FAILED, BAD_INPUT, REFUSED = 1, 2, 3


def exit_code(error: PolicyDeskError) -> int:
    """The exit code of an error: 2 where the user can mend the input, 1 for the rest."""
    return BAD_INPUT if isinstance(error, (BadQuestion, BadInput, Forbidden)) else FAILED


def main(argv: list[str] | None = None) -> None:
    """Run the command line; every foreseen error leaves as one sentence on standard error."""
    try:
        code: Any = app(args=argv, standalone_mode=False)
    except PolicyDeskError as error:
        typer.echo(f"policydesk: {error.message}", err=True)
        raise SystemExit(exit_code(error)) from None
    except typer.Exit as stop:
        raise SystemExit(stop.exit_code) from None
    except typer.Abort:
        typer.echo("policydesk: stopped.", err=True)
        raise SystemExit(FAILED) from None
    except (KeyboardInterrupt, BrokenPipeError):
        raise SystemExit(FAILED) from None
    raise SystemExit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
