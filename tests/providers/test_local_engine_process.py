"""An engine in a process of its own. The engine here is Python itself: its work is an expression."""

import ast
import os
import signal
from collections.abc import Iterator
from functools import partial

import pytest

from voice_hitl.errors import ProviderError
from voice_hitl_local.engine_process import EngineProcess

Python = EngineProcess[str, object]


@pytest.fixture
def python() -> Iterator[Python]:
    process: Python = EngineProcess(partial(partial, eval))
    yield process
    process.close()


def test_work_is_done_in_another_process_that_stays(python: Python) -> None:
    python.start()
    pids = {python.do("__import__('os').getpid()") for _ in range(2)}
    assert len(pids) == 1
    assert pids != {os.getpid()}


def test_what_the_engine_raises_is_told_and_it_goes_on(python: Python) -> None:
    with pytest.raises(ProviderError, match="division by zero"):
        python.do("1 / 0")
    with pytest.raises(ProviderError, match="AssertionError"):
        python.do("(_ for _ in ()).throw(AssertionError)")
    assert python.do("1 + 1") == 2


def test_a_process_that_died_is_told_and_the_next_work_has_a_new_one(python: Python) -> None:
    with pytest.raises(ProviderError, match="ended by itself, with status 3"):
        python.do("__import__('os')._exit(3)")
    assert python.do("1 + 1") == 2
    pid = python.do("__import__('os').getpid()")
    assert isinstance(pid, int)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(ProviderError, match="ended by itself, with status -9"):
        python.do("1 + 1")


def test_what_a_library_prints_is_no_reply(python: Python) -> None:
    assert python.do("print('noise', flush=True)") is None
    assert python.do("__import__('os').write(1, b'noise')") == 5


def test_an_engine_that_cannot_be_loaded_is_told_at_each_start() -> None:
    broken: EngineProcess[object, object] = EngineProcess(partial(ast.literal_eval, "1 +"))
    with pytest.raises(ProviderError, match="invalid syntax"):
        broken.start()
    with pytest.raises(ProviderError, match="invalid syntax"):
        broken.do(None)


def test_closing_ends_even_a_process_that_does_not_listen(monkeypatch: pytest.MonkeyPatch, python: Python) -> None:
    monkeypatch.setattr("voice_hitl_local.engine_process._PATIENCE_S", 0.0)
    pid = python.do("__import__('os').getpid()")
    assert isinstance(pid, int)
    python.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert python.do("1 + 1") == 2


def test_it_finds_what_this_process_finds(python: Python, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend("/somewhere/else")
    assert python.do("'/somewhere/else' in __import__('sys').path") is True


def test_real_time_is_left_to_the_calls(python: Python) -> None:
    assert python.do("__import__('os').sched_getscheduler(0)") == os.SCHED_OTHER
