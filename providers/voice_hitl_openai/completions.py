"""The Chat Completions API: a request as its parameters, its stream as events. Pure.

Source: the Chat Completions pages of the OpenAI API reference.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final, Literal

from openai.types.chat import (
    ChatCompletionChunk,
    ChatCompletionFunctionToolParam,
    ChatCompletionMessageFunctionToolCallParam,
    ChatCompletionMessageParam,
)
from openai.types.chat.chat_completion_chunk import ChoiceDeltaToolCall

from voice_hitl.chat import ChatCall, ChatEnded, ChatEvent, ChatMessage, ChatRequest, ChatResult, ChatText
from voice_hitl.tools.definition import AITool
from voice_hitl_openai.reading import MOST_ARGUMENT_CHARS

MOST_CALLS: Final = 128
"""How many calls one answer may issue; more are let go."""


_REASONS: Final[dict[str, Literal["stop", "calls", "length", "filtered"]]] = {
    "stop": "stop",
    "tool_calls": "calls",
    "function_call": "calls",
    "length": "length",
    "content_filter": "filtered",
}


def messages_of(request: ChatRequest) -> list[ChatCompletionMessageParam]:
    """The conversation. Calls beside each other are one message of the model's, as they were."""
    messages: list[ChatCompletionMessageParam] = []
    if request.instructions:
        messages.append({"role": "system", "content": request.instructions})
    for are_calls, items in groupby(request.items, key=lambda item: isinstance(item, ChatCall)):
        if are_calls:
            calls = [_call(item) for item in items if isinstance(item, ChatCall)]
            messages.append({"role": "assistant", "tool_calls": calls})
        else:
            messages += [_message(item) for item in items if not isinstance(item, ChatCall)]
    return messages


def _call(call: ChatCall) -> ChatCompletionMessageFunctionToolCallParam:
    return {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _message(item: ChatMessage | ChatResult) -> ChatCompletionMessageParam:
    match item:
        case ChatMessage("system", text):
            return {"role": "system", "content": text}
        case ChatMessage("user", text):
            return {"role": "user", "content": text}
        case ChatMessage(_, text):
            return {"role": "assistant", "content": text}
        case ChatResult(call_id, text):
            return {"role": "tool", "tool_call_id": call_id, "content": text}


def tools_of(tools: Iterable[AITool]) -> list[ChatCompletionFunctionToolParam]:
    """The tools as the model sees them."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
        }
        for tool in tools
    ]


@dataclass(slots=True)
class _Growing:
    call_id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(slots=True)
class CompletionStream:
    """One answer: its calls come in pieces, by index, and are whole when it ends."""

    _calls: dict[int, _Growing] = field(default_factory=dict[int, _Growing])
    ended: bool = False

    def read(self, chunk: ChatCompletionChunk) -> Iterator[ChatEvent]:
        """What a chunk says."""
        if self.ended or not chunk.choices:
            return
        choice = chunk.choices[0]
        if choice.delta.content:
            yield ChatText(choice.delta.content)
        for piece in choice.delta.tool_calls or ():
            self._grow(piece)
        if choice.finish_reason:
            yield from self.finish(choice.finish_reason)

    def finish(self, reason: str) -> Iterator[ChatEvent]:
        """The answer is over."""
        self.ended = True
        # Calls of an answer that was cut are cut themselves.
        if reason not in {"length", "content_filter"}:
            yield from (ChatCall(call.call_id, call.name, call.arguments) for _, call in sorted(self._calls.items()))
        yield ChatEnded("calls" if self._calls and reason == "stop" else _REASONS.get(reason, "stop"))

    def _grow(self, piece: ChoiceDeltaToolCall) -> None:
        call = self._calls.get(piece.index)
        if call is None:
            if len(self._calls) >= MOST_CALLS:
                return
            call = self._calls[piece.index] = _Growing()
        call.call_id = call.call_id or piece.id or ""
        if piece.function is not None:
            call.name = call.name or piece.function.name or ""
            call.arguments = (call.arguments + (piece.function.arguments or ""))[:MOST_ARGUMENT_CHARS]
