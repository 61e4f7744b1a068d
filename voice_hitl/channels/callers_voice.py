"""What the caller says, utterance by utterance as audio: for whoever has it recognised, where the model must not."""

from collections import deque

from voice_hitl.audio.frame import FRAME_MS
from voice_hitl.line import CallerVoice, NotUnderstood

BEFORE_MS = 300
"""How much audio before its onset belongs to an utterance: a word's first sound is softer than voice."""

PAUSE_S = 0.6
"""A silence so long ends an utterance: "four two", a breath, "seven nine" is one."""

LONGEST_S = 25.0
"""What lasts longer is not kept: no answer does, and half of one must not be read as the whole."""


class CallersVoice:
    """Cuts the caller's audio into utterances, by the voice activity that whoever has the line sees to anyway."""

    def __init__(self) -> None:
        self._before: deque[bytes] = deque(maxlen=BEFORE_MS // FRAME_MS)
        self._said: list[bytes] = []
        self._began: float | None = None
        self._ended: float | None = None
        """When their voice was heard last; None while it is."""

    def began(self, at: float) -> None:
        """Their voice is heard since then; after a short pause it is the same utterance."""
        if self._began is None:
            self._began = at
            self._said = list(self._before)
        self._ended = None

    def ended(self, at: float) -> None:
        """It is not any more."""
        self._ended = at

    def push(self, pcm: bytes, until: float) -> CallerVoice | NotUnderstood | None:
        """20 ms of audio, which ended at `until`; the utterance that is complete by it."""
        self._before.append(pcm)
        if self._began is None:
            return None
        if len(self._said) * FRAME_MS <= LONGEST_S * 1000:
            self._said.append(pcm)
        if self._ended is None or until - self._ended < PAUSE_S:
            return None
        return self._complete(self._began, self._ended)

    def _complete(self, began: float, ended: float) -> CallerVoice | NotUnderstood:
        said, self._said = self._said, []
        self._began = self._ended = None
        if len(said) * FRAME_MS > LONGEST_S * 1000:
            return NotUnderstood(ended)
        return CallerVoice(b"".join(said), began, ended)
