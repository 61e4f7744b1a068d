"""The demo: its page, its agent's questions, and who may call."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpx
import pytest

from voice_hitl.cli.ear import Ear
from voice_hitl.demo.app import GREET, Demo, create_demo
from voice_hitl.demo.model import DemoModel
from voice_hitl.demo.restaurant import BOOK_TABLE
from voice_hitl.demo.server import listen, serving
from voice_hitl.errors import ConnectionEnded
from voice_hitl.provider import Receiver, ToolCancelled
from voice_hitl.speech_ports import SpeechChunk
from voice_hitl.tasks import Tasks
from voice_hitl.testing import Forgot, Injected, Responded, ScriptedProvider, SentAudio, SentToolResult
from voice_hitl.transport import Message
from voice_hitl_webrtc import WebRTCLeg, call

pytestmark = pytest.mark.anyio

BOOKING = {"name": "Lee", "party_size": 4, "day": "tomorrow", "time": "7 pm"}
ONLY_COUNTED = (SentAudio, Injected, Forgot, Responded)


@asynccontextmanager
async def site(demo: Demo) -> AsyncGenerator[httpx.AsyncClient]:
    """What a browser gets of the demo."""
    transport = httpx.ASGITransport(demo.app)
    try:
        async with httpx.AsyncClient(transport=transport, base_url="http://demo") as client:
            yield client
    finally:
        await demo.close()


@asynccontextmanager
async def called(demo: Demo) -> AsyncGenerator[tuple[WebRTCLeg, Ear]]:
    """A call to the demo, heard."""
    tasks = Tasks("the caller")
    with listen("127.0.0.1", 0) as listener:
        async with serving(demo, listener) as url:
            leg = await call(f"{url}/offer")
            ear = Ear(leg)
            tasks.spawn(ear.listen(), "ear")
            try:
                yield leg, ear
            finally:
                await leg.aclose()
                await tasks.close()


async def test_the_page_and_its_client_come_without_a_build_step() -> None:
    async with site(create_demo(provider=ScriptedProvider())) as client:
        page = await client.get("/")
        assert page.headers["content-type"].startswith("text/html")
        for name in (
            "voice-hitl",
            "demo",
            "cards",
            "fields",
            "arguments",
            "values",
            "send",
            "marks",
            "picker",
            "ribbon",
            "element",
        ):
            script = await client.get(f"/{name}.js")
            assert script.status_code == 200
            assert "javascript" in script.headers["content-type"]
        for sheet in ("look", "fields", "demo"):
            assert (await client.get(f"/{sheet}.css")).status_code == 200
        assert (await client.get("/question.schema.json")).json()["title"] == "Question"
        assert (await client.get("/icon.svg")).status_code == 200
        assert (await client.get("/../app.py")).status_code == 404


async def test_the_page_says_where_the_voice_goes_and_asks_a_model_that_waits_to_greet() -> None:
    with ScriptedProvider(ignore=(SentAudio,)) as provider:
        demo = create_demo(DemoModel(provider=provider, speaks_first=False, told="Your voice goes to <there>."))
        async with called(demo):
            model = await provider.connected()
            await model.expect(Injected, text=GREET, role="system", silent=False)
    async with site(create_demo(DemoModel(provider=ScriptedProvider(), told="It goes to <there>."))) as client:
        assert "It goes to &lt;there&gt;." in (await client.get("/")).text
    async with site(create_demo(provider=ScriptedProvider())) as client:
        assert "all happen on this computer" in (await client.get("/")).text


async def test_what_is_no_offer_is_refused_to_the_page_that_sent_it() -> None:
    async with site(create_demo(provider=ScriptedProvider())) as client:
        refused = await client.post("/offer", json={"sdp": "no sdp", "type": "offer"})
        assert refused.status_code == 400
        assert refused.json()["error"]


async def test_another_sites_page_may_not_call_this_machines_agent() -> None:
    async with site(create_demo(provider=ScriptedProvider())) as client:
        offer = {"sdp": "no sdp", "type": "offer"}
        refused = await client.post("/offer", json=offer, headers={"Origin": "http://elsewhere"})
        assert refused.status_code == 401
        own = await client.post("/offer", json=offer, headers={"Origin": "http://demo"})
        assert own.status_code == 400


async def test_a_call_is_asked_answers_and_the_page_is_shown_what_the_model_read() -> None:
    with ScriptedProvider(ignore=ONLY_COUNTED) as provider:
        demo = create_demo(provider=provider)
        async with called(demo) as (leg, ear):
            model = await provider.connected()
            assert {tool.name for tool in model.config.tools} == {"ConfirmAction", BOOK_TABLE.name}
            call_id = model.call_tool("ConfirmAction", {"action": "Book it", "details": BOOKING})

            opened = await ear.message(lambda heard: heard.status == "executing" and heard.type == "request.opened")
            begun = await ear.message(lambda heard: heard.type == "tool.called")
            assert opened.call == begun.call == call_id
            answer = {"v": 1, "type": "request.answer", "id": "a", "answer": {"action": "answer", "value": True}}
            await leg.send_message(json.dumps({**answer, "pending_id": opened.pending_id}))
            assert (await ear.message(lambda heard: heard.id == "a")).type == "ok"
            await model.expect(SentToolResult, call_id=call_id, text='{"confirmed": true, "via": "card"}', failed=False)
            told = await ear.message(lambda heard: heard.type == "tool.result")
            assert (told.call, told.tool, told.outcome) == (call_id, "ConfirmAction", "served")
            assert told.at is not None
            assert begun.at is not None
            assert told.at >= begun.at

            booked = model.call_tool(BOOK_TABLE.name, BOOKING)
            await model.expect(SentToolResult, call_id=booked, failed=False)
            assert demo.restaurant.bookings == [BOOKING]


@pytest.mark.parametrize(
    ("arguments", "outcome"), [("{not json", "refused"), ({"action": 7}, "refused"), ({"wrong": "member"}, "refused")]
)
async def test_a_call_that_cannot_be_asked_is_told_to_the_model_and_shown(
    arguments: dict[str, object] | str, outcome: str
) -> None:
    with ScriptedProvider(ignore=ONLY_COUNTED) as provider:
        async with called(create_demo(provider=provider)) as (_leg, ear):
            model = await provider.connected()
            model.call_tool("ConfirmAction", arguments)
            await model.expect(SentToolResult, failed=True)
            assert (await ear.message(lambda heard: heard.type == "tool.result")).outcome == outcome


async def test_a_call_that_the_model_gives_up_closes_its_card() -> None:
    with ScriptedProvider(ignore=ONLY_COUNTED) as provider:
        async with called(create_demo(provider=provider)) as (_leg, ear):
            model = await provider.connected()
            call_id = model.call_tool("ConfirmAction", {"action": "Book it"})
            await ear.message(lambda heard: heard.pending_id is not None)
            model.emit(ToolCancelled((call_id,)))
            await ear.message(lambda heard: heard.type == "request.settled")
            assert (await ear.message(lambda heard: heard.type == "tool.result")).outcome == "cancelled"


async def test_ending_the_demo_hangs_its_calls_up() -> None:
    with ScriptedProvider(ignore=ONLY_COUNTED) as provider, listen("127.0.0.1", 0) as listener:
        demo = create_demo(provider=provider)
        async with serving(demo, listener) as url:
            leg = await call(f"{url}/offer")
            await provider.connected()
            while not isinstance(await leg.events().get(), Message):
                pass
        assert demo.voice.sessions == ()
        with pytest.raises(ConnectionEnded):
            await to_the_end(leg)
        await leg.aclose()


async def to_the_end(leg: WebRTCLeg) -> None:
    while True:
        await leg.events().get()


async def test_models_are_loaded_before_the_first_call_where_there_are_any() -> None:
    class Heavy(ScriptedProvider):
        loaded = False

        async def preload(self) -> None:
            self.loaded = True

    heavy = Heavy()
    for demo in (create_demo(provider=heavy), create_demo(provider=ScriptedProvider())):
        await demo.preload()
        await demo.close()
    assert heavy.loaded


async def test_a_voice_of_its_own_is_let_go_with_the_demo() -> None:
    class Voice:
        rate = 16_000
        closed = False

        async def speak(self, text: str, *, voice: str | None = None, language: str = "en") -> Receiver[SpeechChunk]:
            raise AssertionError("nobody is asked")

        async def aclose(self) -> None:
            self.closed = True

    voice = Voice()
    await create_demo(DemoModel(provider=ScriptedProvider(), speaker=voice)).close()
    assert voice.closed
