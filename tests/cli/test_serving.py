"""The demo for as long as it is wanted, and a check of it: over real sockets and real media."""

import io
import os
import signal
import sys
import webbrowser
from collections.abc import Mapping, Sequence
from functools import partial
from urllib.parse import urlsplit

import anyio
import numpy as np
import pytest
from rich.console import Console

from voice_hitl.cli import serving
from voice_hitl.cli.checking import STEPS
from voice_hitl.demo.model import DemoModel, ModelName
from voice_hitl.demo.server import PortBusy, listen
from voice_hitl.provider import AudioOut, ResponseEnded, ResponseStarted
from voice_hitl.testing import Forgot, Injected, Interrupted, Responded, ScriptedProvider, SentAudio, SentToolResult
from voice_hitl.testing.openai_realtime import Call, OpenAIRealtimeServer, Say, Step, Turn
from voice_hitl.testing.ports import unused_port
from voice_hitl.testing.scripted_connection import ScriptedConnection

pytestmark = pytest.mark.anyio

RATE = 24_000
LOUD = 1_000.0
ONLY_COUNTED = (Injected, Forgot, Responded, Interrupted)


def say(model: ScriptedConnection, item: str, seconds: float = 0.5) -> None:
    tone = (np.sin(np.arange(int(RATE * seconds)) / 12) * 9_000).astype(np.int16).tobytes()
    model.emit(ResponseStarted(item), AudioOut(tone, item, 0, item), ResponseEnded(item))


async def front_desk(model: ScriptedConnection) -> None:
    """Greet, hear the caller out, ask, and go on with the answer."""
    say(model, "greeting")
    while np.abs(np.frombuffer((await model.expect(SentAudio)).pcm, np.int16)).max(initial=0) < LOUD:
        pass
    model.ignore(SentAudio)
    call_id = model.call_tool("ConfirmAction", {"action": "Book a table"})
    await model.expect(SentToolResult, call_id=call_id, failed=False)
    say(model, "thanks")


def scripted(monkeypatch: pytest.MonkeyPatch, provider: ScriptedProvider) -> None:
    def choose(_name: ModelName | None, _environ: Mapping[str, str]) -> DemoModel:
        return DemoModel(provider=provider, told="The test is the model.")

    monkeypatch.setattr(serving, "choose_model", choose)


def console() -> tuple[Console, io.StringIO]:
    text = io.StringIO()
    return Console(file=text), text


async def test_a_check_starts_a_demo_calls_it_and_sees_every_step(monkeypatch: pytest.MonkeyPatch) -> None:
    provider = ScriptedProvider(script=front_desk, ignore=ONLY_COUNTED)
    scripted(monkeypatch, provider)
    progress, text = console()
    report = await serving.run_check(None, 30, None, progress)
    assert report.ok, report
    assert [step.name for step in report.steps] == list(STEPS)
    assert all(name in text.getvalue() for name in STEPS)
    assert "The test is the model." in text.getvalue()
    provider.done()


async def test_a_check_over_a_line_that_loses_packets_recovers_them_and_every_key_arrives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    provider = ScriptedProvider(script=front_desk, ignore=ONLY_COUNTED)
    scripted(monkeypatch, provider)
    progress, _ = console()
    report = await serving.run_check(None, 60, None, progress, serving.Line(0.1, "4271#"))
    assert report.complete, report
    assert report.line is not None
    assert (report.line.keyed, report.line.arrived) == ("4271#", "4271#")
    assert report.line.delivered > 50
    assert report.line.recovered > 0
    provider.done()


@pytest.mark.parametrize("asked_by", [signal.SIGINT, signal.SIGTERM])
async def test_ctrl_c_ends_the_demo_and_frees_its_port(
    monkeypatch: pytest.MonkeyPatch, asked_by: signal.Signals
) -> None:
    scripted(monkeypatch, ScriptedProvider())
    monkeypatch.setattr(serving, "has_browser", lambda: True)
    opened = anyio.Event()
    pages: list[str] = []

    def open_page(url: str) -> bool:
        pages.append(url)
        if len(pages) == 2:
            anyio.from_thread.run_sync(opened.set)
        return True

    monkeypatch.setattr(webbrowser, "open", open_page)
    out, text = console()
    port = unused_port()
    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(partial(serving.run_demo, "127.0.0.1", port, True, None, out))
            await opened.wait()
            assert pages == [f"http://127.0.0.1:{port}/console/", f"http://127.0.0.1:{port}"]
            await anyio.wait_all_tasks_blocked()
            os.kill(os.getpid(), asked_by)
    assert f"http://127.0.0.1:{port}" in text.getvalue()
    listen("127.0.0.1", port).close()


async def test_a_busy_port_is_noticed_before_anything_is_loaded() -> None:
    out, _ = console()
    with listen("127.0.0.1", 0) as taken, pytest.raises(PortBusy):
        await serving.run_demo("127.0.0.1", taken.getsockname()[1], False, None, out)


def test_no_browser_is_opened_where_there_is_no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert not serving.has_browser()
    monkeypatch.setenv("DISPLAY", ":0")
    assert serving.has_browser()


def openai_front_desk(turn: Turn) -> Sequence[Step]:
    if turn.outputs:
        return [Say("Thank you, it is booked.")]
    if turn.heard is None:
        return [Say("Welcome, this is the front desk.")]
    if any(item["type"] == "function_call" for item in turn.history):
        return [Say("One moment.")]
    return [Call("ConfirmAction", {"action": "Book a table for four."})]


async def test_with_a_key_the_check_is_a_call_on_openai(monkeypatch: pytest.MonkeyPatch) -> None:
    progress, text = console()
    async with OpenAIRealtimeServer(speed=5) as server:
        server.on_turn(openai_front_desk)
        monkeypatch.setenv("OPENAI_API_KEY", server.api_key)
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        report = await serving.run_check(None, 60, None, progress)
        assert report.ok, report
        assert urlsplit(server.base_url).netloc in text.getvalue()
        assert [item["type"] for item in (await server.session()).items].count("function_call_output") == 1
