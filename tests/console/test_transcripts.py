"""What operators may read of a call: its last lines, and nothing that answers a confidential question."""

from datetime import UTC, datetime

import anyio
import httpx
import pytest

from tests.console.office import ANN, ORIGIN, TOKENS
from voice_hitl import Confirm, HumanInputToolHandler, Number, RealtimeVoiceChannel, VoiceKit, human_tool
from voice_hitl.askers.console import ConsoleAsker
from voice_hitl.askers.desk import Desk
from voice_hitl.console.app import Console
from voice_hitl.console.live_board import LiveBoard
from voice_hitl.console.transcripts import LAST_LINES, MASKED_FOR_S, Transcripts
from voice_hitl.provider import Transcript
from voice_hitl.testing import Closed, Forgot, Injected, LoopbackTransport, Responded, ScriptedProvider, SentToolResult
from voice_hitl.tools.definition import AITool

PIN = Number(prompt="PIN?", digits=4, sensitive=True)
AT = datetime(2026, 1, 1, tzinfo=UTC)


def test_the_last_lines_stay_and_a_call_that_is_over_leaves_none() -> None:
    transcripts = Transcripts()
    for number in range(LAST_LINES + 3):
        transcripts.said("s1", "user", f"line {number}", AT, now=0, confidential=False)
    assert [line.text for line in transcripts.of("s1")] == [f"line {number}" for number in range(3, LAST_LINES + 3)]
    assert transcripts.of("s2") == []
    transcripts.forget("s1")
    assert transcripts.of("s1") == []


def test_what_is_said_to_a_confidential_question_and_just_after_is_masked() -> None:
    transcripts = Transcripts()
    transcripts.said("s1", "user", "one two three four", AT, now=0, confidential=True)
    transcripts.confidential_until("s1", 1)
    transcripts.said("s1", "user", "one two", AT, now=1 + MASKED_FOR_S / 2, confidential=False)
    transcripts.said("s2", "user", "hello", AT, now=2, confidential=False)
    transcripts.said("s1", "user", "thanks", AT, now=2 + MASKED_FOR_S, confidential=False)
    assert [line.text for line in transcripts.of("s1")] == ["...", "...", "thanks"]
    assert [line.text for line in transcripts.of("s2")] == ["hello"]


@pytest.mark.anyio
@pytest.mark.usefixtures("virtual_time")
async def test_the_last_words_of_a_call_are_not_kept_when_it_is_over() -> None:
    kit, live = VoiceKit(), LiveBoard(Desk())
    with ScriptedProvider() as provider, LoopbackTransport() as transport:
        channel = RealtimeVoiceChannel("desk", provider=provider, transport=transport)
        kit.register_channel(channel)
        live.follow(kit)
        async with kit:
            caller = await transport.call(participant_id="ada")
            caller.ignore("transcript")
            model = await provider.connected()
            session = channel.sessions[0]
            news = live.news()
            model.emit(Transcript("user", "Hello?", final=True, item_id="i1"))
            await anyio.sleep(1)
            assert news.is_set()
            assert [line.text for line in live.transcripts.of(session.id)] == ["Hello?"]
            model.emit(Transcript("user", "Goodbye.", final=True, item_id="i2"))
            await anyio.sleep(0.1)
            caller.hang_up()
            await session.closed.wait()
            await anyio.sleep(2)
            assert live.transcripts.of(session.id) == []
    await live.close()


@pytest.mark.anyio
@pytest.mark.usefixtures("virtual_time")
async def test_what_is_said_the_moment_before_a_confidential_question_opens_is_masked() -> None:
    kit, live = VoiceKit(), LiveBoard(Desk())
    human = HumanInputToolHandler({"pin"}, tool_definitions=[human_tool(AITool("pin"), question=lambda _given: PIN)])
    with ScriptedProvider() as provider, LoopbackTransport() as transport:
        channel = RealtimeVoiceChannel("desk", provider=provider, transport=transport, human_input_handler=human)
        kit.register_channel(channel)
        live.follow(kit, human.handler)
        async with kit:
            caller = await transport.call(participant_id="ada")
            caller.ignore("transcript", "request.opened", "request.changed", "request.settled")
            model = await provider.connected()
            model.ignore(Injected, Forgot, Closed)
            session = channel.sessions[0]
            model.emit(Transcript("user", "one two three four", final=True, item_id="i1"))
            await anyio.sleep(0.1)
            await human.handler.create_detached("pin", {}, question=PIN, session_id=session.id)
            await anyio.sleep(1)
            assert [line.text for line in live.transcripts.of(session.id)] == ["..."]
    await live.close()


@pytest.mark.anyio
@pytest.mark.usefixtures("virtual_time")
async def test_an_operator_reads_the_call_beside_its_request_but_not_the_callers_pin() -> None:
    desk, kit = Desk(), VoiceKit()
    console = Console(TOKENS, desk=desk)
    pin = human_tool(AITool("pin"), question=lambda _arguments: Number(prompt="Your PIN?", digits=4, sensitive=True))
    approve = human_tool(AITool("approve"), question=lambda _arguments: Confirm(prompt="Let them in?"))
    human = HumanInputToolHandler(
        {"pin", "approve"},
        tool_definitions=[pin, approve],
        asking={"pin": [], "approve": [ConsoleAsker("supervisors", desk)]},
    )
    with ScriptedProvider() as provider, LoopbackTransport() as transport, desk.watch(["supervisors"]):
        channel = RealtimeVoiceChannel("desk", provider=provider, transport=transport, human_input_handler=human)
        kit.register_channel(channel)
        console.follow(kit, human.handler)
        http = httpx.AsyncClient(transport=httpx.ASGITransport(app=console.app), base_url=ORIGIN)
        async with kit, http:
            caller = await transport.call(participant_id="ada")
            caller.ignore("request.opened", "request.changed", "request.settled", "transcript")
            model = await provider.connected()
            model.ignore(Injected, Forgot, Responded, Closed, SentToolResult)
            model.emit(Transcript("user", "It is Ada.", final=True, item_id="i1"))
            await anyio.sleep(1)
            pending = await human.handler.create_detached(
                "pin", {}, question=Number(prompt="PIN?", digits=4, sensitive=True), session_id=channel.sessions[0].id
            )
            model.emit(Transcript("user", "one two three four", final=True, item_id="i2"))
            await anyio.sleep(1)
            human.handler.resolve(pending.pending_id, "1234")
            model.emit(Transcript("assistant", "So that is 1 2 3 4.", final=True, item_id="i3"))
            await anyio.sleep(1)
            model.call_tool("approve", "{}")
            await anyio.sleep(1)
            (shown,) = (await http.get("/requests", headers=ANN)).json()["requests"]
            assert [line["text"] for line in shown["transcript"]] == ["It is Ada.", "...", "..."]
            assert shown["caller"] == "ada"
            model.emit(Transcript("user", "Hello?", final=True, item_id="i4"))
            await anyio.sleep(20)
            model.emit(Transcript("user", "Are you there?", final=True, item_id="i5"))
            await anyio.sleep(1)
            (shown,) = (await http.get("/requests", headers=ANN)).json()["requests"]
            assert shown["transcript"][-1]["text"] == "Are you there?"
            later = await human.handler.create_detached(
                "ask", {}, question=Confirm(prompt="Sure?"), session_id=channel.sessions[0].id
            )
            human.handler.resolve(later.pending_id, "yes")  # what anybody may read
            model.emit(Transcript("user", "Yes, I am sure.", final=True, item_id="i6"))
            await anyio.sleep(1)
            (shown,) = (await http.get("/requests", headers=ANN)).json()["requests"]
            assert shown["transcript"][-1]["text"] == "Yes, I am sure."
    await console.close()
