"""The port to a conference: how an agent is in a room with several people, hears each of them and is heard by all.

A backend is the SFU or the mixer that holds the rooms. `join` puts the agent into one, as a participant like any other
(its `Presence`): it publishes one track, its voice, and hears the others each on a lane of their own, where the backend
has lanes. Every time in an event is monotonic seconds of the event loop, so that what was said and what was heard can
be compared.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from voice_hitl.provider import Receiver


@dataclass(frozen=True, slots=True, kw_only=True)
class ConferenceCapabilities:
    """What a backend can do."""

    lanes: bool = True
    """Whether each participant is heard by themselves; else all of them together, as the participant `""`."""
    private_audio: bool = False
    """Whether what is published can be for one participant alone."""
    messages: bool = True
    """Whether messages go to, and come from, each participant by themselves."""
    digits: bool = True
    """Whether keypad digits come in, from participants on a phone."""
    echo_cancelled: bool = True
    """Whether the participants' ends remove our own voice from what they send."""


@dataclass(frozen=True, slots=True)
class ParticipantJoined:
    """Somebody came into the room: under an id that nobody else has there. Again: their end connected again."""

    participant: str
    at: float


@dataclass(frozen=True, slots=True)
class ParticipantLeft:
    """Somebody is not in the room any more, however they went."""

    participant: str
    at: float


@dataclass(frozen=True, slots=True)
class TrackAudio:
    """20 ms of a participant's voice: mono int16 at the rate asked for in `join`."""

    participant: str
    pcm: bytes
    at: float


@dataclass(frozen=True, slots=True)
class ActiveSpeaker:
    """Who speaks, in the backend's own judgement; None: nobody. It may lag behind what is heard."""

    participant: str | None
    at: float


@dataclass(frozen=True, slots=True)
class Digit:
    """A participant pressed a key: one press is one digit."""

    participant: str
    digit: str
    duration_ms: int
    at: float


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a participant's page, as it came: text, not yet parsed or trusted."""

    participant: str
    text: str
    at: float


@dataclass(frozen=True, slots=True)
class RemovedFromRoom:
    """The agent is not in the room any more: it was removed, or the room has ended. The last event of a presence."""

    reason: str
    at: float


PresenceEvent = ParticipantJoined | ParticipantLeft | TrackAudio | ActiveSpeaker | Digit | Message | RemovedFromRoom


@dataclass(frozen=True, slots=True, kw_only=True)
class Joining:
    """How the agent comes into a room.

    Args:
        identity: Under which participant id; nobody else's in the room.
        rate: Samples a second of the audio that it hears and publishes.
        grants: What the backend is asked to let it do, in the backend's own words.
    """

    identity: str
    rate: int
    grants: Mapping[str, object] = field(default_factory=dict[str, object])


class Presence(Protocol):
    """The agent, in one room."""

    def participants(self) -> tuple[str, ...]:
        """Who else is in the room now, by id. Each event of somebody joining or leaving has been counted."""
        ...

    def events(self) -> Receiver[PresenceEvent]:
        """The one stream of events, from when it joined; ends (`ConnectionEnded`) after `RemovedFromRoom`."""
        ...

    def publish_audio(self, pcm: bytes, *, to: str | None = None) -> None:
        """Play one frame (20 ms, mono int16) on the agent's one track; frames come in time, or a little ahead.

        `to` is the one participant who hears it, where the backend has private audio; None: everybody.
        """
        ...

    def stop_playback(self) -> None:
        """Drop what was published and not yet played, at once."""
        ...

    async def send_message(self, text: str, *, to: str) -> None:
        """Send one JSON text to the page of one participant. Never raises for one who has gone."""
        ...

    async def leave(self) -> None:
        """Leave the room; leaving twice is harmless."""
        ...


class ConferenceBackend(Protocol):
    """Holds rooms, and lets agents into them."""

    @property
    def name(self) -> str:
        """What to call it in logs and tables."""
        ...

    @property
    def capabilities(self) -> ConferenceCapabilities:
        """What it can do."""
        ...

    async def join(self, room_id: str, joining: Joining) -> Presence:
        """Come into a room; `ConferenceError` where that cannot be."""
        ...

    async def aclose(self) -> None:
        """Leave every room and join no more."""
        ...
