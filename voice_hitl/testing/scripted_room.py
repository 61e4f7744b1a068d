"""A room of a scripted conference, and the agent's presence in it."""

from voice_hitl.audio.frame import FRAME_MS, frame_bytes
from voice_hitl.conference import (
    ActiveSpeaker,
    ConferenceCapabilities,
    Joining,
    ParticipantJoined,
    ParticipantLeft,
    PresenceEvent,
    RemovedFromRoom,
    TrackAudio,
)
from voice_hitl.errors import ConferenceError
from voice_hitl.provider import Receiver
from voice_hitl.tasks import Mailbox, Timer, current_time
from voice_hitl.testing.faults import Faults
from voice_hitl.testing.record import WITHIN_S
from voice_hitl.testing.scripted_participant import ScriptedParticipant
from voice_hitl.testing.waits import Waits

RATE = 24_000
"""Samples a second of a room that the agent has not been in yet."""

UNHEARD_FRAMES = 500
"""Frames that wait for the agent to read them; beyond that the oldest is dropped."""


class ScriptedPresence:
    """The agent in a room: the library's side of it."""

    def __init__(self, room: "ScriptedRoom", joining: Joining) -> None:
        self.joining = joining
        self._room = room
        self._events: Mailbox[PresenceEvent] = Mailbox(limit=UNHEARD_FRAMES, droppable=_is_audio)
        self._frame_bytes = frame_bytes(joining.rate)

    @property
    def over(self) -> bool:
        """Whether the agent is not in the room any more."""
        return self._events.closed

    def put(self, event: PresenceEvent) -> None:
        """Something reaches the agent."""
        self._events.put(event)

    def close(self) -> None:
        """Nothing reaches it any more."""
        self._events.close()

    def participants(self) -> tuple[str, ...]:
        """Who else is there."""
        return tuple(each.identity for each in self._room.participants)

    def events(self) -> Receiver[PresenceEvent]:
        """What happens in the room."""
        return self._events

    def publish_audio(self, pcm: bytes, *, to: str | None = None) -> None:
        """Play a frame to all, or to one; `ValueError` for what is no frame, or where it cannot be for one alone."""
        if len(pcm) != self._frame_bytes:
            raise ValueError(f"a frame of this room has {self._frame_bytes} bytes, not {len(pcm)}")
        if to is not None and not self._room.capabilities.private_audio:
            raise ValueError("this backend has no private audio (see its capabilities)")
        if not self.over:
            self._room.play(pcm)

    def stop_playback(self) -> None:
        """Drop what was not played: here everything is heard at once, so that there is never anything left."""
        self._room.stops += 1

    async def send_message(self, text: str, *, to: str) -> None:
        """Hand a message to a participant's page; to one who has gone it is let go."""
        await self._room.faults.suffer("send_message")
        if self._room.capabilities.messages and not self.over:
            self._room.take_message(text, to)

    async def leave(self) -> None:
        """Leave."""
        await self._room.faults.suffer("leave")
        self._room.agent_left()


class ScriptedRoom:
    """A room: the test's side of it. Made by `ScriptedConference.room`."""

    def __init__(self, room_id: str, capabilities: ConferenceCapabilities) -> None:
        self.id = room_id
        self.capabilities = capabilities
        self.faults = Faults()
        """What `send_message` and `leave` are to suffer: delays, hanging, errors."""
        self.heard_ms = 0
        """Milliseconds heard of the agent, in whole frames."""
        self.audio = bytearray()
        """All that was heard of the agent, mono int16."""
        self.stops = 0
        """How often the agent's voice was stopped."""
        self._presence: ScriptedPresence | None = None
        self._people: list[ScriptedParticipant] = []
        self._delay_s = 0.0
        self._waits = Waits()

    # --- the test's side ---------------------------------------------------------------------------------------------

    @property
    def rate(self) -> int:
        """Samples a second, as the agent has asked for."""
        return self._presence.joining.rate if self._presence is not None else RATE

    @property
    def lanes(self) -> bool:
        """Whether each is heard by themselves."""
        return self.capabilities.lanes

    @property
    def participants(self) -> tuple[ScriptedParticipant, ...]:
        """Who is there, apart from the agent."""
        return tuple(each for each in self._people if each.is_there)

    @property
    def agent(self) -> str | None:
        """The agent's identity, while it is there."""
        return self._presence.joining.identity if self._presence is not None and not self._presence.over else None

    def join(self, identity: str) -> ScriptedParticipant:
        """Somebody comes in. Who is there already connects again, which the agent is told like a coming in."""
        participant = next((each for each in self.participants if each.identity == identity), None)
        if participant is None:
            participant = ScriptedParticipant(identity, self)
            self._people.append(participant)
        self.deliver(ParticipantJoined(identity, current_time() if self._presence is not None else 0.0))
        return participant

    def leave(self, participant: str) -> None:
        """Somebody goes; the agent is told, also of somebody who was never there."""
        for each in self.participants:
            if each.identity == participant:
                each.is_there = False
        self.deliver(ParticipantLeft(participant, current_time()))

    def active_speaker(self, participant: str | None) -> None:
        """The backend says who speaks."""
        self.deliver(ActiveSpeaker(participant, current_time()))

    def remove_agent(self, reason: str = "removed by the script") -> None:
        """The agent is removed, or the room ends."""
        if self._presence is not None and not self._presence.over:
            self._presence.put(RemovedFromRoom(reason, current_time()))
            self._presence.close()

    def lose_agent(self) -> None:
        """The agent's connection to the room is gone, without a word."""
        if self._presence is not None:
            self._presence.close()

    def delay_events(self, seconds: float) -> None:
        """From now on everything reaches the agent so much later."""
        self._delay_s = seconds

    async def hears(self, ms: int = FRAME_MS, *, within_s: float = WITHIN_S) -> None:
        """Wait until so much of the agent was heard in all; `AssertionError` when it is not in time."""
        if not await self._waits.until(lambda: self.heard_ms >= ms, within_s):
            raise AssertionError(
                f"room {self.id} was to hear {ms} ms within {within_s:g} s but heard {self.heard_ms} ms"
            )

    async def agent_gone(self, *, within_s: float = WITHIN_S) -> None:
        """Wait until the agent is not there any more; `AssertionError` when it stays."""
        if not await self._waits.until(lambda: self.agent is None, within_s):
            raise AssertionError(f"the agent was to leave room {self.id} within {within_s:g} s but is still there")

    def done(self) -> None:
        """Every message must have been expected, and the agent be gone; `AssertionError` otherwise."""
        self.faults.done()
        for each in self._people:
            each.done()
        if self.agent is not None:
            raise AssertionError(f"the agent is still in room {self.id}")

    # --- what its participants and the agent do ----------------------------------------------------------------------

    def deliver(self, event: PresenceEvent) -> None:
        """Something reaches the agent, if it is there."""
        presence = self._presence
        if presence is None:
            return
        if self._delay_s:
            Timer(self._delay_s, lambda: presence.put(event))
        else:
            presence.put(event)

    def admit(self, joining: Joining) -> ScriptedPresence:
        """The agent comes in; `ConferenceError` where its identity is there already."""
        if self.agent is not None or any(each.identity == joining.identity for each in self.participants):
            raise ConferenceError(f"{joining.identity!r} is in room {self.id} already")
        self._presence = ScriptedPresence(self, joining)
        return self._presence

    def agent_left(self) -> None:
        """The agent goes."""
        if self._presence is not None:
            self._presence.close()
        self._waits.look()

    def play(self, pcm: bytes) -> None:
        """A frame of the agent is heard."""
        self.heard_ms += FRAME_MS
        self.audio += pcm
        self._waits.look()

    def take_message(self, text: str, to: str) -> None:
        """A message comes to the page of a participant."""
        for each in self.participants:
            if each.identity == to:
                each.take_message(text)


def _is_audio(event: PresenceEvent) -> bool:
    return isinstance(event, TrackAudio)
