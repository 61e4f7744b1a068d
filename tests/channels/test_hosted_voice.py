"""The model's voice as an asker's, where the provider plays it."""

import anyio
import pytest

from voice_hitl.channels.hosted_voice import HostedVoice
from voice_hitl.line import LineEvent, PartBegan, PartCut, PartHeard
from voice_hitl.transport import Played

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


async def test_a_part_begins_with_its_response_and_was_heard_when_the_provider_has_played_it() -> None:
    told: list[LineEvent] = []
    voice = HostedVoice(told.append)
    began = anyio.current_time()
    await voice.take(1)
    voice.began(1, "r-1")
    assert voice.response_id == "r-1"
    await anyio.sleep(2)
    voice.end_part(1)  # all of it was made
    assert told == [PartBegan(1, began)]
    voice.heard(1)
    voice.heard(1)
    assert told[1:] == [PartHeard(1, began, began + 2)]
    assert voice.response_id == ""


async def test_what_was_stopped_is_cut_and_is_not_heard_any_more() -> None:
    told: list[LineEvent] = []
    voice = HostedVoice(told.append)
    began = anyio.current_time()
    await voice.take(1)
    voice.began(1, "r-1")
    await anyio.sleep(1)
    voice.stop()
    voice.stop()
    voice.heard(1)
    assert told[1:] == [PartCut(1, began, began + 1)]


async def test_nothing_is_told_of_a_part_that_was_stopped_before_it_began() -> None:
    told: list[LineEvent] = []
    voice = HostedVoice(told.append)
    await voice.take(1)
    voice.stop()
    voice.began(1, "r-1")
    assert told == []


async def test_a_part_waits_until_the_one_before_it_was_played() -> None:
    told: list[LineEvent] = []
    voice = HostedVoice(told.append)
    taken: list[int] = []

    async def take(part: int) -> None:
        await voice.take(part)
        taken.append(part)

    async with anyio.create_task_group() as group:
        await take(1)
        voice.began(1, "r-1")
        group.start_soon(take, 2)
        await anyio.sleep(5)
        assert taken == [1]
        voice.heard(1)
        await anyio.sleep(0.01)
        assert taken == [1, 2]


def test_a_leg_without_audio_tells_of_nothing_that_is_ours() -> None:
    voice = HostedVoice(lambda _event: None)
    voice.play(bytes(320), 1)
    assert not voice.played(Played("asked-1-1", 20, 1.0))
