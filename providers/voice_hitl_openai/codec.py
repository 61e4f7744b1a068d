"""From the wire of the Realtime API (GA events) to data. Pure; `commands` is the way back.

Everything is taken to be hostile: a message that is not JSON, lacks what its type must have, or holds it in another
form, comes out as `Unreadable`; texts and ids are bounded; types nobody told us of come out as `Unknown`.
Source of the messages: the Realtime server events of the OpenAI API reference.
"""

import binascii
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final, cast

import jiter

from voice_hitl.provider import AudioOut, ProviderDigit, SpeechStarted, SpeechStopped, Transcript, TranscriptFailed
from voice_hitl_openai.commands import TAG
from voice_hitl_openai.messages import (
    Item,
    ItemAdded,
    Meaningless,
    Message,
    OutputItemAdded,
    OutputItemDone,
    PlaybackStopped,
    Refusal,
    ResponseCreated,
    ResponseDone,
    ResponseStatus,
    SessionEcho,
    SpokenDelta,
    Unknown,
    Unreadable,
)

MOST_ID_CHARS: Final = 256
MOST_TEXT_CHARS: Final = 65_536
MOST_ARGUMENT_CHARS: Final = 1_048_576
"""Longer arguments are cut, and so come out unreadable at intake: the call is refused, not lost."""
MOST_PARTS: Final = 64
MOST_LOGPROBS: Final = 4_096

Json = Mapping[str, object]

MEANINGLESS: Final = Meaningless()
_STATUSES: Final[dict[object, ResponseStatus]] = {
    "completed": "completed",
    "cancelled": "cancelled",
    "failed": "failed",
    "incomplete": "incomplete",
}


class _Malformed(Exception):  # noqa: N818 - never leaves this module
    """A message lacks what its type must have."""


def decode(raw: bytes | str) -> Message:
    """Read one message. Never raises."""
    try:
        # The SDK's own parser: on audio six times as fast as the standard one, and it bounds the depth itself.
        loaded: object = jiter.from_json(raw if isinstance(raw, bytes) else raw.encode(), cache_mode="none")
    except ValueError:
        return Unreadable("it is not JSON")
    if not isinstance(loaded, dict):
        return Unreadable("it is not a JSON object")
    message = cast("Json", loaded)
    kind = message.get("type")
    if not isinstance(kind, str):
        return Unreadable("it has no type")
    read = _READERS.get(kind)
    if read is None:
        return MEANINGLESS if kind in _SILENT else Unknown(kind[:MOST_ID_CHARS])
    try:
        return read(message)
    except _Malformed as malformed:
        return Unreadable(f"{kind}: {malformed}")


# --- fields ----------------------------------------------------------------------------------------------------------


def _id(message: Json, key: str) -> str:
    value = message.get(key)
    if not isinstance(value, str) or not value or len(value) > MOST_ID_CHARS:
        raise _Malformed(f"{key} is not an id")
    return value


def _text(message: Json, key: str, most: int = MOST_TEXT_CHARS) -> str:
    value = message.get(key)
    return value[:most] if isinstance(value, str) else ""


def _object(message: Json, key: str) -> Json:
    value = message.get(key)
    if not isinstance(value, dict):
        raise _Malformed(f"{key} is not an object")
    return cast("Json", value)


def _maybe_object(message: Json, key: str) -> Json:
    value = message.get(key)
    return cast("Json", value) if isinstance(value, dict) else {}


def _objects(message: Json, key: str, most: int) -> Sequence[Json]:
    value = message.get(key)
    entries = cast("list[object]", value[:most]) if isinstance(value, list) else []
    return [cast("Json", entry) for entry in entries if isinstance(entry, dict)]


def _number(message: Json, key: str) -> float | None:
    value = message.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _index(message: Json) -> int:
    value = message.get("content_index")
    return value if isinstance(value, int) and 0 <= value < MOST_PARTS else 0


# --- the session and its history -------------------------------------------------------------------------------------


def _session(message: Json) -> SessionEcho:
    session = _object(message, "session")
    heard = _maybe_object(_maybe_object(session, "audio"), "input")
    detection = heard.get("turn_detection")
    return SessionEcho(
        created=message["type"] == "session.created",
        expires_at=_number(session, "expires_at"),
        turn_detection=cast("Json", detection) if isinstance(detection, dict) else None,
        echoed="turn_detection" in heard,
    )


def _item(message: Json) -> Item:
    item = _object(message, "item")
    kind = _text(item, "type", MOST_ID_CHARS)
    parts = _objects(item, "content", MOST_PARTS) if kind == "message" else ()
    return Item(
        item_id=_id(item, "id"),
        kind=kind,
        role=_text(item, "role", MOST_ID_CHARS),
        status=_text(item, "status", MOST_ID_CHARS),
        text="".join(_text(part, "transcript") or _text(part, "text") for part in parts)[:MOST_TEXT_CHARS],
        call_id=_text(item, "call_id", MOST_ID_CHARS),
        name=_text(item, "name", MOST_ID_CHARS),
        arguments=_text(item, "arguments", MOST_ARGUMENT_CHARS),
    )


def _item_added(message: Json) -> ItemAdded:
    return ItemAdded(_item(message))


# --- what the model says ---------------------------------------------------------------------------------------------


def _audio(message: Json) -> AudioOut:
    delta = message.get("delta")
    if not isinstance(delta, str):
        raise _Malformed("delta is not text")
    try:
        pcm = binascii.a2b_base64(delta, strict_mode=True)
    except ValueError as error:
        raise _Malformed("delta is not base64") from error
    if len(pcm) % 2:
        pcm = pcm[:-1]
    return AudioOut(pcm, _id(message, "item_id"), _index(message), _id(message, "response_id"))


def _spoken_delta(message: Json) -> SpokenDelta:
    return SpokenDelta(_id(message, "response_id"), _id(message, "item_id"), _text(message, "delta"))


def _output_item_added(message: Json) -> OutputItemAdded:
    return OutputItemAdded(_id(message, "response_id"), _item(message))


def _output_item_done(message: Json) -> OutputItemDone:
    return OutputItemDone(_id(message, "response_id"), _item(message))


def _response_created(message: Json) -> ResponseCreated:
    response = _object(message, "response")
    tag = _text(_maybe_object(response, "metadata"), TAG, MOST_ID_CHARS)
    return ResponseCreated(_id(response, "id"), tag, "metadata" in response)


def _response_done(message: Json) -> ResponseDone:
    response = _object(message, "response")
    error = _maybe_object(_maybe_object(response, "status_details"), "error")
    return ResponseDone(
        _id(response, "id"),
        _STATUSES.get(_text(response, "status"), "failed"),
        _text(error, "code", MOST_ID_CHARS) or _text(error, "type", MOST_ID_CHARS),
        _text(error, "message"),
    )


# --- what the caller says --------------------------------------------------------------------------------------------


def _heard_delta(message: Json) -> Transcript:
    return Transcript("user", _text(message, "delta"), final=False, item_id=_id(message, "item_id"))


def _heard(message: Json) -> Transcript:
    text = message.get("transcript")
    if not isinstance(text, str):
        raise _Malformed("transcript is not text")
    item_id = _id(message, "item_id")
    return Transcript("user", text[:MOST_TEXT_CHARS], final=True, item_id=item_id, confidence=_confidence(message))


def _confidence(message: Json) -> float | None:
    """The geometric mean of the tokens' probabilities, where the service tells them."""
    logprobs = [_number(entry, "logprob") for entry in _objects(message, "logprobs", MOST_LOGPROBS)]
    known = [min(logprob, 0.0) for logprob in logprobs if logprob is not None]
    return math.exp(sum(known) / len(known)) if known else None


def _not_heard(message: Json) -> TranscriptFailed:
    return TranscriptFailed(_id(message, "item_id"))


def _speech_started(message: Json) -> SpeechStarted:
    return SpeechStarted(_text(message, "item_id", MOST_ID_CHARS))


def _speech_stopped(message: Json) -> SpeechStopped:
    return SpeechStopped(_text(message, "item_id", MOST_ID_CHARS))


def _playback_stopped(message: Json) -> PlaybackStopped:
    return PlaybackStopped(_id(message, "response_id"))


def _digit(message: Json) -> ProviderDigit:
    digit = message.get("event")
    if not isinstance(digit, str) or digit.upper() not in set("0123456789*#ABCD"):
        raise _Malformed("event is not a key")
    return ProviderDigit(digit.upper())


# --- the rest --------------------------------------------------------------------------------------------------------


def _error(message: Json) -> Refusal:
    error = _object(message, "error")
    return Refusal(
        _text(error, "code", MOST_ID_CHARS) or _text(error, "type", MOST_ID_CHARS) or "error",
        _text(error, "message"),
        _text(error, "event_id", MOST_ID_CHARS),
    )


_READERS: Final[dict[str, Callable[[Json], Message]]] = {
    "response.output_audio.delta": _audio,
    "response.output_audio_transcript.delta": _spoken_delta,
    "response.output_item.added": _output_item_added,
    "response.output_item.done": _output_item_done,
    "response.created": _response_created,
    "response.done": _response_done,
    "conversation.item.added": _item_added,
    # Services made after the beta say this instead; whoever says both is told apart by the item's id.
    "conversation.item.created": _item_added,
    "conversation.item.input_audio_transcription.delta": _heard_delta,
    "conversation.item.input_audio_transcription.completed": _heard,
    "conversation.item.input_audio_transcription.failed": _not_heard,
    "input_audio_buffer.speech_started": _speech_started,
    "input_audio_buffer.speech_stopped": _speech_stopped,
    "input_audio_buffer.dtmf_event_received": _digit,
    "output_audio_buffer.stopped": _playback_stopped,
    "session.created": _session,
    "session.updated": _session,
    "error": _error,
}

_SILENT: Final = frozenset(
    {
        "conversation.created",
        "conversation.item.deleted",
        "conversation.item.done",
        "conversation.item.retrieved",
        "conversation.item.truncated",
        "conversation.item.input_audio_transcription.segment",
        "input_audio_buffer.cleared",
        "input_audio_buffer.committed",
        "input_audio_buffer.timeout_triggered",
        "output_audio_buffer.cleared",
        "output_audio_buffer.started",
        "rate_limits.updated",
        "response.content_part.added",
        "response.content_part.done",
        # A call counts at its item-done, with the status completed: these also come for a call that was cut.
        "response.function_call_arguments.delta",
        "response.function_call_arguments.done",
        "response.output_audio.done",
        "response.output_audio_transcript.done",
        "response.output_text.delta",
        "response.output_text.done",
    }
)
