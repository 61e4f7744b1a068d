"""Phone calls over OpenAI's SIP: the carrier's media go to OpenAI, and we attach beside them.

OpenAI tells of a call by a webhook; `OpenAISipTransport` verifies it, offers the call, accepts or rejects it, hangs it
up or refers it to somebody else. The provider that it is made with then attaches to the call under its id
(`ProviderConfig.hosted_call_id`): no audio passes through here, keys come from the provider.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from openai import APIStatusError, InvalidWebhookSignatureError, OpenAIError
from openai.types.webhooks import RealtimeCallIncomingWebhookEvent

from voice_hitl.errors import InvalidOffer
from voice_hitl.provider import Receiver
from voice_hitl.tasks import Mailbox, Tasks, current_time
from voice_hitl.transport import (
    After,
    CallRejected,
    HangUpReason,
    Heard,
    HungUp,
    Incoming,
    LegCapabilities,
    LegEvent,
    LegInfo,
    OnIncoming,
)
from voice_hitl_openai.client import Client, refused
from voice_hitl_openai.provider import OpenAIRealtimeProvider

log = logging.getLogger(__name__)

OK: Final = 200
NOT_SIGNED: Final = 400
NOT_THERE: Final = 404
UNAVAILABLE: Final = 503
MOST_REMEMBERED: Final = 1024
"""Calls that are remembered, so that a webhook that comes twice is one call."""


@dataclass(slots=True, eq=False)
class OpenAISipCall:
    """A call that wants to come in: OpenAI holds it, ringing."""

    info: LegInfo
    accepted: bool = False


class OpenAISipLeg:
    """A call whose media are OpenAI's. It carries no audio; keys come from the provider's connection.

    A call lasts as long as its session may: at that time OpenAI ends it, and `HungUp.reason` is `limit`.

    Args:
        info: Where it comes from.
        client: Controls it.
        on_over: Is told, once, that it is over.
    """

    round_trip_ms: float | None = None

    def __init__(self, info: LegInfo, client: Client, on_over: Callable[[], None] = lambda: None) -> None:
        self._info = info
        self._client = client
        self._on_over = on_over
        self._events: Mailbox[LegEvent] = Mailbox()

    @property
    def info(self) -> LegInfo:
        """Where the call comes from."""
        return self._info

    @property
    def capabilities(self) -> LegCapabilities:
        """Hosted, with keys; it can be handed over."""
        return LegCapabilities(digits=True, echo_cancelled=True, hosted=True, transfers=True)

    @property
    def over(self) -> bool:
        """Whether the call has ended, as far as is known."""
        return self._events.closed

    def events(self) -> Receiver[LegEvent]:
        """The one stream of events: that it hung up."""
        return self._events

    def send_audio(self, pcm: bytes, item: str) -> None:
        """Nothing: no audio passes through here."""

    def clear(self) -> Heard:
        """Nothing is queued here: the provider's `interrupt` silences the model."""
        return Heard()

    async def send_message(self, text: str) -> None:
        """A telephone shows no messages."""

    async def hang_up(self, *, after: After = "now") -> None:
        """End the call, now: what is still to be heard is not known here."""
        if self.over:
            return
        self.ended("us")
        sdk = await self._client.sdk()
        try:
            await sdk.realtime.calls.hangup(self._info.call_id)
        except APIStatusError as refusal:
            if refusal.status_code != NOT_THERE:
                log.warning("OpenAI did not hang up call %s: %s", self._info.call_id, refusal.message)
        except OpenAIError as error:
            log.warning("OpenAI could not be told to hang up call %s: %s", self._info.call_id, error)

    async def transfer(self, target: str) -> None:
        """Hand the call over (SIP REFER) to a `tel:` or `sip:` address.

        Raises:
            ValueError: It is no such address.
            ProviderError: OpenAI refuses it; the call goes on.
        """
        if not target.startswith(("tel:", "sip:", "sips:")):
            raise ValueError(f"a call is handed over to tel:+4930123456 or sip:ops@example.com, not to {target!r}")
        sdk = await self._client.sdk()
        try:
            await sdk.realtime.calls.refer(self._info.call_id, target_uri=target)
        except OpenAIError as error:
            raise refused(error, f"call {self._info.call_id} to be handed over") from error
        self.ended("transferred")

    async def aclose(self) -> None:
        """Let the leg go."""
        await self.hang_up()

    def ended(self, reason: HangUpReason) -> None:
        """The call is over. Only the first ending counts."""
        if not self.over:
            self._events.put(HungUp(reason, current_time()))
            self._events.close()
            self._on_over()


class OpenAISipTransport:
    """Calls that OpenAI holds.

    Args:
        provider: What a session attaches to its call with: give the channel the same one. Its key is used here, too.
        webhook_secret: The endpoint's signing secret (`whsec_...`); None reads `OPENAI_WEBHOOK_SECRET`.
    """

    name = "openai sip"

    def __init__(self, provider: OpenAIRealtimeProvider, *, webhook_secret: str | None = None) -> None:
        self._provider = provider
        self._client = provider.client
        self._secret = webhook_secret
        self._on_incoming: OnIncoming | None = None
        self._tasks = Tasks("OpenAI SIP")
        self._seen: dict[str, None] = {}
        self._legs: dict[str, OpenAISipLeg] = {}

    def listen(self, on_incoming: OnIncoming | None) -> None:
        """Offer every incoming call to `on_incoming`; None: to nobody. A call nobody takes is refused (503)."""
        self._on_incoming = on_incoming

    async def webhook(self, body: bytes, headers: Mapping[str, str]) -> int:
        """Take what OpenAI posted to your webhook's address, as it came; return the HTTP status to answer with.

        A call is offered in the background: OpenAI waits for the answer to its webhook only a moment.
        """
        sdk = await self._client.sdk()
        try:
            event = sdk.webhooks.unwrap(body.decode(), dict(headers), secret=self._secret)
        except (InvalidWebhookSignatureError, ValueError) as wrong:
            log.warning("a webhook was refused: %s", wrong)
            return NOT_SIGNED
        if isinstance(event, RealtimeCallIncomingWebhookEvent) and self._is_new(event.data.call_id):
            call = OpenAISipCall(_info(event))
            self._tasks.spawn(self._offer(call), f"SIP call {call.info.call_id}")
        return OK

    def _is_new(self, call_id: str) -> bool:
        """Webhooks come at least once."""
        if call_id in self._seen:
            return False
        self._seen[call_id] = None
        if len(self._seen) > MOST_REMEMBERED:
            del self._seen[next(iter(self._seen))]
        return True

    async def _offer(self, call: OpenAISipCall) -> None:
        try:
            if self._on_incoming is None:
                raise CallRejected(UNAVAILABLE)
            await self._on_incoming(call)
        except CallRejected as rejected:
            if not call.accepted:
                await self._reject(call.info.call_id, rejected.code)
        except InvalidOffer as gone:
            log.info("call %s was not answered: %s", call.info.call_id, gone)

    async def _reject(self, call_id: str, code: int) -> None:
        sdk = await self._client.sdk()
        try:
            await sdk.realtime.calls.reject(call_id, status_code=code)
        except OpenAIError as error:
            log.info("call %s could not be refused: %s", call_id, error)

    async def accept(self, connection: Incoming, *, rate: int) -> OpenAISipLeg:
        """Answer a call: OpenAI takes it, with the model of the provider.

        Raises:
            InvalidOffer: It is none of OpenAI's, was answered, or is gone.
            ProviderError: OpenAI refuses to take it.
        """
        if not isinstance(connection, OpenAISipCall) or connection.accepted:
            raise InvalidOffer("this is no call of OpenAI's that waits to be answered")
        call_id = connection.info.call_id
        sdk = await self._client.sdk()
        try:
            await sdk.realtime.calls.accept(call_id, type="realtime", model=self._provider.model)
        except APIStatusError as error:
            if error.status_code == NOT_THERE:
                raise InvalidOffer("the caller has hung up already") from error
            raise refused(error, f"call {call_id} to be accepted") from error
        except OpenAIError as error:
            raise refused(error, f"call {call_id} to be accepted") from error
        connection.accepted = True
        leg = self._legs[call_id] = OpenAISipLeg(connection.info, self._client, lambda: self._over(call_id))
        self._provider.host(call_id, leg.ended)
        return leg

    def _over(self, call_id: str) -> None:
        del self._legs[call_id]
        self._provider.let_go(call_id)

    async def aclose(self) -> None:
        """Hang up every call and take no more."""
        self._on_incoming = None
        for leg in list(self._legs.values()):
            await leg.hang_up()
        await self._tasks.close()


def _info(event: RealtimeCallIncomingWebhookEvent) -> LegInfo:
    """What the SIP INVITE says of the call: untrusted, as every header of it."""
    headers = {header.name: header.value for header in reversed(event.data.sip_headers)}
    named = {name.casefold(): value for name, value in headers.items()}
    return LegInfo(
        call_id=event.data.call_id, from_=named.get("from", ""), to=named.get("to", ""), headers=headers, codec="hosted"
    )
