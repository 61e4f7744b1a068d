"""What the README says is so: its programs run as they stand, and what it points to is there."""

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
LIMIT_S = 120


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    language: str
    text: str
    line: int

    def __str__(self) -> str:
        return f"line {self.line}"


def blocks(language: str) -> list[Block]:
    found = re.finditer(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    return [Block(language, match[1], README.count("\n", 0, match.start()) + 2) for match in found]


def test_there_is_a_program_of_at_most_40_lines() -> None:
    programs = blocks("python")
    assert programs
    assert max(len(block.text.splitlines()) for block in programs) <= 40


@pytest.mark.parametrize("block", blocks("python"), ids=str)
def test_a_program_runs_as_it_stands(block: Block, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(block.text)
    command = [sys.executable, "-W", "error", str(program)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("what", ["voice-hitl demo", "pytest"])
def test_each_command_is_one_line_that_needs_nothing_but_python(what: str) -> None:
    lines = [line for block in blocks("sh") for line in block.text.splitlines() if what in line]
    assert len(lines) == 1
    assert lines[0].startswith("python3 -m venv")


def test_what_it_points_to_is_there() -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)]+)\)", README)
    table = README[README.index("## Where everything is") :]
    paths = re.findall(r"`([\w./-]+(?:/[\w.-]*|\.md|\.py))`", table)
    missing = [
        path for path in [*links, *paths] if not any((root / path).exists() for root in (ROOT, ROOT / "voice_hitl"))
    ]
    assert links
    assert paths
    assert missing == []
