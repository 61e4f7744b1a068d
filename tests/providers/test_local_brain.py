"""The front desk: what it says and calls, and that it never claims what was not done."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from voice_hitl.tools.definition import AITool
from voice_hitl_local.front_desk import brain as desk
from voice_hitl_local.front_desk.brain import BOOK, CONFIRM, PICK, Act, Call, FrontDesk, GiveUp, Say

TOOLS = (AITool(CONFIRM), AITool(BOOK))
WITH_PICKER = (*TOOLS, AITool(PICK))
BOOKING = "I'd like to book a table for four tomorrow at seven. My name is Lee."
WORDS = "a table for 4 tomorrow at 7 pm under the name Lee"
DETAILS = {"name": "Lee", "party_size": 4, "day": "tomorrow", "time": "7 pm"}


def carry_out(brain: FrontDesk, *said: str) -> tuple[Act, ...]:
    """What it does in answer, each call of it issued."""
    acts = brain.respond(said)
    for act in acts:
        if isinstance(act, Call):
            brain.issued(act)
    return acts


def words(acts: tuple[Act, ...]) -> str:
    return " ".join(act.text for act in acts if isinstance(act, Say))


def confirming(tools: tuple[AITool, ...] = TOOLS) -> FrontDesk:
    """A brain whose confirmation is open."""
    brain = FrontDesk(tools)
    carry_out(brain)
    carry_out(brain, BOOKING)
    return brain


def after(brain: FrontDesk, result: object, *, failed: bool = False) -> tuple[Act, ...]:
    brain.take_result(json.dumps(result), failed=failed)
    return carry_out(brain)


def test_it_greets_first() -> None:
    assert FrontDesk(TOOLS).respond() == (Say("Hello, this is the front desk. How can I help you?"),)


def test_a_booking_said_in_one_go_is_put_to_confirmation_at_once() -> None:
    brain = FrontDesk(TOOLS)
    carry_out(brain)
    assert carry_out(brain, BOOKING) == (
        Say("One moment, please."),
        Call(CONFIRM, {"action": "Book a table for 4 tomorrow at 7 pm under the name Lee", "details": DETAILS}),
    )


def test_a_confirmed_booking_is_made_and_only_then_said_to_be() -> None:
    brain = confirming()
    assert after(brain, {"confirmed": True}) == (Say("Thank you. I am booking it now."), Call(BOOK, DETAILS))
    assert (
        words(after(brain, {"booked": True}))
        == "Your table is booked. A table for 4 tomorrow at 7 pm under the name Lee."
    )


def test_what_is_missing_is_asked_for_in_short_sentences() -> None:
    brain = FrontDesk(TOOLS)
    assert words(carry_out(brain, "Hi, can I get a table?")) == "For how many people?"
    assert words(carry_out(brain, "Four.")) == "For which day?"
    assert words(carry_out(brain, "Friday, please.")) == "At what time?"
    assert words(carry_out(brain, "Seven.")) == "Under what name?"
    assert Call(
        CONFIRM,
        {
            "action": "Book a table for 4 on Friday at 7 pm under the name Lee",
            "details": {"name": "Lee", "party_size": 4, "day": "Friday", "time": "7 pm"},
        },
    ) in carry_out(brain, "Lee.")


def test_two_utterances_that_came_together_are_read_as_one() -> None:
    brain = FrontDesk(TOOLS)
    acts = carry_out(brain, "I'd like a table for four", "tomorrow at seven. My name is Lee.")
    assert any(isinstance(act, Call) for act in acts)


def test_a_no_books_nothing_and_asks_what_to_change_and_the_change_is_confirmed_anew() -> None:
    brain = confirming()
    assert words(after(brain, {"confirmed": False})) == "All right, nothing has been booked. What should I change?"
    (_, call) = carry_out(brain, "Make it eight.")
    assert isinstance(call, Call)
    assert call.arguments["action"] == "Book a table for 4 tomorrow at 8 pm under the name Lee"


def test_a_no_that_says_what_to_change_is_put_to_confirmation_again_at_once() -> None:
    (_, call) = after(confirming(), {"confirmed": False, "said": "no, make it eight"})
    assert isinstance(call, Call)
    assert call.name == CONFIRM
    assert call.arguments["details"] == DETAILS | {"time": "8 pm"}


def test_a_change_said_beside_the_answer_counts_too() -> None:
    brain = confirming()
    brain.take_result('{"confirmed": false}', failed=False)
    (_, call) = carry_out(brain, "For six people, I meant.")
    assert isinstance(call, Call)
    assert call.arguments["details"] == DETAILS | {"party_size": 6}


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        ("Human input rejected: we are closed", "That was refused, so nothing has been booked. We are closed."),
        ("Human input timed out after 60s for tool 'ConfirmAction'", "Nobody answered in time"),
        ("The tool call failed (OSError).", "Sorry, something went wrong. Nothing has been booked. Shall I try again?"),
    ],
)
def test_a_refused_an_unanswered_and_a_failed_confirmation_are_told_apart(error: str, sentence: str) -> None:
    said = words(after(confirming(), {"error": error}, failed=True))
    assert said.startswith(sentence)
    assert "is booked" not in said


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        ("Human input rejected: no", "That was refused, so your table is not booked."),
        ("The tool 'book_table' took longer than 10 s.", "I cannot say that your table is booked."),
        ("no table is free", "Sorry, your table could not be booked. No table is free. Shall I try again?"),
    ],
)
def test_a_booking_that_did_not_go_through_is_told_honestly(error: str, sentence: str) -> None:
    brain = confirming()
    after(brain, {"confirmed": True})
    assert sentence in words(after(brain, {"error": error}, failed=True))


def test_after_a_failure_a_yes_tries_again_and_a_no_lets_it_be() -> None:
    brain = confirming()
    after(brain, {"error": "x"}, failed=True)
    assert isinstance(carry_out(brain, "Yes, please.")[-1], Call)
    after(brain, {"error": "x"}, failed=True)
    assert words(carry_out(brain, "No.")) == "All right, nothing has been booked."


def test_a_call_that_an_interruption_kept_from_running_is_made_again_with_what_was_said() -> None:
    interrupted = {"error": "This call was not run, because the caller interrupted. It may be called again."}
    brain = confirming()
    assert isinstance(after(brain, interrupted, failed=True)[-1], Call)
    brain.take_result(json.dumps(interrupted), failed=True)
    (_, call) = carry_out(brain, "Sorry, at eight.")
    assert isinstance(call, Call)
    assert call.arguments["details"] == DETAILS | {"time": "8 pm"}


def test_while_the_confirmation_is_open_it_says_so_and_what_is_being_confirmed_stays() -> None:
    brain = confirming()
    assert words(carry_out(brain, "Make it eight.")) == desk.WAITING
    assert after(brain, {"confirmed": True})[-1] == Call(BOOK, DETAILS)
    assert words(carry_out(brain, "Is it booked?")) == desk.BOOKING


def test_a_call_that_was_never_issued_is_proposed_again() -> None:
    brain = FrontDesk(TOOLS)
    brain.respond([BOOKING])
    assert isinstance(brain.respond(["Hello?"])[-1], Call)


def test_a_result_that_nobody_waits_for_changes_nothing() -> None:
    brain = FrontDesk(TOOLS)
    brain.take_result('{"confirmed": true}', failed=False)
    assert words(carry_out(brain)) == desk.GREETING


def test_without_a_confirming_tool_it_asks_for_itself_and_takes_only_a_clear_yes() -> None:
    brain = confirming((AITool(BOOK),))
    assert words(carry_out(brain, "What about parking?")) == (
        "Sorry, I did not understand. Shall I book a table for 4 tomorrow at 7 pm under the name Lee?"
    )
    assert carry_out(brain, "Yes, please.") == (Say(desk.THANK_YOU), Call(BOOK, DETAILS))


def test_without_a_confirming_tool_a_no_books_nothing() -> None:
    brain = confirming((AITool(BOOK),))
    assert words(carry_out(brain, "No.")) == "All right, nothing has been booked. What should I change?"
    assert words(carry_out(brain, "The time.")) == "At what time?"
    assert words(carry_out(brain, "Eight.")).startswith("Shall I book a table for 4 tomorrow at 8 pm")


def test_a_yes_to_a_question_of_which_the_end_was_not_heard_is_no_consent() -> None:
    brain = confirming((AITool(BOOK),))
    brain.cut()
    assert carry_out(brain, "Yes.") == (Say("Shall I book a table for 4 tomorrow at 7 pm under the name Lee?"),)


def test_an_answer_to_a_question_that_asks_for_a_detail_counts_though_its_end_was_not_heard() -> None:
    brain = FrontDesk(TOOLS)
    carry_out(brain, "I'd like to book a table.")
    brain.cut()
    assert words(carry_out(brain, "Four.")) == "For which day?"


def test_a_booking_tool_that_needs_approval_is_called_without_asking_twice() -> None:
    brain = FrontDesk((AITool(BOOK, requires_approval=True, approvers=("caller",)),))
    assert carry_out(brain, BOOKING) == (Say("One moment, please."), Call(BOOK, DETAILS))


def test_with_no_tool_to_book_by_it_says_that_it_cannot() -> None:
    brain = FrontDesk()
    assert "nothing has been booked" in words(carry_out(brain, BOOKING))


def test_with_a_confirming_tool_alone_it_says_confirmed_and_not_booked() -> None:
    said = words(after(confirming((AITool(CONFIRM),)), {"confirmed": True}))
    assert said.startswith("Thank you, that is confirmed.")
    assert "booked" not in said


def test_tools_may_be_declared_later() -> None:
    brain = FrontDesk()
    brain.declare(TOOLS)
    assert isinstance(carry_out(brain, BOOKING)[-1], Call)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("What's the weather like?", f"Sorry, I did not understand. {desk.HELP}"),
        ("Hello", "Hello. How can I help you?"),
        ("Thanks", "You are welcome."),
        ("Is my table booked?", "No, nothing has been booked yet."),
        ("Never mind.", "All right, nothing has been booked."),
        ("Say that again", desk.GREETING),
        ("Bye", "Goodbye."),
        ("Yes.", f"Sorry, I did not understand. {desk.HELP}"),
    ],
)
def test_small_talk_gets_a_short_answer(said: str, answer: str) -> None:
    brain = FrontDesk(TOOLS)
    carry_out(brain)
    assert words(carry_out(brain, said)) == answer


def test_asked_to_go_on_with_nothing_new_it_asks_its_question_again() -> None:
    brain = FrontDesk(TOOLS)
    carry_out(brain, "I'd like a table for four.")
    assert words(carry_out(brain)) == "For which day?"


def test_asked_to_go_on_with_nothing_new_and_nothing_to_ask_it_says_nothing() -> None:
    brain = confirming()
    assert carry_out(brain) == ()
    after(brain, {"confirmed": True})
    after(brain, "done")
    assert carry_out(brain) == ()


def test_not_understanding_an_answer_it_asks_again() -> None:
    brain = FrontDesk(TOOLS)
    carry_out(brain, "I'd like a table for four.")
    assert words(carry_out(brain, "Hello, are you there?")) == "Sorry, I did not understand. For which day?"
    assert words(carry_out(brain, "Yes.")) == "For which day?"
    assert words(carry_out(brain, "No.")) == "For which day?"


def test_a_caller_who_leaves_in_the_middle_is_told_that_nothing_was_booked() -> None:
    brain = FrontDesk(TOOLS)
    carry_out(brain, "I'd like a table for four.")
    assert words(carry_out(brain, "Goodbye.")) == "All right, nothing has been booked. Goodbye."


def test_once_booked_it_says_so_and_takes_the_next_booking_anew() -> None:
    brain = confirming()
    after(brain, {"confirmed": True})
    after(brain, "done")
    assert words(carry_out(brain, "Is it booked?")) == desk.BOOKED
    assert words(carry_out(brain, "Please cancel it.")) == "Your table is booked. I am sorry, I cannot cancel it here."
    assert words(carry_out(brain, "Another table, please.")) == "For how many people?"
    assert words(carry_out(brain, "Two.")) == "For which day?"
    assert words(carry_out(brain, "Is it booked?")) == "No, it is not booked yet."


def picking() -> FrontDesk:
    """A brain that offers times."""
    brain = FrontDesk(WITH_PICKER)
    carry_out(brain)
    asked = carry_out(brain, "A table for four tomorrow, please. My name is Lee.")
    assert asked == (
        Say("At what time? Pick a time on your page, or just tell me one."),
        Call(PICK, {"day": "tomorrow", "party_size": 4}),
    )
    return brain


@pytest.mark.parametrize("result", [{"time": "7 pm"}, {"time": "7:00 pm"}, {"time": "19:00"}, "7 pm"])
def test_where_times_can_be_picked_the_one_that_was_is_booked(result: object) -> None:
    acts = after(picking(), result)
    assert acts[-1] == Call(CONFIRM, {"action": f"Book {WORDS}", "details": DETAILS})


@pytest.mark.parametrize(
    ("result", "failed"),
    [({"cancelled": True}, False), ({"error": "timed out after 60s"}, True), ({"time": "whenever"}, False)],
)
def test_a_picker_that_is_closed_is_followed_by_the_question_and_not_offered_again(
    result: object, failed: bool
) -> None:
    brain = picking()
    assert after(brain, result, failed=failed) == (Say("All right. At what time?"),)
    assert isinstance(carry_out(brain, "Seven.")[-1], Call)


def test_a_caller_who_tells_the_time_instead_has_the_picker_closed() -> None:
    acts = carry_out(picking(), "Seven.")
    assert acts[0] == GiveUp()
    assert acts[-1] == Call(CONFIRM, {"action": f"Book {WORDS}", "details": DETAILS})


def test_a_caller_who_leaves_while_times_are_offered_has_the_picker_closed() -> None:
    assert carry_out(picking(), "Never mind.") == (GiveUp(), Say(desk.NOT_BOOKED))


def test_while_times_are_offered_other_words_change_nothing() -> None:
    brain = picking()
    assert words(carry_out(brain, "Which ones are there?")) == desk.PICKING
    assert words(carry_out(brain, "Is it booked?")) == "No, it is not booked yet."
    assert isinstance(after(brain, {"time": "7 pm"})[-1], Call)


def test_a_time_that_is_told_beside_the_picked_one_is_the_newer_word() -> None:
    brain = picking()
    brain.take_result('{"time": "7 pm"}', failed=False)
    call = carry_out(brain, "At eight.")[-1]
    assert isinstance(call, Call)
    assert call.arguments["details"] == DETAILS | {"time": "8 pm"}


def test_the_next_booking_is_offered_times_anew() -> None:
    brain = picking()
    after(brain, {"time": "7 pm"})
    after(brain, {"confirmed": True})
    after(brain, {"booked": True})
    assert isinstance(carry_out(brain, "Another table for two on Friday.")[-1], Call)


class AnyCall(RuleBasedStateMachine):
    """Whatever a caller says and however tools end, nothing is claimed that no result said."""

    def __init__(self) -> None:
        super().__init__()
        self.brain = FrontDesk(WITH_PICKER)
        self.open: Call | None = None
        self.booked = False
        self.said = ""

    def do(self, *said: str) -> None:
        acts = self.brain.respond(said)
        self.said = words(acts)
        assert acts or not said
        for act in acts:
            if isinstance(act, GiveUp):
                assert self.open is not None, "nothing to give up"
                self.open = None
            if isinstance(act, Call):
                assert self.open is None, "two calls at once"
                self.brain.issued(act)
                self.open = act

    @rule(
        text=st.sampled_from(
            [
                BOOKING,
                "A table for two.",
                "Yes.",
                "No.",
                "Make it eight.",
                "Friday",
                "Lee.",
                "Never mind.",
                "Hm?",
                "Bye.",
            ]
        )
    )
    def caller_speaks(self, text: str) -> None:
        self.do(text)

    @precondition(lambda self: self.open is not None)
    @rule(
        text=st.sampled_from(
            ['{"confirmed": true}', '{"confirmed": false}', '{"time": "7 pm"}', "fine", '{"error": "x"}']
        ),
        failed=st.booleans(),
    )
    def result_comes(self, text: str, failed: bool) -> None:
        call, self.open = self.open, None
        if call is not None and call.name == BOOK and not failed and "error" not in text:
            self.booked = True
        self.brain.take_result(text, failed=failed)
        self.do()

    @rule()
    def told_to_go_on(self) -> None:
        self.do()

    @rule()
    def interrupted(self) -> None:
        self.brain.cut()

    @invariant()
    def claims_only_what_was_done(self) -> None:
        if not self.booked:
            assert "your table is booked" not in self.said.lower().replace("cannot say that your table is booked", "")


AnyCall.TestCase.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)
TestAnyCall = AnyCall.TestCase


@given(said=st.lists(st.text(max_size=40), max_size=6))
def test_it_always_has_an_answer(said: list[str]) -> None:
    brain = FrontDesk(TOOLS)
    for text in said:
        assert carry_out(brain, text)
