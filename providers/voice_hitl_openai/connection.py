"""The shell around `Conversation`: what it wants goes over the wire, what the wire brings goes into it."""

from typing import Final

import anyio
from openai.resources.realtime.realtime import AsyncRealtimeConnection
from websockets.exceptions import ConnectionClosed

from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.provider import InjectRole, ProviderConfig, ProviderEvent, ProviderFailed
from voice_hitl.tasks import Mailbox
from voice_hitl_openai.codec import decode
from voice_hitl_openai.commands import append_audio
from voice_hitl_openai.conversation import Conversation
from voice_hitl_openai.messages import Message
from voice_hitl_openai.session import Update
from voice_hitl_openai.wire import Wire

UPDATE_S: Final = 5.0
"""How long the service may take to confirm a change of the session."""


class OpenAIRealtimeConnection:
    """One session with the model (`voice_hitl.provider.ProviderConnection`)."""

    def __init__(self, socket: AsyncRealtimeConnection, conversation: Conversation) -> None:
        self._conversation = conversation
        self._wire: Wire[Message] = Wire(socket, "openai realtime", decode=decode, append_audio=append_audio)
        self._waiting: list[tuple[Update, anyio.Event]] = []
        self._closing = False
        self._failed = False

    @property
    def unreadable(self) -> int:
        """Messages that were not what the protocol says; each was let go."""
        return self._wire.unreadable

    @property
    def dropped_frames(self) -> int:
        """Frames of the caller's voice that the socket was too slow for."""
        return self._wire.dropped_frames

    @property
    def expired(self) -> bool:
        """Whether the service has ended the session at its time limit."""
        return self._conversation.expired

    async def open(self, config: ProviderConfig) -> None:
        """Start, and return when the session stands as asked for.

        Raises:
            ProviderError: The service refuses it, or goes away.
        """
        self._wire.open(self._read())
        update = self._conversation.open(config)
        self._flush()
        try:
            await self._confirmed(update)
        except ConnectionEnded as ended:
            raise ProviderError(await self._why_ended()) from ended

    # --- commands ----------------------------------------------------------------------------------------------------

    def events(self) -> Mailbox[ProviderEvent]:
        """The one stream of events; ends with the connection."""
        return self._wire.events

    def send_audio(self, pcm: bytes) -> None:
        """Give it some of the caller's voice, mono int16 at 24 kHz. Never waits."""
        self._wire.require_open()
        if pcm:
            self._wire.send(pcm)

    async def send_tool_result(self, call_id: str, name: str, text: str, *, failed: bool) -> None:
        """Give a call its one output; the service has no mark for a failed one: the text says it."""
        self._wire.require_open()
        self._conversation.give_output(call_id, text)
        self._flush()

    async def say(self, text: str) -> None:
        """Speak `text`, out of band. Words that come out otherwise are told (`ProviderFailed`, `said_otherwise`)."""
        self._wire.require_open()
        self._conversation.say(text)
        self._flush()

    async def inject(self, text: str, *, role: InjectRole = "system", silent: bool = True) -> str:
        """Add a text item to the history; return its id."""
        self._wire.require_open()
        item_id = self._conversation.inject(text, role)
        if not silent:
            self._conversation.respond()
        self._flush()
        return item_id

    async def respond(self) -> None:
        """Ask the model to go on: now, or once when what is active has ended."""
        self._wire.require_open()
        self._conversation.respond()
        self._flush()

    async def interrupt(self, response_id: str | None = None, *, item_id: str = "", played_ms: float = 0) -> None:
        """Stop what is active (or this response) and forget what was not heard of the item that was playing."""
        self._wire.require_open()
        self._conversation.interrupt(response_id, item_id, played_ms)
        self._flush()

    async def hold(self, *, on: bool) -> None:
        """Keep the model from answering by itself, or give that back; returns when the service has confirmed it.

        Raises:
            ProviderError: It was refused, or not confirmed in 5 s.
        """
        self._wire.require_open()
        update = self._conversation.hold(on=on)
        self._flush()
        if update is not None:
            await self._confirmed(update)

    async def forget(self, item_id: str) -> None:
        """Take an item out of the history."""
        self._wire.require_open()
        self._conversation.forget(item_id)
        self._flush()

    async def reconfigure(self, config: ProviderConfig) -> None:
        """Change instructions and tools (and the voice, until it was heard) in place.

        Raises:
            ProviderError: It was refused, or not confirmed in 5 s.
        """
        self._wire.require_open()
        update = self._conversation.reconfigure(config)
        self._flush()
        await self._confirmed(update)

    async def delegation_output(self, delegation_id: str, text: str, *, final: bool, spoken: bool = True) -> None:
        """Nothing: this service hands nothing over."""

    async def aclose(self) -> None:
        """End the connection; closing twice is harmless."""
        if self._closing:
            return
        self._closing = True
        self._end()
        await self._wire.close()

    # --- the wire ----------------------------------------------------------------------------------------------------

    async def _read(self) -> None:
        try:
            while not self._failed:
                self._conversation.receive(await self._wire.received())
                self._flush()
        except ConnectionClosed as closed:
            if not self._closing:
                ending = closed.rcvd or closed.sent
                self._conversation.lose(ending.code if ending else 1006, ending.reason if ending else "")
                self._flush()
        finally:
            self._end()

    def _flush(self) -> None:
        events = self._conversation.take_events()
        self._wire.pass_on(self._conversation.take_commands(), events)
        self._failed |= any(isinstance(event, ProviderFailed) and event.fatal for event in events)
        for update, settled in self._waiting:
            if update.state != "asked":
                settled.set()

    def _end(self) -> None:
        self._wire.end()
        for _, settled in self._waiting:
            settled.set()

    # --- waiting -----------------------------------------------------------------------------------------------------

    async def _confirmed(self, update: Update) -> None:
        if update.state == "asked" and not self._wire.events.closed:
            waiting = (update, anyio.Event())
            self._waiting.append(waiting)
            try:
                with anyio.move_on_after(UPDATE_S):
                    await waiting[1].wait()
            finally:
                self._waiting.remove(waiting)
        if update.state == "refused":
            why = update.refusal.message if update.refusal else ""
            raise ProviderError(f"OpenAI refused a change of the session: {why}")
        if update.state == "asked":
            self._wire.require_open()
            raise ProviderError(f"OpenAI did not confirm a change of the session within {UPDATE_S:g} s")

    async def _why_ended(self) -> str:
        async for event in self.events():
            if isinstance(event, ProviderFailed):
                return f"OpenAI ended the session before it stood: {event.message or event.code}"
        return "OpenAI ended the session before it stood"
