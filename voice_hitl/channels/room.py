"""`Room`: the agent in one room of a conference. It hears each participant, and is the leg of its model's session."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

import anyio

from voice_hitl.audio.frame import FRAME_MS, frame_bytes
from voice_hitl.audio.mixer import Mixer
from voice_hitl.audio.vad import SpeechBegan, VoiceActivity
from voice_hitl.channels.letting_go import let_go
from voice_hitl.channels.room_leg import RoomLeg
from voice_hitl.channels.who_spoke import WhoSpoke
from voice_hitl.conference import (
    ActiveSpeaker,
    ConferenceCapabilities,
    Digit,
    Message,
    ParticipantJoined,
    ParticipantLeft,
    Presence,
    PresenceEvent,
    RemovedFromRoom,
    TrackAudio,
)
from voice_hitl.errors import ConnectionEnded
from voice_hitl.tasks import Mailbox, Timer, current_time
from voice_hitl.tools.context import Actor
from voice_hitl.transport import Digit as LegDigit
from voice_hitl.transport import LegEvent, PersonJoined, PersonLeft, PersonSpeaks
from voice_hitl.transport import Message as LegMessage

log = logging.getLogger(__name__)

SEND_S = 1.0
"""How long the backend may take to send one message, in seconds, before it is lost: others wait behind it."""

MESSAGES_QUEUED = 1024
"""How many messages to pages may wait; the oldest go first."""

LINGER_S = 1.0
"""How long after the last frame the room is still heard to be silent, in seconds: it ends every utterance."""

_FRAME_S = FRAME_MS / 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomWatcher:
    """Who is told of what happens in a room: who joined, and who left, by participant."""

    joined: Callable[[str], None]
    left: Callable[[str], None]


class Room:
    """The agent in one room, with a model's session or without.

    Args:
        room_id: The room.
        presence: The agent in it.
        capabilities: Of the backend.
        rate: Samples a second of the room's audio.
        watcher: Is told who comes and goes.
    """

    def __init__(
        self,
        room_id: str,
        presence: Presence,
        capabilities: ConferenceCapabilities,
        *,
        rate: int,
        watcher: RoomWatcher,
    ) -> None:
        self.id = room_id
        self.capabilities = capabilities
        self._presence = presence
        self._rate = rate
        self._watcher = watcher
        self._people = dict.fromkeys(presence.participants())
        self._mixer = Mixer(rate)
        self._silence = bytes(frame_bytes(rate))
        self._voices: dict[str, VoiceActivity] = {}
        self._who_spoke = WhoSpoke()
        self._clock: Timer | None = None
        self._due = self._until = 0.0
        self._leg: RoomLeg | None = None
        self._outgoing: Mailbox[tuple[str, str]] = Mailbox(limit=MESSAGES_QUEUED, droppable=lambda _message: True)

    @property
    def participants(self) -> tuple[str, ...]:
        """Who else is in the room, in the order in which they came."""
        return tuple(self._people)

    def actor(self) -> Actor:
        """Who was speaking, as evidence."""
        return self._who_spoke.actor(current_time())

    def leg(self, rate: int) -> RoomLeg:
        """A leg for a session whose audio has `rate` samples a second; a room has one at a time."""
        leg = RoomLeg(self.id, self._presence, self.capabilities, room_rate=self._rate, rate=rate)
        self._leg = leg
        return leg

    def send(self, text: str, to: str) -> None:
        """Send a text to the page of a participant; never waits."""
        self._outgoing.put((text, to))

    # --- its life ----------------------------------------------------------------------------------------------------

    async def run(self) -> str:
        """Serve the room until the agent is not in it any more; return why.

        Raises:
            Exception: Whatever the backend fails with.
        """
        async with anyio.create_task_group() as group:
            group.start_soon(self._send_messages)
            try:
                return await self._serve()
            finally:
                if self._leg is not None:
                    self._leg.end("lost")
                group.cancel_scope.cancel()
        raise AssertionError("a room that is served has an end")

    async def leave(self) -> None:
        """Leave the room; what is still to be told to the pages goes out first, if the backend takes it at once."""
        await let_go("the last messages to a room", self._send_the_rest)
        self._outgoing.close()
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None
        await let_go("leaving a room", self._presence.leave)

    async def _serve(self) -> str:
        try:
            while True:
                event = await self._presence.events().get()
                if isinstance(event, RemovedFromRoom):
                    return event.reason
                self._on(event)
        except ConnectionEnded:
            return "the connection to the room was lost"

    async def _send_messages(self) -> None:
        async for text, to in self._outgoing:
            await self._send(text, to)

    async def _send_the_rest(self) -> None:
        while len(self._outgoing):
            await self._send(*await self._outgoing.get())

    async def _send(self, text: str, to: str) -> None:
        if to not in self._people:
            return
        try:
            with anyio.move_on_after(SEND_S) as scope:
                await self._presence.send_message(text, to=to)
        except Exception as error:  # noqa: BLE001 - a backend that fails to reach one page must not cost the room
            log.warning("a message to %s was lost: %s", to, error)
        else:
            if scope.cancelled_caught:
                log.warning("a message to %s was lost: it was not sent within %g s", to, SEND_S)

    # --- what happens in it ------------------------------------------------------------------------------------------

    def _on(self, event: PresenceEvent) -> None:
        match event:
            case TrackAudio():
                self._heard(event)
            case ParticipantJoined(participant, at):
                self._joined(participant, at)
            case ParticipantLeft(participant, at):
                self._left(participant, at)
            case ActiveSpeaker(participant, at):
                self._who_spoke.is_active(participant, at)
            case Digit(participant, digit, duration_ms, at):
                self._did(participant, LegDigit(digit, duration_ms, at, participant))
            case Message(participant, text, at):
                self._did(participant, LegMessage(text, at, participant))
            case RemovedFromRoom():
                pass  # whoever serves it has seen to it
            case _:
                assert_never(event)

    def _heard(self, audio: TrackAudio) -> None:
        """Some of what is said. Who is not in the room is not heard, and nobody once it was left."""
        if not self._outgoing.closed and (audio.participant in self._people or not self.capabilities.lanes):
            self._mixer.push(audio.participant, audio.pcm)
            self._tick_on()

    def _did(self, participant: str, event: LegEvent) -> None:
        if participant in self._people:
            self._tell(event)

    def _joined(self, participant: str, at: float) -> None:
        is_new = participant not in self._people
        self._people[participant] = None
        self._tell(PersonJoined(participant, at))
        if is_new:
            self._watcher.joined(participant)

    def _left(self, participant: str, at: float) -> None:
        if participant not in self._people:
            return
        del self._people[participant]
        self._mixer.remove(participant)
        voice = self._voices.pop(participant, None)
        if voice is not None and voice.speaking:
            self._tell(PersonSpeaks(participant, on=False, at=at))
        self._who_spoke.left(participant)
        self._tell(PersonLeft(participant, at))
        self._watcher.left(participant)

    def _tell(self, event: LegEvent) -> None:
        if self._leg is not None:
            self._leg.put(event)

    # --- what is said in it ------------------------------------------------------------------------------------------

    def _tick_on(self) -> None:
        if self._clock is None:
            self._due = current_time() + _FRAME_S
            self._clock = Timer(_FRAME_S, self._tick)
        self._until = current_time() + LINGER_S

    def _tick(self) -> None:
        window, at = self._mixer.take(), self._due - _FRAME_S
        lanes = window.lanes if window is not None and self.capabilities.lanes else ()
        self._listen(lanes, at)
        if self._leg is not None:
            self._leg.hear(window.mix if window is not None else b"", at, lanes)
        self._clock = None
        if self._due < self._until:
            self._due += _FRAME_S
            self._clock = Timer(max(0.0, self._due - current_time()), self._tick)

    def _listen(self, lanes: tuple[tuple[str, bytes], ...], at: float) -> None:
        """Find who speaks, lane by lane. Who sends nothing is silent."""
        heard = dict(lanes)
        for participant in heard.keys() - self._voices.keys():
            self._voices[participant] = VoiceActivity(self._rate)
        for participant, voice in self._voices.items():
            frame = heard.get(participant, self._silence)
            if frame == self._silence and not (voice.speaking or voice.voiced):
                continue
            found = voice.push(frame, at)
            if found is not None:
                on = isinstance(found, SpeechBegan)
                self._who_spoke.speaks(participant, found.at, on=on)
                self._tell(PersonSpeaks(participant, on=on, at=found.at))
