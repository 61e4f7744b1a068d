"""A process that holds approvals is killed (-9) at random moments between their creation and their result.

    python benchmarks/kill_the_holder.py [--kills 50] [--store sqlite|redis] [--seed N]

Its tool counts into a file. After each kill another process looks at what is left: everything that anybody was told of
must be settled, an orphan or of unknown outcome; the orphans are approved then, and run. Nothing may be counted twice.
"""

import multiprocessing
import random
import sys
import time
from collections import Counter
from contextlib import suppress
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import anyio
import typer
from kept import APPROVED, COUNT, PRELOADED, approval, note, noted, place_of, store_at, tool_handler_of

from voice_hitl import HumanInputHandler, PendingInputEvent, Settlement, ToolFailedError
from voice_hitl.human_input.approvals import approved_arguments
from voice_hitl.store import Row, RowState, Store

LIFE_S = 0.06
"""The longest that a holder lives once it has begun, in seconds: some requests of about 10 ms."""


def hold(place: str, told: str, counted: str, holder: str, seed: int) -> None:
    """Ask for approvals, give them, run the tool; until killed."""
    anyio.run(_hold, place, told, counted, holder, random.Random(seed))


async def _hold(place: str, told: str, counted: str, holder: str, chance: random.Random) -> None:
    async def tell(event: PendingInputEvent) -> None:
        note(told, event.pending_id)

    handler = HumanInputHandler(store=store_at(place), orphans={COUNT.name: "keep"}, on_input_required=tell)
    human = tool_handler_of(handler)
    for number in count():
        pending = approval(human, {"number": number})
        if number == 0:
            note(holder, handler.holder_id)
        await anyio.sleep(chance.uniform(0, 0.006))
        async with handler.recorded_run(pending) as run:
            await handler.answer(pending.pending_id, APPROVED)
            await approved_arguments(human, pending)
            await run.claim()
            await anyio.sleep(chance.uniform(0, 0.003))
            note(counted, str(number))
            await anyio.sleep(chance.uniform(0, 0.003))
            run.returned("counted")


async def look(place: str, told: list[str], counted: str, holders: list[str]) -> Counter[str]:
    """What became of everything that anybody was told of; the orphans are approved and run."""

    async def tool(_name: str, arguments: dict[str, object]) -> str:
        note(counted, str(arguments["number"]))
        return "counted"

    store = store_at(place)
    for holder in holders:
        await store.lapse(holder)  # as its lease does by itself after a while
    handler = HumanInputHandler(store=store, tools=[COUNT], tool_handler=tool)
    found = await handler.recover()
    orphans = {event.pending_id for event in found.orphans}
    unknown = {event.pending_id for event in found.outcome_unknown}
    kinds: Counter[str] = Counter()
    for pending_id in told:
        if pending_id in orphans:
            kinds[await _give(handler, store, pending_id)] += 1
        elif pending_id in unknown:
            kinds[await _resume(handler, pending_id)] += 1
        else:
            row = await store.read(pending_id)
            settled = isinstance(row, Row) and row.state in (RowState.SETTLED, RowState.FAILED)
            kinds["settled" if settled else "LOST"] += 1
    await handler.close()
    await store.aclose()
    return kinds


async def _give(handler: HumanInputHandler, store: Store, pending_id: str) -> str:
    """Approve an orphan, twice, and wait until its tool has run."""
    said = [await handler.answer(pending_id, APPROVED), await handler.answer(pending_id, APPROVED)]
    with anyio.fail_after(10):
        while not await _has_run(store, pending_id):  # noqa: ASYNC110 - a store tells nobody of its rows
            await anyio.sleep(0.005)
    return "orphan" if said == [Settlement.ACCEPTED, Settlement.DUPLICATE] else "NOT CLAIMED ONCE"


async def _has_run(store: Store, pending_id: str) -> bool:
    row = await store.read(pending_id)
    return isinstance(row, Row) and row.state is RowState.SETTLED


async def _resume(handler: HumanInputHandler, pending_id: str) -> str:
    """Ask for the result of a claim whose process is gone: it must not run again."""
    with suppress(ToolFailedError):
        await handler.resume(pending_id)
        return "RUN AGAIN"
    return "outcome_unknown"


def kill(place: str, folder: Path, seed: int) -> Counter[str]:
    """One holder, from its beginning to what is left of it."""
    told, counted, holder = (str(folder / f"{name}-{seed}") for name in ("told", "counted", "holder"))
    context = multiprocessing.get_context("forkserver")
    process = context.Process(target=hold, args=(place, told, counted, holder, seed))
    process.start()
    while not noted(told):
        time.sleep(0.001)
    time.sleep(random.Random(-seed).uniform(0, LIFE_S))
    process.kill()
    process.join()
    kinds = anyio.run(look, place, noted(told), counted, noted(holder))
    runs = Counter(noted(counted))
    kinds["COUNTED TWICE"] += sum(1 for times in runs.values() if times > 1)
    kinds["counted"] += len(runs)
    return kinds


def main(
    kills: Annotated[int, typer.Option(help="How many processes are killed.")] = 50,
    store: Annotated[str, typer.Option(help="sqlite or redis.")] = "sqlite",
    seed: Annotated[int, typer.Option(help="Where the random moments begin.")] = 1,
) -> None:
    """Kill, look, count."""
    multiprocessing.get_context("forkserver").set_forkserver_preload(PRELOADED)
    total: Counter[str] = Counter()
    with place_of(store) as place, TemporaryDirectory() as folder:
        for number in range(kills):
            total += kill(place, Path(folder), seed + number)
    print(f"{store}, {kills} kills:", ", ".join(f"{kind} {times}" for kind, times in sorted(total.items())))
    if any(kind.isupper() for kind in total):
        sys.exit("a request was lost, or something ran twice")


if __name__ == "__main__":
    typer.run(main)
