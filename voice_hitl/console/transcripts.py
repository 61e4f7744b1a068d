"""`Transcripts`: the last lines of every live call, as operators may read them. Pure: times come in.

What is said while a confidential question is open, or just after, is masked: it may be its answer.
"""

from collections import deque
from datetime import datetime
from typing import Final

from voice_hitl.console.shown import Line
from voice_hitl.requests.pending import MASKED

LAST_LINES: Final = 8
LONGEST_LINE: Final = 1_000
MASKED_FOR_S: Final = 10.0
"""How long after a confidential question what is said is masked, in seconds: transcripts come late."""


class Transcripts:
    """Keeps the last lines of each session until it is forgotten."""

    def __init__(self) -> None:
        self._lines: dict[str, deque[Line]] = {}
        self._masked_until: dict[str, float] = {}

    def said(self, session: str, role: str, text: str, at: datetime, *, now: float, confidential: bool) -> None:
        """Note a line; `confidential`: a confidential question is open in the session."""
        masked = confidential or now < self._masked_until.get(session, now)
        lines = self._lines.setdefault(session, deque(maxlen=LAST_LINES))
        lines.append(Line(role=role, text=MASKED if masked else text[:LONGEST_LINE], at=at))

    def confidential_until(self, session: str, now: float) -> None:
        """A confidential question has just ended: perhaps with its session, or long after it."""
        self._masked_until = {each: until for each, until in self._masked_until.items() if now < until}
        self._masked_until[session] = now + MASKED_FOR_S

    def of(self, session: str) -> list[Line]:
        """The last lines of a session, oldest first."""
        return list(self._lines.get(session, ()))

    def forget(self, session: str) -> None:
        """The session is over."""
        self._lines.pop(session, None)
