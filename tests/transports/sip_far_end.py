"""The leg contract's adapter for SIP: the far end is a telephone made by hand, SIP and RTP on two UDP sockets."""

import re
import struct
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from secrets import token_hex

import anyio
from anyio.abc import SocketAttribute, UDPSocket

from tests.transports.telephone import Telephone
from voice_hitl.audio.g711 import decode_ulaw, encode_ulaw
from voice_hitl.testing import leg_contract
from voice_hitl.transport import Incoming
from voice_hitl_sip import SipLeg, SipTransport

HOST = "127.0.0.1"
PCMU, EVENTS = 0, 97
KEYS = "0123456789*#ABCD"
HOLD_TICKS, END_PACKETS, FRAME = 5, 3, 160


class Softphone(Telephone):
    """A SIP telephone in one call, without registration (RFC 3261, RFC 3264, RFC 4733)."""

    def __init__(self, sip: UDPSocket, rtp: UDPSocket, agent: tuple[str, int]) -> None:
        self._sip, self._rtp, self._agent = sip, rtp, agent
        self._port, self._rtp_port = (one.extra(SocketAttribute.local_port) for one in (sip, rtp))
        self._call_id, self._tag, self._to_tag = token_hex(8), token_hex(4), ""
        self._media_at: tuple[str, int] | None = None
        self._sequence, self._timestamp = 100, 0
        self._sending = anyio.Lock()
        self.answered = anyio.Event()
        super().__init__(self._say)
        self.tasks.spawn(self._read_sip(), "SIP")
        self.tasks.spawn(self._read_rtp(), "RTP")

    async def invite(self) -> None:
        """Call, and wait for the answer."""
        offer = (
            f"v=0\r\no=ann 1 1 IN IP4 {HOST}\r\ns=-\r\nc=IN IP4 {HOST}\r\nt=0 0\r\n"
            f"m=audio {self._rtp_port} RTP/AVP {PCMU} {EVENTS}\r\na=rtpmap:{PCMU} PCMU/8000\r\n"
            f"a=rtpmap:{EVENTS} telephone-event/8000\r\n"
        )
        await self._request("INVITE", 1, offer)
        with anyio.fail_after(30):
            await self.answered.wait()

    async def hang_up(self) -> None:
        await self._request("BYE", 2)
        self.over()

    # --- SIP ---------------------------------------------------------------------------------------------------------

    async def _request(self, method: str, number: int, body: str = "") -> None:
        host, port = self._agent
        lines = [
            f"{method} sip:bot@{host}:{port} SIP/2.0",
            f"Via: SIP/2.0/UDP {HOST}:{self._port};branch=z9hG4bK{method}{self._call_id}",
            f"From: ann <sip:ann@{HOST}:{self._port}>;tag={self._tag}",
            f"To: bot <sip:bot@{host}:{port}>{self._to_tag}",
            f"Call-ID: {self._call_id}",
            f"CSeq: {number} {method}",
            f"Contact: <sip:ann@{HOST}:{self._port}>",
            "Max-Forwards: 70",
            *(["Content-Type: application/sdp"] if body else []),
            f"Content-Length: {len(body)}",
        ]
        await self._sip.sendto("\r\n".join([*lines, "", body]).encode(), host, port)

    async def _read_sip(self) -> None:
        async for data, _ in self._sip:
            message = data.decode()
            if message.startswith("SIP/2.0 200") and " INVITE" in message and not self.answered.is_set():
                await self._take_answer(message)
            elif message.startswith("BYE"):
                await self._say_ok(message)
                self.over()

    async def _take_answer(self, message: str) -> None:
        tag = re.search(r"^To:.*(;tag=\S+)", message, re.MULTILINE | re.IGNORECASE)
        media = re.search(r"^m=audio (\d+)", message, re.MULTILINE)
        assert tag is not None
        assert media is not None
        self._to_tag, self._media_at = tag[1], (HOST, int(media[1]))
        await self._request("ACK", 1)
        self.answered.set()

    async def _say_ok(self, request: str) -> None:
        kept = re.findall(r"^(?:Via|From|To|Call-ID|CSeq):.*$", request, re.MULTILINE | re.IGNORECASE)
        lines = ["SIP/2.0 200 OK", *(line.strip() for line in kept), "Content-Length: 0", "", ""]
        await self._sip.sendto("\r\n".join(lines).encode(), *self._agent)

    # --- RTP ---------------------------------------------------------------------------------------------------------

    async def _say(self, pcm: bytes) -> None:
        await self._packet(encode_ulaw(pcm), PCMU, self._timestamp)
        self._timestamp += FRAME

    async def press(self, keys: str) -> None:
        """Beside the audio: updates every 20 ms, then three end packets, all with the timestamp of the beginning."""
        for key in keys:
            began = self._timestamp
            for tick in range(HOLD_TICKS + END_PACKETS):
                flags = 10 | (0x80 if tick >= HOLD_TICKS else 0)
                event = struct.pack("!BBH", KEYS.index(key), flags, FRAME * min(tick + 1, HOLD_TICKS))
                await self._packet(event, EVENTS | (0x80 if tick == 0 else 0), began)
                await anyio.sleep(0.02)
            await anyio.sleep(0.06)

    async def _packet(self, payload: bytes, kind: int, timestamp: int) -> None:
        if self._media_at is None:
            return
        async with self._sending:
            self._sequence += 1
            header = struct.pack("!BBHII", 0x80, kind, self._sequence, timestamp, 0x1234)
            await self._rtp.sendto(header + payload, *self._media_at)

    async def _read_rtp(self) -> None:
        async for data, _ in self._rtp:
            if data[1] & 0x7F == PCMU:
                self.hear(decode_ulaw(data[12:]))


@asynccontextmanager
async def a_call() -> AsyncGenerator[leg_contract.Call]:
    """A call that was answered."""
    transport, legs = SipTransport(port=0, rtp_ports=(26_500, 26_900)), list[SipLeg]()

    async def take(incoming: Incoming) -> None:
        legs.append(await transport.accept(incoming, rate=leg_contract.RATE))

    transport.listen(take)
    await transport.start()
    async with (
        await anyio.create_udp_socket(local_host=HOST) as sip,
        await anyio.create_udp_socket(local_host=HOST) as rtp,
    ):
        phone = Softphone(sip, rtp, (transport.host, transport.port))
        try:
            await phone.invite()
            yield leg_contract.Call(legs[0], phone)
        finally:
            await transport.aclose()
            await phone.tasks.close()
