"""The caller answers aloud in a real browser: the front desk books on a yes, and does not on a no."""

import os
import shutil
import wave
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest
from playwright.async_api import Page, async_playwright
from playwright.async_api import TimeoutError as PlaywrightTimeout

from voice_hitl.audio.resample import Resampler
from voice_hitl.demo.app import Demo, create_demo
from voice_hitl.demo.server import listen, serving

pytestmark = pytest.mark.anyio

CHROMIUM = os.environ.get("VOICE_HITL_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
AUDIO = Path(__file__).parents[1] / "fixtures" / "audio"
MICROPHONE_RATE = 48_000
WITHIN_MS = 90_000

GREETING_S = 5.0
QUESTION_S = 12.0
"""How long the agent takes to answer the booking and to ask; on a machine that is too slow for it, the reply comes into
the question, does not count, and is said once more when the question was asked again."""

REPLIES = 3

KEY_PRESSES, KEY_EVERY_MS = 20, 3_000

# A recording needs no echo cancellation, and would be taken for noise.
AS_RECORDED = """
const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
navigator.mediaDevices.getUserMedia = () =>
  open({ audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false } });
"""


def recorded(name: str) -> bytes:
    """A recording at the microphone's rate."""
    with wave.open(str(AUDIO / f"{name}.wav")) as file:
        rate, pcm = file.getframerate(), file.readframes(file.getnframes())
    resampler = Resampler(rate, MICROPHONE_RATE, quality="HQ")
    return resampler.push(pcm) + resampler.flush()


def silence(seconds: float) -> bytes:
    return np.zeros(int(seconds * MICROPHONE_RATE), np.int16).tobytes()


def microphone(path: Path, reply: str | None) -> Path:
    """The caller: asks for a table, and answers what is asked then, or says nothing to it."""
    said = (silence(QUESTION_S) + (recorded(reply) if reply is not None else b"")) * REPLIES
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(MICROPHONE_RATE)
        file.writeframes(silence(GREETING_S) + recorded("booking") + said)
    return path


@asynccontextmanager
async def calling(demo: Demo, spoken: Path) -> AsyncGenerator[Page]:
    """A page of the demo in a call, with this recording as its microphone."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: install it, or name it in VOICE_HITL_CHROMIUM")
    flags = [
        "--no-sandbox",
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-audio-capture={spoken}%noloop",
        "--autoplay-policy=no-user-gesture-required",
    ]
    await demo.preload()
    with listen("127.0.0.1", 0) as listener:
        async with serving(demo, listener) as url, async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
            try:
                page = await browser.new_page()
                page.set_default_timeout(WITHIN_MS)
                await page.add_init_script(AS_RECORDED)
                await page.goto(url)
                await page.click("#call")
                yield page
            finally:
                await browser.close()


async def test_a_spoken_yes_books_the_table(tmp_path: Path) -> None:
    demo = create_demo()
    async with calling(demo, microphone(tmp_path / "yes.wav", "yes_please")) as page:
        read = page.locator(".read", has_text="ConfirmAction").first
        await read.wait_for()
        words = await read.inner_text()
        assert '"confirmed": true' in words
        assert '"via": "voice"' in words
        heard = await page.locator(".heard").last.inner_text()
        assert ": yes (yes: " in heard.casefold()
        await page.locator(".card", has_text="You said yes by voice").wait_for()
        await page.locator(".read", has_text="book_table").first.wait_for()
        assert [booking["time"] for booking in demo.restaurant.bookings] == ["7 pm"]


async def test_a_spoken_no_with_a_change_does_not_book(tmp_path: Path) -> None:
    demo = create_demo()
    async with calling(demo, microphone(tmp_path / "no.wav", "make_it_eight")) as page:
        read = page.locator(".read", has_text="ConfirmAction").first
        await read.wait_for()
        words = await read.inner_text()
        assert '"confirmed": false' in words
        assert "make it eight" in words.casefold()
        assert demo.restaurant.bookings == []
        await page.locator(".card", has_text="8 pm").first.wait_for()
        await page.locator(".card:has(.bad)", has_text="You said no by voice").wait_for()


async def test_a_key_of_the_keypad_on_the_screen_books_the_table(tmp_path: Path) -> None:
    demo = create_demo()
    async with calling(demo, microphone(tmp_path / "silent.wav", None)) as page:
        await page.locator(".card").first.wait_for()
        await page.click("#keypad-button")
        read = page.locator(".read", has_text="ConfirmAction").first
        # A key that is pressed before the question's first word was heard is no answer to it.
        for _ in range(KEY_PRESSES):
            await page.locator("#keypad button", has_text="1").first.click()
            try:
                await read.wait_for(timeout=KEY_EVERY_MS)
                break
            except PlaywrightTimeout:
                continue
        words = await read.inner_text()
        assert '"confirmed": true' in words
        assert '"via": "key"' in words
        await page.locator(".card", has_text="You said yes on the keypad").wait_for()
        await page.locator(".read", has_text="book_table").first.wait_for()
        assert [booking["time"] for booking in demo.restaurant.bookings] == ["7 pm"]
