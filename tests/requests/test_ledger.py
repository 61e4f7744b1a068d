from datetime import UTC, datetime, timedelta

import pytest

from voice_hitl.enums import PendingInputStatus, RequestEnd, Via
from voice_hitl.questions.model import Approval, Confirm, Question
from voice_hitl.requests.ledger import RETENTION, TRANSITIONS, Ledger, question_key
from voice_hitl.requests.pending import PendingInput
from voice_hitl.requests.scopes import Scope
from voice_hitl.requests.settlement import Settlement

UTC_NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def request(
    pending_id: str = "p1",
    *,
    arguments: dict[str, object] | None = None,
    channel_id: str = "voice",
    room_id: str = "r1",
    session_id: str = "s1",
    detached: bool = False,
    question: Question | None = None,
) -> PendingInput:
    return PendingInput(
        pending_id=pending_id,
        tool_name="ConfirmAction",
        arguments=arguments or {},
        channel_id=channel_id,
        room_id=room_id,
        session_id=session_id,
        detached=detached,
        question=question,
        created_at=UTC_NOW,
    )


def armed(*requests: PendingInput, retention: int = RETENTION, timeout: float | None = 60) -> Ledger:
    ledger = Ledger(retention=retention)
    for pending in requests or (request(),):
        ledger.arm(pending, now=100, timeout=timeout)
    return ledger


def test_a_request_can_be_answered_from_the_instant_it_is_armed() -> None:
    ledger = armed()
    assert ledger.is_open("p1")
    settled = ledger.settle("p1", RequestEnd.ANSWERED, result="yes", by="ada", via=Via.VOICE)
    assert settled is not None
    assert (settled.status, settled.end) == (PendingInputStatus.RESOLVED, RequestEnd.ANSWERED)
    assert (settled.result, settled.answered_by, settled.answered_via) == ("yes", "ada", Via.VOICE)


@pytest.mark.parametrize(
    ("end", "status"),
    [
        (RequestEnd.ANSWERED, PendingInputStatus.RESOLVED),
        (RequestEnd.REFUSED, PendingInputStatus.REJECTED),
        (RequestEnd.BLOCKED, PendingInputStatus.REJECTED),
        (RequestEnd.TIMED_OUT, PendingInputStatus.TIMED_OUT),
        (RequestEnd.UNANSWERED, PendingInputStatus.TIMED_OUT),
        (RequestEnd.WITHDRAWN, PendingInputStatus.REJECTED),
    ],
)
def test_every_end_has_its_status(end: RequestEnd, status: PendingInputStatus) -> None:
    settled = armed().settle("p1", end)
    assert settled is not None
    assert settled.status is status


def test_every_end_is_in_the_table_and_only_an_open_request_ends() -> None:
    assert {end for _, end in TRANSITIONS} == set(RequestEnd)
    assert {state for state, _ in TRANSITIONS} == {PendingInputStatus.PENDING}
    assert PendingInputStatus.PENDING not in TRANSITIONS.values()


def test_the_first_answer_wins_and_the_second_changes_nothing() -> None:
    ledger = armed()
    first = ledger.settle("p1", RequestEnd.ANSWERED, result="yes")
    assert ledger.settle("p1", RequestEnd.REFUSED, reason="no") is None
    assert first is not None
    assert (first.end, first.result, first.reject_reason) == (RequestEnd.ANSWERED, "yes", None)


@pytest.mark.parametrize("end", RequestEnd)
def test_a_late_answer_is_told_whether_somebody_was_first_or_it_was_too_late(end: RequestEnd) -> None:
    ledger = armed()
    assert ledger.verdict("p1") == Settlement.UNKNOWN
    ledger.settle("p1", end)
    first = end in (RequestEnd.ANSWERED, RequestEnd.REFUSED, RequestEnd.BLOCKED)
    assert ledger.verdict("p1") == (Settlement.DUPLICATE if first else Settlement.LATE)


def test_an_answer_to_nothing_is_unknown() -> None:
    assert Ledger().verdict("p1") == Settlement.UNKNOWN


# --- the clock -------------------------------------------------------------------------------------------------------


def test_the_clock_starts_when_the_question_is_first_put() -> None:
    pending = request()
    ledger = armed(pending)
    assert (ledger.deadline("p1"), pending.expires_at) == (160, None)
    assert ledger.put("p1", now=130, utc=UTC_NOW)
    assert not ledger.put("p1", now=140, utc=UTC_NOW)
    assert (ledger.deadline("p1"), pending.expires_at) == (190, UTC_NOW + timedelta(seconds=60))


def test_a_question_put_to_nobody_times_out_too() -> None:
    ledger = armed()
    assert ledger.expire("p1", now=159.9) is None
    expired = ledger.expire("p1", now=160)
    assert expired is not None
    assert expired.end is RequestEnd.TIMED_OUT
    assert ledger.deadline("p1") is None


def test_without_a_timeout_it_never_expires() -> None:
    pending = request()
    ledger = armed(pending, timeout=None)
    assert ledger.put("p1", now=130, utc=UTC_NOW)
    assert ledger.expire("p1", now=1e9) is None
    assert pending.expires_at is None


@pytest.mark.parametrize("timeout", [0, -1])
def test_a_timeout_of_zero_or_less_is_a_mistake(timeout: float) -> None:
    with pytest.raises(ValueError, match="more than 0 seconds"):
        Ledger().arm(request(), now=0, timeout=timeout)


def test_an_id_names_one_request() -> None:
    ledger = armed()
    for _ in range(2):
        with pytest.raises(RuntimeError, match="'p1' is taken"):
            ledger.arm(request(), now=0, timeout=None)
        ledger.settle("p1", RequestEnd.ANSWERED)


# --- retention -------------------------------------------------------------------------------------------------------


def test_retention_is_a_number() -> None:
    with pytest.raises(ValueError, match="0 or more"):
        Ledger(retention=-1)


def test_an_outcome_nobody_read_is_kept_whatever_the_retention() -> None:
    ledger = armed(*(request(f"p{n}") for n in range(5)), retention=0)
    for n in range(5):
        ledger.settle(f"p{n}", RequestEnd.ANSWERED, result=str(n))
    for n in range(5):
        read = ledger.read(f"p{n}")
        assert read is not None
        assert read.result == str(n)
        assert ledger.read(f"p{n}") is None


def test_what_was_read_is_kept_up_to_the_retention() -> None:
    ledger = armed(*(request(f"p{n}") for n in range(3)), retention=1)
    for n in range(3):
        ledger.settle(f"p{n}", RequestEnd.ANSWERED)
    ledger.read("p0")
    assert ledger.find("p0") is not None
    ledger.read("p1")
    assert [ledger.find(f"p{n}") is not None for n in range(3)] == [False, True, True]


def test_a_detached_outcome_counts_as_read() -> None:
    ledger = armed(request(detached=True), retention=0)
    assert ledger.settle("p1", RequestEnd.ANSWERED) is not None
    assert ledger.find("p1") is None


def test_an_open_request_cannot_be_read() -> None:
    assert armed().read("p1") is None


@pytest.mark.parametrize("retention", [0, 128])
@pytest.mark.parametrize("detached", [False, True])
def test_releasing_an_open_request_withdraws_it(*, retention: int, detached: bool) -> None:
    pending = request(detached=detached)
    ledger = armed(pending, retention=retention)
    assert ledger.release("p1") == (True, pending)
    assert pending.end is RequestEnd.WITHDRAWN
    assert ledger.release("p1") == (False, None)


def test_releasing_an_outcome_drops_it_once() -> None:
    ledger = armed()
    ledger.settle("p1", RequestEnd.ANSWERED)
    assert ledger.release("p1") == (True, None)
    assert ledger.release("p1") == (False, None)
    assert ledger.release("unheard of") == (False, None)


# --- waiting ---------------------------------------------------------------------------------------------------------


def test_only_the_last_waiter_matters() -> None:
    ledger = armed()
    assert ledger.join("p1")
    assert ledger.join("p1")
    assert not ledger.leave("p1")
    assert ledger.leave("p1")


def test_the_last_waiter_of_a_detached_or_settled_request_does_not() -> None:
    ledger = armed(request("p1", detached=True), request("p2"))
    for pending_id in ("p1", "p2"):
        assert ledger.join(pending_id)
    ledger.settle("p2", RequestEnd.ANSWERED)
    assert not ledger.leave("p1")
    assert not ledger.leave("p2")


def test_nobody_waits_for_what_is_unknown() -> None:
    assert not Ledger().join("p1")
    assert not Ledger().leave("p1")


# --- scopes ----------------------------------------------------------------------------------------------------------


def test_closing_a_session_withdraws_what_is_open_there_and_takes_no_more() -> None:
    here, detached, there = request("p1"), request("p2", detached=True), request("p3", session_id="s2")
    ledger = armed(here, detached, there)
    assert ledger.close(Scope(session_id="s1")) == [here, detached]
    assert {here.end, detached.end} == {RequestEnd.WITHDRAWN}
    assert ledger.open_requests() == [there]
    with pytest.raises(RuntimeError, match="session 's1' has ended"):
        ledger.arm(request("p4"), now=0, timeout=None)


def test_withdrawing_leaves_the_door_open() -> None:
    pending = request()
    ledger = armed(pending)
    assert ledger.withdraw(Scope(room_id="r1")) == [pending]
    ledger.arm(request("p2"), now=0, timeout=None)
    assert len(ledger) == 1


def test_open_requests_are_found_by_scope() -> None:
    first, second = request("p1"), request("p2", room_id="r2")
    ledger = armed(first, second)
    assert ledger.open_requests(Scope(room_id="r2")) == [second]
    assert ledger.open_requests(Scope(channel_id="voice")) == [first, second]


# --- the same question -----------------------------------------------------------------------------------------------


def test_twins_share_a_key_while_they_are_open() -> None:
    ledger = Ledger()
    for pending_id, key in (("p1", "k"), ("p2", "k"), ("p3", "other"), ("p4", None)):
        ledger.arm(request(pending_id), now=0, timeout=None, key=key)
    assert ledger.twins("p1") == ("p2",)
    assert ledger.twins("p3") == ledger.twins("p4") == ledger.twins("unheard of") == ()
    ledger.settle("p1", RequestEnd.ANSWERED)
    assert ledger.twins("p2") == ledger.twins("p1") == ()
    ledger.settle("p2", RequestEnd.ANSWERED)
    ledger.arm(request("p5"), now=0, timeout=None, key="k")
    assert ledger.twins("p5") == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"prompt": "Cancel?"}, {"prompt": "  cancel? "}),
        ({"a": {"b": ["X"]}}, {"a": {"b": ["x "]}}),
        ({"a": 1, "b": None}, {"b": None, "a": 1}),
    ],
)
def test_questions_that_differ_in_case_and_blanks_are_the_same(
    one: dict[str, object], other: dict[str, object]
) -> None:
    assert question_key(request(arguments=one)) == question_key(request(arguments=other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1}, {"a": True}),
        ({"a": "1"}, {"a": 1}),
        ({"a": []}, {"a": {}}),
        ({"a": ["x", "y"]}, {"a": ["y", "x"]}),
        ({"a": None}, {}),
    ],
)
def test_questions_that_differ_otherwise_are_not(one: dict[str, object], other: dict[str, object]) -> None:
    assert question_key(request(arguments=one)) != question_key(request(arguments=other))


def test_what_cannot_be_compared_is_like_no_other() -> None:
    assert question_key(request(arguments={"when": bytearray(b"now")})) is None


def test_a_question_to_somebody_else_is_another_one() -> None:
    caller, desk = request(), request()
    desk.audience = ("supervisors",)
    assert question_key(caller) != question_key(desk)


def test_an_approval_and_a_request_outside_a_session_are_like_no_other() -> None:
    approval = Approval(tool="refund", arguments={}, digest="d")
    assert question_key(request(question=approval)) is None
    assert question_key(request(session_id="")) is None
    assert question_key(request(question=Confirm(prompt="Cancel?"))) is not None
