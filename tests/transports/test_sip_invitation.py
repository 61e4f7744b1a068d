"""What becomes of an INVITE of ours, message by message."""

from collections.abc import Sequence

import pytest
from aiosipua import SipRequest, SipResponse
from hypothesis import given
from hypothesis import strategies as st

from voice_hitl_sip.description import our_offer
from voice_hitl_sip.invitation import LIMIT_S, T1_S, Answered, Invitation, Refused
from voice_hitl_sip.placing import invite_of

OURS = ("10.0.0.1", 5060)


def invite() -> SipRequest:
    offer = our_offer("10.0.0.1", 20_000, session_id="1")
    return invite_of("sip:ops@10.0.0.7", "sip:us@10.0.0.1", OURS, offer, agent="test", headers={})


def response(to: SipRequest, code: int, *, tag: str = "theirs", method: str = "INVITE") -> SipResponse:
    said = SipResponse(status_code=code, reason_phrase="Whatever")
    for name in ("Via", "From", "Call-ID"):
        said.set_header(name, to.get_header(name) or "")
    said.set_header("To", f"<sip:ops@10.0.0.7>;tag={tag}")
    said.set_header("CSeq", f"1 {method}")
    said.set_header("Contact", "<sip:ops@10.0.0.9:5070>")
    said.headers.append("Record-Route", "<sip:first.proxy;lr>")
    said.headers.append("Record-Route", "<sip:second.proxy;lr>")
    return said


class Ours:
    """An invitation, and the INVITE that it is of."""

    def __init__(self) -> None:
        self.invite = invite()
        self.it = Invitation(self.invite, OURS, 0.0)

    def hears(self, code: int, at: float = 1.0, *, tag: str = "theirs", method: str = "INVITE") -> list[SipRequest]:
        return self.it.receive(response(self.invite, code, tag=tag, method=method), at)


def methods(requests: Sequence[SipRequest]) -> list[str]:
    return [request.method for request in requests]


def test_an_invite_is_sent_again_at_growing_pauses_until_somebody_says_something() -> None:
    ours = Ours()
    times: list[float] = []
    while (due := ours.it.deadline()) is not None and len(times) < 4:
        times.append(due)
        assert methods(ours.it.tick(due)) == ["INVITE"]
    assert times == [0.5, 1.5, 3.5, 7.5]
    assert ours.hears(100, 8.0) == []
    assert ours.it.deadline() is None
    assert ours.it.tick(20.0) == []


def test_an_invite_that_nobody_answers_times_out() -> None:
    ours = Ours()
    while (due := ours.it.deadline()) is not None:
        ours.it.tick(due)
    assert isinstance(ours.it.outcome, Refused)
    assert ours.it.outcome.code == 408
    assert ours.it.over


def test_a_yes_is_acknowledged_to_its_contact_over_its_route_as_often_as_it_comes() -> None:
    ours = Ours()
    ours.hears(180)
    assert ours.it.ringing
    [first] = ours.hears(200)
    assert isinstance(ours.it.outcome, Answered)
    assert (first.method, first.uri) == ("ACK", "sip:ops@10.0.0.9:5070")
    assert first.headers.get("route") == ["<sip:second.proxy;lr>", "<sip:first.proxy;lr>"]
    assert first.via[0].branch != ours.invite.via[0].branch
    [again] = ours.hears(200, 2.0)
    assert again.method == "ACK"
    bye = ours.it.outcome.dialog.create_request("BYE", via_host="10.0.0.1")
    assert bye.cseq is not None
    assert (bye.uri, bye.cseq.seq) == ("sip:ops@10.0.0.9:5070", 2)


@pytest.mark.parametrize("code", [302, 404, 486, 603])
def test_a_no_is_acknowledged_in_its_transaction_as_often_as_it_comes(code: int) -> None:
    ours = Ours()
    for at in (1.0, 2.0):
        [ack] = ours.hears(code, at)
        assert (ack.method, ack.uri, ack.via[0].branch) == ("ACK", "sip:ops@10.0.0.7", ours.invite.via[0].branch)
        assert ack.to_addr is not None
        assert ack.to_addr.tag == "theirs"
    assert ours.it.outcome == Refused(code, "Whatever")


def test_a_cancel_waits_until_somebody_has_said_something() -> None:
    ours = Ours()
    assert ours.it.cancel(0.1) == []
    assert methods(ours.it.tick(0.5)) == ["INVITE"]
    [cancel] = ours.hears(100, 0.7)
    assert cancel.method == "CANCEL"
    assert cancel.via[0].branch == ours.invite.via[0].branch
    assert ours.it.cancel(0.8) == []


def test_a_cancel_is_sent_again_until_it_is_answered() -> None:
    ours = Ours()
    ours.hears(180)
    assert methods(ours.it.cancel(1.0)) == ["CANCEL"]
    assert methods(ours.it.tick(1.0 + T1_S)) == ["CANCEL"]
    ours.hears(200, 2.0, method="CANCEL")
    assert ours.it.tick(3.0) == []
    assert methods(ours.hears(487, 3.0)) == ["ACK"]
    assert ours.it.tick(3.0 + LIMIT_S) == []
    assert ours.it.over


def test_a_yes_that_crosses_the_cancel_is_ended_once() -> None:
    ours = Ours()
    ours.hears(180)
    ours.it.cancel(1.0)
    assert methods(ours.hears(200, 1.1)) == ["ACK", "BYE"]
    assert methods(ours.hears(200, 1.6)) == ["ACK"]
    assert isinstance(ours.it.outcome, Refused)


def test_a_second_telephone_that_takes_the_call_too_is_hung_up() -> None:
    ours = Ours()
    ours.hears(200, tag="first")
    assert methods(ours.hears(200, tag="second")) == ["ACK", "BYE"]
    assert isinstance(ours.it.outcome, Answered)
    assert ours.it.outcome.dialog.remote_tag == "first"


def test_giving_up_a_call_that_was_taken_says_bye() -> None:
    ours = Ours()
    ours.hears(200)
    assert methods(ours.it.cancel(2.0)) == ["BYE"]


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("hears"), st.sampled_from([100, 180, 183, 200, 302, 404, 486, 487])),
            st.tuples(st.just("cancel"), st.just(0)),
            st.tuples(st.just("tick"), st.just(0)),
        ),
        max_size=12,
    )
)
def test_whatever_comes_it_ends_and_its_outcome_never_changes(steps: list[tuple[str, int]]) -> None:
    ours, now = Ours(), 0.0
    outcome: object = None
    for step, code in steps:
        now += 0.3
        sent = (
            ours.hears(code, now) if step == "hears" else ours.it.cancel(now) if step == "cancel" else ours.it.tick(now)
        )
        # Every final response is acknowledged, at once.
        assert not (step == "hears" and code >= 200 and not ours.it.over) or methods(sent)[0] == "ACK"
        if outcome is not None:
            assert ours.it.outcome is outcome
        outcome = ours.it.outcome
    ours.it.cancel(now)
    while (due := ours.it.deadline()) is not None:
        now = max(now, due)
        ours.it.tick(now)
    assert ours.it.over
    assert ours.it.outcome is not None
