"""`voice-hitl serve`: a channel of the user's behind the legs that were asked for, until it is asked to end."""

import inspect
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final, Protocol, runtime_checkable

import anyio
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from voice_hitl import plugins
from voice_hitl.channels.switchboard import Switchboard
from voice_hitl.channels.voice import RealtimeVoiceChannel
from voice_hitl.cli.end_signals import end_signals
from voice_hitl.cli.legs import CannotServe, Legs, OpenLeg, Wanted, open_legs
from voice_hitl.cli.memory import keep_loaded
from voice_hitl.cli.target import load_target
from voice_hitl.transport import Transport

HOW: Final = "def channel(transport): return RealtimeVoiceChannel(..., transport=transport)"


@runtime_checkable
class Preloads(Protocol):
    """A provider that has something to load before its first call."""

    async def preload(self) -> None:
        """Load it."""
        ...


async def run_serve(
    target: str, wanted: Wanted, web: tuple[str, int], environ: Mapping[str, str], out: Console
) -> None:
    """Serve until the program is asked to end; every call is hung up then.

    Args:
        target: `FILE:NAME` of a function that takes a transport and returns a `RealtimeVoiceChannel`.
        wanted: Where calls come in.
        web: The address and the port (0: any free one) of the web server, where one is needed.
        environ: The environment.
        out: Where it is told what is served.

    Raises:
        NoSuchTarget: The file or the name is not there, or the file fails.
        CannotServe: The legs cannot be opened, or NAME gives no channel.
        PluginMissing: What a leg needs is not installed.
        PortBusy: Another program has the web server's port.
        WebServerEnded: It ended before; every call was hung up.
    """
    make = load_target(target)
    async with _web_server(wanted, web, environ) as legs, AsyncExitStack() as ending:
        channel = await _channel(target, make, Switchboard(*legs.transports))
        ending.push_async_callback(_close, channel)
        if isinstance(channel.provider, Preloads):
            with out.status("loading the agent's ears and voice"):
                await channel.provider.preload()
        await legs.start()
        keep_loaded()
        with end_signals() as asked_to_end:
            _show(channel.id, legs.opened, out)
            await asked_to_end()
        calls = len(channel.sessions)
        if calls:
            out.print(f"Stopping: {calls} {'call is' if calls == 1 else 'calls are'} hung up.", highlight=False)


async def _channel(target: str, make: object, transport: Transport) -> RealtimeVoiceChannel:
    """Have the user's function make its channel."""
    if isinstance(make, RealtimeVoiceChannel):
        raise CannotServe(f"{target} has a transport of its own already: make it a function of one, {HOW}")
    if not callable(make):
        raise CannotServe(f"{target} is no channel: let it be a function of the transport, {HOW}")
    made: object = make(transport)
    if inspect.isawaitable(made):
        made = await made
    if not isinstance(made, RealtimeVoiceChannel):
        raise CannotServe(f"{target} returned {type(made).__name__}, and is to return its channel: {HOW}")
    return made


async def _close(channel: RealtimeVoiceChannel) -> None:
    with anyio.CancelScope(shield=True):
        await channel.close()


@asynccontextmanager
async def _web_server(wanted: Wanted, web: tuple[str, int], environ: Mapping[str, str]) -> AsyncGenerator[Legs]:
    """The legs, and a web server for those that need one: last to end, so that nobody is cut off in a goodbye."""
    if not wanted.over_http:
        yield open_legs(wanted, "", environ)
        return
    with plugins.needing("serve"):
        from starlette.applications import Starlette  # noqa: PLC0415 - a SIP leg needs no web server

        from voice_hitl.demo.server import address, listen, web_serving  # noqa: PLC0415
    with listen(*web) as listener:
        legs = open_legs(wanted, address(listener), environ)
        async with web_serving(Starlette(routes=legs.routes), listener, websockets=bool(wanted.twilio)):
            yield legs


def _show(channel_id: str, opened: list[OpenLeg], out: Console) -> None:
    table = Table(title=f"Channel {escape(channel_id)} takes calls", title_justify="left", title_style="bold")
    table.add_column("leg")
    table.add_column("call it at", overflow="fold")
    table.add_column("", overflow="fold")
    for leg in opened:
        note = f"[yellow]{escape(leg.note)}[/]" if leg.warns else escape(leg.note)
        table.add_row(leg.name, f"[bold]{escape(leg.call_at)}[/]", note)
    out.print(table)
    out.print("Ctrl-C hangs up and ends it.", highlight=False)
