"""Utterances, recognised in the order they were said."""

import logging
from dataclasses import replace

import anyio
import pytest

from voice_hitl.askers.ear import RECOGNITION_S, Ear
from voice_hitl.line import CallerSaid, CallerVoice, LineEvent, NotUnderstood
from voice_hitl.speech_ports import Listener, Transcription

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

VOICE = CallerVoice(bytes(3200), 1.0, 1.1)


class Slow:
    """Takes so long for its next utterance as it was told; what it hears is its number."""

    rate = 8_000

    def __init__(self, *seconds: float) -> None:
        self.seconds = list(seconds)
        self.lengths: list[int] = []

    async def transcribe(self, pcm: bytes, *, language: str = "en") -> Transcription | None:
        self.lengths.append(len(pcm))
        await anyio.sleep(self.seconds.pop(0))
        return Transcription(f"utterance {len(self.lengths)}", 0.9)


class Broken(Slow):
    async def transcribe(self, pcm: bytes, *, language: str = "en") -> Transcription | None:
        raise OSError("the code is 4829")


async def heard(listener: Listener | None, voices: int = 1, *, for_s: float = 60) -> list[LineEvent]:
    told: list[LineEvent] = []
    ear = Ear(listener, language="en", rate=16_000, tell=told.append)
    for _ in range(voices):
        ear.hear(VOICE)
    with anyio.move_on_after(for_s):
        await ear.run()
    return told


async def test_each_comes_in_turn_and_says_whether_more_is_due() -> None:
    listener = Slow(3, 0)
    assert await heard(listener, 2) == [
        CallerSaid("utterance 1", 1.0, 1.1, 0.9, "", True),
        CallerSaid("utterance 2", 1.0, 1.1, 0.9, "", False),
    ]
    assert listener.lengths == [1600, 1600]


async def test_what_sounds_as_we_did_still_does_once_it_has_words() -> None:
    told: list[LineEvent] = []
    ear = Ear(Slow(0), language="en", rate=16_000, tell=told.append)
    ear.hear(replace(VOICE, is_ours=True))
    with anyio.move_on_after(1):
        await ear.run()
    assert told == [CallerSaid("utterance 1", 1.0, 1.1, 0.9, "", is_ours=True)]


async def test_what_cannot_be_made_out_in_time_or_at_all_is_a_no_match(caplog: pytest.LogCaptureFixture) -> None:
    assert await heard(Slow(RECOGNITION_S + 1)) == [NotUnderstood(1.1)]
    assert await heard(None) == [NotUnderstood(1.1)]
    with caplog.at_level(logging.DEBUG):
        assert await heard(Broken()) == [NotUnderstood(1.1)]
    assert "OSError" in caplog.text
    assert "4829" not in caplog.text
