"""A session's open calls as its model knows them: what it is owed, told meanwhile, and when it is asked to go on."""

from collections.abc import Callable

from voice_hitl.calls.call import ToolCall
from voice_hitl.calls.going_on import GoingOn
from voice_hitl.channels.call_page import CallPage
from voice_hitl.channels.floor import Floor
from voice_hitl.channels.interim import InterimOutputs
from voice_hitl.channels.link import Link
from voice_hitl.channels.outputs import Outputs, result_line
from voice_hitl.channels.waiting import WaitingNotes
from voice_hitl.provider import ProviderCapabilities
from voice_hitl.requests.pending import PendingInput
from voice_hitl.tasks import Tasks


class OpenCalls:
    """Hears how the calls move (`CallWatcher`) and tells the model, and the page, what follows from it.

    Args:
        link: The model.
        capabilities: Of its provider.
        outputs: What it is owed.
        page: The page in the call.
        floor: Who speaks.
        tasks: Runs what is told.
        asks_a_person: Whether calls of this tool wait for a person.
    """

    def __init__(
        self,
        *,
        link: Link,
        capabilities: ProviderCapabilities,
        outputs: Outputs,
        page: CallPage,
        floor: Floor,
        tasks: Tasks,
        asks_a_person: Callable[[str], bool],
    ) -> None:
        self._link = link
        self._outputs = outputs
        self._page = page
        self._floor = floor
        self._asks_a_person = asks_a_person
        self._going_on = GoingOn(replies_to_results=capabilities.replies_to_results)
        self._notes = WaitingNotes(link, tasks)
        self._interim = InterimOutputs(outputs, capabilities.owes_output_within_s, tasks, self._output_sent)
        self._begun: set[str] = set()
        self._ended = False

    # --- what the model does -----------------------------------------------------------------------------------------

    @property
    def responding(self) -> bool:
        """Whether a response is active."""
        return self._going_on.responding

    @property
    def caller_speaks(self) -> bool:
        """Whether the caller speaks."""
        return self._going_on.caller_speaks

    def response_started(self, response_id: str) -> None:
        """The model responds."""
        self._going_on.response_started(response_id)

    def response_ended(self, response_id: str) -> None:
        """That response is over: a call that it only began never comes."""
        for call_id in self._begun:
            self._page.prepared(call_id)
        self._begun.clear()
        self._going_on.response_ended(response_id)
        self.go_on()

    def speech(self, *, on: bool) -> None:
        """The caller begins, or ceases, to speak."""
        self._going_on.caller_speaks = on
        self.go_on()

    def begun(self, call_id: str, name: str) -> None:
        """The model begins to issue a call."""
        if self._asks_a_person(name):
            self._begun.add(call_id)
            self._page.preparing(call_id, name)

    def called(self, call: ToolCall | None, call_id: str) -> None:
        """The model issued a call; None: what came was not one."""
        begun = call_id in self._begun
        self._begun.discard(call_id)
        if call is None:
            if begun:
                self._page.prepared(call_id)
            return
        if call.outcome is None or (call.outcome.answerable and not call.outcome.cancelled):
            self._going_on.called(call.call_id, call.response_id)
            self._outputs.owe(call)

    def replaced(self) -> None:
        """A new connection stands: its responses are its own, the calls are still open."""
        self._outputs.replaced()
        self._begun.clear()
        self._going_on.forget_connection()
        self._notes.again()
        self.go_on()

    # --- what the calls do (CallWatcher) -----------------------------------------------------------------------------

    def asking(self, call: ToolCall, request: PendingInput) -> None:
        """A call waits for a person from here: the model is told, honestly, that nothing has been done."""
        self._going_on.asking(call.call_id, call.response_id)
        self._notes.add(call)
        self._interim.watch(call)
        self.go_on()

    def answered(self, call: ToolCall) -> None:
        """It waits no longer, and is about to run."""
        if not self._ended:
            self._notes.remove(call)

    def delivered(self, call: ToolCall) -> None:
        """Its outcome is on its way to the model."""
        if call.outcome is not None:
            self._outputs.said("system", result_line(call, call.outcome.text))
        if call.delivered_as == "text":
            self._going_on.owe()
        self._going_on.delivered(call.call_id, call.response_id)

    def reported(self, call: ToolCall) -> None:
        """It is over."""
        self._outputs.settle(call)
        self._interim.stop(call)
        self._page.prepared(call.call_id)
        if self._ended:
            return
        self._notes.remove(call)
        self._going_on.dropped(call.call_id, call.response_id)
        self.go_on()

    def owe(self) -> None:
        """The model was told something as text, and is to be asked to go on."""
        self._going_on.owe()
        self.go_on()

    def end(self) -> None:
        """The session ends: the model is told nothing more."""
        self._ended = True

    # --- going on ----------------------------------------------------------------------------------------------------

    def go_on(self) -> None:
        """Ask the model to go on, where that is due now."""
        if self._ended or self._link.connection is None:
            return
        self._going_on.floor_taken = self._floor.holder is not None
        if self._going_on.take_due():
            self._link.tell(lambda connection: connection.respond(), "going on", lost=self._going_on.owe)

    def _output_sent(self) -> None:
        self._going_on.output_sent()
        self.go_on()
