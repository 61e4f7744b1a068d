"""The demo on OpenAI's wire, as a person meets it: called from a real browser, asked, clicked, and heard on."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import anyio
import pytest

from tests.e2e.demo_browser import WITHIN_S, demo_page, record_microphone, spoken_after
from voice_hitl.demo.app import create_demo
from voice_hitl.demo.model import DemoModel
from voice_hitl.testing.openai_realtime import Call, OpenAIRealtimeServer, Say, Step, Turn
from voice_hitl_openai import OpenAIRealtimeProvider

pytestmark = pytest.mark.anyio

BOOKING = {"name": "Lee", "party_size": 4, "day": "tomorrow", "time": "7 pm"}
WORDS = "I'd like to book a table for four tomorrow at seven."


@pytest.fixture(scope="module")
def microphone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record_microphone(tmp_path_factory.mktemp("microphone") / "caller.wav")


def front_desk(turn: Turn) -> Sequence[Step]:
    """Greet, ask a person before booking, book, and say so."""
    if any('"confirmed": true' in output for output in turn.outputs.values()):
        return [Call("book_table", BOOKING, call_id="call_2")]
    if turn.outputs:
        return [Say("Your table is booked. Goodbye.")]
    if turn.heard is None:
        return [Say("Welcome, this is the front desk.")]
    if any(item["type"] == "function_call" for item in turn.history):
        return [Say("One moment.")]
    return [Say("Let me ask."), Call("ConfirmAction", {"action": "Book a table for 4"}, call_id="call_1")]


async def test_a_person_calls_is_asked_clicks_and_hears_openai_go_on(
    microphone: Path, record_testsuite_property: Callable[[str, object], None]
) -> None:
    async with OpenAIRealtimeServer(speed=5, latency_s=0.2, transcription_s=0.3) as server:
        server.on_turn(front_desk)
        server.on_utterance(lambda _utterance: WORDS)
        provider = OpenAIRealtimeProvider(api_key=server.api_key, base_url=server.base_url)
        told = f"Your voice goes to {server.base_url}."
        demo = create_demo(DemoModel(provider=provider, speaks_first=False, told=told))
        async with demo_page(microphone, demo) as page:
            assert await page.locator("#where").inner_text() == told
            await page.click("#call")
            await page.wait_for_selector("body[data-state=live]")

            card = page.locator(".card[data-status=executing]")
            await card.wait_for()
            assert "table for 4" in await card.inner_text()
            await page.locator(".line.assistant", has_text="front desk").first.wait_for()
            await page.locator(".line.user", has_text="book a table").first.wait_for()

            clicked = float(await page.evaluate("performance.now()"))
            await card.get_by_role("button", name="Yes, go ahead").click()
            await page.wait_for_selector(".card[data-status=complete] .good")
            heard_on = await spoken_after(page, clicked)
            record_testsuite_property("click_to_next_audio_ms", heard_on - clicked)
            assert 0 < heard_on - clicked < WITHIN_S * 1000

            assert '"confirmed": true' in await page.locator(".read", has_text="ConfirmAction").inner_text()
            await page.locator(".read", has_text="book_table").wait_for()
            await page.locator(".line.assistant", has_text="booked").first.wait_for()
            assert demo.restaurant.bookings == [BOOKING]

            await page.click("#hang-up")
            await page.wait_for_selector("body[data-state=ended]")
            await demo.voice.close()
            assert demo.voice.sessions == ()
        with anyio.fail_after(20):
            session = await server.session()
        outputs = {str(item["call_id"]): str(item["output"]) for item in session.items if "output" in item}
        assert json.loads(outputs["call_1"]) == {"confirmed": True, "via": "card"}
        assert sorted(outputs) == ["call_1", "call_2"]
