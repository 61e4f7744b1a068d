"""From the wire of the Realtime API (GA events) to data. Pure; `commands` is the way back.

Everything is taken to be hostile: a message that is not JSON, lacks what its type must have, or holds it in another
form, comes out as `Unreadable`; texts and ids are bounded; types nobody told us of come out as `Unknown`.
Source of the messages: the Realtime server events of the OpenAI API reference.
"""

import math
from collections.abc import Callable
from typing import Final, cast

from voice_hitl.provider import AudioOut, ProviderDigit, SpeechStarted, SpeechStopped, Transcript, TranscriptFailed
from voice_hitl_openai.commands import TAG
from voice_hitl_openai.fields import (
    MOST_ID_CHARS,
    MOST_PARTS,
    MOST_TEXT_CHARS,
    Json,
    Malformed,
    id_of,
    index_of,
    maybe_object,
    number_of,
    object_of,
    objects_of,
    pcm_of,
    text_of,
)
from voice_hitl_openai.messages import (
    Item,
    ItemAdded,
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
)
from voice_hitl_openai.reading import MOST_ARGUMENT_CHARS, read_message

MOST_LOGPROBS: Final = 4_096

_STATUSES: Final[dict[object, ResponseStatus]] = {
    "completed": "completed",
    "cancelled": "cancelled",
    "failed": "failed",
    "incomplete": "incomplete",
}


def decode(raw: bytes | str) -> Message:
    """Read one message. Never raises."""
    return read_message(raw, _READERS, _SILENT)


# --- the session and its history -------------------------------------------------------------------------------------


def _session(message: Json) -> SessionEcho:
    session = object_of(message, "session")
    heard = maybe_object(maybe_object(session, "audio"), "input")
    detection = heard.get("turn_detection")
    return SessionEcho(
        created=message["type"] == "session.created",
        expires_at=number_of(session, "expires_at"),
        turn_detection=cast("Json", detection) if isinstance(detection, dict) else None,
        echoed="turn_detection" in heard,
    )


def _item(message: Json) -> Item:
    item = object_of(message, "item")
    kind = text_of(item, "type", MOST_ID_CHARS)
    parts = objects_of(item, "content", MOST_PARTS) if kind == "message" else ()
    return Item(
        item_id=id_of(item, "id"),
        kind=kind,
        role=text_of(item, "role", MOST_ID_CHARS),
        status=text_of(item, "status", MOST_ID_CHARS),
        text="".join(text_of(part, "transcript") or text_of(part, "text") for part in parts)[:MOST_TEXT_CHARS],
        call_id=text_of(item, "call_id", MOST_ID_CHARS),
        name=text_of(item, "name", MOST_ID_CHARS),
        arguments=text_of(item, "arguments", MOST_ARGUMENT_CHARS),
    )


def _item_added(message: Json) -> ItemAdded:
    return ItemAdded(_item(message))


# --- what the model says ---------------------------------------------------------------------------------------------


def _audio(message: Json) -> AudioOut:
    pcm = pcm_of(message, "delta")
    return AudioOut(pcm, id_of(message, "item_id"), index_of(message), id_of(message, "response_id"))


def _spoken_delta(message: Json) -> SpokenDelta:
    return SpokenDelta(id_of(message, "response_id"), id_of(message, "item_id"), text_of(message, "delta"))


def _output_item_added(message: Json) -> OutputItemAdded:
    return OutputItemAdded(id_of(message, "response_id"), _item(message))


def _output_item_done(message: Json) -> OutputItemDone:
    return OutputItemDone(id_of(message, "response_id"), _item(message))


def _response_created(message: Json) -> ResponseCreated:
    response = object_of(message, "response")
    tag = text_of(maybe_object(response, "metadata"), TAG, MOST_ID_CHARS)
    return ResponseCreated(id_of(response, "id"), tag, "metadata" in response)


def _response_done(message: Json) -> ResponseDone:
    response = object_of(message, "response")
    error = maybe_object(maybe_object(response, "status_details"), "error")
    return ResponseDone(
        id_of(response, "id"),
        _STATUSES.get(text_of(response, "status"), "failed"),
        text_of(error, "code", MOST_ID_CHARS) or text_of(error, "type", MOST_ID_CHARS),
        text_of(error, "message"),
    )


# --- what the caller says --------------------------------------------------------------------------------------------


def _heard_delta(message: Json) -> Transcript:
    return Transcript("user", text_of(message, "delta"), final=False, item_id=id_of(message, "item_id"))


def _heard(message: Json) -> Transcript:
    text = message.get("transcript")
    if not isinstance(text, str):
        raise Malformed("transcript is not text")
    item_id = id_of(message, "item_id")
    return Transcript("user", text[:MOST_TEXT_CHARS], final=True, item_id=item_id, confidence=_confidence(message))


def _confidence(message: Json) -> float | None:
    """The geometric mean of the tokens' probabilities, where the service tells them."""
    logprobs = [number_of(entry, "logprob") for entry in objects_of(message, "logprobs", MOST_LOGPROBS)]
    known = [min(logprob, 0.0) for logprob in logprobs if logprob is not None]
    return math.exp(sum(known) / len(known)) if known else None


def _not_heard(message: Json) -> TranscriptFailed:
    return TranscriptFailed(id_of(message, "item_id"))


def _speech_started(message: Json) -> SpeechStarted:
    return SpeechStarted(text_of(message, "item_id", MOST_ID_CHARS))


def _speech_stopped(message: Json) -> SpeechStopped:
    return SpeechStopped(text_of(message, "item_id", MOST_ID_CHARS))


def _playback_stopped(message: Json) -> PlaybackStopped:
    return PlaybackStopped(id_of(message, "response_id"))


def _digit(message: Json) -> ProviderDigit:
    digit = message.get("event")
    if not isinstance(digit, str) or digit.upper() not in set("0123456789*#ABCD"):
        raise Malformed("event is not a key")
    return ProviderDigit(digit.upper())


# --- the rest --------------------------------------------------------------------------------------------------------


def _error(message: Json) -> Refusal:
    error = object_of(message, "error")
    return Refusal(
        text_of(error, "code", MOST_ID_CHARS) or text_of(error, "type", MOST_ID_CHARS) or "error",
        text_of(error, "message"),
        text_of(error, "event_id", MOST_ID_CHARS),
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
