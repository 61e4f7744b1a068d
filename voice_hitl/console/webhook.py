"""`Webhook`: somebody else's server is told that a request was opened, or settled: at least once, in order per request.

The body is signed: `X-Voice-Hitl-Signature: v1=<hex HMAC-SHA256 of "<timestamp>.<body>">`, with the timestamp (seconds
since the epoch) in `X-Voice-Hitl-Timestamp`. Whoever receives it checks both (`verify`), so that an old one cannot be
sent again. `X-Voice-Hitl-Delivery` is the same for every try: at least once may be twice.
"""

import hashlib
import hmac
import json
import logging
import re
import secrets
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

import anyio
import httpx

from voice_hitl.console.clock import utc_now
from voice_hitl.console.shown import RequestShown
from voice_hitl.tasks import Tasks

log = logging.getLogger(__name__)

FIRST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 60.0
PATIENCE_S: Final = 10.0
"""How long one try may take, in seconds."""

MOST_WAITING: Final = 10_000
"""How many requests may have something to tell that is not told yet; what comes then is named in the log and let go."""

AT_ONCE: Final = 8
"""How many requests are told of at once."""

FRESH_S: Final = 300.0
"""How old a delivery may be when it is verified, in seconds."""

GOODBYE_S: Final = 2.0
"""How long what is not told yet has when the console closes, in seconds."""


_TIMESTAMP: Final = re.compile("[0-9]{1,11}")


@dataclass(frozen=True, slots=True)
class Webhook:
    """Who is told.

    Args:
        url: Where it listens.
        secret: What its deliveries are signed with: at least 32 bytes.
        try_for_s: How long one delivery is tried, in seconds; then it is named in the log, and the next one is tried.
        client: Makes the client that delivers.
    """

    url: str
    secret: str = field(repr=False)
    try_for_s: float = 86_400.0
    client: Callable[[], httpx.AsyncClient] = field(default=lambda: httpx.AsyncClient(timeout=PATIENCE_S), repr=False)

    def __post_init__(self) -> None:
        if len(self.secret.encode()) < 32:
            raise ValueError("the secret of a webhook has to be at least 32 bytes long")


def sign(secret: str, timestamp: int, body: bytes) -> str:
    """The signature of a delivery."""
    signed = f"{timestamp}.".encode() + body
    return "v1=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()


def verify(secret: str, timestamp: str, signature: str, body: bytes, *, now: datetime | None = None) -> bool:
    """Whether a delivery is ours and fresh: for whoever receives it."""
    if not _TIMESTAMP.fullmatch(timestamp):
        return False
    age = (now or utc_now()).timestamp() - int(timestamp)
    genuine = hmac.compare_digest(sign(secret, int(timestamp), body).encode(), signature.encode())
    return genuine and abs(age) <= FRESH_S


@dataclass(frozen=True, slots=True)
class Delivery:
    """One thing to tell, under an id of its own."""

    id: str
    body: bytes


class WebhookSender:
    """Tells one webhook. Each request has a queue of its own: one that cannot be told holds up no other.

    Args:
        webhook: Who is told.
        tasks: Where it does so.
    """

    def __init__(self, webhook: Webhook, tasks: Tasks) -> None:
        self._webhook = webhook
        self._tasks = tasks
        self._waiting: dict[str, deque[Delivery]] = {}
        self._at_once = anyio.CapacityLimiter(AT_ONCE)
        self._done = anyio.Event()
        self._client: httpx.AsyncClient | None = None

    def opened(self, shown: RequestShown) -> None:
        """Tell that a request was opened."""
        self._add("request.opened", shown)

    def settled(self, shown: RequestShown) -> None:
        """Tell that it has settled."""
        self._add("request.settled", shown)

    async def close(self) -> None:
        """Tell what is left, for a moment."""
        with anyio.move_on_after(GOODBYE_S):
            while self._waiting:
                await self._done.wait()
        for request_id, waiting in self._waiting.items():
            log.warning("the webhook was not told %d times of request %s", len(waiting), request_id)
        if self._client is not None:
            await self._client.aclose()

    def _add(self, name: Literal["request.opened", "request.settled"], shown: RequestShown) -> None:
        waiting = self._waiting.get(shown.id)
        if waiting is None and len(self._waiting) >= MOST_WAITING:
            log.warning("the webhook is too far behind: it is not told of request %s", shown.id)
            return
        request = shown.model_dump(mode="json", exclude_none=True)
        body = {"type": name, "at": utc_now().isoformat(), "request": request}
        delivery = Delivery(secrets.token_urlsafe(12), json.dumps(body, ensure_ascii=False).encode())
        if waiting is not None:
            waiting.append(delivery)
            return
        self._waiting[shown.id] = deque([delivery])
        self._tasks.spawn(self._tell(shown.id), f"webhook of request {shown.id}")

    async def _tell(self, request_id: str) -> None:
        waiting = self._waiting[request_id]
        while waiting:
            await self._deliver(request_id, waiting[0])
            waiting.popleft()
        del self._waiting[request_id]
        done, self._done = self._done, anyio.Event()
        done.set()

    async def _deliver(self, request_id: str, delivery: Delivery) -> None:
        pause = FIRST_PAUSE_S
        with anyio.move_on_after(self._webhook.try_for_s):
            while not await self._try(delivery):
                # Apart from each other, so that those who failed together do not come back together.
                await anyio.sleep(pause * (0.5 + secrets.randbelow(1_000) / 1_000))
                pause = min(2 * pause, LONGEST_PAUSE_S)
            return
        log.warning("the webhook could not be told of request %s", request_id)

    async def _try(self, delivery: Delivery) -> bool:
        timestamp = int(utc_now().timestamp())
        headers = {
            "content-type": "application/json",
            "x-voice-hitl-delivery": delivery.id,
            "x-voice-hitl-timestamp": str(timestamp),
            "x-voice-hitl-signature": sign(self._webhook.secret, timestamp, delivery.body),
        }
        if self._client is None:
            self._client = self._webhook.client()
        async with self._at_once:
            try:
                answered = await self._client.post(self._webhook.url, content=delivery.body, headers=headers)
            except httpx.HTTPError as error:
                log.info("the webhook could not be reached: %s", error)
                return False
        return answered.is_success
