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
                page = await browser.new_page()
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
