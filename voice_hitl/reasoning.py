"""The port to a reasoning backend: who works on what a full-duplex model hands over while it goes on talking.

Such a model (OpenAI Live) has no tools of its own: it hands a task over (`Delegated`) and says what comes back. The
task has no words but the conversation's: a backend reads the lines that were spoken since the last one.
"""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from voice_hitl.provider import Role
from voice_hitl.tools.calls import AIToolCall
from voice_hitl.tools.definition import AITool


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """One line of the conversation, whole."""

    role: Role
    text: str


class ReasoningSession(Protocol):
    """The call that a delegation belongs to, as a backend may see it."""

    @property
    def id(self) -> str:
        """Its id."""
        ...

    @property
    def room_id(self) -> str:
        """Its room."""
        ...

    @property
    def participant_id(self) -> str:
        """Who is on the leg."""
        ...

    @property
    def language(self) -> str:
        """The language spoken in it, such as `en`."""
        ...

    @property
    def metadata(self) -> dict[str, object]:
        """What the application gave it at its start."""
        ...


class ExecuteToolCall(Protocol):
    """Runs a call of a backend's model as the session's own: the same gate, the same hooks, the same people."""

    async def __call__(self, call: AIToolCall, *, response_id: str = "") -> str:
        """Run it and return what the model reads: the result as it is, an error as `{"error": ...}`.

        It never raises for what became of the call. While a person is being asked it waits, as long as that takes. The
        same id again in one response is the same call, and returns the same text; `response_id` names the response
        where a model counts its calls from zero in each.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningRequest:
    """One delegation, as a backend gets it."""

    session: ReasoningSession
    delegation_id: str
    lines: tuple[SpokenLine, ...]
    """What was said since the delegation before, oldest first."""
    is_first: bool
    """Whether it is the first delegation of its session."""
    tools: tuple[AITool, ...] = ()
    """The tools that the session admits."""
    refused: Mapping[str, str] = field(default_factory=dict[str, str])
    """The tools that it does not admit, by name, each with the refusal that a call of it would read."""
    role: str | None = None
    """The participant's role."""
    execute_tool_call: ExecuteToolCall


@dataclass(frozen=True, slots=True)
class ReasoningOutput:
    """Some of what a delegation comes to."""

    text: str
    spoken: bool = True
    """Whether the model is to tell the caller, or only to know it."""
    is_final: bool = False
    """Whether it is the last: what comes after it is not taken."""


class ReasoningBackend(Protocol):
    """Works on delegations. One object serves many sessions; each delegation is one run of `reason`.

    It is users' code: it may raise, hang, or swallow its cancellation, and none of it reaches the call.
    """

    def reason(self, request: ReasoningRequest) -> AsyncIterator[ReasoningOutput]:
        """Work on it: an async generator. It is cancelled when the session ends or its time is over.

        Ending without `is_final` ends the delegation all the same; raising `ReasoningCutShort` says that the rest is
        missing.
        """
        ...


@runtime_checkable
class HearsSessionsEnd(Protocol):
    """A backend that keeps something for each session, and lets it go."""

    def session_ended(self, session_id: str) -> None:
        """A session that handed something over is over. It does not wait."""
        ...
