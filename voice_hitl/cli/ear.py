"""The calling side of a check: what can be known of a call from outside, by its audio and its messages."""

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final, TypeVar

import anyio
import numpy as np
from pydantic import BaseModel, ConfigDict, PrivateAttr, ValidationError

from voice_hitl.errors import ConnectionEnded, VoiceHitlError
from voice_hitl.tasks import current_time
from voice_hitl.transport import AudioIn, HungUp, Leg, LegLost, Message

LOUD_RMS: Final = 330.0
"""Of int16 samples, about -40 dBFS: a voice is above it, the silence of a codec far below."""

PAUSE_S: Final = 0.15
"""So much silence is between two things that are said."""

TAIL_S: Final = 0.5
"""How long what the far end has stopped saying may still be heard: what the network and the buffers held."""

LASTS_S: Final = 0.3
"""What is said lasts for longer than this; what was on its way when it was taken back, for less."""

T = TypeVar("T")


class CallEnded(VoiceHitlError):  # noqa: N818 - named by its cause
    """The call was over before what was waited for came."""


class Heard(BaseModel):
    """A message of the session: `at` and `server_time` are instants of its clock, `arrived` is one of ours."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    type: str
    id: str | None = None
    call: str | None = None
    pending_id: str | None = None
    tool: str | None = None
    status: str | None = None
    digit: str | None = None
    outcome: object = None
    why: str | None = None
    at: datetime | None = None
    server_time: datetime | None = None
    _arrived: datetime = PrivateAttr(default_factory=lambda: datetime.now(UTC))

    @property
    def arrived(self) -> datetime:
        """When it came."""
        return self._arrived


class Ear:
    """Listens to one leg: when the far end spoke, and what it sent."""

    def __init__(self, leg: Leg) -> None:
        self.messages: list[Heard] = []
        self._leg = leg
        self._connected_at: float | None = None
        self._loud_at: float | None = None
        self._began_at: float | None = None
        self._ended = ""
        self._news = anyio.Event()

    async def listen(self) -> None:
        """Take the leg's events until it is over."""
        try:
            while True:
                self._take(await self._leg.events().get())
        except ConnectionEnded:
            self._end("the call is over")

    async def connected(self) -> float:
        """When the first of the far end arrived, audio or message."""
        return await self._until(lambda: self._connected_at)

    async def voice(self, *, after: float) -> float:
        """When the far end was first heard to speak after that instant."""
        return await self._until(lambda: self._loud_at if (self._loud_at or 0.0) > after else None)

    async def voice_begins(self, *, after: float) -> float:
        """When the far end began to say something new after that instant, at which it was told to be quiet.

        What was on its way then is heard for a moment more; it does not last.
        """

        def began() -> float | None:
            began_at, loud_at = self._began_at or 0.0, self._loud_at or 0.0
            if began_at > after:
                return began_at if loud_at - began_at >= LASTS_S else None
            return loud_at if loud_at > after + TAIL_S else None

        return await self._until(began)

    async def quiet(self, *, for_s: float) -> None:
        """Wait until the far end has been silent for so long."""
        while self._loud_at is not None and (left := self._loud_at + for_s - current_time()) > 0:
            self._check()
            await anyio.sleep(left)

    async def message(self, is_it: Callable[[Heard], bool]) -> Heard:
        """The first message that it is, come already or still to come."""
        return await self._until(lambda: next((message for message in self.messages if is_it(message)), None))

    async def messages_of(self, type: str, number: int) -> None:
        """Wait for so many messages of a type."""
        await self._until(lambda: sum(message.type == type for message in self.messages) >= number or None)

    async def _until(self, find: Callable[[], T | None]) -> T:
        while (found := find()) is None:
            self._check()
            await self._news.wait()
        return found

    def _check(self) -> None:
        if self._ended:
            raise CallEnded(self._ended)

    def _take(self, event: object) -> None:
        match event:
            case AudioIn(pcm, _):
                self._hear(pcm)
            case Message(text, _):
                self._read(text)
            case LegLost():
                self._end("the agent has vanished: nothing comes from it any more")
            case HungUp(reason, _):
                self._end(f"the agent's side ended the call ({reason})")
            case _:
                return
        self._tell()

    def _hear(self, pcm: bytes) -> None:
        self._connected_at = self._connected_at or current_time()
        samples = np.frombuffer(pcm, np.int16).astype(np.float32)
        if samples.size and float(np.sqrt(np.mean(samples * samples))) > LOUD_RMS:
            now = current_time()
            if self._loud_at is None or now - self._loud_at > PAUSE_S:
                self._began_at = now
            self._loud_at = now

    def _read(self, text: str) -> None:
        self._connected_at = self._connected_at or current_time()
        with suppress(ValidationError):  # what is no message is not what anybody waits for
            self.messages.append(Heard.model_validate_json(text))

    def _end(self, why: str) -> None:
        self._ended = self._ended or why
        self._tell()

    def _tell(self) -> None:
        news, self._news = self._news, anyio.Event()
        news.set()
