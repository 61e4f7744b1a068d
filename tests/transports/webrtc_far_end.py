"""The leg contract's adapter for WebRTC: the far end is the plugin's other side, over ICE, DTLS and SRTP."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial

import anyio

from voice_hitl.tasks import Tasks
from voice_hitl.testing import leg_contract
from voice_hitl.testing.leg_ends import say
from voice_hitl.testing.leg_listener import LegListener
from voice_hitl.testing.tones import duration_ms
from voice_hitl.transport import AudioIn, Incoming, LegInfo, Message
from voice_hitl_webrtc import Caller, WebRTCLeg, WebRTCTransport, place, seam

LOST_AFTER_S = 1.0


class OtherEnd:
    """The leg at the other end of the one under test, as the contract drives it."""

    def __init__(self, leg: WebRTCLeg, tested: WebRTCLeg) -> None:
        self.leg = leg
        self.listener = LegListener(leg)
        self._tested = tested

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
        receiver = self._tested._connection.getReceivers()[0]  # pyright: ignore[reportPrivateUsage] - the network

        def lost(_datagram: bytes, component: int) -> None:
            assert component == seam.COMPONENT

        setattr(seam.agent_of(receiver.transport), seam.ARRIVED, lost)

    async def ended(self) -> None:
        await self.listener.until(self.listener.ended.is_set, "the end at the other end")


@asynccontextmanager
async def _a_call(*, placed: bool) -> AsyncGenerator[leg_contract.Call]:
    transport, tasks, legs = WebRTCTransport(lost_after_s=LOST_AFTER_S), Tasks("other end"), list[WebRTCLeg]()

    async def take(incoming: Incoming) -> None:
        legs.append(await transport.accept(incoming, rate=leg_contract.RATE))

    async def exchange(offer: str) -> str:
        return await transport.answer(offer, Caller("ann"))

    transport.listen(take)
    info = LegInfo(call_id="placed", direction="outgoing")
    legs.append(await place(exchange, info, rate=leg_contract.RATE, lost_after_s=LOST_AFTER_S))
    tested, other = reversed(legs) if placed else legs
    far = OtherEnd(other, tested)
    tasks.spawn(far.listener.listen(), "listening")
    try:
        await far.listener.until(lambda: bool(far.heard), "the connection")
        yield leg_contract.Call(tested, far)
    finally:
        for leg in legs:
            await leg.aclose()
        await transport.aclose()
        await tasks.close()


a_call = partial(_a_call, placed=False)
"""A call that was answered, and has been heard from."""

a_placed_call = partial(_a_call, placed=True)
"""A call that we placed."""
