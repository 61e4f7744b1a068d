"""The voice of an asker on its way to the caller: framed, part by part, and known for how much of it was heard."""

from collections.abc import Callable
from dataclasses import dataclass, field

from voice_hitl.audio.frame import FRAME_MS, Framer
from voice_hitl.audio.own_voice import OwnVoice
from voice_hitl.line import LineEvent, PartBegan, PartCut, PartHeard
from voice_hitl.tasks import current_time
from voice_hitl.transport import Leg, Played


@dataclass(slots=True)
class _Part:
    sent_ms: float = 0.0
    played_ms: float = 0.0
    began: float | None = None
    ended: bool = False
    """Whether nothing more of it comes."""
    heard: bool = False
    pcm: bytearray = field(default_factory=bytearray)
    """What was sent of it and not yet heard."""


class OurVoice:
    """Parts of speech on a leg. A part is one sentence; its item on the leg is `prefix` and its number.

    Args:
        leg: The leg that carries the call now.
        rate: Samples a second of what is played.
        prefix: No other holder's items begin with it.
        tell: Is told what was heard.
        own: Remembers what was heard of it, to know it again when it comes back.
    """

    def __init__(
        self, leg: Callable[[], Leg], rate: int, prefix: str, tell: Callable[[LineEvent], None], own: OwnVoice
    ) -> None:
        self._leg = leg
        self._prefix = prefix
        self._tell = tell
        self._own = own
        self._rate = rate
        self._framer = Framer(rate)
        self._framing: int | None = None
        self._parts: dict[int, _Part] = {}

    def play(self, pcm: bytes, part: int) -> None:
        """Queue some of a part (mono int16), of any length."""
        if self._framing != part:
            if self._framing is not None:
                self.end_part(self._framing)
            self._framing = part
        for frame in self._framer.push(pcm):
            self._send(frame, part)

    def end_part(self, part: int) -> None:
        """Nothing more comes of this part."""
        if self._framing == part:
            rest = self._framer.flush()
            if rest is not None:
                self._send(rest, part)
            self._framing = None
        self._parts.setdefault(part, _Part()).ended = True

    def _send(self, frame: bytes, part: int) -> None:
        self._leg().send_audio(frame, f"{self._prefix}{part}")
        sent = self._parts.setdefault(part, _Part())
        sent.sent_ms += FRAME_MS
        sent.pcm += frame

    def stop(self) -> None:
        """Stop in this tick; the part that is being heard is cut."""
        now = current_time()
        if any(not part.heard for part in self._parts.values()):
            heard = self._leg().clear()
            last = self._parts.get(self._number(heard.item) or 0)
            if last is not None:
                self._heard(last, heard.ms)
        self._framer.reset()
        self._framing = None
        for number, part in self._parts.items():
            if part.began is not None and not part.heard:
                left = max(0.0, part.sent_ms - part.played_ms) / 1000 if part.ended else None
                self._tell(PartCut(number, part.began, now, left))
        self._parts.clear()

    def played(self, event: Played) -> bool:
        """How much of an item was heard: True where it was a part of ours, or had been."""
        number = self._number(event.item)
        part = self._parts.get(number) if number is not None else None
        if number is None or part is None:
            return number is not None
        if part.began is None:
            part.began = event.at - event.ms / 1000
            self._tell(PartBegan(number, part.began))
        self._heard(part, event.ms)
        if part.ended and not part.heard and event.ms >= part.sent_ms:
            part.heard = True
            self._tell(PartHeard(number, part.began, event.at))
        return True

    def _heard(self, part: _Part, ms: float) -> None:
        """So much of it was heard by now."""
        size = 2 * round(max(0.0, ms - part.played_ms) * self._rate / 1000)
        if part.began is not None and size:
            self._own.played(bytes(part.pcm[:size]), part.began + part.played_ms / 1000)
            del part.pcm[:size]
        part.played_ms = ms

    def _number(self, item: str) -> int | None:
        return int(item.removeprefix(self._prefix)) if item.startswith(self._prefix) else None
