"""The leg contract's adapter for Twilio: the far end plays Twilio's side of a Media Stream over a real WebSocket."""

import base64
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import cast

import anyio
import uvicorn
from starlette.applications import Starlette
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.transports.telephone import Telephone
from tests.transports.webrtc_agent import Server
from voice_hitl.audio.g711 import decode_ulaw, encode_ulaw
from voice_hitl.testing import leg_contract
from voice_hitl.transport import Incoming
from voice_hitl_twilio import TwilioLeg, TwilioTransport

STREAM, CALL = "MZ1", "CA1"


class Stream(Telephone):
    """One stream, from Twilio's side."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._chunk = 0
        super().__init__(self._media)
        self.tasks.spawn(self._read(), "reading")

    async def tell(self, event: str, **body: object) -> None:
        try:
            await self._socket.send(json.dumps({"event": event, "streamSid": STREAM, event: body}))
        except ConnectionClosed:
            self.over()

    async def press(self, keys: str) -> None:
        for key in keys:
            await self.tell("dtmf", track="inbound_track", digit=key)

    async def hang_up(self) -> None:
        await self.tell("stop", callSid=CALL)
        await self._socket.close()

    async def _media(self, pcm: bytes) -> None:
        self._chunk += 1
        payload = base64.b64encode(encode_ulaw(pcm)).decode()
        await self.tell("media", track="inbound", chunk=str(self._chunk), payload=payload)

    async def _read(self) -> None:
        try:
            while True:
                message = json.loads(await self._socket.recv())
                match message["event"]:
                    case "media":
                        body = cast("dict[str, str]", message["media"])
                        self.hear(decode_ulaw(base64.b64decode(body["payload"])))
                    case "mark":
                        await self.tell("mark", **message["mark"])
                    case _:
                        pass  # what a clear drops at Twilio was not paced ahead here
        except ConnectionClosed:
            self.over()


@asynccontextmanager
async def a_stream(transport: TwilioTransport) -> AsyncGenerator[Stream]:
    """A stream that has started."""
    app = Starlette(routes=transport.routes())
    server = Server(uvicorn.Config(app, port=0, log_level="error", ws="websockets-sansio"))
    async with anyio.create_task_group() as group:
        group.start_soon(server.serve)
        await server.listening.wait()
        port = server.servers[0].sockets[0].getsockname()[1]
        async with connect(f"ws://127.0.0.1:{port}/twilio/stream") as socket:
            stream = Stream(socket)
            await stream.tell("start", callSid=CALL, customParameters={"voice_hitl_from": "+15550100"})
            try:
                yield stream
            finally:
                await stream.tasks.close()
        server.should_exit = True


@asynccontextmanager
async def a_call() -> AsyncGenerator[leg_contract.Call]:
    """A stream that was answered."""
    transport = TwilioTransport("http://127.0.0.1")
    legs: list[TwilioLeg] = []
    answered = anyio.Event()

    async def take(incoming: Incoming) -> None:
        legs.append(await transport.accept(incoming, rate=leg_contract.RATE))
        answered.set()

    transport.listen(take)
    async with a_stream(transport) as stream:
        with anyio.fail_after(30):
            await answered.wait()
        yield leg_contract.Call(legs[0], stream)
        await transport.aclose()
