"""`Wire`: the SDK's socket, one task that reads it and one that writes it, whichever of the protocols it speaks.

Audio goes through the SDK's `send_raw` and `recv_bytes`: its typed calls cost ten times as much a frame.
"""

import logging
from collections.abc import Callable, Coroutine, Iterable
from typing import Final, Generic, Protocol, TypeVar

import anyio
from openai import OpenAIError
from websockets.exceptions import ConnectionClosed

from voice_hitl.errors import ConnectionEnded
from voice_hitl.provider import AudioOut, ProviderEvent
from voice_hitl.tasks import Mailbox, Tasks
from voice_hitl_openai.messages import Unknown, Unreadable

log = logging.getLogger(__name__)

MOST_FRAMES_OUT: Final = 100
"""Two seconds of the caller's voice wait for the socket at most; older audio is worth nothing."""

MOST_AUDIO_IN: Final = 4096
"""Pieces of the model's voice that wait for the session at most: minutes, since the service speaks ahead."""

MOST_TYPES_NAMED: Final = 64
"""Unknown types that are named in the log, each once."""

CLOSE_S: Final = 1.0
"""How long the closing handshake may take."""

M = TypeVar("M")


class Socket(Protocol):
    """What is used of the SDK's connections."""

    async def recv_bytes(self) -> bytes:
        """The next message as it came."""
        ...

    async def send_raw(self, data: bytes | str) -> None:
        """Send a message as it stands."""
        ...

    async def close(self) -> None:
        """Close, with the handshake."""
        ...


def _is_audio(item: bytes | str) -> bool:
    return isinstance(item, bytes)


def _is_voice(event: ProviderEvent) -> bool:
    return isinstance(event, AudioOut)


class Wire(Generic[M]):
    """A socket and the two lines at it: what waits to be sent, and what waits for the session. Both are bounded.

    Args:
        socket: The SDK's connection.
        name: What to call its tasks.
        decode: Reads a message; never raises.
        append_audio: Writes a frame of the caller's voice as a command.
    """

    def __init__(
        self, socket: Socket, name: str, *, decode: Callable[[bytes], M], append_audio: Callable[[bytes], str]
    ) -> None:
        self._socket = socket
        self._decode = decode
        self._append_audio = append_audio
        self._out: Mailbox[bytes | str] = Mailbox(limit=MOST_FRAMES_OUT, droppable=_is_audio)
        self._unknown: set[str] = set()
        self.events: Mailbox[ProviderEvent] = Mailbox(limit=MOST_AUDIO_IN, droppable=_is_voice)
        """What the session is told."""
        self.tasks = Tasks(name)
        self.unreadable = 0
        """Messages that were not what the protocol says; each was let go."""

    @property
    def dropped_frames(self) -> int:
        """Frames of the caller's voice that the socket was too slow for."""
        return self._out.dropped

    @property
    def closed(self) -> bool:
        """Whether nothing goes over it any more."""
        return self._out.closed

    def require_open(self) -> None:
        """Raise `ConnectionEnded` where nothing goes over it any more."""
        if self._out.closed:
            raise ConnectionEnded("the connection to OpenAI is closed")

    def open(self, read: Coroutine[object, object, None]) -> None:
        """Start to write, and `read`, which is what takes `received` messages in."""
        self.tasks.spawn(read, "reader")
        self.tasks.spawn(self._write(), "writer")

    def send(self, item: bytes | str) -> None:
        """Have a frame of the caller's voice (bytes) or a command (text) sent. Never waits."""
        self._out.put(item)

    def pass_on(self, commands: Iterable[str], events: Iterable[ProviderEvent]) -> None:
        """Have these sent, and the session told of those."""
        for command in commands:
            self._out.put(command)
        for event in events:
            self.events.put(event)

    async def received(self) -> M:
        """The next message; `ConnectionClosed` where there is none. What means nothing is counted or named."""
        message = self._decode(await self._socket.recv_bytes())
        if isinstance(message, Unreadable):
            self.unreadable += 1
            if self.unreadable == 1:
                log.warning("a message of the service was let go: %s", message.why)
        elif isinstance(message, Unknown):
            self._name_once(message.type)
        return message

    def _name_once(self, kind: str) -> None:
        if kind not in self._unknown and len(self._unknown) < MOST_TYPES_NAMED:
            self._unknown.add(kind)
            log.info("messages of the type %r mean nothing to us", kind)

    def end(self) -> None:
        """Nothing more is sent, and the events end."""
        self._out.close()
        self.events.close()

    async def close(self) -> None:
        """End, and close the socket."""
        self.end()
        with anyio.move_on_after(CLOSE_S, shield=True):
            try:
                await self._socket.close()
            except (OSError, OpenAIError, ConnectionClosed) as error:
                log.debug("closing: %s", error)
        await self.tasks.close()

    async def _write(self) -> None:
        try:
            async for item in self._out:
                await self._socket.send_raw(self._append_audio(item) if isinstance(item, bytes) else item)
        except ConnectionClosed as closed:
            # The reader learns the same, after what came before the end.
            log.debug("sending ended: %s", closed)
