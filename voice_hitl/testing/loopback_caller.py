"""The far end of a loopback call: somebody who speaks, presses keys, holds a page, hangs up, or vanishes."""

import json
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Protocol, cast

import anyio

from voice_hitl.audio.frame import FRAME_MS, Framer, frame_bytes
from voice_hitl.tasks import current_time
from voice_hitl.testing.loopback_leg import LoopbackLeg
from voice_hitl.testing.page_messages import PageMessages
from voice_hitl.testing.record import WITHIN_S
from voice_hitl.testing.waits import Waits
from voice_hitl.transport import AudioIn, Digit, HangUpReason, LegInfo, Message

PRESS_MS = 100
"""How long a key is held down, and the pause after it."""

KEYS = frozenset("0123456789*#ABCD")
"""The keys of a telephone (RFC 4733, events 0 to 15)."""


class Line(Protocol):
    """What a caller calls through: the transport."""

    async def ring(self, incoming: "LoopbackIncoming") -> None:
        """Offer the call; raises `CallRejected`."""
        ...

    def next_call_id(self) -> str:
        """An id no call had yet."""
        ...


@dataclass(frozen=True, slots=True)
class LoopbackIncoming:
    """A call that wants to come in: what `Transport.accept` and `start_session` take."""

    info: LegInfo
    caller: "LoopbackCaller"


class LoopbackCaller(PageMessages):
    """Somebody at the other end of a call. Made by `LoopbackTransport.caller`, or in a call already by its `call`."""

    def __init__(self, info: LegInfo, line: Line, *, keep_audio: bool, ignore: Collection[str]) -> None:
        super().__init__(f"caller {info.participant_id or info.call_id}", ignore)
        self._info = info
        self._line = line
        self._leg: LoopbackLeg | None = None
        self._keep_audio = keep_audio
        self._waits = Waits()
        self.heard: Counter[str] = Counter()
        """Milliseconds heard of each item, in whole frames."""
        self.audio = bytearray()
        """All that was heard, mono int16, where the caller keeps audio."""
        self.ended_with: HangUpReason | None = None
        """How the call ended; None while it goes on."""
        self.transferred_to = ""
        """To whom the call was handed."""

    @property
    def leg(self) -> LoopbackLeg:
        """The near end of the call; `AssertionError` while there is none."""
        if self._leg is None:
            raise AssertionError("nobody has answered this call")
        return self._leg

    @property
    def in_call(self) -> bool:
        """Whether there is a call which is not over."""
        return self._leg is not None and not self._leg.over

    # --- calling -----------------------------------------------------------------------------------------------------

    def incoming(self) -> LoopbackIncoming:
        """The call, for a channel that is handed it (`start_session`) instead of listening for it."""
        return LoopbackIncoming(replace(self._info, call_id=self._line.next_call_id()), self)

    async def dial(self) -> None:
        """Place the call and wait until it was answered; `CallRejected` when it was not."""
        await self._line.ring(self.incoming())

    def answered(self, leg: LoopbackLeg) -> None:
        """The transport connects the call; a caller who hung up while it rang has gone."""
        if self.ended_with is not None:
            leg.end("caller")
        self._leg = leg

    def hang_up(self) -> None:
        """Hang up, also while it rings."""
        if self._leg is not None:
            self._leg.end("caller")
        self.ended_with = self.ended_with or "caller"

    def vanish(self) -> None:
        """Go without hanging up: a closed laptop, a tunnel."""
        self.leg.lose()

    async def rejoin(self) -> None:
        """Come back after having vanished: a new call of the same participant."""
        if not self.leg.lost:
            raise AssertionError("this caller has not vanished: there is nothing to come back from")
        self.ended_with = None
        await self.dial()

    # --- talking -----------------------------------------------------------------------------------------------------

    async def speak(self, pcm: bytes) -> None:
        """Say this (mono int16 at the leg's rate), 20 ms every 20 ms; returns when all is said."""
        leg, framer = self.leg, Framer(self.leg.rate)
        frames = framer.push(pcm)
        rest = framer.flush()
        at = current_time()
        for frame in [*frames, rest] if rest else frames:
            at += FRAME_MS / 1000
            await anyio.sleep_until(at)
            self._reach(leg, AudioIn(frame, current_time()))

    async def stay_silent(self, ms: int) -> None:
        """Be on the line and say nothing: silence is audio too."""
        await self.speak(bytes(frame_bytes(self.leg.rate)) * (ms // FRAME_MS))

    async def press(self, keys: str) -> None:
        """Press these keys, one after another."""
        for key in keys:
            if key not in KEYS:
                raise ValueError(f"there is no key {key!r} on a telephone")
            await anyio.sleep(PRESS_MS / 1000)
            self._reach(self.leg, Digit(key, PRESS_MS, current_time()))
            await anyio.sleep(PRESS_MS / 1000)

    def send(self, message: Mapping[str, object]) -> None:
        """The caller's page sends a message."""
        self.send_text(json.dumps(dict(message)))

    def send_text(self, text: str) -> None:
        """The caller's page sends this, whatever it is."""
        self._reach(self.leg, Message(text, current_time()))

    @staticmethod
    def _reach(leg: LoopbackLeg, event: AudioIn | Digit | Message) -> None:
        if not leg.lost:
            leg.deliver(event)

    # --- expecting ---------------------------------------------------------------------------------------------------

    async def hears(self, ms: int = FRAME_MS, *, item: str | None = None, within_s: float = WITHIN_S) -> None:
        """Wait until so much was heard, of this item or at all; `AssertionError` when it is not in time."""

        def heard() -> int:
            return self.heard[item] if item is not None else self.heard.total()

        if not await self._waits.until(lambda: heard() >= ms, within_s):
            of = "" if item is None else f" of {item!r}"
            raise AssertionError(f"the caller was to hear {ms} ms{of} within {within_s:g} s but heard {heard()} ms")

    async def ended(self, *, within_s: float = WITHIN_S) -> HangUpReason:
        """Wait until the call is over; return how it ended; `AssertionError` when it goes on."""
        if not await self._waits.until(lambda: self.ended_with is not None, within_s):
            raise AssertionError(f"the call was to end within {within_s:g} s but goes on")
        return cast("HangUpReason", self.ended_with)

    def done(self) -> None:
        """Every message must have been expected, and the call be over; `AssertionError` otherwise."""
        super().done()
        if self.in_call:
            raise AssertionError(f"the call {self.leg.info.call_id} is still up")

    # --- what the leg tells ------------------------------------------------------------------------------------------

    def hear(self, item: str, pcm: bytes) -> None:
        """20 ms of `item` were heard."""
        self.heard[item] += FRAME_MS
        if self._keep_audio:
            self.audio += pcm
        self._waits.look()

    def leg_ended(self, leg: LoopbackLeg, reason: HangUpReason, transferred_to: str) -> None:
        """The call is over, unless that was the leg before the caller came back."""
        if leg is self._leg:
            self.ended_with, self.transferred_to = reason, transferred_to
            self._waits.look()
