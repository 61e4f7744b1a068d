"""One tool call's life: from its arrival to the report of its end."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from voice_hitl.calls.outcome import Outcome
from voice_hitl.tools.context import NOBODY, Actor


class CallState(StrEnum):
    """Where a tool call stands."""

    BOOKED = "booked"
    """It has arrived and is in the gate."""
    SERVING = "serving"
    """A handler runs."""
    ASKING = "asking"
    """It waits for a person."""
    SETTLED = "settled"
    """It has its outcome, which goes out at most once."""
    REPORTED = "reported"
    """Its end was reported, once. Terminal."""


class CallEvent(StrEnum):
    """What happens to a tool call."""

    SERVE = "serve"
    ASK = "ask"
    SETTLE = "settle"
    REPORT = "report"


TRANSITIONS: Mapping[tuple[CallState, CallEvent], CallState] = MappingProxyType(
    {
        (CallState.BOOKED, CallEvent.SERVE): CallState.SERVING,
        (CallState.BOOKED, CallEvent.ASK): CallState.ASKING,
        (CallState.BOOKED, CallEvent.SETTLE): CallState.SETTLED,
        (CallState.SERVING, CallEvent.ASK): CallState.ASKING,
        (CallState.SERVING, CallEvent.SETTLE): CallState.SETTLED,
        (CallState.ASKING, CallEvent.SERVE): CallState.SERVING,
        (CallState.ASKING, CallEvent.ASK): CallState.ASKING,
        (CallState.ASKING, CallEvent.SETTLE): CallState.SETTLED,
        (CallState.SETTLED, CallEvent.REPORT): CallState.REPORTED,
    }
)
"""The life of a tool call. What is not in the table does not happen: the event is not taken."""


@dataclass(slots=True, eq=False)
class ToolCall:
    """One call the model issued. Its book moves it; everybody else reads.

    `arguments` is what will run (after the gate); `raw` is what came, kept for the report where it was unreadable.
    """

    call_id: str
    name: str
    raw: str | Mapping[str, object] | None
    response_id: str
    arrived_at: float
    """Monotonic seconds."""
    actor: Actor = NOBODY
    """Whose turn raised it, as it was when it came."""
    arguments: Mapping[str, object] | None = None
    proposed: Mapping[str, object] | None = None
    """What the model proposed, once its approval was asked for; `arguments` is then what was approved."""
    sensitive: bool = False
    """What it comes to is for the model alone: hooks and logs see three dots of it."""
    state: CallState = CallState.BOOKED
    answered_by: str | None = None
    """Which person decided it, where one did and is known."""
    outcome: Outcome | None = None
    delivery_claimed: bool = False
    delivered_as: str | None = None
    """`"output"` or `"text"`, once delivered."""
    abandoned: bool = False
    """The provider gave it up: nothing is sent for it any more."""

    def move(self, event: CallEvent) -> bool:
        """Take `event` if the table has it here; whether it was taken."""
        state = TRANSITIONS.get((self.state, event))
        if state is None:
            return False
        self.state = state
        return True

    def settle(self, outcome: Outcome) -> bool:
        """Give it its outcome; only the first one counts."""
        if not self.move(CallEvent.SETTLE):
            return False
        self.outcome = outcome
        return True
