import re

import anyio
import pytest

from voice_hitl.errors import ConnectionEnded, InvalidOffer
from voice_hitl.testing import LoopbackCaller, LoopbackLeg, LoopbackTransport
from voice_hitl.transport import (
    AudioIn,
    CallRejected,
    Digit,
    HungUp,
    Incoming,
    LegCapabilities,
    LegEvent,
    LegInfo,
    LegLost,
    Message,
    Played,
    Transport,
)

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

RATE = 16_000
FRAME = b"\1\0" * 320


class Channel:
    """Takes every call."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport
        transport.listen(self._take)

    async def _take(self, incoming: Incoming) -> None:
        await self.transport.accept(incoming, rate=RATE)


async def in_call(transport: LoopbackTransport) -> tuple[LoopbackCaller, LoopbackLeg]:
    Channel(transport)
    caller = await transport.call(participant_id="ada", room_id="desk")
    return caller, caller.leg


async def events(leg: LoopbackLeg) -> list[LegEvent]:
    """All events that the leg has, to its end."""
    leg.end("us")
    got: list[LegEvent] = []
    while True:
        try:
            got.append(await leg.events().get())
        except ConnectionEnded:
            return got


async def test_a_call_is_taken_by_whoever_listens() -> None:
    transport = LoopbackTransport(name="loop")
    caller, leg = await in_call(transport)
    assert leg.info == LegInfo(call_id="loop-1", participant_id="ada", room_id="desk")
    assert caller.in_call
    assert caller.incoming().info.call_id == f"{transport.name}-2"
    assert leg.capabilities.messages
    assert leg.round_trip_ms is None


async def test_a_call_that_nobody_takes_is_refused() -> None:
    async def ignore(_incoming: Incoming) -> None:
        return

    transport = LoopbackTransport()
    with pytest.raises(CallRejected, match="nobody listens"):
        await transport.call()
    transport.listen(ignore)
    with pytest.raises(CallRejected, match="nobody took"):
        await transport.call()


async def test_a_call_can_be_refused() -> None:
    async def busy(_incoming: Incoming) -> None:
        raise CallRejected(486)

    transport = LoopbackTransport()
    transport.listen(busy)
    with pytest.raises(CallRejected) as refused:
        await transport.call()
    assert refused.value.code == 486


async def test_a_channel_may_be_handed_a_call_instead_of_listening() -> None:
    transport = LoopbackTransport()
    caller = transport.caller(participant_id="ada", from_="+41", headers={"x-table": "7"})
    with pytest.raises(AssertionError, match="nobody has answered"):
        caller.send_text("hello?")
    incoming = caller.incoming()
    leg = await transport.accept(incoming, rate=RATE)
    assert caller.leg is leg
    assert (leg.info.from_, leg.info.headers) == ("+41", {"x-table": "7"})
    with pytest.raises(InvalidOffer, match="answered already"):
        await transport.accept(incoming, rate=RATE)


async def test_another_transports_call_cannot_be_answered() -> None:
    class Other:
        info = LegInfo(call_id="x")

    with pytest.raises(InvalidOffer, match="no call of a LoopbackTransport"):
        await LoopbackTransport().accept(Other(), rate=RATE)


async def test_speech_arrives_in_frames_in_real_time() -> None:
    caller, leg = await in_call(LoopbackTransport())
    began = anyio.current_time()
    await caller.speak(FRAME * 2 + b"\2\0")
    await caller.stay_silent(20)
    heard = [event for event in await events(leg) if isinstance(event, AudioIn)]
    assert [event.pcm for event in heard] == [FRAME, FRAME, b"\2\0".ljust(640, b"\0"), bytes(640)]
    assert [round((event.at - began) * 1000, 6) for event in heard] == [20, 40, 60, 80]


async def test_speech_that_nobody_reads_is_dropped_oldest_first_and_a_key_press_never() -> None:
    caller, leg = await in_call(LoopbackTransport())
    await caller.press("5")
    await caller.speak(FRAME * 60)
    got = await events(leg)
    assert [type(event) for event in got] == [Digit] + [AudioIn] * 50 + [HungUp]


async def test_keys_are_pressed_one_after_another() -> None:
    caller, leg = await in_call(LoopbackTransport())
    began = anyio.current_time()
    await caller.press("1#")
    got = [event for event in await events(leg) if isinstance(event, Digit)]
    assert [(event.digit, event.duration_ms, round(event.at - began, 6)) for event in got] == [
        ("1", 100, 0.1),
        ("#", 100, 0.3),
    ]
    with pytest.raises(ValueError, match="no key 'x'"):
        await caller.press("x")


async def test_messages_go_both_ways() -> None:
    with LoopbackTransport() as transport:
        caller, leg = await in_call(transport)
        caller.send({"v": 1, "type": "digit", "digit": "1"})
        caller.send_text("{cut")
        await leg.send_message('{"type": "request.opened", "pending_id": "p1", "tool": "ConfirmAction"}')
        await leg.send_message('{"type": "ok"}')
        opened = await caller.message(type="request.opened", tool=re.compile("^Confirm"))
        assert opened["pending_id"] == "p1"
        await caller.message(type="ok")
        await caller.expect_nothing(for_s=5)
        texts = [event.text for event in await events(leg) if isinstance(event, Message)]
        assert texts == ['{"v": 1, "type": "digit", "digit": "1"}', "{cut"]


async def test_another_message_than_the_expected_fails_and_shows_both() -> None:
    caller, leg = await in_call(LoopbackTransport())
    await leg.send_message('{"type": "ok", "id": "1"}')
    with pytest.raises(AssertionError) as failed:
        await caller.message(type="refused", id="1", code="late")
    assert str(failed.value) == (
        "caller ada was to get\n    message(type='refused', id='1', code='late')\nbut got\n"
        "    {'type': 'ok', 'id': '1'}\nnothing came before that\nbecause\n"
        "    type was to be 'refused' but is 'ok'\n    there is no code"
    )


async def test_messages_nobody_expected_fail_at_the_end() -> None:
    async def test() -> None:
        with LoopbackTransport() as transport:
            caller, leg = await in_call(transport)
            await leg.send_message('{"type": "ok"}')
            await leg.send_message("[]")
            await leg.send_message("{cut")
            caller.hang_up()

    with pytest.raises(
        AssertionError, match=r"caller ada got what nobody expected:\n.*'ok'.*\n.*'malformed'.*\n.*'malformed'"
    ):
        await test()


async def test_a_failed_test_is_not_told_of_what_it_did_not_come_to() -> None:
    async def test() -> None:
        with LoopbackTransport() as transport:
            await in_call(transport)
            raise ValueError("the test's own")

    with pytest.raises(ValueError, match="the test's own"):
        await test()


async def test_commentary_is_counted_unless_it_is_watched() -> None:
    caller, leg = await in_call(LoopbackTransport())
    await leg.send_message('{"type": "transcript", "text": "hel"}')
    caller.watch("transcript")
    caller.ignore("ok")
    await leg.send_message('{"type": "ok"}')
    await leg.send_message('{"type": "transcript", "text": "hello"}')
    await caller.message(type="transcript", text="hello")
    assert (caller.counts["transcript"], caller.counts["ok"]) == (2, 1)


async def test_a_leg_without_messages_carries_none() -> None:
    caller, leg = await in_call(LoopbackTransport(capabilities=LegCapabilities(digits=True)))
    await leg.send_message('{"type": "ok"}')
    assert not caller.counts


async def test_what_is_played_is_heard_and_reported() -> None:
    transport = LoopbackTransport()
    Channel(transport)
    caller = transport.caller(keep_audio=True)
    await caller.dial()
    leg = caller.leg
    for _ in range(6):
        leg.send_audio(FRAME, "i1")
    began = anyio.current_time()
    await caller.hears(item="i1")
    assert anyio.current_time() - began == pytest.approx(0.02)
    await caller.hears(120)
    assert (caller.heard["i1"], bytes(caller.audio)) == (120, FRAME * 6)
    played = [(event.ms, event.last) for event in await events(leg) if isinstance(event, Played)]
    assert played == [(100, False), (120, True)]


async def test_what_is_never_heard_fails() -> None:
    caller, leg = await in_call(LoopbackTransport())
    leg.send_audio(FRAME, "i1")
    with pytest.raises(AssertionError, match="was to hear 40 ms of 'i1' within 2 s but heard 20 ms"):
        await caller.hears(40, item="i1", within_s=2)
    with pytest.raises(AssertionError, match="was to hear 40 ms within 10 s but heard 20 ms"):
        await caller.hears(40)


async def test_clearing_stops_what_is_heard() -> None:
    caller, leg = await in_call(LoopbackTransport())
    for _ in range(10):
        leg.send_audio(FRAME, "i1")
    await anyio.sleep(0.05)
    assert leg.clear().ms == 50
    await anyio.sleep(1)
    assert caller.heard["i1"] == 40


async def test_what_is_no_frame_is_refused() -> None:
    _, leg = await in_call(LoopbackTransport())
    with pytest.raises(ValueError, match="a frame is 640 bytes at 16000 samples a second, not 2"):
        leg.send_audio(b"\0\0", "i1")


async def test_the_caller_hangs_up() -> None:
    with LoopbackTransport() as transport:
        caller, leg = await in_call(transport)
        caller.hang_up()
        caller.hang_up()
        assert await caller.ended() == "caller"
        assert isinstance(await leg.events().get(), HungUp)
        with pytest.raises(ConnectionEnded):
            await leg.events().get()
        leg.send_audio(FRAME, "i1")
        await leg.send_message('{"type": "ok"}')
        await anyio.sleep(1)
        assert not caller.heard


async def test_a_caller_who_hangs_up_while_it_rings_has_gone_when_answered() -> None:
    transport = LoopbackTransport()
    caller = transport.caller()
    incoming = caller.incoming()
    caller.hang_up()
    leg = await transport.accept(incoming, rate=RATE)
    assert await leg.events().get() == HungUp("caller", anyio.current_time())
    assert not caller.in_call


async def test_the_near_end_hangs_up_at_once_or_when_all_was_heard() -> None:
    transport = LoopbackTransport()
    caller, leg = await in_call(transport)
    began = anyio.current_time()
    for _ in range(50):
        leg.send_audio(FRAME, "bye")
    async with anyio.create_task_group() as group:
        group.start_soon(caller.ended)
        await anyio.sleep(0.5)
        await leg.hang_up(after="playout")
    assert round(anyio.current_time() - began, 6) == 1
    assert (caller.heard["bye"], caller.ended_with) == (1000, "us")
    caller, leg = await in_call(transport)
    leg.send_audio(FRAME, "bye")
    await leg.hang_up()
    assert (caller.ended_with, caller.heard["bye"]) == ("us", 0)


async def test_a_call_that_goes_on_does_not_end() -> None:
    caller, _ = await in_call(LoopbackTransport())
    with pytest.raises(AssertionError, match="to end within 3 s but goes on"):
        await caller.ended(within_s=3)


async def test_a_call_is_handed_over_where_the_leg_can() -> None:
    caller, leg = await in_call(LoopbackTransport())
    await leg.transfer("+4112345")
    assert (caller.ended_with, caller.transferred_to) == ("transferred", "+4112345")
    _, leg = await in_call(LoopbackTransport(capabilities=LegCapabilities()))
    with pytest.raises(ValueError, match="cannot transfer"):
        await leg.transfer("+4112345")


async def test_a_caller_vanishes_and_comes_back_on_a_new_leg() -> None:
    with LoopbackTransport() as transport:
        caller, leg = await in_call(transport)
        with pytest.raises(AssertionError, match="has not vanished"):
            await caller.rejoin()
        leg.send_audio(FRAME, "i1")
        caller.vanish()
        leg.send_audio(FRAME, "i1")
        await leg.send_message('{"type": "ok"}')
        await caller.press("1")
        await anyio.sleep(1)
        assert not caller.heard
        await caller.rejoin()
        new = caller.leg
        assert (leg.info.participant_id, new.info.participant_id) == ("ada", "ada")
        assert leg.info.call_id != new.info.call_id
        await leg.aclose()
        assert caller.in_call
        assert [type(event) for event in await events(leg)] == [LegLost, HungUp]
        await new.send_message('{"type": "request.opened"}')
        await caller.message(type="request.opened")
        await new.aclose()


async def test_a_lost_leg_ends_as_lost() -> None:
    caller, leg = await in_call(LoopbackTransport())
    caller.vanish()
    await leg.aclose()
    assert await caller.ended() == "lost"


async def test_a_call_that_is_still_up_fails_at_the_end() -> None:
    transport = LoopbackTransport(name="loop")
    await in_call(transport)
    with pytest.raises(AssertionError, match="the call loop-1 is still up"):
        transport.done()


async def test_a_lost_leg_that_was_never_let_go_fails_at_the_end() -> None:
    transport = LoopbackTransport(name="loop")
    caller, _ = await in_call(transport)
    caller.vanish()
    await caller.rejoin()
    caller.hang_up()
    with pytest.raises(AssertionError, match="the lost leg of call loop-1 was never let go"):
        transport.done()


async def test_closing_the_transport_hangs_up_and_takes_no_more() -> None:
    transport = LoopbackTransport()
    caller, _ = await in_call(transport)
    await transport.aclose()
    assert await caller.ended() == "us"
    with pytest.raises(CallRejected):
        await transport.call()
