"""Makes `docs/demo.png`, the README's picture: a real call to the real demo, in headless Chromium.

Run it with the demo's and the test's extras installed: `python docs/make_screenshot.py`. The recorded caller is the
microphone; the picture is taken a moment after the agent has asked. A font such as Inter makes it look its best.
"""

import shutil
import sys
import tempfile
import wave
from pathlib import Path

import anyio
import numpy as np
from playwright.async_api import Page, async_playwright

from voice_hitl.audio.resample import Resampler
from voice_hitl.cli.checking import CALLER
from voice_hitl.demo.app import create_demo
from voice_hitl.demo.server import listen, serving

FOLDER = Path(__file__).parent
MICROPHONE_RATE = 48_000
GREETING_S = 5
A_MOMENT_S = 2.5
UNTIL_COLOURED_S = 0.4

# A recording needs no echo cancellation, and would be taken for noise.
AS_RECORDED = """
const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
navigator.mediaDevices.getUserMedia = () =>
  open({ audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false } });
"""


def write_microphone(path: Path) -> None:
    """Write the recorded caller as Chromium's microphone takes it, after the time of a greeting."""
    with wave.open(str(CALLER)) as recording:
        resampler = Resampler(recording.getframerate(), MICROPHONE_RATE, quality="HQ")
        speech = resampler.push(recording.readframes(recording.getnframes())) + resampler.flush()
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(MICROPHONE_RATE)
        file.writeframes(np.zeros(GREETING_S * MICROPHONE_RATE, np.int16).tobytes() + speech)


async def take(page: Page, url: str) -> None:
    """Call, wait for the question, and take the pictures."""
    await page.add_init_script(AS_RECORDED)
    await page.goto(url)
    await page.click("#call")
    await page.wait_for_selector(".card[data-status=executing]", timeout=60_000)
    await anyio.sleep(A_MOMENT_S)
    await page.emulate_media(color_scheme="light")
    await page.screenshot(path=FOLDER / "demo.png")
    await page.emulate_media(color_scheme="dark")
    await anyio.sleep(UNTIL_COLOURED_S)
    await page.screenshot(path=FOLDER / "demo-dark.png")
    await page.get_by_role("button", name="Yes, go ahead").click()
    await page.wait_for_selector(".read")
    await page.click("#hang-up")


async def main() -> None:
    """Start the demo and a browser, and take the pictures."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("no Chromium on this machine")
    demo = create_demo()
    await demo.preload()
    with tempfile.TemporaryDirectory() as folder, listen("127.0.0.1", 0) as listener:
        microphone = Path(folder) / "caller.wav"
        write_microphone(microphone)
        flags = [
            "--no-sandbox",
            "--use-fake-ui-for-media-stream",
            "--use-fake-device-for-media-stream",
            f"--use-file-for-fake-audio-capture={microphone}%noloop",
            "--autoplay-policy=no-user-gesture-required",
        ]
        async with serving(demo, listener) as url, async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=chromium, args=flags)
            page = await browser.new_page(viewport={"width": 1280, "height": 800}, device_scale_factor=1.5)
            try:
                await take(page, url)
            finally:
                await browser.close()


if __name__ == "__main__":
    anyio.run(main)
