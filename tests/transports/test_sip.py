"""The SIP leg against sipp, with RTP packets made by hand."""

import shutil
import socket
import struct
import subprocess
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import numpy as np
import pytest
from anyio.abc import Process

from voice_hitl.audio.frame import frame_bytes
from voice_hitl.audio.g711 import decode_ulaw, encode_ulaw
from voice_hitl.transport import AudioIn, CallRejected, Digit, HungUp, Incoming, Played
from voice_hitl_sip import SipLeg, SipTransport
from voice_hitl_sip.info import read_info

pytestmark = pytest.mark.anyio

SIPP = shutil.which("sipp")
RATE = 16_000
DTMF_PAYLOAD = 96

HEAD = """
    {method} sip:bot@[remote_ip]:[remote_port] SIP/2.0
    Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
    From: ann <sip:ann@[local_ip]:[local_port]>;tag=[pid]SIPpTag[call_number]
    To: bot <sip:bot@[remote_ip]:[remote_port]>{tag}
    Call-ID: [call_id]
    CSeq: {cseq} {cseq_method}
    Contact: sip:ann@[local_ip]:[local_port]
    Max-Forwards: 70
"""


def request(
    method: str, cseq: int, *, body: str = "", content_type: str = "", cseq_method: str = "", in_dialog: bool = True
) -> str:
    """One request of a sipp scenario."""
    tag = "[peer_tag_param]" if in_dialog else ""
    head = HEAD.format(method=method, tag=tag, cseq=cseq, cseq_method=cseq_method or method).strip()
    lines = [line.strip() for line in head.splitlines()]
    if content_type:
        lines.append(f"Content-Type: {content_type}")
    lines.append("Content-Length: [len]")
    # The branch of a CANCEL is that of its INVITE.
    text = "\n".join(lines) + "\n\n" + body
    if method == "CANCEL":
        text = text.replace("[branch]", "[branch-3]")
    again = ' retrans="500"' if method in ("INVITE", "BYE", "INFO") else ""
    return f"<send{again}><![CDATA[\n\n{text}\n]]></send>"


def offer(rtp_port: int) -> str:
    return (
        "v=0\no=ann 1 1 IN IP4 [local_ip]\ns=-\nc=IN IP4 [local_ip]\nt=0 0\n"
        f"m=audio {rtp_port} RTP/AVP 0 {DTMF_PAYLOAD}\na=rtpmap:0 PCMU/8000\n"
        f"a=rtpmap:{DTMF_PAYLOAD} telephone-event/8000\n"
    )


PROVISIONAL = '<recv response="100" optional="true"/><recv response="180" optional="true"/>'


def scenario(rtp_port: int, *after: str, answered: bool = True) -> str:
    steps = [request("INVITE", 1, body=offer(rtp_port), content_type="application/sdp", in_dialog=False)]
    if answered:
        steps += [PROVISIONAL, '<recv response="200"/>', request("ACK", 1)]
    return f'<?xml version="1.0"?>\n<scenario name="t">{"".join([*steps, *after])}</scenario>'


INFO = request("INFO", 2, body="Signal=5\nDuration=200\n", content_type="application/dtmf-relay")
BYE = request("BYE", 3) + '<recv response="200"/>'
OK = '<recv response="200"/>'


def pause(ms: int) -> str:
    return f'<pause milliseconds="{ms}"/>'


class Media:
    """The caller's RTP, by hand."""

    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.setblocking(False)
        self.port = int(self.socket.getsockname()[1])
        self.sequence = 100
        self.timestamp = 0

    async def hear(self) -> tuple[bytes, tuple[str, int]]:
        """The next packet's payload, and where it came from."""
        with anyio.fail_after(10):
            await anyio.wait_readable(self.socket)
            packet, source = self.socket.recvfrom(2048)
        return packet[12:], source

    def send(self, payload: bytes, kind: int, to: tuple[str, int], *, marker: bool = False, advance: int = 160) -> None:
        self.sequence += 1
        head = struct.pack("!BBHII", 0x80, kind | (0x80 if marker else 0), self.sequence, self.timestamp, 0x1234)
        self.socket.sendto(head + payload, to)
        self.timestamp += advance

    async def speak(self, pcm: bytes, to: tuple[str, int]) -> None:
        for place in range(0, len(pcm), 320):
            self.send(encode_ulaw(pcm[place : place + 320]), 0, to)
            await anyio.sleep(0.02)

    async def press(self, digit: int, to: tuple[str, int]) -> None:
        """RFC 4733: one event, updates, and three end packets, all of one timestamp."""
        for number in range(4):
            self.send(
                struct.pack("!BBH", digit, 10, 160 * (number + 1)), DTMF_PAYLOAD, to, marker=number == 0, advance=0
            )
            await anyio.sleep(0.02)
        for _ in range(3):
            self.send(struct.pack("!BBH", digit, 0x80 | 10, 800), DTMF_PAYLOAD, to, advance=0)
        self.timestamp += 800


@pytest.fixture
def media() -> Generator[Media]:
    media = Media()
    yield media
    media.socket.close()


@asynccontextmanager
async def sipp(folder: Path, port: int, xml: str) -> AsyncGenerator[Process]:
    """A caller that plays a scenario; its failure is the test's."""
    if SIPP is None:
        pytest.skip("no sipp on this machine: install sip-tester")
    path = folder / "scenario.xml"
    path.write_text(xml)
    command = [SIPP, f"127.0.0.1:{port}", "-sf", str(path), "-m", "1", "-i", "127.0.0.1", "-nostdin", "-timeout", "20"]
    async with await anyio.open_process(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=folder
    ) as caller:
        yield caller
        with anyio.fail_after(20):
            assert await caller.wait() == 0


class Answering:
    """A port that answers every call."""

    def __init__(self) -> None:
        self.transport = SipTransport(port=0, rtp_ports=(26_000, 26_400))
        self.legs, self._taken = anyio.create_memory_object_stream[SipLeg](100)
        self.transport.listen(self.take)

    async def take(self, call: Incoming) -> None:
        await self.legs.send(await self.transport.accept(call, rate=RATE))

    async def leg(self) -> SipLeg:
        with anyio.fail_after(10):
            return await self._taken.receive()

    async def __aenter__(self) -> "Answering":
        await self.transport.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.transport.aclose()
        self.legs.close()
        self._taken.close()


async def event_of(leg: SipLeg, kind: type[object]) -> object:
    with anyio.fail_after(10):
        while True:
            event = await leg.events().get()
            if isinstance(event, kind):
                return event


def tone(rate: int, ms: int) -> bytes:
    at = np.arange(rate * ms // 1000) / rate
    return (np.sin(2 * np.pi * 440 * at) * 12_000).astype(np.int16).tobytes()


def pitch(pcm: bytes, rate: int) -> float:
    samples = np.frombuffer(pcm, np.int16)
    return float(np.argmax(np.abs(np.fft.rfft(samples))) * rate / len(samples))


def play(leg: SipLeg, pcm: bytes, item: str) -> None:
    size = frame_bytes(RATE)
    for place in range(0, len(pcm), size):
        leg.send_audio(pcm[place : place + size], item)


async def test_speech_goes_both_ways_and_what_was_heard_is_told(tmp_path: Path, media: Media) -> None:
    async with Answering() as port, sipp(tmp_path, port.transport.port, scenario(media.port, pause(3000), BYE)):
        leg = await port.leg()
        assert "ann" in leg.info.from_
        play(leg, tone(RATE, 600), "greeting")
        ulaw, there = b"", ("", 0)
        for _ in range(25):
            payload, there = await media.hear()
            ulaw += payload
        assert abs(pitch(decode_ulaw(ulaw)[1600:], 8_000) - 440) < 20
        played = None
        while not (isinstance(played, Played) and played.last):
            played = await event_of(leg, Played)
        assert (played.item, played.ms) == ("greeting", 600)
        await media.speak(tone(8_000, 800), there)
        heard = b""
        while len(heard) < 20 * frame_bytes(RATE):
            event = await event_of(leg, AudioIn)
            assert isinstance(event, AudioIn)
            heard += event.pcm
        assert abs(pitch(heard[6400:], RATE) - 440) < 25
        hung = await event_of(leg, HungUp)
        assert isinstance(hung, HungUp)
        assert hung.reason == "caller"


async def test_three_end_packets_of_the_offers_payload_type_are_one_digit(tmp_path: Path, media: Media) -> None:
    async with Answering() as port, sipp(tmp_path, port.transport.port, scenario(media.port, pause(2500), BYE)):
        leg = await port.leg()
        play(leg, tone(RATE, 100), "beep")
        _, there = await media.hear()
        await media.speak(tone(8_000, 100), there)
        for digit in (4, 2):
            await media.press(digit, there)
        digits: list[str] = []
        with anyio.fail_after(10):
            while True:
                event = await leg.events().get()
                if isinstance(event, Digit):
                    digits.append(event.digit)
                if isinstance(event, HungUp):
                    break
        assert digits == ["4", "2"]


async def test_a_digit_comes_by_info_too(tmp_path: Path, media: Media) -> None:
    xml = scenario(media.port, pause(200), INFO, OK, pause(300), BYE)
    async with Answering() as port, sipp(tmp_path, port.transport.port, xml):
        leg = await port.leg()
        digit = await event_of(leg, Digit)
        assert isinstance(digit, Digit)
        assert (digit.digit, digit.duration_ms) == ("5", 200)


async def test_we_hang_up_with_a_bye(tmp_path: Path, media: Media) -> None:
    xml = scenario(media.port, '<recv request="BYE"/>', _answer_to_bye())
    async with Answering() as port, sipp(tmp_path, port.transport.port, xml):
        leg = await port.leg()
        await anyio.sleep(0.2)  # the ACK is on its way: a BYE before it is not sent
        await leg.hang_up()
        hung = await event_of(leg, HungUp)
        assert isinstance(hung, HungUp)
        assert hung.reason == "us"


def _answer_to_bye() -> str:
    headers = "[last_Via:]\n[last_From:]\n[last_To:]\n[last_Call-ID:]\n[last_CSeq:]\nContent-Length: 0\n"
    return f"<send><![CDATA[\n\nSIP/2.0 200 OK\n{headers}\n]]></send>"


@pytest.mark.parametrize("code", [403, 486, 503])
async def test_a_refused_call_is_refused_with_its_code(tmp_path: Path, media: Media, code: int) -> None:
    refused = f'{PROVISIONAL}<recv response="{code}"/>{request("ACK", 1)}'
    async with Answering() as port:

        async def refuse(_call: Incoming) -> None:
            raise CallRejected(code)

        port.transport.listen(refuse if code != 503 else None)
        async with sipp(tmp_path, port.transport.port, scenario(media.port, refused, answered=False)):
            pass


async def test_a_cancel_before_the_answer_ends_the_offer(tmp_path: Path, media: Media) -> None:
    cancelled = anyio.Event()

    async def never(_call: Incoming) -> None:
        try:
            await anyio.sleep_forever()
        finally:
            cancelled.set()

    cancel = (
        '<recv response="100" optional="true"/><recv response="180"/>'
        + request("CANCEL", 1, in_dialog=False)
        + '<recv response="200"/><recv response="487"/>'
        + request("ACK", 1)
    )
    async with Answering() as port:
        port.transport.listen(never)
        async with sipp(tmp_path, port.transport.port, scenario(media.port, cancel, answered=False)):
            with anyio.fail_after(10):
                await cancelled.wait()


def test_a_relayed_digit_is_read_with_its_duration() -> None:
    assert read_info("application/dtmf-relay; x=y", "Signal= # \r\nDuration=250\r\n") == ("#", 250)
    assert read_info("application/dtmf", "7") == ("7", 160)
    assert read_info("application/dtmf-relay", "Signal=99") is None
    assert read_info("text/plain", "Signal=1") is None
