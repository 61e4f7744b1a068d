"""baresip, a real softphone: its microphone is a file, what it hears is one too, and it is used over TCP."""

import json
import shutil
import subprocess
import wave
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import numpy as np
import pytest
from anyio.abc import Process, SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream

from voice_hitl.testing.ports import unused_port

BARESIP = shutil.which("baresip")
MODULES = ("/usr/lib/baresip/modules", "/usr/lib/x86_64-linux-gnu/baresip/modules", "/usr/lib64/baresip/modules")
RATE = 8_000
HOST = "127.0.0.1"
WITHIN_S = 30


class Baresip:
    """One telephone."""

    def __init__(self, folder: Path, port: int, stream: SocketStream) -> None:
        self.uri = f"sip:ann@{HOST}:{port}"
        self._folder = folder
        self._stream = stream
        self._lines = BufferedByteReceiveStream(stream)

    async def do(self, command: str, params: str = "") -> None:
        """Do something: `dial`, `hangup`, `sndcode`, `hold`, `resume`, `quit`."""
        text = json.dumps({"command": command, "params": params, "token": command}).encode()
        await self._stream.send(b"%d:%s," % (len(text), text))

    async def press(self, digit: str) -> None:
        """Press a key (an RFC 4733 event)."""
        await self.do("sndcode", digit)

    async def use_microphone(self, pcm: bytes, name: str) -> None:
        """Say this now, 8 kHz, and nothing more."""
        path = write_wav(self._folder / f"{name}.wav", pcm)
        await self.do("ausrc", f"aufile,{path}")

    async def until(self, event: str) -> None:
        """Wait for an event of the telephone's (`CALL_ESTABLISHED`, `CALL_CLOSED`)."""
        with anyio.fail_after(WITHIN_S):
            while True:
                size = await self._lines.receive_until(b":", 16)
                text = await self._lines.receive_exactly(int(size) + 1)
                if json.loads(text[:-1]).get("type") == event:
                    return

    def heard(self) -> bytes:
        """What it has heard in its last call, 8 kHz."""
        [*_, last] = sorted(self._folder.glob("dump-*-dec.wav"))
        with wave.open(str(last)) as file:
            pcm: bytes = file.readframes(file.getnframes())
        return pcm


def write_wav(path: Path, pcm: bytes) -> Path:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(pcm)
    return path


def silence(seconds: float) -> bytes:
    return np.zeros(int(RATE * seconds), np.int16).tobytes()


def _set_up(folder: Path, microphone: bytes) -> tuple[int, int]:
    """Write its configuration; the ports of its SIP and of its control."""
    modules = next((path for path in MODULES if Path(path).is_dir()), None)
    if BARESIP is None or modules is None:
        pytest.skip("no baresip on this machine: install baresip-core")
    folder.mkdir(exist_ok=True)
    port, control, media = unused_port(), unused_port(), unused_port()
    said = write_wav(folder / "microphone.wav", microphone or silence(60))
    (folder / "accounts").write_text(
        f"<sip:ann@{HOST}:{port}>;regint=0;answermode=auto;audio_codecs=pcmu,pcma;dtmfmode=rtpevent\n"
    )
    (folder / "contacts").touch()
    (folder / "config").write_text(
        f"sip_listen {HOST}:{port}\nnet_interface {HOST}\nrtp_ports {media}-{media + 100}\n"
        f"audio_source aufile,{said}\naudio_player aubridge,ear\naudio_alert aubridge,bell\naudio_buffer 20-160\n"
        f"module_path {modules}\nmodule g711.so\nmodule aufile.so\nmodule aubridge.so\nmodule sndfile.so\n"
        f"snd_path {folder}\nmodule_app account.so\nmodule_app menu.so\nmodule_app ctrl_tcp.so\n"
        f"ctrl_tcp_listen {HOST}:{control}\n"
    )
    return port, control


@asynccontextmanager
async def baresip(folder: Path, *, microphone: bytes = b"") -> AsyncGenerator[Baresip]:
    """A telephone that takes every call, and says what its microphone has from the moment that a call stands."""
    port, control = _set_up(folder, microphone)
    with (folder / "output.log").open("wb") as output:
        telephone = await anyio.open_process(
            [BARESIP or "baresip", "-f", str(folder)], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            async with await _connected(control, telephone, Path(output.name)) as stream:
                yield Baresip(folder, port, stream)
        finally:
            with anyio.CancelScope(shield=True):
                if telephone.returncode is None:
                    telephone.terminate()
                with anyio.move_on_after(5):
                    await telephone.wait()
                if telephone.returncode is None:
                    telephone.kill()
                await telephone.aclose()


async def _connected(port: int, telephone: Process, output: Path) -> SocketStream:
    with anyio.move_on_after(WITHIN_S):
        while telephone.returncode is None:
            try:
                return await anyio.connect_tcp(HOST, port)
            except OSError:
                await anyio.sleep(0.05)  # it opens its port in its own time
    said = await anyio.Path(output).read_text(errors="replace")
    pytest.fail(f"baresip gave nobody its control on port {port}; it said:\n{said}")
