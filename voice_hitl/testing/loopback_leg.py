"""The near end of a loopback call: a `Leg` that plays on the loop's clock to a far end in the same process."""

from typing import Protocol

from voice_hitl.audio.frame import frame_bytes
from voice_hitl.provider import Receiver
from voice_hitl.tasks import Mailbox, current_time
from voice_hitl.testing.player import Player
from voice_hitl.transport import (
    After,
    AudioIn,
    HangUpReason,
    Heard,
    HungUp,
    LegCapabilities,
    LegEvent,
    LegInfo,
    LegLost,
)

UNHEARD_FRAMES = 50
"""Frames of the caller's voice that wait for a reader (one second); beyond that the oldest is dropped."""


class FarEnd(Protocol):
    """What a leg tells the caller at its other end."""

    def hear(self, item: str, pcm: bytes) -> None:
        """20 ms of `item` were heard."""
        ...

    def take_message(self, text: str) -> None:
        """A message came."""
        ...

    def leg_ended(self, leg: "LoopbackLeg", reason: HangUpReason, transferred_to: str) -> None:
        """The call is over."""
        ...


class LoopbackLeg:
    """One call leg, with nothing but memory between its ends."""

    def __init__(self, info: LegInfo, capabilities: LegCapabilities, *, rate: int, far: FarEnd) -> None:
        self._info = info
        self._capabilities = capabilities
        self.rate = rate
        self._frame_bytes = frame_bytes(rate)
        self._far = far
        self._events: Mailbox[LegEvent] = Mailbox(limit=UNHEARD_FRAMES, droppable=_is_audio)
        self._player = Player(on_heard=far.hear, on_played=self._events.put)
        self._finishing = False
        self._lost = False
        self.round_trip_ms: float | None = None
        """What the leg says of itself; a test may set it."""

    @property
    def info(self) -> LegInfo:
        """Where the call comes from."""
        return self._info

    @property
    def capabilities(self) -> LegCapabilities:
        """What the leg can do."""
        return self._capabilities

    @property
    def over(self) -> bool:
        """Whether the call has ended."""
        return self._events.closed

    @property
    def lost(self) -> bool:
        """Whether the far end has vanished."""
        return self._lost

    # --- the library's side: the port --------------------------------------------------------------------------------

    def events(self) -> Receiver[LegEvent]:
        """The one stream of events."""
        return self._events

    def send_audio(self, pcm: bytes, item: str) -> None:
        """Queue one frame; `ValueError` when it is none. On a leg that is over or lost it is let go."""
        if len(pcm) != self._frame_bytes:
            raise ValueError(f"a frame is {self._frame_bytes} bytes at {self.rate} samples a second, not {len(pcm)}")
        if not (self.over or self._lost or self._finishing):
            self._player.add(pcm, item)

    def clear(self) -> Heard:
        """Drop everything not yet played; say how much was heard."""
        return self._player.clear()

    async def send_message(self, text: str) -> None:
        """Hand a message to the far end, where there is one that takes messages."""
        if self._capabilities.messages and not (self.over or self._lost):
            self._far.take_message(text)

    async def hang_up(self, *, after: After = "now") -> None:
        """End the call, at once or when what is queued was heard."""
        if after == "playout":
            self._finishing = True
            await self._player.dry()
        self.end("us")

    async def transfer(self, target: str) -> None:
        """Hand the call over; `ValueError` where the capabilities say that it cannot be."""
        if not self._capabilities.transfers:
            raise ValueError("this leg cannot transfer (see its capabilities)")
        self.end("transferred", transferred_to=target)

    async def aclose(self) -> None:
        """End the call."""
        self.end("us")

    # --- the caller's side -------------------------------------------------------------------------------------------

    def deliver(self, event: LegEvent) -> None:
        """Something reached this end."""
        self._events.put(event)

    def lose(self) -> None:
        """The far end vanishes without a word."""
        self._lost = True
        self._player.stop()
        self.deliver(LegLost(current_time()))

    def end(self, reason: HangUpReason, *, transferred_to: str = "") -> None:
        """The call is over; a lost leg ends as lost, whoever lets it go. Only the first ending counts."""
        if self.over:
            return
        reason = "lost" if self._lost else reason
        self._player.stop()
        self._events.put(HungUp(reason, current_time()))
        self._events.close()
        self._far.leg_ended(self, reason, transferred_to)


def _is_audio(event: LegEvent) -> bool:
    return isinstance(event, AudioIn)
