"""The collector of unused memory leaves alone what is loaded."""

import gc
from collections.abc import Generator

import pytest

from voice_hitl.cli.memory import keep_loaded


@pytest.fixture(autouse=True)
def thawed() -> Generator[None]:
    yield
    gc.unfreeze()


def test_what_is_loaded_is_not_looked_through_again() -> None:
    loaded = {"a module's": "table"}
    keep_loaded()
    assert gc.get_freeze_count() > 0
    assert not any(known is loaded for known in gc.get_objects())


def test_what_comes_after_it_is() -> None:
    keep_loaded()
    a_calls_own: list[object] = []
    assert any(known is a_calls_own for known in gc.get_objects())
