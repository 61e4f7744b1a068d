"""How spoken replies to a yes-or-no question are read, measured on replies that people wrote.

    python benchmarks/confirmation.py --path replies.jsonl

A row is `{"label", "prompt", "reply"}`; the labels are `yes`, `yes_and_question`, `yes_and_detail`, `no` and
`correction`. Rows are divided by a hash of their text. The rules may be tuned on one half, so only of that half are
single errors shown; of the other, held half only the sums are, and the bars are for it. Without `--path` the rows are
those of `$VOICE_HITL_CASES/confirmation/replies.jsonl`.
"""

import hashlib
import json
import os
import time
import timeit
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from voice_hitl.questions.model import Confirm
from voice_hitl.speech.interpret import interpret
from voice_hitl.speech.reading import Match, Reading

LABELS = ("yes", "yes_and_question", "yes_and_detail", "no", "correction")
READINGS = ("yes", "yes + rest", "no", "no + rest", "no match")
EXAMPLES = 10

SPEED_QUESTION = Confirm(prompt="Book a table for two at seven on March 5th at Luigi's. Shall I go ahead?")
SPEED_REPLY = "yes please go ahead and book the table for two at seven on March fifth that would be great thanks"


@dataclass(frozen=True)
class Row:
    """One reply and how it was read."""

    label: str
    prompt: str
    reply: str
    reading: Reading

    @property
    def read(self) -> str:
        """The column of the table that the reading belongs in."""
        if not isinstance(self.reading, Match):
            return "no match"
        answer = "yes" if self.reading.value is True else "no"
        return answer if self.reading.remainder is None else f"{answer} + rest"


@dataclass(frozen=True)
class Bar:
    """What at least, or at most, must come out."""

    name: str
    labels: tuple[str, ...]
    readings: tuple[str, ...]
    bound: float
    at_most: bool = False

    def share(self, rows: list[Row]) -> float:
        """The share of the rows with these labels that were read so."""
        labelled = [row for row in rows if row.label in self.labels]
        return sum(row.read in self.readings for row in labelled) / max(1, len(labelled))

    def met(self, rows: list[Row]) -> bool:
        """Whether the share is within the bound."""
        return self.share(rows) <= self.bound if self.at_most else self.share(rows) >= self.bound


BARS = (
    Bar("no and correction read as a yes", ("no", "correction"), ("yes", "yes + rest"), 0.001, at_most=True),
    Bar("yes read as a yes", ("yes",), ("yes", "yes + rest"), 0.97),
    Bar("no read as a no", ("no",), ("no", "no + rest"), 0.95),
    Bar("yes_and_question read as a yes with the rest", ("yes_and_question",), ("yes + rest",), 0.85),
    Bar("yes_and_detail read as a yes with the rest", ("yes_and_detail",), ("yes + rest",), 0.80),
)


def is_held(prompt: str, reply: str) -> bool:
    """Whether a row is of the half that is never looked at and never tuned on."""
    return hashlib.sha256(f"{prompt}\n{reply}".encode()).digest()[0] % 2 == 1


def read_rows(path: Path) -> tuple[list[Row], list[Row]]:
    """The rows of a file as they are read now: the tuning half and the held half."""
    halves: tuple[list[Row], list[Row]] = ([], [])
    for line in path.read_text(encoding="utf-8").splitlines():
        row: dict[str, str] = json.loads(line)
        prompt, reply = row["prompt"], row["reply"]
        reading = interpret(Confirm(prompt=prompt), reply)
        halves[is_held(prompt, reply)].append(Row(row["label"], prompt, reply, reading))
    return halves


def table(rows: list[Row]) -> str:
    """The confusion table, a line a label."""
    lines = [f"{'label':<18}" + "".join(f"{reading:>12}" for reading in READINGS) + f"{'all':>8}"]
    for label in LABELS:
        counts = Counter(row.read for row in rows if row.label == label)
        cells = "".join(f"{counts[reading]:>12}" for reading in READINGS)
        lines.append(f"{label:<18}{cells}{counts.total():>8}")
    return "\n".join(lines)


def errors(rows: list[Row]) -> str:
    """For each label and each reading that misses it some examples, the wrong yeses first."""
    right = {
        "yes": {"yes", "yes + rest"},
        "yes_and_question": {"yes + rest"},
        "yes_and_detail": {"yes + rest"},
        "no": {"no", "no + rest"},
        "correction": {"no", "no + rest", "no match"},
    }
    lines: list[str] = []
    for reading in READINGS:
        for label in LABELS:
            wrong = [row for row in rows if row.label == label and row.read == reading and reading not in right[label]]
            if wrong:
                lines.append(f"\n{label} read as {reading}: {len(wrong)}")
            lines += [f"  {row.prompt[-90:]!r} <- {row.reply!r}  [{row.reading.rule}]" for row in wrong[:EXAMPLES]]
    return "\n".join(lines)


def microseconds() -> float:
    """The processor time of reading a reply of twenty words, at best, to a question that was replied to before."""
    runs = timeit.repeat(lambda: interpret(SPEED_QUESTION, SPEED_REPLY), time.process_time, number=10, repeat=500)
    return min(runs) / 10 * 1e6


def main(
    path: Annotated[Path | None, typer.Option(help="The replies, one JSON object a line.")] = None,
    examples: Annotated[bool, typer.Option(help="Show errors of the tuning half.")] = True,
) -> None:
    """Measure, print the tables, and end with 1 where a bar is missed on the held half."""
    source = path or Path(os.environ["VOICE_HITL_CASES"]) / "confirmation" / "replies.jsonl"
    tuning, held = read_rows(source)
    print(f"Tuning half, {len(tuning)} replies\n\n{table(tuning)}\n")
    print(f"Held half, {len(held)} replies\n\n{table(held)}\n")
    for bar in BARS:
        sign = "at most" if bar.at_most else "at least"
        verdict = "met" if bar.met(held) else "MISSED"
        shares = f"tuning {bar.share(tuning):7.2%}  held {bar.share(held):7.2%}"
        print(f"{bar.name:<46} {shares}  {sign} {bar.bound:.1%}  {verdict}")
    print(f"\ninterpret() of a {len(SPEED_REPLY.split())}-word reply: {microseconds():.0f} microseconds")
    if examples:
        print(f"\nErrors of the tuning half\n{errors(tuning)}")
    if not all(bar.met(held) for bar in BARS):
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
