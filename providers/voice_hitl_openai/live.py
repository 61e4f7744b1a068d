"""The Live API of OpenAI as a provider: a full-duplex model that talks, and hands over what takes thought."""

import secrets
import time
from collections.abc import Mapping
from typing import Final, Literal

from voice_hitl.provider import ProviderCapabilities, ProviderConfig
from voice_hitl.tasks import current_time
from voice_hitl_openai.client import Client
from voice_hitl_openai.live_connection import OpenAILiveConnection, Socket
from voice_hitl_openai.live_session import LiveSession
from voice_hitl_openai.live_settings import LiveSettings
from voice_hitl_openai.reaching import OPTIONS, stands, told
from voice_hitl_openai.settings import MOST_RESULT_CHARS, RATE

SIDEBAND: Final = "live_session_id"
"""The key of a session's metadata that names a Live session to attach to."""


class OpenAILiveProvider:
    """OpenAI's Live API (`client.live` of its SDK), over the connection that carries the audio, or a sideband.

    The model answers by itself and is not to be kept from it: while a person is asked aloud it hears silence (`hold` is
    `deaf`), so a `SpokenAsker` needs a listener. Tried only against the protocol as the SDK's models and
    `voice_hitl.testing` have it.

    Args:
        model: The model's name.
        api_key: The key; None reads `OPENAI_API_KEY`.
        base_url: Another service's address; None is OpenAI's own (or `OPENAI_BASE_URL`).
        voice: The model's voice, where a session's `config.voice` names none.
        delegation: Who works on what the model hands over: `client`, the channel's `reasoning_backend`; `responses`, a
            model at the service, which has the channel's tools and issues its calls as function calls.
        backend: Fields of that model, as the API reference has them: `model` (needed), `instructions`, `reasoning`, ...
        session: More fields of the session, as the API reference has them (`safety_identifier`, `store`, ...).

    A session whose metadata has a `live_session_id` is attached to by a sideband: its audio passes elsewhere.

    Raises:
        ValueError: `responses` without a model, or a backend that is not there.
    """

    def __init__(
        self,
        *,
        model: str = "gpt-live-1.1",
        api_key: str | None = None,
        base_url: str | None = None,
        voice: str = "marin",
        delegation: Literal["client", "responses"] = "client",
        backend: Mapping[str, object] | None = None,
        session: Mapping[str, object] | None = None,
    ) -> None:
        if delegation == "responses" and not (backend or {}).get("model"):
            raise ValueError('delegation="responses" needs a backend={"model": ...}: the model that does the work')
        if delegation == "client" and backend:
            raise ValueError('a backend= works on what is handed over only with delegation="responses"')
        self._client = Client(api_key, base_url)
        self._settings = LiveSettings(
            model=model, voice=voice, delegation=delegation, backend=dict(backend or {}), session=dict(session or {})
        )

    @property
    def name(self) -> str:
        """What to call it in logs and tables."""
        return f"openai {self._settings.model}"

    @property
    def capabilities(self) -> ProviderCapabilities:
        """What it can do."""
        return ProviderCapabilities(
            rate=RATE,
            hold="deaf",
            speaks_while_owed=True,
            blocks_while_owed=False,
            speech_cancels_calls=False,
            replies_to_results=False,
            verbatim="none",
            truncates=False,
            speech_events=False,
            resumes="replay",
            reconfigures="reconnects",
            delegates=self._settings.delegation == "client",
            owes_output_within_s=None,
            max_result_chars=MOST_RESULT_CHARS,
            max_call_id=None,
        )

    async def connect(self, config: ProviderConfig) -> OpenAILiveConnection:
        """Open a session; returns when it stands.

        A session that carries an old one on is told what was said by `config.metadata["history"]`, the newest of it.

        Raises:
            ProviderError: It cannot be reached, or refuses the key, the model or the session.
        """
        named = config.metadata.get(SIDEBAND)
        attached = named if isinstance(named, str) and named else None

        async def connect() -> OpenAILiveConnection:
            socket = await self._reach(attached)
            session = LiveSession(
                self._settings,
                stem=f"live_{secrets.token_hex(3)}",
                clock_offset=current_time() - time.time(),
                attached=attached is not None,
            )
            return OpenAILiveConnection(socket, session)

        return await stands(connect, config)

    async def _reach(self, session_id: str | None) -> Socket:
        sdk = await self._client.sdk()
        with told(self._settings.model):
            if session_id is not None:
                sideband = sdk.live.sideband.connect(session_id=session_id, websocket_connection_options=OPTIONS)
                return await sideband.enter()
            return await sdk.live.connect(websocket_connection_options=OPTIONS).enter()
