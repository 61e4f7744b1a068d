"""OpenAI's chat models, by the Responses API or by Chat Completions."""

from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Generic, Literal, TypeVar

import httpx2
from openai import AsyncStream, OpenAIError, omit
from openai.types.chat import ChatCompletionChunk
from openai.types.responses import ResponseStreamEvent

from voice_hitl.chat import ChatEvent, ChatRequest
from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl_openai import completions, responses_api
from voice_hitl_openai.client import Client, refused

Piece = TypeVar("Piece")


class OpenAIChatReply(Generic[Piece]):
    """An answer that is being written: read from the service as it is asked for (`voice_hitl.chat.ChatReply`)."""

    def __init__(
        self, stream: AsyncStream[Piece], read: Callable[[Piece], Iterator[ChatEvent]], ended: Callable[[], bool]
    ) -> None:
        self._stream = stream
        self._pieces: AsyncIterator[Piece] = aiter(stream)
        self._read = read
        self._ended = ended
        self._events: deque[ChatEvent] = deque()
        self._closed = False

    async def get(self) -> ChatEvent:
        """Return the next event; `ConnectionEnded` after the last; `ProviderError` where it breaks off."""
        while not self._events:
            if self._closed:
                raise ConnectionEnded("the answer is over")
            await self._read_on()
        return self._events.popleft()

    async def _read_on(self) -> None:
        try:
            piece = await anext(self._pieces)
            self._events.extend(self._read(piece))
        except StopAsyncIteration:
            await self.aclose()
            if not self._ended():
                raise ProviderError("OpenAI's answer broke off") from None
        except (OpenAIError, httpx2.HTTPError) as error:
            await self.aclose()
            raise ProviderError(f"OpenAI's answer broke off: {error}") from error
        except ProviderError:
            await self.aclose()
            raise
        else:
            if self._ended():
                await self.aclose()

    async def aclose(self) -> None:
        """Let go what is not read yet; closing twice is harmless."""
        if not self._closed:
            self._closed = True
            await self._stream.close()


class OpenAIChatModel:
    """A chat model of OpenAI's, or of a service that speaks its API.

    Args:
        model: The model's name.
        api: `responses`, or `chat_completions`, which more other services speak.
        api_key: The key; None reads `OPENAI_API_KEY`.
        base_url: Another service's address; None is OpenAI's own (or `OPENAI_BASE_URL`). Tried only against the local
            server of `voice_hitl.testing`.
    """

    def __init__(
        self,
        *,
        model: str = "gpt-6-luna",
        api: Literal["responses", "chat_completions"] = "responses",
        api_key: str | None = None,
        base_url: str | None = None,
    ) -> None:
        self._model = model
        self._api = api
        self._client = Client(api_key, base_url)

    @property
    def name(self) -> str:
        """What to call it in logs and tables."""
        return f"openai {self._model}"

    async def reply(
        self, request: ChatRequest
    ) -> OpenAIChatReply[ChatCompletionChunk] | OpenAIChatReply[ResponseStreamEvent]:
        """Answer.

        Raises:
            ProviderError: The service cannot be reached, or refuses the key, the model or the conversation.
        """
        try:
            return await (self._complete(request) if self._api == "chat_completions" else self._respond(request))
        except OpenAIError as error:
            raise refused(error, f"an answer of {self._model!r}") from error

    async def _complete(self, request: ChatRequest) -> OpenAIChatReply[ChatCompletionChunk]:
        sdk = await self._client.sdk()
        stream = await sdk.chat.completions.create(
            model=self._model,
            messages=completions.messages_of(request),
            stream=True,
            # An empty list is refused.
            tools=completions.tools_of(request.tools) or omit,
        )
        answer = completions.CompletionStream()
        return OpenAIChatReply(stream, answer.read, lambda: answer.ended)

    async def _respond(self, request: ChatRequest) -> OpenAIChatReply[ResponseStreamEvent]:
        sdk = await self._client.sdk()
        stream = await sdk.responses.create(
            model=self._model,
            input=responses_api.input_of(request.items),
            instructions=request.instructions or None,
            tools=responses_api.tools_of(request.tools),
            store=False,
            stream=True,
        )
        answer = responses_api.ResponseStream()
        return OpenAIChatReply(stream, answer.read, lambda: answer.ended)

    async def aclose(self) -> None:
        """Let go its connections."""
        await self._client.aclose()
