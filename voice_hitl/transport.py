"""The port to a call leg: how a call's audio, digits and messages get in and out.

A transport hears of incoming calls and offers each to whoever listens (`Transport.listen`); `accept` turns one into a
`Leg`. Every time in an event is monotonic seconds, on one clock for the whole leg, so that what was played and what was
heard can be compared.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from voice_hitl.frozen import frozen
from voice_hitl.provider import Receiver

HangUpReason = Literal["caller", "us", "lost", "transferred", "limit"]
"""Who, or what, ended a call. `limit`: it has lasted as long as whoever holds it allows."""

After = Literal["now", "playout"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LegInfo:
    """Where a call comes from and what it is."""

    call_id: str
    direction: Literal["incoming", "outgoing"] = "incoming"
    from_: str = ""
    to: str = ""
    participant_id: str = ""
    """Who the transport's own authorisation says it is; empty where it has none."""
    room_id: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Headers or custom parameters of the call set-up."""
    codec: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LegCapabilities:
    """What a leg can do."""

    messages: bool = False
    """Whether JSON messages go both ways (a data channel, a WebSocket)."""
    digits: bool = False
    """Whether keypad digits come in."""
    echo_cancelled: bool = False
    """Whether the far end removes our own voice from what it sends."""
    shared: bool = False
    """Whether several people share it (the room of a conference): its audio is the mix of them."""
    lanes: bool = False
    """Whether each of those who share it is heard on a lane of their own, too."""
    hosted: bool = False
    """Whether the media are somewhere else: no audio passes through here."""
    transfers: bool = False
    usual_round_trip_ms: float = 100.0
    """What the round trip to the far end of such a leg is taken for, where there is no measurement."""
    rejoin_s: float = 0.0
    """How long a lost leg of this kind is worth waiting for (15 WebRTC, 0 phone); the channel may say otherwise."""


@frozen()
class AudioIn:
    """20 ms of the caller's voice: mono int16 at the rate asked for in `accept`.

    Of a leg that several share it is the mix of them, empty where nobody sent anything, and `lanes` has who was heard
    in it: each with 20 ms.
    """

    pcm: bytes
    at: float
    lanes: tuple[tuple[str, bytes], ...] = ()


@frozen()
class Digit:
    """One press of a key is one digit (RFC 4733), whatever the number of packets."""

    digit: str
    duration_ms: int
    at: float
    by: str = ""
    """Whose key it was, on a leg that several share."""


@frozen()
class Message:
    """A message of the page in the call, as it came: text, not yet parsed or trusted."""

    text: str
    at: float
    by: str = ""
    """Whose page it was, on a leg that several share."""


@frozen()
class PersonJoined:
    """Somebody is on a leg that several share: from here on, or again, because their end connected again."""

    by: str
    at: float


@frozen()
class PersonLeft:
    """Somebody is not on it any more. The leg goes on."""

    by: str
    at: float


@frozen()
class PersonSpeaks:
    """Somebody, on a lane of their own, began to speak, or ceased to: by our own voice activity."""

    by: str
    on: bool
    at: float


@frozen()
class Played:
    """So much of an item was heard so far. Comes at least every 100 ms while it plays, and when the queue runs dry."""

    item: str
    ms: float
    """Milliseconds of `item` that have been played since its beginning."""
    at: float
    last: bool = False
    """Whether nothing is queued behind it."""


@frozen()
class LegLost:
    """The far end has vanished without hanging up (no media, no transport). It may rejoin."""

    at: float


@frozen()
class HungUp:
    """The call is over. The last event of a leg."""

    reason: HangUpReason
    at: float


LegEvent = AudioIn | Digit | Message | PersonJoined | PersonLeft | PersonSpeaks | Played | LegLost | HungUp


@frozen()
class Heard:
    """What `clear` found: the item that was being played and how much of it was heard. Nothing: an empty item."""

    item: str = ""
    ms: float = 0.0
    dropped: tuple[str, ...] = ()
    """The items of which nothing was heard."""


class Leg(Protocol):
    """One call leg."""

    @property
    def info(self) -> LegInfo:
        """Where it comes from."""
        ...

    @property
    def capabilities(self) -> LegCapabilities:
        """What it can do."""
        ...

    @property
    def round_trip_ms(self) -> float | None:
        """The measured round trip to the far end, where there is a measurement."""
        ...

    def events(self) -> Receiver[LegEvent]:
        """The one stream of events; ends (`ConnectionEnded`) after `HungUp`."""
        ...

    def send_audio(self, pcm: bytes, item: str) -> None:
        """Queue one frame (20 ms, mono int16, the accepted rate) of `item` to be played on the leg's own clock."""
        ...

    def clear(self) -> Heard:
        """Drop everything not yet played, at once; say how much was heard."""
        ...

    async def send_message(self, text: str) -> None:
        """Send one JSON text to the page in the call. Never raises for a page that has gone: it will ask again."""
        ...

    async def hang_up(self, *, after: After = "now") -> None:
        """End the call, at once or when what is queued was heard."""
        ...

    async def transfer(self, target: str) -> None:
        """Hand the call to somebody else, where the leg can (`capabilities.transfers`)."""
        ...

    async def aclose(self) -> None:
        """Let the leg go without waiting for the far end; closing twice is harmless."""
        ...


class Incoming(Protocol):
    """A call that wants to come in: not answered yet."""

    @property
    def info(self) -> LegInfo:
        """Where it comes from."""
        ...


OnIncoming = Callable[[Incoming], Awaitable[None]]
"""What a channel listens with: it accepts the call (through a session), or raises `CallRejected`."""


class CallRejected(Exception):  # noqa: N818 - an answer to a call, not a fault
    """Raised by who listens, to refuse an incoming call. `code` is an HTTP or SIP status (403, 486, 503)."""

    def __init__(self, code: int, reason: str = "") -> None:
        super().__init__(reason or f"the call was refused ({code})")
        self.code = code


class Transport(Protocol):
    """A way for calls to come in."""

    @property
    def name(self) -> str:
        """What to call it in logs and tables."""
        ...

    def listen(self, on_incoming: OnIncoming | None) -> None:
        """Offer every incoming call to `on_incoming`; None: to nobody. A call nobody takes is refused (503)."""
        ...

    async def accept(self, connection: Incoming, *, rate: int) -> Leg:
        """Answer a call; the leg's audio is mono int16 at `rate`. `InvalidOffer` where it cannot be answered."""
        ...

    async def aclose(self) -> None:
        """Hang up every leg and take no more."""
        ...


@runtime_checkable
class Dials(Protocol):
    """A transport that places calls, too."""

    async def dial(self, to: str) -> Incoming:
        """Call somebody; returns once they took the call, to be accepted like one that came in.

        Cancelling it gives the call up. `CallNotAnswered` says why it was not taken.
        """
        ...
