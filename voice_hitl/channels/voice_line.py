"""A session's line: the floor of a live call, taken by one asker at a time and given back to the model."""

from collections import deque
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

import anyio

from voice_hitl.audio.frame import FRAME_MS, Framer
from voice_hitl.audio.vad import SpeechBegan, VoiceActivity
from voice_hitl.channels.floor import Floor
from voice_hitl.channels.link import Link
from voice_hitl.enums import Via
from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.line import (
    After,
    CallerBegan,
    CallerEnded,
    CallerSaid,
    KeyPressed,
    LineEvent,
    NotUnderstood,
    PartBegan,
    PartCut,
    PartHeard,
)
from voice_hitl.provider import AudioOut, ProviderCapabilities, Receiver, Transcript
from voice_hitl.tasks import Latch, Mailbox, current_time
from voice_hitl.transport import Leg, Played

ROUND_TRIP_MS = 100.0
"""What is taken off the caller's times where the leg has no measurement."""

MODEL_ENDS_S = 20.0
"""How long the floor waits for the model's words to be heard before it stops them."""

ASIDE_S = 30.0
"""How long the model may take over an aside."""


class LineSession(Protocol):
    """What a line needs of its session."""

    @property
    def leg(self) -> Leg:
        """The leg that carries the call now."""
        ...

    @property
    def model_speaks(self) -> bool:
        """Whether the model responds, or its words are still being heard."""
        ...

    async def interrupt(self) -> None:
        """Stop the model's words."""
        ...

    async def floor_changed(self, *, taken: bool) -> None:
        """An asker has the floor now, or the model again: it may be time to ask it on."""
        ...

    def tell_asked(self, pending_id: str, asked_by: str) -> None:
        """Tell `ON_ASKED`."""
        ...

    def tell_heard(self, pending_id: str, reading: Mapping[str, str], via: Via) -> None:
        """Tell `ON_HEARD`."""
        ...


@dataclass(slots=True)
class _Part:
    sent_ms: float = 0.0
    began: float | None = None
    ended: bool = False
    """Whether nothing more of it comes."""
    heard: bool = False


class VoiceLine:
    """The line of one voice session. The session hands it what happens; an asker holds it (`taken_by`)."""

    def __init__(self, session: LineSession, link: Link, floor: Floor, capabilities: ProviderCapabilities) -> None:
        self._session = session
        self._link = link
        self._floor = floor
        self._capabilities = capabilities
        self._quiet: list[Latch] = []
        self._held: _Held | None = None

    @property
    def held(self) -> "_Held | None":
        """What the asker that has the floor holds."""
        return self._held

    @property
    def carries_audio(self) -> bool:
        """Whether audio passes through here."""
        return not self._session.leg.capabilities.hosted

    @property
    def carries_digits(self) -> bool:
        """Whether keys come in: from the leg, or from a keypad on the page."""
        return self._session.leg.capabilities.digits or self._session.leg.capabilities.messages

    @property
    def echo_cancelled(self) -> bool:
        """Whether the far end removes our own voice."""
        return self._session.leg.capabilities.echo_cancelled

    @property
    def speaks_verbatim(self) -> bool:
        """Whether the model's own voice says exactly what it is given."""
        return self._capabilities.verbatim == "exact"

    @property
    def can_be_held(self) -> bool:
        """Whether the model can be kept from answering by itself."""
        return self._capabilities.hold == "quiet"

    @asynccontextmanager
    async def taken_by(self, pending_id: str, *, after: After) -> AsyncGenerator["_Held"]:
        """Hold the floor: in order of arrival, once the model's words were heard (or at once)."""
        async with self._floor.taken_by(pending_id):
            if after == "sentence":
                with anyio.move_on_after(MODEL_ENDS_S):
                    await self.until_quiet()
            if self._session.model_speaks:
                await self._session.interrupt()
            held = _Held(self, self._session, self._link, self._capabilities.rate)
            try:
                await self._hold(on=True)
                await self._session.floor_changed(taken=True)
                self._held = held
                yield held
            finally:
                self._held = None
                held.close()
                with anyio.move_on_after(1, shield=True):
                    await self._hold(on=False)
                    await self._session.floor_changed(taken=False)

    async def _hold(self, *, on: bool) -> None:
        if not self.can_be_held:
            return
        try:
            connection = await self._link.ready()
            await connection.hold(on=on)
        except (ConnectionEnded, ProviderError):
            return  # the session is ending, or a new connection is not held

    async def until_quiet(self) -> None:
        """Wait until the model neither responds nor is heard."""
        while self._session.model_speaks:
            latch = Latch()
            self._quiet.append(latch)
            await latch.wait()

    async def until_loud(self) -> None:
        """Wait until the model responds or is heard."""
        while not self._session.model_speaks:
            latch = Latch()
            self._quiet.append(latch)
            await latch.wait()

    def voice_changed(self) -> None:
        """The model began or ceased to speak (the session says so whenever it may have)."""
        waiting, self._quiet = self._quiet, []
        for latch in waiting:
            latch.set()


class _Held:
    """The line in the hands of one asker."""

    def __init__(self, line: VoiceLine, session: LineSession, link: Link, rate: int) -> None:
        self._line = line
        self._session = session
        self._link = link
        self._rate = rate
        self._events: Mailbox[LineEvent] = Mailbox()
        self._activity = VoiceActivity(rate)
        self._framer = Framer(rate)
        self._framing: int | None = None
        self._parts: dict[int, _Part] = {}
        self._to_say: deque[int] = deque()
        self._saying: dict[str, int] = {}
        self._segments: list[tuple[float, float]] = []
        self._began: float | None = None
        self.lets_model_speak = False

    @property
    def rate(self) -> int:
        """Samples a second."""
        return self._rate

    def events(self) -> Receiver[LineEvent]:
        """What happens on the line."""
        return self._events

    def close(self) -> None:
        """The floor goes back: nothing of ours plays on."""
        self.stop()
        self._events.close()

    # --- our own voice -----------------------------------------------------------------------------------------------

    def play(self, pcm: bytes, part: int) -> None:
        """Queue some of a part's voice."""
        if self._framing != part:
            if self._framing is not None:
                self.end_part(self._framing)
            self._framing = part
        state = self._parts.setdefault(part, _Part())
        for frame in self._framer.push(pcm):
            self._session.leg.send_audio(frame, _item(part))
            state.sent_ms += FRAME_MS

    def end_part(self, part: int) -> None:
        """Nothing more comes of this part."""
        state = self._parts.setdefault(part, _Part())
        if self._framing == part:
            rest = self._framer.flush()
            if rest is not None:
                self._session.leg.send_audio(rest, _item(part))
                state.sent_ms += FRAME_MS
            self._framing = None
        state.ended = True

    async def say(self, text: str, part: int) -> None:
        """Have the model's own voice say a part."""
        self._to_say.append(part)
        connection = await self._link.ready()
        await connection.say(text)

    def stop(self) -> None:
        """Stop the voice; the part being heard is cut."""
        now = current_time()
        if any(not part.heard for part in self._parts.values()):
            self._session.leg.clear()
        self._framer.reset()
        self._framing = None
        for number, part in self._parts.items():
            if part.began is not None and not part.heard:
                self._events.put(PartCut(number, part.began, now))
        self._parts.clear()
        self._saying.clear()
        self._to_say.clear()

    def response_started(self, response_id: str, *, ours: bool) -> bool:
        """A response began. False: nobody of ours asked for it, and it is to be cancelled."""
        if ours and self._to_say:
            self._saying[response_id] = self._to_say.popleft()
            return True
        return ours or self.lets_model_speak

    def response_ended(self, response_id: str) -> None:
        """A response is over: where it said a part, nothing more of it comes."""
        part = self._saying.pop(response_id, None)
        if part is not None:
            self.end_part(part)

    def model_said(self, audio: AudioOut) -> bool:
        """Some of the model's voice: True where it was a part of ours, or is to be dropped."""
        part = self._saying.get(audio.response_id)
        if part is not None:
            self.play(audio.pcm, part)
            return True
        return not self.lets_model_speak

    def played(self, event: Played) -> bool:
        """How much of an item was heard: True where it was a part of ours."""
        number = _part(event.item)
        part = self._parts.get(number) if number is not None else None
        if number is None or part is None:
            return number is not None
        if part.began is None:
            part.began = event.at - event.ms / 1000
            self._events.put(PartBegan(number, part.began))
        if part.ended and not part.heard and event.ms >= part.sent_ms:
            part.heard = True
            self._events.put(PartHeard(number, part.began, event.at))
        return True

    # --- the caller's voice ------------------------------------------------------------------------------------------

    def heard_frame(self, pcm: bytes, at: float) -> None:
        """20 ms of the caller."""
        found = self._activity.push(pcm, at - self._lag())
        if isinstance(found, SpeechBegan):
            self._began = found.at
            self._events.put(CallerBegan(found.at))
        elif found is not None:
            self._segments.append((self._began if self._began is not None else found.at, found.at))
            self._began = None
            self._events.put(CallerEnded(found.at))

    def transcribed(self, line: Transcript) -> None:
        """The final transcript of the caller's turn."""
        began, ended = self._when(line.text)
        self._events.put(CallerSaid(line.text, began, ended, line.confidence, line.item_id))

    def not_transcribed(self) -> None:
        """A turn that could not be transcribed."""
        self._segments.clear()
        self._events.put(NotUnderstood(current_time()))

    def pressed(self, digit: str) -> None:
        """A key."""
        self._events.put(KeyPressed(digit, current_time()))

    def _when(self, text: str) -> tuple[float, float]:
        """When the turn just transcribed was said: all the speech that was heard since the last one."""
        segments, self._segments = self._segments, []
        if segments:
            return segments[0][0], segments[-1][1]
        now = current_time() - self._lag()
        return (self._began if self._began is not None else now - 0.07 * len(text)), now

    def _lag(self) -> float:
        return (self._session.leg.round_trip_ms or ROUND_TRIP_MS) / 1000

    # --- the model ---------------------------------------------------------------------------------------------------

    async def forget(self, item_id: str) -> None:
        """Take something the caller said out of the model's history."""
        if not item_id:
            return
        try:
            connection = await self._link.ready()
            await connection.forget(item_id)
        except (ConnectionEnded, ProviderError):
            return  # gone with its connection

    async def aside(self) -> None:
        """Give the model the floor for one response; take it back when it was heard."""
        self.lets_model_speak = True
        try:
            connection = await self._link.ready()
            await connection.hold(on=False)
            await connection.respond()
            with anyio.move_on_after(ASIDE_S):
                await self._line.until_loud()
                await self._line.until_quiet()
            await connection.hold(on=True)
        finally:
            self.lets_model_speak = False

    def tell_asked(self, pending_id: str, asked_by: str) -> None:
        """Tell `ON_ASKED`."""
        self._session.tell_asked(pending_id, asked_by)

    def tell_heard(self, pending_id: str, reading: Mapping[str, str], via: Via) -> None:
        """Tell `ON_HEARD`."""
        self._session.tell_heard(pending_id, reading, via)


_PREFIX = "asked-"


def _item(part: int) -> str:
    return f"{_PREFIX}{part}"


def _part(item: str) -> int | None:
    return int(item.removeprefix(_PREFIX)) if item.startswith(_PREFIX) else None
