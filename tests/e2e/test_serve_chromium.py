"""The page that `voice-hitl serve --webrtc` gives: a real browser calls from it, and answers on its card."""

import shutil
from pathlib import Path

import anyio
import pytest
from playwright.async_api import expect

from tests.e2e.test_client_chromium import NETWORK
from tests.e2e.test_console_chromium import no_barriers
from tests.e2e.test_webrtc_chromium import a_browser
from tests.transports.webrtc_agent import serving
from voice_hitl import CardAsker, HumanInputToolHandler, RealtimeVoiceChannel, Switchboard, confirm_action
from voice_hitl.cli.legs import Wanted, open_legs
from voice_hitl.testing import Forgot, Injected, Interrupted, Responded, ScriptedProvider, SentAudio, SentToolResult

CHROMIUM = shutil.which("chromium")
ONLY_COUNTED = (SentAudio, Injected, Forgot, Responded, Interrupted)

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(
        CHROMIUM is None, reason="there is no `chromium` on this machine (Debian: apt install chromium)"
    ),
]


async def test_a_browser_calls_from_the_page_and_answers_on_its_card(tmp_path: Path) -> None:
    legs = open_legs(Wanted(webrtc="/call"), "http://127.0.0.1", {})
    provider = ScriptedProvider(ignore=ONLY_COUNTED)
    channel = RealtimeVoiceChannel(
        "desk",
        provider=provider,
        transport=Switchboard(*legs.transports),
        human_input_handler=HumanInputToolHandler(
            {"ConfirmAction"}, tool_definitions=[confirm_action()], askers=[CardAsker()]
        ),
    )
    async with serving(legs.routes) as address, a_browser(f"{address}/call", tmp_path / "microphone.wav") as page:
        await page.click("#call")
        model = await provider.connected(within_s=30)
        await page.wait_for_function("document.getElementById('state').textContent === 'Live'")
        call_id = model.call_tool("ConfirmAction", {"action": "Book a table for four."})
        await page.wait_for_selector("#cards h3:has-text('Book a table for four.')")
        await page.click("#cards button:has-text('Yes')")
        await model.expect(SentToolResult, call_id=call_id, failed=False)
        await page.wait_for_function("document.getElementById('cards').childElementCount === 0")
        await page.click("#call:has-text('Hang up')")
        with anyio.fail_after(30):
            while channel.sessions:  # noqa: ASYNC110 - a channel does not tell when its last session has ended
                await anyio.sleep(0.02)
        await channel.close()


async def test_the_keyboard_stays_with_the_questions_and_a_call_is_given_up_by_a_second_click(tmp_path: Path) -> None:
    legs = open_legs(Wanted(webrtc="/call"), "http://127.0.0.1", {})
    async with serving(legs.routes) as address, a_browser(f"{address}/call", tmp_path / "microphone.wav") as page:
        await page.add_init_script(NETWORK)
        await page.reload()
        await page.evaluate("void (window.answer = () => new Promise((given) => (window.give = given)))")
        await page.dblclick("#call")
        await expect(page.locator("#call")).to_have_text("Call again")
        await page.evaluate("void (window.answer = async () => new Response('{}'))")
        await page.click("#call")
        await page.locator("#state", has_text="Live").wait_for()
        for pending_id in ("p1", "p2"):
            question = {"kind": "text", "prompt": f"Why {pending_id}?", "max_length": 80}
            opened = {"type": "request.opened", "call": pending_id, "pending_id": pending_id, "status": "executing"}
            await page.evaluate("(message) => peers.at(-1).tell(message)", {**opened, "question": question})
        await no_barriers(page)
        await page.get_by_label("Why p1?").fill("because")
        await page.get_by_role("button", name="Send answer").first.press("Enter")
        settled = {"type": "request.settled", "call": "p1", "pending_id": "p1", "status": "complete"}
        await page.evaluate("(message) => peers.at(-1).tell(message)", settled)
        await expect(page.locator("#cards")).to_be_focused()
        await page.keyboard.press("Tab")
        await expect(page.get_by_label("Why p2?")).to_be_focused()
