"""The playout buffer of a packet stream: for every moment it says what to play, pure, with time as an argument.

Packets come late, twice, in the wrong order or not at all; the listener's clock asks for audio every 20 ms. Between the
two stands a delay that is as short as the network allows: two frames at rest, so that the packet behind a lost one is
there in time and its in-band error correction can be used; more where packets come late. The delay follows the jitter
and the drift between the two clocks by playing a little faster or slower (`Pace`), which is not heard.

Positions are RTP timestamps: sequence numbers are not needed, so that packets which are no audio (RFC 4733 events) or
silence that was not sent leave no gap of their own.
"""

from collections import deque
from dataclasses import dataclass
from enum import Enum

from voice_hitl.frozen import frozen

AT_REST_S = 0.040
"""Two frames: the packet behind a lost one has come when the lost one is due."""

AT_MOST_S = 0.200
"""Packets that come later than this are given up: a longer delay would harm the conversation more."""

SLACK_S = 0.010
"""The delay is left alone within this much of its target."""

HURRY_S = 0.200
"""Beyond this much too late every frame is shortened, until then every second one."""

IDLE_AFTER_S = 1.0
"""After so long without a packet the stream is taken to have paused; its next packet starts anew."""

LEAP_S = 1.0
"""A gap in the timestamps, or a lateness, beyond this is not played through."""

RESTART_S = 2.0
"""A packet from further back than this is of a sender that began anew."""

LOWEST_LATENCY_OVER_S = 10.0
"""The fastest packet of so long is the measure of lateness: long enough to see one, short enough to follow drift."""

JITTER_OVER_PACKETS = 400
JITTER_QUANTILE = 0.99
MEASURE_EVERY_PACKETS = 10

MAX_BUFFERED = 256
"""Packets; what comes on top is let go (five seconds, which no network delivers at once)."""

_WRAP = 1 << 32


class Pace(Enum):
    """How to play a decoded packet."""

    NORMAL = "normal"
    SHORTER = "shorter"
    """Take a little out of it: the delay is longer than it needs to be."""
    LONGER = "longer"
    """Stretch it a little: the delay is too short for this network."""


@frozen()
class Decode:
    """Decode this packet."""

    payload: bytes
    pace: Pace = Pace.NORMAL


@frozen()
class Recover:
    """A packet is lost: decode what the next one (`payload`, decoded later) carries of it."""

    payload: bytes
    samples: int
    """How much is missing, in units of the RTP clock."""


@frozen()
class Conceal:
    """A packet is missing and cannot be recovered: let the decoder carry on from what it played last."""

    samples: int


@frozen()
class Idle:
    """There is no stream at the moment: silence."""


Step = Decode | Recover | Conceal | Idle


@dataclass(slots=True)
class Counts:
    """What became of the packets, for measurements. Recovered and concealed count steps of 20 ms."""

    received: int = 0
    decoded: int = 0
    recovered: int = 0
    concealed: int = 0
    duplicate: int = 0
    late: int = 0
    """Came after their moment had been concealed or recovered."""
    leapt: int = 0
    """Let go because too much came at once, or to catch up after a standstill."""
    longest_concealed: int = 0
    """The most steps concealed in a row: the longest stall."""


class Playout:
    """The buffer of one stream. `push` what comes; `pull` whenever audio is needed.

    Args:
        clock_rate: units of the RTP timestamp in a second (48000 for Opus, RFC 7587).
        frame_s: how much to conceal at a time, in seconds.
    """

    def __init__(self, clock_rate: int = 48_000, *, frame_s: float = 0.020) -> None:
        self._rate = clock_rate
        self._frame = round(clock_rate * frame_s)
        self._packet = self._frame
        self._packets: dict[int, tuple[bytes, int]] = {}
        self._latest: int | None = None
        self._next: int | None = None
        self._debt = 0
        self._in_a_row = 0
        self._shortened = False
        self._lateness = _Lateness()
        self.counts = Counts()

    @property
    def target_s(self) -> float:
        """The delay it aims at: from the moment the fastest packet would have come to the moment it is played.

        One packet more than the jitter, so that what a packet carries of the one before it comes in time.
        """
        return min(max(AT_REST_S, self._packet / self._rate + self._lateness.jitter_s), AT_MOST_S)

    def delay_s(self, now: float) -> float:
        """How long after its earliest moment the next packet is played, if that is now; 0 without a stream."""
        return 0.0 if self._next is None else now - self._earliest(self._next)

    def push(self, timestamp: int, payload: bytes, samples: int, now: float) -> None:
        """A packet came: its RTP timestamp (32 bits), its payload and how much audio it holds (units of the clock)."""
        self.counts.received += 1
        position = self._unwrap(timestamp)
        self._packet = samples
        self._lateness.measure(now - position / self._rate, now)
        if self._next is not None and position < self._next:
            self.counts.late += 1
        elif position in self._packets:
            self.counts.duplicate += 1
        elif len(self._packets) >= MAX_BUFFERED:
            self.counts.leapt += 1
        else:
            self._packets[position] = (payload, samples)

    def pull(self, now: float) -> Step:
        """What to play next, if it begins to sound at `now`."""
        if self._next is None and not self._start(now):
            return Idle()
        if not self._packets:
            return self._run_dry()
        self._settle_gap(now)
        following = min(self._packets)
        gap = following - self._position
        if not gap:
            return self._decode(now)
        payload, samples = self._packets[following]
        if gap == samples:
            self.counts.recovered += 1
            self._in_a_row = 0
            self._next = following
            return Recover(payload, samples)
        missing = min(gap, self._frame)
        self._next = self._position + missing
        return self._conceal(missing)

    def reset(self) -> None:
        """Another stream begins (another source): forget this one, but for the counts."""
        self._packets.clear()
        self._latest = self._next = None
        self._debt = 0
        self._lateness = _Lateness()

    @property
    def _position(self) -> int:
        assert self._next is not None
        return self._next

    def _unwrap(self, timestamp: int) -> int:
        if self._latest is not None:
            ahead = (timestamp - self._latest + _WRAP // 2) % _WRAP - _WRAP // 2
            if ahead > -RESTART_S * self._rate:
                position = self._latest + ahead
                self._latest = max(self._latest, position)
                return position
            self.reset()
        self._latest = timestamp
        return timestamp

    def _earliest(self, position: int) -> float:
        return position / self._rate + self._lateness.lowest

    def _start(self, now: float) -> bool:
        """Begin with the first packet there is, once its delay is over."""
        if not self._packets:
            return False
        first = min(self._packets)
        if now - self._earliest(first) < self.target_s - _EPSILON_S:
            return False
        self._next = first
        self._debt = 0
        return True

    def _run_dry(self) -> Step:
        """Nothing is there: carry on from what was played last, and remember how long it was without a packet."""
        self._debt += self._frame
        if self._debt > IDLE_AFTER_S * self._rate:
            self._next = None
            return Idle()
        return self._conceal(self._frame)

    def _conceal(self, samples: int) -> Conceal:
        self._in_a_row += 1
        self.counts.concealed += 1
        self.counts.longest_concealed = max(self.counts.longest_concealed, self._in_a_row)
        return Conceal(samples)

    def _settle_gap(self, now: float) -> None:
        """Leave out what is missing where its time was concealed already, or where the stream is behind anyway.

        What can be recovered is never left out: heard a frame late it is still understood.
        """
        behind = self.delay_s(now) - self.target_s
        if behind > LEAP_S:
            self._leap(now)
        following = min(self._packets)
        gap = following - self._position
        missing = gap - self._packets[following][1]
        if missing < 0 or missing > LEAP_S * self._rate:
            self._next = following
        else:
            spare = max(self._debt, int(behind * self._rate) // self._frame * self._frame)
            self._next = self._position + min(missing, max(spare, 0))
        self._debt = 0

    def _leap(self, now: float) -> None:
        """Far too late (this process stood still): go on with the packet whose moment it is, if it is there."""
        self._debt = 0
        due = [at for at in self._packets if now - self._earliest(at) >= self.target_s]
        newest = max(due, default=min(self._packets))
        for at in [at for at in self._packets if at < newest]:
            del self._packets[at]
            self.counts.leapt += 1
        self._next = newest

    def _decode(self, now: float) -> Decode:
        payload, samples = self._packets.pop(self._position)
        pace = self._pace(self.delay_s(now) - self.target_s)
        self._next = self._position + samples
        self.counts.decoded += 1
        self._in_a_row = 0
        return Decode(payload, pace)

    def _pace(self, behind: float) -> Pace:
        if behind < -SLACK_S:
            return Pace.LONGER
        self._shortened = behind > SLACK_S and (behind > HURRY_S or not self._shortened)
        return Pace.SHORTER if self._shortened else Pace.NORMAL


_EPSILON_S = 1e-6
"""Two clocks' sums never meet exactly; a microsecond early is on time."""


class _Lateness:
    """How late packets are against the fastest of the last seconds, and how late a packet in a hundred is."""

    def __init__(self) -> None:
        self._fastest: deque[tuple[float, float]] = deque()
        self._recent: deque[float] = deque(maxlen=JITTER_OVER_PACKETS)
        self._until_measured = 1
        self.jitter_s = 0.0

    @property
    def lowest(self) -> float:
        """Arrival minus timestamp of the fastest packet, in seconds."""
        return self._fastest[0][1] if self._fastest else 0.0

    def measure(self, latency: float, now: float) -> None:
        """A packet came: `latency` is its arrival minus its timestamp, in seconds (the two clocks' offset included)."""
        fastest = self._fastest
        while fastest and fastest[-1][1] >= latency:
            fastest.pop()
        fastest.append((now, latency))
        while now - fastest[0][0] > LOWEST_LATENCY_OVER_S:
            fastest.popleft()
        self._recent.append(latency - fastest[0][1])
        self._until_measured -= 1
        if not self._until_measured:
            self._until_measured = MEASURE_EVERY_PACKETS
            ordered = sorted(self._recent)
            self.jitter_s = ordered[int(JITTER_QUANTILE * (len(ordered) - 1))]
