"""Two real peers on this machine: ICE, DTLS, SRTP, SCTP and Opus, nothing replaced."""

import re
import sys
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise

import anyio
import pytest
from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription, VideoStreamTrack
from aiortc.mediastreams import AudioStreamTrack, MediaStreamTrack

from tests.transports.webrtc_agent import RATE, Agent, Ear, agent, loudness, say, strongest_hz, tone
from voice_hitl.transport import AudioIn, CallRejected, Digit, Heard, HungUp, Incoming, LegLost, Message, Played
from voice_hitl_webrtc import Caller, WebRTCLeg, WebRTCTransport, call, ice, rtp, sdp, seam
from voice_hitl_webrtc.messages import MAX_BYTES

pytestmark = pytest.mark.anyio

HEADERS = {"x-name": "ann"}


class Call:
    """A call that stands: its two ends, listened to."""

    def __init__(self, there: Agent, caller: WebRTCLeg) -> None:
        self.agent = there
        self.caller = caller
        self.callee = there.legs[-1]
        self.at_caller: Ear = there.ear(self.caller)
        self.at_callee: Ear = there.ear(self.callee)


@asynccontextmanager
async def a_call(lost_after_s: float = 5.0) -> AsyncGenerator[Call]:
    async with agent(lost_after_s) as there:
        caller = await call(there.url, rate=RATE, headers=HEADERS)
        made = Call(there, caller)
        await made.caller.send_message("ready?")
        await made.at_callee.next(Message)
        try:
            yield made
        finally:
            with anyio.CancelScope(shield=True):
                await caller.aclose()


async def test_audio_goes_both_ways_at_once() -> None:
    async with a_call() as made:
        say(made.caller, tone(440, 1.5), "question")
        say(made.callee, tone(660, 1.5), "answer")
        assert strongest_hz(await made.at_callee.voice(1.0)) == pytest.approx(440, abs=5)
        assert strongest_hz(await made.at_caller.voice(1.0)) == pytest.approx(660, abs=5)


async def test_a_leg_says_who_calls_and_what_it_can_do() -> None:
    async with a_call() as made:
        info = made.callee.info
        assert (info.direction, info.participant_id, info.room_id) == ("incoming", "ann", "lobby")
        assert info.headers == {"plan": "gold"}
        assert info.call_id == made.caller.info.call_id
        assert info.codec == "opus/48000"
        assert made.caller.info.direction == "outgoing"
        assert made.callee.capabilities.messages
        assert made.callee.capabilities.digits
        assert made.callee.capabilities.echo_cancelled
        assert made.callee.capabilities.rejoin_s == 15


async def test_frames_come_every_twenty_milliseconds_by_one_clock() -> None:
    async with a_call() as made:
        await made.at_callee.until(lambda: len(made.at_callee.heard) > 50, "a second of audio")
        times = [frame.at for frame in made.at_callee.heard]
        assert [later - earlier for earlier, later in pairwise(times)] == pytest.approx([0.02] * (len(times) - 1))
        assert {len(frame.pcm) for frame in made.at_callee.heard} == {640}


async def test_played_tells_how_much_was_heard_every_100_ms_and_when_nothing_is_left() -> None:
    async with a_call() as made:
        say(made.callee, tone(440, 0.3), "first")
        say(made.callee, tone(440, 0.25), "second")
        await made.at_callee.until(lambda: any(p.last for p in made.at_callee.of(Played)), "the last Played")
        played = made.at_callee.of(Played)
        assert [(p.item, p.ms, p.last) for p in played] == [
            ("first", 100, False),
            ("first", 200, False),
            ("first", 300, False),
            ("second", 100, False),
            ("second", 200, False),
            ("second", 250, True),
        ]
        assert 0.2 <= played[-1].at - played[2].at <= 0.35


async def test_clear_drops_what_was_not_heard_and_the_far_end_hears_no_more_of_it() -> None:
    async with a_call() as made:
        say(made.callee, tone(660, 5), "long")
        say(made.callee, tone(660, 1), "unheard")
        await made.at_caller.voice(0.5)
        found = made.callee.clear()
        assert found.item == "long"
        assert found.dropped == ("unheard",)
        at_clear = len(made.at_caller.heard)
        await made.at_caller.until(lambda: len(made.at_caller.heard) >= at_clear + 40, "more audio")
        assert loudness(b"".join(frame.pcm for frame in made.at_caller.heard[at_clear + 10 :])) < 100
        heard_ms = 20 * sum(loudness(frame.pcm) > 1_000 for frame in made.at_caller.heard)
        assert found.ms == pytest.approx(heard_ms, abs=60)
        assert not made.callee.clear().item


async def test_messages_go_both_ways_in_order() -> None:
    async with a_call() as made:
        for number in range(20):
            await made.callee.send_message(f"to page {number}")
            await made.caller.send_message(f"from page {number}")
        await made.at_caller.next(Message, 20)
        await made.at_callee.next(Message, 21)
        assert [m.text for m in made.at_caller.of(Message)] == [f"to page {n}" for n in range(20)]
        assert [m.text for m in made.at_callee.of(Message)][1:] == [f"from page {n}" for n in range(20)]


async def test_a_message_sent_before_the_channel_is_open_waits_for_it() -> None:
    async with agent() as there:
        caller = await call(there.url, headers=HEADERS)
        ear = there.ear(caller)
        await there.legs[0].send_message("early")
        assert (await ear.next(Message)).text == "early"
        await caller.aclose()


async def test_a_message_of_64_kib_is_taken_and_a_longer_or_binary_one_refused() -> None:
    async with a_call() as made:
        longest = "x" * MAX_BYTES
        await made.caller.send_message(longest)
        assert (await made.at_callee.next(Message, 2)).text == longest
        page = made.caller._messages._channel  # pyright: ignore[reportPrivateUsage] - a page is not bound to our limit
        assert page is not None
        page.send("y" * (MAX_BYTES + 1))
        page.send(b"\0\1")
        page.send(b"\0\2")
        refused = [(await made.at_caller.next(Message, number)).text for number in (1, 2, 3)]
        assert ['"too_large"' in refused[0], '"malformed"' in refused[1], '"malformed"' in refused[2]] == [True] * 3
        assert len(made.at_callee.of(Message)) == 2


async def test_the_caller_hangs_up_and_nothing_is_left_running() -> None:
    async with agent() as there:
        tasks, threads = len(anyio.get_running_tasks()), threading.active_count()
        caller = await call(there.url, headers=HEADERS)
        made = Call(there, caller)
        await made.at_callee.until(lambda: len(made.at_callee.heard) > 10, "audio")
        await caller.hang_up()
        assert (await made.at_callee.next(HungUp)).reason == "caller"
        assert (await made.at_caller.next(HungUp)).reason == "us"
        await made.at_callee.ended.wait()
        await made.callee.aclose()
        await made.at_caller.ended.wait()
        assert len(anyio.get_running_tasks()) <= tasks
        assert threading.active_count() <= threads + 1  # the worker thread that posted the offer idles


async def test_we_hang_up_after_playout_and_the_caller_hears_all_of_it() -> None:
    async with a_call() as made:
        say(made.callee, tone(660, 0.6), "goodbye")
        await made.callee.hang_up(after="playout")
        assert (await made.at_callee.next(HungUp)).reason == "us"
        assert (await made.at_caller.next(HungUp)).reason == "caller"
        assert 20 * sum(loudness(frame.pcm) > 1_000 for frame in made.at_caller.heard) >= 560


async def test_the_last_messages_before_a_hang_up_still_arrive() -> None:
    async with a_call() as made:
        for number in range(5):
            await made.callee.send_message(f"last words {number}")
        await made.callee.hang_up()
        await made.at_caller.next(HungUp)
        assert [m.text for m in made.at_caller.of(Message)] == [f"last words {n}" for n in range(5)]


async def test_a_page_says_goodbye_in_a_message() -> None:
    async with a_call() as made:
        await made.caller.send_message('{"v": 1, "type": "bye"}')
        assert (await made.at_callee.next(HungUp)).reason == "caller"
        assert (await made.at_caller.next(HungUp)).reason == "caller"


async def test_the_transport_closes_with_calls_in_it() -> None:
    async with a_call() as made:
        await made.agent.transport.aclose()
        assert (await made.at_callee.next(HungUp)).reason == "us"
        assert (await made.at_caller.next(HungUp)).reason == "caller"
        with pytest.raises(CallRejected) as refused:
            await call(made.agent.url, headers=HEADERS)
        assert refused.value.code == 503


CALLER_THAT_VANISHES = """
import anyio, sys
from voice_hitl_webrtc import call
async def main():
    leg = await call(sys.argv[1], headers={"x-name": "ann"}, call_id="home")
    while True:
        await leg.events().get()
anyio.run(main)
"""


async def test_a_caller_that_vanishes_is_noticed_and_may_come_back_to_its_call() -> None:
    async with agent(lost_after_s=1.0) as there:
        process = await anyio.open_process([sys.executable, "-c", CALLER_THAT_VANISHES, there.url], stderr=None)
        try:
            with anyio.fail_after(30):
                await there.called.wait()
            lost = there.legs[0]
            ear = there.ear(lost)
            await ear.until(lambda: len(ear.heard) > 10, "audio")
            with pytest.raises(CallRejected) as refused:
                await call(there.url, headers=HEADERS, call_id="home")
            assert refused.value.code == 409
        finally:
            process.kill()
            await process.aclose()
        vanished_at = ear.heard[-1].at
        assert 0.8 <= (await ear.next(LegLost)).at - vanished_at <= 2.0
        assert not ear.of(HungUp)
        with pytest.raises(CallRejected):
            await call(there.url, headers={"x-name": "somebody else"}, call_id="home")
        again = await call(there.url, headers=HEADERS, call_id="home")
        assert there.legs[1].info.call_id == lost.info.call_id
        await lost.aclose()
        assert (await ear.next(HungUp)).reason == "lost"
        await again.aclose()


async def test_a_network_that_comes_back_brings_the_leg_back() -> None:
    async with a_call(lost_after_s=0.5) as made:
        cut = lose_packets(made.callee, one_in=1)
        await made.at_callee.next(LegLost)
        frames = len(made.at_callee.heard)
        cut.one_in = 0
        await made.at_callee.until(lambda: len(made.at_callee.heard) > frames + 20, "audio again")
        assert not made.callee.lost
        assert len(made.at_callee.of(LegLost)) == 1


async def test_every_frame_arrives_though_each_twentieth_packet_is_lost() -> None:
    async with a_call() as made:
        lose_packets(made.callee, one_in=20)
        say(made.caller, tone(440, 2.5), "question")
        assert strongest_hz(await made.at_callee.voice(2.3)) == pytest.approx(440, abs=5)
        counts = made.callee.media.counts
        assert counts.recovered >= 5
        assert counts.concealed <= 2  # the machine's own hiccups


@dataclass
class Cut:
    """Which packets the network loses: one in so many; 0: none."""

    one_in: int


def lose_packets(leg: WebRTCLeg, one_in: int) -> Cut:
    """Lose some of what the network delivers to a leg, below everything of ours."""
    receiver = leg._connection.getReceivers()[0]  # pyright: ignore[reportPrivateUsage] - the network's side
    agent = seam.agent_of(receiver.transport)
    deliver: seam.Arrived = getattr(agent, seam.ARRIVED)
    cut = Cut(one_in)

    def lossy(datagram: bytes, component: int) -> None:
        number = int.from_bytes(datagram[2:4], "big")
        if not cut.one_in or not rtp.is_rtp(datagram) or number % cut.one_in:
            deliver(datagram, component)

    setattr(agent, seam.ARRIVED, lossy)
    return cut


async def test_a_leg_that_is_over_takes_nothing_more_and_says_so_to_nobody() -> None:
    async with a_call() as made:
        with pytest.raises(ValueError, match="cannot be transferred"):
            await made.callee.transfer("sip:bob@example.org")
        await made.callee.hang_up()
        say(made.callee, tone(440, 0.1), "late")
        await made.callee.send_message("late")
        await made.callee.hang_up(after="playout")
        await made.callee.aclose()
        assert made.callee.clear() == Heard()
        assert [type(event) for event in made.at_callee.events].count(HungUp) <= 1


async def test_a_second_data_channel_is_closed_and_the_first_goes_on() -> None:
    async with a_call() as made:
        second = made.caller._connection.createDataChannel("second")  # pyright: ignore[reportPrivateUsage] - a page's own
        closed = anyio.Event()
        second.on("close", closed.set)
        with anyio.fail_after(30):
            await closed.wait()
        await made.caller.send_message("still here")
        assert (await made.at_callee.next(Message, 2)).text == "still here"


async def test_the_page_closes_its_data_channel_and_the_call_is_over() -> None:
    async with a_call() as made:
        page = made.caller._messages._channel  # pyright: ignore[reportPrivateUsage] - what a page would do
        assert page is not None
        page.close()
        assert (await made.at_callee.next(HungUp)).reason == "caller"


async def test_the_round_trip_is_measured() -> None:
    async with a_call() as made:
        await made.at_callee.until(lambda: made.callee.round_trip_ms is not None, "a measurement")
        assert made.callee.round_trip_ms is not None
        assert 0 <= made.callee.round_trip_ms < 1_000


async def test_a_caller_that_never_connects_is_lost() -> None:
    taken: list[WebRTCLeg] = []
    transport = WebRTCTransport(connect_within_s=0.3)

    async def take(incoming: Incoming) -> None:
        taken.append(await transport.accept(incoming, rate=RATE))

    transport.listen(take)
    peer = await a_peer()
    await transport.answer(peer.localDescription.sdp, Caller("ann"))
    with anyio.fail_after(30):
        assert isinstance(await taken[0].events().get(), LegLost)
    await transport.aclose()
    assert taken[0].ended
    await peer.close()


async def test_a_browser_that_hides_its_addresses_is_connected() -> None:
    taken: list[WebRTCLeg] = []
    transport = WebRTCTransport()

    async def take(incoming: Incoming) -> None:
        taken.append(await transport.accept(incoming, rate=RATE))

    transport.listen(take)
    peer = await a_peer()
    hidden = re.sub(r"(a=candidate:\S+ 1 udp \d+) \S+", r"\1 3f2a-hidden.local", peer.localDescription.sdp)
    answer = await transport.answer(hidden, Caller("ann"))
    await peer.setRemoteDescription(RTCSessionDescription(answer, "answer"))
    with anyio.fail_after(30):
        assert isinstance(await taken[0].events().get(), AudioIn)
    await peer.close()
    await transport.aclose()


async def test_video_is_declined_and_the_call_goes_on() -> None:
    taken: list[WebRTCLeg] = []
    transport = WebRTCTransport()

    async def take(incoming: Incoming) -> None:
        taken.append(await transport.accept(incoming, rate=RATE))

    transport.listen(take)
    peer = await a_peer(VideoStreamTrack())
    answer = await transport.answer(peer.localDescription.sdp, Caller("ann"))
    video = next(media for media in sdp.read(answer).media if media.kind == "video")
    assert video.direction == "inactive"
    await peer.setRemoteDescription(RTCSessionDescription(answer, "answer"))
    with anyio.fail_after(30):
        assert isinstance(await taken[0].events().get(), AudioIn)
    await peer.close()
    await transport.aclose()


async def a_peer(*more: MediaStreamTrack) -> RTCPeerConnection:
    """A WebRTC program that is not ours, ready to call."""
    peer = RTCPeerConnection(RTCConfiguration(iceServers=[]))
    for track in (AudioStreamTrack(), *more):
        peer.addTrack(track)
    await ice.gather(peer)
    await peer.setLocalDescription(await peer.createOffer())
    return peer


async def test_keys_are_pressed_while_we_speak_and_arrive_though_packets_are_lost() -> None:
    async with a_call() as made:
        lose_packets(made.callee, one_in=20)
        say(made.caller, tone(440, 2.5), "question")
        await made.caller.press("4271#")
        await made.at_callee.next(Digit, 5)
        assert "".join(digit.digit for digit in made.at_callee.of(Digit)) == "4271#"
        assert {digit.duration_ms for digit in made.at_callee.of(Digit)} == {100}
        assert strongest_hz(await made.at_callee.voice(1.5)) == pytest.approx(440, abs=5)
        with pytest.raises(ValueError, match="keys of a telephone"):
            await made.caller.press("x")
        await made.caller.hang_up()
        await made.caller.press("1")
