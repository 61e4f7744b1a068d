"""Every kind of question as a card in a real browser: what a person fills in is an answer to it."""

import os
import shutil
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Locator, Page, async_playwright
from pydantic import TypeAdapter

from voice_hitl.demo.app import create_demo
from voice_hitl.demo.server import listen, serving
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Approval, Choice, Confirm, Form, Number, Option, Question, Text
from voice_hitl.questions.wire import respond, to_wire
from voice_hitl.testing import ScriptedProvider

pytestmark = pytest.mark.anyio

CHROMIUM = os.environ.get("VOICE_HITL_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")

# A card by itself on the demo's page; what it gives is kept in `given`, and taken unless `refusal` says otherwise.
SHOW = """async (question) => {
    const { Card } = await import("/cards.js");
    window.given = [];
    window.refusal = null;
    window.request = { call: "c1", tool: "ask", status: "executing", pending_id: "p1", question };
    const give = async (wire) => {
        window.given.push(wire);
        if (window.refusal) throw new Error(window.refusal);
    };
    window.card = new Card(window.request, { answer: give, decline: () => give({ action: "decline" }) });
    document.body.dataset.state = "live";
    document.getElementById("cards").replaceChildren(window.card.element);
}"""

SIDES = (Option(label="Terrace", description="Heated."), Option(label="Inside", description="By the kitchen."))
COURIER = Choice(prompt="When should the courier call?", header="Time", options=SIDES, free_text=True)
PARCELS = Choice(prompt="Which parcels?", header="Parcels", options=SIDES, multi=True, free_text=True)

_wire: TypeAdapter[dict[str, object]] = TypeAdapter(dict[str, object])

Fill = Callable[[Locator], Awaitable[None]]


@asynccontextmanager
async def demo_page() -> AsyncGenerator[Page]:
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: install it, or name it in VOICE_HITL_CHROMIUM")
    with listen("127.0.0.1", 0) as listener:
        async with serving(create_demo(provider=ScriptedProvider()), listener) as url, async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            try:
                page = await browser.new_page(reduced_motion="reduce")  # a click waits until nothing moves any more
                await page.goto(url)
                yield page
            finally:
                await browser.close()


async def shown(page: Page, question: Question) -> Locator:
    await page.evaluate(SHOW, to_wire(question))
    return page.locator(".card")


async def given(page: Page, question: Question) -> Answer:
    """The last thing that the card gave, read as an answer to its question."""
    await page.wait_for_function("window.given.length > 0")
    wire = _wire.validate_python(await page.evaluate("window.given.at(-1)"))
    return respond(question, wire)


async def press(card: Locator, name: str) -> None:
    await card.get_by_role("button", name=name, exact=True).click()


async def choose_terrace(card: Locator) -> None:
    await card.get_by_label("Terrace").check()
    await press(card, "Send answer")


async def choose_both(card: Locator) -> None:
    await card.get_by_label("Something else").check()
    await card.get_by_label("Terrace").check()
    await card.get_by_label("Inside").check()
    await press(card, "Send answer")


async def choose_other_words(card: Locator) -> None:
    await card.get_by_label("Terrace").check()
    await card.get_by_label("Something else").check()
    await card.get_by_label("In your own words").fill(" by the door ")
    await press(card, "Send answer")


async def answer_both(card: Locator) -> None:
    await card.get_by_label("Inside").first.check()
    await card.get_by_label("Terrace").last.check()
    await press(card, "Send answers")


def write(text: str) -> Fill:
    async def fill(card: Locator) -> None:
        await card.locator(".field").fill(text)
        await press(card, "Send answer")

    return fill


def just(name: str) -> Fill:
    async def fill(card: Locator) -> None:
        await press(card, name)

    return fill


ANSWERS: list[tuple[Question, Fill, object]] = [
    (Confirm(prompt="Book it"), just("Yes, go ahead"), True),
    (Confirm(prompt="Book it?", details={"guests": 4}, risk="high"), just("No"), False),
    (Choice(prompt="Where?", options=SIDES), choose_terrace, "Terrace"),
    (Choice(prompt="Where?", options=(Option(label="Terrace", id="t"),)), choose_terrace, "t"),
    (Choice(prompt="Where?", options=SIDES, multi=True, free_text=True), choose_both, ["Terrace", "Inside"]),
    (Choice(prompt="Where?", options=SIDES, free_text=True), choose_other_words, "by the door"),
    (Choice(prompt="Where?", options=SIDES, multi=True, free_text=True), choose_other_words, ["by the door"]),
    (Number(prompt="How many?", minimum=0, maximum=6), write("3"), 3),
    (Number(prompt="How much?", minimum=0), write("2.5"), 2.5),
    (Number(prompt="Your PIN?", digits=4, sensitive=True), write("0042"), "0042"),
    (Text(prompt="A note?"), write("No onions,\nplease."), "No onions,\nplease."),
    (Text(prompt="Your password?", sensitive=True), write("hunter2"), "hunter2"),
    (
        Form(questions=(COURIER, PARCELS)),
        answer_both,
        {"answers": {COURIER.prompt: "Inside", PARCELS.prompt: ["Terrace"]}, "response": None},
    ),
]


async def test_what_is_filled_in_answers_the_question() -> None:
    async with demo_page() as page:
        for question, fill, value in ANSWERS:
            await fill(await shown(page, question))
            assert (await given(page, question)).value == value, question


async def test_an_approval_is_given_with_edits_or_refused_with_a_reason() -> None:
    question = Approval(tool="refund", arguments={"amount": 40}, digest="d", allow_edits=True, title="Refund")
    async with demo_page() as page:
        card = await shown(page, question)
        assert "Refund?" in await card.inner_text()
        await press(card, "Approve")
        assert (await given(page, question)).decision == "approve"

        card = await shown(page, question)
        await press(card, "Change the details")
        await card.get_by_label("Arguments").fill('{"amount": 30}')
        await press(card, "Approve")
        assert (await given(page, question)).edited_arguments == {"amount": 30}

        card = await shown(page, question)
        await card.get_by_label("Reason").fill("too much")
        await press(card, "Reject")
        rejected = await given(page, question)
        assert (rejected.decision, rejected.reason) == ("reject", "too much")


async def test_what_is_missing_or_malformed_is_told_before_it_is_sent() -> None:
    async with demo_page() as page:
        for question, fill in (
            (Choice(prompt="Where?", options=SIDES, multi=True), just("Send answer")),
            (Number(prompt="Your PIN?", digits=4), write("12")),
            (Number(prompt="How many?"), write("three")),
            (Text(prompt="A note?"), just("Send answer")),
            (Form(questions=(COURIER, PARCELS)), just("Send answers")),
        ):
            await fill(await shown(page, question))
            assert await page.evaluate("window.given.length") == 0


async def test_a_refused_answer_can_be_corrected() -> None:
    question = Number(prompt="How many?", maximum=6)
    async with demo_page() as page:
        card = await shown(page, question)
        await page.evaluate("window.refusal = 'it must be at most 6'")
        await card.locator(".field").fill("9")
        await press(card, "Send answer")
        await card.get_by_text("It must be at most 6.").wait_for()
        await page.evaluate("window.refusal = null")
        await card.locator(".field").fill("5")
        await press(card, "Send answer")
        await page.wait_for_function("window.given.length === 2")
        assert (await given(page, question)).value == 5


async def test_any_question_but_a_yes_or_no_can_be_declined() -> None:
    question = Text(prompt="A note?")
    async with demo_page() as page:
        await press(await shown(page, question), "I’d rather not answer")
        assert (await given(page, question)).decline


async def test_a_card_is_written_then_counts_down_then_shows_how_it_ended() -> None:
    async with demo_page() as page:
        card = await shown(page, Confirm(prompt="Book it?"))
        await page.evaluate("window.card.show({ call: 'c1', tool: 'ask', status: 'inProgress' })")
        assert "writing a question" in await card.inner_text()
        assert await card.get_by_role("button").count() == 0
        await page.evaluate("window.card.show(window.request); window.card.tick(42_000)")
        assert await card.get_by_role("timer").inner_text() == "42"
        await card.get_by_role("button", name="No", exact=True).wait_for()
        ended = {"status": "complete", "end": "answered", "via": "voice"}
        await page.evaluate("(ended) => window.card.show({ ...window.request, ...ended })", ended)
        assert "Answered by voice" in await card.inner_text()
        assert await card.get_by_role("button").count() == 0


async def test_what_a_model_says_is_text_and_never_markup() -> None:
    trap = "<img src=x onerror='window.trapped = true'>"
    question = Confirm(prompt=trap, details={trap: trap})
    async with demo_page() as page:
        card = await shown(page, question)
        assert trap in await card.inner_text()
        assert await card.locator("img").count() == 0
        assert await page.evaluate("window.trapped") is None


ARGUMENTS = {"amount": 40, "fee": 1e-7, "note": "Dear Lee,\nit is on its way.", "gift": None}
SCHEMA = {
    "type": "object",
    "properties": {
        "amount": {"type": "number", "minimum": 0},
        "fee": {"type": "number"},
        "note": {"type": "string"},
        "speed": {"enum": ["express", "slow"]},
        "insured": {"type": "boolean"},
        "gift": {"type": ["string", "null"]},
    },
}
TO_BE_EDITED = Approval(tool="refund", arguments=ARGUMENTS, digest="d", allow_edits=True, parameters=SCHEMA)


async def test_an_argument_that_nobody_changed_is_approved_as_it_is() -> None:
    async with demo_page() as page:
        card = await shown(page, TO_BE_EDITED)
        await press(card, "Change the details")
        await card.get_by_label("Amount").fill("30,5")
        await press(card, "Approve")
        assert (await given(page, TO_BE_EDITED)).edited_arguments == {**ARGUMENTS, "amount": 30.5}

        card = await shown(page, TO_BE_EDITED)
        await press(card, "Change the details")
        await card.get_by_label("Note").fill("Dear Lee,\nit is late.")
        await card.get_by_label("Speed").select_option("slow")
        await card.get_by_label("Insured").check()
        await card.get_by_label("Insured").uncheck()
        await press(card, "Approve")
        changed = {"note": "Dear Lee,\nit is late.", "speed": "slow", "insured": False}
        assert (await given(page, TO_BE_EDITED)).edited_arguments == {**ARGUMENTS, **changed}


async def test_enter_neither_leaves_the_page_nor_refuses_with_half_a_word() -> None:
    parameters = {"type": "object", "properties": {"insured": {"type": "boolean"}}}
    question = Approval(tool="send", arguments={}, digest="d", allow_edits=True, parameters=parameters)
    async with demo_page() as page:
        card = await shown(page, question)
        await press(card, "Change the details")
        await card.get_by_label("Insured").press("Enter")
        # What an editor of Japanese sends while a word is put together: Enter takes the word, and is no answer.
        composing = "new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true })"
        await card.get_by_label("Reason").evaluate(f"(field) => field.dispatchEvent({composing})")
        assert await page.evaluate("window.given.length") == 0
        await card.get_by_label("Reason").fill("too much")
        await card.get_by_label("Reason").press("Enter")
        assert (await given(page, question)).reason == "too much"


async def test_a_number_is_written_as_people_write_it_and_never_guessed() -> None:
    async with demo_page() as page:
        for written, number in (("2,5", 2.5), (" -3 ", -3), ("1234,5678", 1234.5678)):
            question = Number(prompt="How much?")
            await write(written)(await shown(page, question))
            assert (await given(page, question)).value == number
        card = await shown(page, Number(prompt="How much?"))
        await write("1,500")(card)  # a thousand and a half, or one and a half
        assert await page.evaluate("window.given.length") == 0
        # The decimal keyboard of a telephone has no minus.
        assert await card.locator(".field").get_attribute("inputmode") == "text"
        card = await shown(page, Number(prompt="How much?", minimum=0))
        assert await card.locator(".field").get_attribute("inputmode") == "decimal"


async def test_the_keyboard_stays_with_what_is_to_be_corrected_and_then_with_the_card() -> None:
    async with demo_page() as page:
        card = await shown(page, Number(prompt="How many?", maximum=6))
        await page.evaluate("window.refusal = 'it must be at most 6'")
        await card.locator(".field").fill("9")
        await card.locator(".field").press("Enter")
        await card.get_by_text("It must be at most 6.").wait_for()
        await page.keyboard.press("Backspace")
        await page.keyboard.type("5")
        await page.evaluate("window.refusal = null")
        await page.keyboard.press("Enter")
        await page.wait_for_function("window.given.length === 2")
        assert await page.evaluate("window.given.at(-1).value") == "5"
        # A browser takes the keyboard away from what cannot be used before it draws the next picture.
        await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        await page.evaluate("window.card.show({ ...window.request, status: 'complete', end: 'answered' })")
        assert await card.evaluate("(card) => card === document.activeElement")


async def test_a_question_is_shown_in_the_direction_and_marks_of_its_language() -> None:
    async with demo_page() as page:
        card = await shown(page, Text(prompt="\u05de\u05d4 \u05d4\u05e9\u05dd VIP?", language="he"))
        beside = """(prompt) => {
            const words = document.createRange();
            words.selectNodeContents(prompt);
            return prompt.getBoundingClientRect().right - words.getBoundingClientRect().right;
        }"""
        assert await card.locator(".prompt").evaluate(beside) == pytest.approx(0, abs=1)
        assert await card.locator(".prompt").evaluate("(prompt) => prompt.closest('[lang]').lang") == "he"
        await card.locator(".field").fill("\u05d3\u05d5\u05d3 VIP")
        assert await card.locator(".field").evaluate("(field) => field.matches(':dir(rtl)')")
        ends = """async (prompts) => {
            const { headline } = await import("/fields.js");
            return prompts.map((prompt) => headline({ kind: "confirm", prompt }));
        }"""
        japanese, quoted = "\u4e88\u7d04\u3057\u307e\u3059\u304b\uff1f", "Say \u201cyes.\u201d"
        told = await page.evaluate(ends, [japanese, quoted, "Book it"])
        assert told == [japanese, quoted, "Book it?"]


async def test_what_is_confidential_is_written_unseen_and_not_kept_by_the_browser() -> None:
    choice = Choice(prompt="Your bank?", options=SIDES, free_text=True, sensitive=True)
    form = Form(questions=(COURIER,), sensitive=True)
    async with demo_page() as page:
        for question in (choice, form, Text(prompt="Word?", sensitive=True), Number(prompt="PIN?", sensitive=True)):
            card = await shown(page, question)
            typed = card.locator(".field")
            assert await typed.get_attribute("type") == "password", question
            # Else a browser offers to keep it, and fills in the passwords that it knows of the page.
            assert await typed.get_attribute("autocomplete") == "one-time-code", question


async def test_two_pickers_do_not_share_their_choice_and_one_that_came_late_says_so() -> None:
    async with demo_page() as page:
        await page.evaluate(
            """async () => {
                const { Picker } = await import("/picker.js");
                const { ToolUse } = await import("/voice-hitl.js");
                window.uses = ["a", "b"].map((pending_id) => new ToolUse({ pending_id, tool: "pick_time" }));
                window.pickers = window.uses.map((use) => new Picker({ day: "today" }, use));
                document.body.dataset.state = "live";
                document.getElementById("cards").replaceChildren(...window.pickers.map(({ element }) => element));
            }"""
        )
        first, second = page.locator(".card").first, page.locator(".card").last
        await first.get_by_text("6:00 pm", exact=True).click()
        await second.get_by_text("8:00 pm", exact=True).click()
        assert await first.get_by_label("6:00 pm").is_checked()
        await press(first, "Choose 6:00 pm")
        assert "You chose 6:00 pm" in await first.inner_text()
        await page.evaluate("window.uses[0].complete('timed_out')")
        assert "No time was chosen in time" in await first.inner_text()
        await press(second, "Choose 8:00 pm")
        await page.evaluate("window.uses[1].complete('answered')")
        assert "You chose 8:00 pm" in await second.inner_text()


async def test_an_end_that_this_page_does_not_know_ends_the_card_all_the_same() -> None:
    async with demo_page() as page:
        card = await shown(page, Confirm(prompt="Book it?"))
        await page.evaluate("window.card.show({ ...window.request, status: 'complete', end: 'superseded' })")
        assert "No longer needed" in await card.inner_text()


async def test_what_is_approved_is_shown_as_it_is_and_what_cannot_be_is_not_edited() -> None:
    spoof = "a\u202elive\u202c.bank"
    arguments = {"note": "Dear Lee,\nit is late.", "to": spoof, "order": 2**53 + 1, "parts": [{"of": 2**60}]}
    question = Approval(tool="send", arguments=arguments, digest="d", allow_edits=True)
    async with demo_page() as page:
        card = await shown(page, question)
        note, to, order, parts = await card.locator("dd").all_inner_texts()
        assert note == "Dear Lee,\nit is late."
        assert to == "a\\u202elive\\u202c.bank", "it is read in the order in which it is sent"
        # A browser has numbers only so exactly: it says so, and sends none of them on as if nobody had changed it.
        assert order.startswith("about ")
        assert parts.startswith("about ")
        assert await card.get_by_role("button", name="Change the details").count() == 0
