"""What a telephone of a test has in common, whatever its wire: a frame every 20 ms, of voice or of silence."""

from collections import deque
from collections.abc import Awaitable, Callable

import anyio

from voice_hitl.audio.frame import FRAME_MS, frame_bytes
from voice_hitl.audio.resample import Resampler
from voice_hitl.phone import LINE_RATE
from voice_hitl.tasks import Tasks, current_time
from voice_hitl.testing import leg_contract

LINE_FRAME = frame_bytes(LINE_RATE)


class Telephone:
    """Sends by its own clock from when it is made; takes and gives 16 kHz, with 8 kHz on its line.

    Args:
        send: Puts 20 ms on the line (mono int16, 8 kHz).
    """

    messages: list[str]

    def __init__(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        self.messages = []
        self._send = send
        self._to_line = Resampler(leg_contract.RATE, LINE_RATE, quality="QQ")
        self._from_line = Resampler(LINE_RATE, leg_contract.RATE, quality="QQ")
        self._queue: deque[bytes] = deque()
        self._heard = bytearray()
        self._over = anyio.Event()
        self.tasks = Tasks("a telephone")
        self._talking = self.tasks.spawn(self._talk(), "talking")

    @property
    def heard(self) -> bytes:
        return bytes(self._heard)

    def hear(self, pcm: bytes) -> None:
        """The line gave this (mono int16, 8 kHz)."""
        self._heard += self._from_line.push(pcm)

    async def speak(self, pcm: bytes) -> None:
        line = self._to_line.push(pcm) + self._to_line.flush()
        self._to_line.reset()
        frames = [line[start : start + LINE_FRAME] for start in range(0, len(line), LINE_FRAME)]
        self._queue.extend(frame.ljust(LINE_FRAME, b"\0") for frame in frames)
        await anyio.sleep(len(frames) * FRAME_MS / 1_000)

    async def send_message(self, text: str) -> None:
        raise AssertionError(f"a telephone sends no messages ({text})")

    async def vanish(self) -> None:
        self._talking.cancel()

    async def ended(self) -> None:
        with anyio.fail_after(30):
            await self._over.wait()

    def over(self) -> None:
        """The call is over, as this end was told."""
        self._over.set()
        self._talking.cancel()

    async def _talk(self) -> None:
        due = current_time()
        while True:
            await self._send(self._queue.popleft() if self._queue else bytes(LINE_FRAME))
            due += FRAME_MS / 1_000
            await anyio.sleep(max(0.0, due - current_time()))
