"""One WebRTC call leg: a peer connection turned into one stream of events and a few commands."""

import asyncio
import json
import logging
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import cast

from aiortc import RTCPeerConnection, RTCRtpTransceiver
from aiortc.sdp import MediaDescription
from aiortc.stats import RTCRemoteInboundRtpStreamStats

from voice_hitl.audio.playout import Counts
from voice_hitl.playback import Playback
from voice_hitl.provider import Receiver
from voice_hitl.tasks import Mailbox, Tasks
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
    Message,
)
from voice_hitl_webrtc import seam
from voice_hitl_webrtc.media import MediaPath, MediaPorts, OpenMedia
from voice_hitl_webrtc.messages import MessageChannel

log = logging.getLogger(__name__)

LOST_AFTER_S = 5.0
"""No packet for so long while the far end should send: it has vanished."""

CONNECT_WITHIN_S = 30.0
"""No connection so long after the answer: it will not come."""

REJOIN_S = 15.0
MAX_AUDIO_BEHIND = 250
"""Frames (5 s) that may wait to be read from the events; beyond it the oldest is dropped."""

WATCH_EVERY_S = 0.25
ASK_STATS_EVERY_S = 1.0
CLOSE_WITHIN_S = 2.0
DRAIN_S = 0.2
"""How long the far end may still be playing after the last frame was handed to the network."""

MAX_GOODBYE_CHARS = 256


class WebRTCLeg:
    """One call over WebRTC, answered or placed. Made by `WebRTCTransport.accept` and `call`.

    It lives until `HungUp`. After `LegLost` there is no audio: the far end may come back on this leg (then there is
    again) or call anew; whoever holds the leg ends it with `aclose`.
    """

    def __init__(
        self,
        connection: RTCPeerConnection,
        open_media: OpenMedia,
        info: LegInfo,
        *,
        rate: int,
        lost_after_s: float = LOST_AFTER_S,
        connect_within_s: float = CONNECT_WITHIN_S,
        on_closed: Callable[[], None] = lambda: None,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._connection = connection
        self._info = info
        self._events: Mailbox[LegEvent] = Mailbox(limit=MAX_AUDIO_BEHIND, droppable=_is_audio)
        self._playback = Playback(rate)
        self._media = open_media(rate, MediaPorts(self._next_frame, self._heard, self._pressed))
        self._messages = MessageChannel(info.call_id, on_text=self._message, on_closed=self._channel_closed)
        self._tasks = Tasks(f"WebRTC call {info.call_id}")
        self._capabilities = LegCapabilities()
        self._lost_after_s = lost_after_s
        self._connect_by = self._loop.time() + connect_within_s
        self._connected_at: float | None = None
        self._listens = False
        self._lost = False
        self._ended = False
        self._finishing = False
        self._quiet = asyncio.Event()
        self._closed = asyncio.Event()
        self._on_closed = on_closed
        self._round_trip_ms: float | None = None
        self._overfull = False
        connection.addTrack(self._media.track)
        connection.on("connectionstatechange", self._state_changed)
        connection.on("datachannel", self._messages.attach)

    # --- set-up, by the transport and the calling side

    @property
    def media(self) -> MediaPath:
        """How its audio gets in and out."""
        return self._media

    @property
    def counts(self) -> Counts:
        """What became of the far end's packets until now: played, recovered, concealed."""
        return self._media.counts

    def open_messages(self, label: str) -> None:
        """Offer a data channel; the side that answers takes the one that was offered."""
        self._messages.attach(self._connection.createDataChannel(label))

    def begin(self, transceiver: RTCRtpTransceiver, remote: MediaDescription, *, messages: bool) -> None:
        """The two sides agree: take what was negotiated and watch over the connection."""
        self._media.negotiate(transceiver, remote)
        self._listens = remote.direction in {"sendrecv", "sendonly"}
        self._info = replace(self._info, codec=self._media.codec)
        self._capabilities = LegCapabilities(
            messages=messages, digits=self._media.digits, echo_cancelled=True, rejoin_s=REJOIN_S
        )
        if self._connection.sctp is not None:
            seam.hasten(self._connection.sctp)
        self._tasks.spawn(self._watch(transceiver), "watch")

    # --- the port

    @property
    def info(self) -> LegInfo:
        """Where it comes from."""
        return self._info

    @property
    def capabilities(self) -> LegCapabilities:
        """What it can do. `echo_cancelled`: a browser takes our voice out of its microphone unless told not to."""
        return self._capabilities

    @property
    def round_trip_ms(self) -> float | None:
        """The round trip by RTCP, after a few seconds."""
        return self._round_trip_ms

    @property
    def lost(self) -> bool:
        """Whether the far end has vanished and is not back."""
        return self._lost

    @property
    def ended(self) -> bool:
        """Whether the call is over."""
        return self._ended

    def events(self) -> Receiver[LegEvent]:
        """The one stream of events."""
        return self._events

    def send_audio(self, pcm: bytes, item: str) -> None:
        """Queue audio of `item` (mono int16 at the leg's rate), heard on the leg's own 20 ms clock."""
        if self._ended or self._finishing:
            return
        if not self._playback.push(pcm, item) and not self._overfull:
            self._overfull = True
            log.warning("call %s: ten minutes of audio are queued; what comes on top is let go", self._info.call_id)

    def clear(self) -> Heard:
        """Drop what is queued, at once; what was handed to the network cannot be called back and counts as heard."""
        heard = self._playback.clear()
        self._quiet.set()
        return heard

    async def send_message(self, text: str) -> None:
        """Send a text (at most 64 KiB) to the page, now or once its data channel is open."""
        if not self._ended:
            self._messages.send(text)

    async def press(self, keys: str) -> None:
        """Press keys (`0123456789*#ABCD`) as a caller does; returns when the last was let go, or the call is over.

        `ValueError` for a key that no telephone has, and where the far end takes none.
        """
        await self._media.press(keys)

    async def hang_up(self, *, after: After = "now") -> None:
        """End the call; after playout: when what is queued was heard, the far end is lost or gone."""
        if after == "playout":
            self._finishing = True
            while not (self._playback.idle or self._ended or self._lost):
                self._quiet.clear()
                await self._quiet.wait()
            await asyncio.sleep(DRAIN_S)
        self._end("us")
        await self._closed.wait()

    async def transfer(self, target: str) -> None:
        """`ValueError`: there is nobody to hand a WebRTC call to, as `capabilities.transfers` says."""
        raise ValueError(f"a WebRTC call cannot be transferred (to {target}): hang up, and let the page call there")

    async def aclose(self) -> None:
        """Let the call go: hung up by us, or lost where the far end had vanished."""
        self._end("us")
        await self._closed.wait()

    # --- what happens

    def _next_frame(self, now: float) -> bytes | None:
        tick = self._playback.tick(now)
        for played in tick.played:
            self._events.put(played)
            if played.last:
                self._quiet.set()
        return tick.pcm

    def _heard(self, pcm: bytes, now: float) -> None:
        if not self._lost:
            self._events.put(AudioIn(pcm, now))

    def _pressed(self, digit: str, duration_ms: int, now: float) -> None:
        self._events.put(Digit(digit, duration_ms, now))

    def _message(self, text: str) -> None:
        if _is_goodbye(text):
            self._end("caller")
        else:
            self._events.put(Message(text, self._loop.time()))

    def _channel_closed(self) -> None:
        if not self._lost:
            self._end("caller")

    def _state_changed(self) -> None:
        match self._connection.connectionState:
            case "connected":
                self._connected_at = self._loop.time()
            case "failed":
                self._lose()
            case "closed" if not self._lost:
                self._end("caller")
            case _:
                pass

    def _lose(self) -> None:
        if not self._lost and not self._ended:
            self._lost = True
            self._quiet.set()
            self._events.put(LegLost(self._loop.time()))

    async def _watch(self, transceiver: RTCRtpTransceiver) -> None:
        """Notice a far end that vanished: no packet while it should send, or no connection at all."""
        ask_at = 0.0
        while True:
            await asyncio.sleep(WATCH_EVERY_S)
            now = self._loop.time()
            if self._is_silent(now):
                self._lose()
            elif self._connected_at is not None and self._connection.connectionState == "connected":
                self._lost = False
            if now >= ask_at:
                ask_at = now + ASK_STATS_EVERY_S
                await self._ask_stats(transceiver)

    def _is_silent(self, now: float) -> bool:
        if self._connected_at is None:
            return now > self._connect_by
        last = max(self._connected_at, self._media.last_packet_at or 0.0)
        return self._listens and now - last > self._lost_after_s

    async def _ask_stats(self, transceiver: RTCRtpTransceiver) -> None:
        stats = cast("Iterable[object]", (await transceiver.sender.getStats()).values())
        for found in stats:
            if isinstance(found, RTCRemoteInboundRtpStreamStats):
                seconds = cast("float | None", found.roundTripTime)
                self._round_trip_ms = seconds * 1000 if seconds is not None else None

    # --- the end

    def _end(self, reason: HangUpReason) -> None:
        """The call is over; a lost one ends as lost, whoever lets it go."""
        if self._ended:
            return
        if self._lost and reason == "us":
            reason = "lost"
        self._ended = True
        self._quiet.set()
        self._media.close()
        self._events.put(HungUp(reason, self._loop.time()))
        self._events.close()
        self._tasks.spawn(self._tear_down(), "tear down")

    async def _tear_down(self) -> None:
        """Close the connection (RTCP BYE, SCTP abort, DTLS close: the far end sees a clean end)."""
        try:
            async with asyncio.timeout(CLOSE_WITHIN_S):
                await self._connection.close()
        except TimeoutError:
            log.warning("call %s: the connection did not close within %g s", self._info.call_id, CLOSE_WITHIN_S)
        finally:
            await self._tasks.close()
            self._on_closed()
            self._closed.set()


def _is_audio(event: LegEvent) -> bool:
    return type(event) is AudioIn


def _is_goodbye(text: str) -> bool:
    """Whether the page says that it hangs up: `{"v": 1, "type": "bye"}`."""
    if len(text) > MAX_GOODBYE_CHARS or '"bye"' not in text:
        return False
    try:
        message: object = json.loads(text)
    except ValueError:
        return False
    return message == {"v": 1, "type": "bye"}
