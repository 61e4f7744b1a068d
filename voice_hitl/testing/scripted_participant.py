"""Somebody in a scripted room: who speaks, presses keys, and holds a page."""

import json
from collections.abc import Mapping
from typing import Protocol

import anyio

from voice_hitl.audio.frame import FRAME_MS, Framer, frame_bytes
from voice_hitl.conference import Digit, Message, PresenceEvent, TrackAudio
from voice_hitl.tasks import current_time
from voice_hitl.testing.loopback_caller import KEYS, PRESS_MS
from voice_hitl.testing.page_messages import PageMessages


class RoomOfParticipant(Protocol):
    """What a participant is in."""

    @property
    def rate(self) -> int:
        """Samples a second."""
        ...

    @property
    def lanes(self) -> bool:
        """Whether each is heard by themselves."""
        ...

    def deliver(self, event: PresenceEvent) -> None:
        """Something reached the agent, if it is there."""
        ...

    def leave(self, participant: str) -> None:
        """Somebody goes."""
        ...


class ScriptedParticipant(PageMessages):
    """Somebody in a room. Made by `ScriptedRoom.join`."""

    def __init__(self, identity: str, room: RoomOfParticipant) -> None:
        super().__init__(f"participant {identity}")
        self.identity = identity
        self.is_there = True
        """Whether they are in the room."""
        self._room = room

    # --- doing -------------------------------------------------------------------------------------------------------

    async def speak(self, pcm: bytes) -> None:
        """Say this (mono int16 at the room's rate), 20 ms every 20 ms; returns when all is said."""
        framer = Framer(self._room.rate)
        frames = framer.push(pcm)
        rest = framer.flush()
        at = current_time()
        for frame in [*frames, rest] if rest else frames:
            at += FRAME_MS / 1000
            await anyio.sleep_until(at)
            self.send_frame(frame)

    async def stay_silent(self, ms: int) -> None:
        """Have the microphone open and say nothing: silence is audio too."""
        await self.speak(bytes(frame_bytes(self._room.rate)) * (ms // FRAME_MS))

    def send_frame(self, frame: bytes) -> None:
        """One frame of theirs reaches the agent now, whatever it is."""
        self._room.deliver(TrackAudio(self.identity if self._room.lanes else "", frame, current_time()))

    async def press(self, keys: str) -> None:
        """Press these keys, one after another."""
        for key in keys:
            if key not in KEYS:
                raise ValueError(f"there is no key {key!r} on a telephone")
            await anyio.sleep(PRESS_MS / 1000)
            self._room.deliver(Digit(self.identity, key, PRESS_MS, current_time()))
            await anyio.sleep(PRESS_MS / 1000)

    def send(self, message: Mapping[str, object]) -> None:
        """Their page sends a message."""
        self.send_text(json.dumps(dict(message)))

    def send_text(self, text: str) -> None:
        """Their page sends this, whatever it is."""
        self._room.deliver(Message(self.identity, text, current_time()))

    def leave(self) -> None:
        """Go."""
        self._room.leave(self.identity)
