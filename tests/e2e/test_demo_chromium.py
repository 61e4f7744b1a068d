"""The demo as a person meets it: a real browser with a recorded microphone calls, is asked, clicks, and hears on."""

import os
import shutil
import wave
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest
from playwright.async_api import Page, async_playwright

from voice_hitl.audio.resample import Resampler
from voice_hitl.cli.checking import CALLER
from voice_hitl.demo.app import Demo, create_demo
from voice_hitl.demo.server import listen, serving

pytestmark = pytest.mark.anyio

CHROMIUM = os.environ.get("VOICE_HITL_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
MICROPHONE_RATE = 48_000
GREETING_S = 5
"""How long the caller lets the agent greet before the recording speaks."""

WAIT_MS = 60_000
SPOKEN_RMS = 0.01

# What a test may not leave to the browser: its processing would take a recording for noise. And an ear of its own.
LISTEN = """
const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
navigator.mediaDevices.getUserMedia = () =>
  open({ audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false } });
window.heard = [];
const Peer = window.RTCPeerConnection;
window.RTCPeerConnection = class extends Peer {
  constructor(...given) {
    super(...given);
    this.addEventListener("track", ({ track }) => {
      const context = new AudioContext();
      const ear = new AnalyserNode(context, { fftSize: 2048 });
      context.createMediaStreamSource(new MediaStream([track])).connect(ear);
      const samples = new Float32Array(ear.fftSize);
      setInterval(() => {
        ear.getFloatTimeDomainData(samples);
        const rms = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
        window.heard.push({ at: performance.now(), rms });
      }, 40);
    });
  }
};
"""


@pytest.fixture(scope="module")
def microphone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recorded caller as Chromium's microphone takes it: 48 kHz, after a silence."""
    with wave.open(str(CALLER)) as recording:
        rate, pcm = recording.getframerate(), recording.readframes(recording.getnframes())
    resampler = Resampler(rate, MICROPHONE_RATE, quality="HQ")
    silence = np.zeros(GREETING_S * MICROPHONE_RATE, np.int16).tobytes()
    path = tmp_path_factory.mktemp("microphone") / "caller.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(MICROPHONE_RATE)
        file.writeframes(silence + resampler.push(pcm) + resampler.flush())
    return path


@asynccontextmanager
async def browser_page(microphone: Path) -> AsyncGenerator[Page]:
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: install it, or name it in VOICE_HITL_CHROMIUM")
    flags = [
        "--no-sandbox",
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-audio-capture={microphone}%noloop",
        "--autoplay-policy=no-user-gesture-required",
    ]
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        try:
            page = await browser.new_page(viewport={"width": 1280, "height": 800})
            await page.add_init_script(LISTEN)
            yield page
        finally:
            await browser.close()


@asynccontextmanager
async def demo_page(microphone: Path) -> AsyncGenerator[tuple[Page, Demo]]:
    demo = create_demo()
    await demo.preload()
    with listen("127.0.0.1", 0) as listener:
        async with serving(demo, listener) as url, browser_page(microphone) as page:
            page.set_default_timeout(WAIT_MS)
            await page.goto(url)
            yield page, demo


async def spoken_after(page: Page, at: float) -> float:
    """When the agent was first heard after `at` and after a silence: milliseconds of the page's clock."""
    handle = await page.wait_for_function(
        """([at, loud]) => {
            const quiet = window.heard.find((one) => one.at > at && one.rms < loud);
            return quiet && window.heard.find((one) => one.at > quiet.at && one.rms > loud)?.at;
        }""",
        arg=[at, SPOKEN_RMS],
    )
    return float(await handle.json_value())


async def test_a_person_calls_is_asked_clicks_and_hears_the_agent_go_on(microphone: Path) -> None:
    async with demo_page(microphone) as (page, demo):
        await page.click("#call")
        await page.wait_for_selector("body[data-state=live]")

        card = page.locator(".card[data-status=executing]")
        await card.wait_for()
        assert "table for 4" in await card.inner_text()
        assert await card.locator(".countdown").inner_text() != ""
        assert "front desk" in await page.locator(".line.assistant").first.inner_text()
        assert "book a table" in await page.locator(".line.user").first.inner_text()

        clicked = float(await page.evaluate("performance.now()"))
        await card.get_by_role("button", name="Yes, go ahead").click()
        await page.wait_for_selector(".card[data-status=complete] .good")
        assert await spoken_after(page, clicked) > clicked

        await page.locator(".read", has_text="book_table").wait_for()
        assert '"confirmed": true' in await page.locator(".read", has_text="ConfirmAction").inner_text()
        assert [booking["party_size"] for booking in demo.restaurant.bookings] == [4]
        await page.locator(".line.assistant", has_text="booked").first.wait_for()

        await page.click("#hang-up")
        await page.wait_for_selector("body[data-state=ended]")
        assert await page.locator("#call").inner_text() == "Call again"
        await demo.voice.close()
        assert demo.voice.sessions == ()
