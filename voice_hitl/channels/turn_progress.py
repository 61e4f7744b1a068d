"""How a text turn gets on: what its round has come to so far, and the events for whoever reads it."""

from dataclasses import dataclass, field
from typing import Literal

from voice_hitl.calls.call import ToolCall
from voice_hitl.channels.text_events import TextCall, TextCallEnded, TextEvent
from voice_hitl.channels.written_answer import WrittenAnswer
from voice_hitl.chat import ChatCall
from voice_hitl.doors.pipeline import sent_text
from voice_hitl.requests.pending import PendingInput
from voice_hitl.tasks import Latch, Mailbox, Tasks

RoundEnd = Literal["stop", "calls", "length", "filtered", "steered"]


@dataclass(slots=True)
class Round:
    """An answer of the model and the calls in it."""

    answer: WrittenAnswer
    end: RoundEnd = "stop"
    calls: list[ChatCall] = field(default_factory=list[ChatCall])
    results: dict[str, str] = field(default_factory=dict[str, str])
    told: list[str] = field(default_factory=list[str])
    """Outcomes of calls that were written, as text."""
    has_called: bool = False


class TurnProgress:
    """All that the calls of a turn know of it (`CallWatcher`), so that it has no cycle for the garbage collector.

    Args:
        tasks: Runs them.
    """

    def __init__(self, tasks: Tasks) -> None:
        self.tasks = tasks
        self.events: Mailbox[TextEvent] = Mailbox()
        self.round = Round(WrittenAnswer({}))
        self._reported = Latch()

    def next_round(self) -> Round:
        """Begin the next round; return the one that is over."""
        past, self.round = self.round, Round(WrittenAnswer({}))
        return past

    async def next_report(self) -> None:
        """Wait until one more call is over."""
        self._reported = Latch()
        await self._reported.wait()

    def begun(self, call: ChatCall) -> None:
        """The model issued this call: the conversation gets it, and its result."""
        self.round.calls.append(call)
        self.called(call.call_id, call.name)

    def called(self, call_id: str, name: str) -> None:
        """A call began, issued or written."""
        self.round.has_called = True
        self.events.put(TextCall(call_id, name))

    # --- what the calls come to --------------------------------------------------------------------------------------

    def keep(self, call_id: str, text: str) -> None:
        """A call's result (the door delivers here)."""
        self.round.results[call_id] = text

    def tell(self, text: str) -> None:
        """What a written call came to, as the model is told it."""
        self.round.told.append(text)

    async def told_of(self, text: str) -> None:
        """The same, where a door delivers it."""
        self.tell(text)

    def external_ended(self, event: TextCallEnded) -> None:
        """A call that is not the channel's own is over."""
        self.events.put(event)

    def asking(self, call: ToolCall, request: PendingInput) -> None:
        """A call waits for a person. The turn waits with it: no round begins before."""

    def answered(self, call: ToolCall) -> None:
        """It waits no longer."""

    def delivered(self, call: ToolCall) -> None:
        """Its result is kept."""

    def reported(self, call: ToolCall) -> None:
        """It is over."""
        self._reported.set()  # first the turn, then whoever reads of it
        if call.outcome is not None:
            ended = TextCallEnded(call.call_id, call.name, call.outcome.kind, sent_text(call.outcome))
            self.events.put(ended)
