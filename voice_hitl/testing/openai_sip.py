"""OpenAI's SIP on this machine: calls that ring at the service, without a carrier and without a key.

It signs webhooks, takes accept, reject, refer and hangup once each and in order, and lets a client attach to a call
that was accepted; what is out of protocol is refused as the service refuses it. The test is the caller::

    async with OpenAISipServer() as server:
        call = server.call(from_="sip:+4930123456@carrier.example")
        assert await transport.webhook(*call.webhook()) == 200
        session = await server.session()
        session.caller_says("a table for two")
        call.press("1")
        call.hang_up()

Source: the API reference of OpenAI (Realtime calls, webhooks) and the SDK's verification of a webhook.
"""

import base64
import hashlib
import hmac
import itertools
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from types import TracebackType
from typing import Final, Literal, Self, cast

import anyio
from anyio.abc import ByteStream, Listener, SocketAttribute, SocketStream, TaskGroup
from anyio.streams.buffered import BufferedByteReceiveStream

from voice_hitl.testing.openai.hosted import HostedMachine
from voice_hitl.testing.openai.machine import Machine
from voice_hitl.testing.openai_realtime import OpenAIRealtimeServer, RealtimeServerSession

try:
    from websockets.asyncio.server import ServerConnection
    from websockets.http11 import Response
except ImportError as missing:
    from voice_hitl.errors import PluginMissing

    raise PluginMissing("this server needs websockets: pip install 'voice-hitl[openai]'") from missing

SECRET: Final = "whsec_" + base64.b64encode(b"a secret of this machine only").decode()
MOST_HEAD_BYTES: Final = 16_384

State = Literal["ringing", "accepted", "rejected", "referred", "over"]


@dataclass(slots=True, eq=False)
class ServerCall:
    """One call at the service, as the test sees it."""

    call_id: str
    secret: str
    headers: list[tuple[str, str]]
    state: State = "ringing"
    accepted_with: Mapping[str, object] = field(default_factory=dict[str, object])
    """What `accept` configured."""
    status_code: int = 0
    """What it was rejected with."""
    target: str = ""
    """Whom it was referred to."""
    machine: HostedMachine | None = None
    session: RealtimeServerSession | None = None
    changed: anyio.Event = field(default_factory=anyio.Event)

    def webhook(self, *, at: float | None = None) -> tuple[bytes, dict[str, str]]:
        """What is posted to the application when it rings: the body and its signed headers."""
        event = {
            "id": f"evt_{self.call_id}",
            "object": "event",
            "type": "realtime.call.incoming",
            "created_at": int(time.time()),
            "data": {
                "call_id": self.call_id,
                "sip_headers": [{"name": name, "value": value} for name, value in self.headers],
            },
        }
        body = json.dumps(event)
        stamp, number = str(int(time.time() if at is None else at)), f"wh_{self.call_id}"
        key = base64.b64decode(self.secret.removeprefix("whsec_"))
        signed = hmac.new(key, f"{number}.{stamp}.{body}".encode(), hashlib.sha256).digest()
        signature = f"v1,{base64.b64encode(signed).decode()}"
        return body.encode(), {"webhook-id": number, "webhook-timestamp": stamp, "webhook-signature": signature}

    def press(self, key: str) -> None:
        """The caller presses a key."""
        if self.machine is None or self.session is None:
            raise AssertionError("nobody has attached to the call")
        machine = self.machine
        self.session.do(lambda: machine.press(key))

    def hang_up(self) -> None:
        """The caller hangs up: the session ends with the call."""
        self.becomes("over")

    def expire(self) -> None:
        """The session comes to its time limit, and the call ends with it."""
        if self.session is None:
            raise AssertionError("nobody has attached to the call")
        self.state = "over"
        self.session.expire()

    def becomes(self, state: State) -> None:
        """Change its state, and end its session where that ends it."""
        self.state = state
        if state in ("over", "referred") and self.session is not None:
            self.session.close(1000, "")
        changed, self.changed = self.changed, anyio.Event()
        changed.set()

    async def until(self, *states: State) -> None:
        """Wait until it is in one of these."""
        while self.state not in states:
            await self.changed.wait()


class OpenAISipServer(OpenAIRealtimeServer):
    """The service, for SIP calls: its HTTP and its WebSockets under one address.

    Args:
        api_key: The key it takes; any other is refused.
        speed: As of `OpenAIRealtimeServer`.
    """

    def __init__(self, *, api_key: str = "sk-test", speed: float | None = 20.0) -> None:
        super().__init__(api_key=api_key, speed=speed)
        self.webhook_secret = SECRET
        """The endpoint's signing secret."""
        self.calls: dict[str, ServerCall] = {}
        """Every call there was, by its id."""
        self._call_numbers = itertools.count(1)
        self._group: TaskGroup | None = None
        self._listener: Listener[SocketStream] | None = None
        self._front = ""

    def call(
        self, *, from_: str = "sip:ann@carrier.example", to: str = "sip:proj_1@sip.api.openai.com", **more: str
    ) -> ServerCall:
        """Somebody calls: it rings. `more`: further headers of the INVITE."""
        headers = [("From", from_), ("To", to), *more.items()]
        call = ServerCall(f"rtc_{next(self._call_numbers):06d}", self.webhook_secret, headers)
        self.calls[call.call_id] = call
        return call

    @property
    def base_url(self) -> str:
        """What to give a client as its `base_url`."""
        return self._front or super().base_url

    # --- WebSockets --------------------------------------------------------------------------------------------------

    def admit(self, connection: ServerConnection, query: Mapping[str, str]) -> Response | None:
        """Let a client attach to a call that was accepted."""
        call_id = query.get("call_id")
        if call_id is None:
            return super().admit(connection, query)
        call = self.calls.get(call_id)
        if call is None or call.state != "accepted":
            return connection.respond(HTTPStatus.NOT_FOUND, "There is no such call.\n")
        return None

    def machine(self, query: Mapping[str, str], session_id: str) -> Machine:
        """A session of the call, configured as it was accepted."""
        call = self.calls.get(query.get("call_id", ""))
        if call is None:
            return super().machine(query, session_id)
        if call.machine is None:
            call.machine = self.make(HostedMachine, str(call.accepted_with["model"]), session_id)
        else:
            call.machine.attach()
        return call.machine

    def opened(self, session: RealtimeServerSession, query: Mapping[str, str]) -> None:
        """The call's session is this one now."""
        call = self.calls.get(query.get("call_id", ""))
        if call is not None:
            call.session = session

    # --- HTTP --------------------------------------------------------------------------------------------------------

    def _control(self, path: str, authorization: str, body: bytes) -> tuple[int, Mapping[str, object]]:
        """One request to control a call: the status and the body of the answer."""
        if authorization != f"Bearer {self.api_key}":
            return 401, _error("invalid_api_key", "Incorrect API key provided.")
        parts = path.removeprefix("/v1/realtime/calls/").split("/")
        call = self.calls.get(parts[0])
        if call is None or len(parts) != 2 or call.state in ("rejected", "over", "referred"):
            return 404, _error("call_id_not_found", "No session found for the given call_id.")
        try:
            loaded: object = json.loads(body or b"{}")
        except ValueError:
            loaded = None
        if not isinstance(loaded, dict):
            return 400, _error("invalid_json", "We could not parse the JSON body of your request.")
        return _obey(call, parts[1], cast("dict[str, object]", loaded))

    async def _serve(self, client: ByteStream) -> None:
        """One connection: a WebSocket goes on to the WebSocket server, anything else is HTTP and answered here."""
        async with client:
            reader = BufferedByteReceiveStream(client)
            try:
                head = await reader.receive_until(b"\r\n\r\n", MOST_HEAD_BYTES)
                lines = head.decode("latin-1").split("\r\n")
                headers = {
                    name.strip().casefold(): value.strip() for name, _, value in (x.partition(":") for x in lines[1:])
                }
                if headers.get("upgrade", "").casefold() == "websocket":
                    await self._pass_on(client, head + b"\r\n\r\n" + reader.buffer)
                    return
                body = await reader.receive_exactly(int(headers.get("content-length", "0")))
                status, answer = self._control(lines[0].split(" ")[1], headers.get("authorization", ""), body)
                text = json.dumps(answer).encode()
                await client.send(
                    f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nContent-Type: application/json\r\n"
                    f"Content-Length: {len(text)}\r\nConnection: close\r\n\r\n".encode()
                    + text
                )
            except (anyio.IncompleteRead, anyio.DelimiterNotFound, anyio.BrokenResourceError, anyio.EndOfStream):
                return

    async def _pass_on(self, client: ByteStream, begun: bytes) -> None:
        host, port = super().base_url.removeprefix("http://").removesuffix("/v1").split(":")
        async with await anyio.connect_tcp(host, int(port)) as behind, anyio.create_task_group() as group:
            await behind.send(begun)
            group.start_soon(_pump, behind, client, group)
            await _pump(client, behind, group)

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        self._group = await anyio.create_task_group().__aenter__()
        self._listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
        self._front = f"http://127.0.0.1:{self._listener.extra(SocketAttribute.local_port)}/v1"
        self._group.start_soon(self._listener.serve, self._serve)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._group is not None:
            self._group.cancel_scope.cancel()
            await self._group.__aexit__(None, None, None)
        if self._listener is not None:
            await self._listener.aclose()
        await super().__aexit__(kind, error, trace)


async def _pump(source: ByteStream, sink: ByteStream, group: TaskGroup) -> None:
    try:
        async for data in source:
            await sink.send(data)
    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
        pass
    group.cancel_scope.cancel()


def _obey(call: ServerCall, action: str, body: dict[str, object]) -> tuple[int, Mapping[str, object]]:
    """Accept, reject, refer or hang up: each only when it can be."""
    ringing = call.state == "ringing"
    match action:
        case "accept" if ringing:
            if body.get("type") != "realtime" or not isinstance(body.get("model"), str):
                return 400, _error("missing_required_parameter", "type is 'realtime', and there is a model")
            call.accepted_with = body
            call.becomes("accepted")
        case "reject" if ringing:
            code = body.get("status_code", 603)
            if not isinstance(code, int) or not 300 <= code <= 699:
                return 400, _error("invalid_value", "status_code is a SIP status that refuses")
            call.status_code = code
            call.becomes("rejected")
        case "refer" if not ringing:
            target = body.get("target_uri")
            if not isinstance(target, str):
                return 400, _error("missing_required_parameter", "target_uri is missing")
            call.target = target
            call.becomes("referred")
        case "hangup" if not ringing:
            call.becomes("over")
        case "accept" | "reject" | "refer" | "hangup":
            return 400, _error("invalid_call_state", f"a call that is {call.state} cannot be told to {action}")
        case _:
            return 404, _error("not_found", "there is nothing here")
    return 200, {}


def _error(code: str, message: str) -> dict[str, object]:
    return {"error": {"type": "invalid_request_error", "code": code, "message": message, "param": None}}
