"""What the other APIs of OpenAI say: Chat Completions, Responses, speech and transcription. Pure.

A request is checked as the service checks it; an answer is made of the steps of a script, as the events of a stream.
Source: the API reference of OpenAI.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Final, Literal, cast

from voice_hitl.testing.openai.fields import Json, list_of, text_of
from voice_hitl.testing.openai.refused import Refused, invalid, missing
from voice_hitl.testing.openai.script import Call, Fail, Pause, RunOut, Say, Step
from voice_hitl.testing.openai.voice import speak

MOST_SPOKEN_CHARS: Final = 4096
CHARS_A_DELTA: Final = 6
VOICES: Final = frozenset({
    "alloy", "ash", "ballad", "cedar", "coral", "echo", "fable", "marin", "nova", "onyx", "sage", "shimmer", "verse",
})  # fmt: skip

Api = Literal["chat_completions", "responses"]


@dataclass(frozen=True, slots=True)
class ChatTurn:
    """What a chat model is asked."""

    number: int
    """Which request to the server it is, from 0."""
    api: Api
    items: Sequence[Mapping[str, object]]
    """The conversation as the request has it: `messages`, or `input`."""
    body: Mapping[str, object]
    """The whole request."""


@dataclass(frozen=True, slots=True)
class HangUp:
    """The connection ends here, in the middle of the answer."""


ChatStep = Step | HangUp

Piece = str | Pause | HangUp
"""Some of a stream: server-sent events, a place to wait, or its breaking off."""


# --- requests --------------------------------------------------------------------------------------------------------


def check_completion(body: Json) -> Sequence[Mapping[str, object]]:
    """The messages of a chat completion.

    Raises:
        Refused: The service would not take it.
    """
    text_of(body, "model")
    if body.get("stream") is not True:
        raise invalid("stream", "this server streams only")
    if body.get("tools") == []:
        raise Refused("empty_array", "Invalid 'tools': empty array. Expected an array with minimum length 1.", "tools")
    messages = [_object(message, "messages") for message in list_of(body, "messages")]
    if not messages:
        raise missing("messages")
    waiting: set[str] = set()
    for index, message in enumerate(messages):
        role = text_of(message, "role", f"messages.[{index}].")
        if role == "tool":
            call_id = text_of(message, "tool_call_id", f"messages.[{index}].")
            if call_id not in waiting:
                why = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
                raise Refused("invalid_value", f"Invalid parameter: {why}", f"messages.[{index}].role")
            waiting.discard(call_id)
            continue
        _all_answered(waiting)
        waiting = {str(_object(call, "tool_calls").get("id")) for call in list_of(message, "tool_calls")}
    _all_answered(waiting)
    return messages


def _all_answered(waiting: set[str]) -> None:
    if waiting:
        ids = ", ".join(sorted(waiting))
        why = "An assistant message with 'tool_calls' must be followed by tool messages responding to each"
        raise Refused("invalid_value", f"{why} 'tool_call_id'. These did not have response messages: {ids}", "messages")


def check_response(body: Json) -> Sequence[Mapping[str, object]]:
    """The items of a response's input.

    Raises:
        Refused: The service would not take it.
    """
    text_of(body, "model")
    if body.get("stream") is not True:
        raise invalid("stream", "this server streams only")
    items = [_object(item, "input") for item in list_of(body, "input")]
    if not items:
        raise missing("input")
    calls = {str(item["call_id"]) for item in items if item.get("type") == "function_call"}
    outputs = {str(item["call_id"]) for item in items if item.get("type") == "function_call_output"}
    for call_id in sorted(outputs - calls):
        raise invalid("input", f"No tool call found for function call output with call_id {call_id}")
    for call_id in sorted(calls - outputs):
        raise invalid("input", f"No tool output found for function call {call_id}")
    return items


def spoken(body: Json) -> bytes:
    """The audio of a text (`response_format` `pcm`): mono int16 at 24 kHz.

    Raises:
        Refused: The service would not say it.
    """
    text_of(body, "model")
    text, voice = text_of(body, "input"), text_of(body, "voice")
    if voice not in VOICES:
        raise invalid("voice", f"{voice!r} is none of the voices")
    if body.get("response_format") != "pcm":
        raise invalid("response_format", "this server speaks pcm")
    if not 0 < len(text) <= MOST_SPOKEN_CHARS:
        raise invalid("input", f"1 to {MOST_SPOKEN_CHARS} characters")
    return b"".join(word.pcm for word in speak(text))


def _object(value: object, where: str) -> Json:
    if not isinstance(value, dict):
        raise invalid(where, "expected an array of objects")
    return cast("Json", value)


# --- answers ---------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Ids:
    """Makes ids."""

    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def make(self, prefix: str) -> str:
        """A new one."""
        return f"{prefix}_{next(self._numbers):06d}"


def _pieces(text: str) -> list[str]:
    return [text[start : start + CHARS_A_DELTA] for start in range(0, len(text), CHARS_A_DELTA)]


def _arguments(call: Call) -> str:
    return call.arguments if isinstance(call.arguments, str) else json.dumps(dict(call.arguments))


def completion(steps: Sequence[ChatStep], model: str, ids: Ids) -> Iterator[Piece]:
    """An answer as the stream of a chat completion."""
    stream = _CompletionStream(model, ids)
    yield stream.delta({"role": "assistant", "content": None})
    for step in steps:
        match step:
            case Say():
                yield from stream.say(step)
            case Call():
                yield from stream.call(step)
            case Fail(code, message):
                yield _data({"error": {"type": "server_error", "code": code, "message": message}})
                return
            case RunOut():
                stream.reason = "length"
                break
            case Pause() | HangUp():
                yield step
    yield stream.delta({}, stream.reason)
    yield "data: [DONE]\n\n"


def _data(event: object) -> str:
    return f"data: {json.dumps(event)}\n\n"


class _CompletionStream:
    def __init__(self, model: str, ids: Ids) -> None:
        self._ids = ids
        self._calls = 0
        self._shared = {"id": ids.make("chatcmpl"), "object": "chat.completion.chunk", "created": 1, "model": model}
        self.reason = "stop"

    def delta(self, delta: Mapping[str, object], reason: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
        return _data({**self._shared, "choices": [choice]})

    def say(self, say: Say) -> Iterator[Piece]:
        for number, piece in enumerate(_pieces(say.text)):
            if number == 1 and say.pause is not None:
                yield say.pause
            yield self.delta({"content": piece})

    def call(self, call: Call) -> Iterator[Piece]:
        call_id = call.call_id or self._ids.make("call")
        function = {"name": call.name, "arguments": ""}
        begun = {"index": self._calls, "id": call_id, "type": "function", "function": function}
        yield self.delta({"tool_calls": [begun]})
        for piece in _pieces(_arguments(call)):
            yield self.delta({"tool_calls": [{"index": self._calls, "function": {"arguments": piece}}]})
        self._calls += 1
        self.reason = "tool_calls"


def response(steps: Sequence[ChatStep], model: str, ids: Ids) -> Iterator[Piece]:
    """An answer as the stream of a response."""
    stream = _ResponseStream(model, ids)
    yield stream.event("response.created", response=stream.shown("in_progress"))
    for step in steps:
        match step:
            case Say():
                yield from stream.say(step)
            case Call():
                yield from stream.call(step)
            case Fail(code, message):
                failed = {**stream.shown("failed"), "error": {"code": code, "message": message}}
                yield stream.event("response.failed", response=failed)
                return
            case RunOut():
                cut = {**stream.shown("incomplete"), "incomplete_details": {"reason": "max_output_tokens"}}
                yield stream.event("response.incomplete", response=cut)
                return
            case Pause() | HangUp():
                yield step
    yield stream.event("response.completed", response=stream.shown("completed"))


class _ResponseStream:
    def __init__(self, model: str, ids: Ids) -> None:
        self._ids = ids
        self._numbers = count()
        self._output: list[dict[str, object]] = []
        self._shared: dict[str, object] = {
            "id": ids.make("resp"),
            "object": "response",
            "created_at": 1,
            "model": model,
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "error": None,
            "incomplete_details": None,
        }

    def shown(self, status: str) -> dict[str, object]:
        return {**self._shared, "status": status, "output": self._output}

    def event(self, kind: str, **fields: object) -> str:
        event = {"type": kind, "sequence_number": next(self._numbers), **fields}
        return f"event: {kind}\ndata: {json.dumps(event)}\n\n"

    def say(self, say: Say) -> Iterator[Piece]:
        item: dict[str, object] = {"type": "message", "id": self._ids.make("msg"), "role": "assistant", "content": []}
        where = {"output_index": len(self._output), "item_id": item["id"], "content_index": 0}
        yield self._begin(item)
        part: dict[str, object] = {"type": "output_text", "text": "", "annotations": []}
        yield self.event("response.content_part.added", **where, part=part)
        for number, piece in enumerate(_pieces(say.text)):
            if number == 1 and say.pause is not None:
                yield say.pause
            yield self.event("response.output_text.delta", **where, delta=piece, logprobs=[])
        yield self.event("response.output_text.done", **where, text=say.text, logprobs=[])
        part = {**part, "text": say.text}
        yield self.event("response.content_part.done", **where, part=part)
        yield self._done({**item, "content": [part]})

    def call(self, call: Call) -> Iterator[Piece]:
        call_id = call.call_id or self._ids.make("call")
        named = {"call_id": call_id, "name": call.name}
        item: dict[str, object] = {"type": "function_call", "id": self._ids.make("fc"), **named, "arguments": ""}
        where = {"output_index": len(self._output), "item_id": item["id"]}
        yield self._begin(item)
        text = _arguments(call)
        for piece in _pieces(text):
            yield self.event("response.function_call_arguments.delta", **where, delta=piece)
        yield self.event("response.function_call_arguments.done", **where, name=call.name, arguments=text)
        yield self._done({**item, "arguments": text})

    def _begin(self, item: dict[str, object]) -> str:
        shown = {**item, "status": "in_progress"}
        return self.event("response.output_item.added", output_index=len(self._output), item=shown)

    def _done(self, item: dict[str, object]) -> str:
        shown = {**item, "status": "completed"}
        self._output.append(shown)
        return self.event("response.output_item.done", output_index=len(self._output) - 1, item=shown)
