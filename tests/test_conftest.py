import os
import subprocess
import sys
from pathlib import Path

import pytest

SKIPS = """
import pytest

def test_that_skips():
    pytest.skip("nothing to test with")
"""


@pytest.mark.parametrize(("options", "ends"), [((), "1 skipped"), (("--no-skips",), "1 failed")])
def test_a_skip_is_a_failure_where_nothing_may_be_skipped(tmp_path: Path, options: tuple[str, ...], ends: str) -> None:
    (tmp_path / "conftest.py").write_text(Path(__file__).with_name("conftest.py").read_text())
    (tmp_path / "test_it.py").write_text(SKIPS)
    command = [sys.executable, "-m", "pytest", "-ra", "-p", "no:cacheprovider", *options, "test_it.py"]
    env = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}  # CI's own ban on skips
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert ends in done.stdout
    assert ("nothing may be" in done.stdout) is bool(options)
    assert "nothing to test with" in done.stdout
