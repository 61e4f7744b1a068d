"""How many SIP calls a core carries: speech both ways on each, keys pressed, and what came late.

    python benchmarks/sip_calls.py [--calls 25 50 100] [--seconds 10]

The agent's side is a process of its own on one core: it answers, hears every call, and talks all the time in each. The
callers are on the other core: sipp sets the calls up, and one socket is the far end of all of them. When a packet came
is taken from the kernel; it is late by what it is behind the fastest of its call in
that second, by its own timestamp.
Bar: at least 100 calls, with at most 1 % of the frames late by more than 20 ms, and every key.
"""

import argparse
import json
import os
import select
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import numpy as np
from rich.console import Console
from rich.table import Table
from yardstick import this_machine

from voice_hitl.cli.memory import keep_loaded
from voice_hitl.errors import ConnectionEnded
from voice_hitl.transport import AudioIn, Digit, Incoming
from voice_hitl_sip import SipLeg, SipTransport

RATE = 24_000
FRAME_S = 0.02
LATE_S = 0.02
BAR_CALLS, BAR_LATE = 100, 0.01
EVENTS = 101
SO_TIMESTAMPNS = 35
SETTLE_S = 2.0
HOST = "127.0.0.1"
console = Console()

SCENARIO = """<?xml version="1.0"?>
<scenario name="calls">
<send retrans="500"><![CDATA[

INVITE sip:desk@[remote_ip]:[remote_port] SIP/2.0
Via: SIP/2.0/UDP [local_ip]:[local_port];branch=[branch]
From: <sip:c[call_number]@[local_ip]:[local_port]>;tag=[call_number]
To: <sip:desk@[remote_ip]:[remote_port]>
Call-ID: [call_id]
CSeq: 1 INVITE
Contact: <sip:c@[local_ip]:[local_port]>
Max-Forwards: 70
Content-Type: application/sdp
Content-Length: [len]

v=0
o=- 1 1 IN IP4 [local_ip]
s=-
c=IN IP4 [local_ip]
t=0 0
m=audio {port} RTP/AVP 0 101
a=rtpmap:0 PCMU/8000
a=rtpmap:101 telephone-event/8000
]]></send>
<recv response="100" optional="true"/><recv response="180" optional="true"/><recv response="200"/>
<send><![CDATA[

ACK sip:desk@[remote_ip]:[remote_port] SIP/2.0
Via: SIP/2.0/UDP [local_ip]:[local_port];branch=[branch]
From: <sip:c[call_number]@[local_ip]:[local_port]>;tag=[call_number]
To: <sip:desk@[remote_ip]:[remote_port]>[peer_tag_param]
Call-ID: [call_id]
CSeq: 1 ACK
Max-Forwards: 70
Content-Length: 0

]]></send>
<recv request="BYE"/>
<send><![CDATA[

SIP/2.0 200 OK
[last_Via:]
[last_From:]
[last_To:]
[last_Call-ID:]
[last_CSeq:]
Content-Length: 0

]]></send>
</scenario>"""


# --- the agent's side, in a process of its own ------------------------------------------------------------------------


class Desk:
    """Answers every call, talks in it, and counts what it hears."""

    def __init__(self) -> None:
        at = np.arange(RATE * 10) / RATE
        self.talk = (np.sin(2 * np.pi * 300 * at) * 8_000).astype(np.int16).tobytes()
        self.transport = SipTransport(HOST, 0, rtp_ports=(30_000, 32_000))
        self.transport.listen(self._called)
        self.frames = 0
        self.keys = 0

    async def _called(self, call: Incoming) -> None:
        leg = await self.transport.accept(call, rate=RATE)
        self.group.start_soon(self._hear, leg)

    async def _hear(self, leg: SipLeg) -> None:
        size, number = RATE // 50 * 2, 0
        try:
            while True:
                event = await leg.events().get()
                if isinstance(event, AudioIn):
                    self.frames += 1
                    at = number % 500 * size
                    leg.send_audio(self.talk[at : at + size], "talk")
                    number += 1
                elif isinstance(event, Digit):
                    self.keys += 1
        except ConnectionEnded:
            return

    async def serve(self) -> None:
        """Until a line comes in; what it cost from the first line to the second goes out."""
        async with anyio.create_task_group() as self.group:
            await self.transport.start()
            print(self.transport.port, flush=True)
            await anyio.to_thread.run_sync(sys.stdin.readline)
            began, cpu, frames = time.monotonic(), time.process_time(), self.frames
            await anyio.to_thread.run_sync(sys.stdin.readline)
            spent = {
                "core": (time.process_time() - cpu) / (time.monotonic() - began),
                "frames": self.frames - frames,
                "keys": self.keys,
            }
            print(json.dumps(spent), flush=True)
            await self.transport.aclose()
            self.group.cancel_scope.cancel()


# --- the callers ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Line:
    """One call's far end: what came, and when by the kernel's clock."""

    port: tuple[str, int]
    arrivals: list[tuple[float, int]] = field(default_factory=list[tuple[float, int]])

    def late(self) -> tuple[int, int]:
        """How many packets were late, of how many."""
        if not self.arrivals:
            return 0, 0
        times = np.array([at for at, _ in self.arrivals])
        stamps = np.array([stamp for _, stamp in self.arrivals]) / 8_000
        # A leg that was stopped for longer than it makes up for goes on from there: each second has its own fastest.
        behind, second = times - stamps, (times - times[0]).astype(int)
        fastest = np.array([behind[second == number].min() for number in range(second[-1] + 1)])
        return int(np.sum(behind - fastest[second] > LATE_S)), len(behind)


class Callers:
    """The far ends of all calls, on one socket."""

    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.socket.bind((HOST, 0))
        self.socket.setblocking(False)
        self.lines: dict[tuple[str, int], Line] = {}
        self.counting = False
        self.step = 0

    def run(self, seconds: float, *, press: bool = False) -> None:
        """Talk in every call for so long, and press a key in each second of it."""
        due = time.monotonic()
        until = due + seconds
        while due < until:
            for number, line in enumerate(list(self.lines.values())):
                self._talk(line, number, press=press)
            self.step += 1
            due += FRAME_S
            while (left := due - time.monotonic()) > 0:
                if select.select([self.socket], [], [], left)[0]:
                    self._take()

    def _talk(self, line: Line, number: int, *, press: bool) -> None:
        step, kind, stamp, payload = self.step, 0, self.step * 160, b"\x55" * 160
        if press and step % 50 >= 43:
            place = step % 50 - 43
            kind, stamp = EVENTS, (step - place) * 160
            payload = struct.pack("!BBH", 5, 0x8A if place >= 4 else 0x0A, 160 * min(place + 1, 5))
        head = struct.pack("!BBHII", 0x80, kind, step & 0xFFFF, stamp & 0xFFFFFFFF, number + 1)
        self.socket.sendto(head + payload, line.port)

    def _take(self) -> None:
        for _ in range(64):
            try:
                packet, told, _, source = self.socket.recvmsg(512, 64)
            except BlockingIOError:
                return
            line = self.lines.get(source)
            if line is None:
                line = self.lines[source] = Line(source)
            if self.counting and packet[1] & 0x7F == 0:
                seconds, nanoseconds = struct.unpack("ll", told[0][2][:16])
                line.arrivals.append((seconds + nanoseconds / 1e9, struct.unpack_from("!I", packet, 4)[0]))


@dataclass(frozen=True, slots=True)
class Row:
    """What so many calls came to."""

    calls: int
    core: float
    late: float
    sent: int
    heard: float
    keys: int
    pressed: int

    @property
    def met(self) -> bool:
        """Whether the bar is met at this number of calls."""
        return self.late <= BAR_LATE and self.keys == self.pressed


def measure(calls: int, seconds: int, sipp: str, core: int) -> Row:
    """Set up so many calls, let them talk, and count."""
    callers = Callers()
    command = [sys.executable, __file__, "--serve", str(core)]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as desk,
    ):
        if desk.stdin is None or desk.stdout is None:
            raise AssertionError("it has pipes")
        port = int(desk.stdout.readline())
        scenario = Path(folder) / "calls.xml"
        scenario.write_text(SCENARIO.replace("{port}", str(callers.socket.getsockname()[1])))
        limits = ["-m", str(calls), "-l", str(calls), "-r", "50", "-timeout", str(seconds + 120), "-nostdin"]
        with subprocess.Popen(
            [sipp, f"{HOST}:{port}", "-sf", str(scenario), "-i", HOST, *limits],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder,
        ):
            while len(callers.lines) < calls:
                callers.run(0.2)
            callers.run(SETTLE_S)
            desk.stdin.write("begin\n")
            desk.stdin.flush()
            callers.counting = True
            callers.step = (callers.step // 50 + 1) * 50
            callers.run(seconds, press=True)
            callers.counting = False
            desk.stdin.write("end\n")
            desk.stdin.flush()
            spent = json.loads(desk.stdout.readline())
    late = [line.late() for line in callers.lines.values()]
    sent = sum(packets for _, packets in late)
    return Row(
        calls,
        spent["core"],
        sum(behind for behind, _ in late) / max(1, sent),
        sent,
        spent["frames"] / (calls * seconds * 50),
        spent["keys"],
        calls * seconds,
    )


def table(rows: list[Row]) -> Table:
    """What was measured, and whether it meets the bar."""
    shown = Table(title="SIP calls on one core, speech both ways")
    for column in ("calls", "of a core", "% a call", "frames sent", "late > 20 ms", "heard", "keys", "bar"):
        shown.add_column(column, justify="right")
    for row in rows:
        shown.add_row(
            str(row.calls),
            f"{row.core:.0%}",
            f"{row.core / row.calls:.2%}",
            str(row.sent),
            f"{row.late:.2%}",
            f"{row.heard:.1%}",
            f"{row.keys} of {row.pressed}",
            "met" if row.met else "missed",
        )
    return shown


def main() -> None:
    """Measure, and show the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, nargs="+", default=[25, 50, BAR_CALLS])
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve is not None:
        os.sched_setaffinity(0, {given.serve})
        keep_loaded()  # as `voice-hitl serve` does
        anyio.run(Desk().serve)
        return
    sipp = shutil.which("sipp")
    if sipp is None:
        parser.error("there is no sipp: install sip-tester")
    ours, *others = sorted(os.sched_getaffinity(0))
    if others:
        os.sched_setaffinity(0, others)
    console.print(anyio.run(this_machine))
    console.print(table([measure(calls, given.seconds, sipp, ours) for calls in given.calls]))


if __name__ == "__main__":
    main()
