"""How a tool call ended: six kinds, from which every flag follows."""

from voice_hitl.enums import OutcomeKind
from voice_hitl.frozen import frozen


@frozen()
class Outcome:
    """How a call ended, and the text the model reads.

    Args:
        kind: One of the six.
        text: What is delivered, as it goes out. Empty for a cancelled call: nothing is sent.
        error_detail: What failed, for observers and the log, never for the model.
        never_cut: The text is a person's answer: it goes out whole.
        answerable: Whether anything is sent for the call (a call without an id has nowhere to send to).
    """

    kind: OutcomeKind
    text: str = ""
    error_detail: str | None = None
    never_cut: bool = False
    answerable: bool = True

    @property
    def is_error(self) -> bool:
        """All but served."""
        return self.kind is not OutcomeKind.SERVED

    @property
    def refused(self) -> bool:
        """Nothing ran because somebody or something said no."""
        return self.kind is OutcomeKind.REFUSED

    @property
    def cancelled(self) -> bool:
        """The call was given up: nothing is sent."""
        return self.kind is OutcomeKind.CANCELLED

    @property
    def judged(self) -> bool:
        """Whether `ON_TOOL_CALL`'s SYNC hooks see it."""
        return self.kind is OutcomeKind.SERVED or self.kind is OutcomeKind.UNSERVED
