"""One phone call over a Twilio Media Stream."""

import logging
from collections.abc import Awaitable, Callable
from typing import Protocol

import anyio

from voice_hitl.audio.g711 import decode_ulaw, encode_ulaw
from voice_hitl.phone import ROUND_TRIP_MS, PhoneAudio
from voice_hitl.provider import Receiver
from voice_hitl.tasks import Mailbox
from voice_hitl.transport import After, HangUpReason, Heard, LegCapabilities, LegEvent, LegInfo, Played
from voice_hitl_twilio import codec
from voice_hitl_twilio.rest import TwilioRest

log = logging.getLogger(__name__)

WAITING_MEDIA = 10
"""How many frames may wait for a slow socket: 200 ms, as much as a `clear` then drops at Twilio."""

DIGIT_MS = 100
"""Twilio does not tell how long a key was pressed."""


class Socket(Protocol):
    """The WebSocket that Twilio opened."""

    async def send(self, text: str) -> None:
        """Send one message; `OSError` or `RuntimeError` where it is closed."""
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
        self._capabilities = LegCapabilities(
            digits=True, echo_cancelled=False, transfers=rest is not None, usual_round_trip_ms=ROUND_TRIP_MS
        )
        self._out: Mailbox[str] = Mailbox(limit=WAITING_MEDIA, droppable=_is_media)
        owner = f"Twilio call {info.call_id}"
        self._audio = PhoneAudio(rate, send=self._send_frame, finished=self._mark, owner=owner)
        self._chunk = 0
        self._marks = 0
        self._audio.tasks.spawn(self._send(), "sending")

    @property
    def info(self) -> LegInfo:
        """Where the call comes from."""
        return self._info

    @property
    def capabilities(self) -> LegCapabilities:
        """Keys, and echo: a telephone has no canceller that we may count on."""
        return self._capabilities

    @property
    def over(self) -> bool:
        """Whether the call has ended."""
        return self._audio.over

    def events(self) -> Receiver[LegEvent]:
        """The one stream of events."""
        return self._audio.events()

    # --- from Twilio -------------------------------------------------------------------------------------------------

    def receive(self, event: codec.Event) -> None:
        """Something came over the WebSocket."""
        match event:
            case codec.Media(ulaw, chunk):
                if chunk and chunk <= self._chunk:
                    return  # late, or once more
                self._chunk = chunk or self._chunk
                self._audio.heard(decode_ulaw(ulaw))
            case codec.Dtmf(digit):
                self._audio.pressed(digit, DIGIT_MS)
            case codec.Stop():
                self.end("caller")
            case codec.Start() | codec.Nothing():
                # A mark that comes back is no proof that it was heard: after a clear it says that it was dropped.
                pass

    # --- to Twilio ---------------------------------------------------------------------------------------------------

    def send_audio(self, pcm: bytes, item: str) -> None:
        """Queue one frame of `item`."""
        self._audio.play(pcm, item)

    def clear(self) -> Heard:
        """Drop everything not yet played, here and at Twilio, in this tick."""
        self._out.put(codec.clear(self._stream_id))
        return self._audio.clear()

    async def send_message(self, text: str) -> None:
        """A telephone shows no messages."""

    def _send_frame(self, pcm: bytes) -> None:
        self._out.put(codec.media(self._stream_id, encode_ulaw(pcm)))

    def _mark(self, played: Played) -> None:
        self._marks += 1
        self._out.put(codec.mark(self._stream_id, f"{played.item}:{self._marks}"))

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
            await self._audio.played_out()
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
        await self._audio.tasks.close()

    def end(self, reason: HangUpReason) -> None:
        """The call is over. Only the first ending counts."""
        self._audio.end(reason)
        self._out.close()


def _is_media(text: str) -> bool:
    return text.startswith('{"event": "media"')
