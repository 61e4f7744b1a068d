"""The run of an approved tool, in the call that asked: claimed before it begins, recorded when it has ended."""

from voice_hitl.enums import RequestEnd
from voice_hitl.errors import ToolFailedError, ToolRefusedError
from voice_hitl.human_input.holding import Holding
from voice_hitl.human_input.record import Run
from voice_hitl.requests.pending import PendingInput


class RecordedRun:
    """One run. Without a store it is the run alone.

    Args:
        pending: The approval.
        holding: What holds it in a store.
    """

    def __init__(self, pending: PendingInput, holding: Holding | None) -> None:
        self._pending = pending
        self._holding = holding
        self._run: Run | None = None

    async def claim(self) -> None:
        """Say that the tool is about to run.

        Raises:
            ToolRefusedError: Somebody else has used the approval.
            ToolFailedError: It cannot be recorded, and somebody else might use it later.
        """
        if self._holding is not None:
            await self._holding.claim(self._pending.pending_id)

    def returned(self, text: str) -> None:
        """The tool has returned this."""
        self._run = Run(text)

    def failed(self, error: BaseException) -> None:
        """The tool has failed, or was not run."""
        said = isinstance(error, ToolFailedError | ToolRefusedError)
        self._run = Run(error=str(error) if said else f"The tool call failed ({type(error).__name__}).")

    async def record(self) -> None:
        """Record how it ended, where it was approved."""
        if self._holding is not None and self._pending.end is RequestEnd.ANSWERED:
            await self._holding.ran(self._pending.pending_id, self._run or Run(error="The tool was not run."))
