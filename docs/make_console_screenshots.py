"""Makes the pictures of the operators' console in `docs/`: the list, a form, an approval with edits; dark, on a phone.

Run it with the test's extra installed: `python docs/make_console_screenshots.py`. The calls are scripted, everything
else is what an application runs. A font such as Inter makes it look its best.
"""

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import anyio
import httpx
from playwright.async_api import Page, async_playwright

from voice_hitl import (
    AITool,
    HumanInputToolHandler,
    RealtimeVoiceChannel,
    VoiceKit,
    ask_human,
    ask_user_question,
    confirm_action,
)
from voice_hitl.askers.console import ConsoleAsker
from voice_hitl.askers.desk import Desk
from voice_hitl.console.app import Console
from voice_hitl.console.signed_tokens import SignedTokens
from voice_hitl.demo.server import listen, web_serving
from voice_hitl.provider import Transcript
from voice_hitl.testing import Closed, Forgot, Injected, LoopbackTransport, Responded, ScriptedProvider, SentToolResult

FOLDER: Final = Path(__file__).parent
SUPERVISORS: Final = ("supervisors",)
TOKENS: Final = SignedTokens("nobody outside of these pictures knows this secret")
A_MOMENT_S: Final = 0.7

REFUND: Final = AITool(
    "refund",
    "Pay an order back.",
    {
        "type": "object",
        "properties": {
            "order": {"type": "string", "title": "Order"},
            "amount": {"type": "number", "title": "Amount in euros", "maximum": 200},
            "reason": {"enum": ["damaged", "late", "goodwill"], "title": "Reason"},
            "send_receipt": {"type": "boolean", "title": "Send a receipt"},
        },
        "required": ["order", "amount", "reason"],
    },
    requires_approval=True,
    approvers=SUPERVISORS,
    allow_edits=True,
    risk="high",
    title="Refund 84.50 euros for order A-1740",
)

FORM: Final = {
    "questions": [
        {
            "question": "Where can a party of fourteen sit on Friday?",
            "header": "Seating",
            "options": [
                {"label": "Terrace", "description": "Two long tables, covered, heated until ten"},
                {"label": "Back room", "description": "One table, has to be quiet after eleven"},
            ],
        },
        {
            "question": "What do we serve them?",
            "header": "Menu",
            "multiSelect": True,
            "options": [
                {"label": "Set menu", "description": "Three courses, the same for all"},
                {"label": "À la carte", "description": "Slower, needs one more in the kitchen"},
                {"label": "Cake", "description": "Ordered two days before"},
            ],
        },
    ]
}

Said = Sequence[tuple[str, str]]
CALLS: Final[Sequence[tuple[str, str, Said, str, Mapping[str, object]]]] = (
    (
        "ada",
        "Orders",
        (
            ("assistant", "I am sorry that the lamp arrived broken. Is the shade cracked as well?"),
            ("user", "Yes, all the way round. I’d like my money back, please."),
            ("assistant", "That needs a colleague’s approval. One moment, I’m asking."),
        ),
        "refund",
        {"order": "A-1740", "amount": 84.5, "reason": "damaged", "send_receipt": True},
    ),
    (
        "lee",
        "Restaurant",
        (
            ("user", "We’d be fourteen on Friday, and it’s a birthday."),
            ("assistant", "How nice. Let me ask where we can seat you all."),
        ),
        "ask_user_question",
        FORM,
    ),
    (
        "grace",
        "Clinic",
        (("user", "The pain started on Monday, and it is worse at night."),),
        "ask_human",
        {
            "kind": "choice",
            "prompt": "Who should call this patient back?",
            "options": [
                {"id": "nurse", "label": "The nurse on duty"},
                {"id": "doctor", "label": "Dr. Amsel, today"},
                {"id": "urgent", "label": "Send them to the emergency room"},
            ],
        },
    ),
    (
        "sam",
        "Orders",
        (("user", "Can you bring it before noon?"),),
        "ConfirmAction",
        {"action": "Book the express courier for order B-203", "details": {"price": "19 euros", "by": "noon"}},
    ),
    ("kim", "Orders", (), "ConfirmAction", {"action": "Take a fifth off order C-88"}),
)


async def pay_back(_name: str, _arguments: Mapping[str, object]) -> str:
    """Do what was approved."""
    return "paid back"


class Calls:
    """Scripted calls, and the console that shows what they ask."""

    def __init__(self, provider: ScriptedProvider, transport: LoopbackTransport) -> None:
        self._provider = provider
        self._transport = transport
        self.desk = Desk()
        self.console = Console(TOKENS, desk=self.desk)
        self.human = HumanInputToolHandler(
            {"ask_user_question", "ConfirmAction", "ask_human"},
            timeout=180,
            tool_definitions=[ask_user_question(), confirm_action(), ask_human()],
            askers=[ConsoleAsker("supervisors", self.desk)],
            audience=SUPERVISORS,
        )
        self.channel = RealtimeVoiceChannel(
            "front desk",
            provider=provider,
            transport=transport,
            tools=[REFUND],
            tool_handler=pay_back,
            human_input_handler=self.human,
        )

    async def place(self, caller: str, room: str, said: Said, tool: str, arguments: Mapping[str, object]) -> None:
        """Have a caller call, a few words said, and a person asked."""
        leg = await self._transport.call(participant_id=caller, room_id=room)
        leg.ignore("request.opened", "request.changed", "request.settled", "transcript")
        model = await self._provider.connected()
        model.ignore(Injected, Forgot, Responded, Closed, SentToolResult)
        for number, (role, text) in enumerate(said):
            model.emit(Transcript("user" if role == "user" else "assistant", text, final=True, item_id=f"i{number}"))
            await anyio.sleep(0.05)
        model.call_tool(tool, json.dumps(arguments))
        await anyio.sleep(0.4)


async def take(page: Page, url: str, calls: Calls) -> None:
    """Sign in, let the calls come, and take the pictures."""
    await page.goto(url)
    await page.get_by_label("Token").fill(TOKENS.issue("Ann", SUPERVISORS))
    await page.get_by_role("button", name="Sign in").click()
    await page.get_by_text("Live").wait_for()
    for call in (*CALLS[3:], CALLS[2], *CALLS[:2]):
        await calls.place(*call)
    await _choose(page, "Book the express courier")
    await page.keyboard.press("a")
    await page.keyboard.press("a")
    await _choose(page, "Take a fifth off")
    await page.keyboard.press("r")
    await page.keyboard.press("r")
    await page.get_by_label("Settled requests").get_by_text("Take a fifth off").wait_for()
    await _be_bob(page, url)
    await _choose(page, "Refund 84.50 euros")
    await _picture(page, "console")
    await _picture(page, "console-dark", dark=True)
    await _choose(page, "Where can a party of fourteen")
    await page.get_by_text("Terrace").click()
    await page.get_by_text("Set menu").click()
    await _picture(page, "console-form")
    await _choose(page, "Refund 84.50 euros")
    await page.get_by_role("button", name="Change the details").click()
    await page.get_by_label("Amount in euros").fill("60")
    await _picture(page, "console-approval")
    await page.set_viewport_size({"width": 390, "height": 844})
    await page.get_by_role("button", name="Leave them as they are").click()
    await _picture(page, "console-phone")


async def _be_bob(page: Page, url: str) -> None:
    """Somebody else is handling one."""
    bob = {"authorization": f"Bearer {TOKENS.issue('Bob', SUPERVISORS)}"}
    async with httpx.AsyncClient(base_url=url, headers=bob) as http:
        for request in (await http.get("/requests")).json()["requests"]:
            if request["kind"] == "choice":
                await http.post(f"/requests/{request['id']}/take")
    await page.get_by_text("Bob is on it").wait_for()


async def _choose(page: Page, words: str) -> None:
    await page.get_by_label("Open requests").get_by_text(words).click()


async def _picture(page: Page, name: str, *, dark: bool = False) -> None:
    await page.mouse.move(0, 0)
    await page.emulate_media(color_scheme="dark" if dark else "light")
    await anyio.sleep(A_MOMENT_S)
    await page.screenshot(path=FOLDER / f"{name}.png")


async def main() -> None:
    """Serve a console with scripted calls, and take the pictures."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("no Chromium on this machine")
    provider, transport = ScriptedProvider(), LoopbackTransport()
    calls, kit = Calls(provider, transport), VoiceKit()
    kit.register_channel(calls.channel)
    calls.console.follow(kit, calls.human.handler)
    with listen("127.0.0.1", 0) as listener:
        async with web_serving(calls.console.app, listener) as url, async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = await browser.new_page(viewport={"width": 1280, "height": 860}, device_scale_factor=1.5)
            try:
                await take(page, url, calls)
            finally:
                await browser.close()
                await kit.close()
                await calls.console.close()


if __name__ == "__main__":
    anyio.run(main)
