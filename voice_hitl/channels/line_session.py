"""`LineSession`: what the caller's line needs of the session that it belongs to."""

from collections.abc import Mapping
from typing import Protocol

from voice_hitl.enums import Via
from voice_hitl.requests.pending import PendingInput
from voice_hitl.transport import Leg


class LineSession(Protocol):
    """The session, as its line sees it."""

    @property
    def leg(self) -> Leg:
        """The leg that carries the call now."""
        ...

    @property
    def model_speaks(self) -> bool:
        """Whether the model responds, or its words are still being heard."""
        ...

    @property
    def is_quiet(self) -> bool:
        """Whether nobody speaks, and no asker holds the line."""
        ...

    async def interrupt(self) -> None:
        """Stop the model's words."""
        ...

    def interject(self, pcm: bytes) -> None:
        """Play this like words of the model's, which the model knows nothing of."""
        ...

    def request(self, pending_id: str) -> PendingInput | None:
        """An open request of the session."""
        ...

    def aside_told(self, said: str) -> None:
        """The model was given what the caller said beside a question, which it had not heard."""
        ...

    def tell_asked(self, pending_id: str, asked_by: str) -> None:
        """Tell `ON_ASKED`."""
        ...

    def tell_heard(self, pending_id: str, reading: Mapping[str, str], via: Via) -> None:
        """Tell `ON_HEARD`."""
        ...
