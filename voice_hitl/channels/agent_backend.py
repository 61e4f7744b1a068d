"""`AgentReasoningBackend`: a chat model's loop as the reasoning backend of a voice channel."""

from collections.abc import AsyncIterator
from typing import Final, assert_never

import anyio

from voice_hitl.channels.ai import AIChannel
from voice_hitl.channels.text_events import TextCall, TextCallEnded, TextDelta, TextEnded
from voice_hitl.errors import ProviderError, ReasoningCutShort
from voice_hitl.reasoning import ReasoningOutput, ReasoningRequest, SpokenLine

_SPEAKERS: Final = {"user": "Caller", "assistant": "You"}


class AgentReasoningBackend:
    """Runs an `AIChannel`'s loop on what a model hands over: one conversation a session, the session's own tools.

    What the agent says before it calls is said at once, the rest when it has nothing more to call.

    Args:
        agent: A channel that only thinks: its model and its `system_prompt`. Its calls are the session's, gated and
            reported there; so it has no tools of its own, and no kit.

    Raises:
        ValueError: The agent has tools or handlers of its own, or is registered with a kit.
    """

    def __init__(self, agent: AIChannel) -> None:
        self._agent = agent
        why_not = self._why_not()
        if why_not:
            raise ValueError(why_not)

    async def reason(self, request: ReasoningRequest) -> AsyncIterator[ReasoningOutput]:
        """Work on one delegation.

        Raises:
            ReasoningCutShort: The model was cut: too long, filtered, too many rounds, or its turn was cancelled.
            ProviderError: The model could not be had.
            RuntimeError: The agent was given tools, or registered with a kit, meanwhile.
        """
        why_not = self._why_not()
        if why_not:
            raise RuntimeError(why_not)
        turn = self._agent.turn_for(
            request.execute_tool_call,
            task_text(request),
            room_id=request.session.id,
            actor_id=request.session.participant_id,
            tools=request.tools,
        )
        words = ""
        try:
            async for event in turn.events:
                match event:
                    case TextDelta(text):
                        words += text
                    case TextCall():
                        said, words = words.strip(), ""
                        if said:
                            yield ReasoningOutput(said)
                    case TextCallEnded():
                        pass
                    case TextEnded("stop"):
                        yield ReasoningOutput(words.strip(), is_final=True)
                    case TextEnded("failed", why):
                        raise ProviderError(why)
                    case TextEnded(reason):
                        raise ReasoningCutShort(f"the agent's turn ended early: {reason}")
                    case _:
                        assert_never(event)
        finally:
            turn.cancel()
            with anyio.move_on_after(1, shield=True):
                await turn.ended.wait()

    def session_ended(self, session_id: str) -> None:
        """Forget its conversation."""
        self._agent.forget(session_id)

    def _why_not(self) -> str:
        if self._agent.own_tools:
            return f"agent {self._agent.id!r} has tools of its own: it calls the session's, so give them to the channel"
        if self._agent.is_registered:
            return f"agent {self._agent.id!r} is registered with a kit: it only thinks, and the session has the hooks"
        return ""


def task_text(request: ReasoningRequest) -> str:
    """A delegation as the agent reads it: what was said since the one before, and what it may not call."""
    since = "so far" if request.is_first else "since your last task"
    said = "\n".join(_line(line) for line in request.lines) or "(nothing that was understood)"
    text = f"You are on a call, and do what its voice cannot do alone. What was said {since}:\n{said}"
    if request.refused:
        refused = "\n".join(f"- {name}: {why}" for name, why in request.refused.items())
        text += f"\n\nWhat cannot be called here:\n{refused}"
    return f"{text}\n\nDo what is asked, and answer in words that can be spoken as they are."


def _line(line: SpokenLine) -> str:
    # One line each, so that nothing that was said can look like a line of somebody else's.
    return f"{_SPEAKERS[line.role]}: {' '.join(line.text.split())}"
