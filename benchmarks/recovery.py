"""How long a transcript is searched for a call that was said, by its length: the time per character stays the same.

    python benchmarks/recovery.py

For speech, for a call at its end, and for texts made to be slow.
"""

import sys
import time
from collections.abc import Callable, Mapping

import typer
from rich.console import Console
from rich.table import Table

from voice_hitl.calls.recovery import LONGEST, find_call, may_begin

TOOLS: Mapping[str, Mapping[str, object]] = {
    f"tool_{number}": {"type": "object", "properties": {"q": {"type": "string"}, "n": {"type": "integer"}}}
    for number in range(30)
}
LENGTHS = (1_250, 2_500, 5_000, 10_000, 20_000)
ROUNDS = 9
MOST_GROWTH = 3.0
"""A quadratic search would take 16 times as long per character at the largest length as at the smallest."""


def filled(unit: str) -> Callable[[int], str]:
    """A text of any length, of this unit again and again."""
    return lambda length: (unit * (length // len(unit) + 1))[:length]


TEXTS: Mapping[str, Callable[[int], str]] = {
    "speech": filled("Your table is booked for four people. "),
    "a call at the end": lambda length: filled("That is fine. ")(length - 24) + "\ncall:tool_1{q:abc, n:3}",
    "a long call": lambda length: "call:tool_1{q:" + filled("word and ")(length - 16) + "}",
    "openings": filled("call:tool_1{q:x. "),
    "braces": filled('{"name": "tool_1", "arguments": {. '),
    "quotes": lambda length: "call:tool_1{" + filled('"\\')(length - 12),
    "keys": lambda length: "call:tool_1{" + filled("a b: ")(length - 13) + "}",
    "tags": filled('<invoke name="tool_1"><parameter name="q">. '),
    "parameters": lambda length: "<function=tool_1>" + filled("<parameter=q>")(length - 28) + "</function>",
    "dots": filled(". "),
    "blanks": filled(" "),
}


def seconds(search: Callable[[], object]) -> float:
    """Seconds of processor time, of the quickest of a few rounds."""

    def once() -> float:
        start = time.process_time()
        search()
        return time.process_time() - start

    return min(once() for _ in range(ROUNDS))


def per_character(make: Callable[[int], str], length: int) -> float:
    """Nanoseconds a character."""
    text = make(length)
    return seconds(lambda: (find_call(text, TOOLS), may_begin(text, TOOLS))) / length * 1e9


def main() -> None:
    """Print the table; fail where a search is not linear."""
    table = Table("text", *(f"{length:,}" for length in LENGTHS), title="nanoseconds a character, both searches")
    worst = 0.0
    for name, make in TEXTS.items():
        measured = [per_character(make, length) for length in LENGTHS]
        table.add_row(name, *(f"{each:,.1f}" for each in measured))
        worst = max(worst, measured[-1] / max(measured[0], 1.0))
    Console().print(table)
    print(
        f"largest growth from {LENGTHS[0]:,} to {LENGTHS[-1]:,} characters (longest searched: {LONGEST:,}): {worst:.1f}"
    )
    if worst > MOST_GROWTH:
        sys.exit(f"not linear: more than {MOST_GROWTH:g}")


if __name__ == "__main__":
    typer.run(main)
