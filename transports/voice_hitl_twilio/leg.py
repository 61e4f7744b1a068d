"""One phone call over a Twilio Media Stream."""

import logging
from collections.abc import Awaitable, Callable
from typing import Protocol

import anyio

from voice_hitl.audio.frame import FRAME_MS, Framer
from voice_hitl.audio.g711 import decode_ulaw, encode_ulaw
from voice_hitl.audio.resample import Resampler
from voice_hitl.playback import Playback
from voice_hitl.provider import Receiver
from voice_hitl.tasks import Job, Latch, Mailbox, Tasks, current_time
from voice_hitl.transport import (
    After,
    AudioIn,
    Digit,
    HangUpReason,
    Heard,
    HungUp,
    LegCapabilities,
    LegEvent,
    LegInfo,
    LegLost,
)
from voice_hitl_twilio import codec
from voice_hitl_twilio.rest import TwilioRest

log = logging.getLogger(__name__)

LINE_RATE = 8_000
FRAME_S = FRAME_MS / 1000

AHEAD_FRAMES = 10
"""How much may go out in a burst, or wait for a slow socket: 200 ms. A `clear` drops at most this much at Twilio."""

UNHEARD_FRAMES = 50
SILENCE_S = 5.0
"""Twilio sends a frame every 20 ms, silence too: none for so long, and the far end has vanished."""

DIGIT_MS = 100
"""Twilio does not tell how long a key was pressed."""


class Socket(Protocol):
    """The WebSocket that Twilio opened."""

    async def send(self, text: str) -> None:
        """Send one message; raises where it is closed."""
        ...

    async def close(self) -> None:
        """Close it; Twilio then goes on with the TwiML, or hangs up."""
        ...


class TwilioLeg:
    """A call leg: mu-law in and out, paced to real time, keys, marks."""

    round_trip_ms: float | None = None

    def __init__(self, info: LegInfo, socket: Socket, stream_id: str, *, rate: int, rest: TwilioRest | None) -> None:
        self._info = info
        self._socket = socket
        self._stream_id = stream_id
        self._rest = rest
        self._events: Mailbox[LegEvent] = Mailbox(limit=UNHEARD_FRAMES, droppable=_is_audio)
        self._playback = Playback(rate)
        self._to_line = Resampler(rate, LINE_RATE)
        self._from_line = Resampler(LINE_RATE, rate)
        self._framer = Framer(rate)
        self._chunk = 0
        self._heard_at = current_time()
        self._lost = False
        self._dry = Latch()
        self._out: Mailbox[str] = Mailbox(limit=AHEAD_FRAMES, droppable=_is_media)
        self._tasks = Tasks(f"Twilio call {info.call_id}")
        self._jobs: list[Job] = [
            self._tasks.spawn(self._play(), "playing"),
            self._tasks.spawn(self._send(), "sending"),
        ]

    @property
    def info(self) -> LegInfo:
        """Where the call comes from."""
        return self._info

    @property
    def capabilities(self) -> LegCapabilities:
        """Keys, and echo: a telephone has no canceller that we may count on."""
        return LegCapabilities(digits=True, echo_cancelled=False, transfers=self._rest is not None)

    @property
    def over(self) -> bool:
        """Whether the call has ended."""
        return self._events.closed

    def events(self) -> Receiver[LegEvent]:
        """The one stream of events."""
        return self._events

    # --- from Twilio -------------------------------------------------------------------------------------------------

    def receive(self, event: codec.Event) -> None:
        """Something came over the WebSocket."""
        now = current_time()
        match event:
            case codec.Media(ulaw, chunk):
                self._media(ulaw, chunk, now)
            case codec.Dtmf(digit):
                self._events.put(Digit(digit, DIGIT_MS, now))
            case codec.Stop():
                self.end("caller")
            case codec.Start() | codec.Mark() | codec.Nothing():
                # A mark that comes back is no proof that it was heard: after a clear it says that it was dropped.
                pass

    def _media(self, ulaw: bytes, chunk: int, now: float) -> None:
        self._heard_at = now
        self._lost = False
        if chunk and chunk <= self._chunk:
            return  # late, or once more
        self._chunk = chunk or self._chunk
        pcm = self._from_line.push(decode_ulaw(ulaw))
        for frame in self._framer.push(pcm):
            self._events.put(AudioIn(frame, now))

    # --- to Twilio ---------------------------------------------------------------------------------------------------

    def send_audio(self, pcm: bytes, item: str) -> None:
        """Queue one frame of `item`."""
        if not self.over:
            self._playback.push(pcm, item)

    def clear(self) -> Heard:
        """Drop everything not yet played, here and at Twilio, in this tick."""
        heard = self._playback.clear()
        # No old voice may come out of a resampler's tail.
        self._to_line.reset()
        self._out.put(codec.clear(self._stream_id))
        return heard

    async def send_message(self, text: str) -> None:
        """A telephone shows no messages."""

    async def _play(self) -> None:
        """One frame every 20 ms of the loop's clock; after a stall what was missed goes out at once, 200 ms at most."""
        due = current_time()
        number = 0
        while not self.over:
            now = current_time()
            if now - self._heard_at > SILENCE_S and not self._lost:
                self._lost = True
                self._events.put(LegLost(now))
            tick = self._playback.tick(now)
            for played in tick.played:
                self._events.put(played)
                if played.last:
                    self._dry.set()
                    number += 1
                    self._out.put(codec.mark(self._stream_id, f"{played.item}:{number}"))
            if tick.pcm is not None:
                self._out.put(codec.media(self._stream_id, encode_ulaw(self._to_line.push(tick.pcm))))
            due = max(due + FRAME_S, current_time() - AHEAD_FRAMES * FRAME_S)
            await anyio.sleep(max(0.0, due - current_time()))

    async def _send(self) -> None:
        async for text in self._out:
            try:
                await self._socket.send(text)
            except (RuntimeError, OSError):
                self.end("caller")
                return

    # --- the end -----------------------------------------------------------------------------------------------------

    async def hang_up(self, *, after: After = "now") -> None:
        """End the call: over REST where there is an account, and by closing the stream."""
        if after == "playout":
            while not self._playback.idle and not self.over:
                self._dry = Latch()
                await self._dry.wait()
        await self._leave(self._rest.hang_up if self._rest is not None else None, "us")

    async def transfer(self, target: str) -> None:
        """Connect the caller to somebody else; `ValueError` without a REST account, `ConnectionError` from Twilio."""
        if self._rest is None:
            raise ValueError("a transfer goes over Twilio's REST API: give the transport an account")
        await self._rest.transfer(self._info.call_id, target)
        await self._leave(None, "transferred")

    async def aclose(self) -> None:
        """Let the leg go."""
        await self._leave(None, "us")

    async def _leave(self, rest: Callable[[str], Awaitable[None]] | None, reason: HangUpReason) -> None:
        if self.over:
            return
        self.end(reason)
        if rest is not None:
            try:
                await rest(self._info.call_id)
            except ConnectionError as error:
                log.warning("call %s: %s", self._info.call_id, error)
        with anyio.move_on_after(1, shield=True):
            await self._socket.close()
        await self._tasks.close()

    def end(self, reason: HangUpReason) -> None:
        """The call is over. Only the first ending counts."""
        if self.over:
            return
        self._events.put(HungUp("lost" if self._lost and reason == "caller" else reason, current_time()))
        self._events.close()
        self._out.close()
        self._dry.set()
        for job in self._jobs:
            job.cancel()


def _is_audio(event: LegEvent) -> bool:
    return isinstance(event, AudioIn)


def _is_media(text: str) -> bool:
    return text.startswith('{"event": "media"')
