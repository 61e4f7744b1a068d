"""A real browser calls: headless Chromium with a recorded microphone, over the HTTP route and real media."""

import shutil
import wave
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

import anyio
import pytest
from playwright.async_api import Page, async_playwright
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from tests.transports.webrtc_agent import RATE, Ear, say, serving, strongest_hz, tone
from voice_hitl.transport import Digit, HungUp, Incoming, Message, Played
from voice_hitl_webrtc import Caller, WebRTCLeg, WebRTCTransport, rtp, seam

CHROMIUM = shutil.which("chromium")

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(
        CHROMIUM is None, reason="there is no `chromium` on this machine (Debian: apt install chromium)"
    ),
]

PAGE_TONE_HZ, OUR_TONE_HZ = 1_000, 600

# The browser's own cleaning is off, as it would take a steady tone for noise. What it hears is measured with an
# AnalyserNode, from the stream that it would play.
PAGE = """<!doctype html><title>call</title><script>
const inbox = []; let pc, dc, sender, analyser;
async function call() {
  const mic = await navigator.mediaDevices.getUserMedia(
    {audio: {echoCancellation: false, noiseSuppression: false, autoGainControl: false}});
  pc = new RTCPeerConnection();
  sender = pc.addTrack(mic.getTracks()[0], mic);
  dc = pc.createDataChannel('voice-hitl');
  dc.onmessage = event => inbox.push(event.data);
  dc.onclose = () => inbox.push('closed');
  pc.ontrack = event => {
    const stream = new MediaStream([event.track]);
    const player = new Audio(); player.srcObject = stream; player.muted = true; player.play(); window.player = player;
    const context = new AudioContext();
    analyser = context.createAnalyser(); analyser.fftSize = 4096; analyser.smoothingTimeConstant = 0;
    context.createMediaStreamSource(stream).connect(analyser);
  };
  await pc.setLocalDescription(await pc.createOffer());
  if (pc.iceGatheringState != 'complete')
    await new Promise(done => { setTimeout(done, 1500);
      pc.onicegatheringstatechange = () => pc.iceGatheringState == 'complete' && done(); });
  const reply = await fetch('/offer', {method: 'POST', body: JSON.stringify(pc.localDescription)});
  const answer = await reply.json();
  await pc.setRemoteDescription(answer);
  await new Promise(done => { const look = () => dc.readyState == 'open' ? done() : setTimeout(look, 10); look(); });
  return {status: reply.status, call_id: answer.call_id, sdp: answer.sdp, offer: pc.localDescription.sdp};
}
function heard() {
  const bins = new Float32Array(analyser.frequencyBinCount); analyser.getFloatFrequencyData(bins);
  let best = 0; bins.forEach((level, index) => { if (level > bins[best]) best = index; });
  return {hz: best * analyser.context.sampleRate / analyser.fftSize, db: bins[best]};
}
async function inbound() {
  let found = {};
  (await pc.getStats()).forEach(stat => { if (stat.type == 'inbound-rtp') found = {received: stat.packetsReceived,
    lost: stat.packetsLost, concealed: stat.concealedSamples, silent: stat.silentConcealedSamples}; });
  return found;
}
</script>"""


def record_microphone(file: Path) -> None:
    with wave.open(str(file), "wb") as recording:
        recording.setnchannels(1)
        recording.setsampwidth(2)
        recording.setframerate(48_000)
        recording.writeframes(tone(PAGE_TONE_HZ, 2, 48_000))


@asynccontextmanager
async def a_browser(address: str, microphone: Path) -> AsyncGenerator[Page]:
    """A page of a browser whose microphone hears a tone."""
    record_microphone(microphone)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=[
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--allow-loopback-in-peer-connection",  # for machines without a network
                "--use-fake-device-for-media-stream",
                "--use-fake-ui-for-media-stream",
                f"--use-file-for-fake-audio-capture={microphone}",
                "--autoplay-policy=no-user-gesture-required",
            ],
        )
        page = await browser.new_page()
        await page.goto(address)
        try:
            yield page
        finally:
            await browser.close()


async def home(_request: Request) -> HTMLResponse:
    return HTMLResponse(PAGE)


async def anyone(_request: Request) -> Caller:
    return Caller("visitor")


async def test_every_key_of_a_browser_arrives_though_a_twentieth_of_its_packets_is_lost(tmp_path: Path) -> None:
    transport = WebRTCTransport(authorize=anyone)
    legs: list[WebRTCLeg] = []

    async def take(incoming: Incoming) -> None:
        legs.append(await transport.accept(incoming, rate=RATE))
        lost.append(lose_packets(legs[0], 0.05))

    lost: list[Lost] = []
    transport.listen(take)
    async with (
        serving([Route("/", home), *transport.routes()]) as address,
        a_browser(address, tmp_path / "microphone.wav") as page,
        anyio.create_task_group() as ears,
    ):
        await page.evaluate("call()")
        ear = Ear(legs[0])
        ears.start_soon(ear.listen)
        assert strongest_hz(await ear.voice(3.0)) == pytest.approx(PAGE_TONE_HZ, abs=10)
        for number in range(1, 4):
            await page.evaluate("sender.dtmf.insertDTMF('4271#', 70, 70)")
            await ear.next(Digit, 5 * number)
        assert "".join(digit.digit for digit in ear.of(Digit)) == "4271#" * 3
        assert {len(digit.digit) for digit in ear.of(Digit)} == {1}
        assert lost[0].packets > 0
        assert legs[0].counts.recovered > 0
        await page.evaluate("pc.close()")
        await ear.ended.wait()
        await transport.aclose()


@dataclass
class Lost:
    """How many packets the network has lost."""

    packets: int = 0


def lose_packets(leg: WebRTCLeg, share: float) -> Lost:
    """Lose a share of what the network delivers, below everything of ours; the same ones in every run."""
    receiver = leg._connection.getReceivers()[0]  # pyright: ignore[reportPrivateUsage] - the network's side
    agent = seam.agent_of(receiver.transport)
    deliver: seam.Arrived = getattr(agent, seam.ARRIVED)
    chance, lost = Random(5), Lost()

    def lossy(datagram: bytes, component: int) -> None:
        if rtp.is_rtp(datagram) and chance.random() < share:
            lost.packets += 1
        else:
            deliver(datagram, component)

    setattr(agent, seam.ARRIVED, lossy)
    return lost


async def test_a_browser_calls_talks_listens_presses_keys_and_hangs_up(tmp_path: Path) -> None:
    transport = WebRTCTransport(authorize=anyone)
    legs: list[WebRTCLeg] = []

    async def take(incoming: Incoming) -> None:
        legs.append(await transport.accept(incoming, rate=RATE))

    transport.listen(take)
    async with (
        serving([Route("/", home), *transport.routes()]) as address,
        a_browser(address, tmp_path / "microphone.wav") as page,
        anyio.create_task_group() as ears,
    ):
        made = await page.evaluate("call()")
        leg = legs[0]
        ear = Ear(leg)
        ears.start_soon(ear.listen)
        assert (made["status"], made["call_id"]) == (200, leg.info.call_id)
        assert "useinbandfec=1" in made["sdp"]

        await page.evaluate("dc.send('hello agent')")
        assert (await ear.next(Message)).text == "hello agent"
        await leg.send_message("hello page")

        assert strongest_hz(await ear.voice(1.0)) == pytest.approx(PAGE_TONE_HZ, abs=10)

        say(leg, tone(OUR_TONE_HZ, 3), "greeting")
        await ear.until(lambda: any(played.ms >= 1_000 for played in ear.of(Played)), "a second of the greeting")
        heard = await page.evaluate("heard()")
        assert heard["hz"] == pytest.approx(OUR_TONE_HZ, abs=30)
        assert heard["db"] > -40
        found = leg.clear()
        assert (found.item, found.dropped) == ("greeting", ())
        assert 1_000 <= found.ms < 2_000

        await page.evaluate("sender.dtmf.insertDTMF('4271#', 70, 70)")
        await ear.next(Digit, 5)
        assert "".join(digit.digit for digit in ear.of(Digit)) == "4271#"
        assert (await page.evaluate("heard()"))["db"] < -80
        assert await page.evaluate("inbox") == ["hello page"]

        await page.evaluate("pc.close()")
        assert (await ear.next(HungUp)).reason == "caller"
        await ear.ended.wait()
        await transport.aclose()
