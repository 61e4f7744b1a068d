"""`ConferenceChannel`: a model is plugged and unplugged, and joins rooms, whatever the backend does."""

import anyio
import pytest

from tests.channels.kept import LOOK_UP, settle_down
from tests.channels.meeting import CONFIRM, Meeting
from voice_hitl.channels.conference import ConferenceChannel
from voice_hitl.channels.plug import ConferenceRealtimeConfig
from voice_hitl.conference import ConferenceCapabilities
from voice_hitl.enums import OutcomeKind, RequestEnd
from voice_hitl.errors import ConferenceError, ProviderError
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.provider import ProviderCapabilities, ProviderConfig
from voice_hitl.testing import Reconfigured, ScriptedConference, ScriptedConnection, ScriptedProvider, SentToolResult

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


class NeverThere(ScriptedProvider):
    """A provider that never answers."""

    def __init__(self) -> None:
        super().__init__()
        self.connecting = anyio.Event()

    async def connect(self, config: ProviderConfig) -> ScriptedConnection:
        self.connecting.set()
        await anyio.sleep_forever()
        raise AssertionError("it never gets so far")


# --- plugging --------------------------------------------------------------------------------------------------------


async def test_a_model_is_plugged_and_unplugged_while_meetings_run() -> None:
    async with Meeting() as meeting:
        ada = meeting.person("ada")
        await meeting.channel.attach("standup")
        await meeting.channel.attach("retro")
        assert meeting.channel.sessions == ()
        await ada.stay_silent(100)
        await meeting.channel.plug_realtime(meeting.config)
        first, second = await meeting.model(), await meeting.model()
        await meeting.confirm(first)
        await meeting.channel.unplug_realtime()
        await meeting.channel.unplug_realtime()
        assert first.ended
        assert second.ended
        assert meeting.channel.sessions == ()
        assert meeting.channel.rooms == ("standup", "retro")
        assert meeting.room("standup").agent == "agent"
    assert [settled.end for settled in meeting.settled] == [RequestEnd.WITHDRAWN]
    assert [report.outcome for report in meeting.reports] == [OutcomeKind.CANCELLED]


async def test_a_plug_into_an_occupied_slot_is_refused() -> None:
    async with Meeting() as meeting:
        model = await meeting.serve(people=["ada"])
        with pytest.raises(RuntimeError, match="unplug it first"):
            await meeting.channel.plug_realtime(meeting.config)
        call_id = await meeting.confirm(model)
        meeting.requests.resolve(meeting.request().pending_id, "yes")
        await model.expect(SentToolResult, call_id=call_id, failed=False)


async def test_plugging_again_announces_again() -> None:
    async with Meeting() as meeting:
        model = await meeting.serve(people=["ada"])
        await meeting.confirm(model)
        await meeting.channel.unplug_realtime()
        with pytest.raises(RuntimeError, match="channel 'agent' is closed"):
            await meeting.requests.create("ConfirmAction", CONFIRM, channel_id="agent", room_id="standup")
        await meeting.channel.plug_realtime(meeting.config)
        model = await meeting.model()
        await meeting.confirm(model)
        assert len(meeting.asked) == 2
        meeting.requests.resolve(meeting.request().pending_id, "yes")
        await model.expect(SentToolResult, failed=False)
    assert [settled.end for settled in meeting.settled] == [RequestEnd.WITHDRAWN, RequestEnd.ANSWERED]


async def test_a_room_left_under_one_model_takes_requests_of_the_next() -> None:
    async with Meeting() as meeting:
        await meeting.serve("standup", ["ada"])
        await meeting.channel.detach("standup")
        await meeting.channel.unplug_realtime()
        await meeting.channel.attach("standup")
        await meeting.channel.plug_realtime(meeting.config)
        model = await meeting.model()
        await meeting.confirm(model)
        meeting.requests.resolve(meeting.request().pending_id, "yes")
        await model.expect(SentToolResult, failed=False)


async def test_a_model_given_from_the_start_serves_every_room_that_is_attached() -> None:
    with ScriptedProvider() as provider, ScriptedConference() as conference:
        config = ConferenceRealtimeConfig(provider)
        channel = ConferenceChannel("agent", backend=conference, realtime=config, identity="assistant")
        await channel.attach("standup")
        await provider.connected()
        assert conference.room("standup").agent == "assistant"
        await channel.close()


async def test_what_cannot_be_declared_is_an_error_where_it_is_plugged() -> None:
    async with Meeting() as meeting:
        human = HumanInputToolHandler({"look_up"}, tool_definitions=[LOOK_UP])
        config = ConferenceRealtimeConfig(meeting.provider, human_input_handler=human, tools=[LOOK_UP])
        with pytest.raises(ValueError, match="take it out of tools"):
            await meeting.channel.plug_realtime(config)
        await meeting.channel.plug_realtime(meeting.config)
        with pytest.raises(ValueError, match="no voice activity at 11025 Hz"):
            ConferenceChannel("agent", backend=meeting.conference, rate=11_025)


async def test_a_model_that_can_be_reached_in_no_room_is_not_plugged() -> None:
    async with Meeting() as meeting:
        await meeting.channel.attach("standup")
        meeting.provider.refuse()
        with pytest.raises(ProviderError):
            await meeting.channel.plug_realtime(meeting.config)
        await meeting.channel.plug_realtime(meeting.config)
        await meeting.model()
        assert len(meeting.channel.sessions) == 1
    assert [error.source for error in meeting.errors] == ["provider"]


@pytest.mark.parametrize("how", ["cut", "breaks"])
async def test_a_plugging_that_does_not_come_to_its_end_leaves_no_model_in_any_room(how: str) -> None:
    class Half(ScriptedProvider):
        async def connect(self, config: ProviderConfig) -> ScriptedConnection:
            if meeting.channel.sessions:
                await anyio.sleep(10)
                raise KeyError("a provider that breaks")
            return await super().connect(config)

    async with Meeting() as meeting:
        for room_id in ("standup", "retro"):
            await meeting.channel.attach(room_id)
        half = Half()
        if how == "cut":
            with anyio.move_on_after(1):
                await meeting.channel.plug_realtime(ConferenceRealtimeConfig(half))
        else:
            with pytest.RaisesGroup(KeyError):
                await meeting.channel.plug_realtime(ConferenceRealtimeConfig(half))
        await settle_down(1)
        assert meeting.channel.sessions == ()
        assert (await half.connected()).ended
        await meeting.channel.plug_realtime(meeting.config)
        assert len(meeting.channel.sessions) == 2
        await meeting.model()
        await meeting.model()


@pytest.mark.parametrize("how", ["unplug", "close"])
async def test_a_model_that_is_unplugged_while_it_is_plugged_in_is_said_not_to_be(how: str) -> None:
    async with Meeting() as meeting:
        await meeting.channel.attach("standup")

        async def plug() -> None:
            with pytest.raises(RuntimeError, match="again before it served its rooms"):
                await meeting.channel.plug_realtime(ConferenceRealtimeConfig(NeverThere()))

        async with anyio.create_task_group() as group:
            group.start_soon(plug)
            await settle_down()
            await (meeting.channel.unplug_realtime() if how == "unplug" else meeting.channel.close())


async def test_a_room_in_which_the_model_cannot_be_reached_stays_without_one() -> None:
    async with Meeting() as meeting:
        await meeting.channel.attach("standup")
        await meeting.channel.attach("retro")
        meeting.provider.refuse()
        await meeting.channel.plug_realtime(meeting.config)
        await meeting.model()
        assert len(meeting.channel.sessions) == 1
        assert meeting.channel.rooms == ("standup", "retro")
    assert len(meeting.errors) == 1


async def test_a_room_whose_model_cannot_be_reached_is_not_attached() -> None:
    async with Meeting() as meeting:
        await meeting.channel.plug_realtime(meeting.config)
        meeting.provider.refuse()
        with pytest.raises(ProviderError):
            await meeting.channel.attach("standup")
        assert meeting.channel.rooms == ()
        assert meeting.room().agent is None


# --- joining ---------------------------------------------------------------------------------------------------------


async def attach(meeting: Meeting, refused: list[str]) -> None:
    """Attach the room, or note why it cannot be."""
    try:
        await meeting.channel.attach("standup")
    except RuntimeError as error:
        refused.append(str(error))


async def test_a_room_is_attached_once() -> None:
    async with Meeting() as meeting:
        meeting.conference.faults.delay("join", 1.0)
        refused: list[str] = []
        async with anyio.create_task_group() as group:
            group.start_soon(attach, meeting, refused)
            group.start_soon(attach, meeting, refused)
        await attach(meeting, refused)
        assert len(refused) == 2
        assert meeting.channel.rooms == ("standup",)


async def test_a_backend_that_lets_nobody_in_is_said_and_may_be_tried_again() -> None:
    async with Meeting() as meeting:
        meeting.conference.faults.refuse("join", ConferenceError("the room is full"))
        with pytest.raises(ConferenceError, match="full"):
            await meeting.channel.attach("standup")
        meeting.conference.faults.hang("join")
        with pytest.raises(ConferenceError, match="within 20 s"):
            await meeting.channel.attach("standup")
        meeting.conference.faults.mend("join")
        await meeting.channel.attach("standup")


async def test_closing_cuts_a_joining_short() -> None:
    async with Meeting() as meeting:
        meeting.conference.faults.hang("join")
        refused: list[str] = []
        async with anyio.create_task_group() as group:
            group.start_soon(attach, meeting, refused)
            await settle_down()
            await meeting.channel.close()
        assert refused == ["channel 'agent' is closed"]
        meeting.conference.faults.mend("join")


@pytest.mark.parametrize("what", ["unplug", "detach", "close"])
async def test_a_session_that_is_being_set_up_is_cut_short_too(what: str) -> None:
    slow = NeverThere()
    async with Meeting() as meeting:
        outcomes: list[str] = []

        async def attach() -> None:
            try:
                await meeting.channel.attach("standup")
            except RuntimeError as error:
                outcomes.append(str(error))
            else:
                outcomes.append("attached")

        config = ConferenceRealtimeConfig(slow)
        await meeting.channel.plug_realtime(config)
        async with anyio.create_task_group() as group:
            group.start_soon(attach)
            await slow.connecting.wait()
            match what:
                case "unplug":
                    await meeting.channel.unplug_realtime()
                case "detach":
                    await meeting.channel.detach("standup")
                case _:
                    await meeting.channel.close()
        assert meeting.channel.sessions == ()
        assert (meeting.channel.rooms, outcomes) == {
            "unplug": (("standup",), ["attached"]),
            "detach": ((), ["room 'standup' was left again before it was served"]),
            "close": ((), ["channel 'agent' is closed"]),
        }[what]


# --- a backend that misbehaves ---------------------------------------------------------------------------------------


async def test_a_page_that_cannot_be_reached_costs_nobody_else_anything() -> None:
    async with Meeting() as meeting:
        ada = meeting.person("ada")
        model = await meeting.serve()
        faults = meeting.room().faults
        faults.refuse("send_message", OSError("gone"))
        await meeting.confirm(model)
        faults.hang("send_message")
        ada.send(meeting.answer(meeting.request()))
        await model.expect(SentToolResult, failed=False)
        await settle_down(5)
        faults.mend("send_message")


async def test_a_backend_that_never_lets_go_is_left() -> None:
    async with Meeting() as meeting:
        await meeting.serve(people=["ada"])
        meeting.room().faults.hang("leave")
        with anyio.fail_after(30):
            await meeting.channel.detach("standup")
        assert meeting.channel.rooms == ()
        meeting.room().join("ben")
        await settle_down()
        assert [event.participant_id for event in meeting.joined] == [], (
            "what happens in a room that was left is nobody's"
        )
        meeting.room().faults.mend("leave")


async def test_events_that_come_late_are_taken_as_they_come() -> None:
    async with Meeting() as meeting:
        ada = meeting.person("ada")
        model = await meeting.serve()
        meeting.room().delay_events(3.0)
        await meeting.confirm(model)
        ada.send(meeting.answer(meeting.request()))
        await settle_down(1)
        assert meeting.request().end is None
        await model.expect(SentToolResult, failed=False)


async def test_without_messages_nobody_sees_a_card() -> None:
    async with Meeting(capabilities=ConferenceCapabilities(messages=False)) as meeting:
        ada = meeting.person("ada", quiet=False)
        model = await meeting.serve()
        await meeting.confirm(model)
        await ada.expect_nothing(for_s=1)
        meeting.requests.resolve(meeting.request().pending_id, "yes")
        await model.expect(SentToolResult, failed=False)


# --- changing --------------------------------------------------------------------------------------------------------


async def test_the_session_of_one_room_is_reconfigured_and_no_other() -> None:
    async with Meeting(model=ProviderCapabilities(reconfigures="in_place")) as meeting:
        standup, retro = await meeting.serve("standup", ["ada"]), await meeting.serve("retro", ["ada"])
        await meeting.channel.reconfigure_session(meeting.session("standup"), system_prompt="Take the minutes.")
        changed = await standup.expect(Reconfigured)
        assert changed.config.instructions == "Take the minutes."
        await retro.expect_nothing(for_s=1)
        session = meeting.session("standup")
        await meeting.channel.unplug_realtime()
        with pytest.raises(RuntimeError, match="no model is plugged"):
            await meeting.channel.reconfigure_session(session, system_prompt="More.")
