"""What goes wrong where a test says so: commands that take long, never return, or raise."""

import anyio

from voice_hitl.tasks import Latch


class Faults:
    """The faults of one stand-in, by the name of the command that suffers them."""

    def __init__(self) -> None:
        self._refusals: dict[str, list[Exception]] = {}
        self._delays: dict[str, float] = {}
        self._hung: dict[str, Latch] = {}

    # --- the test's side ---------------------------------------------------------------------------------------------

    def refuse(self, command: str, error: Exception, *, times: int = 1) -> None:
        """The next commands of this name raise `error`."""
        self._refusals.setdefault(command, []).extend([error] * times)

    def delay(self, command: str, seconds: float) -> None:
        """Commands of this name take so many seconds of the loop's clock, until `mend`."""
        self._delays[command] = seconds

    def hang(self, command: str) -> None:
        """Commands of this name do not return, until `mend`."""
        self._hung[command] = Latch()

    def mend(self, command: str) -> None:
        """Commands of this name work again; those that hang return."""
        self._delays.pop(command, None)
        latch = self._hung.pop(command, None)
        if latch is not None:
            latch.set()

    def done(self) -> None:
        """Every refusal must have been met; `AssertionError` otherwise."""
        left = {command: len(errors) for command, errors in self._refusals.items() if errors}
        if left:
            raise AssertionError(f"these were to be refused, and nobody tried: {left}")

    # --- the stand-in's side -----------------------------------------------------------------------------------------

    async def suffer(self, command: str) -> None:
        """Suffer what this command is to suffer, if anything."""
        delay, hung = self._delays.get(command), self._hung.get(command)
        if delay is not None:
            await anyio.sleep(delay)
        if hung is not None:
            await hung.wait()
        if self._refusals.get(command):
            raise self._refusals[command].pop(0)
