"""`Conversation` against a service that keeps its own rules, with wants at any moment."""

from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.providers.talk import Talk, kinds
from voice_hitl.provider import ProviderFailed


class Service(RuleBasedStateMachine):
    """A service that keeps its own rules, with a client that wants things at any moment."""

    def __init__(self) -> None:
        super().__init__()
        self.talk = Talk()
        self.arriving: list[dict[str, object]] = []
        self.active: str | None = None
        self.numbers = 0
        self.outputs_given = 0
        self.outputs_taken = 0
        self.read = 0
        self.excused = 0
        self.asked = 0
        self.granted = 0

    def _collect(self) -> None:
        self.arriving += self.talk.sent()

    @rule()
    def the_output_of_a_call_comes(self) -> None:
        self.outputs_given += 1
        self.asked += 1
        self.talk.it.give_output(f"call_{self.outputs_given}", "yes")
        self.talk.it.respond()
        self._collect()

    @rule()
    def the_caller_barges_in(self) -> None:
        # Who interrupts what has not begun has to ask again.
        if "response.create" in kinds(self.arriving):
            self.excused = self.outputs_given
        self.talk.it.interrupt(None, "", 0)
        self._collect()

    @rule()
    def the_caller_says_something(self) -> None:
        self.numbers += 1
        self.talk.adds(f"item_{self.numbers}")
        if self.active is None:
            self._begin(None)

    @precondition(lambda self: bool(self.arriving))
    @rule()
    def the_service_takes_what_arrived(self) -> None:
        command = self.arriving.pop(0)
        match command["type"]:
            case "conversation.item.create":
                self.outputs_taken += 1
                self.talk.takes([command])
            case "response.create" if self.active is None:
                self.granted += 1
                self._begin(str(command["event_id"]))
            case "response.create":
                self.talk.refuses("conversation_already_has_active_response", command["event_id"])
            case "response.cancel" if self.active == command["response_id"]:
                self._end("cancelled")
            case "response.cancel":
                self.talk.refuses("response_cancel_not_active", command["event_id"])
            case kind:
                raise AssertionError(f"{kind} was sent")
        self._collect()

    @precondition(lambda self: self.active is not None)
    @rule()
    def the_response_ends(self) -> None:
        self._end("completed")

    def _begin(self, tag: str | None) -> None:
        self.numbers += 1
        self.active = f"resp_{self.numbers}"
        self.read = self.outputs_taken
        self.talk.starts(self.active, tag)
        self._collect()

    def _end(self, status: str) -> None:
        self.talk.ends(str(self.active), status)
        self.active = None
        self._collect()

    @rule()
    def once_nothing_happens_any_more_the_model_has_read_every_output(self) -> None:
        while self.arriving or self.active is not None:
            if self.arriving:
                self.the_service_takes_what_arrived()
            else:
                self.the_response_ends()
        assert max(self.read, self.excused) == self.outputs_given

    @invariant()
    def it_is_never_asked_more_often_than_wanted(self) -> None:
        assert self.granted <= self.asked

    @invariant()
    def nothing_is_an_error(self) -> None:
        assert not [event for event in self.talk.told() if isinstance(event, ProviderFailed)]


TestService = Service.TestCase
TestService.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
