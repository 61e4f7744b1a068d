"""What 100,000 open requests cost in each store: memory, and the time to save, settle and list.

    python benchmarks/stores.py [--requests 100000] [--store memory --store sqlite --store redis]

A request is a confirmation of a call, as a handler keeps it: about 0.7 kB of JSON, whose writing counts.
Bars: SQLite, save and settle together at most 1 ms (p50); Redis 0.5 ms; memory at most 3 kB a request.
"""

import gc
import os
import statistics
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, cast

import anyio
import typer
from redis.asyncio import Redis
from rich.console import Console
from rich.table import Table

from voice_hitl import ChannelType, Confirm, DoorName, PendingInput, RequestEnd, Via
from voice_hitl.human_input.record import Record, body_of
from voice_hitl.store import Row, RowState, Store
from voice_hitl.stores.memory import MemoryStore
from voice_hitl.stores.redis import RedisStore
from voice_hitl.stores.sqlite import SQLiteStore
from voice_hitl.testing.redis_server import redis_server

BARS_MS = {"sqlite": 1.0, "redis": 0.5}
BAR_BYTES = {"memory": 3_000}
SETTLED = 5_000
"""How many of the requests are settled, to time it."""


@dataclass(frozen=True)
class Cost:
    """What was measured: milliseconds (p50 of one, the list as a whole), and bytes a request."""

    save: float
    settle: float
    list_all: float
    size: float


def record(number: int) -> Record:
    """One request as a handler keeps it."""
    now = datetime.now(UTC)
    arguments: dict[str, object] = {"action": "Transfer the money", "details": {"to": "Anna Berg", "amount": number}}
    pending = PendingInput(
        pending_id=f"{number:022d}",
        tool_name="confirm_action",
        arguments=arguments,
        room_id=f"room-{number}",
        tool_call_id=f"call_{number:020d}",
        channel_id="voice",
        channel_type=ChannelType.REALTIME_VOICE,
        door=DoorName.PROVIDER_CALL,
        session_id=f"session-{number}",
        actor_id="caller",
        question=Confirm(prompt="Shall I transfer it?", action="Transfer the money", details={"amount": number}),
        audience=("caller",),
        created_at=now,
        expires_at=now + timedelta(seconds=300),
    )
    return Record(pending, kept=True, keep_until=now + timedelta(days=1), participant="caller")


async def measure(store: Store, requests: int, size_before: int, kind: str) -> Cost:
    """Save so many, list them, settle some."""
    saves: list[float] = []
    await store.renew("desk", 3600)
    for number in range(requests):
        kept = record(number)
        began = time.perf_counter()
        await store.write(Row(kept.pending.pending_id, 1, RowState.OPEN, "desk", body_of(kept)))
        saves.append(time.perf_counter() - began)
    size = (await size_of(kind, store) - size_before) / requests
    began = time.perf_counter()
    listed = len((await store.unsettled()).rows)
    list_all = time.perf_counter() - began
    assert listed == requests
    settles: list[float] = []
    for number in range(min(SETTLED, requests)):
        kept = record(number)
        began = time.perf_counter()
        done = kept.ended(RequestEnd.ANSWERED, result='{"confirmed": true}', by="caller", via=Via.VOICE)
        await store.write(Row(kept.pending.pending_id, 2, RowState.SETTLED, "desk", body_of(done)))
        settles.append(time.perf_counter() - began)
    return Cost(statistics.median(saves) * 1e3, statistics.median(settles) * 1e3, list_all * 1e3, size)


async def size_of(kind: str, store: Store) -> int:
    """What the store takes: of this process, of its files, of its server."""
    match store:
        case SQLiteStore():
            return sum(file.stat().st_size for file in Path(kind).parent.iterdir())
        case RedisStore():
            async with Redis.from_url(kind) as server:
                return int(cast("dict[str, int]", await server.info("memory"))["used_memory"])
        case _:
            return _size_of_this_process()


def _size_of_this_process() -> int:
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@asynccontextmanager
async def opened(kind: str) -> AsyncGenerator[tuple[Store, str], None]:
    """A new store of this kind, and where it is."""
    with TemporaryDirectory() as folder:
        match kind:
            case "memory":
                yield MemoryStore(), ""
            case "sqlite":
                path = str(Path(folder) / "requests.db")
                store = SQLiteStore(path)
                yield store, path
                await store.aclose()
            case _:
                with redis_server(Path(folder)) as url:
                    server = RedisStore(url)
                    yield server, url
                    await server.aclose()


async def cost_of(kind: str, requests: int) -> Cost:
    """Measure one kind of store."""
    async with opened(kind) as (store, place):
        await store.read("nothing")
        return await measure(store, requests, await size_of(place, store), place)


def main(
    requests: Annotated[int, typer.Option(help="How many are open.")] = 100_000,
    store: Annotated[list[str] | None, typer.Option(help="memory, sqlite, redis; by default all.")] = None,
) -> None:
    """Measure, and compare with the bars."""
    table = Table("store", "save p50", "settle p50", "both", "bar", "list all", "a request takes", "bar")
    missed: list[str] = []
    for kind in store or ["memory", "sqlite", "redis"]:
        cost = anyio.run(cost_of, kind, requests)
        both, bar, bar_bytes = cost.save + cost.settle, BARS_MS.get(kind), BAR_BYTES.get(kind)
        times = (f"{value:.3f} ms" for value in (cost.save, cost.settle, both))
        table.add_row(
            kind,
            *times,
            f"{bar} ms" if bar is not None else "",
            f"{cost.list_all:.0f} ms",
            f"{cost.size:.0f} bytes",
            f"{bar_bytes} bytes" if bar_bytes is not None else "",
        )
        if (bar is not None and both > bar) or (bar_bytes is not None and cost.size > bar_bytes):
            missed.append(kind)
    Console(width=120).print(f"{requests:,} open requests", table, sep="\n")
    if missed:
        sys.exit(f"over the bar: {', '.join(missed)}")


if __name__ == "__main__":
    typer.run(main)
