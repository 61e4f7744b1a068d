"""Real processes and real servers: who wins a race, and what a kill -9 leaves. The long versions are in benchmarks/."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
LIMIT_S = 180


def run(program: str, *arguments: str) -> str:
    command = [sys.executable, "-W", "error", str(BENCHMARKS / program), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("store", ["sqlite", "redis"])
def test_of_two_processes_that_answer_one_wins_and_the_other_is_told(store: str) -> None:
    said = run("answer_race.py", "--times", "200", "--store", store)
    assert "one winner, the loser told 100, one winner, the loser told (orphans) 100\n" in said


@pytest.mark.parametrize("store", ["sqlite", "redis"])
def test_a_holder_that_is_killed_loses_nothing_and_nothing_is_counted_twice(store: str) -> None:
    said = run("kill_the_holder.py", "--kills", "10", "--store", store)
    assert said.startswith(f"{store}, 10 kills: counted ")
    assert "LOST" not in said
