"""The Responses API: a request as its parameters, its stream as events. Pure.

Nothing is kept with the service: each request carries the whole conversation (`store` is false), and items carry no ids
of the service's, which would have to be followed by reasoning that is not here.
Source: the Responses pages of the OpenAI API reference.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from openai.types.responses import (
    FunctionToolParam,
    ResponseCompletedEvent,
    ResponseErrorEvent,
    ResponseFailedEvent,
    ResponseFunctionToolCall,
    ResponseIncompleteEvent,
    ResponseInputItemParam,
    ResponseOutputItemDoneEvent,
    ResponseRefusalDeltaEvent,
    ResponseStreamEvent,
    ResponseTextDeltaEvent,
)

from voice_hitl.chat import ChatCall, ChatEnded, ChatEvent, ChatItem, ChatMessage, ChatResult, ChatText
from voice_hitl.errors import ProviderError
from voice_hitl.tools.definition import AITool
from voice_hitl_openai.reading import MOST_ARGUMENT_CHARS


def input_of(items: Iterable[ChatItem]) -> list[ResponseInputItemParam]:
    """The conversation."""
    return [_item(item) for item in items]


def _item(item: ChatItem) -> ResponseInputItemParam:
    match item:
        case ChatMessage(role, text):
            return {"type": "message", "role": role, "content": text}
        case ChatCall(call_id, name, arguments):
            return {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments}
        case ChatResult(call_id, text):
            return {"type": "function_call_output", "call_id": call_id, "output": text}


def tools_of(tools: Iterable[AITool]) -> list[FunctionToolParam]:
    """The tools as the model sees them; not strict: their schemas are checked here, and may have optional fields."""
    return [
        {
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": dict(tool.parameters),
            "strict": False,
        }
        for tool in tools
    ]


@dataclass(slots=True)
class ResponseStream:
    """One answer."""

    called: bool = False
    ended: bool = False

    def read(self, event: ResponseStreamEvent) -> Iterator[ChatEvent]:
        """What an event says; `ProviderError` where the answer failed."""
        if self.ended:
            return
        match event:
            case ResponseTextDeltaEvent(delta=delta) | ResponseRefusalDeltaEvent(delta=delta):
                if delta:
                    yield ChatText(delta)
            case ResponseOutputItemDoneEvent(item=ResponseFunctionToolCall() as call):
                # An item that was cut is done too.
                if call.status in {None, "completed"}:
                    self.called = True
                    yield ChatCall(call.call_id, call.name, call.arguments[:MOST_ARGUMENT_CHARS])
            case ResponseCompletedEvent():
                yield self._end("calls" if self.called else "stop")
            case ResponseIncompleteEvent(response=response):
                details = response.incomplete_details
                filtered = details is not None and details.reason == "content_filter"
                yield self._end("filtered" if filtered else "length")
            case ResponseFailedEvent(response=response):
                why = response.error.message if response.error else "it did not say why"
                raise ProviderError(f"OpenAI could not answer: {why}")
            case ResponseErrorEvent(message=message):
                raise ProviderError(f"OpenAI could not answer: {message}")
            case _:
                pass

    def _end(self, reason: Literal["stop", "calls", "length", "filtered"]) -> ChatEnded:
        self.ended = True
        return ChatEnded(reason)
