"""The leg contract's adapter for WebRTC: the far end is the plugin's calling side, over ICE, DTLS and SRTP."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
from aiortc.rtp import RtpPacket

from voice_hitl.tasks import Tasks
from voice_hitl.testing import leg_contract
from voice_hitl.testing.leg_ends import say
from voice_hitl.testing.leg_listener import LegListener
from voice_hitl.testing.tones import duration_ms
from voice_hitl.transport import AudioIn, Incoming, LegInfo, Message
from voice_hitl_webrtc import Caller, WebRTCLeg, WebRTCTransport, place, seam

LOST_AFTER_S = 1.0


class Page:
    """A leg that called, as the contract drives it."""

    def __init__(self, leg: WebRTCLeg, callee: WebRTCLeg) -> None:
        self.leg = leg
        self.listener = LegListener(leg)
        self._callee = callee

    @property
    def heard(self) -> bytes:
        return b"".join(frame.pcm for frame in self.listener.of(AudioIn))

    @property
    def messages(self) -> list[str]:
        return [message.text for message in self.listener.of(Message)]

    async def speak(self, pcm: bytes) -> None:
        say(self.leg, pcm, "speech")
        await anyio.sleep(duration_ms(pcm) / 1_000)

    async def press(self, keys: str) -> None:
        await self.leg.press(keys)

    async def send_message(self, text: str) -> None:
        await self.leg.send_message(text)

    async def hang_up(self) -> None:
        await self.leg.hang_up()

    async def vanish(self) -> None:
        """Nothing of it reaches the leg any more."""
        receiver = self._callee._connection.getReceivers()[0]  # pyright: ignore[reportPrivateUsage] - the network

        async def lost(_packet: RtpPacket, arrival_time_ms: int) -> None:
            assert arrival_time_ms

        setattr(receiver, seam.HANDLER, lost)

    async def ended(self) -> None:
        await self.listener.until(self.listener.ended.is_set, "the end at the page")


@asynccontextmanager
async def a_call() -> AsyncGenerator[leg_contract.Call]:
    """A call that was answered and has been heard from."""
    transport, tasks, legs = WebRTCTransport(lost_after_s=LOST_AFTER_S), Tasks("page"), list[WebRTCLeg]()

    async def take(incoming: Incoming) -> None:
        legs.append(await transport.accept(incoming, rate=leg_contract.RATE))

    async def exchange(offer: str) -> str:
        return await transport.answer(offer, Caller("ann"))

    transport.listen(take)
    page = Page(await place(exchange, LegInfo(call_id="page", direction="outgoing"), rate=leg_contract.RATE), legs[0])
    tasks.spawn(page.listener.listen(), "listening")
    try:
        await page.listener.until(lambda: bool(page.heard), "the connection")
        yield leg_contract.Call(legs[0], page)
    finally:
        await page.leg.aclose()
        await transport.aclose()
        await tasks.close()
