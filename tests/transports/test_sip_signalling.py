"""Messages that are lost, come twice or cross: a caller that writes its own SIP, datagram by datagram."""

import socket
from collections.abc import Generator

import anyio
import pytest
from aiosipua import SipMessage, SipRequest, SipResponse

from tests.transports.sip_phone import Answering, event_of
from voice_hitl.transport import CallRejected, Digit, HungUp, Incoming

pytestmark = pytest.mark.anyio

SDP = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 30000 RTP/AVP 0\r\n"


class Caller:
    """Writes requests and reads what comes."""

    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.setblocking(False)
        self.port = int(self.socket.getsockname()[1])
        self.there: tuple[str, int] = ("127.0.0.1", 0)
        self.tag = ""

    def say(self, method: str, cseq: int, branch: str, *, body: str = "", kind: str = "application/sdp") -> None:
        """One request; the same branch again is the same request again."""
        self.send(
            f"{method} sip:desk@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:{self.port};branch=z9hG4bK{branch}\r\n"
            f"From: <sip:ann@127.0.0.1>;tag=ann\r\nTo: <sip:desk@127.0.0.1>{self.tag}\r\nCall-ID: the-call\r\n"
            f"CSeq: {cseq} {method}\r\nContact: <sip:ann@127.0.0.1:{self.port}>\r\nMax-Forwards: 70\r\n"
            f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        )

    def send(self, text: str) -> None:
        self.socket.sendto(text.encode(), self.there)

    async def heard(self) -> SipRequest | SipResponse:
        with anyio.fail_after(30):
            await anyio.wait_readable(self.socket)
            return SipMessage.parse(self.socket.recv(65_536))

    async def response(self, code: int, method: str = "INVITE") -> SipResponse:
        """The next response of this kind; what else comes is let go."""
        while True:
            message = await self.heard()
            cseq = message.cseq
            if isinstance(message, SipResponse) and cseq is not None and cseq.method == method:
                if message.status_code == code:
                    return message
                assert message.status_code < 200, f"{message.status_code} to {method}, not {code}"

    async def request(self, method: str) -> SipRequest:
        while True:
            message = await self.heard()
            if isinstance(message, SipRequest) and message.method == method:
                return message

    async def taken(self) -> None:
        """Call, and be answered (the ACK is still to be sent)."""
        self.say("INVITE", 1, "invite", body=SDP)
        yes = await self.response(200)
        assert yes.to_addr is not None
        self.tag = f";tag={yes.to_addr.tag}"


@pytest.fixture
def caller() -> Generator[Caller]:
    caller = Caller()
    yield caller
    caller.socket.close()


async def test_an_invite_that_comes_twice_is_one_call(caller: Caller) -> None:
    async with Answering() as desk:
        caller.there = ("127.0.0.1", desk.transport.port)
        caller.say("INVITE", 1, "invite", body=SDP)
        caller.say("INVITE", 1, "invite", body=SDP)
        await desk.leg()
        yes = await caller.response(200)
        again = await caller.response(200)
        assert again.get_header("to") == yes.get_header("to")
        with anyio.move_on_after(0):
            await desk.taken.receive()
            pytest.fail("it was offered twice")


async def test_an_info_that_comes_twice_is_one_digit(caller: Caller) -> None:
    async with Answering() as desk:
        caller.there = ("127.0.0.1", desk.transport.port)
        await caller.taken()
        leg = await desk.leg()
        caller.say("ACK", 1, "ack")
        for digit, cseq in (("4", 2), ("4", 2), ("2", 3)):
            caller.say("INFO", cseq, f"info{cseq}", body=f"Signal={digit}\n", kind="application/dtmf-relay")
            await caller.response(200, "INFO")
        caller.say("INFO", 2, "stale", body="Signal=9\n", kind="application/dtmf-relay")
        await caller.response(500, "INFO")
        caller.say("BYE", 4, "bye")
        await caller.response(200, "BYE")
        digits = []
        with anyio.fail_after(30):
            while not isinstance(event := await leg.events().get(), HungUp):
                if isinstance(event, Digit):
                    digits.append(event.digit)
        assert digits == ["4", "2"]


async def test_an_info_of_no_call_is_told_so(caller: Caller) -> None:
    async with Answering() as desk:
        caller.there = ("127.0.0.1", desk.transport.port)
        caller.say("INFO", 2, "info", body="Signal=1\n", kind="application/dtmf-relay")
        await caller.response(481, "INFO")


async def test_a_cancel_that_crosses_the_answer_leaves_the_call_to_its_bye(caller: Caller) -> None:
    async with Answering() as desk:
        caller.there = ("127.0.0.1", desk.transport.port)
        await caller.taken()
        leg = await desk.leg()
        caller.say("CANCEL", 1, "invite")
        await caller.response(200, "CANCEL")
        caller.say("ACK", 1, "ack")
        caller.say("BYE", 2, "bye")
        await caller.response(200, "BYE")
        hung = await event_of(leg, HungUp)
        assert isinstance(hung, HungUp)
        assert hung.reason == "caller"


async def test_we_hang_up_only_once_our_answer_was_acknowledged_and_until_it_is_heard(caller: Caller) -> None:
    async with Answering() as desk:
        caller.there = ("127.0.0.1", desk.transport.port)
        await caller.taken()
        leg = await desk.leg()
        await leg.hang_up()
        again = await caller.heard()  # the answer, again, and no BYE
        assert isinstance(again, SipResponse)
        caller.say("ACK", 1, "ack")
        bye = await caller.request("BYE")
        same = await caller.request("BYE")
        assert same.get_header("via") == bye.get_header("via")
        caller.send(
            f"SIP/2.0 200 OK\r\nVia: {bye.get_header('via')}\r\nFrom: {bye.get_header('from')}\r\n"
            f"To: {bye.get_header('to')}\r\nCall-ID: the-call\r\nCSeq: {bye.get_header('cseq')}\r\n"
            "Content-Length: 0\r\n\r\n"
        )


async def test_a_refusal_is_said_again_until_it_is_acknowledged(caller: Caller) -> None:
    async with Answering() as desk:

        async def refuse(_call: Incoming) -> None:
            raise CallRejected(486)

        desk.transport.listen(refuse)
        caller.there = ("127.0.0.1", desk.transport.port)
        caller.say("INVITE", 1, "invite", body=SDP)
        for _ in range(3):
            await caller.response(486)
        caller.say("ACK", 1, "invite")


@pytest.mark.parametrize(
    "audio",
    [
        "c=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 30000 RTP/AVP 9\r\n",
        "c=IN IP4 somewhere.invalid\r\nt=0 0\r\nm=audio 30000 RTP/AVP 0\r\n",
        "c=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 510112 RTP/AVP 0\r\n",
        "c=IN IP4 127.0.0.1\r\nt=0 0\r\nm=video 30000 RTP/AVP 0\r\n",
    ],
)
async def test_a_call_whose_audio_we_cannot_take_is_refused(caller: Caller, audio: str) -> None:
    async with Answering() as desk:
        caller.there = ("127.0.0.1", desk.transport.port)
        caller.say("INVITE", 1, "invite", body=f"v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\n{audio}")
        await caller.response(488)
        caller.say("ACK", 1, "invite")
