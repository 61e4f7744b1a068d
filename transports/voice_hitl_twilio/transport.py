"""Answering phone calls that Twilio hands over: TwiML for the call, a WebSocket for its media."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit, urlunsplit
from xml.sax.saxutils import quoteattr

import anyio
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from voice_hitl.errors import InvalidOffer
from voice_hitl.transport import CallRejected, Incoming, LegInfo, OnIncoming
from voice_hitl_twilio import codec
from voice_hitl_twilio.leg import TwilioLeg
from voice_hitl_twilio.rest import TwilioRest
from voice_hitl_twilio.signature import is_signed

log = logging.getLogger(__name__)

START_WITHIN_S = 10.0
POLICY_VIOLATION = 1008

MAX_FORM = 64 * 1024
"""Bytes of what is posted when a call comes in: who sends it is not known before it is read. Twilio's has 1 KiB."""

_FROM = "voice_hitl_from"
_TO = "voice_hitl_to"


@dataclass(slots=True, eq=False)
class TwilioCall:
    """A call that wants to come in: its stream has started."""

    info: LegInfo
    socket: "StarletteSocket"
    stream_id: str
    leg: TwilioLeg | None = None


class StarletteSocket:
    """The WebSocket as the leg sees it."""

    def __init__(self, websocket: WebSocket) -> None:
        self._websocket = websocket

    async def send(self, text: str) -> None:
        """Send one message."""
        try:
            await self._websocket.send_text(text)
        except WebSocketDisconnect as gone:
            raise OSError("the stream is closed") from gone

    async def close(self) -> None:
        """Close it; closing twice is harmless."""
        if self._websocket.application_state is not WebSocketState.DISCONNECTED:
            try:
                await self._websocket.close()
            except RuntimeError:
                return  # closed by the other side in this very moment


class TwilioTransport:
    """Phone calls over Twilio Media Streams.

    Args:
        public_url: Where Twilio reaches this server, such as `https://agent.example`: it is in the TwiML, and signed.
        auth_token: The account's token. With it every request must be signed by Twilio; without it none is checked.
        account_sid: With it and the token, calls are hung up and transferred over the REST API.
        rest: Another client for that.
    """

    name = "twilio"

    def __init__(
        self,
        public_url: str,
        *,
        auth_token: str | None = None,
        account_sid: str | None = None,
        rest: TwilioRest | None = None,
    ) -> None:
        parts = urlsplit(public_url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ValueError(f"public_url is where Twilio reaches this server, such as https://..., not {public_url!r}")
        self._public_url = public_url.rstrip("/")
        self._auth_token = auth_token
        if rest is None and account_sid and auth_token:
            rest = TwilioRest(account_sid, auth_token)
        self._rest = rest
        self._on_incoming: OnIncoming | None = None
        self._legs: dict[str, TwilioLeg] = {}
        self._closed = False

    def listen(self, on_incoming: OnIncoming | None) -> None:
        """Offer every incoming call to `on_incoming`; None: to nobody. A call nobody takes is refused (503)."""
        self._on_incoming = on_incoming

    def routes(self, path: str = "/twilio") -> list[BaseRoute]:
        """The routes: `POST path`, which Twilio asks for TwiML, and the WebSocket `path/stream`."""
        path = path.rstrip("/")

        async def twiml(request: Request) -> Response:
            form = await _form(request)
            if form is None:
                return Response(f"a form has at most {MAX_FORM} bytes", status_code=413)
            if not self._is_twilios(path, form, request.headers.get("x-twilio-signature", "")):
                return Response("not signed by Twilio", status_code=403)
            return Response(self.twiml(path, form), media_type="text/xml")

        async def stream(websocket: WebSocket) -> None:
            signature = websocket.headers.get("x-twilio-signature", "")
            if not self._is_twilios(f"{path}/stream", {}, signature, websocket=True):
                await websocket.close(POLICY_VIOLATION)
                return
            await websocket.accept()
            await self._serve(websocket)

        return [Route(path, twiml, methods=["POST"]), WebSocketRoute(f"{path}/stream", stream)]

    def twiml(self, path: str, form: Mapping[str, str]) -> str:
        """What Twilio is told to do with a call: stream its media to us, with who calls whom."""
        parameters = "".join(
            f"<Parameter name={quoteattr(name)} value={quoteattr(form[field])}/>"
            for name, field in ((_FROM, "From"), (_TO, "To"))
            if form.get(field)
        )
        stream = f"<Stream url={quoteattr(self._websocket_url(f'{path}/stream'))}>{parameters}</Stream>"
        return f'<?xml version="1.0" encoding="UTF-8"?><Response><Connect>{stream}</Connect></Response>'

    def _websocket_url(self, path: str) -> str:
        parts = urlsplit(self._public_url)
        return urlunsplit(("wss" if parts.scheme == "https" else "ws", parts.netloc, parts.path + path, "", ""))

    def _is_twilios(self, path: str, form: Mapping[str, str], signature: str, *, websocket: bool = False) -> bool:
        if self._auth_token is None:
            return True
        url = self._websocket_url(path) if websocket else self._public_url + path
        return is_signed(self._auth_token, url, form, signature)

    # --- a stream ----------------------------------------------------------------------------------------------------

    async def _serve(self, websocket: WebSocket) -> None:
        """One stream, from its start to its end."""
        socket, messages = StarletteSocket(websocket), _Messages(websocket)
        start = None
        with anyio.move_on_after(START_WITHIN_S):
            start = await _started(messages)
        if start is None or self._on_incoming is None or self._closed:
            await socket.close()
            return
        info = LegInfo(
            call_id=start.call_id,
            from_=start.parameters.get(_FROM, ""),
            to=start.parameters.get(_TO, ""),
            headers=dict(start.parameters),
            codec="PCMU",
        )
        call = TwilioCall(info, socket, start.stream_id)
        try:
            await self._on_incoming(call)
        except CallRejected as rejected:
            log.info("call %s was refused: %s", info.call_id, rejected)
            await socket.close()
            return
        leg = call.leg
        if leg is None:
            await socket.close()
            return
        self._legs[info.call_id] = leg
        try:
            await _pump(messages, leg)
        finally:
            self._legs.pop(info.call_id, None)
            leg.end("caller")

    async def accept(self, connection: Incoming, *, rate: int) -> TwilioLeg:
        """Answer a call; `InvalidOffer` for one that is not Twilio's, or was answered already."""
        if not isinstance(connection, TwilioCall) or connection.leg is not None:
            raise InvalidOffer("this is no Twilio call that waits to be answered")
        connection.leg = TwilioLeg(connection.info, connection.socket, connection.stream_id, rate=rate, rest=self._rest)
        return connection.leg

    async def aclose(self) -> None:
        """Hang up every leg and take no more."""
        self._closed = True
        for leg in list(self._legs.values()):
            await leg.hang_up()


async def _form(request: Request) -> dict[str, str] | None:
    """What is posted, by name; None where it is too long to be Twilio's."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM:
            return None
    return dict(parse_qsl(body.decode(errors="replace"), keep_blank_values=True))


class _Messages:
    """What Twilio says on a WebSocket. Anything else is passed over, and named in the log once."""

    def __init__(self, websocket: WebSocket) -> None:
        self._websocket = websocket
        self._complained = False

    async def next(self) -> "codec.Event | None":
        """The next message; None when the stream is closed."""
        while True:
            try:
                return codec.parse(await self._websocket.receive_text())
            except WebSocketDisconnect:
                return None
            except (codec.Malformed, KeyError) as fault:
                if not self._complained:
                    self._complained = True
                    log.warning("a message on a Twilio stream is none of Twilio's: %s", fault)


async def _started(messages: _Messages) -> codec.Start | None:
    while True:
        event = await messages.next()
        if event is None or isinstance(event, codec.Start):
            return event


async def _pump(messages: _Messages, leg: TwilioLeg) -> None:
    while not leg.over:
        event = await messages.next()
        if event is None:
            return
        leg.receive(event)
