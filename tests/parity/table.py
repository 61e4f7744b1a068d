"""Writes the table of `docs/doors.md`: the rules, and the doors that have them. `python -m tests.parity.table`."""

import importlib
import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

import pytest

from tests.parity.door import Door, why_not
from tests.parity.doors import DOORS

PAGE: Final = Path(__file__).parents[2] / "docs" / "doors.md"
SECTIONS: Final = {
    "test_intake": "Intake",
    "test_declaring": "What is declared",
    "test_gate": "The gate",
    "test_serving": "Serving",
    "test_after": "After",
    "test_endings": "Endings",
    "test_requests": "Requests to a person",
    "test_hooks": "Hooks",
}
"""The modules of the suite, and what their rules are about."""

_SPELT: Final = {"persons": "person's", "hosts": "host's", "json": "JSON"}
"""What a name in Python cannot spell."""

HEAD: Final = """# One rule, wherever the model's call comes from

A tool call may come through several doors. What becomes of it is the same: a door differs from another only in how it
delivers the outcome. Each rule is one test (`tests/parity`), run over every door that has the rule; this page is made
from that suite (`python -m tests.parity.table`), and a test compares the two.

"yes": the rule holds there, and is tested there. A letter: the door does not have the rule, for the reason below the
tables.
"""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, as its test says it."""

    number: str
    sentence: str


def rules_of(module: str) -> list[Rule]:
    """The rules that a module of the suite tests, in its order."""
    tests = vars(importlib.import_module(f"tests.parity.{module}"))
    return [
        Rule(str(mark.args[0]), _sentence(name))
        for name, test in tests.items()
        if inspect.isfunction(test)
        for mark in cast("Sequence[pytest.Mark]", getattr(test, "pytestmark", ()))
        if mark.name == "rule"
    ]


def page(doors: Sequence[Door] = DOORS) -> str:
    """The whole page."""
    letters: dict[str, str] = {}

    def cell(door: Door, rule: Rule) -> str:
        why = why_not(door, rule.number)
        return "yes" if why is None else letters.setdefault(why, _letter(len(letters)))

    lines = [HEAD]
    for module, title in SECTIONS.items():
        lines += [f"## {title}", "", f"| | rule | {' | '.join(door.title for door in doors)} |"]
        lines += ["|---" * (2 + len(doors)) + "|"]
        for rule in rules_of(module):
            lines.append(f"| {rule.number} | {rule.sentence} | {' | '.join(cell(door, rule) for door in doors)} |")
        lines.append("")
    lines += ["## Why a door does not have a rule", ""]
    lines += [f"- {letter}: {why[:1].upper()}{why[1:]}." for why, letter in letters.items()]
    return "\n".join(lines) + "\n"


def _sentence(name: str) -> str:
    words = name.removeprefix("test_").split("_")
    text = " ".join(_SPELT.get(word, word) for word in words)
    return text[:1].upper() + text[1:]


def _letter(number: int) -> str:
    return chr(ord("a") + number) if number < 26 else _letter(number // 26 - 1) + _letter(number % 26)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
