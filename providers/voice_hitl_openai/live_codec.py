"""From the wire of the Live API to data. Pure; `live_commands` is the way back.

As hostile a reading as that of the Realtime API (`codec`). Source of the messages: the Live server events of the OpenAI
API reference, as the SDK 3.57 has them (`openai.types.live`).
"""

from collections.abc import Callable
from typing import Final

from voice_hitl.provider import ProviderDigit
from voice_hitl_openai.fields import (
    MOST_ID_CHARS,
    Json,
    Malformed,
    id_of,
    maybe_object,
    number_of,
    object_of,
    pcm_of,
    text_of,
)
from voice_hitl_openai.live_messages import (
    BackendCalls,
    BackendEnded,
    BackendStarted,
    HandedOver,
    LiveMessage,
    SessionClosed,
    Started,
    Voice,
    Words,
)
from voice_hitl_openai.messages import Refusal, ResponseStatus
from voice_hitl_openai.reading import MEANINGLESS, MOST_ARGUMENT_CHARS, read_message

_BACKEND_ENDS: Final[dict[str, ResponseStatus]] = {
    "response.completed": "completed",
    "response.failed": "failed",
    "response.incomplete": "incomplete",
    "response.cancelled": "cancelled",
}


def decode_live(raw: bytes | str) -> LiveMessage:
    """Read one message. Never raises."""
    return read_message(raw, _READERS, _SILENT)


def _started(message: Json) -> LiveMessage:
    return Started(number_of(object_of(message, "session"), "expires_at"))


def _voice(message: Json) -> LiveMessage:
    return Voice(pcm_of(message, "delta"))


def _heard(message: Json) -> LiveMessage:
    return Words("user", text_of(message, "delta"))


def _spoke(message: Json) -> LiveMessage:
    return Words("assistant", text_of(message, "delta"))


def _handed_over(message: Json) -> LiveMessage:
    delegation = object_of(message, "delegation")
    return HandedOver(id_of(delegation, "id"), text_of(delegation, "target", MOST_ID_CHARS))


def _backend(message: Json) -> LiveMessage:
    """One event of the Responses API, inside. Its calls count at their item-done, when that is completed."""
    event, delegation_id = object_of(message, "event"), text_of(message, "delegation_id", MOST_ID_CHARS)
    kind = text_of(event, "type", MOST_ID_CHARS)
    if kind == "response.created":
        return BackendStarted(delegation_id, id_of(object_of(event, "response"), "id"))
    if kind in _BACKEND_ENDS:
        return BackendEnded(delegation_id, id_of(object_of(event, "response"), "id"), _BACKEND_ENDS[kind])
    item = maybe_object(event, "item")
    if item.get("type") != "function_call":
        return MEANINGLESS
    call_id, name = text_of(item, "call_id", MOST_ID_CHARS), text_of(item, "name", MOST_ID_CHARS)
    if kind == "response.output_item.added":
        return BackendCalls(delegation_id, call_id, name, None)
    if kind == "response.output_item.done" and text_of(item, "status") in ("completed", ""):
        return BackendCalls(delegation_id, call_id, name, text_of(item, "arguments", MOST_ARGUMENT_CHARS))
    return MEANINGLESS


def _digit(message: Json) -> LiveMessage:
    digit = text_of(message, "event", 1)
    if not digit:
        raise Malformed("event is no key")
    return ProviderDigit(digit)


def _closed(message: Json) -> LiveMessage:
    return SessionClosed(text_of(message, "reason", MOST_ID_CHARS))


def _error(message: Json) -> LiveMessage:
    error = object_of(message, "error")
    event_id = text_of(error, "client_event_id", MOST_ID_CHARS) or text_of(message, "client_event_id", MOST_ID_CHARS)
    return Refusal(text_of(error, "code", MOST_ID_CHARS) or "error", text_of(error, "message"), event_id)


_READERS: Final[dict[str, Callable[[Json], LiveMessage]]] = {
    "session.output_audio.delta": _voice,
    "session.input_transcript.delta": _heard,
    "session.output_transcript.delta": _spoke,
    "session.delegation.created": _handed_over,
    "response.event": _backend,
    "session.started": _started,
    "session.closed": _closed,
    "transport.dtmf.received": _digit,
    "error": _error,
}

_SILENT: Final = frozenset(
    {
        "info",
        "session.updated",
        "session.usage.updated",
        "session.commentary.appended",
        "session.thinking.appended",
        "session.instructions.appended",
        "session.input_audio.append",  # reflected to a sideband
        "session.input_audio.muted",
        "session.input_audio.unmuted",
        "session.output_audio.fixture.playing",
        "session.output_audio.fixture.played",
        "transport.answered",
        "transport.dtmf.send",
        "transport.dtmf.sent",
        "transport.failed",
        "transport.ringing",
    }
)
