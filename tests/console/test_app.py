"""The console in somebody's own app, and a caller on the line who has no part in what operators are asked."""

import json

import anyio
import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.types import Message

from tests.channels.kept import settle_down
from tests.console.office import ANN, ORIGIN, TOKENS, office
from voice_hitl import (
    CardAsker,
    Confirm,
    HumanInputHandler,
    HumanInputToolHandler,
    RealtimeVoiceChannel,
    VoiceKit,
    human_tool,
)
from voice_hitl.askers.console import ConsoleAsker
from voice_hitl.askers.desk import OWN_DESK, Desk
from voice_hitl.console import Console
from voice_hitl.console.operators import COOKIE
from voice_hitl.human_input.new_request import NewRequest, new_pending
from voice_hitl.testing import Closed, Forgot, Injected, LoopbackTransport, Responded, ScriptedProvider
from voice_hitl.tools.definition import AITool

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


async def test_it_works_under_a_path_and_its_cookie_stays_there() -> None:
    console = Console(TOKENS, desk=Desk())
    transport = httpx.ASGITransport(app=Starlette(routes=[Mount("/ops", console.app)]))
    async with httpx.AsyncClient(transport=transport, base_url=ORIGIN, follow_redirects=True) as http:
        assert "<title>Console</title>" in (await http.get("/ops")).text
        for file in (
            "console.js",
            "console.css",
            "look.css",
            "fields.css",
            "icon.svg",
            "api.js",
            "rows.js",
            "detail.js",
            "words.js",
            "fields.js",
            "arguments.js",
            "values.js",
            "inputs.js",
            "send.js",
            "marks.js",
            "element.js",
        ):
            assert (await http.get(f"/ops/{file}")).status_code == 200, file
        signed_in = await http.post("/ops/session", json={"token": TOKENS.issue("ann", ["supervisors"])})
        assert "path=/ops" in signed_in.headers["set-cookie"].lower()
        assert (await http.get("/ops/me")).json()["user"] == "ann"
        assert (await http.get("/ops/openapi.json")).json()["servers"] == [{"url": "/ops"}]
        signed_out = await http.delete("/ops/session", headers={"origin": ORIGIN})
        assert "path=/ops" in signed_out.headers["set-cookie"].lower()
        assert COOKIE not in http.cookies
    await console.close()


async def test_a_server_may_begin_and_end_it_as_an_app_of_its_own() -> None:
    console = Console(TOKENS, desk=Desk())
    asked = iter(["lifespan.startup", "lifespan.shutdown"])
    told: list[str] = []

    async def receive() -> Message:
        return {"type": next(asked)}

    async def send(message: Message) -> None:
        told.append(message["type"])

    await console.app({"type": "lifespan", "asgi": {"version": "3.0"}}, receive, send)
    assert told == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    await console.close()


async def test_an_application_may_wait_until_a_role_is_watched() -> None:
    async with office(watched=["sales"]) as made:
        with anyio.move_on_after(60) as waited:
            await made.console.watched("supervisors")
        assert waited.cancelled_caught
        with made.desk.watch(["supervisors"]):
            await made.console.watched("supervisors")


async def test_a_console_and_an_asker_that_are_given_no_desk_have_the_same_one() -> None:
    console, handler = Console(TOKENS), HumanInputHandler()
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=console.app), base_url=ORIGIN) as http:
        with OWN_DESK.watch(["supervisors"]):
            pending = new_pending("ask", {}, question=Confirm(prompt="Sure?"), audience=["supervisors"])
            handler.open(NewRequest(pending, 60, askers=[ConsoleAsker("supervisors")]))
            await settle_down()
            (shown,) = (await http.get("/requests", headers=ANN)).json()["requests"]
            assert shown["id"] == pending.pending_id
            await handler.close()
    await console.close()


async def test_over_https_the_cookie_is_for_https_only() -> None:
    async with office() as made:
        token = TOKENS.issue("ann", ["supervisors"])
        signed_in = await made.http.post("https://console.test/session", json={"token": token})
        assert "secure" in signed_in.headers["set-cookie"].lower()
        assert token not in signed_in.headers["set-cookie"]
        assert COOKIE in signed_in.headers["set-cookie"]


async def test_a_caller_neither_sees_nor_answers_what_operators_are_asked() -> None:
    desk = Desk()
    console = Console(TOKENS, desk=desk)
    tool = human_tool(AITool("approve"), question=lambda _arguments: Confirm(prompt="A secret of the house?"))
    human = HumanInputToolHandler(
        {"approve"},
        tool_definitions=[tool],
        askers=[ConsoleAsker("supervisors", desk), CardAsker()],
        audience=["supervisors"],
    )
    with ScriptedProvider() as provider, LoopbackTransport() as transport, desk.watch(["supervisors"]):
        channel = RealtimeVoiceChannel("desk", provider=provider, transport=transport, human_input_handler=human)
        async with VoiceKit() as kit:
            kit.register_channel(channel)
            caller = await transport.call(participant_id="ada", room_id="front")
            model = await provider.connected()
            model.ignore(Injected, Forgot, Responded, Closed)
            model.call_tool("approve", "{}")
            await anyio.sleep(1)
            begun = await caller.message(type="request.opened", status="inProgress")
            assert "question" not in begun
            (lying,) = desk.lying
            answer = {"action": "answer", "value": True}
            caller.send({"v": 1, "id": "1", "type": "request.answer", "pending_id": lying.id, "answer": answer})
            refused = await caller.message(type="refused", id="1")
            assert refused["code"] == "unknown"
            caller.ignore("request.opened", "request.settled", "request.changed")
            assert lying.asking.request.end is None
            assert "secret" not in json.dumps(refused)
    await console.close()
