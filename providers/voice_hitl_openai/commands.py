"""From what is wanted to the wire of the Realtime API (GA events). Pure; `codec` is the way back.

Source of the messages: the Realtime client events of the OpenAI API reference.
"""

import binascii
import json
from collections.abc import Mapping
from typing import Final

from voice_hitl.provider import InjectRole

TAG: Final = "voice_hitl"
"""The key under which a response that we asked for carries our name for it (`metadata` comes back with it)."""

VERBATIM: Final = (
    "Say the words of the message exactly as they stand, in the language they are in, and nothing else. "
    "Do not answer them, do not greet, do not add or leave out a word."
)


def append_audio(pcm: bytes) -> str:
    """Some of the caller's voice, mono int16 at 24 kHz. Written by hand: it runs fifty times a second in each call."""
    return '{"type":"input_audio_buffer.append","audio":"' + binascii.b2a_base64(pcm, newline=False).decode() + '"}'


def update_session(event_id: str, session: Mapping[str, object]) -> str:
    """Change these fields of the session, and no other."""
    return _event("session.update", event_id, session=dict(session))


def create_item(item: Mapping[str, object]) -> str:
    """Add an item, named by us, to the history; a refusal names it by the item's id."""
    return _event("conversation.item.create", str(item["id"]), item=dict(item))


def delete_item(event_id: str, item_id: str) -> str:
    """Take an item out of the history."""
    return _event("conversation.item.delete", event_id, item_id=item_id)


def truncate_item(event_id: str, item_id: str, index: int, heard_ms: int) -> str:
    """Forget what was not heard of the model's audio, and its transcript with it."""
    return _event("conversation.item.truncate", event_id, item_id=item_id, content_index=index, audio_end_ms=heard_ms)


def create_response(tag: str) -> str:
    """Ask the model to go on. No instructions: they would replace the session's."""
    return _event("response.create", tag, response={"metadata": {TAG: tag}})


def create_saying(tag: str, text: str) -> str:
    """Ask for `text` aloud, out of band: outside the conversation, with no tools, these words as the only input."""
    words = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
    return _event(
        "response.create",
        tag,
        response={
            "conversation": "none",
            "input": [words],
            "instructions": VERBATIM,
            "output_modalities": ["audio"],
            "tools": [],
            "tool_choice": "none",
            "metadata": {TAG: tag},
        },
    )


def cancel_response(event_id: str, response_id: str) -> str:
    """Stop this response."""
    return _event("response.cancel", event_id, response_id=response_id)


def clear_output(event_id: str) -> str:
    """Stop what is being heard, in a call whose media the service holds."""
    return _event("output_audio_buffer.clear", event_id)


def message_item(item_id: str, role: InjectRole, text: str) -> dict[str, object]:
    """A text message of the history."""
    kind = "output_text" if role == "assistant" else "input_text"
    return {"id": item_id, "type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def call_item(item_id: str, call_id: str, name: str, arguments: str) -> dict[str, object]:
    """A function call of the history: owed its output."""
    return {"id": item_id, "type": "function_call", "call_id": call_id, "name": name, "arguments": arguments}


def output_item(item_id: str, call_id: str, text: str) -> dict[str, object]:
    """The one output of a call."""
    return {"id": item_id, "type": "function_call_output", "call_id": call_id, "output": text}


def _event(kind: str, event_id: str, **fields: object) -> str:
    return json.dumps({"type": kind, "event_id": event_id, **fields}, separators=(",", ":"))
