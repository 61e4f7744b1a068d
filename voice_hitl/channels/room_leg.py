"""`RoomLeg`: a room as the leg of a session. What its participants say comes in mixed, the agent's voice goes out."""

from voice_hitl.audio.frame import FRAME_MS, Framer
from voice_hitl.audio.resample import Resampler
from voice_hitl.conference import ConferenceCapabilities, Presence
from voice_hitl.playback import Playback
from voice_hitl.provider import Receiver
from voice_hitl.tasks import Latch, Mailbox, Timer, current_time
from voice_hitl.transport import (
    After,
    AudioIn,
    HangUpReason,
    Heard,
    HungUp,
    LegCapabilities,
    LegEvent,
    LegInfo,
    PersonLeft,
)

UNHEARD_FRAMES = 50
"""Windows of the room that wait for a session to hear them (one second); beyond that the oldest is dropped."""

_FRAME_S = FRAME_MS / 1000


class RoomLeg:
    """The leg (`Leg`) of the session that serves a room. Hanging up leaves the room as it is.

    Args:
        room_id: The room.
        presence: The agent in it.
        capabilities: Of the backend.
        room_rate: Samples a second of the room's audio.
        rate: Samples a second of the session's.
    """

    def __init__(
        self, room_id: str, presence: Presence, capabilities: ConferenceCapabilities, *, room_rate: int, rate: int
    ) -> None:
        self._info = LegInfo(call_id=room_id, room_id=room_id)
        self._presence = presence
        self._capabilities = LegCapabilities(
            messages=capabilities.messages,
            digits=capabilities.digits,
            echo_cancelled=capabilities.echo_cancelled,
            shared=True,
            lanes=capabilities.lanes,
        )
        self._events: Mailbox[LegEvent] = Mailbox(limit=UNHEARD_FRAMES, droppable=_is_audio)
        self._room_rate = room_rate
        self._rate = rate
        self._is_of_one_rate = room_rate == rate
        self._mix = self._converted()
        self._lanes: dict[str, _Converted] = {}
        self._said = _Converted(rate, room_rate)
        self._playback = Playback(rate)
        self._timer: Timer | None = None
        self._due = 0.0
        self._dry = Latch()
        self._is_finishing = False

    @property
    def info(self) -> LegInfo:
        """The room."""
        return self._info

    @property
    def capabilities(self) -> LegCapabilities:
        """What it can do."""
        return self._capabilities

    @property
    def round_trip_ms(self) -> float | None:
        """There is no one far end to measure it to."""
        return None

    def events(self) -> Receiver[LegEvent]:
        """The one stream of events."""
        return self._events

    # --- the room ----------------------------------------------------------------------------------------------------

    def put(self, event: LegEvent) -> None:
        """Something happened in the room."""
        if isinstance(event, PersonLeft):
            self._lanes.pop(event.by, None)
        self._events.put(event)

    def hear(self, mix: bytes, at: float, lanes: tuple[tuple[str, bytes], ...]) -> None:
        """20 ms of the room. An empty mix: nobody sent anything."""
        if self._events.closed:
            return
        if self._is_of_one_rate:
            self._events.put(AudioIn(mix, at, lanes))
            return
        frames = self._mix.push(mix)
        of_lanes = {by: self._lanes.setdefault(by, self._converted()).push(pcm) for by, pcm in lanes}
        for index in range(max(1, len(frames), *(len(each) for each in of_lanes.values()))):
            heard = tuple((by, each[index]) for by, each in of_lanes.items() if index < len(each))
            self._events.put(AudioIn(frames[index] if index < len(frames) else b"", at + index * _FRAME_S, heard))

    def _converted(self) -> "_Converted":
        return _Converted(self._room_rate, self._rate)

    def end(self, reason: HangUpReason) -> None:
        """It is over. Only the first ending counts."""
        if self._events.closed:
            return
        self._playback.clear()
        self._stop()
        self._presence.stop_playback()
        self._events.put(HungUp(reason, current_time()))
        self._events.close()

    # --- the agent's voice -------------------------------------------------------------------------------------------

    def send_audio(self, pcm: bytes, item: str) -> None:
        """Queue one frame of `item`; it is published in its time. On a leg that is over it is let go."""
        if self._events.closed or self._is_finishing:
            return
        self._playback.push(pcm, item)
        if self._timer is None:
            self._due = current_time()
            self._tick()

    def clear(self) -> Heard:
        """Drop everything not yet published, and what the backend has not yet played; say how much was heard."""
        heard = self._playback.clear()
        self._stop()
        self._presence.stop_playback()
        return heard

    def _tick(self) -> None:
        tick = self._playback.tick(self._due)
        for played in tick.played:
            self._events.put(played)
        if tick.pcm is not None:
            self._publish(self._said.push(tick.pcm))
        if self._playback.idle:
            self._publish(self._said.flush())
            self._stop()
        else:
            self._due += _FRAME_S
            self._timer = Timer(max(0.0, self._due - current_time()), self._tick)

    def _publish(self, frames: list[bytes]) -> None:
        for frame in frames:
            self._presence.publish_audio(frame)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._said.reset()
        self._dry.set()
        self._dry = Latch()

    # --- ending ------------------------------------------------------------------------------------------------------

    async def send_message(self, text: str) -> None:
        """Nobody in particular is on it: messages go to the participants (`RoomPage`)."""

    async def hang_up(self, *, after: After = "now") -> None:
        """Let the room go, at once or when what is queued was heard."""
        if after == "playout" and not self._playback.idle:
            self._is_finishing = True
            await self._dry.wait()
        self.end("us")

    async def transfer(self, target: str) -> None:
        """A room cannot be handed on: `ValueError`."""
        raise ValueError("a room of a conference cannot be transferred")

    async def aclose(self) -> None:
        """Let the room go."""
        self.end("us")


class _Converted:
    """A stream of frames at one rate as frames at another, about as many."""

    def __init__(self, from_rate: int, to_rate: int) -> None:
        self._resampler = Resampler(from_rate, to_rate)
        self._framer = Framer(to_rate)

    def push(self, pcm: bytes) -> list[bytes]:
        """Add audio; the frames that are whole by it."""
        return self._framer.push(self._resampler.push(pcm))

    def flush(self) -> list[bytes]:
        """What is left, the last frame padded with silence."""
        frames = self._framer.push(self._resampler.flush())
        rest = self._framer.flush()
        return frames if rest is None else [*frames, rest]

    def reset(self) -> None:
        """Forget what is left."""
        self._resampler.reset()
        self._framer.reset()


def _is_audio(event: LegEvent) -> bool:
    return isinstance(event, AudioIn)
