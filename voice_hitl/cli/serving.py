"""What the commands run: the demo for as long as it is wanted, and a check against it or against one that runs."""

import os
import sys
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
from rich.console import Console
from rich.markup import escape

from voice_hitl.cli.checking import STEPS, Check, Report, Step
from voice_hitl.cli.end_signals import end_signals
from voice_hitl.cli.memory import keep_loaded
from voice_hitl.demo.app import OPERATORS, Demo, create_demo
from voice_hitl.demo.model import ModelName, choose_model
from voice_hitl.demo.server import listen, serving
from voice_hitl.errors import VoiceHitlError


async def run_demo(
    host: str, port: int, open_browser: bool, model: ModelName | None, out: Console, *, data: Path | None = None
) -> None:
    """Serve the demo until the program is asked to end; open calls are hung up then.

    `model` None: OpenAI's where `OPENAI_API_KEY` is set, else the embedded one. `data`: the folder of what outlives it.

    Raises:
        PluginMissing: The demo's extra is not installed.
        PortBusy: Another program has the port.
        WebServerEnded: The web server ended before it was to; open calls were hung up.
    """
    with listen(host, port) as listener:
        async with serving(await _loaded(model, out, data), listener) as url:
            supervisors = f"{url}{OPERATORS}/"
            out.print(f"[bold]Open {url}[/] and start the call. Ctrl-C ends it.", highlight=False)
            out.print(f"[dim]The supervisor's tab, for a table for eight or more: {supervisors}[/]", highlight=False)
            with end_signals() as asked_to_end:
                if open_browser and has_browser():
                    for tab in (supervisors, url):  # the last one is in front
                        await anyio.to_thread.run_sync(webbrowser.open, tab)
                await asked_to_end()


class NoAddress(VoiceHitlError):  # noqa: N818 - named by its cause
    """What was given is no web server's address."""


@dataclass(frozen=True, slots=True)
class Line:
    """What the line of a check is to do: lose this share of the packets (0 to 1), and carry these keys."""

    loss: float = 0.0
    keys: str = ""


async def run_check(
    url: str | None, timeout: float, model: ModelName | None, progress: Console, line: Line | None = None
) -> Report:
    """Call the demo at `url`, or one started for it (on `model`, as `run_demo`), and see every step happen.

    Raises:
        PluginMissing: The demo's extra is not installed.
        NoAddress: `url` is none.
    """
    line = line or Line()
    if url is not None:
        far_away = Check(offers_at(url), same_clock=False, loss=line.loss, keys=line.keys)
        return await _checked(far_away, timeout, progress)
    with listen("127.0.0.1", 0) as listener:
        async with serving(await _loaded(model, progress), listener) as own:
            here = Check(offers_at(own), same_clock=True, loss=line.loss, keys=line.keys)
            return await _checked(here, timeout, progress)


async def _loaded(model: ModelName | None, console: Console, data: Path | None = None) -> Demo:
    demo = create_demo(choose_model(model, os.environ), data=data)
    console.print(f"[dim]{escape(demo.model.told)}[/]", highlight=False)
    with console.status("loading the agent's ears and voice"):
        await demo.preload()
    keep_loaded()
    return demo


async def _checked(check: Check, timeout: float, progress: Console) -> Report:
    with progress.status(_waiting_for(check.report)) as status:

        def happened(step: Step) -> None:
            progress.print(f"[green]✓[/] {step.name} [dim]{step.ms:,.0f} ms[/]", highlight=False)
            status.update(_waiting_for(check.report))

        check.on_step = happened
        return await check.run(timeout=timeout)


def _waiting_for(report: Report) -> str:
    left = STEPS[len(report.steps) :]
    return f"waiting for: {left[0]}" if left else "hanging up"


def offers_at(url: str) -> str:
    """Where the offers of a demo at `url` go; an address with a path is taken as it is.

    Raises:
        NoAddress: It is none of a web server's.
    """
    whole = url if "//" in url else f"http://{url}"
    parts = urlsplit(whole)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise NoAddress(f"{url!r} is no address of a demo: write one such as --url http://127.0.0.1:8484")
    return whole if parts.path.strip("/") else f"{whole.rstrip('/')}/offer"


def has_browser() -> bool:
    """Whether a browser can be shown here."""
    # Without a display webbrowser may start one in this very terminal.
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
