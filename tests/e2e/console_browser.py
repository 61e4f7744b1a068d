"""Scripted calls, the operators' console on a real port, and operators with a browser each."""

import json
import os
import shutil
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from playwright.async_api import Browser, Page, async_playwright

from tests.console.serving import served
from voice_hitl import (
    AITool,
    Confirm,
    HumanInputToolHandler,
    RealtimeVoiceChannel,
    VoiceKit,
    ask_human,
    ask_user_question,
    confirm_action,
    human_tool,
)
from voice_hitl.askers.console import ConsoleAsker
from voice_hitl.askers.desk import Desk
from voice_hitl.console.app import Console
from voice_hitl.console.signed_tokens import SignedTokens
from voice_hitl.testing import Closed, Forgot, Injected, LoopbackTransport, Responded, ScriptedProvider
from voice_hitl.testing.loopback_caller import LoopbackCaller
from voice_hitl.testing.scripted_connection import ScriptedConnection

CHROMIUM = os.environ.get("VOICE_HITL_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
WITHIN_S = 60.0
SUPERVISORS = ("supervisors",)
TOKENS = SignedTokens("the secret of a console that only its tests are signed with")
REFUND = AITool(
    "refund",
    "Pay an order back.",
    {
        "type": "object",
        "properties": {"order": {"type": "string"}, "amount": {"type": "number", "title": "Amount"}},
        "required": ["order", "amount"],
    },
    requires_approval=True,
    approvers=SUPERVISORS,
    allow_edits=True,
    title="Refund order A-17",
)
CALL_BACK = human_tool(
    AITool("call_back"), question=lambda _: Confirm(prompt="Call back?"), result=lambda _: "They will be called."
)


@dataclass
class Desks:
    """One caller's call, and whoever watches it from a console."""

    url: str
    browser: Browser
    caller: LoopbackCaller
    model: ScriptedConnection
    refunded: list[Mapping[str, object]] = field(default_factory=list[Mapping[str, object]])

    def asks(self, tool: str, arguments: Mapping[str, object]) -> str:
        """The model calls a tool that a person has to answer; the id of its call."""
        return self.model.call_tool(tool, json.dumps(arguments))

    async def operator(self, user: str, *roles: str, width: int = 1280) -> Page:
        """A browser of their own, signed in, and live."""
        context = await self.browser.new_context(viewport={"width": width, "height": 860})
        page = await context.new_page()
        page.set_default_timeout(WITHIN_S * 1000)
        page.on("pageerror", lambda error: pytest.fail(f"the page of {user} failed: {error}"))
        await page.goto(self.url)
        await page.get_by_label("Token").fill(TOKENS.issue(user, roles or SUPERVISORS))
        await page.keyboard.press("Enter")
        await page.locator("[data-state=live]").wait_for()
        await page.get_by_text("All quiet.").wait_for()
        return page


@asynccontextmanager
async def desks() -> AsyncGenerator[Desks]:
    """A call that is up, and a console."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: install it, or name it in VOICE_HITL_CHROMIUM")
    desk, kit = Desk(), VoiceKit()
    console = Console(TOKENS, desk=desk)
    refunded: list[Mapping[str, object]] = []

    async def refund(_name: str, arguments: Mapping[str, object]) -> str:
        refunded.append(arguments)
        return "paid back"

    human = HumanInputToolHandler(
        {"ConfirmAction", "ask_user_question", "ask_human", "call_back"},
        timeout=120,
        tool_definitions=[confirm_action(), ask_user_question(), ask_human(), CALL_BACK],
        askers=[ConsoleAsker("supervisors", desk)],
        audience=SUPERVISORS,
    )
    with ScriptedProvider() as provider, LoopbackTransport() as transport:
        channel = RealtimeVoiceChannel(
            "front desk",
            provider=provider,
            transport=transport,
            tools=[REFUND],
            tool_handler=refund,
            human_input_handler=human,
        )
        kit.register_channel(channel)
        console.follow(kit, human.handler)
        async with kit, served(console.app) as url, async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            try:
                caller = await transport.call(participant_id="ada", room_id="orders")
                caller.ignore("request.opened", "request.changed", "request.settled", "transcript")
                model = await provider.connected()
                model.ignore(Injected, Forgot, Responded, Closed)
                yield Desks(url, browser, caller, model, refunded)
            finally:
                await browser.close()
                await console.close()


class Clock:
    """Prints how long what was waited for took."""

    def __init__(self) -> None:
        self._at = time.perf_counter()

    def took(self, what: str) -> None:
        now = time.perf_counter()
        print(f"{what}: {(now - self._at) * 1000:.0f} ms")  # noqa: T201 - the figure is what the test is read for
        self._at = now
