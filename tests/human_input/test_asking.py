"""Identical questions share one asking: one answer settles them, and each keeps its own life."""

from collections.abc import Mapping

import anyio
import anyio.lowlevel
import pytest

from tests.human_input.told import FakeSession, ScriptedAsker, Told, Waits, put_to
from voice_hitl.asker import GaveUp
from voice_hitl.askers.escalation import Try
from voice_hitl.askers.hold import HoldLines
from voice_hitl.enums import RequestEnd
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.human_input.new_request import NewRequest, new_pending
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Approval
from voice_hitl.requests.pending import PendingInput
from voice_hitl.requests.settlement import Settlement

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


class Twins:
    """Two identical questions of one session, the first being asked when the second comes, ten seconds later."""

    def __init__(self, handler: HumanInputHandler, asker: ScriptedAsker) -> None:
        self.asker = asker
        self.handler = handler
        self.first = put_to(handler, asker)

    async def opened(self) -> tuple[PendingInput, PendingInput]:
        await anyio.sleep(10)
        second = put_to(self.handler, self.asker)
        await anyio.sleep(1)
        return self.first, second


@pytest.fixture
def asker() -> ScriptedAsker:
    return ScriptedAsker()


@pytest.fixture
async def twins(handler: HumanInputHandler, told: Told, asker: ScriptedAsker) -> tuple[PendingInput, PendingInput]:
    """Two identical questions, ten seconds apart, being asked."""
    assert told.listens
    return await Twins(handler, asker).opened()


Pair = tuple[PendingInput, PendingInput]


async def test_identical_questions_are_asked_once_and_each_has_its_own_hooks_and_end(
    handler: HumanInputHandler, told: Told, asker: ScriptedAsker, twins: Pair, waits: Waits
) -> None:
    first, second = twins
    assert asker.notes == ["asks", "put"]
    assert [event.pending_id for event in told.required_events] == [first.pending_id, second.pending_id]
    assert await asker.askings[0].answer(Answer("Monday", by="ada")) == Settlement.ACCEPTED
    assert [await waits(pending.pending_id) for pending in twins] == ["Monday", "Monday"]
    await handler.close()
    assert sorted(event.pending_id for event in told.settled_events) == sorted([first.pending_id, second.pending_id])
    assert told.ends == [RequestEnd.ANSWERED] * 2
    assert asker.notes == ["asks", "put", "withdrawn: answered", "gone"]


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("how", ["answer", "decline", "resolve", "reject"])
async def test_an_answer_to_either_settles_both(handler: HumanInputHandler, twins: Pair, which: int, how: str) -> None:
    pending_id = twins[which].pending_id
    match how:
        case "answer":
            assert await handler.answer(pending_id, Answer("Monday")) == Settlement.ACCEPTED
        case "decline":
            assert await handler.answer(pending_id, Answer(decline=True, reason="no")) == Settlement.ACCEPTED
        case "resolve":
            assert handler.resolve(pending_id, "Monday")
        case _:
            assert handler.reject(pending_id, "no")
    first, second = twins
    assert first.end is not None
    assert (first.end, first.result, first.reject_reason) == (second.end, second.result, second.reject_reason)
    assert await handler.answer(twins[1 - which].pending_id, Answer("Tuesday")) == Settlement.DUPLICATE


async def test_the_clock_of_the_second_starts_when_it_joins(twins: Pair, asker: ScriptedAsker) -> None:
    first, second = twins
    assert first.expires_at is not None
    assert second.expires_at is not None
    assert (second.expires_at - first.expires_at).total_seconds() >= 0
    await anyio.sleep(49.5)
    assert (first.end, second.end) == (RequestEnd.TIMED_OUT, None)
    assert asker.notes == ["asks", "put"]
    assert asker.askings[0].request is second
    await anyio.sleep(10)
    assert second.end is RequestEnd.TIMED_OUT
    assert asker.notes == ["asks", "put", "withdrawn: timed_out", "gone"]


async def test_withdrawing_either_leaves_the_other_being_asked(
    handler: HumanInputHandler, asker: ScriptedAsker, twins: Pair
) -> None:
    first, second = twins
    handler.release(first.pending_id)
    await anyio.sleep(1)
    assert asker.notes == ["asks", "put"]
    assert asker.askings[0].request is second
    assert await asker.askings[0].answer(Answer("Monday")) == Settlement.ACCEPTED
    assert (first.end, second.end) == (RequestEnd.WITHDRAWN, RequestEnd.ANSWERED)


async def test_denying_the_first_leaves_the_second_being_asked(
    handler: HumanInputHandler, told: Told, asker: ScriptedAsker
) -> None:
    told.required_takes_s, told.denies = 15, "no"
    first, second = await Twins(handler, asker).opened()
    told.denies = None
    await anyio.sleep(5)
    assert (first.end, second.end) == (RequestEnd.BLOCKED, None)
    assert asker.notes == ["asks", "put"]
    assert asker.askings[0].request is second


async def test_what_the_asker_sees_last_is_the_one_that_ended_last(
    handler: HumanInputHandler, asker: ScriptedAsker, twins: Pair
) -> None:
    first, second = twins
    asking = asker.askings[0]
    assert asking.request is first
    handler.release(second.pending_id)
    handler.resolve(first.pending_id, "Monday")
    assert asking.request is first
    await anyio.sleep(1)
    assert asker.notes[-2:] == ["withdrawn: answered", "gone"]
    assert await asking.answer(Answer("Tuesday")) == Settlement.DUPLICATE


async def test_when_its_asker_gives_up_both_are_unanswered(handler: HumanInputHandler, asker: ScriptedAsker) -> None:
    asker.tries_s, asker.gave_up = 20, GaveUp(3)
    first, second = await Twins(handler, asker).opened()
    await anyio.sleep(10)
    assert first.end is second.end is RequestEnd.UNANSWERED
    assert second.reject_reason == "unanswered after 3 tries"


async def test_a_question_that_comes_when_the_askers_have_gone_is_asked_anew(
    handler: HumanInputHandler, asker: ScriptedAsker
) -> None:
    asker.cleans_up_s = 5
    first = put_to(handler, asker)
    await anyio.sleep(1)
    handler.release(first.pending_id)
    second = put_to(handler, asker)
    await anyio.sleep(1)
    assert sorted(asker.notes) == ["asks", "asks", "put", "put", "withdrawn: withdrawn"]
    assert asker.askings[1].request is second


async def test_an_answer_settles_an_identical_question_whose_hooks_are_still_being_told(
    handler: HumanInputHandler, told: Told, asker: ScriptedAsker
) -> None:
    first = put_to(handler, asker)
    await anyio.sleep(1)
    told.required_takes_s = 0.9
    second = put_to(handler, asker)
    await anyio.sleep(0.5)
    assert await asker.askings[0].answer(Answer("Monday")) == Settlement.ACCEPTED
    assert first.end is second.end is RequestEnd.ANSWERED
    await handler.close()
    assert len(told.settled_events) == 2
    assert asker.notes == ["asks", "put", "withdrawn: answered", "gone"]


async def test_whichever_is_through_its_hooks_first_begins_to_ask(
    handler: HumanInputHandler, told: Told, asker: ScriptedAsker
) -> None:
    told.required_takes_s = 0.9
    put_to(handler, asker)
    await anyio.lowlevel.checkpoint()
    await anyio.sleep(0.1)
    told.required_takes_s = 0
    put_to(handler, asker)
    await anyio.sleep(0.1)
    assert asker.notes == ["asks", "put"]
    await anyio.sleep(2)
    assert asker.notes == ["asks", "put"]


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ({"question": "Which day?"}, {"question": "  WHICH DAY? "}, True),
        ({"n": 1}, {"n": True}, False),
        ({"n": 1.5}, {"n": 1.5}, True),
        ({"n": float("nan")}, {"n": float("nan")}, False),
        ({"n": {1, 2}}, {"n": {1, 2}}, False),
        ({"question": "Which day?"}, {"question": "Which hour?"}, False),
    ],
)
async def test_identical_means_the_same_arguments_but_for_space_and_case(
    handler: HumanInputHandler,
    asker: ScriptedAsker,
    one: Mapping[str, object],
    other: Mapping[str, object],
    shared: bool,
) -> None:
    requests = [put_to(handler, asker, arguments=one), put_to(handler, asker, arguments=other)]
    await anyio.sleep(1)
    assert len(asker.askings) == (1 if shared else 2)
    handler.resolve(requests[0].pending_id, "Monday")
    assert (requests[1].end is not None) is shared


async def test_what_was_answered_so_far_is_kept_with_every_request_that_shares_it(
    handler: HumanInputHandler, told: Told, asker: ScriptedAsker
) -> None:
    first = put_to(handler, asker)
    await anyio.sleep(1)
    (asking,) = asker.askings
    asking.progress({"Which size?": "Large"})
    second = put_to(handler, asker)
    await anyio.sleep(1)
    assert first.answered_so_far == second.answered_so_far == {"Which size?": "Large"}
    before = asking.request.answered_so_far
    asking.progress({"Which size?": "Small", "Which toppings?": ["Ham"]})
    assert first.answered_so_far == second.answered_so_far == {"Which size?": "Small", "Which toppings?": ["Ham"]}
    assert before == {"Which size?": "Large"}
    handler.release(first.pending_id)
    asking.progress({"Which size?": "Large"})
    assert (first.answered_so_far["Which size?"], second.answered_so_far["Which size?"]) == ("Small", "Large")
    handler.resolve(second.pending_id, "both")
    await anyio.sleep(1)
    assert told.settled_events[-1].answered_so_far == {"Which size?": "Large", "Which toppings?": ["Ham"]}


async def test_what_was_answered_so_far_is_json(handler: HumanInputHandler, asker: ScriptedAsker) -> None:
    pending = put_to(handler, asker)
    await anyio.sleep(1)
    with pytest.raises(ValueError, match="a object"):
        asker.askings[0].progress({"Which size?": object()})
    assert pending.answered_so_far == {}


async def test_an_approval_is_never_shared(handler: HumanInputHandler, asker: ScriptedAsker) -> None:
    approval = Approval(tool="refund", arguments={}, digest="d")
    one, other = put_to(handler, asker, question=approval), put_to(handler, asker, question=approval)
    await anyio.sleep(1)
    assert len(asker.askings) == 2
    assert await asker.askings[0].answer(Answer(decision="approve")) == Settlement.ACCEPTED
    assert (one.end, other.end) == (RequestEnd.ANSWERED, None)


async def test_questions_for_different_people_or_sessions_are_not_shared(
    handler: HumanInputHandler, asker: ScriptedAsker
) -> None:
    for session_id, audience in (("s1", ()), ("s1", ("lee",)), ("s2", ()), ("", ()), ("", ())):
        pending = new_pending("AskUser", {"question": "Which day?"}, session_id=session_id, audience=audience)
        handler.open(NewRequest(pending, 60, askers=[asker], session=FakeSession()))
    await anyio.sleep(1)
    assert len(asker.askings) == 5


async def test_the_caller_in_an_audience_is_who_is_on_the_sessions_leg(handler: HumanInputHandler) -> None:
    pending = new_pending("AskUser", {}, session_id="s1", audience=["caller"])
    handler.open(NewRequest(pending, 60, session=FakeSession(participant_id="ada")))
    assert await handler.answer(pending.pending_id, Answer("x", by="lee")) == Settlement.NOT_ALLOWED
    assert await handler.answer(pending.pending_id, Answer("x", by="caller")) == Settlement.NOT_ALLOWED
    assert await handler.answer(pending.pending_id, Answer("x", by="ada")) == Settlement.ACCEPTED


async def test_an_asker_sees_a_question_even_where_the_request_has_none(
    handler: HumanInputHandler, asker: ScriptedAsker
) -> None:
    put_to(handler, asker)
    await anyio.sleep(1)
    assert "AskUser" in repr(asker.askings[0].question)


async def test_the_page_is_told_who_asks_as_often_as_that_changes_until_it_settles(handler: HumanInputHandler) -> None:
    card, console = ScriptedAsker("card"), ScriptedAsker("console")
    voice, music = ScriptedAsker("voice", tries_s=30, gave_up=GaveUp(1)), HoldLines()
    put_to(handler, card, music, Try(voice, patience=20), Try(console, patience=20))
    await anyio.sleep(40)
    (session,) = card.sessions
    assert isinstance(session, FakeSession)
    told = [("card", "voice"), ("card", "voice", "console"), ("card", "console")]
    assert session.page.asked_by == told
    assert await card.askings[0].answer(Answer("Monday")) == Settlement.ACCEPTED
    await handler.close()
    assert session.page.asked_by == told
