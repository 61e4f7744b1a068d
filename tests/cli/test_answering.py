"""`voice-hitl serve` as a real process, called by real clients over every leg."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import httpx
import pytest
from anyio.streams.buffered import BufferedByteReceiveStream
from typer.testing import CliRunner
from websockets.asyncio.client import connect

from tests.demo.test_server import cut
from tests.transports.sip_far_end import Softphone
from tests.transports.telephone import Telephone
from tests.transports.twilio_far_end import Stream
from voice_hitl.cli.main import app
from voice_hitl.demo import server
from voice_hitl.demo.server import listen
from voice_hitl.tasks import Tasks
from voice_hitl.testing.leg_listener import LegListener
from voice_hitl.testing.ports import unused_port
from voice_hitl.testing.tones import duration_ms, voiced
from voice_hitl.transport import CallRejected
from voice_hitl_webrtc import call

pytestmark = pytest.mark.anyio

FILE = Path(__file__).parent / "served.py"
WITHIN_S = 60.0


class Served:
    """The process, and what it has printed."""

    def __init__(self, process: anyio.abc.Process) -> None:
        assert process.stdout is not None
        self.process = process
        self.lines: list[str] = []
        self._out = BufferedByteReceiveStream(process.stdout)

    async def line(self, pattern: str) -> str:
        """The next line in which this is found."""
        with anyio.fail_after(WITHIN_S):
            while True:
                self.lines.append((await self._out.receive_until(b"\n", 10_000)).decode())
                if found := re.search(pattern, self.lines[-1]):
                    return found[0]

    async def end(self) -> None:
        """Ask it to end, as Ctrl-C does, and see it end well."""
        self.process.send_signal(signal.SIGINT)
        await self.line(r"^Stopped\.")
        with anyio.fail_after(WITHIN_S):
            assert await self.process.wait() == 0


@asynccontextmanager
async def served(*options: str, name: str = "channel") -> AsyncGenerator[Served]:
    program = "from voice_hitl.cli.main import main; main()"
    command = [sys.executable, "-W", "error", "-c", program, "serve", f"{FILE}:{name}", *options]
    process = await anyio.open_process(
        command, stderr=subprocess.STDOUT, env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}
    )
    try:
        yield Served(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.aclose()


async def test_one_command_answers_the_phone_twilio_and_the_browser_and_hangs_up_when_it_ends() -> None:
    sip_port, tasks = unused_port(), Tasks("callers")
    async with (
        served("--sip", f"127.0.0.1:{sip_port}", "--twilio", "/twilio", "--webrtc", "/call", "--port", "0") as agent,
        await anyio.create_udp_socket(local_host="127.0.0.1") as sip,
        await anyio.create_udp_socket(local_host="127.0.0.1") as rtp,
    ):
        await agent.line("Channel desk takes calls")
        await agent.line(f"sip:agent@127.0.0.1:{sip_port}")
        address = (await agent.line(r"http://127\.0\.0\.1:\d+/twilio")).removesuffix("/twilio")
        assert "--public-url" in agent.lines[-1]
        await agent.line(f"{address}/call")

        softphone = Softphone(sip, rtp, ("127.0.0.1", sip_port))
        await softphone.invite()
        await hears(softphone)
        await softphone.press("4")
        await agent.line("key 4")

        websocket = f"ws://{address.removeprefix('http://')}/twilio/stream"
        async with httpx.AsyncClient() as browser, connect(websocket) as socket_:
            assert f'url="{websocket}"' in (await browser.post(f"{address}/twilio", data={"From": "+1"})).text
            stream = Stream(socket_)
            await stream.tell("start", callSid="CA1", customParameters={})
            await hears(stream)
            await stream.press("2")
            await agent.line("key 2")

            assert "/voice-hitl/voice-hitl.js" in (await browser.get(f"{address}/call")).text
            assert "javascript" in (await browser.get(f"{address}/voice-hitl/voice-hitl.js")).headers["content-type"]
            with pytest.raises(CallRejected) as refused:
                await call(f"{address}/call", headers={"Origin": "http://elsewhere.example"})
            assert refused.value.code == 401
            leg = await call(f"{address}/call")
            page = LegListener(leg)
            tasks.spawn(page.listen(), "page")
            await page.voice(300)
            await leg.press("7")
            await agent.line("key 7")

            agent.process.send_signal(signal.SIGTERM)
            await agent.line("3 calls are hung up")
            await softphone.ended()
            await stream.ended()
            await page.until(page.ended.is_set, "the end of the page's call")
            await agent.line(r"^Stopped\.")
            with anyio.fail_after(WITHIN_S):
                assert await agent.process.wait() == 0
            for phone in (softphone, stream):
                await phone.tasks.close()
        await tasks.close()
    assert not any("Traceback" in line for line in agent.lines)


async def hears(phone: Telephone) -> None:
    with anyio.fail_after(WITHIN_S):
        while duration_ms(voiced(phone.heard)) < 300:  # noqa: ASYNC110 - a telephone tells nobody what it hears
            await anyio.sleep(0.02)


async def test_a_phone_needs_no_web_server_and_a_channel_may_be_made_by_an_async_function() -> None:
    async with served("--sip", f"127.0.0.1:{unused_port()}", name="later") as agent:
        await agent.line("takes calls")
        await agent.end()
    assert not any("http://" in line for line in agent.lines)


def test_it_ends_with_an_error_when_its_web_server_does(monkeypatch: pytest.MonkeyPatch) -> None:
    callers = Tasks("callers")

    def listen_and_be_cut(host: str, port: int) -> socket.socket:
        listener = listen(host, port)
        callers.spawn(cut(listener), "cutting")
        return listener

    monkeypatch.setattr(server, "listen", listen_and_be_cut)
    said = CliRunner().invoke(app, ["serve", f"{FILE}:channel", "--webrtc", "/call", "--port", "0"])
    assert "takes calls" in said.stdout
    assert re.search(r"the web server at http://\S+ has ended, unasked", " ".join(said.stderr.split()))
    assert said.exit_code == 1


def refused(*given: str) -> str:
    said = CliRunner().invoke(app, ["serve", *given])
    assert said.exit_code == 1, said.output
    return said.stderr


@pytest.mark.parametrize(
    ("given", "fix"),
    [
        ([], "say where calls come in: --sip 127.0.0.1:5060"),
        (["--sip", "5060"], "write one such as --sip 127.0.0.1:5060"),
        (["--sip", "127.0.0.1:99999"], "write one such as --sip 127.0.0.1:5060"),
        (["--sip", "192.0.2.77:5060"], "choose another one with --sip"),
        (["--webrtc", "call"], "--webrtc call is no path"),
        (["--twilio", "/"], "--twilio / is no path"),
        (["--twilio", "/in", "--webrtc", "/in"], "give each a path of its own"),
        (["--twilio", "/in", "--public-url", "agent.example"], "such as https://agent.example"),
    ],
)
def test_what_cannot_be_served_says_what_to_change(given: list[str], fix: str) -> None:
    assert fix in refused(f"{FILE}:channel", "--port", "0", *given)


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("kit", "is no channel: let it be a function of the transport"),
        ("nothing", "is no channel"),
        ("no_channel", "returned tuple, and is to return its channel"),
        ("missing", "has no 'missing'"),
    ],
)
def test_what_is_no_channel_says_how_one_is_written(name: str, fix: str) -> None:
    assert fix in refused(f"{FILE}:{name}", "--webrtc", "/call", "--port", "0")


def test_a_channel_with_a_transport_of_its_own_is_to_be_a_function_of_one(tmp_path: Path) -> None:
    file = tmp_path / "ready.py"
    file.write_text(
        "from voice_hitl import RealtimeVoiceChannel\n"
        "from voice_hitl.testing import LoopbackTransport, ScriptedProvider\n"
        "channel = RealtimeVoiceChannel('desk', provider=ScriptedProvider(), transport=LoopbackTransport())\n"
    )
    assert "make it a function of one, def channel(transport)" in refused(f"{file}:channel", "--sip", "127.0.0.1:0")


def test_a_file_that_fails_says_where(tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text("import json\n\njson.loads('{')\n")
    said = refused(f"{file}:channel", "--sip", "127.0.0.1:0")
    assert "broken.py, line 3, failed: JSONDecodeError" in said
    assert "there is no file 'nowhere.py'" in refused("nowhere.py:channel", "--sip", "127.0.0.1:0")
    assert "such as phone.py:channel" in refused("nowhere.py", "--sip", "127.0.0.1:0")


def test_a_file_beside_says_where_it_fails_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("phone.py").write_text("import nothing_of_that_name\n")
    assert "phone.py, line 1, failed: ModuleNotFoundError" in refused("phone.py:channel", "--sip", "127.0.0.1:0")
    Path("phone.py").write_text("def channel(\n")
    assert "phone.py failed: SyntaxError: '(' was never closed (phone.py, line 1)" in refused(
        "phone.py:channel", "--sip", "127.0.0.1:0"
    )


def test_ports_that_are_taken_are_named_with_their_options() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = str(taken.getsockname()[1])
        assert "--port" in refused(f"{FILE}:channel", "--webrtc", "/call", "--port", port)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as phone:
        phone.bind(("127.0.0.1", 0))
        where = f"127.0.0.1:{phone.getsockname()[1]}"
        said = refused(f"{FILE}:channel", "--sip", where)
    assert f"the SIP port {where} is in use by another program: choose another one with --sip" in said
