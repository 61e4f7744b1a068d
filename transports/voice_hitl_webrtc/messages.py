"""The data channel: texts both ways, bounded, queued until it is open."""

import json
import logging
from collections import deque
from collections.abc import Callable

from aiortc import RTCDataChannel
from aiortc.exceptions import InvalidStateError

log = logging.getLogger(__name__)

LABEL = "voice-hitl"
"""What the calling side names its channel."""

MAX_BYTES = 65_536
"""The longest text in UTF-8, either way."""

MAX_QUEUED = 256
"""Texts that wait for the channel to open; of more, the oldest is let go (a page that connects asks again)."""

MAX_UNSENT_BYTES = 1 << 20
"""A far end that does not read: beyond this much on the way, texts are let go."""


class MessageChannel:
    """Texts to and from the page in the call. What is too large or not text is refused and never delivered."""

    def __init__(self, call_id: str, *, on_text: Callable[[str], None], on_closed: Callable[[], None]) -> None:
        self._call_id = call_id
        self._on_text = on_text
        self._on_closed = on_closed
        self._channel: RTCDataChannel | None = None
        self._waiting: deque[str] = deque(maxlen=MAX_QUEUED)
        self._complained: set[str] = set()

    def attach(self, channel: RTCDataChannel) -> None:
        """Use `channel`, if it is the first one; a second one is closed."""
        if self._channel is not None:
            channel.close()
            return
        self._channel = channel
        channel.on("message", self._received)
        channel.on("open", self._flush)
        channel.on("close", self._on_closed)
        if channel.readyState == "open":
            self._flush()

    def send(self, text: str) -> None:
        """Send now, or once the channel is open. Never raises: what cannot be sent is let go, logged once."""
        if _too_long(text):
            self._complain("outgoing", "a message of more than %d bytes was not sent", MAX_BYTES)
        elif self._channel is None or self._channel.readyState == "connecting":
            if len(self._waiting) == MAX_QUEUED:
                self._complain("waiting", "more than %d messages wait for the data channel: the oldest go", MAX_QUEUED)
            self._waiting.append(text)
        elif self._channel.bufferedAmount > MAX_UNSENT_BYTES:
            self._complain("unread", "the page does not read: %d bytes are on their way", self._channel.bufferedAmount)
        else:
            self._hand_over(self._channel, text)

    def _flush(self) -> None:
        while self._channel is not None and self._waiting:
            self._hand_over(self._channel, self._waiting.popleft())

    def _hand_over(self, channel: RTCDataChannel, text: str) -> None:
        try:
            channel.send(text)
        except (InvalidStateError, ConnectionError, ValueError) as error:
            self._complain("gone", "a message could not be sent: %s", error or "the data channel is closed")

    def _received(self, data: str | bytes) -> None:
        if isinstance(data, bytes):
            self._refuse("malformed", "messages are JSON text; this one was binary")
        elif _too_long(data):
            self._refuse("too_large", f"a message has at most {MAX_BYTES} bytes")
        else:
            self._on_text(data)

    def _refuse(self, code: str, why: str) -> None:
        self._complain(code, "a message was refused: %s", why)
        self.send(json.dumps({"v": 1, "type": "refused", "code": code, "why": why}))

    def _complain(self, about: str, message: str, *args: object) -> None:
        if about not in self._complained:
            self._complained.add(about)
            log.warning("call %s: " + message, self._call_id, *args)  # noqa: G003 - the messages are the ones above


def _too_long(text: str) -> bool:
    return len(text) * 4 > MAX_BYTES and len(text.encode()) > MAX_BYTES
