"""A reasoning backend's call: its outcome is what `execute_tool_call` returns."""

import hashlib
import re
from typing import Final

import anyio

from voice_hitl.calls.call import ToolCall
from voice_hitl.calls.outcome import Outcome
from voice_hitl.doors.pipeline import sent_text
from voice_hitl.enums import DoorName, OutcomeKind
from voice_hitl.tasks import GRACE_S, Latch

_FITS: Final = re.compile(r"[a-zA-Z0-9_-]{1,32}")
"""What every provider takes as the id of a call."""


def delegated_call_id(delegation_id: str, model_id: str) -> str:
    """The id of a backend's call: `<delegation>_<model's id>`, hashed where that is too long or holds other characters.

    A call that its model gave no id has none here either.
    """
    if not model_id:
        return ""
    call_id = f"{delegation_id}_{model_id}"
    if _FITS.fullmatch(call_id):
        return call_id
    return "d_" + hashlib.blake2b(call_id.encode(), digest_size=15).hexdigest()


class DelegationDoor:
    """Delivers by handing the text to whoever waits for `execute_tool_call` to return."""

    name = DoorName.DELEGATION
    given_up = sent_text(Outcome(OutcomeKind.CANCELLED, "This call was given up: what it belonged to is over."))
    """What a call returns whose delegation is over. Its model reads it only where it swallows its own ending."""

    def __init__(self) -> None:
        self._texts: dict[ToolCall, str] = {}
        self._over: dict[ToolCall, Latch] = {}

    async def deliver(self, call: ToolCall, text: str, *, failed: bool) -> str:
        """Return the text from the call, which says whether it failed. It waits for nothing: given is delivered."""
        self._texts[call] = text
        self._latch(call).set()
        return "output"

    def reported(self, call: ToolCall) -> None:
        """The call is over: whoever waits for it goes on, also where nothing was delivered."""
        self._latch(call).set()

    async def returned(self, call: ToolCall) -> str:
        """Wait until the call is over, and return what its model reads.

        Of one that was given up nothing is read: whoever waits is being cancelled with it. What swallows that gets
        `given_up` after a grace, so that nothing waits for ever.
        """
        await self._latch(call).wait()
        text, outcome = self._texts.get(call), call.outcome
        if text is not None:
            return text
        if outcome is not None and not outcome.answerable:
            return sent_text(outcome)  # refused for its id: nobody else could be told
        await anyio.sleep(GRACE_S)
        return self.given_up

    def _latch(self, call: ToolCall) -> Latch:
        latch = self._over.get(call)
        if latch is None:
            latch = self._over[call] = Latch()
        return latch
