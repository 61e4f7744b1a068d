"""A telephone network to test against: sipp with scenarios of our own, RTP by hand, a port that answers."""

import shutil
import socket
import struct
import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import numpy as np
import pytest
from anyio.abc import Process

from voice_hitl.audio.frame import frame_bytes
from voice_hitl.audio.g711 import encode_ulaw
from voice_hitl.transport import Incoming
from voice_hitl_sip import SipLeg, SipTransport

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


def offer(rtp_port: int, *, digits: int = DTMF_PAYLOAD, direction: str = "sendrecv", laws: str = "0") -> str:
    """An SDP of sipp's, with PCMU or (`laws`) others."""
    names = {"0": "PCMU", "8": "PCMA", "9": "G722"}
    maps = "".join(f"a=rtpmap:{law} {names[law]}/8000\n" for law in laws.split())
    return (
        "v=0\no=ann 1 1 IN IP4 [local_ip]\ns=-\nc=IN IP4 [local_ip]\nt=0 0\n"
        f"m=audio {rtp_port} RTP/AVP {laws} {digits}\n{maps}a=rtpmap:{digits} telephone-event/8000\na={direction}\n"
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
        with anyio.fail_after(30):
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

    def waiting(self) -> list[bytes]:
        """The payloads that have come already."""
        payloads: list[bytes] = []
        while True:
            try:
                payloads.append(self.socket.recv(2048)[12:])
            except BlockingIOError:
                return payloads

    async def hear_voice(self) -> tuple[bytes, tuple[str, int]]:
        """The first packet that is not silence."""
        while True:
            payload, source = await self.hear()
            if len(set(payload)) > 1:
                return payload, source

    async def press(self, digit: int, to: tuple[str, int], *, payload: int = DTMF_PAYLOAD) -> None:
        """RFC 4733: one event, updates, and three end packets, all of one timestamp."""
        for number in range(4):
            self.send(struct.pack("!BBH", digit, 10, 160 * (number + 1)), payload, to, marker=number == 0, advance=0)
            await anyio.sleep(0.02)
        for _ in range(3):
            self.send(struct.pack("!BBH", digit, 0x80 | 10, 800), payload, to, advance=0)
        self.timestamp += 800


@asynccontextmanager
async def sipp(folder: Path, port: int, xml: str, *, calls: int = 1, timeout_s: int = 40) -> AsyncGenerator[Process]:
    """A caller that plays a scenario, so many times at once; its failure is the test's."""
    async with _sipp(folder, xml, f"127.0.0.1:{port}", calls=calls, timeout_s=timeout_s) as caller:
        yield caller


@asynccontextmanager
async def sipp_callee(folder: Path, port: int, xml: str, *, timeout_s: int = 40) -> AsyncGenerator[Process]:
    """A telephone on this port that plays a scenario; its failure is the test's."""
    async with _sipp(folder, xml, "-p", str(port), timeout_s=timeout_s) as callee:
        yield callee


@asynccontextmanager
async def _sipp(folder: Path, xml: str, *where: str, timeout_s: int, calls: int = 1) -> AsyncGenerator[Process]:
    if SIPP is None:
        pytest.skip("no sipp on this machine: install sip-tester")
    path = folder / "scenario.xml"
    path.write_text(xml)
    command = [SIPP, *where, "-sf", str(path), "-m", str(calls), "-l", str(calls), "-r", "25", "-i", "127.0.0.1"]
    command += ["-nostdin", "-timeout", str(timeout_s)]
    async with await anyio.open_process(
        [*command, "-trace_err", "-error_file", "errors.log"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
    ) as phone:
        try:
            yield phone
        except BaseException:
            if phone.returncode is None:
                phone.kill()  # the test has failed: its scenario is not waited for
            raise
        with anyio.fail_after(timeout_s):
            status = await phone.wait()
        errors = folder / "errors.log"
        assert status == 0, errors.read_text() if errors.exists() else "sipp failed"


class Answering:
    """A port that answers every call."""

    def __init__(self) -> None:
        self.transport = SipTransport(port=0, rtp_ports=(26_000, 26_400))
        self.legs, self.taken = anyio.create_memory_object_stream[SipLeg](100)
        self.transport.listen(self.take)

    async def take(self, call: Incoming) -> None:
        await self.legs.send(await self.transport.accept(call, rate=RATE))

    async def leg(self) -> SipLeg:
        with anyio.fail_after(30):
            return await self.taken.receive()

    async def __aenter__(self) -> "Answering":
        await self.transport.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.transport.aclose()
        self.legs.close()
        self.taken.close()


async def event_of(leg: SipLeg, kind: type[object]) -> object:
    with anyio.fail_after(30):
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


def answer(status: str, *, body: str = "", cseq: str = "[last_CSeq:]", tagged: bool = True) -> str:
    """One response of a sipp scenario, to what came last."""
    tag = ";tag=[call_number]" if tagged else ""
    lines = [f"SIP/2.0 {status}", "[last_Via:]", "[last_From:]", f"[last_To:]{tag}", "[last_Call-ID:]", cseq]
    lines.append("Contact: <sip:[local_ip]:[local_port]>")
    if body:
        lines.append("Content-Type: application/sdp")
    lines.append("Content-Length: [len]")
    text = "\n".join(lines) + "\n\n" + body
    return f"<send><![CDATA[\n\n{text}\n]]></send>"


def callee(*steps: str) -> str:
    """A scenario of a telephone that is called."""
    return f'<?xml version="1.0"?>\n<scenario name="t"><recv request="INVITE"/>{"".join(steps)}</scenario>'


ANSWER_TO_BYE = '<recv request="BYE"/>' + answer("200 OK", tagged=False)
