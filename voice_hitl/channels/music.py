"""Music on a line where nobody speaks: sent just before it is heard, and gone in the tick in which anybody does."""

from collections.abc import Callable
from typing import Final

import anyio

from voice_hitl.audio.frame import FRAME_MS, frame_bytes
from voice_hitl.tasks import Latch, current_time
from voice_hitl.transport import Leg

MUSIC: Final = "music"
"""The item that it is on the leg."""

AHEAD_S: Final = 0.3
"""How much of it is on its way: a loop that is held up for less is not heard to be."""

SEND_S: Final = 0.1
"""How often some more is sent."""


class Music:
    """What is played where nobody speaks. The model knows nothing of it, and it is nobody's voice.

    Args:
        leg: The leg that carries the call now.
        rate: Samples a second.
    """

    def __init__(self, leg: Callable[[], Leg], rate: int) -> None:
        self._leg = leg
        self._frame_bytes = frame_bytes(rate)
        self._playing: anyio.CancelScope | None = None
        self._over = Latch()

    async def play(self, pcm: bytes) -> None:
        """Play this, over and over, until it is stopped; where some is played already, wait for the end of that."""
        if self._playing is not None:
            await self._over.wait()
            return
        self._over = Latch()
        with anyio.CancelScope() as scope:
            self._playing = scope
            try:
                await self._send(pcm, scope)
            finally:
                self.stop()

    def stop(self) -> None:
        """Stop in this tick."""
        if self._playing is not None:
            self._playing.cancel()
            self._playing = None
            self._leg().clear()
            self._over.set()

    async def _send(self, pcm: bytes, scope: anyio.CancelScope) -> None:
        place, sent_s, began = 0, 0.0, current_time()
        # Cancelled in the tick in which it wakes it would still send some more, behind what has stopped it.
        while self._playing is scope:
            while sent_s < current_time() - began + AHEAD_S:
                frame = pcm[place : place + self._frame_bytes]
                place = (place + self._frame_bytes) % len(pcm)
                while len(frame) < self._frame_bytes:
                    frame += pcm[: self._frame_bytes - len(frame)]
                self._leg().send_audio(frame, MUSIC)
                sent_s += FRAME_MS / 1000
            await anyio.sleep(SEND_S)
