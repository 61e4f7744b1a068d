"""`voice-hitl`: the command line."""

import logging
from importlib.metadata import version
from typing import Annotated, Literal, NoReturn

import anyio
import typer
from rich.console import Console
from rich.logging import RichHandler
from rich.markup import escape

from voice_hitl import plugins
from voice_hitl.cli.report import show_json, show_table
from voice_hitl.errors import VoiceHitlError

app = typer.Typer(
    name="voice-hitl",
    help="The moment in a live call when an AI has to stop and ask a person.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
out = Console()
err = Console(stderr=True)

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
) -> None:
    """Talk to an agent in the browser, and answer what it asks."""
    try:
        with plugins.needing("demo"):
            from voice_hitl.cli.serving import run_demo  # noqa: PLC0415 - needs an extra that the others do not
        anyio.run(run_demo, host, port, open_browser, provider, out)
    except KeyboardInterrupt:
        pass
    except (VoiceHitlError, OSError) as error:
        _fail(str(error))
    out.print("Stopped.")


@app.command()
def check(
    url: Annotated[str | None, typer.Option(help="A demo that runs already, such as http://127.0.0.1:8484.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
    timeout: Annotated[float, typer.Option(min=1, help="Seconds for the whole call.")] = 60.0,
    provider: Model = None,
) -> None:
    """Place a real call, let the agent ask, answer it, and print how long each step took."""
    try:
        with plugins.needing("demo"):
            from voice_hitl.cli.serving import run_check  # noqa: PLC0415 - needs an extra that the others do not
        report = anyio.run(run_check, url, timeout, provider, err)
    except KeyboardInterrupt:
        _fail("stopped before the call was over")
    except (VoiceHitlError, OSError) as error:
        _fail(str(error))
    (show_json if as_json else show_table)(report, out)
    if not report.ok:
        raise typer.Exit(1)


def _fail(why: str) -> NoReturn:
    # Never wrapped: a command in it can be copied.
    err.print(f"[bold red]voice-hitl:[/] {escape(why)}", highlight=False, soft_wrap=True)
    raise typer.Exit(1)
