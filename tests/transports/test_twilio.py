"""The Twilio leg against a client that plays Twilio's side over a real WebSocket."""

import base64
import gc
import hashlib
import hmac
import importlib
import json
import sys
import weakref
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import cast
from urllib.parse import parse_qs

import anyio
import httpx
import numpy as np
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from voice_hitl.audio.frame import frame_bytes
from voice_hitl.audio.g711 import decode_ulaw, encode_ulaw
from voice_hitl.errors import InvalidOffer, PluginMissing
from voice_hitl.transport import AudioIn, CallRejected, Digit, HungUp, Incoming, LegInfo, Played
from voice_hitl_twilio import TwilioCall, TwilioLeg, TwilioRest, TwilioTransport, codec
from voice_hitl_twilio.leg import WAITING_MEDIA
from voice_hitl_twilio.transport import MAX_FORM, StarletteSocket

pytestmark = pytest.mark.anyio

RATE = 16_000
TOKEN = "a-token"
STREAM = "MZ1"


@asynccontextmanager
async def serving(app: Starlette) -> AsyncGenerator[int]:
    """Serve on a free port of this machine."""
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", ws="websockets-sansio"))
    async with anyio.create_task_group() as group:
        group.start_soon(server.serve)
        while not server.started:  # noqa: ASYNC110 - uvicorn tells by this flag alone
            await anyio.sleep(0.01)
        yield int(server.servers[0].sockets[0].getsockname()[1])
        server.should_exit = True


class Phone:
    """Twilio's side of one stream."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.chunk = 0

    async def tell(self, message: Mapping[str, object]) -> None:
        await self.socket.send(json.dumps(message))

    async def start(self, **parameters: str) -> None:
        await self.tell({"event": "connected", "protocol": "Call", "version": "1.0.0"})
        start = {"callSid": "CA1", "streamSid": STREAM, "customParameters": parameters}
        await self.tell({"event": "start", "streamSid": STREAM, "sequenceNumber": "1", "start": start})

    async def speak(self, pcm: bytes) -> None:
        """20 ms a message, 8 kHz."""
        for place in range(0, len(pcm), 320):
            self.chunk += 1
            payload = base64.b64encode(encode_ulaw(pcm[place : place + 320])).decode()
            await self.tell({"event": "media", "media": {"payload": payload, "chunk": str(self.chunk)}})

    async def next(self, event: str) -> Mapping[str, object]:
        """The next message of this kind; what comes before it is passed over."""
        with anyio.fail_after(30):
            while True:
                message = json.loads(await self.socket.recv())
                if message["event"] == event:
                    return dict(message)

    async def closed(self) -> None:
        with anyio.fail_after(30):
            try:
                while True:
                    await self.socket.recv()
            except ConnectionClosed:
                return


class Answering:
    """Whoever listens: takes every call."""

    def __init__(self, transport: TwilioTransport) -> None:
        self.transport = transport
        self.legs, self._taken = anyio.create_memory_object_stream[TwilioLeg](8)
        transport.listen(self.take)

    async def take(self, call: Incoming) -> None:
        leg = await self.transport.accept(call, rate=RATE)
        await self.legs.send(leg)

    async def leg(self) -> TwilioLeg:
        with anyio.fail_after(30):
            return await self._taken.receive()

    def close(self) -> None:
        self.legs.close()
        self._taken.close()


@asynccontextmanager
async def a_stream(transport: TwilioTransport) -> AsyncGenerator[Phone]:
    """A stream that has started."""
    async with (
        serving(Starlette(routes=transport.routes())) as port,
        connect(f"ws://127.0.0.1:{port}/twilio/stream") as socket,
    ):
        phone = Phone(socket)
        await phone.start(voice_hitl_from="+15550100", voice_hitl_to="+15550101", language="en")
        yield phone


@asynccontextmanager
async def a_call(rest: TwilioRest | None = None) -> AsyncGenerator[tuple[Phone, TwilioLeg]]:
    transport = TwilioTransport("http://127.0.0.1", rest=rest)
    answering = Answering(transport)
    async with a_stream(transport) as phone:
        yield phone, await answering.leg()
        await transport.aclose()
    answering.close()


async def event_of(leg: TwilioLeg, kind: type[object]) -> object:
    with anyio.fail_after(30):
        while True:
            event = await leg.events().get()
            if isinstance(event, kind):
                return event


def payload_of(message: Mapping[str, object]) -> str:
    return str(cast("Mapping[str, object]", message["media"])["payload"])


def tone(rate: int, ms: int) -> bytes:
    at = np.arange(rate * ms // 1000) / rate
    return (np.sin(2 * np.pi * 440 * at) * 12_000).astype(np.int16).tobytes()


async def test_a_call_says_who_calls_whom() -> None:
    async with a_call() as (_, leg):
        assert (leg.info.call_id, leg.info.from_, leg.info.to) == ("CA1", "+15550100", "+15550101")
        assert leg.info.headers["language"] == "en"
        assert leg.capabilities.digits
        assert not leg.capabilities.transfers
        assert leg.capabilities.usual_round_trip_ms == 250


async def test_the_callers_voice_comes_in_at_the_rate_asked_for() -> None:
    async with a_call() as (phone, leg):
        await phone.speak(tone(8_000, 400))
        heard = b""
        while len(heard) < 10 * frame_bytes(RATE):
            event = await event_of(leg, AudioIn)
            assert isinstance(event, AudioIn)
            heard += event.pcm
        samples = np.frombuffer(heard, np.int16)[RATE // 20 :]
        peak = np.argmax(np.abs(np.fft.rfft(samples))) * RATE / len(samples)
        assert abs(peak - 440) < 20


async def test_what_comes_twice_or_late_is_passed_over() -> None:
    async with a_call() as (phone, leg):
        await phone.speak(tone(8_000, 200))
        phone.chunk -= 5
        await phone.speak(tone(8_000, 100))
        await phone.tell({"event": "dtmf", "dtmf": {"digit": "5"}})
        frames = 0
        while True:
            event = await leg.events().get()
            if isinstance(event, Digit):
                break
            frames += isinstance(event, AudioIn)
        assert frames <= 10


async def test_our_voice_goes_out_paced_and_is_reported_as_heard() -> None:
    async with a_call() as (phone, leg):
        voice = tone(RATE, 400)
        size = frame_bytes(RATE)
        began = anyio.current_time()
        for place in range(0, len(voice), size):
            leg.send_audio(voice[place : place + size], "greeting")
        ulaw = b""
        for _ in range(20):
            message = await phone.next("media")
            ulaw += base64.b64decode(payload_of(message))
        assert anyio.current_time() - began >= 0.15
        assert np.abs(np.frombuffer(decode_ulaw(ulaw), np.int16)[800:]).max() > 6_000
        played = None
        while not (isinstance(played, Played) and played.last):
            played = await event_of(leg, Played)
        assert (played.item, played.ms) == ("greeting", 400)
        assert await phone.next("mark")


async def test_a_clear_drops_what_was_not_heard_and_says_what_was() -> None:
    async with a_call() as (phone, leg):
        voice = tone(RATE, 2000)
        size = frame_bytes(RATE)
        for place in range(0, len(voice), size):
            leg.send_audio(voice[place : place + size], "long")
        await phone.next("media")
        await event_of(leg, Played)
        heard = leg.clear()
        assert heard.item == "long"
        assert 0 < heard.ms < 2000
        assert await phone.next("clear")
        with anyio.move_on_after(0.3) as waited:
            await phone.next("media")
        assert waited.cancelled_caught


class SlowSocket:
    """A socket that takes nothing until it is free."""

    def __init__(self) -> None:
        self.free = anyio.Event()
        self.sent: list[str] = []

    async def send(self, text: str) -> None:
        await self.free.wait()
        self.sent.append(json.loads(text)["event"])

    async def close(self) -> None: ...


@pytest.mark.usefixtures("virtual_time")
async def test_a_slow_socket_is_sent_the_newest_of_our_voice_and_each_clear() -> None:
    socket = SlowSocket()
    leg = TwilioLeg(LegInfo(call_id="CA1"), socket, STREAM, rate=8_000, rest=None)
    for _ in range(100):
        leg.send_audio(bytes(320), "item")
    await anyio.sleep(1)
    leg.clear()
    socket.free.set()
    await anyio.sleep(0.01)
    assert socket.sent[-1] == "clear"
    assert WAITING_MEDIA <= len(socket.sent) <= WAITING_MEDIA + 2
    await leg.aclose()


async def test_a_mark_that_comes_back_after_a_clear_proves_nothing() -> None:
    async with a_call() as (phone, leg):
        voice, size = tone(RATE, 400), frame_bytes(RATE)
        for place in range(0, len(voice), size):
            leg.send_audio(voice[place : place + size], "greeting")
        await phone.next("media")
        heard = leg.clear()
        assert await phone.next("clear")
        for number in (1, 2):
            await phone.tell({"event": "mark", "streamSid": STREAM, "mark": {"name": f"greeting:{number}"}})
        await phone.tell({"event": "dtmf", "streamSid": STREAM, "dtmf": {"track": "inbound_track", "digit": "7"}})
        told: list[object] = []
        with anyio.fail_after(30):
            while not told or not isinstance(told[-1], Digit):
                told.append(await leg.events().get())
        played = [event for event in told if isinstance(event, Played)]
        assert all(event.ms <= heard.ms and not event.last for event in played), played


async def test_after_a_barge_in_no_old_voice_comes_out_of_the_resamplers_tail() -> None:
    """reports.md 41: a clear in the same tick, and only what is new behind it."""
    async with a_call() as (phone, leg):
        voice, size = tone(RATE, 2000), frame_bytes(RATE)
        for place in range(0, len(voice), size):
            leg.send_audio(voice[place : place + size], "long")
        for _ in range(5):
            await phone.next("media")
        leg.clear()
        for _ in range(10):
            leg.send_audio(bytes(size), "silence")
        await phone.next("clear")
        after = b"".join([decode_ulaw(base64.b64decode(payload_of(await phone.next("media")))) for _ in range(8)])
        assert np.abs(np.frombuffer(after, np.int16)).max() < 16


async def test_a_key_is_one_digit() -> None:
    async with a_call() as (phone, leg):
        await phone.tell({"event": "dtmf", "streamSid": STREAM, "dtmf": {"track": "inbound_track", "digit": "7"}})
        digit = await event_of(leg, Digit)
        assert isinstance(digit, Digit)
        assert digit.digit == "7"


async def test_the_caller_hangs_up() -> None:
    async with a_call() as (phone, leg):
        await phone.tell({"event": "stop", "streamSid": STREAM, "stop": {"callSid": "CA1"}})
        hung = await event_of(leg, HungUp)
        assert isinstance(hung, HungUp)
        assert hung.reason == "caller"


async def test_a_closed_socket_is_the_caller_gone() -> None:
    async with a_call() as (phone, leg):
        await phone.socket.close()
        hung = await event_of(leg, HungUp)
        assert isinstance(hung, HungUp)
        assert hung.reason == "caller"


async def test_we_hang_up_once_what_is_queued_was_heard() -> None:
    async with a_call() as (phone, leg):
        leg.send_audio(tone(RATE, 20), "bye")
        await leg.hang_up(after="playout")
        await phone.closed()
        hung = await event_of(leg, HungUp)
        assert isinstance(hung, HungUp)
        assert hung.reason == "us"


@pytest.mark.parametrize(
    "nonsense",
    [
        "not json",
        "[]",
        '{"event": 3}',
        '{"event": "media"}',
        '{"event": "media", "media": {"payload": "§"}}',
        "{" * 5000,
    ],
)
async def test_nonsense_is_passed_over_and_the_call_goes_on(nonsense: str) -> None:
    async with a_call() as (phone, leg):
        await phone.socket.send(nonsense)
        await phone.tell({"event": "later", "later": {}})
        await phone.tell({"event": "dtmf", "dtmf": {"digit": "1"}})
        assert await event_of(leg, Digit)


async def test_whoever_keeps_sending_nonsense_fills_no_log(caplog: pytest.LogCaptureFixture) -> None:
    async with a_call() as (phone, leg):
        for _ in range(20):
            await phone.socket.send("nonsense")
        await phone.tell({"event": "dtmf", "dtmf": {"digit": "1"}})
        assert await event_of(leg, Digit)
    assert caplog.text.count("none of Twilio's") == 1


@pytest.mark.parametrize("sid", ["", "CA1/../CA2", "CA1.json?", "CA 1", "C" * 65, None])
def test_what_names_no_call_begins_none(sid: str | None) -> None:
    """It stands in the path of the REST API."""
    with pytest.raises(codec.Malformed, match="callSid"):
        codec.parse(json.dumps({"event": "start", "streamSid": STREAM, "start": {"callSid": sid}}))


@pytest.mark.parametrize("chunk", ["x", "", "-1", "9" * 5_000, None])
def test_a_piece_of_voice_whose_number_is_none_is_taken_as_one_without(chunk: str | None) -> None:
    media = {"payload": base64.b64encode(b"voice").decode(), "chunk": chunk}
    assert codec.parse(json.dumps({"event": "media", "media": media})) == codec.Media(b"voice", 0)


async def test_a_stream_that_nobody_waits_for_is_closed() -> None:
    async with a_stream(TwilioTransport("http://127.0.0.1")) as phone:
        await phone.closed()


async def test_a_call_that_nobody_takes_is_closed() -> None:
    async def look_on(_call: Incoming) -> None: ...

    transport = TwilioTransport("http://127.0.0.1")
    transport.listen(look_on)
    async with a_stream(transport) as phone:
        await phone.closed()


async def test_a_call_that_is_over_is_kept_by_nobody() -> None:
    async with a_call() as (phone, leg):
        await phone.tell({"event": "stop", "stop": {"callSid": "CA1"}})
        await event_of(leg, HungUp)
        await phone.socket.close()
        known = weakref.ref(leg)
        del leg
        with anyio.fail_after(30):
            while known() is not None:
                gc.collect()
                await anyio.sleep(0.01)


async def test_a_stream_that_does_not_begin_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voice_hitl_twilio.transport.START_WITHIN_S", 0.05)
    transport = TwilioTransport("http://127.0.0.1")
    answering = Answering(transport)
    async with (
        serving(Starlette(routes=transport.routes())) as port,
        connect(f"ws://127.0.0.1:{port}/twilio/stream") as socket,
    ):
        await Phone(socket).closed()
    answering.close()


@pytest.mark.parametrize("url", ["agent.example", "ftp://agent.example", "https:///twilio"])
def test_where_twilio_could_not_reach_us_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="public_url is where Twilio reaches this server"):
        TwilioTransport(url)


async def test_a_transport_that_closes_hangs_up_its_calls_and_takes_no_more() -> None:
    transport = TwilioTransport("http://127.0.0.1")
    answering = Answering(transport)
    async with a_stream(transport) as phone:
        leg = await answering.leg()
        await transport.aclose()
        hung_up = await event_of(leg, HungUp)
        assert isinstance(hung_up, HungUp)
        assert hung_up.reason == "us"
        await phone.closed()
    async with a_stream(transport) as late:
        await late.closed()
    answering.close()


async def test_a_call_that_no_twiml_of_ours_began_says_nothing_of_who_calls() -> None:
    transport = TwilioTransport("http://127.0.0.1")
    answering = Answering(transport)
    async with (
        serving(Starlette(routes=transport.routes())) as port,
        connect(f"ws://127.0.0.1:{port}/twilio/stream") as socket,
    ):
        await Phone(socket).tell({"event": "start", "streamSid": STREAM, "start": {"callSid": "CA1"}})
        info = (await answering.leg()).info
        assert (info.call_id, info.from_, info.to, info.headers) == ("CA1", "", "", {})
        await transport.aclose()
    answering.close()


async def test_a_refused_call_is_closed() -> None:
    transport = TwilioTransport("http://127.0.0.1")

    async def refuse(_call: Incoming) -> None:
        raise CallRejected(486)

    transport.listen(refuse)
    async with a_stream(transport) as phone:
        await phone.closed()


async def test_a_call_is_answered_once() -> None:
    transport = TwilioTransport("http://127.0.0.1")

    async def twice(call: Incoming) -> None:
        await transport.accept(call, rate=RATE)
        with pytest.raises(InvalidOffer):
            await transport.accept(call, rate=RATE)
        assert isinstance(call, TwilioCall)
        assert call.leg is not None
        await call.leg.aclose()

    transport.listen(twice)
    async with a_stream(transport) as phone:
        await phone.closed()


# --- TwiML and signatures --------------------------------------------------------------------------------------------


def signed(url: str, form: Mapping[str, str]) -> str:
    """As Twilio documents it."""
    text = url + "".join(name + form[name] for name in sorted(form))
    return base64.b64encode(hmac.new(TOKEN.encode(), text.encode(), hashlib.sha1).digest()).decode()


async def test_the_twiml_streams_the_call_to_us_with_who_calls_whom() -> None:
    transport = TwilioTransport("https://agent.example")
    app = Starlette(routes=transport.routes("/twilio"))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="https://agent.example") as client:
        answer = await client.post("/twilio", data={"From": '+1"<&', "To": "+2", "CallSid": "CA1"})
    assert answer.status_code == 200
    assert '<Stream url="wss://agent.example/twilio/stream">' in answer.text
    assert "&lt;&amp;" in answer.text


async def test_with_a_token_only_twilio_gets_twiml() -> None:
    transport = TwilioTransport("https://agent.example", auth_token=TOKEN)
    app = Starlette(routes=transport.routes("/twilio"))
    form = {"From": "+1", "CallSid": "CA1"}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="https://agent.example") as client:
        headers = {"X-Twilio-Signature": signed("https://agent.example/twilio", form)}
        assert (await client.post("/twilio", data=form, headers=headers)).status_code == 200
        assert (await client.post("/twilio", data=form)).status_code == 403
        assert (await client.post("/twilio", data={**form, "From": "+9"}, headers=headers)).status_code == 403
        assert (await client.post("/twilio", data=form, headers={b"x-twilio-signature": b"\xe9"})).status_code == 403


async def test_a_form_is_read_no_further_than_twilios_could_be_long() -> None:
    transport = TwilioTransport("https://agent.example", auth_token=TOKEN)
    app = Starlette(routes=transport.routes("/twilio"))
    sent = 0

    async def endless() -> AsyncGenerator[bytes]:
        nonlocal sent
        for _ in range(1_000):
            sent += 1024
            yield b"x" * 1024

    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="https://agent.example") as client:
        assert (await client.post("/twilio", content=endless())).status_code == 413
    assert sent <= MAX_FORM + 1024


async def test_with_a_token_only_twilio_streams() -> None:
    transport = TwilioTransport("http://agent.example", auth_token=TOKEN)
    answering = Answering(transport)
    async with serving(Starlette(routes=transport.routes())) as port:
        address = f"ws://127.0.0.1:{port}/twilio/stream"
        with pytest.raises(InvalidStatus):
            await connect(address)
        headers = {"X-Twilio-Signature": signed("ws://agent.example/twilio/stream", {})}
        async with connect(address, additional_headers=headers) as socket:
            await Phone(socket).start()
            await answering.leg()
        await transport.aclose()
    answering.close()


def test_the_public_address_is_an_address() -> None:
    with pytest.raises(ValueError, match="public_url"):
        TwilioTransport("agent.example")


# --- REST ------------------------------------------------------------------------------------------------------------


class Api:
    """Twilio's REST API, as far as calls are changed."""

    def __init__(self, status: int = 200) -> None:
        self.status = status
        self.changes: list[tuple[str, Mapping[str, list[str]]]] = []

    async def change(self, request: Request) -> JSONResponse:
        self.changes.append((request.url.path, parse_qs((await request.body()).decode())))
        return JSONResponse({}, status_code=self.status)

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/{path:path}", self.change, methods=["POST"])])


@pytest.mark.parametrize(
    ("target", "dial"),
    [("+15550199", "+15550199"), ("sip:ops@pbx.example?x=1&y=2", "<Sip>sip:ops@pbx.example?x=1&amp;y=2</Sip>")],
)
async def test_a_transfer_goes_over_the_rest_api_and_ends_the_leg(target: str, dial: str) -> None:
    api = Api()
    async with serving(api.app()) as port:
        rest = TwilioRest("AC1", TOKEN, base_url=f"http://127.0.0.1:{port}")
        async with a_call(rest) as (phone, leg):
            await leg.transfer(target)
            await phone.closed()
            hung = await event_of(leg, HungUp)
            assert isinstance(hung, HungUp)
            assert hung.reason == "transferred"
    path, fields = api.changes[0]
    assert path == "/2010-04-01/Accounts/AC1/Calls/CA1.json"
    assert fields["Twiml"] == [f"<Response><Dial>{dial}</Dial></Response>"]


async def test_hanging_up_completes_the_call_over_the_rest_api() -> None:
    api = Api()
    async with serving(api.app()) as port:
        rest = TwilioRest("AC1", TOKEN, base_url=f"http://127.0.0.1:{port}")
        async with a_call(rest) as (phone, leg):
            await leg.hang_up()
            await phone.closed()
    assert api.changes[0][1]["Status"] == ["completed"]


async def test_a_refused_transfer_says_what_twilio_said() -> None:
    api = Api(status=404)
    async with serving(api.app()) as port:
        rest = TwilioRest("AC1", TOKEN, base_url=f"http://127.0.0.1:{port}")
        with pytest.raises(ConnectionError, match="404"):
            await rest.transfer("CA1", "sip:ann@example.com")


@pytest.mark.parametrize(
    ("account", "token", "transfers"), [("AC1", None, False), (None, TOKEN, False), ("AC1", TOKEN, True)]
)
async def test_a_call_can_be_transferred_where_there_are_an_account_and_its_token(
    account: str | None, token: str | None, *, transfers: bool
) -> None:
    transport = TwilioTransport("http://127.0.0.1", account_sid=account, auth_token=token)
    call = TwilioCall(LegInfo(call_id="CA1"), cast("StarletteSocket", SlowSocket()), STREAM)
    leg = await transport.accept(call, rate=RATE)
    assert leg.capabilities.transfers is transfers
    await leg.aclose()


async def test_without_an_account_nothing_is_transferred() -> None:
    async with a_call() as (_, leg):
        with pytest.raises(ValueError, match="REST"):
            await leg.transfer("+1")


def test_what_the_web_server_needs_for_it_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [name for name in sys.modules if name.startswith("voice_hitl_twilio")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "websockets", None)
    with pytest.raises(PluginMissing, match=r"websockets is not installed.*pip install"):
        importlib.import_module("voice_hitl_twilio")
