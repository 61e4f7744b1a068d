"""A room as the leg of a session: its own port, apart from what is in it."""

from contextlib import suppress

import anyio
import numpy as np
import pytest

from voice_hitl.audio.frame import frame_bytes, frame_samples
from voice_hitl.channels.room_leg import RoomLeg
from voice_hitl.conference import ConferenceCapabilities, Joining
from voice_hitl.errors import ConnectionEnded
from voice_hitl.tasks import current_time
from voice_hitl.testing import ScriptedConference, ScriptedRoom
from voice_hitl.transport import AudioIn, Heard, HungUp, LegEvent, PersonLeft, Played

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

ROOM_RATE = 24_000


def frame(level: int, rate: int = ROOM_RATE) -> bytes:
    return np.full(frame_samples(rate), level, dtype=np.int16).tobytes()


async def a_leg(rate: int = ROOM_RATE, **capabilities: bool) -> tuple[ScriptedRoom, RoomLeg]:
    conference = ScriptedConference(capabilities=ConferenceCapabilities(**capabilities))
    presence = await conference.join("standup", Joining(identity="agent", rate=ROOM_RATE))
    leg = RoomLeg("standup", presence, conference.capabilities, room_rate=ROOM_RATE, rate=rate)
    return conference.room("standup"), leg


async def everything(leg: RoomLeg) -> list[LegEvent]:
    events: list[LegEvent] = []
    with suppress(ConnectionEnded):
        while True:
            events.append(await leg.events().get())
    return events


async def test_it_is_shared_and_says_what_the_backend_can_do() -> None:
    _, leg = await a_leg(lanes=False, echo_cancelled=False)
    assert leg.capabilities.shared
    assert not leg.capabilities.lanes
    assert not leg.capabilities.echo_cancelled
    assert leg.capabilities.messages
    assert leg.info.room_id == "standup"
    assert leg.round_trip_ms is None
    await leg.send_message("to nobody in particular")
    with pytest.raises(ValueError, match="cannot be transferred"):
        await leg.transfer("sip:somebody")


async def test_what_is_played_is_told_as_it_is_heard() -> None:
    room, leg = await a_leg()
    for _ in range(10):
        leg.send_audio(frame(100), "i1")
    await anyio.sleep(1)
    leg.end("us")
    played = [event for event in await everything(leg) if isinstance(event, Played)]
    assert [(event.item, event.ms, event.last) for event in played] == [("i1", 100, False), ("i1", 200, True)]
    assert room.heard_ms == 200


async def test_what_is_cleared_is_not_heard_and_the_backend_stops_too() -> None:
    room, leg = await a_leg()
    for _ in range(50):
        leg.send_audio(frame(100), "i1")
    await anyio.sleep(0.1)
    heard = leg.clear()
    assert heard.item == "i1"
    assert heard.ms == pytest.approx(100, abs=20)
    assert room.stops == 1
    await anyio.sleep(1)
    assert room.heard_ms == heard.ms
    assert leg.clear() == Heard()
    leg.send_audio(frame(200), "i2")
    await anyio.sleep(0.1)
    assert bytes(room.audio[-4:]) == frame(200)[:4]


async def test_hanging_up_after_playout_lets_the_last_words_be_heard() -> None:
    room, leg = await a_leg()
    for _ in range(10):
        leg.send_audio(frame(100), "i1")
    await leg.hang_up(after="playout")
    assert room.heard_ms == 200
    leg.send_audio(frame(100), "i2")
    await anyio.sleep(0.1)
    assert room.heard_ms == 200
    assert room.agent == "agent"
    assert isinstance((await everything(leg))[-1], HungUp)


async def test_only_the_first_ending_counts() -> None:
    _, leg = await a_leg()
    await leg.hang_up()
    leg.end("lost")
    await leg.aclose()
    assert await everything(leg) == [HungUp("us", current_time())]
    leg.hear(frame(1), 0.0, ())
    assert leg.clear() == Heard()


async def test_at_one_rate_a_window_is_handed_on_as_it_is() -> None:
    _, leg = await a_leg()
    leg.hear(frame(3), 1.0, (("ada", frame(1)), ("ben", frame(2))))
    leg.hear(b"", 1.02, ())
    leg.end("us")
    assert (await everything(leg))[:2] == [
        AudioIn(frame(3), 1.0, (("ada", frame(1)), ("ben", frame(2)))),
        AudioIn(b"", 1.02),
    ]


async def test_at_another_rate_the_mix_and_each_lane_are_converted() -> None:
    _, leg = await a_leg(16_000)
    for index in range(20):
        leg.hear(frame(3_000), index * 0.02, (("ada", frame(1_000)), ("ben", frame(2_000))))
    leg.put(PersonLeft("ben", 0.4))
    leg.end("us")
    heard = [event for event in await everything(leg) if isinstance(event, AudioIn)]
    assert {len(pcm) for event in heard for pcm in (event.pcm, *dict(event.lanes).values()) if pcm} == {
        frame_bytes(16_000)
    }
    last = heard[-1]
    levels = [np.frombuffer(pcm, dtype=np.int16)[100] for pcm in (last.pcm, *dict(last.lanes).values())]
    assert levels == pytest.approx([3_000, 1_000, 2_000], abs=20)
    assert sum(bool(event.pcm) for event in heard) == pytest.approx(20, abs=1)


async def test_what_nobody_hears_is_dropped_the_oldest_first() -> None:
    _, leg = await a_leg()
    for index in range(60):
        leg.hear(frame(index), index * 0.02, ())
    leg.end("us")
    heard = await everything(leg)
    assert heard[0] == AudioIn(frame(10), 0.2)
