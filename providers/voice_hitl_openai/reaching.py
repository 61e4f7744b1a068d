"""How a session is reached, whichever protocol it speaks: within a time, and with failures that say what to do."""

from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import Final, Protocol, TypeVar

import anyio
from openai import OpenAIError
from openai.types.websocket_connection_options import WebSocketConnectionOptions
from websockets.exceptions import InvalidStatus, WebSocketException

from voice_hitl.errors import ProviderError
from voice_hitl.provider import ProviderConfig
from voice_hitl_openai.client import why_refused

MOST_MESSAGE_BYTES: Final = 16 * 2**20
"""The longest message that is read."""

OPTIONS: Final[WebSocketConnectionOptions] = {"max_size": MOST_MESSAGE_BYTES, "compression": None}

CONNECT_S: Final = 10.0
"""How long connecting may take."""


class Opens(Protocol):
    """A connection that has its session still to open."""

    async def open(self, config: ProviderConfig) -> None:
        """Return when the session stands; `ProviderError` where it is not to be had."""
        ...

    async def aclose(self) -> None:
        """End it."""
        ...


C = TypeVar("C", bound=Opens)


async def stands(connect: Callable[[], Awaitable[C]], config: ProviderConfig) -> C:
    """Connect, and open the session.

    Raises:
        ProviderError: It cannot be reached in time, or refuses the key, the model or the session.
    """
    with anyio.move_on_after(CONNECT_S):
        connection = await connect()
        opened = False
        try:
            await connection.open(config)
            opened = True
        finally:
            if not opened:
                await connection.aclose()
        return connection
    raise ProviderError(f"OpenAI did not answer within {CONNECT_S:g} s: check the network and the base_url")


@contextmanager
def told(model: str) -> Generator[None]:
    """Whatever the handshake for a session with this model fails with, as a `ProviderError` that says what to do."""
    try:
        yield
    except InvalidStatus as refused:
        why = why_refused(refused.response.status_code)
        raise ProviderError(f"OpenAI refused a session with {model!r}: {why}") from refused
    except OpenAIError as error:
        raise ProviderError(f"OpenAI cannot be used: {error}") from error
    except (OSError, WebSocketException) as error:
        raise ProviderError(f"OpenAI could not be reached: {error}. Check the network and the base_url") from error
