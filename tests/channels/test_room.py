"""A room: what is heard of it, what it hears, who speaks, and whose turn a call was."""

import anyio
import numpy as np
import pytest

from tests.channels.kept import settle_down
from tests.channels.meeting import Meeting, voice
from voice_hitl.audio.frame import frame_bytes
from voice_hitl.conference import ConferenceCapabilities
from voice_hitl.provider import (
    AudioOut,
    ProviderCapabilities,
    ResponseEnded,
    ResponseStarted,
    SpeechStarted,
    SpeechStopped,
    ToolCalled,
)
from voice_hitl.testing import Interrupted, ScriptedConnection, SentAudio, SentToolResult

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

RATE = 24_000
FRAME = frame_bytes(RATE)


def tone(level: int, frames: int = 1) -> bytes:
    return np.full(frames * FRAME // 2, level, dtype=np.int16).tobytes()


async def windows(model: ScriptedConnection, count: int) -> list[bytes]:
    return [(await model.expect(SentAudio)).pcm for _ in range(count)]


def says(model: ScriptedConnection, pcm: bytes, *, response_id: str = "r1", item_id: str = "i1") -> None:
    model.emit(ResponseStarted(response_id), AudioOut(pcm, item_id, response_id=response_id))


# --- what the model hears --------------------------------------------------------------------------------------------


async def test_the_model_hears_the_mix_of_the_room_in_windows_of_20_ms() -> None:
    async with Meeting() as meeting:
        ada, ben = meeting.person("ada"), meeting.person("ben")
        model = await meeting.serve()
        model.watch(SentAudio)
        async with anyio.create_task_group() as group:
            group.start_soon(ada.speak, tone(1_000, 3))
            await anyio.sleep(0.005)
            group.start_soon(ben.speak, tone(1_000, 3))
        heard = await windows(model, 3)
        assert {len(each) for each in heard} == {FRAME}
        assert heard[-1] == tone(round(2_000 / np.sqrt(2)))


async def test_a_window_in_which_nobody_sends_anything_is_not_sent() -> None:
    async with Meeting() as meeting:
        ada = meeting.person("ada")
        model = await meeting.serve()
        model.watch(SentAudio)
        await ada.stay_silent(40)
        assert await windows(model, 2) == [bytes(FRAME)] * 2
        await model.expect_nothing(for_s=5)


async def test_who_is_not_in_the_room_is_not_heard() -> None:
    async with Meeting() as meeting:
        ada = meeting.person("ada")
        model = await meeting.serve()
        model.watch(SentAudio)
        ada.leave()
        await ada.speak(tone(1_000, 3))
        await model.expect_nothing(for_s=1)


async def test_rooms_are_mixed_each_by_itself() -> None:
    async with Meeting() as meeting:
        ada = meeting.person("ada", "standup")
        meeting.person("ben", "retro")
        standup, retro = await meeting.serve("standup"), await meeting.serve("retro")
        standup.watch(SentAudio)
        retro.watch(SentAudio)
        await ada.speak(tone(1_000, 2))
        assert await windows(standup, 2) == [tone(1_000)] * 2
        await retro.expect_nothing(for_s=1)


async def test_a_room_without_a_model_is_heard_by_nobody_and_costs_nothing_when_it_is_quiet() -> None:
    async with Meeting() as meeting:
        ada = meeting.person("ada")
        await meeting.channel.attach("standup")
        await ada.speak(tone(1_000, 5))
        await settle_down(60)
        await meeting.channel.plug_realtime(meeting.config)
        model = await meeting.model()
        model.watch(SentAudio)
        await ada.speak(tone(500))
        assert await windows(model, 1) == [tone(500)]


async def test_a_backend_without_lanes_gives_the_mix_itself() -> None:
    async with Meeting(capabilities=ConferenceCapabilities(lanes=False)) as meeting:
        ada = meeting.person("ada")
        model = await meeting.serve()
        model.watch(SentAudio)
        await ada.speak(voice(400))
        assert b"".join(await windows(model, 20)) == voice(400)
        await settle_down(1)
    assert meeting.speech == []


async def test_a_model_of_another_rate_hears_and_speaks_at_its_own() -> None:
    async with Meeting(model=ProviderCapabilities(rate=16_000)) as meeting:
        ada = meeting.person("ada")
        model = await meeting.serve()
        model.watch(SentAudio)
        await ada.speak(tone(1_000, 10))
        heard = await windows(model, 9)
        assert {len(each) for each in heard} == {frame_bytes(16_000)}
        assert np.frombuffer(heard[-1], dtype=np.int16)[100] == pytest.approx(1_000, abs=20)
        model.ignore(SentAudio)
        says(model, np.full(16_000, 2_000, dtype=np.int16).tobytes())
        model.emit(ResponseEnded("r1"))
        await meeting.room().hears(1_000)
        await settle_down(1)
        assert meeting.room().heard_ms == pytest.approx(1_000, abs=20)
        assert np.frombuffer(bytes(meeting.room().audio), dtype=np.int16)[12_000] == pytest.approx(2_000, abs=20)


# --- what the room hears ---------------------------------------------------------------------------------------------


async def test_the_room_hears_the_model_in_real_time_on_its_one_track() -> None:
    async with Meeting() as meeting:
        model = await meeting.serve(people=["ada"])
        says(model, tone(700, 50))
        model.emit(ResponseEnded("r1"))
        await settle_down(0.5)
        assert meeting.room().heard_ms == pytest.approx(500, abs=40)
        await meeting.room().hears(1_000)
        assert bytes(meeting.room().audio) == tone(700, 50)


async def test_who_speaks_stops_the_model_in_that_room_and_it_is_known_who() -> None:
    async with Meeting() as meeting:
        ada = meeting.person("ada")
        model = await meeting.serve()
        model.watch(Interrupted)
        says(model, tone(700, 200))
        await meeting.room().hears(500)
        await ada.speak(voice(300))
        cut = await model.expect(Interrupted, response_id="r1", item_id="i1")
        heard = meeting.room().heard_ms
        assert cut.played_ms == pytest.approx(650, abs=60)
        assert heard == pytest.approx(cut.played_ms, abs=20)
        assert meeting.room().stops == 1
        await settle_down(3)
        assert meeting.room().heard_ms == heard
    assert [(event.participant_id, event.item_id) for event in meeting.barge_ins] == [("ada", "i1")]
    assert [event.participant_id for event in meeting.speech] == ["ada"]


async def test_a_call_of_a_response_that_somebody_cut_is_not_run() -> None:
    async with Meeting() as meeting:
        ada = meeting.person("ada")
        model = await meeting.serve()
        says(model, tone(700, 200))
        await meeting.room().hears(500)
        await ada.speak(voice(300))
        model.emit(ToolCalled("c1", "look_up", "{}", "r1"))
        await model.expect(SentToolResult, call_id="c1", failed=True)
    assert [report.refused for report in meeting.reports] == [True]


async def test_a_click_stops_nobody() -> None:
    click = np.zeros(FRAME // 2, dtype=np.int16)
    click[:60] = np.random.default_rng(1).normal(0, 8_000, 60)
    async with Meeting() as meeting:
        ada = meeting.person("ada")
        model = await meeting.serve()
        says(model, tone(700, 100))
        model.emit(ResponseEnded("r1"))
        await meeting.room().hears(500)
        await ada.stay_silent(200)
        ada.send_frame(click.tobytes())
        await meeting.room().hears(2_000)
    assert meeting.barge_ins == []


async def test_whoever_is_silent_again_or_has_gone_does_not_speak_any_more() -> None:
    async with Meeting() as meeting:
        ada, ben = meeting.person("ada"), meeting.person("ben")
        model = await meeting.serve()
        await ada.speak(voice(400))
        await ben.speak(voice(400))
        ben.leave()
        await settle_down(2)  # ada's microphone is off: nothing comes of her lane
        call_id = model.call_tool("look_up", {"q": "x"})
        model.watch(SentToolResult)
        await model.expect(SentToolResult, call_id=call_id)
    assert [event.participant_id for event in meeting.speech] == ["ada", "ben"]


async def test_what_the_provider_hears_of_the_mix_is_nobodys_speech_where_there_are_lanes() -> None:
    async with Meeting() as meeting:
        model = await meeting.serve(people=["ada"])
        model.emit(SpeechStarted("i1"), SpeechStopped("i1"))
        await settle_down()
    assert meeting.speech == []


async def test_without_lanes_speech_is_what_the_provider_hears_and_nobodys_name() -> None:
    async with Meeting(capabilities=ConferenceCapabilities(lanes=False)) as meeting:
        model = await meeting.serve(people=["ada"])
        says(model, tone(700, 100))
        await meeting.room().hears(500)
        model.emit(SpeechStarted("i2"), SpeechStopped("i2"))
        await settle_down()
    assert [event.participant_id for event in meeting.speech] == [None]
    assert [event.participant_id for event in meeting.barge_ins] == [None]


# --- keys ------------------------------------------------------------------------------------------------------------


async def test_a_key_that_no_request_takes_is_told_with_whose_it_was() -> None:
    async with Meeting() as meeting:
        ada = meeting.person("ada")
        await meeting.serve()
        await ada.press("4")
        ada.send({"v": 1, "type": "digit", "digit": "5"})
        await settle_down()
    assert [(event.digit, event.participant_id) for event in meeting.digits] == [("4", "ada"), ("5", "ada")]


# --- whose turn it was -----------------------------------------------------------------------------------------------


async def test_whose_turn_raised_a_call_is_evidence_with_a_confidence() -> None:
    async with Meeting() as meeting:
        ada = meeting.person("ada")
        meeting.person("ben")
        model = await meeting.serve()
        await ada.speak(voice(600))
        await ada.stay_silent(400)
        await meeting.confirm(model)
        request = meeting.request()
        assert (request.actor_id, request.actor_confidence) == ("ada", 0.9)
        meeting.requests.resolve(request.pending_id, "yes")
        await model.expect(SentToolResult, failed=False)
    assert [report.actor_id for report in meeting.reports] == ["ada"]


async def test_where_nobody_was_heard_nobody_is_named() -> None:
    async with Meeting() as meeting:
        model = await meeting.serve(people=["ada"])
        await meeting.confirm(model)
        request = meeting.request()
        assert (request.actor_id, request.actor_confidence) == (None, None)
        meeting.requests.resolve(request.pending_id, "yes")
        await model.expect(SentToolResult, failed=False)


async def test_without_lanes_the_active_speaker_is_the_evidence() -> None:
    async with Meeting(capabilities=ConferenceCapabilities(lanes=False)) as meeting:
        model = await meeting.serve(people=["ada"])
        meeting.room().active_speaker("ada")
        await meeting.confirm(model)
        request = meeting.request()
        assert (request.actor_id, request.actor_confidence) == ("ada", 0.6)
        meeting.requests.resolve(request.pending_id, "yes")
        await model.expect(SentToolResult, failed=False)


async def test_who_speaks_after_the_call_came_does_not_change_whose_it_was() -> None:
    async with Meeting() as meeting:
        ada, ben = meeting.person("ada"), meeting.person("ben")
        model = await meeting.serve()
        await ada.speak(voice(600))
        await ada.stay_silent(400)
        await meeting.confirm(model)
        await ben.speak(voice(600))
        meeting.requests.resolve(meeting.request().pending_id, "yes")
        await model.expect(SentToolResult, failed=False)
    assert [report.actor_id for report in meeting.reports] == ["ada"]
