"""The port to a chat model: text turns, streamed, with tools.

It keeps nothing between turns: each request carries the whole conversation. A model's calls are items of it, and each
has its result there before the next request.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from voice_hitl.tools.calls import ServedCall
from voice_hitl.tools.definition import AITool


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """Something that was said."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class ChatCall:
    """A call that the model issued; as an event, whole. `arguments` is the text as the model wrote it.

    `served` is set only by a provider that ran the call itself, and says what it gave. Nothing is read from the
    arguments.
    """

    call_id: str
    name: str
    arguments: str
    served: ServedCall | None = None


@dataclass(frozen=True, slots=True)
class ChatResult:
    """The one result of a call; the text says whether it failed."""

    call_id: str
    text: str


ChatItem = ChatMessage | ChatCall | ChatResult


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """What the model is to answer."""

    items: Sequence[ChatItem]
    """The conversation, oldest first."""
    instructions: str = ""
    tools: Sequence[AITool] = ()


@dataclass(frozen=True, slots=True)
class ChatText:
    """The next words of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ChatEnded:
    """The answer is over; nothing more of it comes."""

    reason: Literal["stop", "calls", "length", "filtered"]
    """It is complete; it waits for the results of its calls; it was too long; its provider would not have it."""


ChatEvent = ChatText | ChatCall | ChatEnded


class ChatReply(Protocol):
    """An answer that is being written (a receive object, as in `provider`)."""

    async def get(self) -> ChatEvent:
        """Return the next event; `ConnectionEnded` after `ChatEnded`; `ProviderError` where it breaks off."""
        ...

    async def aclose(self) -> None:
        """Let go what is not read yet; closing twice is harmless."""
        ...


class ChatModel(Protocol):
    """A chat model. One object serves many conversations."""

    @property
    def name(self) -> str:
        """What to call it in logs and tables."""
        ...

    async def reply(self, request: ChatRequest) -> ChatReply:
        """Answer; `ProviderError` says what to do when no answer is to be had."""
        ...


@runtime_checkable
class RunsTools(Protocol):
    """A chat model whose provider has tools of its own. It is asked to run one only once that was approved."""

    async def run_tool(self, call: ChatCall) -> ServedCall:
        """Run the call, and say what it gave; `ProviderError` where it could not be run."""
        ...
