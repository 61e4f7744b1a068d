"""How soon an event is on every operator's page, with a thousand requests open and a hundred pages watching.

    python benchmarks/console.py [--requests 1000] [--pages 100] [--events 100]

The console, its desk and its web server are one process, as in an application; the pages are another one, with a
connection and an HTTP reader each. A request is opened, and what is measured is when each page has read it whole. Both
processes read the same clock of the machine. Memory is what the process with the console has more than before.
"""

import json
import os
import resource
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlsplit

import anyio
import anyio.lowlevel
import httpx
import typer
from rich.console import Console as Terminal
from rich.table import Table

from voice_hitl import Confirm, HumanInputHandler
from voice_hitl.askers.console import ConsoleAsker
from voice_hitl.askers.desk import Desk
from voice_hitl.console.app import Console
from voice_hitl.console.operators import Limits
from voice_hitl.console.signed_tokens import SignedTokens
from voice_hitl.demo.server import listen, web_serving
from voice_hitl.human_input.new_request import NewRequest, new_pending

TOKENS: Final = SignedTokens("the secret of a console that is only measured")
SUPERVISORS: Final = ("supervisors",)
UNHURRIED: Final = Limits(requests=(1e6, 1e6), answers=(1e6, 1e6))
BAR_MS: Final = 250.0
PAUSE_S: Final = 0.2
MARK: Final = "measured at "


@dataclass(frozen=True)
class Measured:
    """What the pages saw, in milliseconds, and what it cost the console."""

    each_ms: Sequence[float]
    all_ms: Sequence[float]
    list_ms: float
    list_kb: float
    cpu_share: float
    opened_mb: float
    watched_mb: float

    @property
    def ok(self) -> bool:
        """Whether an event is on all pages in time, for 95 of 100 events."""
        return share(self.all_ms, 0.95) <= BAR_MS


def share(values: Sequence[float], at: float) -> float:
    """The value that this share of them does not exceed."""
    return sorted(values)[min(len(values) - 1, int(len(values) * at))]


# --- the pages' process ----------------------------------------------------------------------------------------------


async def watch(url: str, token: str, pages: int, events: int) -> None:
    """Have so many pages read so many events; print when each of them came, as JSON."""
    came: list[tuple[float, float]] = []
    ready = [pages]

    async def read(host: str, port: int) -> None:
        async with await anyio.connect_tcp(host, port) as stream:
            asked = f"GET /events HTTP/1.1\r\nhost: {host}:{port}\r\nauthorization: Bearer {token}\r\n\r\n"
            await stream.send(asked.encode())
            left, buffer = events, b""
            while left:
                buffer += await stream.receive()
                *whole, buffer = buffer.split(b"\n\n")
                for event in whole:
                    if b"event: sync" in event:
                        ready[0] -= 1
                        if not ready[0]:
                            print("ready", flush=True)
                    elif MARK.encode() in event:
                        sent = float(event.split(MARK.encode())[1].split(b"?")[0])
                        came.append((sent, time.monotonic()))
                        left -= 1

    parts = urlsplit(url)
    async with anyio.create_task_group() as group:
        for _ in range(pages):
            group.start_soon(read, parts.hostname or "", parts.port or 0)
    print(json.dumps(came), flush=True)


# --- the console's process -------------------------------------------------------------------------------------------


async def measure(requests: int, pages: int, events: int) -> Measured:
    """Open the requests, let the pages watch, open some more, and see when they come."""
    desk, handler, numbers = Desk(), HumanInputHandler(), count()
    console = Console(TOKENS, desk=desk, limits=UNHURRIED)

    def ask(prompt: str) -> None:
        number = next(numbers)
        question = Confirm(prompt=prompt, details={"order": f"A-{number}", "amount": "84.50 euros"})
        pending = new_pending(
            "refund", {"number": number}, question=question, audience=SUPERVISORS, room_id=f"call-{number}"
        )
        handler.open(NewRequest(pending, 3_600, askers=[ConsoleAsker("supervisors", desk)]))

    before_mb = memory_mb()
    with listen("127.0.0.1", 0) as listener, desk.watch(SUPERVISORS):
        for number in range(requests):
            ask(f"May the agent pay order A-{number} back?")
            await anyio.lowlevel.checkpoint()
        await anyio.sleep(1)
        opened_mb = memory_mb() - before_mb
        async with web_serving(console.app, listener) as url:
            token = TOKENS.issue("ann", SUPERVISORS)
            command = [sys.executable, str(Path(__file__)), "--watch", url, "--token", token]
            command += ["--pages", str(pages), "--events", str(events)]
            async with await anyio.open_process(command, stderr=None) as watchers:
                assert watchers.stdout is not None
                said = await watchers.stdout.receive()
                assert said.startswith(b"ready"), said
                watched_mb = memory_mb() - before_mb - opened_mb
                began, cpu = time.monotonic(), cpu_s()
                for _ in range(events):
                    ask(f"{MARK}{time.monotonic()}?")
                    await anyio.sleep(PAUSE_S)
                cpu_share = (cpu_s() - cpu) / (time.monotonic() - began)
                came = b"".join([chunk async for chunk in watchers.stdout])
            async with httpx.AsyncClient(base_url=url, timeout=60) as http:
                began = time.monotonic()
                listed = await http.get("/requests", headers={"authorization": f"Bearer {token}"})
                list_ms = (time.monotonic() - began) * 1000
            assert len(listed.json()["requests"]) == requests + events
            await console.close()
        await handler.close()
    each, last = arrivals(json.loads(came))
    return Measured(each, last, list_ms, len(listed.content) / 1024, cpu_share, opened_mb, watched_mb)


def arrivals(came: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """How long each event took to each page, and to the last of them, in milliseconds."""
    by_event: dict[float, list[float]] = {}
    for sent, at in came:
        by_event.setdefault(sent, []).append((at - sent) * 1000)
    return [ms for times in by_event.values() for ms in times], [max(times) for times in by_event.values()]


def memory_mb() -> float:
    """What this process has in memory now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def cpu_s() -> float:
    """What this process has used."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def shown(measured: Measured, requests: int, pages: int) -> Table:
    """The figures, to be read."""
    table = Table(title=f"{requests} requests open, {pages} pages watching", title_justify="left", title_style="bold")
    for column in ("", "p50", "p95", "most"):
        table.add_column(column, justify="left" if not column else "right")
    for name, values in (("to a page, ms", measured.each_ms), ("to all pages, ms", measured.all_ms)):
        table.add_row(name, *(f"{share(values, at):.1f}" for at in (0.5, 0.95, 1.0)))
    return table


def main(
    requests: Annotated[int, typer.Option(min=1, help="How many are open.")] = 1_000,
    pages: Annotated[int, typer.Option(min=1, help="How many watch.")] = 100,
    events: Annotated[int, typer.Option(min=1, help="How many more are opened, one after another.")] = 100,
    watch_at: Annotated[str, typer.Option("--watch", hidden=True)] = "",
    token: Annotated[str, typer.Option(hidden=True)] = "",
) -> None:
    """Measure, and fail where an event is late."""
    if watch_at:
        anyio.run(watch, watch_at, token, pages, events)
        return
    out = Terminal()
    measured = anyio.run(measure, requests, pages, events)
    out.print(shown(measured, requests, pages))
    out.print(
        f"The list of all: {measured.list_ms:.0f} ms, {measured.list_kb:.0f} KiB. "
        f"CPU at {1 / PAUSE_S:.0f} events a second: {measured.cpu_share:.0%} of a core. "
        f"Memory: {measured.opened_mb:.1f} MB for the requests, {measured.watched_mb:.1f} MB for the pages."
    )
    out.print("[green]ok[/]" if measured.ok else f"[red]an event is to be on all pages within {BAR_MS:.0f} ms (p95)[/]")
    if not measured.ok:
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
