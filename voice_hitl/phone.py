"""What every telephone leg has in common: 8 kHz on the line, the session's rate inside, one clock, what was heard.

A leg of a plugin hands in what the line gives and sends what it is told to; signalling is its own.
"""

from collections.abc import Callable

from voice_hitl.audio.frame import Framer
from voice_hitl.audio.resample import Resampler
from voice_hitl.playback import Playback
from voice_hitl.provider import Receiver
from voice_hitl.tasks import Beat, Latch, Mailbox, Tasks, current_time
from voice_hitl.transport import AudioIn, Digit, HangUpReason, Heard, HungUp, LegEvent, LegLost, Played

LINE_RATE = 8_000
"""Samples a second on the line (ITU-T G.711)."""

ROUND_TRIP_MS = 250.0
"""What the round trip to a telephone is taken for: neither G.711 over RTP nor a media stream measures it to the ear."""

SILENCE_S = 5.0
"""A line sends a frame every 20 ms, silence too: none for so long, and the far end has vanished."""

UNHEARD_FRAMES = 50
"""Frames that wait for a reader (one second); beyond that the oldest is dropped."""


class PhoneAudio:
    """The audio and the events of one telephone leg.

    Args:
        rate: The session's rate: `AudioIn` has it, and what is played.
        send: Puts 20 ms of our voice on the line (mono int16, 8 kHz).
        silent: Is told that 20 ms pass in which nothing is played.
        finished: Is told that an item was heard and nothing is queued behind it.
        owner: What to call it in logs.
    """

    def __init__(
        self,
        rate: int,
        *,
        send: Callable[[bytes], None],
        silent: Callable[[], None] | None = None,
        finished: Callable[[Played], None] | None = None,
        owner: str,
    ) -> None:
        self._send = send
        self._silent = silent
        self._finished = finished
        self._events: Mailbox[LegEvent] = Mailbox(limit=UNHEARD_FRAMES, droppable=_is_audio)
        self._playback = Playback(rate)
        self._to_line = Resampler(rate, LINE_RATE, quality="QQ")
        self._from_line = Resampler(LINE_RATE, rate, quality="QQ")
        self._framer = Framer(rate)
        self._heard_at = current_time()
        self._lost = False
        self._hears = self._speaks = True
        self._dry = Latch()
        self.tasks = Tasks(owner)
        self._beat = Beat(self._tick, owner)

    @property
    def over(self) -> bool:
        """Whether the call has ended."""
        return self._events.closed

    def events(self) -> Receiver[LegEvent]:
        """The one stream of events."""
        return self._events

    # --- from the line -----------------------------------------------------------------------------------------------

    def heard(self, pcm: bytes) -> None:
        """The line gave some of the caller's voice (mono int16, 8 kHz). On hold it is music, and nobody's voice."""
        now = self._heard_at = current_time()
        self._lost = False
        if not self._hears:
            return
        for frame in self._framer.push(self._from_line.push(pcm)):
            self._events.put(AudioIn(frame, now))

    def pressed(self, digit: str, duration_ms: int) -> None:
        """The caller pressed a key."""
        self._events.put(Digit(digit, duration_ms, current_time()))

    def flow(self, *, hears: bool, speaks: bool) -> None:
        """The far end says whether it takes our voice, and whether it sends its own. By default it does both.

        While it does not take ours (hold), nothing is played: it goes on from there. Silence is a loss only of a line
        that does both.
        """
        if hears and speaks and not (self._hears and self._speaks):
            self._heard_at = current_time()
        self._hears, self._speaks = hears, speaks

    def end(self, reason: HangUpReason) -> None:
        """The call is over. Only the first ending counts; of a line that fell silent it is a loss, whoever lets go."""
        if self.over:
            return
        self._events.put(HungUp("lost" if self._lost and reason in {"caller", "us"} else reason, current_time()))
        self._events.close()
        self._dry.set()
        self._beat.leave()

    # --- to the line -------------------------------------------------------------------------------------------------

    def play(self, pcm: bytes, item: str) -> None:
        """Queue one frame of `item`."""
        if not self.over:
            self._playback.push(pcm, item)

    def clear(self) -> Heard:
        """Drop everything not yet played; no old voice comes out of a resampler's tail."""
        self._to_line.reset()
        return self._playback.clear()

    async def played_out(self) -> None:
        """Wait until what is queued was heard, or the call is over."""
        while not self._playback.idle and not self.over:
            self._dry = Latch()
            await self._dry.wait()

    def _tick(self, now: float) -> None:
        if now - self._heard_at > SILENCE_S and self._hears and self._speaks and not self._lost:
            self._lost = True
            self._events.put(LegLost(now))
        pcm = self._next_frame(now) if self._hears else None
        if pcm is not None:
            self._send(self._to_line.push(pcm))
        elif self._silent is not None:
            self._silent()

    def _next_frame(self, now: float) -> bytes | None:
        tick = self._playback.tick(now)
        for played in tick.played:
            self._tell(played)
        return tick.pcm

    def _tell(self, played: Played) -> None:
        self._events.put(played)
        if played.last:
            self._dry.set()
            if self._finished is not None:
                self._finished(played)


def _is_audio(event: LegEvent) -> bool:
    return isinstance(event, AudioIn)
