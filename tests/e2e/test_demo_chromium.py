"""The demo as a person meets it: a real browser with a recorded microphone calls, is asked, clicks, and hears on."""

from asyncio import BaseTransport  # noqa: TID251 - what aioice is made of
from pathlib import Path

import pytest
from aioice.ice import StunProtocol
from aioice.stun import Message

from tests.e2e.demo_browser import WITHIN_S, demo_page, record_microphone, spoken_after
from voice_hitl.demo.app import create_demo
from voice_hitl.testing import (
    Forgot,
    Injected,
    Interrupted,
    Responded,
    ScriptedConnection,
    ScriptedProvider,
    SentAudio,
    SentToolResult,
)

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def microphone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record_microphone(tmp_path_factory.mktemp("microphone") / "caller.wav")


class BlackHole:
    """Cuts the network under the calls that stand when it opens: nothing goes out, nothing comes in."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._sockets: set[StunProtocol] = set()
        self._swallowed: set[StunProtocol] = set()
        made, received = StunProtocol.connection_made, StunProtocol.datagram_received
        sent_data, sent_stun = StunProtocol.send_data, StunProtocol.send_stun

        def connection_made(protocol: StunProtocol, transport: BaseTransport) -> None:
            self._sockets.add(protocol)
            made(protocol, transport)

        def datagram_received(protocol: StunProtocol, data: bytes | str, addr: tuple[str, int]) -> None:
            if protocol not in self._swallowed:
                received(protocol, data, addr)

        async def send_data(protocol: StunProtocol, data: bytes, addr: tuple[str, int]) -> None:
            if protocol not in self._swallowed:
                await sent_data(protocol, data, addr)

        def send_stun(protocol: StunProtocol, message: Message, addr: tuple[str, int]) -> None:
            if protocol not in self._swallowed:
                sent_stun(protocol, message, addr)

        monkeypatch.setattr(StunProtocol, "connection_made", connection_made)
        monkeypatch.setattr(StunProtocol, "datagram_received", datagram_received)
        monkeypatch.setattr(StunProtocol, "send_data", send_data)
        monkeypatch.setattr(StunProtocol, "send_stun", send_stun)

    def open(self) -> None:
        self._swallowed |= self._sockets


async def test_a_person_calls_is_asked_clicks_and_hears_the_agent_go_on(microphone: Path) -> None:
    demo = create_demo()
    async with demo_page(microphone, demo) as page:
        await page.click("#call")
        await page.wait_for_selector("body[data-state=live]")

        card = page.locator(".card[data-status=executing]")
        await card.wait_for()
        assert "table for 4" in await card.inner_text()
        assert await card.locator(".countdown").inner_text() != ""
        assert "front desk" in await page.locator(".line.assistant").first.inner_text()
        assert "book a table" in await page.locator(".line.user").first.inner_text()

        clicked = float(await page.evaluate("performance.now()"))
        await card.get_by_role("button", name="Yes, go ahead").click()
        await page.wait_for_selector(".card[data-status=complete] .good")
        assert await spoken_after(page, clicked) > clicked

        await page.locator(".read", has_text="book_table").wait_for()
        assert '"confirmed": true' in await page.locator(".read", has_text="ConfirmAction").inner_text()
        assert [booking["party_size"] for booking in demo.restaurant.bookings] == [4]
        await page.locator(".line.assistant", has_text="booked").first.wait_for()

        await page.click("#hang-up")
        await page.wait_for_selector("body[data-state=ended]")
        assert await page.locator("#call").inner_text() == "Call again"
        await demo.voice.close()
        assert demo.voice.sessions == ()


async def ask_at_once(model: ScriptedConnection) -> None:
    call_id = model.call_tool("ConfirmAction", {"action": "Book a table for 4"})
    await model.expect(SentToolResult, call_id=call_id, text='{"confirmed": false, "via": "card"}', within_s=WITHIN_S)


async def test_a_page_whose_network_went_comes_back_to_its_open_question(
    microphone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = BlackHole(monkeypatch)
    ignored = (SentAudio, Injected, Forgot, Responded, Interrupted)
    provider = ScriptedProvider(script=ask_at_once, ignore=ignored)
    demo = create_demo(provider=provider)
    async with demo_page(microphone, demo) as page:
        await page.click("#call")
        await page.wait_for_selector(".card[data-status=executing]")
        [before] = demo.voice.sessions
        network.open()
        await page.wait_for_function("window.states.join().endsWith('live,reconnecting,live')")
        assert demo.voice.sessions == (before,)
        cards = page.locator(".card")
        assert await cards.count() == 1
        await cards.get_by_role("button", name="No", exact=True).click()
        await page.locator(".card[data-status=complete]", has_text="You said no").wait_for()
        await page.click("#hang-up")
        await before.closed.wait()
        assert before.end_reason == "caller"
    provider.done()


async def test_a_page_that_closes_is_a_caller_who_hung_up(microphone: Path) -> None:
    provider = ScriptedProvider(ignore=(SentAudio, Injected, Forgot, Responded, Interrupted))
    demo = create_demo(provider=provider)
    async with demo_page(microphone, demo) as page:
        await page.click("#call")
        await page.wait_for_selector("body[data-state=live]")
        [session] = demo.voice.sessions
        await page.goto("about:blank")
        await session.closed.wait()
        assert session.end_reason == "caller"
        await provider.connected()


async def test_a_microphone_that_is_blocked_is_told_in_words(microphone: Path) -> None:
    provider = ScriptedProvider()
    async with demo_page(microphone, create_demo(provider=provider)) as page:
        await page.evaluate(
            """() => {
                navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('no', 'NotAllowedError'); };
            }"""
        )
        await page.click("#call")
        assert "microphone is blocked" in await page.locator("#problem").inner_text()
        assert await page.locator("#call").inner_text() == "Try again"
    assert provider.connections == []
