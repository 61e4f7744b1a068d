"""The two ends of a call that is held against the leg contract: the leg, and whoever a test puts at its other end."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from voice_hitl.audio.frame import frame_bytes
from voice_hitl.testing.leg_listener import LegListener
from voice_hitl.testing.tones import RATE, duration_ms, voiced
from voice_hitl.transport import HangUpReason, HungUp, Leg


class FarEnd(Protocol):
    """The other end of one call: a phone, a page, a program, driven by a test.

    It sends silence while it says nothing, as a telephone does.
    """

    @property
    def heard(self) -> bytes:
        """All that it heard until now: mono int16 at `tones.RATE`, silence included or not."""
        ...

    @property
    def messages(self) -> list[str]:
        """The texts it was sent; always empty where the leg has no messages."""
        ...

    async def speak(self, pcm: bytes) -> None:
        """Say this (mono int16 at `tones.RATE`) in real time; returns when all is said."""
        ...

    async def press(self, keys: str) -> None:
        """Press these keys of a telephone, one after another."""
        ...

    async def send_message(self, text: str) -> None:
        """Send a text, as a page does."""
        ...

    async def hang_up(self) -> None:
        """End the call as a person does."""
        ...

    async def vanish(self) -> None:
        """Send nothing more, without a word."""
        ...

    async def ended(self) -> None:
        """Wait until it has been told that the call is over."""
        ...


@dataclass(frozen=True, slots=True)
class Call:
    """A call that stands: the leg under test, answered at `tones.RATE`, and its far end."""

    leg: Leg
    far: FarEnd


Place = Callable[[], AbstractAsyncContextManager[Call]]
"""Places one call of its own, and takes everything down again, whoever has ended the call."""


@dataclass(frozen=True, slots=True)
class Ends:
    """What a rule works with: the leg, its events as they came, and the far end."""

    leg: Leg
    near: LegListener
    far: FarEnd


def say(leg: Leg, pcm: bytes, item: str) -> None:
    """Queue audio (mono int16 at `tones.RATE`) on a leg, frame by frame."""
    size = frame_bytes(RATE)
    for start in range(0, len(pcm), size):
        leg.send_audio(pcm[start : start + size], item)


async def far_hears(ends: Ends, ms: float) -> None:
    """Wait until the far end has heard so much voice of ours."""
    what = f"{ms:g} ms of our voice at the far end"
    await ends.near.until(lambda: duration_ms(voiced(ends.far.heard)) >= ms, what)


async def is_over(ends: Ends, reason: HangUpReason) -> None:
    """The end came once, with this reason, and nothing after it."""
    await ends.near.until(ends.near.ended.is_set, "the end of the events")
    reasons = [event.reason for event in ends.near.of(HungUp)]
    assert reasons == [reason], f"the call was to end by {reason!r}, and ended by {reasons}"
    assert isinstance(ends.near.events[-1], HungUp), f"after the end there came {ends.near.events[-1]}"
