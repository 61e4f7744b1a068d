"""The far end of a loopback call: somebody who speaks, presses keys, holds a page, hangs up, or vanishes."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Protocol, cast

import anyio

from voice_hitl.audio.frame import FRAME_MS, Framer, frame_bytes
from voice_hitl.tasks import Latch, current_time
from voice_hitl.testing.loopback_leg import LoopbackLeg
from voice_hitl.testing.record import WITHIN_S, Record, differences, show
from voice_hitl.transport import AudioIn, Digit, HangUpReason, LegInfo, Message

COMMENTARY = ("call.state", "transcript", "heard")
"""Messages that only tell how the call goes, which a caller counts and does not expect, unless it watches them."""

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


class LoopbackCaller:
    """Somebody at the other end of a call. Made by `LoopbackTransport.caller`, or in a call already by its `call`."""

    def __init__(self, info: LegInfo, line: Line, *, keep_audio: bool, ignore: Collection[str]) -> None:
        self._info = info
        self._line = line
        self._leg: LoopbackLeg | None = None
        self._keep_audio = keep_audio
        self._ignored = set(ignore)
        self._messages: Record[Mapping[str, object]] = Record(f"caller {info.participant_id or info.call_id}")
        self._waits: list[tuple[Callable[[], bool], Latch]] = []
        self.counts: Counter[str] = Counter()
        """How many messages of each type came, ignored ones too."""
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

    async def message(self, *, type: str, within_s: float = WITHIN_S, **fields: object) -> Mapping[str, object]:
        """Return the next message to the page, which must be of this type with these fields.

        Args:
            type: What its `type` must be.
            within_s: How long to wait for it, in seconds of the loop's clock.
            fields: What its fields must be; those not named may be anything. A compiled pattern is searched for.

        Raises:
            AssertionError: Another message came, or none did.
        """
        wanted = {"type": type, **fields}
        return await self._messages.expect(
            show("message", wanted), lambda message: differences(wanted, message), within_s=within_s
        )

    async def expect_nothing(self, *, for_s: float) -> None:
        """Wait so many seconds of the loop's clock, in which no message must come; `AssertionError` otherwise."""
        await self._messages.expect_nothing(for_s=for_s)

    async def hears(self, ms: int = FRAME_MS, *, item: str | None = None, within_s: float = WITHIN_S) -> None:
        """Wait until so much was heard, of this item or at all; `AssertionError` when it is not in time."""

        def heard() -> int:
            return self.heard[item] if item is not None else self.heard.total()

        if not await self._until(lambda: heard() >= ms, within_s):
            of = "" if item is None else f" of {item!r}"
            raise AssertionError(f"the caller was to hear {ms} ms{of} within {within_s:g} s but heard {heard()} ms")

    async def ended(self, *, within_s: float = WITHIN_S) -> HangUpReason:
        """Wait until the call is over; return how it ended; `AssertionError` when it goes on."""
        if not await self._until(lambda: self.ended_with is not None, within_s):
            raise AssertionError(f"the call was to end within {within_s:g} s but goes on")
        return cast("HangUpReason", self.ended_with)

    def ignore(self, *types: str) -> None:
        """Only count messages of these types from now on."""
        self._ignored.update(types)

    def watch(self, *types: str) -> None:
        """Expect messages of these types again from now on."""
        self._ignored.difference_update(types)

    def done(self) -> None:
        """Every message must have been expected, and the call be over; `AssertionError` otherwise."""
        self._messages.done()
        if self.in_call:
            raise AssertionError(f"the call {self.leg.info.call_id} is still up")

    async def _until(self, is_so: Callable[[], bool], within_s: float) -> bool:
        latch = Latch()
        self._waits.append((is_so, latch))
        self._look()
        with anyio.move_on_after(within_s):
            await latch.wait()
        return latch.is_set

    def _look(self) -> None:
        for wait in [wait for wait in self._waits if wait[0]()]:
            self._waits.remove(wait)
            wait[1].set()

    # --- what the leg tells ------------------------------------------------------------------------------------------

    def hear(self, item: str, pcm: bytes) -> None:
        """20 ms of `item` were heard."""
        self.heard[item] += FRAME_MS
        if self._keep_audio:
            self.audio += pcm
        if self._waits:
            self._look()

    def take_message(self, text: str) -> None:
        """A message came. What is no JSON object comes out as one of the type `malformed`."""
        try:
            message: object = json.loads(text)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            message = {"type": "malformed", "text": text}
        fields = cast("dict[str, object]", message)
        kind = str(fields.get("type"))
        self.counts[kind] += 1
        if kind not in self._ignored:
            self._messages.add(fields)

    def leg_ended(self, leg: LoopbackLeg, reason: HangUpReason, transferred_to: str) -> None:
        """The call is over, unless that was the leg before the caller came back."""
        if leg is self._leg:
            self.ended_with, self.transferred_to = reason, transferred_to
            self._look()
