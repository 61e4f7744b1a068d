"""What every test may use."""

import os
from pathlib import Path

import pytest


@pytest.fixture
def anyio_backend() -> str:
    """The library runs on asyncio (aiortc does); anyio's plugin runs the async tests on it."""
    return "asyncio"


@pytest.fixture(scope="session")
def cases() -> Path:
    """The folder of cases that nobody wrote to fit the code."""
    folder = os.environ.get("VOICE_HITL_CASES")
    if not folder:
        pytest.skip("VOICE_HITL_CASES does not name the folder of cases (CI sets it)")
    return Path(folder)
