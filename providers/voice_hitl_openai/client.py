"""The SDK's client: one for all that a provider, a chat model, a speaker or a listener asks for."""

import anyio
import anyio.to_thread
import httpx2
from openai import APIConnectionError, APIStatusError, AsyncOpenAI, OpenAIError

from voice_hitl.errors import ProviderError


class Client:
    """Makes the SDK's client when it is first needed, in a worker thread: it reads certificates and imports much.

    Args:
        api_key: The key; None reads `OPENAI_API_KEY`.
        base_url: Another service's address; None is OpenAI's own (or `OPENAI_BASE_URL`).
    """

    def __init__(self, api_key: str | None, base_url: str | None) -> None:
        self._api_key = api_key
        self._base_url = base_url
        self._sdk: AsyncOpenAI | None = None

    async def sdk(self) -> AsyncOpenAI:
        """The client; `ProviderError` where there is no key."""
        if self._sdk is None:
            try:
                self._sdk = await anyio.to_thread.run_sync(self._make)
            except OpenAIError as error:
                raise ProviderError(f"OpenAI cannot be used: {error}") from error
        return self._sdk

    async def aclose(self) -> None:
        """Let go its connections."""
        sdk, self._sdk = self._sdk, None
        if sdk is not None:
            await sdk.close()

    def _make(self) -> AsyncOpenAI:
        sdk = AsyncOpenAI(api_key=self._api_key, base_url=self._base_url)
        # The SDK imports each part when it is first touched: here, where nobody waits.
        _ = (
            sdk.realtime,
            sdk.realtime.calls,
            sdk.live,
            sdk.webhooks,
            sdk.chat.completions,
            sdk.responses,
            sdk.audio.speech,
            sdk.audio.transcriptions,
        )
        return sdk


def refused(error: OpenAIError | httpx2.HTTPError, what: str) -> ProviderError:
    """What to tell of a request that failed; `what` was asked for."""
    if isinstance(error, APIStatusError):
        return ProviderError(f"OpenAI refused {what}: {why_refused(error.status_code)} ({error.message})")
    if isinstance(error, APIConnectionError):
        return ProviderError(f"OpenAI could not be reached for {what}: check the network and the base_url")
    return ProviderError(f"OpenAI could not give {what}: {error}")


def why_refused(status: int) -> str:
    """What to do about an HTTP status."""
    match status:
        case 401 | 403:
            return f"the key is not taken (HTTP {status}): check OPENAI_API_KEY, or the api_key given"
        case 404:
            return "there is no such model there (HTTP 404): check model and base_url"
        case 429:
            return "no more is taken now (HTTP 429): check the limits and the credit of the account"
        case _:
            return f"HTTP {status}"
