"""An output for now: a provider that waits less long for an output than a person may take gets one that says so."""

from collections.abc import Callable

import anyio

from voice_hitl.calls.call import CallState, ToolCall
from voice_hitl.channels.outputs import Outputs
from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.tasks import Job, Tasks

AHEAD_S = 2.0
"""How long before the provider's bound it is sent, in seconds; of a short bound, a quarter."""


def interim_text(call: ToolCall) -> str:
    """What the model reads as the one output of a call that still waits, or that runs since it was approved."""
    if call.state is CallState.SERVING:
        return f"The call of {call.name} was approved and is still running. Its result follows as a message."
    return (
        f"The call of {call.name} is still waiting for a person to answer. Nothing has been done yet: do not say or "
        "imply that it was. The answer follows as a message."
    )


class InterimOutputs:
    """Watches the calls that wait for a person, for a provider with a bound of its own.

    Args:
        outputs: Sends them.
        within_s: The provider's bound, from the call's arrival, in seconds; None: it has none, and nothing is sent.
        tasks: Runs the watches.
        sent: Is told when one was sent.
    """

    def __init__(self, outputs: Outputs, within_s: float | None, tasks: Tasks, sent: Callable[[], None]) -> None:
        self._outputs = outputs
        self._within_s = within_s
        self._tasks = tasks
        self._sent = sent
        self._watches: dict[ToolCall, Job] = {}

    def watch(self, call: ToolCall) -> None:
        """This call waits for a person."""
        if self._within_s is not None and call not in self._watches:
            at = call.arrived_at + self._within_s - min(AHEAD_S, self._within_s / 4)
            self._watches[call] = self._tasks.spawn(self._send(call, at), "an output for now")

    def stop(self, call: ToolCall) -> None:
        """This call has its outcome; harmless for one that was never watched."""
        watch = self._watches.pop(call, None)
        if watch is not None:
            watch.cancel()

    async def _send(self, call: ToolCall, at: float) -> None:
        await anyio.sleep_until(at)
        try:
            if await self._outputs.send_for_now(call, interim_text(call)):
                self._sent()
        except (ConnectionEnded, ProviderError):
            return  # its outcome is all that it gets, or the next connection does not know it
