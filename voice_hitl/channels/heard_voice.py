"""One voice on a held line: when it is heard, and what it says, as audio for whoever has that recognised."""

from dataclasses import replace

from voice_hitl.audio.frame import FRAME_MS
from voice_hitl.audio.vad import SpeechBegan, VoiceActivity
from voice_hitl.channels.callers_voice import CallersVoice
from voice_hitl.line import CallerBegan, CallerEnded, LineEvent

ONSET_S = 0.1
"""How long a voice must last before it is known to be one (`VoiceActivity`)."""


class HeardVoice:
    """The caller's voice, or that of one of several, frame by frame.

    Args:
        rate: Samples a second.
        by: Whose it is, where several are on the line.
        kept: Whether its utterances come as audio, too (`CallerVoice`).
    """

    def __init__(self, rate: int, *, by: str = "", kept: bool) -> None:
        self._by = by
        self._activity = VoiceActivity(rate, onset_ms=int(ONSET_S * 1000))
        self._utterances = CallersVoice() if kept else None

    @property
    def speaks(self) -> bool:
        """Whether it is heard now."""
        return self._activity.speaking

    def push(self, pcm: bytes, began: float) -> list[LineEvent]:
        """Hear 20 ms that began then; what follows from it."""
        events: list[LineEvent] = []
        found, utterances = self._activity.push(pcm, began), self._utterances
        if isinstance(found, SpeechBegan):
            events.append(CallerBegan(found.at, self._by))
            if utterances is not None:
                utterances.began(found.at)
        elif found is not None:
            events.append(CallerEnded(found.at, self._by))
            if utterances is not None:
                utterances.ended(found.at)
        said = utterances.push(pcm, began + FRAME_MS / 1000) if utterances is not None else None
        if said is not None:
            events.append(replace(said, by=self._by))
        return events
