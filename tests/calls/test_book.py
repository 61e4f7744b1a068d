import pytest

from voice_hitl.calls.book import REMEMBERED_IDS, SAME_RESPONSE_S, Book, Booking, NewCall, Replay, Unrunnable
from voice_hitl.calls.call import CallState, ToolCall
from voice_hitl.calls.outcome import Outcome
from voice_hitl.enums import OutcomeKind

SERVED = Outcome(OutcomeKind.SERVED, "found")


def new(booking: Booking) -> ToolCall:
    assert isinstance(booking, NewCall)
    return booking.call


def unrunnable(booking: Booking) -> tuple[ToolCall, Outcome]:
    assert isinstance(booking, Unrunnable)
    assert booking.call.outcome is not None
    return booking.call, booking.call.outcome


def finish(book: Book, call: ToolCall) -> None:
    call.settle(SERVED)
    assert book.claim_delivery(call)
    assert book.claim_report(call)


# --- which message is a call -----------------------------------------------------------------------------------------


def test_a_new_id_is_a_call() -> None:
    book = Book()
    call = new(book.arrive("c1", "look_up", '{"a": 1}', "r1", now=5))
    assert (call.call_id, call.name, call.raw, call.response_id) == ("c1", "look_up", '{"a": 1}', "r1")
    assert (call.arrived_at, call.state) == (5, CallState.BOOKED)
    assert book.find("c1") is call
    assert book.open_calls == [call]


def test_a_call_cancelled_before_it_came_is_reported_cancelled_and_not_sent() -> None:
    book = Book()
    assert book.cancel(["c1"], now=0) == []
    call, outcome = unrunnable(book.arrive("c1", "look_up", "{}", "r1", now=0))
    assert outcome.cancelled
    assert not book.claim_delivery(call)
    assert book.claim_report(call)
    assert book.arrive("c1", "look_up", "{}", "r1", now=0) == Replay()


def test_a_call_under_an_id_that_was_cancelled_long_ago_is_another_one() -> None:
    book = Book()
    book.cancel(["c1", "c2"], now=10)
    assert unrunnable(book.arrive("c1", "look_up", "{}", "r1", now=10 + SAME_RESPONSE_S))[1].cancelled
    new(book.arrive("c2", "look_up", "{}", "r2", now=10 + SAME_RESPONSE_S + 0.001))


def test_the_same_id_in_the_same_response_is_a_replay_in_flight_or_not() -> None:
    book = Book()
    call = new(book.arrive("c1", "look_up", "{}", "r1", now=0))
    assert book.arrive("c1", "look_up", "{}", "r1", now=100) == Replay()
    finish(book, call)
    assert book.arrive("c1", "look_up", "{}", "r1", now=200) == Replay()


def test_where_no_response_is_named_a_replay_comes_soon() -> None:
    book = Book()
    finish(book, new(book.arrive("c1", "look_up", "{}", now=0)))
    assert book.arrive("c1", "look_up", "{}", now=SAME_RESPONSE_S) == Replay()
    new(book.arrive("c1", "look_up", "{}", now=SAME_RESPONSE_S + 0.001))


@pytest.mark.parametrize("empty", ["", " {} ", "null", None, {}])
def test_an_empty_ghost_of_a_seen_call_is_a_replay(empty: str | dict[str, object] | None) -> None:
    book = Book()
    finish(book, new(book.arrive("c1", "look_up", {"a": 1}, "r1", now=0)))
    assert book.arrive("c1", "look_up", empty, "r2", now=100) == Replay()


def test_an_old_id_in_a_later_response_is_a_new_call() -> None:
    book = Book()
    finish(book, new(book.arrive("c1", "look_up", "{}", "r1", now=0)))
    finish(book, new(book.arrive("c1", "look_up", "{}", "r2", now=0)))
    finish(book, new(book.arrive("c1", "look_up", '{"a": 1}', "r3", now=0)))
    new(book.arrive("c1", "confirm", "{}", "r4", now=0))


def test_an_id_in_use_by_another_response_is_refused_and_not_answered() -> None:
    book = Book()
    first = new(book.arrive("c1", "look_up", "{}", "r1", now=0))
    second, outcome = unrunnable(book.arrive("c1", "look_up", "{}", "r2", now=0))
    assert outcome.refused
    assert "'c1' is in use" in outcome.text
    assert not book.claim_delivery(second)
    assert book.claim_report(second)
    assert book.find("c1") is first
    finish(book, first)


def test_a_call_without_an_id_is_refused_and_not_answered() -> None:
    book = Book()
    for _ in range(2):
        call, outcome = unrunnable(book.arrive("", "look_up", "{}", "r1", now=0))
        assert outcome.refused
        assert "it has no id" in outcome.text
        assert not book.claim_delivery(call)


def test_a_call_of_an_interrupted_response_is_not_run_and_may_be_called_again() -> None:
    book = Book()
    book.interrupted("r1")
    call, outcome = unrunnable(book.arrive("c1", "look_up", "{}", "r1", now=0))
    assert outcome.refused
    assert "may be called again" in outcome.text
    assert book.claim_delivery(call)
    new(book.arrive("c2", "look_up", "{}", "r1", now=0, runs_when_interrupted=True))
    new(book.arrive("c3", "look_up", "{}", "r2", now=0))


def test_no_response_is_not_an_interrupted_one() -> None:
    book = Book()
    book.interrupted("")
    new(book.arrive("c1", "look_up", "{}", "", now=0))


def test_only_so_many_ids_and_interrupted_responses_are_remembered() -> None:
    book = Book()
    for number in range(REMEMBERED_IDS + 1):
        book.interrupted(f"r{number}")
        finish(book, new(book.arrive(f"c{number}", "look_up", "{}", now=0)))
    book.cancel((f"x{number}" for number in range(REMEMBERED_IDS + 1)), now=0)
    new(book.arrive("c0", "look_up", "{}", now=0))
    new(book.arrive("x0", "look_up", "{}", "r0", now=0))
    assert unrunnable(book.arrive("x1", "look_up", "{}", now=0))[1].cancelled
    assert unrunnable(book.arrive("d1", "look_up", "{}", "r1", now=0))[1].refused


# --- endings ---------------------------------------------------------------------------------------------------------


def test_a_cancelled_id_is_free_at_once_and_nothing_is_sent_for_it() -> None:
    book = Book()
    call = new(book.arrive("c1", "look_up", "{}", "r1", now=0))
    assert book.cancel(["c1", "unheard of", ""], now=0) == [call]
    assert (call.abandoned, book.find("c1")) == (True, None)
    assert not call.settle(SERVED)
    assert not book.claim_delivery(call)
    new(book.arrive("c1", "look_up", "{}", "r2", now=0))
    assert book.claim_report(call)
    assert book.find("c1") is not None


def test_a_settled_call_that_is_cancelled_before_its_outcome_went_out_sends_nothing() -> None:
    book = Book()
    call = new(book.arrive("c1", "look_up", "{}", "r1", now=0))
    call.settle(SERVED)
    assert book.cancel(["c1"], now=0) == []
    assert not book.claim_delivery(call)
    assert book.claim_report(call)


def test_a_late_cancel_of_a_call_that_is_over_does_not_hit_the_next_one() -> None:
    book = Book()
    finish(book, new(book.arrive("c1", "look_up", "{}", "r1", now=0)))
    assert book.cancel(["c1"], now=0) == []
    new(book.arrive("c1", "look_up", "{}", "r2", now=0))


def test_the_end_of_the_session_cancels_every_call() -> None:
    book = Book()
    running, settled = (new(book.arrive(call_id, "look_up", "{}", "r1", now=0)) for call_id in ("c1", "c2"))
    settled.settle(SERVED)
    assert book.end() == [running]
    assert not book.claim_delivery(running)
    assert not book.claim_delivery(settled)
    assert book.claim_report(running)
    assert book.claim_report(settled)
    assert book.open_calls == []


def test_the_call_that_ends_its_session_runs_to_its_report() -> None:
    book = Book()
    ending, other = (new(book.arrive(call_id, "look_up", "{}", "r1", now=0)) for call_id in ("c1", "c2"))
    assert book.end(but=ending) == [other]
    assert ending.settle(SERVED)
    assert not book.claim_delivery(ending)
    assert book.claim_report(ending)
    assert ending.outcome is SERVED


def test_what_comes_after_the_end_is_reported_cancelled_once() -> None:
    book = Book()
    book.end()
    _, outcome = unrunnable(book.arrive("c1", "look_up", "{}", "r1", now=0))
    assert outcome.cancelled
    assert book.arrive("c1", "look_up", "{}", "r1", now=0) == Replay()
    assert unrunnable(book.arrive("", "look_up", "{}", "r1", now=0))[1].cancelled


# --- the two promises ------------------------------------------------------------------------------------------------


def test_an_outcome_goes_out_at_most_once_and_frees_the_id() -> None:
    book = Book()
    call = new(book.arrive("c1", "look_up", "{}", "r1", now=0))
    assert not book.claim_delivery(call)
    assert book.find("c1") is call
    call.settle(SERVED)
    assert book.claim_delivery(call)
    assert book.find("c1") is None
    assert not book.claim_delivery(call)


def test_an_end_is_reported_exactly_once_and_only_once_there_is_one() -> None:
    book = Book()
    call = new(book.arrive("c1", "look_up", "{}", "r1", now=0))
    assert not book.claim_report(call)
    call.settle(SERVED)
    assert book.claim_report(call)
    assert not book.claim_report(call)
    assert (call.state, book.open_calls, book.find("c1")) == (CallState.REPORTED, [], None)


# --- another connection ----------------------------------------------------------------------------------------------


def test_of_another_connection_only_the_ids_that_were_kept_name_their_calls() -> None:
    book = Book()
    kept = new(book.arrive("c1", "look_up", "{}", "r1", now=0))
    nameless = new(book.arrive("c2", "look_up", "{}", "r1", now=0))
    book.interrupted("r1")
    book.cancel(["c3"], now=0)
    assert book.was_interrupted("r1")
    book.reconnected(["c1"])
    assert book.find("c1") is kept
    assert book.find("c2") is None
    assert nameless in book.open_calls
    assert not book.was_interrupted("r1")
    assert new(book.arrive("c3", "look_up", "{}", "r1", now=1)).state is CallState.BOOKED
