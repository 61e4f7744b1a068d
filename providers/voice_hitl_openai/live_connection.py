"""The shell around `LiveSession`: the wire, and a task that keeps time.

The model lives by the audio it hears: without any it neither speaks nor takes in what it is told. Where the caller's
stream pauses, silence is sent in its place.
"""

import logging
from typing import Final

import anyio
from openai.resources.live.live import AsyncLiveConnection
from openai.resources.live.sideband import AsyncSidebandConnection
from websockets.exceptions import ConnectionClosed

from voice_hitl.errors import ProviderError
from voice_hitl.provider import InjectRole, ProviderConfig, ProviderEvent
from voice_hitl.tasks import Mailbox, Timer, current_time
from voice_hitl_openai.live_codec import decode_live
from voice_hitl_openai.live_commands import append_live_audio
from voice_hitl_openai.live_messages import LiveMessage
from voice_hitl_openai.live_session import LiveSession
from voice_hitl_openai.settings import RATE
from voice_hitl_openai.wire import Wire

log = logging.getLogger(__name__)

SILENCE_MS: Final = 100
"""After so long without audio, as much silence is sent."""

CLOSED_S: Final = 1.0
"""How long the service may take to say that the session is closed."""

_SILENCE: Final = bytes(RATE * 2 * SILENCE_MS // 1000)

Socket = AsyncLiveConnection | AsyncSidebandConnection


class OpenAILiveConnection:
    """One session with the model (`voice_hitl.provider.ProviderConnection`).

    There is no hold, no cancelling, no truncating and no taking back here, and the model is never asked to speak: those
    commands do nothing, as the provider's capabilities say.
    """

    def __init__(self, socket: Socket, session: LiveSession) -> None:
        self._session = session
        self._carries_media = isinstance(socket, AsyncLiveConnection)
        self._wire: Wire[LiveMessage] = Wire(socket, "openai live", decode=decode_live, append_audio=append_live_audio)
        self._timer: Timer | None = None
        self._news = anyio.Event()
        self._frames = 0
        self._closing = False

    @property
    def unreadable(self) -> int:
        """Messages that were not what the protocol says; each was let go."""
        return self._wire.unreadable

    @property
    def dropped_frames(self) -> int:
        """Frames of the caller's voice that the socket was too slow for."""
        return self._wire.dropped_frames

    async def open(self, config: ProviderConfig) -> None:
        """Start, and return when the session stands.

        Raises:
            ProviderError: The service refuses it, or goes away.
        """
        self._wire.open(self._read())
        self._session.open(config)
        self._flush()
        await self._stands()
        refusal = self._session.refusal
        if refusal is not None:
            raise ProviderError(f"OpenAI refused the Live session: {refusal.message or refusal.code}")
        if self._carries_media:
            self._wire.tasks.spawn(self._keep_time(), "silence")

    # --- commands ----------------------------------------------------------------------------------------------------

    def events(self) -> Mailbox[ProviderEvent]:
        """The one stream of events; ends with the connection."""
        return self._wire.events

    def send_audio(self, pcm: bytes) -> None:
        """Give it some of the caller's voice, mono int16 at 24 kHz. A sideband has the media elsewhere."""
        self._wire.require_open()
        if pcm and self._carries_media:
            self._frames += 1
            self._wire.send(pcm)

    async def send_tool_result(self, call_id: str, name: str, text: str, *, failed: bool) -> None:
        """Give a call of the service's own backend its one output; the text says whether it failed."""
        self._wire.require_open()
        if not self._session.give_output(call_id, text):
            log.info("call %s of %s waits for no output", call_id, name)
        self._flush()

    async def say(self, text: str) -> None:
        """Have something told to the caller, in the model's words."""
        self._wire.require_open()
        self._session.say(text)
        self._flush()

    async def inject(self, text: str, *, role: InjectRole = "system", silent: bool = True) -> str:
        """Add a line to what the model knows; not silent: it may tell the caller. Returns the line's id."""
        self._wire.require_open()
        line_id = self._session.tell(text, role, silent=silent)
        self._flush()
        return line_id

    async def respond(self) -> None:
        """Have the service's own backend go on, where it was given outputs."""
        self._wire.require_open()
        self._session.respond()
        self._flush()

    async def interrupt(self, response_id: str | None = None, *, item_id: str = "", played_ms: float = 0) -> None:
        """Nothing: the model listens while it speaks, and stops by itself."""

    async def hold(self, *, on: bool) -> None:
        """Nothing: it is held by not hearing the caller."""

    async def forget(self, item_id: str) -> None:
        """Say of a line of ours that it does not hold any more; nothing else is ever taken out."""
        self._wire.require_open()
        self._session.forget(item_id)
        self._flush()

    async def reconfigure(self, config: ProviderConfig) -> None:
        """Refuse: a session is as it began.

        Raises:
            ProviderError: Always.
        """
        raise ProviderError("a Live session cannot be changed: connect again")

    async def delegation_output(self, delegation_id: str, text: str, *, final: bool, spoken: bool = True) -> None:
        """Give some of a delegation's output. Nothing tells the service which is the last."""
        self._wire.require_open()
        self._session.give_delegation(delegation_id, text, spoken=spoken)
        self._flush()

    async def aclose(self) -> None:
        """End the connection, and the session with it unless it is another's; closing twice is harmless."""
        if self._closing:
            return
        self._closing = True
        with anyio.move_on_after(CLOSED_S, shield=True):
            if not self._wire.closed:
                self._session.close()
                self._flush()
                if self._carries_media and self._session.started:
                    await self._ended()
        self._end()
        await self._wire.close()

    # --- the wire ----------------------------------------------------------------------------------------------------

    async def _read(self) -> None:
        why = "the service went away"
        try:
            while not self._session.over:
                self._session.receive(await self._wire.received(), current_time())
                self._flush()
        except ConnectionClosed as closed:
            ending = closed.rcvd or closed.sent
            why = f"{ending.code} {ending.reason}".strip() if ending else why
        finally:
            self._session.lose(why)
            self._flush()
            self._end()

    async def _keep_time(self) -> None:
        while True:
            frames = self._frames
            await anyio.sleep(SILENCE_MS / 1000)
            if frames == self._frames and not self._wire.closed:
                self._wire.send(_SILENCE)

    def _flush(self) -> None:
        self._wire.pass_on(self._session.take_commands(), self._session.take_events())
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        deadline = self._session.deadline()
        if deadline is not None and not self._wire.events.closed:
            self._timer = Timer(max(0.0, deadline - current_time()), self._tick)
        news, self._news = self._news, anyio.Event()
        news.set()

    def _tick(self) -> None:
        self._session.tick(current_time())
        self._flush()

    async def _stands(self) -> None:
        while not (self._session.started or self._session.refusal is not None):
            await self._news.wait()

    async def _ended(self) -> None:
        while not self._session.over:
            await self._news.wait()

    def _end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._wire.end()
