"""Every sample is a program that runs as it is, without a key, without a network, and ends by itself."""

import re
import sys
from pathlib import Path

import anyio
import pytest

pytestmark = pytest.mark.anyio
SAMPLES = sorted((Path(__file__).parents[1] / "samples").glob("*.py"))
LIMIT_S = 120


def test_there_are_samples() -> None:
    assert SAMPLES


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.stem)
def test_a_sample_has_a_main_and_says_how_it_is_started(sample: Path) -> None:
    text = sample.read_text()
    assert re.search(r"^def main\(\) -> None:$", text, re.MULTILINE)
    assert f"python samples/{sample.name}" in text


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.stem)
async def test_a_sample_runs_as_it_is(sample: Path, tmp_path: Path) -> None:
    with anyio.fail_after(LIMIT_S):
        done = await anyio.run_process([sys.executable, "-W", "error", str(sample)], cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout
