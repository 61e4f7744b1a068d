"""Somebody in a scripted room: who speaks, presses keys, and holds a page."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Protocol, cast

import anyio

from voice_hitl.audio.frame import FRAME_MS, Framer, frame_bytes
from voice_hitl.conference import Digit, Message, PresenceEvent, TrackAudio
from voice_hitl.tasks import current_time
from voice_hitl.testing.loopback_caller import COMMENTARY, KEYS, PRESS_MS
from voice_hitl.testing.record import WITHIN_S, Record, differences, show


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


class ScriptedParticipant:
    """Somebody in a room. Made by `ScriptedRoom.join`."""

    def __init__(self, identity: str, room: RoomOfParticipant) -> None:
        self.identity = identity
        self.is_there = True
        """Whether they are in the room."""
        self.counts: Counter[str] = Counter()
        """How many messages of each type came to their page, ignored ones too."""
        self._room = room
        self._ignored: set[str] = set(COMMENTARY)
        self._messages: Record[Mapping[str, object]] = Record(f"participant {identity}")

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

    # --- expecting ---------------------------------------------------------------------------------------------------

    async def message(self, *, type: str, within_s: float = WITHIN_S, **fields: object) -> Mapping[str, object]:
        """Return the next message to their page, which must be of this type with these fields.

        Args:
            type: What its `type` must be.
            within_s: How long to wait for it, in seconds of the loop's clock.
            fields: What its fields must be; those not named may be anything. A compiled pattern is searched for.

        Raises:
            AssertionError: Another message came, or none did.
        """
        wanted = {"type": type, **fields}
        return await self._messages.expect(
            show("message", wanted), lambda message: differences(wanted, message), within_s=within_s
        )

    async def expect_nothing(self, *, for_s: float) -> None:
        """Wait so many seconds of the loop's clock, in which no message must come; `AssertionError` otherwise."""
        await self._messages.expect_nothing(for_s=for_s)

    def ignore(self, *types: str) -> None:
        """Only count messages of these types from now on."""
        self._ignored.update(types)

    def watch(self, *types: str) -> None:
        """Expect messages of these types again from now on."""
        self._ignored.difference_update(types)

    def done(self) -> None:
        """Every message must have been expected; `AssertionError` otherwise."""
        self._messages.done()

    # --- what the room tells -----------------------------------------------------------------------------------------

    def take_message(self, text: str) -> None:
        """A message came to their page."""
        message = cast("dict[str, object]", json.loads(text))
        kind = str(message.get("type"))
        self.counts[kind] += 1
        if kind not in self._ignored:
            self._messages.add(message)
