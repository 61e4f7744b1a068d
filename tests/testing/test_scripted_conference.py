"""The conference that tests play is strict, and does what a backend does."""

import json

import anyio
import pytest

from voice_hitl.audio.frame import frame_bytes
from voice_hitl.conference import (
    ActiveSpeaker,
    ConferenceCapabilities,
    Digit,
    Joining,
    Message,
    ParticipantJoined,
    ParticipantLeft,
    PresenceEvent,
    RemovedFromRoom,
    TrackAudio,
)
from voice_hitl.errors import ConferenceError, ConnectionEnded
from voice_hitl.tasks import current_time
from voice_hitl.testing.scripted_conference import ScriptedConference
from voice_hitl.testing.scripted_room import ScriptedPresence

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

JOINING = Joining(identity="agent", rate=8_000)
FRAME = bytes(frame_bytes(8_000))


async def come(conference: ScriptedConference, room_id: str = "standup") -> ScriptedPresence:
    return await conference.join(room_id, JOINING)


async def next_event(presence: ScriptedPresence) -> PresenceEvent:
    with anyio.fail_after(10):
        return await presence.events().get()


async def test_the_agent_is_told_what_happens_in_its_room_in_order() -> None:
    with ScriptedConference() as conference:
        room = conference.room("standup")
        room.join("ada")
        presence = await come(conference)
        assert presence.participants() == ("ada",)
        assert room.agent == "agent"
        ben = room.join("ben")
        assert await next_event(presence) == ParticipantJoined("ben", current_time())
        ben.send_frame(FRAME)
        assert await next_event(presence) == TrackAudio("ben", FRAME, current_time())
        room.active_speaker("ben")
        assert await next_event(presence) == ActiveSpeaker("ben", current_time())
        await ben.press("7")
        pressed = await next_event(presence)
        assert isinstance(pressed, Digit)
        assert (pressed.participant, pressed.digit) == ("ben", "7")
        ben.send({"v": 1})
        sent = await next_event(presence)
        assert isinstance(sent, Message)
        assert (sent.participant, json.loads(sent.text)) == ("ben", {"v": 1})
        ben.leave()
        assert await next_event(presence) == ParticipantLeft("ben", current_time())
        assert presence.participants() == ("ada",)
        room.remove_agent("kicked")
        room.remove_agent("again")
        assert await next_event(presence) == RemovedFromRoom("kicked", current_time())
        with pytest.raises(ConnectionEnded):
            await next_event(presence)
        assert room.agent is None


async def test_a_voice_comes_in_frames_of_20_ms_in_real_time() -> None:
    with ScriptedConference() as conference:
        ada = conference.room("standup").join("ada")
        presence = await come(conference)
        began = current_time()
        await ada.speak(FRAME + FRAME[:20])
        assert current_time() - began == pytest.approx(0.04)
        await ada.stay_silent(20)
        frames = [await next_event(presence) for _ in range(3)]
        assert {len(frame.pcm) for frame in frames if isinstance(frame, TrackAudio)} == {len(FRAME)}
        await presence.leave()


async def test_without_lanes_the_voice_is_nobodys() -> None:
    with ScriptedConference(capabilities=ConferenceCapabilities(lanes=False)) as conference:
        ada = conference.room("standup").join("ada")
        presence = await come(conference)
        ada.send_frame(FRAME)
        heard = await next_event(presence)
        assert isinstance(heard, TrackAudio)
        assert heard.participant == ""
        await presence.leave()


async def test_the_room_hears_the_agent_and_what_is_no_frame_is_refused() -> None:
    with ScriptedConference() as conference:
        presence, room = await come(conference), conference.room("standup")
        presence.publish_audio(FRAME)
        await room.hears(20)
        assert bytes(room.audio) == FRAME
        presence.stop_playback()
        assert room.stops == 1
        with pytest.raises(ValueError, match="has 320 bytes, not 3"):
            presence.publish_audio(b"abc")
        with pytest.raises(ValueError, match="no private audio"):
            presence.publish_audio(FRAME, to="ada")
        with pytest.raises(AssertionError, match="was to hear 40 ms within 1 s but heard 20 ms"):
            await room.hears(40, within_s=1)
        await presence.leave()
        presence.publish_audio(FRAME)
        assert room.heard_ms == 20


async def test_private_audio_is_taken_where_the_backend_has_it() -> None:
    with ScriptedConference(capabilities=ConferenceCapabilities(private_audio=True)) as conference:
        presence = await come(conference)
        presence.publish_audio(FRAME, to="ada")
        await presence.leave()


async def test_a_message_goes_to_one_page_and_must_be_expected_there() -> None:
    with ScriptedConference() as conference:
        room = conference.room("standup")
        ada, ben = room.join("ada"), room.join("ben")
        presence = await come(conference)
        await presence.send_message('{"type": "hello", "n": 1}', to="ada")
        await presence.send_message('{"type": "transcript"}', to="ada")
        await ben.expect_nothing(for_s=1)
        assert (await ada.message(type="hello"))["n"] == 1
        assert ada.counts == {"hello": 1, "transcript": 1}
        ada.watch("transcript")
        ada.ignore("hello")
        await presence.send_message('{"type": "hello"}', to="ada")
        await presence.send_message('{"type": "transcript"}', to="ada")
        await ada.message(type="transcript")
        ben.leave()
        await presence.send_message('{"type": "hello"}', to="ben")
        assert ben.counts == {}
        await presence.leave()


async def test_what_nobody_expected_and_an_agent_that_stays_fail_the_test() -> None:
    conference = ScriptedConference()
    ada = conference.room("standup").join("ada")
    presence = await come(conference)
    await presence.send_message('{"type": "hello"}', to="ada")
    with pytest.raises(AssertionError, match="participant ada got what nobody expected"):
        conference.done()
    await ada.message(type="hello")
    with pytest.raises(AssertionError, match="still in room standup"):
        conference.done()
    with pytest.raises(AssertionError, match="was to leave room standup"):
        await conference.room("standup").agent_gone(within_s=1)
    await presence.leave()
    await conference.room("standup").agent_gone()
    conference.done()


async def test_a_refusal_that_nobody_met_fails_the_test() -> None:
    conference = ScriptedConference()
    conference.faults.refuse("join", ConferenceError("full"))
    with pytest.raises(AssertionError, match=r"nobody tried: \{'join': 1\}"):
        conference.done()
    with pytest.raises(ConferenceError, match="full"):
        await come(conference)
    conference.done()


async def test_faults_delay_hang_and_are_mended() -> None:
    with ScriptedConference() as conference:
        conference.faults.delay("join", 2)
        began = current_time()
        presence = await come(conference)
        assert current_time() - began == pytest.approx(2)
        faults = conference.room("standup").faults
        faults.hang("leave")
        with anyio.move_on_after(5) as scope:
            await presence.leave()
        assert scope.cancelled_caught
        faults.mend("leave")
        await presence.leave()


async def test_events_may_reach_the_agent_late_or_not_any_more() -> None:
    with ScriptedConference() as conference:
        room = conference.room("standup")
        presence = await come(conference)
        room.delay_events(3)
        joined_at = current_time()
        room.join("ada")
        assert await next_event(presence) == ParticipantJoined("ada", joined_at)
        assert current_time() == pytest.approx(joined_at + 3)
        room.lose_agent()
        with pytest.raises(ConnectionEnded):
            await next_event(presence)


async def test_who_joins_twice_is_one_participant_and_a_taken_identity_is_refused() -> None:
    with ScriptedConference() as conference:
        room = conference.room("standup")
        assert room.join("ada") is room.join("ada")
        assert len(room.participants) == 1
        presence = await come(conference)
        with pytest.raises(ConferenceError, match="in room standup already"):
            await come(conference)
        conference.room("retro").join("agent")
        with pytest.raises(ConferenceError, match="in room retro already"):
            await come(conference, "retro")
        await presence.leave()
        again = await come(conference)
        await again.leave()


async def test_a_backend_that_is_closed_has_left_every_room() -> None:
    with ScriptedConference(name="sfu") as conference:
        presence = await come(conference)
        await conference.aclose()
        assert presence.over
        assert conference.name == "sfu"
        with pytest.raises(ConferenceError, match="sfu is closed"):
            await come(conference)


async def test_there_are_no_other_keys() -> None:
    with ScriptedConference() as conference, pytest.raises(ValueError, match="no key 'x'"):
        await conference.room("standup").join("ada").press("x")
