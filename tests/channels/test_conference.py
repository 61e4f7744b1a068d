"""`ConferenceChannel`: calls in rooms, who is asked, and what is settled when."""

import json

import anyio
import pytest

from tests.channels.kept import settle_down
from tests.channels.meeting import CONFIRM, Meeting
from voice_hitl.enums import ChannelType, DoorName, OutcomeKind, RequestEnd, Via
from voice_hitl.provider import ResponseEnded, ResponseStarted, Transcript
from voice_hitl.questions.answer import Answer
from voice_hitl.requests.settlement import Settlement
from voice_hitl.testing import Injected, SentToolResult

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


# --- a call in a room ------------------------------------------------------------------------------------------------


async def test_a_call_in_a_room_is_answered_by_a_participant_on_their_page_and_the_model_reads_it() -> None:
    async with Meeting() as meeting:
        ada = meeting.person("ada")
        model = await meeting.serve()
        call_id = await meeting.confirm(model)
        ada.send(meeting.answer(meeting.request()))
        sent = await model.expect(SentToolResult, call_id=call_id, name="ConfirmAction", failed=False)
        assert json.loads(sent.text) == {"confirmed": True, "via": "card"}
    (asked,), (settled,), (report,) = meeting.asked, meeting.settled, meeting.reports
    assert (asked.channel_type, asked.door, asked.room_id) == (
        ChannelType.CONFERENCE,
        DoorName.CONFERENCE_CALL,
        "standup",
    )
    assert (settled.answered_by, settled.answered_via) == ("ada", Via.CARD)
    assert (report.channel_type, report.door) == (ChannelType.CONFERENCE, DoorName.CONFERENCE_CALL)


async def test_the_model_reads_by_whom_it_was_answered_and_the_answer_as_it_is() -> None:
    async with Meeting() as meeting:
        ada = meeting.person("ada")
        model = await meeting.serve()
        call_id = await meeting.confirm(model)
        model.watch(Injected)
        ada.send(meeting.answer(meeting.request()))
        told = await model.expect(Injected, silent=True)
        assert told.text == f'The call of the tool ConfirmAction ({call_id}) was answered by "ada".'
        await model.expect(SentToolResult, call_id=call_id, text='{"confirmed": true, "via": "card"}')
        model.ignore(Injected)


async def test_an_answer_whose_giver_cannot_be_told_is_sent_all_the_same() -> None:
    async with Meeting() as meeting:
        ada = meeting.person("ada")
        model = await meeting.serve()
        await meeting.confirm(model)
        model.raise_on(Injected)
        ada.send(meeting.answer(meeting.request()))
        await model.expect(SentToolResult, failed=False)


async def test_a_call_that_is_said_is_recovered_in_a_room_too() -> None:
    async with Meeting() as meeting:
        model = await meeting.serve(people=["ada"])
        model.watch(Injected)
        model.emit(
            ResponseStarted("r1"),
            Transcript("assistant", 'look_up({"q": "minutes"})', True, "i1"),
            ResponseEnded("r1"),
        )
        told = await model.expect(Injected, silent=True)
        assert '"in": "standup"' in told.text
        model.ignore(Injected)
    (report,) = meeting.reports
    assert (report.door, report.channel_type) == (DoorName.SPOKEN_CALL, ChannelType.CONFERENCE)


async def test_the_hosts_handler_is_told_the_room() -> None:
    async with Meeting() as meeting:
        model = await meeting.serve("retro")
        call_id = model.call_tool("look_up", {"q": "minutes"})
        sent = await model.expect(SentToolResult, call_id=call_id, failed=False)
        assert json.loads(sent.text) == {"found": "minutes", "by": "look_up", "in": "retro"}


async def test_without_a_handler_a_hosts_tool_is_served_by_nobody() -> None:
    async with Meeting(handler=None) as meeting:
        model = await meeting.serve()
        call_id = model.call_tool("look_up", {"q": "minutes"})
        await model.expect(SentToolResult, call_id=call_id, failed=True)
    assert [report.outcome for report in meeting.reports] == [OutcomeKind.UNSERVED]


async def test_rooms_are_served_each_by_a_session_of_its_own() -> None:
    async with Meeting() as meeting:
        standup = await meeting.serve("standup", ["ada"])
        retro = await meeting.serve("retro", ["ada"])
        first, second = await meeting.confirm(standup), await meeting.confirm(retro)
        assert meeting.channel.rooms == ("standup", "retro")
        await meeting.requests.answer(meeting.request("retro").pending_id, Answer(True, by="ada"))
        await retro.expect(SentToolResult, call_id=second)
        assert meeting.session("retro").open_requests == []
        await meeting.requests.answer(meeting.request("standup").pending_id, Answer(True, by="ada"))
        await standup.expect(SentToolResult, call_id=first)


# --- who is asked ----------------------------------------------------------------------------------------------------


async def test_a_card_goes_to_who_is_asked_and_to_nobody_else() -> None:
    async with Meeting(audience=["ada"]) as meeting:
        ada, ben = meeting.person("ada", quiet=False), meeting.person("ben", quiet=False)
        model = await meeting.serve()
        await meeting.confirm(model)
        card = await ada.message(type="request.opened", status="executing")
        await ada.message(type="request.changed")
        ada.send(meeting.answer(meeting.request()))
        assert card["pending_id"] == meeting.request().pending_id
        await ada.message(type="ok", id="m1")
        await ada.message(type="request.settled", by="ada")
        await ben.expect_nothing(for_s=1)
        await model.expect(SentToolResult, failed=False)


async def test_a_yes_of_somebody_who_was_not_asked_is_not_taken() -> None:
    async with Meeting(audience=["ada"]) as meeting:
        meeting.person("ada")
        ben = meeting.person("ben", quiet=False)
        model = await meeting.serve()
        await meeting.confirm(model)
        request = meeting.request()
        ben.send(meeting.answer(request))
        await ben.message(type="refused", code="unknown")
        assert await meeting.requests.answer(request.pending_id, Answer(True, by="ben")) is Settlement.NOT_ALLOWED
        assert request.end is None
        meeting.person("ada").send(meeting.answer(request))
        await model.expect(SentToolResult, failed=False)
    assert [settled.answered_by for settled in meeting.settled] == ["ada"]


async def test_nobody_in_a_conference_is_the_caller() -> None:
    async with Meeting(audience=["caller"]) as meeting:
        model = await meeting.serve(people=["ada"])
        await meeting.confirm(model)
        request = meeting.request()
        assert await meeting.requests.answer(request.pending_id, Answer(True, by="ada")) is Settlement.NOT_ALLOWED
        assert await meeting.requests.answer(request.pending_id, Answer(True, by="")) is Settlement.NOT_ALLOWED
        meeting.requests.reject(request.pending_id, "nobody can say")
        await model.expect(SentToolResult, failed=True)


async def test_who_is_asked_and_comes_later_sees_the_card_then() -> None:
    async with Meeting() as meeting:
        model = await meeting.serve(people=["ada"])
        await meeting.confirm(model)
        ben = meeting.person("ben", quiet=False)
        card = await ben.message(type="request.opened")
        assert card["pending_id"] == meeting.request().pending_id
        ben.ignore("request.settled", "ok")
        ben.send(meeting.answer(meeting.request()))
        await model.expect(SentToolResult, failed=False)
    assert [settled.answered_by for settled in meeting.settled] == ["ben"]


async def test_a_participant_who_joins_twice_is_one_and_sees_the_cards_again() -> None:
    async with Meeting() as meeting:
        ada = meeting.person("ada", quiet=False)
        model = await meeting.serve()
        await meeting.confirm(model)
        first = await ada.message(type="request.opened")
        await ada.message(type="request.changed")
        assert meeting.room().join("ada") is ada
        again = await ada.message(type="request.opened")
        assert first["pending_id"] == again["pending_id"]
        ada.ignore("request.settled", "ok")
        ada.send(meeting.answer(meeting.request()))
        await model.expect(SentToolResult, failed=False)
        assert meeting.channel.participants("standup") == ("ada",)
    assert meeting.joined == []


async def test_a_message_of_somebody_who_is_not_in_the_room_is_let_go() -> None:
    async with Meeting() as meeting:
        ada, ben = meeting.person("ada"), meeting.person("ben")
        model = await meeting.serve()
        await meeting.confirm(model)
        ben.leave()
        ben.send(meeting.answer(meeting.request()))
        await ben.press("1")
        await settle_down(1)
        assert meeting.request().end is None
        ada.send(meeting.answer(meeting.request()))
        await model.expect(SentToolResult, failed=False)


# --- who goes --------------------------------------------------------------------------------------------------------


async def test_who_leaves_settles_what_was_asked_of_them_alone() -> None:
    async with Meeting(audience=["ada"]) as meeting:
        ada = meeting.person("ada")
        model = await meeting.serve(people=["ben"])
        call_id = await meeting.confirm(model)
        ada.leave()
        await model.expect(SentToolResult, call_id=call_id, failed=True)
        assert meeting.session().end_reason is None
    assert [settled.end for settled in meeting.settled] == [RequestEnd.WITHDRAWN]
    assert [event.participant_id for event in meeting.gone] == ["ada"]


@pytest.mark.parametrize("audience", [[], ["ada", "ben"], ["ben"]])
async def test_who_leaves_settles_nothing_that_others_may_answer(audience: list[str]) -> None:
    async with Meeting(audience=audience) as meeting:
        ada, ben = meeting.person("ada"), meeting.person("ben")
        model = await meeting.serve()
        await meeting.confirm(model)
        ada.leave()
        await settle_down(5)
        ben.send(meeting.answer(meeting.request()))
        await model.expect(SentToolResult, failed=False)
    assert [settled.answered_by for settled in meeting.settled] == ["ben"]


async def test_an_answer_just_before_leaving_counts() -> None:
    async with Meeting(audience=["ada"]) as meeting:
        ada = meeting.person("ada")
        model = await meeting.serve()
        await meeting.confirm(model)
        ada.send(meeting.answer(meeting.request()))
        ada.leave()
        await model.expect(SentToolResult, failed=False)


async def test_who_leaves_twice_or_was_never_there_is_no_news() -> None:
    async with Meeting() as meeting:
        ada = meeting.person("ada")
        await meeting.serve()
        ada.leave()
        ada.leave()
        meeting.room().leave("nobody")
        await settle_down()
        meeting.person("ben")
        await settle_down()
    assert [event.participant_id for event in meeting.gone] == ["ada"]
    assert [event.participant_id for event in meeting.joined] == ["ben"]
    assert {event.channel_type for event in meeting.joined} == {ChannelType.CONFERENCE}


# --- endings ---------------------------------------------------------------------------------------------------------


async def test_a_room_that_is_detached_settles_its_own_and_leaves_the_others() -> None:
    async with Meeting() as meeting:
        standup = await meeting.serve("standup", ["ada"])
        retro = await meeting.serve("retro", ["ada"])
        await meeting.confirm(standup)
        kept = await meeting.confirm(retro)
        session = meeting.session("standup")
        await meeting.channel.detach("standup")
        assert session.closed.is_set
        assert meeting.room("standup").agent is None
        assert [settled.room_id for settled in meeting.settled] == ["standup"]
        assert meeting.channel.rooms == ("retro",)
        await meeting.channel.detach("standup")
        await meeting.requests.answer(meeting.request("retro").pending_id, Answer(True, by="ada"))
        await retro.expect(SentToolResult, call_id=kept)
    assert [(report.room_id, report.outcome) for report in meeting.reports] == [
        ("standup", OutcomeKind.CANCELLED),
        ("retro", OutcomeKind.SERVED),
    ]


async def test_a_room_that_is_attached_again_takes_requests_again() -> None:
    async with Meeting() as meeting:
        await meeting.serve("standup", ["ada"])
        await meeting.channel.detach("standup")
        with pytest.raises(RuntimeError, match="attach it again"):
            await meeting.requests.create("ConfirmAction", CONFIRM, channel_id="agent", room_id="standup")
        await meeting.channel.attach("standup")
        model = await meeting.model()
        await meeting.confirm(model)
        await meeting.requests.answer(meeting.request().pending_id, Answer(True, by="ada"))
        await model.expect(SentToolResult, failed=False)


@pytest.mark.parametrize("how", ["removed", "lost"])
async def test_an_agent_that_is_not_in_the_room_any_more_settles_everything_there(how: str) -> None:
    async with Meeting() as meeting:
        model = await meeting.serve(people=["ada"])
        await meeting.confirm(model)
        session = meeting.session()
        if how == "removed":
            meeting.room().remove_agent("kicked")
        else:
            meeting.room().lose_agent()
        with anyio.fail_after(30):
            await session.closed.wait()
        await settle_down()
        assert meeting.channel.rooms == ()
        assert model.ended
    assert [settled.end for settled in meeting.settled] == [RequestEnd.WITHDRAWN]
    assert [event.reason for event in meeting.sessions] == ["", "lost"]


async def test_a_provider_that_is_lost_for_good_settles_its_room_and_the_agent_stays_in_it() -> None:
    async with Meeting() as meeting:
        standup = await meeting.serve("standup", ["ada"])
        retro = await meeting.serve("retro", ["ada"])
        await meeting.confirm(standup)
        await meeting.confirm(retro)
        session = meeting.session("standup")
        standup.fail(fatal=True)
        with anyio.fail_after(30):
            await session.closed.wait()
        await settle_down()
        assert meeting.channel.session("standup") is None
        assert meeting.channel.rooms == ("standup", "retro")
        assert meeting.room("standup").agent == "agent"
        assert [settled.room_id for settled in meeting.settled] == ["standup"]
        meeting.requests.resolve(meeting.request("retro").pending_id, "yes")
        await retro.expect(SentToolResult, failed=False)
    assert [error.source for error in meeting.errors] == ["provider"]


async def test_a_backend_that_fails_ends_its_room_and_says_so() -> None:
    async with Meeting() as meeting:
        ada = meeting.person("ada")
        model = await meeting.serve()
        await meeting.confirm(model)
        ada.send_frame(b"no frame")
        await meeting.room().agent_gone()
        await settle_down(1)
        assert meeting.channel.rooms == ()
    assert [error.source for error in meeting.errors] == ["conference"]
    assert [settled.end for settled in meeting.settled] == [RequestEnd.WITHDRAWN]


async def test_closing_settles_every_room_and_closing_again_is_harmless() -> None:
    async with Meeting() as meeting:
        for room_id in ("standup", "retro"):
            await meeting.confirm(await meeting.serve(room_id, ["ada"]))
        async with anyio.create_task_group() as group:
            group.start_soon(meeting.channel.close)
            group.start_soon(meeting.channel.close)
        await meeting.channel.close()
        assert meeting.channel.rooms == ()
        assert meeting.room("standup").agent is None
        with pytest.raises(RuntimeError, match="is closed"):
            await meeting.channel.attach("standup")
        with pytest.raises(RuntimeError, match="is closed"):
            await meeting.channel.plug_realtime(meeting.config)
    assert [settled.end for settled in meeting.settled] == [RequestEnd.WITHDRAWN] * 2


@pytest.mark.parametrize("what", ["close", "unplug_realtime", "detach"])
async def test_it_may_be_ended_from_inside_one_of_its_own_calls(what: str) -> None:
    meeting: Meeting

    async def end(room_id: str, _name: str, _arguments: dict[str, object]) -> str:
        await (meeting.channel.detach(room_id) if what == "detach" else getattr(meeting.channel, what)())
        return "ended"

    async with Meeting(handler=end) as meeting:
        model = await meeting.serve(people=["ada"])
        await meeting.confirm(model)
        model.call_tool("look_up", {"q": "x"})
        with anyio.fail_after(30):
            await meeting.session().closed.wait()
        await settle_down(1)
    assert {(report.tool_name, report.outcome) for report in meeting.reports} == {
        ("ConfirmAction", OutcomeKind.CANCELLED),
        ("look_up", OutcomeKind.SERVED),
    }
