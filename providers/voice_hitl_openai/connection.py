"""The shell around `Conversation`: the SDK's socket, one task that reads it and one that writes it.

Audio goes through the SDK's `send_raw` and `recv_bytes`: its typed calls cost ten times as much a frame.
"""

import logging
from typing import Final

import anyio
from openai import OpenAIError
from openai.resources.realtime.realtime import AsyncRealtimeConnection
from websockets.exceptions import ConnectionClosed

from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.provider import AudioOut, InjectRole, ProviderConfig, ProviderEvent, ProviderFailed
from voice_hitl.tasks import Mailbox, Tasks
from voice_hitl_openai.codec import decode
from voice_hitl_openai.commands import append_audio
from voice_hitl_openai.conversation import Conversation
from voice_hitl_openai.messages import Unknown, Unreadable
from voice_hitl_openai.session import Update

log = logging.getLogger(__name__)

MOST_FRAMES_OUT: Final = 100
"""Two seconds of the caller's voice wait for the socket at most; older audio is worth nothing."""

MOST_AUDIO_IN: Final = 4096
"""Pieces of the model's voice that wait for the session at most: minutes, since the service speaks ahead."""

MOST_TYPES_NAMED: Final = 64
"""Unknown types that are named in the log, each once."""

UPDATE_S: Final = 5.0
"""How long the service may take to confirm a change of the session."""

CLOSE_S: Final = 1.0
"""How long the closing handshake may take."""


def _is_audio(item: bytes | str) -> bool:
    return isinstance(item, bytes)


def _is_voice(event: ProviderEvent) -> bool:
    return isinstance(event, AudioOut)


class OpenAIRealtimeConnection:
    """One session with the model (`voice_hitl.provider.ProviderConnection`)."""

    def __init__(self, socket: AsyncRealtimeConnection, conversation: Conversation) -> None:
        self._socket = socket
        self._conversation = conversation
        self._out: Mailbox[bytes | str] = Mailbox(limit=MOST_FRAMES_OUT, droppable=_is_audio)
        self._in: Mailbox[ProviderEvent] = Mailbox(limit=MOST_AUDIO_IN, droppable=_is_voice)
        self._tasks = Tasks("openai realtime")
        self._waiting: list[tuple[Update, anyio.Event]] = []
        self._unknown: set[str] = set()
        self._closing = False
        self._failed = False
        self.unreadable = 0
        """Messages that were not what the protocol says; each was let go."""

    @property
    def dropped_frames(self) -> int:
        """Frames of the caller's voice that the socket was too slow for."""
        return self._out.dropped

    async def open(self, config: ProviderConfig) -> None:
        """Start, and return when the session stands as asked for."""
        self._tasks.spawn(self._read(), "reader")
        self._tasks.spawn(self._write(), "writer")
        update = self._conversation.open(config)
        self._flush()
        await self._confirmed(update)

    # --- commands ----------------------------------------------------------------------------------------------------

    def events(self) -> Mailbox[ProviderEvent]:
        """The one stream of events; ends with the connection."""
        return self._in

    def send_audio(self, pcm: bytes) -> None:
        """Give it some of the caller's voice, mono int16 at 24 kHz. Never waits."""
        self._require_open()
        if pcm:
            self._out.put(pcm)

    async def send_tool_result(self, call_id: str, name: str, text: str, *, failed: bool) -> None:
        """Give a call its one output; the service has no mark for a failed one: the text says it."""
        self._require_open()
        self._conversation.give_output(call_id, text)
        self._flush()

    async def say(self, text: str) -> None:
        """Speak `text`, out of band. Words that come out otherwise are told (`ProviderFailed`, `said_otherwise`)."""
        self._require_open()
        self._conversation.say(text)
        self._flush()

    async def inject(self, text: str, *, role: InjectRole = "system", silent: bool = True) -> str:
        """Add a text item to the history; return its id."""
        self._require_open()
        item_id = self._conversation.inject(text, role)
        if not silent:
            self._conversation.respond()
        self._flush()
        return item_id

    async def respond(self) -> None:
        """Ask the model to go on: now, or once when what is active has ended."""
        self._require_open()
        self._conversation.respond()
        self._flush()

    async def interrupt(self, response_id: str | None = None, *, item_id: str = "", played_ms: float = 0) -> None:
        """Stop what is active (or this response) and forget what was not heard of the item that was playing."""
        self._require_open()
        self._conversation.interrupt(response_id, item_id, played_ms)
        self._flush()

    async def hold(self, *, on: bool) -> None:
        """Keep the model from answering by itself, or give that back; returns when the service has confirmed it.

        Raises:
            ProviderError: It was refused, or not confirmed in 5 s.
        """
        self._require_open()
        update = self._conversation.hold(on=on)
        self._flush()
        if update is not None:
            await self._confirmed(update)

    async def forget(self, item_id: str) -> None:
        """Take an item out of the history."""
        self._require_open()
        self._conversation.forget(item_id)
        self._flush()

    async def reconfigure(self, config: ProviderConfig) -> None:
        """Change instructions and tools (and the voice, until it was heard) in place.

        Raises:
            ProviderError: It was refused, or not confirmed in 5 s.
        """
        self._require_open()
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
        with anyio.move_on_after(CLOSE_S, shield=True):
            try:
                await self._socket.close()
            except (OSError, OpenAIError, ConnectionClosed) as error:
                log.debug("closing: %s", error)
        await self._tasks.close()

    # --- the socket --------------------------------------------------------------------------------------------------

    async def _read(self) -> None:
        try:
            while not self._failed:
                self._receive(await self._socket.recv_bytes())
        except ConnectionClosed as closed:
            if not self._closing:
                ending = closed.rcvd or closed.sent
                self._conversation.lose(ending.code if ending else 1006, ending.reason if ending else "")
                self._flush()
        finally:
            self._end()

    def _receive(self, raw: bytes) -> None:
        message = decode(raw)
        if isinstance(message, Unreadable):
            self.unreadable += 1
            if self.unreadable == 1:
                log.warning("a message of the service was let go: %s", message.why)
        elif isinstance(message, Unknown):
            if message.type not in self._unknown and len(self._unknown) < MOST_TYPES_NAMED:
                self._unknown.add(message.type)
                log.info("messages of the type %r mean nothing to us", message.type)
        else:
            self._conversation.receive(message)
            self._flush()

    async def _write(self) -> None:
        try:
            async for item in self._out:
                await self._socket.send_raw(append_audio(item) if isinstance(item, bytes) else item)
        except ConnectionClosed as closed:
            # The reader learns the same, after what came before the end.
            log.debug("sending ended: %s", closed)

    def _flush(self) -> None:
        for command in self._conversation.take_commands():
            self._out.put(command)
        for event in self._conversation.take_events():
            self._in.put(event)
            self._failed |= isinstance(event, ProviderFailed) and event.fatal
        if self._waiting:
            for update, settled in self._waiting:
                if update.state != "asked":
                    settled.set()

    def _end(self) -> None:
        self._out.close()
        self._in.close()
        for _, settled in self._waiting:
            settled.set()

    # --- waiting -----------------------------------------------------------------------------------------------------

    async def _confirmed(self, update: Update) -> None:
        if update.state == "asked" and not self._in.closed:
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
            self._require_open()
            raise ProviderError(f"OpenAI did not confirm a change of the session within {UPDATE_S:g} s")

    def _require_open(self) -> None:
        if self._out.closed:
            raise ConnectionEnded("the connection to OpenAI is closed")
