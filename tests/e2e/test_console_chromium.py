"""Operators at their console in headless Chromium, a caller on the line: who is first, and what everybody is told."""

import json
import re
from collections.abc import Mapping, Sequence

import anyio
import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Page, Route, expect

from tests.e2e.console_browser import SUPERVISORS, TOKENS, WITHIN_S, Clock, desks
from voice_hitl.provider import Transcript
from voice_hitl.testing import SentToolResult

pytestmark = pytest.mark.anyio
expect.set_options(timeout=WITHIN_S * 1000)

COURIER = {"action": "Book the courier"}
REFUND = {"order": "A-17", "amount": 40}
FORM = {
    "questions": [
        {
            "question": "Where do they sit?",
            "header": "Seating",
            "options": [
                {"label": "Inside", "description": "Quiet"},
                {"label": "Terrace", "description": "Heated"},
            ],
        }
    ]
}

COLOURS_HAVE_CHANGED = """async (dark) => {
    const drawn = () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    while (matchMedia("(prefers-color-scheme: dark)").matches !== dark) await drawn();
    await drawn();
    await Promise.allSettled(document.getAnimations().map((animation) => animation.finished));
    await drawn();
}"""
NOTES_EVENTS = """
    window.EventSource = class extends EventSource {
        addEventListener(name, told) {
            super.addEventListener(name, (event) => {
                told(event);
                window.told(name);
            });
        }
    };
"""
DRAWN = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"
DRAWS_NO_FRAME = "window.requestAnimationFrame = () => 1"


async def chosen(page: Page, words: str) -> None:
    await page.get_by_label("Open requests").get_by_role("button", name=re.compile(words)).click()


async def test_the_first_answer_wins_the_model_reads_it_and_the_other_page_says_so() -> None:
    async with desks() as at:
        ann, bob = await at.operator("ann"), await at.operator("bob")
        clock = Clock()
        call = at.asks("ConfirmAction", COURIER)
        for page in (ann, bob):
            await chosen(page, "Book the courier")
        clock.took("the question was on both pages")
        await bob.get_by_role("button", name="Yes, go ahead").focus()
        await expect(ann.locator(".row .taken")).to_have_text("bob is on it")
        clock.took("the other page said who is on it")
        await ann.get_by_role("button", name="Yes, go ahead").click()
        sent = await at.model.expect(SentToolResult, call_id=call, failed=False, within_s=WITHIN_S)
        assert '"confirmed": true' in sent.text
        clock.took("the model read the answer")
        await expect(bob.locator(".verdict")).to_contain_text("Answered by ann")
        await expect(ann.locator(".verdict")).to_contain_text("Answered by you")
        await expect(bob.get_by_role("status").last).to_contain_text("Answered by ann")
        await expect(bob.get_by_role("button", name="Yes, go ahead")).to_have_count(0)
        clock.took("the other page said who was first")


async def test_a_hang_up_closes_the_row() -> None:
    async with desks() as at:
        ann = await at.operator("ann")
        at.asks("ConfirmAction", COURIER)
        await chosen(ann, "Book the courier")
        clock = Clock()
        at.caller.hang_up()
        await expect(ann.locator(".verdict")).to_contain_text("No longer needed")
        await ann.get_by_text("All quiet.").wait_for()
        await expect(ann.get_by_label("Settled requests")).to_contain_text("No longer needed")
        clock.took("the row closed")
        await at.caller.ended()


async def test_a_page_that_is_loaded_again_in_the_middle_shows_what_is_open() -> None:
    async with desks() as at:
        ann = await at.operator("ann")
        call = at.asks("ConfirmAction", COURIER)
        await chosen(ann, "Book the courier")
        clock = Clock()
        await ann.reload()
        await chosen(ann, "Book the courier")
        clock.took("what is open was there again")
        await ann.get_by_role("button", name="No", exact=True).click()
        sent = await at.model.expect(SentToolResult, call_id=call, within_s=WITHIN_S)
        assert '"confirmed": false' in sent.text
        await expect(ann.locator(".verdict")).to_contain_text("Answered by you")


async def test_everything_goes_by_keys() -> None:
    async with desks() as at:
        ann = await at.operator("ann")
        clock = Clock()
        refund, courier, form = (
            at.asks("refund", REFUND),
            at.asks("ConfirmAction", COURIER),
            at.asks("ask_user_question", FORM),
        )
        await expect(ann.get_by_label("Open requests").get_by_role("button")).to_have_count(3)
        keys = ann.keyboard
        await keys.press("j")
        await expect(ann.locator(".request .prompt")).to_have_text("Refund order A-17?")
        await keys.press("j")
        await keys.press("k")
        await keys.press("r")
        await keys.type("just not on")
        await keys.press("Enter")
        sent = await at.model.expect(SentToolResult, call_id=refund, within_s=WITHIN_S)
        assert "just not on" in sent.text
        assert at.refunded == []
        await expect(ann.locator(".verdict")).to_contain_text("Rejected by you")
        clock.took("an approval was rejected with a reason")
        await keys.press("j")
        await expect(ann.locator(".request .prompt")).to_have_text("Book the courier?")
        await keys.press("a")
        await expect(ann.get_by_role("button", name="Yes, go ahead")).to_be_focused()
        await keys.press("a")
        sent = await at.model.expect(SentToolResult, call_id=courier, failed=False, within_s=WITHIN_S)
        assert '"confirmed": true' in sent.text
        await expect(ann.locator(".verdict")).to_contain_text("Answered by you")
        clock.took("a question was answered with yes")
        await keys.press("Escape")
        await keys.press("j")
        await expect(ann.locator(".request .prompt")).to_have_text(re.compile("Where do they sit"))
        await keys.press("a")
        await keys.press("ArrowDown")
        await keys.press("Enter")
        sent = await at.model.expect(SentToolResult, call_id=form, failed=False, within_s=WITHIN_S)
        assert "Terrace" in sent.text
        clock.took("a form was filled in")


async def test_a_key_goes_to_the_next_request_before_the_rows_are_drawn() -> None:
    async with desks() as at:
        ann = await at.operator("ann")
        refund = at.asks("refund", REFUND)
        at.asks("ConfirmAction", COURIER)
        await expect(ann.get_by_label("Open requests").get_by_role("button")).to_have_count(2)
        await ann.keyboard.press("j")
        await expect(ann.locator(".request .prompt")).to_have_text("Refund order A-17?")
        await ann.evaluate(DRAWS_NO_FRAME)
        await ann.keyboard.press("a")
        await ann.keyboard.press("a")
        await at.model.expect(SentToolResult, call_id=refund, within_s=WITHIN_S)
        await expect(ann.locator(".verdict")).to_contain_text("Approved by you")
        await ann.keyboard.press("j")
        await expect(ann.locator(".request .prompt")).to_have_text("Book the courier?")


async def test_what_is_asked_while_the_page_looks_how_things_stand_is_shown() -> None:
    async with desks() as at:
        ann = await at.operator("ann")
        looked, asked, overtaken = anyio.Event(), anyio.Event(), anyio.Event()

        def told(event: str) -> None:
            if event == "request.opened":
                overtaken.set()

        async def slowly(route: Route) -> None:
            response = await route.fetch()
            looked.set()
            await asked.wait()
            await route.fulfill(response=response)

        other = await ann.context.new_page()
        await other.expose_function("told", told)
        await other.add_init_script(NOTES_EVENTS)
        await other.route("**/requests", slowly)
        async with anyio.create_task_group() as group:
            group.start_soon(other.goto, at.url)
            await looked.wait()
            at.asks("ConfirmAction", COURIER)
            await overtaken.wait()
            asked.set()
        await other.get_by_label("Open requests").get_by_role("button").wait_for()


async def test_an_approval_with_edits_runs_with_what_was_edited() -> None:
    async with desks() as at:
        ann = await at.operator("ann")
        call = at.asks("refund", REFUND)
        await chosen(ann, "Refund order A-17")
        clock = Clock()
        await ann.get_by_role("button", name="Change the details").click()
        await ann.get_by_label("Amount").fill("30")
        await expect(ann.locator(".was:visible")).to_have_text("was 40")
        await ann.get_by_role("button", name="Approve").click()
        sent = await at.model.expect(SentToolResult, call_id=call, failed=False, within_s=WITHIN_S)
        assert sent.text == "paid back"
        assert at.refunded == [{"order": "A-17", "amount": 30}]
        await expect(ann.locator(".verdict")).to_contain_text("Approved with changes by you")
        clock.took("the tool ran with what was edited")


async def test_an_answer_that_does_not_fit_is_told_and_can_be_corrected() -> None:
    async with desks() as at:
        ann = await at.operator("ann")
        call = at.asks("refund", REFUND)
        await chosen(ann, "Refund order A-17")
        await ann.get_by_role("button", name="Change the details").click()
        await ann.get_by_label("Amount").fill("")
        await ann.get_by_role("button", name="Approve").click()
        await expect(ann.get_by_role("alert")).to_contain_text("do not fit refund")
        await ann.get_by_label("Amount").fill("35")
        await ann.get_by_role("button", name="Approve").click()
        await at.model.expect(SentToolResult, call_id=call, failed=False, within_s=WITHIN_S)
        assert at.refunded == [{"order": "A-17", "amount": 35}]


async def test_what_was_said_stands_beside_the_question_and_is_text_and_never_markup() -> None:
    trap = "<img src=x onerror='window.trapped = true'>"
    async with desks() as at:
        ann = await at.operator("ann")
        at.model.emit(Transcript("user", f"I said {trap}", final=True, item_id="i1"))
        at.asks("ConfirmAction", {"action": trap})
        await chosen(ann, "img src")
        await expect(ann.get_by_label("What was said last")).to_contain_text(f"I said {trap}")
        assert await ann.locator("img").count() == 0
        assert await ann.evaluate("window.trapped") is None
        at.caller.hang_up()
        await at.caller.ended()


async def test_on_a_phone_a_request_has_the_page_to_itself() -> None:
    async with desks() as at:
        ann = await at.operator("ann", width=390)
        at.asks("ConfirmAction", COURIER)
        await chosen(ann, "Book the courier")
        await expect(ann.get_by_label("Open requests")).to_be_hidden()
        assert await ann.evaluate("document.documentElement.scrollWidth") <= 390
        await ann.get_by_role("button", name="All requests").click()
        await expect(ann.get_by_label("Open requests")).to_be_visible()
        at.caller.hang_up()
        await at.caller.ended()


async def test_whoever_has_no_part_in_it_sees_nothing_and_who_signs_out_neither() -> None:
    async with desks() as at:
        eve, ann = await at.operator("eve", "sales"), await at.operator("ann")
        at.asks("ConfirmAction", COURIER)
        await chosen(ann, "Book the courier")
        await expect(eve.get_by_text("All quiet.")).to_be_visible()
        await ann.get_by_role("button", name="Sign out").click()
        await expect(ann.get_by_label("Token")).to_be_visible()
        assert "Book the courier" not in await ann.content()
        at.caller.hang_up()
        await at.caller.ended()


async def test_a_yes_is_never_shown_as_a_no_whatever_its_tool_makes_of_it() -> None:
    async with desks() as at:
        ann = await at.operator("ann")
        call = at.asks("call_back", {})
        await chosen(ann, "Call back")
        await ann.get_by_role("button", name="Yes, go ahead").click()
        await at.model.expect(SentToolResult, call_id=call, text="They will be called.", within_s=WITHIN_S)
        await expect(ann.locator(".verdict blockquote")).to_have_text("They will be called.")
        assert await ann.locator(".settled .mark-good").count() == 1
        # Nor is a text that could be a number shown as that number.
        said = """async (texts) => {
            const { said } = await import("./words.js");
            return texts.map((text) => said({ outcome: { said: text }, question: { kind: "text" } }));
        }"""
        texts = ["12345678901234567890", "1.50", "null", "seven"]
        assert await ann.evaluate(said, texts) == texts


async def test_a_key_that_is_held_approves_nothing() -> None:
    async with desks() as at:
        ann = await at.operator("ann")
        refund = at.asks("refund", REFUND)
        await chosen(ann, "Refund order A-17")
        approve = ann.get_by_role("button", name="Approve")
        await ann.keyboard.down("a")
        await ann.keyboard.down("a")  # what a keyboard sends for as long as it is held
        await expect(approve).to_be_focused()
        assert await approve.is_enabled(), "nothing is on its way"
        await ann.keyboard.up("a")
        await ann.keyboard.press("a")
        await at.model.expect(SentToolResult, call_id=refund, within_s=WITHIN_S)
        await expect(ann.locator(".verdict")).to_contain_text("Approved by you")
        # The keyboard is not lost with the button that had it.
        await expect(ann.locator("#detail")).to_be_focused()


async def test_what_is_said_meanwhile_takes_neither_a_click_nor_the_keyboard_away() -> None:
    async with desks() as at:
        ann = await at.operator("ann")
        at.asks("refund", REFUND)
        at.asks("ConfirmAction", COURIER)
        await chosen(ann, "Refund order A-17")
        said = ann.get_by_label("What was said last")
        row = ann.get_by_label("Open requests").get_by_role("button", name=re.compile("Book the courier"))
        await ann.get_by_role("button", name="I’m on it").focus()
        await row.hover()
        await ann.mouse.down()
        await ann.get_by_role("button", name="I’m on it").focus()
        at.model.emit(Transcript("user", "Are you still there?", final=True, item_id="i1"))
        await expect(said).to_contain_text("Are you still there?")
        await ann.evaluate(DRAWN)
        await expect(ann.get_by_role("button", name="I’m on it")).to_be_focused()
        await ann.mouse.up()
        await expect(ann.locator(".request .prompt")).to_have_text("Book the courier?")
        at.caller.hang_up()
        await at.caller.ended()


async def test_what_was_begun_is_still_there_and_is_taken_again_when_it_goes_on() -> None:
    async with desks() as at:
        ann = await at.operator("ann")
        at.asks("refund", REFUND)
        at.asks("ConfirmAction", COURIER)
        await chosen(ann, "Refund order A-17")
        await ann.locator(".request .prompt").click()
        assert not await ann.locator(".body").evaluate("(body) => body.contains(document.activeElement)")
        reason = ann.get_by_label("Reason")
        await reason.fill("it was the courier's faul")
        taken = ann.locator(".request .taken")
        await expect(taken).to_have_text("You are on it")
        await chosen(ann, "Book the courier")
        await chosen(ann, "Refund order A-17")
        await chosen(ann, "Refund order A-17")
        await expect(reason).to_have_value("it was the courier's faul")
        await expect(taken).to_have_count(0)
        # A word that is still put together: Escape drops it, and is no key of the page.
        composing = "new KeyboardEvent('keydown', { key: 'Escape', isComposing: true, bubbles: true })"
        await reason.focus()
        await reason.evaluate(f"(field) => field.dispatchEvent({composing})")
        await expect(reason).to_be_focused()
        await expect(taken).to_have_text("You are on it")
        await ann.get_by_role("button", name="Let go").click()
        await expect(ann.get_by_role("button", name="I’m on it")).to_be_focused()
        await expect(taken).to_have_count(0)
        await reason.press("t")
        await expect(taken).to_have_text("You are on it")
        at.caller.hang_up()
        await at.caller.ended()


async def test_a_request_that_is_put_to_others_can_be_answered_again_and_of_the_settled_the_last_stay() -> None:
    async with desks() as at:
        ann = await at.operator("ann")
        call = at.asks("ConfirmAction", COURIER)
        await chosen(ann, "Book the courier")
        [request] = (await ann.evaluate("fetch('requests').then((response) => response.json())"))["requests"]
        outcome = {"end": "withdrawn", "at": request["created_at"]}
        other = {**request, "question": {**request["question"], "prompt": "Another one?"}, "outcome": outcome}
        told = [("request.settled", {**other, "id": f"r{each}"}) for each in range(60)]
        told += [("request.settled", {**request, "outcome": outcome})]
        again = await ann.context.new_page()
        again.set_default_timeout(WITHIN_S * 1000)
        again.on("pageerror", lambda error: pytest.fail(f"the page failed: {error}"))
        bodies = [stream(told), stream([("request.opened", request)])]
        put_to_others = anyio.Event()

        async def canned(route: Route) -> None:
            if len(bodies) == 1:
                await put_to_others.wait()
            if bodies:
                await route.fulfill(content_type="text/event-stream", body=bodies.pop(0))
            else:
                await route.fulfill(status=204)

        await again.route("**/events", canned)
        await again.goto(at.url)
        await again.get_by_label("Settled requests").get_by_role("button", name=re.compile("Book the courier")).click()
        await expect(again.locator(".verdict")).to_contain_text("No longer needed")
        await expect(again.get_by_label("Settled requests").get_by_role("button")).to_have_count(20)
        put_to_others.set()
        await again.get_by_label("Open requests").get_by_role("button").wait_for()
        await expect(again.get_by_label("Settled requests").get_by_role("button")).to_have_count(19)
        await again.route("**/history**", lambda route: route.abort())
        await again.get_by_role("button", name="Show earlier ones").click()
        await expect(again.get_by_role("status").last).to_have_text("The earlier ones did not arrive.")
        await again.get_by_role("button", name="Yes, go ahead").click()
        await at.model.expect(SentToolResult, call_id=call, failed=False, within_s=WITHIN_S)


def stream(told: Sequence[tuple[str, Mapping[str, object]]]) -> str:
    """Events as a stream that ends, after which a page asks for the next one at once."""
    events = (f"event: {name}\ndata: {json.dumps({'request': request})}\n\n" for name, request in told)
    return "retry: 50\n\n" + "".join(events)


async def test_who_signs_out_while_the_page_looks_how_things_stand_sees_nothing_of_it() -> None:
    async with desks() as at:
        ann = await at.operator("ann")
        at.asks("ConfirmAction", COURIER)
        await chosen(ann, "Book the courier")
        looked, out = anyio.Event(), anyio.Event()

        async def slowly(route: Route) -> None:
            response = await route.fetch()
            looked.set()
            await out.wait()
            await route.fulfill(response=response)

        await ann.route("**/requests", slowly)
        async with anyio.create_task_group() as group:
            group.start_soon(ann.reload)
            await looked.wait()
            await ann.get_by_role("button", name="Sign out").click()
            await expect(ann.get_by_label("Token")).to_be_visible()
            async with ann.expect_response("**/requests"):
                out.set()
        await ann.evaluate(DRAWN)
        assert "Book the courier" not in await ann.content()
        assert await ann.title() == "Console"
        at.caller.hang_up()
        await at.caller.ended()


async def test_a_browser_that_keeps_no_session_is_told_so_and_its_token_is_not_kept_either() -> None:
    async with desks() as at:
        ann = await at.operator("ann")
        await ann.get_by_role("button", name="Sign out").click()
        token = ann.get_by_label("Token")
        assert await token.get_attribute("autocomplete") == "one-time-code"
        await ann.route("**/me", lambda route: route.fulfill(status=401, json={"error": "unauthorized"}))
        await token.fill(TOKENS.issue("ann", SUPERVISORS))
        await token.press("Enter")
        await expect(ann.get_by_role("alert")).to_contain_text("cookies")
        await expect(token).to_be_focused()
        at.caller.hang_up()
        await at.caller.ended()


async def test_a_token_is_sent_once_however_often_enter_is_pressed() -> None:
    async with desks() as at:
        ann = await at.operator("ann")
        await ann.get_by_role("button", name="Sign out").click()
        await ann.get_by_label("Token").fill(TOKENS.issue("ann", SUPERVISORS))
        sent: list[str] = []
        ann.on("request", lambda request: sent.append(request.method) if request.url.endswith("/session") else None)
        await ann.locator("#sign-in-form").evaluate("(form) => { form.requestSubmit(); form.requestSubmit(); }")
        await ann.locator("[data-state=live]").wait_for()
        await ann.get_by_role("button", name="Sign out").click()
        await expect(ann.get_by_label("Token")).to_be_visible()
        await expect(ann.get_by_role("alert")).to_have_count(0)
        assert sent == ["POST", "DELETE"]
        at.caller.hang_up()
        await at.caller.ended()


async def test_the_page_is_accessible_light_and_dark_signed_out_and_at_work() -> None:
    async with desks() as at:
        ann = await at.operator("ann")
        at.asks("refund", REFUND)
        at.asks("ask_user_question", FORM)
        courier = at.asks("ConfirmAction", COURIER)
        await chosen(ann, "Book the courier")
        await ann.get_by_role("button", name="No", exact=True).click()
        await at.model.expect(SentToolResult, call_id=courier, within_s=WITHIN_S)
        await expect(ann.locator(".verdict")).to_be_visible()
        await no_barriers(ann)
        await chosen(ann, "Where do they sit")
        await no_barriers(ann)
        await chosen(ann, "Refund order A-17")
        await ann.get_by_role("button", name="Change the details").click()
        await ann.get_by_label("Amount").fill("30")
        await no_barriers(ann)
        await ann.get_by_role("button", name="Sign out").click()
        await expect(ann.get_by_label("Token")).to_be_visible()
        await no_barriers(ann)
        at.caller.hang_up()
        await at.caller.ended()


async def no_barriers(page: Page) -> None:
    """What axe finds of WCAG 2.2 A and AA on the page as it stands, in both colour schemes."""
    for dark in (False, True):
        await page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="reduce")
        await page.evaluate(COLOURS_HAVE_CHANGED, dark)
        found = await Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]})
        assert found.violations_count == 0, found.generate_report()
