"""From what is wanted to the wire of the Live API. Pure; `live_codec` is the way back.

Source of the messages: the Live client events of the OpenAI API reference, as the SDK 3.57 has them.
"""

import binascii
import json
from collections.abc import Mapping
from typing import Final, Literal

Channel = Literal["commentary", "thinking", "instructions"]
"""What the model may tell the caller, what it only knows, what it is to obey."""

MOST_BYTES: Final = 500
"""How much one append carries. The service takes 500 tokens; no text has more tokens than bytes (UTF-8)."""

_CUTS: Final = ((". ", "! ", "? ", "\n", "。"), ("; ", ", "), (" ",))
"""Where a text is cut, the better places first."""


def append_live_audio(pcm: bytes) -> str:
    """Some of the caller's voice, mono int16 at 24 kHz. Written by hand: it runs fifty times a second in each call."""
    return '{"type":"session.input_audio.append","audio":"' + binascii.b2a_base64(pcm, newline=False).decode() + '"}'


def start(event_id: str, session: Mapping[str, object]) -> str:
    """Start the session: the first thing that is sent, and only on a primary connection."""
    return _event("session.start", event_id, session=dict(session))


def append(channel: Channel, event_id: str, content: str, delegation_id: str | None) -> str:
    """Add text, `MOST_BYTES` at most, to what the model knows; `delegation_id` None: it belongs to no delegation."""
    return _event(f"session.{channel}.append", event_id, content=content, delegation_id=delegation_id)


def give_output(event_id: str, call_id: str, text: str) -> str:
    """Give the service's backend the one output of a call of its."""
    item = {"type": "function_call_output", "call_id": call_id, "output": text}
    return _event("response.item.create", event_id, item=item)


def create_backend_response(event_id: str) -> str:
    """Have the service's backend go on."""
    return _event("response.create", event_id)


def close(event_id: str) -> str:
    """End the session."""
    return _event("session.close", event_id)


def pieces(text: str) -> list[str]:
    """The text in pieces that fit an append, cut at sentence ends, else between words. Nothing of it is lost."""
    cut: list[str] = []
    rest = text.strip()
    while len(rest.encode()) > MOST_BYTES:
        # At most so many characters, and never half of one.
        fits = rest.encode()[:MOST_BYTES].decode(errors="ignore")
        ends = [max(fits.rfind(mark) + len(mark) if mark in fits else 0 for mark in marks) for marks in _CUTS]
        end = next((end for end in ends if end * 3 >= len(fits)), len(fits))
        cut.append(rest[:end].strip())
        rest = rest[end:].strip()
    return [piece for piece in (*cut, rest) if piece]


def _event(kind: str, event_id: str, **fields: object) -> str:
    return json.dumps({"type": kind, "event_id": event_id, **fields}, separators=(",", ":"))
