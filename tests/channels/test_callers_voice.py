"""The caller's audio, cut into utterances."""

from voice_hitl.channels.callers_voice import BEFORE_MS, LONGEST_S, PAUSE_S, CallersVoice
from voice_hitl.line import CallerVoice, NotUnderstood

FRAME_S = 0.02
SOUND, SILENCE = b"\x01\x00", b"\x00\x00"


class Caller:
    """Somebody who speaks and pauses; a frame is one sample long here."""

    def __init__(self) -> None:
        self.voice = CallersVoice()
        self.now = 10.0
        self.out: list[CallerVoice | NotUnderstood] = []

    def speaks(self, seconds: float) -> None:
        self.voice.began(self.now)
        self.hears(SOUND, seconds)
        self.voice.ended(self.now)

    def pauses(self, seconds: float) -> None:
        self.hears(SILENCE, seconds)

    def hears(self, frame: bytes, seconds: float) -> None:
        for _ in range(round(seconds / FRAME_S)):
            self.now += FRAME_S
            said = self.voice.push(frame, self.now)
            if said is not None:
                self.out.append(said)


def test_an_utterance_has_the_moment_before_it_and_the_silence_that_ended_it() -> None:
    caller = Caller()
    caller.pauses(1)
    caller.speaks(0.4)
    caller.pauses(1)
    (said,) = caller.out
    assert isinstance(said, CallerVoice)
    assert (round(said.began, 6), round(said.ended, 6)) == (11.0, 11.4)
    assert said.pcm.count(SOUND) == round(0.4 / FRAME_S)
    assert len(said.pcm) / 2 * FRAME_S - 0.4 - PAUSE_S - BEFORE_MS / 1000 <= FRAME_S + 1e-6


def test_a_breath_does_not_end_it() -> None:
    caller = Caller()
    caller.speaks(0.5)
    caller.pauses(PAUSE_S - 0.1)
    caller.speaks(0.5)
    caller.pauses(1)
    assert [round(said.ended - said.began, 6) for said in caller.out if isinstance(said, CallerVoice)] == [1.5]


def test_of_what_goes_on_for_ever_nothing_is_read() -> None:
    caller = Caller()
    caller.speaks(LONGEST_S + 5)
    caller.pauses(1)
    caller.speaks(0.5)
    caller.pauses(1)
    assert [type(said) for said in caller.out] == [NotUnderstood, CallerVoice]
