"""The caller's turns, found in their audio. Pure."""

from collections import deque
from dataclasses import dataclass

from voice_hitl.audio.frame import FRAME_MS
from voice_hitl.audio.vad import SpeechBegan, SpeechEnded, VoiceActivity

_BEFORE_FRAMES = 300 // FRAME_MS
"""How much audio before the onset belongs to a turn: a word's first sound is softer than voice."""


@dataclass(frozen=True, slots=True)
class TurnBegan:
    """The caller begins to speak."""


@dataclass(frozen=True, slots=True)
class TurnPaused:
    """The caller has paused, and may be done: `pcm` is all of the turn so far."""

    pcm: bytes


@dataclass(frozen=True, slots=True)
class TurnResumed:
    """The caller was not done."""


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The caller is done; what the last pause gave was all."""


TurnEvent = TurnBegan | TurnPaused | TurnResumed | TurnEnded


class Turns:
    """Cuts a caller's audio into turns.

    Time is the audio's own: it takes a continuous stream of 20 ms frames, silence included.

    Args:
        rate: Samples a second.
        pause_ms: After so much silence a turn has paused, and what was said may be recognised in advance.
        end_ms: After so much silence it has ended.
        longest_ms: A turn is ended here, whatever comes: what recognises it takes no more.
    """

    def __init__(self, rate: int, *, pause_ms: int = 200, end_ms: int = 600, longest_ms: int = 25_000) -> None:
        self._activity = VoiceActivity(rate, silence_ms=pause_ms)
        self._more_silence = (end_ms - pause_ms) // FRAME_MS
        self._longest = longest_ms // FRAME_MS
        self._before: deque[bytes] = deque(maxlen=_BEFORE_FRAMES)
        self._turn: list[bytes] | None = None
        """What was heard of the turn so far; None while nobody has it."""
        self._count = 0
        self._ends_at: int | None = None
        """At which frame the paused turn ends; None while it has not paused."""

    def push(self, frame: bytes) -> list[TurnEvent]:
        """Hear one frame; say what became certain by it."""
        told = self._activity.push(frame, self._count * FRAME_MS / 1000)
        self._count += 1
        if self._turn is None:
            self._before.append(frame)
            return self._begin(list(self._before)) if isinstance(told, SpeechBegan) else []
        self._turn.append(frame)
        match told:
            case SpeechBegan():
                self._ends_at = None
                return [TurnResumed()]
            case SpeechEnded():
                self._ends_at = self._count + self._more_silence
                return [TurnPaused(b"".join(self._turn))]
            case None if self._ends_at is not None:
                return self._silence(self._ends_at)
            case _:
                return self._go_on(self._turn)

    def _begin(self, turn: list[bytes]) -> list[TurnEvent]:
        self._turn = turn
        return [TurnBegan()]

    def _silence(self, ends_at: int) -> list[TurnEvent]:
        # Voice that is heard but not long enough yet may be the turn going on: it is not cut in two.
        if self._count < ends_at or self._activity.voiced:
            return []
        self._turn = self._ends_at = None
        self._before.clear()
        return [TurnEnded()]

    def _go_on(self, turn: list[bytes]) -> list[TurnEvent]:
        if len(turn) < self._longest:
            return []
        return [TurnPaused(b"".join(turn)), TurnEnded(), *self._begin([])]
