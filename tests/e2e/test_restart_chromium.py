"""The demo is killed while an approval is open: started again it still asks, and what is approved is done once."""

import json
import os
import signal
import sys
import wave
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import httpx
import pytest
from anyio.abc import Process

from tests.e2e.demo_browser import WITHIN_S, browser_page
from voice_hitl.demo.server import listen
from voice_hitl.testing.openai_realtime import Call, OpenAIRealtimeServer, Say, Step, Turn

pytestmark = pytest.mark.anyio

PARTY = {"name": "Lee", "party_size": 9, "day": "tomorrow", "time": "7 pm"}
STARTS_S = 90.0
LEASE_IS_OVER_S = 60.0
"""A killed process counts as there for 15 s; the rest is for a slow machine."""
APPROVE_AGAIN = """async (id) => {
    const answered = await fetch(`left/${id}`, { method: "POST", body: JSON.stringify({ action: "approve" }) });
    return answered.json();
}"""
DEMO = "from voice_hitl.cli.main import main; main()"


@pytest.fixture
def silence(tmp_path: Path) -> Path:
    """A microphone into which nobody speaks: here it is the model that begins."""
    path = tmp_path / "silence.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 48_000, 0, "NONE", ""))
        file.writeframes(bytes(2 * 48_000))
    return path


def book_at_once(turn: Turn) -> Sequence[Step]:
    """Call for a booking that needs an approval, with the first words."""
    return [Say("It is booked.")] if turn.outputs else [Say("One moment."), Call("book_table", PARTY)]


@asynccontextmanager
async def demo(port: int, data: Path, model: OpenAIRealtimeServer) -> AsyncGenerator[Process]:
    """The demo as a person starts it, in a process of its own, until it is killed."""
    arguments = ["demo", "--no-open", "--provider", "openai", "--port", str(port), "--data", str(data)]
    key = {"OPENAI_API_KEY": model.api_key, "OPENAI_BASE_URL": model.base_url}
    environment = {**os.environ, **key, "PYTHONPATH": os.pathsep.join(sys.path)}
    async with await anyio.open_process(
        [sys.executable, "-c", DEMO, *arguments], env=environment, stdout=None, stderr=None
    ) as process:
        try:
            await answers(port)
            yield process
        finally:
            if process.returncode is None:
                process.kill()


async def answers(port: int) -> None:
    with anyio.fail_after(STARTS_S):
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
            while True:
                try:
                    await client.get("/")
                except httpx.TransportError:
                    await anyio.sleep(0.2)
                else:
                    return


def free_port() -> int:
    with listen("127.0.0.1", 0) as listener:
        return int(listener.getsockname()[1])


def booked(data: Path) -> list[dict[str, object]]:
    book = data / "bookings.jsonl"
    return [json.loads(line) for line in book.read_text().splitlines()] if book.exists() else []


async def test_an_approval_survives_the_death_of_the_demo_and_is_carried_out_once(
    silence: Path, tmp_path: Path
) -> None:
    port, data = free_port(), tmp_path / "data"
    async with OpenAIRealtimeServer(speed=5) as model, browser_page(silence) as page:
        model.on_turn(book_at_once)
        page.set_default_timeout(WITHIN_S * 1000)
        async with demo(port, data, model) as first:
            await page.goto(f"http://127.0.0.1:{port}")
            await page.click("#call")
            approval = page.locator("#cards .card[data-status=executing]", has_text="Take this large party?")
            await approval.get_by_role("button", name="Approve").wait_for()
            assert "9" in await approval.inner_text()
            first.send_signal(signal.SIGKILL)
            await first.wait()
        assert booked(data) == []

        async with demo(port, data, model) as second:
            await page.goto(f"http://127.0.0.1:{port}")
            left = page.locator("#left .card")
            approve = left.get_by_role("button", name="Approve")
            await approve.wait_for(timeout=LEASE_IS_OVER_S * 1000)
            [request] = (await page.evaluate("fetch('left').then((answered) => answered.json())"))["open"]
            await approve.click()
            await left.get_by_text("Approved, and done").wait_for()
            assert "Booked under T-1041." in await left.inner_text()
            assert booked(data) == [PARTY]
            assert (await page.evaluate(APPROVE_AGAIN, request["pending_id"]))["code"] == "duplicate"
            second.send_signal(signal.SIGKILL)
            await second.wait()

        async with demo(port, data, model):
            await page.goto(f"http://127.0.0.1:{port}")
            async with page.expect_response(lambda response: response.url.endswith("/left")) as looked:
                pass
            assert (await (await looked.value).json())["open"] == []
            assert await page.locator("#left .card").count() == 0
        assert len(booked(data)) == 1
