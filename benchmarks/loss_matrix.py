"""What is heard of a call over a rough network: our media path and aiortc's own, side by side in one run.

    python benchmarks/loss_matrix.py [--seconds 40] [--only "5% lost"]

Both ways of each row run at the same time, in one process, over networks with the same chance. Prints the table of
`docs/media.md`, and says which bars were missed.
"""

import argparse
import asyncio
import os
import sys
from dataclasses import dataclass
from random import Random

from call_lines import WAYS, Result
from rough_network import CONDITIONS, Condition, Network

KEYS_A_SECOND = 1000 / 180
"""A press of 100 ms and a pause of 80."""

ON_THE_WAY = 5
"""Frames that may be on their way, or in a buffer, when it is counted."""


@dataclass(frozen=True, slots=True)
class Row:
    """One network, and what was heard over it, by the names of the ways."""

    condition: Condition
    heard: dict[str, Result]


async def row(condition: Condition, seconds: float) -> Row:
    """Have both ways carry a voice over a network for so long."""
    keys = int((seconds - 3) * KEYS_A_SECOND)
    lines = {name: kind(talking=True, timed=True, keys=keys) for name, kind in WAYS.items()}
    for line in lines.values():
        await line.open(Network(condition, Random(7)).delay_s)
    await asyncio.sleep(seconds)
    heard = {name: line.result() for name, line in lines.items()}
    for line in lines.values():
        await line.close()
    return Row(condition, heard)


def share(result: Result) -> float:
    """How much of the voice was heard."""
    return min(result.frames / max(result.sent - ON_THE_WAY, 1), 1.0)


def missed(row: Row) -> list[str]:
    """The bars that our way did not reach in this row."""
    condition, ours = row.condition, row.heard["ours"]
    wrong: list[str] = []
    if condition.burst == 1 and not condition.jitter_ms:
        if condition.loss == 0.01 and (share(ours) < 0.995 or ours.longest_stall_ms > 40):
            wrong.append("at 1 % loss at least 99.5 % is heard, and no stall is over 40 ms")
        if condition.loss == 0.05 and (share(ours) < 0.98 or ours.keys_right < ours.keyed):
            wrong.append("at 5 % loss at least 98 % is heard, and every key arrives")
    if condition.name == "at rest" and (ours.latency_ms or 999) > 50:
        wrong.append("at rest the latency is at most 50 ms")
    return wrong


def shown(row: Row) -> str:
    """A line of the table, in Markdown."""
    ours, stock = row.heard["ours"], row.heard["aiortc's"]
    cells = [
        row.condition.name,
        f"{share(ours):.1%}",
        f"{share(stock):.1%}",
        f"{ours.longest_stall_ms:.0f}",
        f"{stock.longest_stall_ms:.0f}",
        _ms(ours.latency_ms),
        _ms(stock.latency_ms),
        f"{ours.concealed:.2%}" if ours.concealed is not None else "",
        f"{ours.keys_right} of {ours.keyed}",
    ]
    return f"| {' | '.join(cells)} |"


def _ms(value: float | None) -> str:
    return "none" if value is None else f"{value:.0f}"


async def main() -> None:
    """Print the table as it grows."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    arguments.add_argument("--seconds", type=float, default=40.0)
    arguments.add_argument("--only", default="", help="rows whose name begins with this")
    chosen = arguments.parse_args()
    print(
        "| network | heard: ours | aiortc's | longest stall, ms: ours | aiortc's | latency, ms: ours | aiortc's "
        "| made up: ours | keys: ours |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    wrong: list[str] = []
    for condition in CONDITIONS:
        if condition.name.startswith(chosen.only):
            done = await row(condition, chosen.seconds)
            print(shown(done), flush=True)
            wrong += missed(done)
    print(f"\nmachine: {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for bar in wrong:
        print(f"MISSED: {bar}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    asyncio.run(main())
