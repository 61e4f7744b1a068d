"""What a session knows of what people are asked in it."""

from typing import Final

from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.questions.model import Text
from voice_hitl.requests.pending import PendingInput
from voice_hitl.speech.interpret import interpret
from voice_hitl.speech.reading import Command

_ANYTHING: Final = Text(prompt="What is it?")


class SessionRequests:
    """The requests that come through one session. Without a human-input handler there are none.

    Args:
        human: The channel's human-input handler.
        session_id: The session.
    """

    def __init__(self, human: HumanInputToolHandler | None, session_id: str) -> None:
        self._human = human
        self._session_id = session_id

    @property
    def open(self) -> list[PendingInput]:
        """What is open now, oldest first."""
        return self._human.handler.open_in(self._session_id) if self._human is not None else []

    def asks(self, tool_name: str) -> bool:
        """Whether calls of this tool wait for a person."""
        return self._human is not None and self._human.asks(tool_name)

    def withdraw(self) -> None:
        """Withdraw what is open, in this tick: the call is over."""
        if self._human is not None:
            self._human.handler.call_ended(self._session_id)

    def withdraw_from(self, participant: str) -> None:
        """Withdraw, in this tick, what was asked of this participant alone: they have left."""
        for request in self.open:
            if self._human is not None and set(request.audience) == {participant}:
                self._human.handler.release(request.pending_id)

    def heard(self, said: str, language: str) -> None:
        """The caller has said this to the model: "never mind" calls off what somebody else is being asked."""
        if self._human is None or not self.open:
            return
        if interpret(_ANYTHING, said, language=language) == Command("never_mind"):
            self._human.handler.call_off(self._session_id)

    async def close(self) -> None:
        """Refuse later ones; return when the end of every one was announced and its askers have ended."""
        if self._human is not None:
            await self._human.handler.close(session_id=self._session_id)
