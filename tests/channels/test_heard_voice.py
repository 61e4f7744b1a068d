from tests.channels.meeting import voice
from voice_hitl.audio.frame import frame_bytes
from voice_hitl.channels.heard_voice import HeardVoice
from voice_hitl.line import CallerBegan, CallerEnded, CallerVoice, LineEvent

RATE = 16_000
SIZE = frame_bytes(RATE)


def hear(heard: HeardVoice, pcm: bytes) -> list[LineEvent]:
    frames = [pcm[start : start + SIZE] for start in range(0, len(pcm), SIZE)]
    return [event for index, frame in enumerate(frames) for event in heard.push(frame, index * 0.02)]


def test_a_voice_is_told_with_whose_it_is_and_what_it_said() -> None:
    heard = HeardVoice(RATE, by="ada", kept=True)
    began, ended, said = hear(heard, bytes(SIZE * 20) + voice(600, RATE) + bytes(SIZE * 60))
    assert isinstance(began, CallerBegan)
    assert isinstance(ended, CallerEnded)
    assert isinstance(said, CallerVoice)
    assert {began.by, ended.by, said.by} == {"ada"}
    assert (said.began, said.ended) == (began.at, ended.at)
    assert voice(600, RATE) in said.pcm


def test_where_nobody_listens_to_it_no_audio_is_kept() -> None:
    heard = HeardVoice(RATE, kept=False)
    events = hear(heard, bytes(SIZE * 20) + voice(600, RATE))
    assert [type(event) for event in events] == [CallerBegan]
    assert heard.speaks
    assert [type(event) for event in hear(heard, bytes(SIZE * 60))] == [CallerEnded]
    assert not heard.speaks
