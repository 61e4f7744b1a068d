"""The contract with aiortp: fails loudly when something of it that `seam.py` stands on moves."""

import inspect
from typing import cast

import pytest
from aiortp import RTPSession
from aiortp.clock import MediaClock
from aiosipua.rtp_bridge import CallSession

from voice_hitl_sip import seam
from voice_hitl_sip.description import our_offer

pytestmark = pytest.mark.anyio


def test_a_sessions_clock_calls_the_method_that_we_call() -> None:
    made = f"session.{seam.CLOCK} = MediaClock(session._playout.ptime, session.{seam.TICK})"
    assert made in inspect.getsource(RTPSession.create)
    assert list(inspect.signature(getattr(RTPSession, seam.TICK)).parameters) == ["self"]


def test_a_clock_that_was_stopped_is_stopped_again_without_harm() -> None:
    assert "if self._task is None:\n            return" in inspect.getsource(MediaClock.stop)
    assert f"await self.{seam.CLOCK}.stop()" in inspect.getsource(RTPSession.close)


async def test_a_calls_playout_goes_by_our_beat_alone() -> None:
    call = CallSession("127.0.0.1", 0, our_offer("127.0.0.1", 40_000, session_id="1"), playout=True)
    await call.start()
    play = await seam.take_over_playout(call)
    clock: object = getattr(cast("object", call.rtp_session), seam.CLOCK)
    assert vars(clock)["_task"] is None
    play()
    await call.close()
