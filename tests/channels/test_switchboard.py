"""Several transports as one: each call is answered where it came in."""

import pytest

from voice_hitl.channels.switchboard import Switchboard
from voice_hitl.channels.voice import RealtimeVoiceChannel
from voice_hitl.errors import InvalidOffer
from voice_hitl.testing import LoopbackTransport, ScriptedProvider
from voice_hitl.transport import CallRejected

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


async def test_a_channel_behind_a_switchboard_answers_on_every_leg_and_hangs_up_on_all() -> None:
    phone, web = LoopbackTransport(name="phone"), LoopbackTransport(name="web")
    board = Switchboard(phone, web)
    assert board.name == "phone, web"
    channel = RealtimeVoiceChannel("desk", provider=ScriptedProvider(), transport=board)
    callers = [await transport.call(participant_id=transport.name) for transport in (phone, web)]
    assert [session.participant_id for session in channel.sessions] == ["phone", "web"]
    assert [caller.leg.info.call_id for caller in callers] == ["phone-1", "web-1"]
    await channel.close()
    assert [await caller.ended() for caller in callers] == ["us", "us"]
    for transport in (phone, web):
        with pytest.raises(CallRejected):
            await transport.call()


async def test_a_call_that_came_in_elsewhere_is_not_answered() -> None:
    board, elsewhere = Switchboard(LoopbackTransport()), LoopbackTransport()
    with pytest.raises(InvalidOffer, match="no call of the switchboard"):
        await board.accept(elsewhere.caller().incoming(), rate=16_000)


class Stubborn(LoopbackTransport):
    async def aclose(self) -> None:
        raise OSError("the port is stuck")


async def test_a_transport_that_does_not_close_keeps_no_other_open() -> None:
    web = LoopbackTransport()
    channel = RealtimeVoiceChannel("desk", provider=ScriptedProvider(), transport=Switchboard(Stubborn(), web))
    caller = await web.call()
    await channel.close()
    assert await caller.ended() == "us"
    with pytest.raises(CallRejected):
        await web.call()


def test_a_switchboard_of_nothing_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="at least one"):
        Switchboard()
