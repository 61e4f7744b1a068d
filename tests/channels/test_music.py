"""Music on a line where nobody speaks."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import pytest

from tests.askers.spoken_desk import RATE
from tests.channels.desk import Call, Desk
from voice_hitl.channels.music import AHEAD_S, MUSIC
from voice_hitl.provider import ProviderCapabilities
from voice_hitl.testing import Held

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

TUNE = bytes(range(250))
"""Shorter than a frame: it begins again in the middle of one."""


@asynccontextmanager
async def playing() -> AsyncGenerator[Call]:
    """Music has been heard for a second on the line of a call."""
    async with Desk(capabilities=ProviderCapabilities(rate=RATE, hold="quiet")) as desk:
        call = await desk.call()
        call.model.ignore(Held)
        async with anyio.create_task_group() as group:
            group.start_soon(call.session.line.play_music, TUNE)
            await call.caller.hears(1000, item=MUSIC)
            yield call
            group.cancel_scope.cancel()


async def goes_on(call: Call) -> bool:
    """Whether more of it is heard than the frame that is being heard now."""
    await anyio.sleep(0.04)
    heard = call.caller.heard[MUSIC]
    await anyio.sleep(2 * AHEAD_S)
    return call.caller.heard[MUSIC] > heard


async def test_it_goes_on_and_on_and_is_nobodys_voice() -> None:
    async with playing() as call:
        with anyio.fail_after(3.1):
            await call.session.line.quiet_for(3.0)
        assert call.caller.heard[MUSIC] == pytest.approx(4000, abs=100)
        assert await goes_on(call)


async def test_it_ends_in_the_tick_in_which_an_asker_takes_the_line() -> None:
    async with playing() as call, call.session.line.taken_by("p1", after="now"):
        assert not await goes_on(call)


async def test_a_line_that_is_said_does_not_wait_for_it() -> None:
    async with playing() as call:
        before = call.caller.heard.total()
        await call.session.line.interject(bytes(2 * RATE))
        await call.caller.hears(before + 100)
        assert not await goes_on(call)


async def test_one_is_played_at_a_time_and_none_while_somebody_speaks() -> None:
    async with playing() as call:
        line = call.session.line
        with anyio.move_on_after(1):
            await line.play_music(TUNE)
        assert call.caller.heard[MUSIC] == pytest.approx(2000, abs=100)
        async with anyio.create_task_group() as group:
            group.start_soon(line.play_music, TUNE)
            await anyio.sleep(0.1)
            await line.interject(bytes(RATE))
        assert not await goes_on(call), "who waited for its turn plays into the line"
        await line.interject(bytes(RATE))
        await line.play_music(TUNE)
        assert not await goes_on(call)
