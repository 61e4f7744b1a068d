"""`voice-hitl console` and `voice-hitl token`: the operators' console over a store, and who may sign in to it."""

import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Final

import anyio
import typer
from rich.console import Console as Terminal

from voice_hitl import plugins
from voice_hitl.asker import CALLER
from voice_hitl.cli.console_options import ConsoleOptions
from voice_hitl.cli.failing import fail
from voice_hitl.errors import VoiceHitlError

SECRET: Final = "VOICE_HITL_CONSOLE_SECRET"

SecretFile = Annotated[
    Path | None,
    typer.Option(help=f"A file with the secret that tokens are signed with; without it: {SECRET} in the environment."),
]


def token(
    user: Annotated[str, typer.Option(help="Who gets it: their name is shown, and recorded with what they answer.")],
    roles: Annotated[list[str], typer.Option(help="What they are, such as supervisors; several times, or a,b.")],
    hours: Annotated[float, typer.Option(min=0.01, max=8_760, help="How long it is valid.")] = 12.0,
    secret_file: SecretFile = None,
) -> None:
    """Print a token with which an operator signs in to the console, or a program uses its API."""
    named = _split(roles)
    if not user.strip():
        raise typer.BadParameter("--user is whoever gets the token, such as --user ann")
    if not named or CALLER in named:
        raise typer.BadParameter(f"--roles are those of operators, such as --roles supervisors; {CALLER!r} is none")
    try:
        with plugins.needing("console"):
            from voice_hitl.console.signed_tokens import SignedTokens  # noqa: PLC0415 - needs an extra
        tokens = SignedTokens(_secret(secret_file) or _missing())
    except (VoiceHitlError, ValueError, OSError) as error:
        fail(str(error))
    typer.echo(tokens.issue(user.strip(), named, lasts=timedelta(hours=hours)))


def console(
    *,
    store: Annotated[
        str, typer.Option(help="Where the agents keep their requests: a SQLite file, or redis://host:port/0.")
    ],
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="The port to listen on; 0: any free one.")] = 8485,
    secret_file: SecretFile = None,
    oidc_issuer: Annotated[str | None, typer.Option(help="An OpenID Connect provider whose tokens sign in.")] = None,
    oidc_audience: Annotated[str | None, typer.Option(help="Whom those tokens have to be for.")] = None,
    oidc_roles: Annotated[str, typer.Option(help="Where they have the roles.")] = "roles",
    anonymous: Annotated[
        list[str] | None,
        typer.Option(help="Roles of whoever opens the page on this very machine, without a token. For trying it out."),
    ] = None,
) -> None:
    """Serve the operators' console over the requests of a store: agents in other processes ask, operators answer here.

    What names one of an operator's roles in its audience is shown. An agent's own process mounts a `Console` instead.
    """
    if anonymous and host not in ("127.0.0.1", "::1", "localhost"):
        fail(f"without tokens the console is for this machine only: --anonymous does not go with --host {host}")
    if (oidc_issuer is None) is not (oidc_audience is None):
        fail("--oidc-issuer and --oidc-audience go together: a token of the provider may be for somebody else")
    try:
        with plugins.needing("console"):
            from voice_hitl.cli.console_serving import run_console  # noqa: PLC0415 - needs an extra
        secret = _secret(secret_file)
        if not (secret or oidc_issuer or anonymous):
            _missing()
        options = ConsoleOptions(
            store=store,
            host=host,
            port=port,
            secret=secret,
            oidc=(oidc_issuer, oidc_audience, oidc_roles) if oidc_issuer and oidc_audience else None,
            anonymous=_split(anonymous or ()),
        )
        with suppress(KeyboardInterrupt):
            anyio.run(run_console, options, Terminal())
    except (VoiceHitlError, ValueError, OSError) as error:
        fail(str(error))


def _split(roles: Sequence[str]) -> list[str]:
    return [role.strip() for given in roles for role in given.split(",") if role.strip()]


def _secret(file: Path | None) -> str | None:
    return file.read_text().strip() if file is not None else os.environ.get(SECRET) or None


def _missing() -> str:
    raise ValueError(
        f"there is no secret to sign tokens with: set {SECRET}, or name a file with --secret-file. "
        "One is made by: python -c 'import secrets; print(secrets.token_urlsafe(32))'"
    )
