"""Webhooks: signed, at least once, in order per request, however often their server is down."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import anyio
import httpx
import pytest

from tests.console.office import TOKENS, Office
from voice_hitl.askers.console import ConsoleAsker
from voice_hitl.askers.desk import Desk
from voice_hitl.askers.escalation import Try
from voice_hitl.console.app import Console
from voice_hitl.console.webhook import Webhook, sign, verify

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

SECRET = "a secret of a webhook that is long enough"


@dataclass
class Receiver:
    """Somebody else's server; `fails(body, tries)` says how it answers."""

    fails: Callable[[dict[str, object], int], bool] = lambda _body, _tries: False
    got: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    requests: list[httpx.Request] = field(default_factory=list[httpx.Request])
    news: anyio.Event = field(default_factory=anyio.Event)

    def client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=httpx.MockTransport(self.answer))

    async def answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        delivery = request.headers["x-voice-hitl-delivery"]
        body: dict[str, object] = json.loads(request.content)
        tries = sum(each.headers["x-voice-hitl-delivery"] == delivery for each in self.requests)
        if self.fails(body, tries):
            return httpx.Response(503)
        self.got.append(body)
        self.news.set()
        self.news = anyio.Event()
        return httpx.Response(204)

    async def has(self, count: int) -> list[tuple[str, str]]:
        """What was told, once it is so much."""
        with anyio.fail_after(3_600):
            while len(self.got) < count:
                await self.news.wait()
        return [(str(body["type"]), json.loads(json.dumps(body["request"]))["id"]) for body in self.got]


@asynccontextmanager
async def office(
    receiver: Receiver, *, try_for_s: float = 86_400, clients: list[httpx.AsyncClient] | None = None
) -> AsyncGenerator[Office]:
    desk, made_here = Desk(), clients if clients is not None else []

    def client() -> httpx.AsyncClient:
        made_here.append(receiver.client())
        return made_here[-1]

    hook = Webhook("https://hooks.example/voice", SECRET, try_for_s=try_for_s, client=client)
    console = Console(TOKENS, desk=desk, webhooks=[hook])
    async with httpx.AsyncClient() as http:
        made = Office(desk, console, http)
        with desk.watch(("supervisors",)):
            yield made
        await made.handler.close()
    await console.close()


async def test_a_request_is_told_when_it_opens_and_when_it_settles() -> None:
    receiver = Receiver()
    async with office(receiver) as made:
        pending = await made.ask()
        made.handler.reject(pending.pending_id, "no")
        assert await receiver.has(2) == [
            ("request.opened", pending.pending_id),
            ("request.settled", pending.pending_id),
        ]
        settled = json.loads(receiver.requests[-1].content)["request"]["outcome"]
        assert (settled["end"], settled["reason"]) == ("refused", "no")


async def test_a_request_that_is_put_to_others_once_the_first_are_gone_is_told_to_open_again() -> None:
    receiver = Receiver()
    async with office(receiver) as made:
        askers = [Try(ConsoleAsker(role, made.desk), patience=60) for role in ("sales", "supervisors")]
        with made.desk.watch(("sales",)):
            pending = await made.ask(audience=("sales", "supervisors"), askers=askers)
        await anyio.sleep(10)  # whoever was there has left, and does not come back
        made.handler.reject(pending.pending_id)
        told = [name for name, _ in await receiver.has(4)]
        assert told == ["request.opened", "request.settled", "request.opened", "request.settled"]


async def test_a_delivery_is_signed_and_an_old_or_altered_one_is_not_taken() -> None:
    receiver = Receiver()
    async with office(receiver) as made:
        await made.ask()
        await receiver.has(1)
    (opened, *_) = receiver.requests
    timestamp, signature = opened.headers["x-voice-hitl-timestamp"], opened.headers["x-voice-hitl-signature"]
    assert verify(SECRET, timestamp, signature, opened.content)
    assert not verify(SECRET, timestamp, signature, opened.content + b" ")
    assert not verify("another secret, which is long enough too", timestamp, signature, opened.content)
    assert not verify(SECRET, str(int(timestamp) + 1), signature, opened.content)
    for none in ("soon", "", "-1", "\u00b2", "9" * 5_000):
        assert not verify(SECRET, none, signature, opened.content)
    assert not verify(SECRET, timestamp, "v1=é", opened.content)
    later = datetime.now(UTC) + timedelta(minutes=6)
    assert not verify(SECRET, timestamp, signature, opened.content, now=later)


async def test_what_fails_is_tried_again_under_the_same_id_and_order_is_kept() -> None:
    receiver = Receiver(fails=lambda body, tries: body["type"] == "request.opened" and tries < 4)
    async with office(receiver) as made:
        pending = await made.ask()
        made.handler.reject(pending.pending_id)
        assert [name for name, _ in await receiver.has(2)] == ["request.opened", "request.settled"]
    assert len({each.headers["x-voice-hitl-delivery"] for each in receiver.requests}) == 2
    assert len(receiver.requests) == 5


async def test_a_request_that_cannot_be_told_holds_up_no_other() -> None:
    stuck: list[str] = []
    receiver = Receiver(fails=lambda body, _tries: json.loads(json.dumps(body["request"]))["id"] in stuck)
    async with office(receiver, try_for_s=30) as made:
        first = await made.ask()
        stuck.append(first.pending_id)
        await receiver.has(1)
        made.handler.reject(first.pending_id)
        second = await made.ask()
        assert (await receiver.has(2))[1] == ("request.opened", second.pending_id)
        await anyio.sleep(60)  # given up, and named in the log
        assert len(receiver.got) == 2


async def test_what_is_left_when_the_console_closes_has_a_moment() -> None:
    receiver = Receiver(fails=lambda _body, tries: tries < 2)
    async with office(receiver) as made:
        pending = await made.ask()
        made.handler.reject(pending.pending_id)
        await made.settle_down()
        assert receiver.got == []
    assert [body["type"] for body in receiver.got] == ["request.opened", "request.settled"]


async def test_what_cannot_be_told_when_the_console_closes_is_named_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clients: list[httpx.AsyncClient] = []
    receiver = Receiver(fails=lambda _body, _tries: True)
    async with office(receiver, clients=clients) as made:
        pending = await made.ask()
    assert f"was not told 2 times of request {pending.pending_id}" in caplog.text
    assert [client.is_closed for client in clients] == [True]


async def test_a_webhook_that_is_too_far_behind_is_told_of_no_more_but_how_those_end(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voice_hitl.console.webhook.MOST_WAITING", 1)
    receiver = Receiver(fails=lambda _body, tries: tries < 3)
    async with office(receiver) as made:
        first, second = await made.ask(), await made.ask()
        made.handler.reject(first.pending_id)
        assert await receiver.has(2) == [
            ("request.opened", first.pending_id),
            ("request.settled", first.pending_id),
        ]
    assert f"it is not told of request {second.pending_id}" in caplog.text


def test_a_short_secret_is_refused() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        Webhook("https://hooks.example", "short")
    assert sign(SECRET, 0, b"").startswith("v1=")
