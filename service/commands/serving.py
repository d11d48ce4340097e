"""``policydesk serve`` and ``policydesk keys``."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Annotated

import typer

from knowledge.errors import BadInput

if TYPE_CHECKING:
    from service.auth import KeyStore

_PANEL = "POLICYDESK_SERVE_"

Host = Annotated[
    str, typer.Option(help="Address to listen on. Without keys: this machine only.", envvar=_PANEL + "HOST")
]
Port = Annotated[
    int, typer.Option(help="Port to listen on; 0 takes a free one.", min=0, max=65535, envvar=_PANEL + "PORT")
]
Origins = Annotated[
    list[str] | None,
    typer.Option(
        "--cors-origin", help="A web origin that may call the service. May be repeated.", envvar=_PANEL + "CORS"
    ),
]
MaxBody = Annotated[
    int, typer.Option(help="Bytes a request's body may have.", min=1024, max=10_000_000, envvar=_PANEL + "MAX_BODY")
]
MaxRunning = Annotated[
    int, typer.Option(help="Questions that may run at once.", min=1, max=10_000, envvar=_PANEL + "MAX_RUNNING")
]
Drain = Annotated[
    float, typer.Option(help="Seconds a stop waits for running questions.", min=0, max=3600, envvar=_PANEL + "DRAIN")
]
LogFormat = Annotated[str, typer.Option(help="json or text.", envvar=_PANEL + "LOG")]
Tenant = Annotated[str, typer.Option(help="Whose documents the key may see.", show_default=False)]
Categories = Annotated[
    list[str] | None, typer.Option("--category", help="Only this category, and general. May be repeated.")
]
Rate = Annotated[int, typer.Option(help="Questions a minute; 0 for no limit.", min=0, max=1_000_000)]
MayReadMetrics = Annotated[bool, typer.Option("--metrics", help="The key may also read /metrics.")]
KeyId = Annotated[str, typer.Argument(help="The key's id, as keys list shows it.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command("serve", help="Serve the chat page, the HTTP API and LangServe.")(serve)
    keys = typer.Typer(
        help="API keys: each one has its tenant, its categories and its rate limit.", no_args_is_help=True
    )
    keys.command("add", help="Make a key. It is printed once, on the last line, and not kept.")(add_key)
    keys.command("list", help="The keys and their rights.")(list_keys)
    keys.command("revoke", help="End a key. It stops at the next request.")(revoke_key)
    app.add_typer(keys, name="keys")


def serve(
    host: Host = "127.0.0.1",
    port: Port = 8000,
    cors_origin: Origins = None,
    max_body: MaxBody = 65_536,
    max_running: MaxRunning = 64,
    drain: Drain = 30.0,
    log: LogFormat = "json",
) -> None:
    """Serve until stopped. Without keys it listens on this machine only."""
    try:
        from service.api import ServeOptions, create_app
    except ModuleNotFoundError as error:
        raise BadInput(
            f"serve needs the package {error.name}; run: pip install 'policydesk[serve]' (in a checkout: -e '.[serve]')"
        ) from None
    from graph.resources import open_resources
    from service.observability import configure_logging
    from service.server import serve as run

    if log not in ("json", "text"):
        raise BadInput(f"--log takes json or text, not {log!r}.", field="log")
    resources = open_resources()
    options = ServeOptions(cors_origins=tuple(cors_origin or ()), max_body=max_body, max_running=max_running)
    configure_logging(resources.settings.log_level, as_json=log == "json")
    app = create_app(resources, options)
    keyed = app.state.keys.are_set()
    if not keyed and not _is_loopback(host):
        raise BadInput(
            f"Without keys anybody could ask, so the service does not listen on {host}. Make a key first: "
            "policydesk keys add --tenant NAME",
            field="host",
        )
    port = _free_port(host, port)
    typer.echo(f"Policy Desk: http://{_in_url(host)}:{port}/", err=True)
    if not keyed:
        typer.echo(
            "No keys are set: it answers this machine only, without asking who calls. "
            "For others, make a key: policydesk keys add --tenant NAME",
            err=True,
        )
    run(app, host=host, port=port, drain_seconds=drain)


def add_key(
    tenant: Tenant, category: Categories = None, rate: Rate = 60, may_read_metrics: MayReadMetrics = False
) -> None:
    """Make a key and print it once."""
    if not tenant.strip():
        raise BadInput("--tenant is empty: say whose documents the key may see.", field="tenant")
    key, text = _keys().add(tenant.strip(), categories=tuple(category or ()), rate=rate, metrics=may_read_metrics)
    may = f"the categories {', '.join(key.categories)} and general" if key.categories else "all categories"
    limit = f"{rate} questions a minute" if rate else "no rate limit"
    typer.echo(f"Key {key.id} for tenant {key.tenant}: {may}, {limit}. It is shown only now:", err=True)
    typer.echo(text)


def list_keys(as_json: Json = False) -> None:
    """The keys and their rights, never the secrets."""
    keys = _keys().list()
    if as_json:
        import json
        from dataclasses import asdict

        shown = [{name: value for name, value in asdict(key).items() if name != "secret_sha256"} for key in keys]
        typer.echo(json.dumps(shown, ensure_ascii=False, indent=2))
        return
    for key in keys:
        may = ", ".join(key.categories) or "all categories"
        limit = f"{key.rate}/min" if key.rate else "no limit"
        rights = f"{may}; {limit}{'; metrics' if key.metrics else ''}"
        ended = f"  revoked {key.revoked_at}" if key.revoked_at else ""
        typer.echo(f"{key.id}  {key.tenant}  {rights}  made {key.created_at[:19]}{ended}")
    if not keys:
        typer.echo("No keys. Make one: policydesk keys add --tenant NAME", err=True)


def revoke_key(key_id: KeyId) -> None:
    """End a key."""
    key = _keys().revoke(key_id)
    typer.echo(f"Key {key.id} of tenant {key.tenant} is revoked.", err=True)


def _keys() -> KeyStore:
    from graph.settings import load_settings
    from service.auth import KEYS_FILE, KeyStore

    return KeyStore(load_settings().data / KEYS_FILE)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def _free_port(host: str, port: int) -> int:
    """The port, or for 0 a free one. Raises ``BadInput`` where it can't be listened on: told before anything loads."""
    import errno
    import socket

    said = {
        errno.EADDRINUSE: f"Port {port} of {host} is in use: stop what listens there, or choose another with --port.",
        errno.EACCES: f"Port {port} needs rights that this user does not have; choose one over 1023 with --port.",
        errno.EADDRNOTAVAIL: f"This machine has no address {host}; choose another with --host.",
    }
    try:
        found = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except socket.gaierror:
        raise BadInput(f"There is no address named {host!r}; choose another with --host.", field="host") from None
    for family, kind, protocol, _, address in found:
        try:
            with socket.socket(family, kind, protocol) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
                port = port or int(probe.getsockname()[1])
        except OSError as error:
            if error.errno not in said:
                raise
            if error.errno != errno.EADDRNOTAVAIL or len(found) == 1:  # a name may also stand for an address of IPv6
                raise BadInput(said[error.errno], field="port") from None
    return port
