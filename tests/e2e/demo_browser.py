"""The demo's page in a real browser, with a recorded caller as its microphone and an ear of the test's own."""

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
from voice_hitl.demo.app import Demo
from voice_hitl.demo.server import listen, serving

CHROMIUM = os.environ.get("VOICE_HITL_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
MICROPHONE_RATE = 48_000
GREETING_S = 5
"""How long the caller lets the agent greet before the recording speaks."""

WITHIN_S = 60.0
SPOKEN_RMS = 0.01

# What a test may not leave to the browser: its processing would take a recording for noise. And an ear of its own.
LISTEN = """
const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
navigator.mediaDevices.getUserMedia = () =>
  open({ audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false } });
window.states = [];
addEventListener("DOMContentLoaded", () => {
  const note = () => window.states.push(document.body.dataset.state);
  new MutationObserver(note).observe(document.body, { attributeFilter: ["data-state"] });
});
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


def record_microphone(path: Path, caller: Path = CALLER) -> Path:
    """A recorded caller as Chromium's microphone takes it: 48 kHz, after a silence."""
    with wave.open(str(caller)) as recording:
        rate, pcm = recording.getframerate(), recording.readframes(recording.getnframes())
    resampler = Resampler(rate, MICROPHONE_RATE, quality="HQ")
    silence = np.zeros(GREETING_S * MICROPHONE_RATE, np.int16).tobytes()
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
async def demo_page(microphone: Path, demo: Demo) -> AsyncGenerator[Page]:
    await demo.preload()
    with listen("127.0.0.1", 0) as listener:
        async with serving(demo, listener) as url, browser_page(microphone) as page:
            page.set_default_timeout(WITHIN_S * 1000)
            await page.goto(url)
            yield page


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
