"""The Realtime API of OpenAI as a provider."""

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from openai import omit
from openai.resources.realtime.realtime import AsyncRealtimeConnection
from websockets.exceptions import InvalidStatus

from voice_hitl.errors import ProviderError
from voice_hitl.provider import ProviderCapabilities, ProviderConfig
from voice_hitl.tasks import current_time
from voice_hitl.transport import HangUpReason
from voice_hitl_openai.client import Client
from voice_hitl_openai.connection import OpenAIRealtimeConnection
from voice_hitl_openai.conversation import Conversation
from voice_hitl_openai.reaching import OPTIONS, stands, told
from voice_hitl_openai.settings import MOST_RESULT_CHARS, RATE, Settings, default_turn_detection

MOST_CALL_ID_CHARS: Final = 32

NOT_THERE: Final = 404


@dataclass(slots=True)
class _Hosted:
    """A call whose media the service holds, and what was attached to it last."""

    on_end: Callable[[HangUpReason], None]
    attached: OpenAIRealtimeConnection | None = None


class OpenAIRealtimeProvider:
    """OpenAI's Realtime API (GA), or a service that speaks it.

    Args:
        model: The model's name.
        api_key: The key; None reads `OPENAI_API_KEY`.
        base_url: Another service's address, such as `https://my.host/v1`; None is OpenAI's own (or `OPENAI_BASE_URL`).
            It must hand back the `metadata` of a response, and show the session in `session.updated`, as OpenAI does.
            Tried only against OpenAI's protocol as the API reference and `voice_hitl.testing` have it: Azure and other
            services are untried.
        voice: The model's voice, where a session's `config.voice` names none.
        transcription_model: What writes the caller down. Confidence is told by `gpt-4o-transcribe` and
            `gpt-4o-mini-transcribe` only.
        turn_detection: The service's `turn_detection`, as the API reference has it, while nobody holds the model; None
            is `server_vad` with 500 ms of silence, answering and interrupting by itself.
        noise_reduction: `near_field` (headphones), `far_field` (laptops, rooms), or None.
        session: More fields of the session, as the API reference has them (`reasoning`, `max_output_tokens`, ...).
    """

    def __init__(
        self,
        *,
        model: str = "gpt-realtime-2.1",
        api_key: str | None = None,
        base_url: str | None = None,
        voice: str = "marin",
        transcription_model: str = "gpt-transcribe",
        turn_detection: Mapping[str, object] | None = None,
        noise_reduction: str | None = None,
        session: Mapping[str, object] | None = None,
    ) -> None:
        self.model = model
        """The model's name."""
        self.client = Client(api_key, base_url)
        """What it reaches the service with."""
        self._hosted: dict[str, _Hosted] = {}
        self._settings = Settings(
            voice=voice,
            transcription_model=transcription_model,
            turn_detection=default_turn_detection() if turn_detection is None else turn_detection,
            noise_reduction=noise_reduction,
            session=session or {},
        )

    @property
    def name(self) -> str:
        """What to call it in logs and tables."""
        return f"openai {self.model}"

    @property
    def capabilities(self) -> ProviderCapabilities:
        """What it can do."""
        return ProviderCapabilities(
            rate=RATE,
            hold="quiet",
            speaks_while_owed=True,
            blocks_while_owed=False,
            speech_cancels_calls=False,
            replies_to_results=False,
            verbatim="likely",
            truncates=True,
            speech_events=True,
            resumes="replay",
            reconfigures="in_place",
            delegates=False,
            owes_output_within_s=None,
            max_result_chars=MOST_RESULT_CHARS,
            max_call_id=MOST_CALL_ID_CHARS,
        )

    async def connect(self, config: ProviderConfig) -> OpenAIRealtimeConnection:
        """Open a session; returns when it stands as asked for.

        A session that carries an old one on is told so by `config.metadata`: `history`, a sequence of `{"role",
        "text"}`, and `owed_calls`, of `{"call_id", "name", "arguments"}`, which are made again under their ids;
        `held`, True to keep the model from answering by itself from the start. `Resumed` follows `Connected` when one
        of the first two is there, even empty.

        Raises:
            ProviderError: It cannot be reached, or refuses the key, the model or the session.
        """

        async def connect() -> OpenAIRealtimeConnection:
            socket = await self._reach(config.hosted_call_id)
            stem, clock_offset = secrets.token_hex(3), current_time() - time.time()
            conversation = Conversation(self._settings, stem=stem, clock_offset=clock_offset)
            connection = OpenAIRealtimeConnection(socket, conversation)
            if config.hosted_call_id in self._hosted:
                self._hosted[config.hosted_call_id].attached = connection
            return connection

        return await stands(connect, config)

    def host(self, call_id: str, on_end: Callable[[HangUpReason], None]) -> None:
        """A call whose media the service holds was accepted; `on_end` is told why, when it is found to be over."""
        self._hosted[call_id] = _Hosted(on_end)

    def let_go(self, call_id: str) -> None:
        """Such a call is over, as far as we are concerned; again, it does nothing."""
        self._hosted.pop(call_id, None)

    async def _reach(self, call_id: str) -> AsyncRealtimeConnection:
        sdk = await self.client.sdk()
        with told(self.model):
            try:
                return await sdk.realtime.connect(
                    model=omit if call_id else self.model, call_id=call_id or omit, websocket_connection_options=OPTIONS
                ).enter()
            except InvalidStatus as refused:
                hosted = self._hosted.get(call_id)
                if hosted is None or refused.response.status_code != NOT_THERE:
                    raise
                at_its_limit = hosted.attached is not None and hosted.attached.expired
                hosted.on_end("limit" if at_its_limit else "caller")
                raise ProviderError(f"the call {call_id} is over") from refused
