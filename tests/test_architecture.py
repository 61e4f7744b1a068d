"""What ARCHITECTURE.md draws is what the tables say; what it names is there."""

import re
import tomllib
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

import pytest

from voice_hitl.calls import call
from voice_hitl.calls.call import CallState
from voice_hitl.enums import PendingInputStatus
from voice_hitl.requests import ledger

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "ARCHITECTURE.md").read_text()

Table = Mapping[tuple[StrEnum, StrEnum], StrEnum]


def section(heading: str) -> str:
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)
    assert found, f"ARCHITECTURE.md has no section {heading!r}"
    return found[1]


def drawn(heading: str) -> set[tuple[str, str, str]]:
    """The arrows of the section's state diagram: from, event, to."""
    diagram = re.search(r"^```mermaid\nstateDiagram-v2\n(.*?)^```$", section(heading), re.MULTILINE | re.DOTALL)
    assert diagram, f"section {heading!r} has no state diagram"
    arrows: set[tuple[str, str, str]] = set()
    for line in diagram[1].splitlines():
        arrow = re.fullmatch(r"\s*(\S+) --> (\S+?)(?:: (\w+))?\s*", line)
        assert arrow, f"not an arrow: {line!r}"
        arrows.add((arrow[1], arrow[3] or "", arrow[2]))
    return arrows


def of(table: Table, *, first: StrEnum) -> set[tuple[str, str, str]]:
    """The arrows that draw a table, with its beginning and its ends."""
    moves = {(str(state), str(event), str(to)) for (state, event), to in table.items()}
    ends = {str(to) for to in table.values()} - {str(state) for state, _ in table}
    return moves | {("[*]", "", str(first))} | {(end, "", "[*]") for end in ends}


@pytest.mark.parametrize(
    ("heading", "table", "first"),
    [
        ("The life of a request", ledger.TRANSITIONS, PendingInputStatus.PENDING),
        ("The life of a tool call", call.TRANSITIONS, CallState.BOOKED),
    ],
)
def test_a_life_is_drawn_as_its_table_says(heading: str, table: Table, first: StrEnum) -> None:
    assert drawn(heading) == of(table, first=first)


def test_the_layers_are_those_that_are_checked() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    checked = [re.split(r" [|:] ", layer) for layer in contracts[0]["layers"]]
    block = re.search(r"^```text\n(.*?)^```$", section("The layers"), re.MULTILINE | re.DOTALL)
    assert block
    written = [re.split(r" [|:] ", re.split(r"\s{2,}", line.strip())[0]) for line in block[1].splitlines()]
    assert written == checked


def test_what_it_names_is_there() -> None:
    names = set(re.findall(r"`([\w./-]+(?:\.py|\.md|/))`", TEXT))
    roots = (ROOT, ROOT / "voice_hitl", ROOT / "transports", ROOT / "providers")
    assert names
    assert {name for name in names if not any((root / name).exists() for root in roots)} == set()
