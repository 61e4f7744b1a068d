"""Fifty calls at once, and every digit of each."""

import struct
from pathlib import Path

import anyio
import pytest

from tests.transports.sip_phone import ANSWER_TO_BYE, DTMF_PAYLOAD, Answering, Media, scenario, sipp
from voice_hitl.transport import Digit
from voice_hitl_sip import SipLeg

pytestmark = pytest.mark.anyio

CALLS = 50
SILENCE = b"\xff" * 160
WITHIN_S = 90


def keys_of(number: int) -> list[int]:
    """Four keys that no other call presses: its number, and what it is from a hundred."""
    return [number // 10, number % 10, (99 - number) // 10, (99 - number) % 10]


class Callers:
    """The fifty ends of the calls, on one socket; each is known by the port that it speaks with."""

    def __init__(self, media: Media) -> None:
        self.media = media
        self.ports: list[tuple[str, int]] = []

    async def meet(self) -> None:
        """Every line carries silence from its first moment: that is who is there."""
        with anyio.fail_after(WITHIN_S):
            while len(self.ports) < CALLS:
                _, source = await self.media.hear()
                if source not in self.ports:
                    self.ports.append(source)

    async def press(self) -> None:
        """All press their keys at the same time, between two bits of silence."""
        for place in range(4):
            for step in range(10):
                for number, port in enumerate(self.ports):
                    self._send(number, port, place, step)
                await anyio.sleep(0.02)
                self.media.waiting()

    def _send(self, number: int, port: tuple[str, int], place: int, step: int) -> None:
        """Three frames of silence, three updates of the key, its end three times, a frame of silence."""
        sequence, timestamp = place * 10 + step, 160 * (place * 10 + step)
        kind, payload = 0, SILENCE
        if 3 <= step < 9:
            timestamp, kind = 160 * (place * 10 + 3), DTMF_PAYLOAD
            payload = struct.pack("!BBH", keys_of(number)[place], 0x8A if step >= 6 else 0x0A, 160 * (min(step, 6) - 2))
        head = struct.pack("!BBHII", 0x80, kind, sequence, timestamp, 1000 + number)
        self.media.socket.sendto(head + payload, port)


async def keys_heard(leg: SipLeg, into: list[list[int]]) -> None:
    keys: list[int] = []
    with anyio.fail_after(WITHIN_S):
        while len(keys) < 4:
            event = await leg.events().get()
            if isinstance(event, Digit):
                keys.append(int(event.digit))
    into.append(keys)


async def test_fifty_calls_at_once_keep_every_digit(tmp_path: Path) -> None:
    media, heard = Media(), list[list[int]]()
    xml = scenario(media.port, ANSWER_TO_BYE)
    async with Answering() as desk, sipp(tmp_path, desk.transport.port, xml, calls=CALLS, timeout_s=120):
        legs = [await desk.leg() for _ in range(CALLS)]
        callers = Callers(media)
        await callers.meet()
        async with anyio.create_task_group() as group:
            for leg in legs:
                group.start_soon(keys_heard, leg, heard)
            await callers.press()
        for leg in legs:
            await leg.hang_up()
    media.socket.close()
    assert sorted(heard) == sorted(keys_of(number) for number in range(CALLS))
