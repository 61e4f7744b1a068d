"""`voice-hitl`: the command line."""

import logging
import os
import sys
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Literal

import anyio
import typer
from rich.console import Console
from rich.logging import RichHandler

from voice_hitl import plugins
from voice_hitl.cli import operators
from voice_hitl.cli.claims import check_claims
from voice_hitl.cli.failing import err, fail
from voice_hitl.cli.report import show_claims, show_claims_json, show_json, show_table
from voice_hitl.cli.talk import question_of, run_talk
from voice_hitl.errors import VoiceHitlError

app = typer.Typer(
    name="voice-hitl",
    help="The moment in a live call when an AI has to stop and ask a person.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)
out = Console()

DATA = Path(typer.get_app_dir("voice-hitl")) / "demo"

Host = Annotated[str, typer.Option(help="The address to listen on; anything but this machine's own lets others call.")]
Model = Annotated[
    Literal["local", "openai"] | None,
    typer.Option("--provider", help="The agent's model. Without it: OpenAI's where OPENAI_API_KEY is set, else local."),
]
Port = Annotated[int, typer.Option(min=0, max=65_535, help="The port to listen on; 0: any free one.")]


def main() -> None:
    """Run the command line."""
    logging.basicConfig(
        level=logging.WARNING,
        format="%(message)s",
        handlers=[RichHandler(console=err, show_path=False, rich_tracebacks=False)],
    )
    app()


@app.callback(invoke_without_command=True)
def top(
    show_version: Annotated[
        bool, typer.Option("--version", is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Voice agents that ask a person."""
    if show_version:
        out.print(f"voice-hitl {version('voice-hitl')}", highlight=False)
        raise typer.Exit


@app.command()
def demo(
    host: Host = "127.0.0.1",
    port: Port = 8484,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")] = True,
    provider: Model = None,
    data: Annotated[
        Path, typer.Option(file_okay=False, help="The folder in which bookings and open approvals outlive the demo.")
    ] = DATA,
) -> None:
    """Talk to an agent in the browser, and answer what it asks."""
    try:
        with plugins.needing("demo"):
            from voice_hitl.cli.serving import run_demo  # noqa: PLC0415 - needs an extra that the others do not
        anyio.run(partial(run_demo, host, port, open_browser, provider, out, data=data))
    except KeyboardInterrupt:
        pass
    except (VoiceHitlError, OSError) as error:
        fail(str(error))
    out.print("Stopped.")


@app.command()
def check(
    *,
    url: Annotated[str | None, typer.Option(help="A demo that runs already, such as http://127.0.0.1:8484.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
    timeout: Annotated[
        float, typer.Option(min=1, help="Seconds for the whole call, or for any one thing probed.")
    ] = 60.0,
    provider: Annotated[
        Literal["local", "openai"] | None,
        typer.Option(help="local: call the embedded voice, key or not. openai: probe what the OpenAI plugin claims."),
    ] = None,
    loss: Annotated[
        float, typer.Option(min=0, max=50, help="Call over a line that loses this many percent of the packets.")
    ] = 0.0,
    digits: Annotated[str, typer.Option(help="Press these keys in the call, such as 4271#.")] = "",
) -> None:
    """Place a real call, let the agent ask, answer it, and print how long each step took.

    With --loss the call goes through a relay in this process; what was delivered, recovered and concealed is printed,
    and it fails below 99.5 % played or recovered (up to 1 % loss) or 98 % (up to 5 %), or where a key is missing.

    The call is on OpenAI's model where OPENAI_API_KEY is set. With --provider openai there is no call: every claim of
    the plugin is tried, with a key at the service, without one at a local server.
    """
    if digits.strip("0123456789*#ABCD"):
        raise typer.BadParameter(f"{digits!r} are no keys of a telephone: give some of 0123456789*#ABCD")
    if provider == "openai" and (loss or digits):
        raise typer.BadParameter("--provider openai places no call: leave --loss and --digits out, or take local")
    if url is not None and provider is not None:
        raise typer.BadParameter("a demo that runs already has its own model: give --url or --provider")
    try:
        if provider == "openai":
            ok = _check_claims(timeout, as_json)
        else:
            ok = _check_call(url, timeout, provider, as_json, loss=loss / 100, keys=digits)
    except KeyboardInterrupt:
        fail("stopped before it was over")
    except (VoiceHitlError, OSError) as error:
        fail(str(error))
    if not ok:
        raise typer.Exit(1)


def _check_call(
    url: str | None, timeout: float, model: Literal["local"] | None, as_json: bool, *, loss: float, keys: str
) -> bool:
    with plugins.needing("demo"):
        from voice_hitl.cli.serving import Line, run_check  # noqa: PLC0415 - needs an extra that the others do not
    report = anyio.run(run_check, url, timeout, model, err, Line(loss, keys))
    (show_json if as_json else show_table)(report, out)
    return report.ok


def _check_claims(timeout: float, as_json: bool) -> bool:
    claims = anyio.run(check_claims, os.environ, timeout, err)
    (show_claims_json if as_json else show_claims)(claims, out)
    return claims.ok


@app.command()
def talk(
    target: Annotated[str, typer.Argument(metavar="FILE:TOOL", help="A Python file and a tool, or a question, in it.")],
    arguments: Annotated[str, typer.Option(help="What the model calls it with, as JSON.")] = "{}",
    language: Annotated[str, typer.Option(help="The language of the dialogue.")] = "en",
) -> None:
    """Answer a tool's question in text, and read why each answer was understood as it was.

    A line is what you say; #1 is key 1, an empty line is silence.
    """
    try:
        # Whoever types sees where; what is piped in needs no prompt between the lines.
        read = partial(input, "> ") if sys.stdin.isatty() else input
        run_talk(question_of(target, arguments), language, read, lambda line: out.print(line, markup=False))
    except KeyboardInterrupt:
        pass
    except VoiceHitlError as error:
        fail(str(error))


@app.command()
def serve(
    target: Annotated[
        str, typer.Argument(metavar="FILE:NAME", help="A Python file, and the function in it that makes the channel.")
    ],
    *,
    sip: Annotated[str, typer.Option(metavar="HOST:PORT", help="Take SIP calls there.")] = "",
    twilio: Annotated[str, typer.Option(metavar="PATH", help="Take calls that Twilio hands over there.")] = "",
    webrtc: Annotated[str, typer.Option(metavar="PATH", help="Take calls of browsers there, with a page.")] = "",
    public_url: Annotated[str, typer.Option(help="Where the Internet reaches this server, such as Twilio.")] = "",
    host: Host = "127.0.0.1",
    port: Port = 8484,
) -> None:
    """Put a channel of yours behind SIP, Twilio and WebRTC, and answer calls until it is ended.

    NAME takes a transport and returns the channel:

    `def channel(transport): return RealtimeVoiceChannel(..., transport=transport)`
    """
    from voice_hitl.cli.answering import run_serve  # noqa: PLC0415 - the other commands need none of it
    from voice_hitl.cli.legs import Wanted  # noqa: PLC0415

    wanted = Wanted(sip=sip, twilio=twilio, webrtc=webrtc, public_url=public_url)
    try:
        anyio.run(run_serve, target, wanted, (host, port), os.environ, out)
    except KeyboardInterrupt:
        pass
    except (VoiceHitlError, OSError) as error:
        fail(str(error))
    out.print("Stopped.")


app.command()(operators.console)
app.command()(operators.token)
