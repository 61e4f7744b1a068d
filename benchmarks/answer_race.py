"""Two processes answer the same request, which a third one holds, or nobody any more.

    python benchmarks/answer_race.py [--times 1000] [--store sqlite|redis]

Each time one must be accepted, and the other told that it was a duplicate; and what the holder reads is what the winner
said. Every other batch is of orphans: there the two claim the request in the store itself.
"""

import multiprocessing
import statistics
import sys
import time
from collections import Counter
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from typing import Annotated, cast

import anyio
import anyio.to_thread
import typer
from kept import PRELOADED, place_of, store_at

from voice_hitl import Answer, Confirm, HumanInputHandler, PendingInput
from voice_hitl.store import Store

BATCH = 25
"""How many requests are open, and answered, at once."""

Verdicts = list[tuple[str, float]]
"""What became of the answers of one process, in order, and how long each took, in seconds."""


def answerer(place: str, value: bool, asked: Connection) -> None:
    """Answer what comes, always the same; until told to end."""
    anyio.run(_answer_all, place, value, asked)


async def _answer_all(place: str, value: bool, asked: Connection) -> None:
    store = store_at(place)
    handler = HumanInputHandler(store=store)
    while ids := cast("list[str]", await anyio.to_thread.run_sync(asked.recv)):
        verdicts: Verdicts = [("", 0.0)] * len(ids)

        async def answer(index: int, pending_id: str, verdicts: Verdicts = verdicts) -> None:
            began = time.perf_counter()
            said = await handler.answer(pending_id, Answer(value))
            verdicts[index] = (str(said.kind), time.perf_counter() - began)

        async with anyio.create_task_group() as group:
            for index, pending_id in enumerate(ids):
                group.start_soon(answer, index, pending_id)
        asked.send(verdicts)
    await handler.close()
    await store.aclose()


async def race(place: str, times: int, answerers: list[Connection]) -> tuple[Counter[str], list[float]]:
    """Hold requests, have both processes answer them, compare what they were told with what was read."""
    store = store_at(place)
    handler = HumanInputHandler(store=store, orphans={"ask": "keep"})
    told: Counter[str] = Counter()
    took: list[float] = []
    for first in range(0, times, BATCH):
        session = f"call {first}"
        requests = [
            await handler.create("ask", {}, session_id=session, question=Confirm(prompt="Really?"))
            for _ in range(min(BATCH, times - first))
        ]
        await _saved(store, requests)
        orphans = first // BATCH % 2 == 1
        if orphans:
            await handler.close(session_id=session)
        for connection in answerers:
            connection.send([request.pending_id for request in requests])
        both = [cast("Verdicts", await anyio.to_thread.run_sync(connection.recv)) for connection in answerers]
        for request, (yes, yes_took), (no, no_took) in zip(requests, *both, strict=True):
            took += [yes_took, no_took]
            told[_judge(request, yes, no, orphan=orphans)] += 1
    for connection in answerers:
        connection.send([])
    await handler.close()
    await store.aclose()
    return told, took


async def _saved(store: Store, requests: list[PendingInput]) -> None:
    """Wait until another process can find them."""
    for request in requests:
        while await store.read(request.pending_id) is None:  # noqa: ASYNC110 - a store tells nobody of its rows
            await anyio.sleep(0.005)


def _judge(request: PendingInput, yes: str, no: str, *, orphan: bool) -> str:
    if {yes, no} != {"accepted", "duplicate"}:
        return f"WRONG: {yes} and {no}"
    read = None if orphan else request.result == '{"confirmed": true, "via": "api"}'
    if read is not None and read != (yes == "accepted"):
        return "WRONG: THE LOSER WAS READ"
    return "one winner, the loser told" + (" (orphans)" if orphan else "")


def main(
    times: Annotated[int, typer.Option(help="How many requests.")] = 1_000,
    store: Annotated[str, typer.Option(help="sqlite or redis.")] = "sqlite",
) -> None:
    """Race, count."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    with place_of(store) as place:
        ours: list[Connection] = []
        processes: list[ForkServerProcess] = []
        for value in (True, False):
            here, there = context.Pipe()
            ours.append(here)
            processes.append(context.Process(target=answerer, args=(place, value, there)))
            processes[-1].start()
        told, took = anyio.run(race, place, times, ours)
        for process in processes:
            process.join(10)
    p50 = statistics.median(took) * 1000
    print(f"{store}, {times} requests:", ", ".join(f"{what} {count}" for what, count in sorted(told.items())))
    print(f"    an answer took {p50:.1f} ms (p50), {max(took) * 1000:.0f} ms at most, {2 * BATCH} at once")
    if any(what.startswith("WRONG") for what in told):
        sys.exit("there was not one winner each time")


if __name__ == "__main__":
    typer.run(main)
