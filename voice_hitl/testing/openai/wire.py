"""What the service says, one event after another, and the clock it says it by."""

from dataclasses import dataclass
from itertools import count

from voice_hitl.testing.openai.refused import Refused

Event = dict[str, object]


@dataclass(frozen=True, slots=True)
class Close:
    """The service ends the connection, with this WebSocket close code."""

    code: int
    reason: str


class Wire:
    """The service's end of one connection."""

    def __init__(self, now: float) -> None:
        self.now = now
        self._numbers = count(1)
        self._out: list[Event | Close] = []

    def emit(self, kind: str, **fields: object) -> None:
        """Say something."""
        self._out.append({"type": kind, "event_id": self.make_id("event"), **fields})

    def refuse(self, refused: Refused, event_id: object = None) -> None:
        """Say that what the client sent (under this `event_id`, where it gave one) is refused."""
        error = {
            "type": "invalid_request_error",
            "code": refused.code,
            "message": refused.message,
            "param": refused.param,
            "event_id": event_id if isinstance(event_id, str) else None,
        }
        self.emit("error", error=error)

    def close(self, code: int, reason: str) -> None:
        """End the connection after what was said."""
        self._out.append(Close(code, reason))

    def take(self) -> list[Event | Close]:
        """What was said since the last time."""
        taken, self._out = self._out, []
        return taken

    def make_id(self, prefix: str) -> str:
        """A new id."""
        return f"{prefix}_{next(self._numbers):06d}"
