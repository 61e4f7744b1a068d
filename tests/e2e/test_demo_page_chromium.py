"""The demo's page by itself, on a network of the test's own: the keyboard, small screens, less motion, odd messages."""

from collections.abc import Mapping

import pytest
from playwright.async_api import Page, expect

from tests.e2e.demo_browser import WITHIN_S
from tests.e2e.test_client_chromium import network
from tests.e2e.test_console_chromium import no_barriers
from voice_hitl.questions.model import Approval, Choice, Confirm, Option, Question
from voice_hitl.questions.wire import to_wire

pytestmark = pytest.mark.anyio
expect.set_options(timeout=WITHIN_S * 1000)

LONG = "Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunterbeamtengesellschaft"
HEBREW = "\u05de\u05d4 \u05d4\u05e9\u05dd VIP?"
EDITED = Approval(
    tool="refund",
    arguments={"speed": "slow"},
    digest="d",
    allow_edits=True,
    parameters={"type": "object", "properties": {"speed": {"enum": ["express", "slow"]}}},
)
TO_THE_RIGHT = """(shown) => {
    const words = document.createRange();
    words.selectNodeContents(shown);
    return shown.getBoundingClientRect().right - words.getBoundingClientRect().right;
}"""


async def tell(page: Page, type: str, **news: object) -> None:
    await page.evaluate("(message) => peers.at(-1).tell(message)", {"type": type, **news})


async def ask(page: Page, pending_id: str, question: Question) -> None:
    await tell(page, "request.opened", **about(pending_id, "executing"), question=to_wire(question))


def about(pending_id: str, status: str) -> Mapping[str, object]:
    return {"call": pending_id, "pending_id": pending_id, "tool": "ask", "status": status}


async def place(page: Page) -> None:
    await page.click("#call")
    await page.wait_for_selector("body[data-state=live]")


async def test_the_keyboard_is_never_lost() -> None:
    async with network() as page:
        # A button that cannot be pressed has lost the keyboard once the next picture is drawn.
        await page.evaluate(
            """() => {
                const drawn = () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
                window.answer = async () => (await drawn(), new Response("", { status: 503 }));
            }"""
        )
        await page.locator("#call").press("Enter")
        await expect(page.locator("#problem")).to_contain_text("503")
        await expect(page.locator("#call")).to_be_focused()
        await page.evaluate("void (window.answer = async () => new Response('{}'))")
        await place(page)
        await page.locator("#keypad-button").press("Enter")
        await page.locator("#keypad").get_by_role("button", name="5").focus()
        await page.keyboard.press("Escape")
        await expect(page.locator("#keypad-button")).to_be_focused()
        await ask(page, "p1", EDITED)
        await page.get_by_role("button", name="Change the details").click()
        await page.get_by_label("Speed").focus()
        await ask(page, "p2", Confirm(prompt="Book it?"))
        await expect(page.get_by_label("Speed")).to_be_focused()
        await page.get_by_role("button", name="Yes, go ahead").press("Enter")
        await tell(page, "request.settled", **about("p2", "complete"), end="answered")
        await expect(page.locator(".card").first).to_be_focused()


async def test_the_page_is_accessible_light_and_dark_before_the_call_and_in_it() -> None:
    async with network() as page:
        await no_barriers(page)
        await place(page)
        await tell(page, "transcript", role="assistant", text="Hello.", final=True, item="i1")
        await tell(page, "transcript", role="user", text="A table, please.", final=True, item="i2")
        await ask(page, "p1", Confirm(prompt="Book it?", risk="high", details={"guests": 4}))
        await tell(page, "request.settled", **about("p1", "complete"), end="answered")
        assert await page.locator("#announce").inner_text() == "", "the same question again is told again"
        await ask(page, "p2", Confirm(prompt="Book it?", risk="high", details={"guests": 4}))
        await ask(page, "p3", Choice(prompt="Where?", options=(Option(label="Inside"),), multi=True, free_text=True))
        await ask(page, "p4", EDITED)
        await page.get_by_role("button", name="Change the details").click()
        await tell(page, "tool.result", call="p1", tool="ask", outcome="served", text='{"confirmed": true}')
        await no_barriers(page)


async def test_on_a_small_screen_nothing_is_cut_off_whatever_is_written_and_however() -> None:
    async with network() as page:
        await page.set_viewport_size({"width": 360, "height": 740})
        await place(page)
        await ask(page, "p1", Choice(prompt=LONG, options=(Option(label=LONG, description=LONG),), header=LONG))
        for place_of_text in (".option .what", ".option .more", ".prompt", ".prompt .header"):
            fits = "(shown) => shown.scrollWidth <= shown.clientWidth || shown.getClientRects().length > 1"
            assert await page.locator(place_of_text).evaluate(fits), place_of_text
        assert await page.evaluate("document.documentElement.scrollWidth") <= 360
        card = await page.locator(".card").bounding_box()
        assert card is not None
        assert card["y"] >= 0, "who has asked for less motion is taken to the question at once"
        await tell(page, "request.settled", **about("p1", "complete"), end="answered")

        await ask(page, "p2", Confirm(prompt=HEBREW))
        await tell(page, "request.settled", **about("p2", "complete"), end="answered")
        await tell(page, "transcript", role="user", text=HEBREW, final=True, item="i1")
        for shown in (page.locator(".done p").first, page.locator(".line p")):
            assert await shown.evaluate(TO_THE_RIGHT) == pytest.approx(0, abs=1)

        await page.set_viewport_size({"width": 640, "height": 320})
        await page.click("#keypad-button")
        await page.locator("#keypad").get_by_role("button", name="1").click()
        keypad = await page.locator("#keypad").bounding_box()
        assert keypad is not None
        assert keypad["y"] >= 0


async def test_what_the_model_read_is_shown_though_it_is_cut_off_and_a_microphone_that_is_gone_is_said_to_be() -> None:
    async with network() as page:
        await place(page)
        await ask(page, "p1", Confirm(prompt="Book it?"))
        await tell(page, "request.settled", **about("p1", "complete"), end="answered", via="voice")
        await tell(page, "tool.result", call="p1", tool="ask", outcome="served", text='{"confirmed": true, "said": "we')
        await expect(page.locator(".read pre")).to_have_text('{"confirmed": true, "said": "we')
        await tell(page, "tool.result", call="p2", tool="ask", outcome="served", text='{"order":12345678901234567890}')
        await expect(page.locator(".read pre").last).to_have_text('{"order":12345678901234567890}')
        assert await page.evaluate("errors") == []
        await tell(page, "transcript", role="user", text="I would", final=False, item="i1")
        await page.evaluate("peers[0].become('failed')")
        await page.wait_for_function("peers.length > 1 && document.body.dataset.state === 'live'")
        assert await page.locator(".line.partial").count() == 0, "nobody knows how it went on"
        await page.evaluate(
            """() => {
                window.unplugged = true;
                const [track] = microphones[0].getTracks();
                track.stop();
                track.dispatchEvent(new Event("ended"));
            }"""
        )
        await expect(page.locator("#doing")).to_have_text("Your microphone is gone")
