"""The page's own tool in a real browser: the agent has the caller pick a time, and books the one that was picked."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.e2e.demo_browser import WITHIN_S, demo_page, record_microphone
from voice_hitl.demo.app import create_demo
from voice_hitl.provider import ProviderCapabilities, ToolCancelled
from voice_hitl.testing import (
    Forgot,
    Injected,
    Interrupted,
    Reconfigured,
    Responded,
    ScriptedConnection,
    ScriptedProvider,
    SentAudio,
    SentToolResult,
)

pytestmark = pytest.mark.anyio

AUDIO = Path(__file__).parents[1] / "fixtures" / "audio"
IGNORED = (SentAudio, Injected, Forgot, Responded, Interrupted)
OFFER = {"day": "tomorrow", "party_size": 4}


@pytest.fixture(scope="module")
def microphone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record_microphone(tmp_path_factory.mktemp("microphone") / "no_time.wav", AUDIO / "no_time.wav")


async def test_a_caller_who_says_no_time_picks_one_on_the_page_and_it_is_booked(microphone: Path) -> None:
    demo = create_demo()
    async with demo_page(microphone, demo) as page:
        await page.click("#call")
        card = page.locator(".card[data-status=executing]", has_text="The agent offers times")
        await card.wait_for()
        assert "What time tomorrow?" in await card.inner_text()
        assert "For 4 people." in await card.inner_text()
        assert await card.get_by_role("button", name="Choose a time").is_disabled()
        assert await card.get_by_role("timer").inner_text() != ""
        await card.get_by_text("8:30 pm", exact=True).click()
        await card.get_by_role("button", name="Choose 8:30 pm").click()
        await page.locator(".card[data-status=complete]", has_text="You chose 8:30 pm").wait_for()

        asked = page.locator(".card[data-status=executing]", has_text="8:30 pm")
        await asked.get_by_role("button", name="Yes, go ahead").click()
        await page.locator(".read", has_text="book_table").wait_for()
        assert '"time": "8:30 pm"' in await page.locator(".read", has_text="pick_time").inner_text()
        assert [booking["time"] for booking in demo.restaurant.bookings] == ["8:30 pm"]


def scripted(script: Callable[[ScriptedConnection], Awaitable[None]]) -> ScriptedProvider:
    can = ProviderCapabilities(reconfigures="in_place")
    return ScriptedProvider(script=script, ignore=IGNORED, capabilities=can)


async def offer_and_wait_for_cancel(model: ScriptedConnection) -> None:
    told = await model.expect(Reconfigured, within_s=WITHIN_S)
    assert told.config.tools[-1].name == "pick_time"
    call_id = model.call_tool("pick_time", OFFER)
    await model.expect(SentToolResult, call_id=call_id, text='{"cancelled": true}', failed=False, within_s=WITHIN_S)


async def test_a_picker_that_is_cancelled_is_a_result_too(microphone: Path) -> None:
    provider = scripted(offer_and_wait_for_cancel)
    async with demo_page(microphone, create_demo(provider=provider)) as page:
        await page.click("#call")
        card = page.locator(".card[data-status=executing]")
        await card.get_by_role("button", name="Cancel").click()
        await page.locator(".card[data-status=complete]", has_text="You chose none").wait_for()
        await hang_up(page)
    provider.done()


async def offer_and_give_up(model: ScriptedConnection) -> None:
    await model.expect(Reconfigured, within_s=WITHIN_S)
    model.emit(ToolCancelled((model.call_tool("pick_time", OFFER),)))
    call_id = model.call_tool("pick_time", OFFER)
    await model.expect(SentToolResult, call_id=call_id, text='{"time": "6:00 pm"}', failed=False, within_s=WITHIN_S)


async def test_a_picker_that_is_no_longer_needed_goes_by_itself(microphone: Path) -> None:
    provider = scripted(offer_and_give_up)
    async with demo_page(microphone, create_demo(provider=provider)) as page:
        await page.click("#call")
        card = page.locator(".card[data-status=executing]")
        await card.get_by_text("6:00 pm", exact=True).click()
        await card.get_by_role("button", name="Choose 6:00 pm").click()
        await page.locator(".read.good", has_text="pick_time").wait_for()
        await hang_up(page)
    provider.done()


async def test_a_page_that_takes_a_name_of_the_agents_own_is_told_so(microphone: Path) -> None:
    provider = scripted(only_listen)
    async with demo_page(microphone, create_demo(provider=provider)) as page:
        await page.click("#call")
        await page.wait_for_selector("body[data-state=live]")
        refused = await page.evaluate(
            """async () => {
                const { Call } = await import("/voice-hitl.js");
                const call = new Call("offer");
                await call.connect();
                const told = ({ code, message }) => `${code}: ${message}`;
                const refused = async (name) => call.tools.register({ name }).catch(told);
                const why = [await refused("book_table"), await refused("other")];
                call.hangUp();
                return why;
            }"""
        )
        assert refused == [
            "not_allowed: this call takes no tool 'book_table' from its page",
            "not_allowed: this call takes no tool 'other' from its page",
        ]
        await hang_up(page)


async def only_listen(model: ScriptedConnection) -> None:
    model.ignore(Reconfigured)


async def hang_up(page: Page) -> None:
    await page.click("#hang-up")
    await page.wait_for_selector("body[data-state=ended]")
