import itertools

import pytest

from voice_hitl.calls.call import TRANSITIONS, CallEvent, CallState, ToolCall
from voice_hitl.calls.outcome import Outcome
from voice_hitl.enums import OutcomeKind


def call_in(state: CallState) -> ToolCall:
    return ToolCall("c1", "look_up", "{}", "r1", 0.0, state=state)


@pytest.mark.parametrize(("state", "event"), list(itertools.product(CallState, CallEvent)))
def test_an_event_is_taken_where_the_table_has_it_and_nowhere_else(state: CallState, event: CallEvent) -> None:
    call = call_in(state)
    assert call.move(event) is ((state, event) in TRANSITIONS)
    assert call.state is TRANSITIONS.get((state, event), state)


def test_a_call_starts_booked_and_every_state_can_be_reached() -> None:
    assert ToolCall("c1", "look_up", "{}", "r1", 0.0).state is CallState.BOOKED
    assert {CallState.BOOKED, *TRANSITIONS.values()} == set(CallState)


def test_a_reported_call_never_changes_again() -> None:
    assert all(state is not CallState.REPORTED for state, _ in TRANSITIONS)


@pytest.mark.parametrize("state", [CallState.BOOKED, CallState.SERVING, CallState.ASKING])
def test_only_the_first_outcome_counts(state: CallState) -> None:
    call = call_in(state)
    first = Outcome(OutcomeKind.CANCELLED)
    assert call.settle(first)
    assert not call.settle(Outcome(OutcomeKind.SERVED, "found"))
    assert call.outcome is first


def test_an_approved_call_goes_on_to_its_handler() -> None:
    call = call_in(CallState.BOOKED)
    assert call.move(CallEvent.ASK)
    assert call.move(CallEvent.SERVE)
    assert call.settle(Outcome(OutcomeKind.SERVED, "done"))


def test_calls_are_told_apart_by_identity() -> None:
    assert call_in(CallState.BOOKED) != call_in(CallState.BOOKED)
