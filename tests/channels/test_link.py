"""The link to the model: lost, renewed, reconfigured, and what a new connection is told."""

import json
import re
from functools import partial

import anyio
import pytest

from tests.channels.desk import Desk
from tests.channels.kept import LOOK_UP, settle_down
from voice_hitl.channels.link import Link
from voice_hitl.enums import OutcomeKind
from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.provider import (
    Connected,
    GoingAway,
    ProviderCapabilities,
    ProviderConfig,
    ProviderConnection,
    ResponseEnded,
    ResponseStarted,
    Resumed,
    SpeechStarted,
    SpeechStopped,
    ToolCalled,
    Transcript,
)
from voice_hitl.tasks import Tasks
from voice_hitl.testing import (
    Forgot,
    Held,
    Injected,
    Reconfigured,
    Responded,
    ScriptedConnection,
    ScriptedProvider,
    SentToolResult,
)
from voice_hitl.tools.definition import AITool
from voice_hitl.transport import CallRejected

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


async def next_model(desk: Desk) -> ScriptedConnection:
    model = await desk.provider.connected()
    model.ignore(Injected, Forgot, Responded)
    await settle_down()
    return model


# --- lost and replaced -----------------------------------------------------------------------------------------------


async def test_a_lost_connection_is_replaced_the_request_stays_and_its_answer_reaches_the_new_one_once_as_text() -> (
    None
):
    async with Desk() as desk:
        call = await desk.call()
        await call.confirm()
        call.model.drop()
        second = await next_model(desk)
        assert call.request.end is None
        second.watch(Injected, Responded)
        await call.answer()
        await second.expect(Injected, text=re.compile('ConfirmAction.*"confirmed": true', re.DOTALL), role="system")
        await second.expect(Responded)
        await settle_down(5)
        assert second.counts[SentToolResult] == 0
        assert [(report.delivered, report.delivered_as) for report in desk.reports] == [(True, "text")]


async def test_where_the_new_connection_takes_the_owed_call_its_output_is_delivered_normally() -> None:
    async with Desk(capabilities=ProviderCapabilities(resumes="replay")) as desk:
        call = await desk.call()
        call.model.emit(
            Transcript("user", "A table, please.", final=True, item_id="u1"),
            Transcript("assistant", "Let me", final=False, item_id="a1"),
        )
        call_id = await call.confirm()
        call.model.drop()
        second = await next_model(desk)
        assert second.config.metadata["history"] == [{"role": "user", "text": "A table, please."}]
        assert second.config.metadata["owed_calls"] == [
            {"call_id": call_id, "name": "ConfirmAction", "arguments": {"action": "Book a table for four."}}
        ]
        await call.answer()
        await second.expect_nothing(for_s=1)  # it has not said yet which calls it knows
        second.emit(Resumed((call_id,)))
        await second.expect(SentToolResult, call_id=call_id, failed=False)
        await settle_down()
        assert [report.delivered_as for report in desk.reports] == ["output"]


async def test_a_provider_that_never_says_what_it_kept_is_taken_for_knowing_nothing() -> None:
    async with Desk(capabilities=ProviderCapabilities(resumes="replay")) as desk:
        call = await desk.call()
        await call.confirm()
        call.model.drop()
        second = await next_model(desk)
        await call.answer()
        await settle_down(11)
        assert second.counts[SentToolResult] == 0
        assert [report.delivered_as for report in desk.reports] == ["text"]


async def test_an_answer_while_there_is_no_connection_waits_for_one() -> None:
    async with Desk() as desk:
        call = await desk.call()
        await call.confirm()
        desk.provider.refuse(times=2)
        call.model.drop()
        await settle_down(0.1)
        await call.answer()
        await settle_down()
        assert desk.reports == []
        await next_model(desk)
        await settle_down()
        assert [report.delivered_as for report in desk.reports] == ["text"]


async def test_a_connection_that_drops_while_it_takes_an_output_loses_nothing() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.hang(SentToolResult)
        call.model.call_tool("look_up")
        await call.model.expect(SentToolResult)
        call.model.drop()
        second = await next_model(desk)
        await settle_down()
        assert second.counts[Injected] == 1
        assert [(report.delivered, report.delivered_as) for report in desk.reports] == [(True, "text")]


async def test_what_a_resumed_conversation_owes_no_longer_had_arrived() -> None:
    async with Desk(capabilities=ProviderCapabilities(resumes="native")) as desk:
        call = await desk.call()
        call.model.hang(SentToolResult)
        call.model.call_tool("look_up")
        await call.model.expect(SentToolResult)
        call.model.drop()
        second = await next_model(desk)
        second.emit(Resumed(()))
        await settle_down()
        assert second.counts[Injected] == second.counts[SentToolResult] == 0
        assert [(report.delivered, report.delivered_as) for report in desk.reports] == [(True, "output")]


async def test_what_was_delivered_is_part_of_what_a_new_connection_is_told() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.call_tool("look_up", {"q": "soup"})
        await call.model.expect(SentToolResult)
        await settle_down()
        call.model.drop()
        second = await next_model(desk)
        history = json.dumps(second.config.metadata["history"])
        assert "look_up" in history
        assert "soup" in history
        assert second.config.metadata["owed_calls"] == []


async def test_a_response_that_was_cut_with_its_connection_is_taken_up_again() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.emit(ResponseStarted("r1"))
        await settle_down()
        call.model.drop()
        second = await desk.provider.connected()
        await second.expect(Responded)


async def test_a_connection_that_cannot_be_replaced_ends_the_session() -> None:
    async with Desk() as desk:
        call = await desk.call()
        await call.confirm()
        desk.provider.refuse(times=3)
        call.model.drop()
        await call.closed()
        assert call.session.end_reason == "lost"
        assert [report.outcome for report in desk.reports] == [OutcomeKind.CANCELLED]
        assert [error.source for error in desk.errors] == ["provider"]


async def test_an_id_of_the_new_connection_that_an_old_call_holds_is_refused_and_the_old_call_stays_owed() -> None:
    async with Desk(capabilities=ProviderCapabilities(resumes="replay")) as desk:
        call = await desk.call()
        await call.confirm("0")
        call.model.drop()
        second = await next_model(desk)
        second.emit(Resumed(("0",)), ToolCalled("0", "look_up", '{"q": "a"}', "r1"))
        await settle_down()
        assert [(report.tool_name, report.refused, report.delivered) for report in desk.reports] == [
            ("look_up", True, False)
        ]
        await call.answer()
        await second.expect(SentToolResult, call_id="0", name="ConfirmAction")


async def test_a_command_that_finds_its_connection_gone_ends_nothing() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.emit(ResponseStarted("r1"), SpeechStarted())
        call.model.drop()
        second = await next_model(desk)
        assert second.counts[Responded] == 1
        assert call.session.end_reason is None


async def test_ids_and_responses_that_count_from_zero_on_each_connection_are_new_calls() -> None:
    async with Desk() as desk:
        call = await desk.call()
        await call.confirm("0")
        call.model.emit(ToolCalled("1", "look_up", '{"q": "a"}', "response-1"))
        await call.model.expect(SentToolResult, call_id="1")
        call.model.drop()
        second = await next_model(desk)
        second.emit(ToolCalled("1", "look_up", "{}", "response-1"), ToolCalled("0", "look_up", "{}", "response-1"))
        await second.expect(SentToolResult, call_id="1", failed=False)
        await second.expect(SentToolResult, call_id="0", name="look_up", failed=False)
        await call.answer()
        await settle_down()
        assert [report.delivered_as for report in desk.reports] == ["output", "output", "output", "text"]


# --- renewed ---------------------------------------------------------------------------------------------------------


async def test_a_session_is_renewed_before_it_expires_in_a_quiet_moment() -> None:
    async with Desk(timeout=1000) as desk:
        call = await desk.call()
        call.model.emit(Connected(expires_at=600))
        await call.confirm()
        await settle_down(470)
        assert len(desk.provider.connections) == 1
        call.model.emit(ResponseStarted("r1"))
        await settle_down(30)
        assert len(desk.provider.connections) == 1
        call.model.emit(ResponseEnded("r1"))
        second = await next_model(desk)
        assert call.model.ended
        assert not second.ended
        assert call.session.end_reason is None


async def test_it_is_renewed_in_time_quiet_or_not() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.emit(Connected(expires_at=600), ResponseStarted("r1"))
        await settle_down(539)
        assert len(desk.provider.connections) == 1
        second = await desk.provider.connected(within_s=3)
        await second.expect(Responded)


async def test_one_that_goes_away_is_left_as_soon_as_it_is_quiet() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.emit(SpeechStarted(), GoingAway(40))
        await settle_down(10)
        assert len(desk.provider.connections) == 1
        call.model.emit(SpeechStopped())
        await next_model(desk)


async def test_short_lives_are_not_renewed_in_a_row() -> None:
    async with Desk() as desk:
        call = await desk.call()
        call.model.emit(Connected(expires_at=40))
        await settle_down(15)
        assert len(desk.provider.connections) == 1
        await settle_down(10)
        await next_model(desk)


async def test_the_floor_is_taken_again_before_anything_else() -> None:
    async with Desk(capabilities=ProviderCapabilities(hold="quiet")) as desk:
        call = await desk.call()
        async with call.session.line.taken_by("p1", after="now"):
            await call.model.expect(Held, on=True)
            call.model.drop()
            second = await next_model(desk)
            await second.expect(Held, on=True)
            assert second.config.metadata["held"] is True
        await second.expect(Held, on=False)


# --- reconfigured ----------------------------------------------------------------------------------------------------

FLY = AITool("fly", "Fly.")


async def test_it_is_reconfigured_in_place_and_a_persons_tools_stay() -> None:
    async with Desk(capabilities=ProviderCapabilities(reconfigures="in_place")) as desk:
        call = await desk.call()
        call_id = await call.confirm()
        await desk.channel.reconfigure_session(call.session, system_prompt="Be brief.", tools=(FLY,))
        changed = await call.model.expect(Reconfigured)
        assert changed.config.instructions == "Be brief."
        assert [tool.name for tool in changed.config.tools] == ["fly", "ConfirmAction"]
        call.model.call_tool("look_up")
        await call.model.expect(SentToolResult, failed=True, text=re.compile("no tool named"))
        await call.answer()
        await call.model.expect(SentToolResult, call_id=call_id, failed=False)


@pytest.mark.parametrize("how", ["reconnects", "none"])
async def test_it_is_reconfigured_by_reconnecting(how: str) -> None:
    capabilities = ProviderCapabilities(reconfigures="reconnects" if how == "reconnects" else "none")
    async with Desk(capabilities=capabilities) as desk:
        call = await desk.call()
        await call.confirm()
        await desk.channel.reconfigure_session(call.session, tools=(FLY, LOOK_UP))
        second = await next_model(desk)
        assert [tool.name for tool in second.config.tools] == ["fly", "look_up", "ConfirmAction"]
        assert call.request.end is None
        second.call_tool("look_up")
        await second.expect(SentToolResult, failed=False)


async def test_what_is_not_named_stays_as_the_session_has_it() -> None:
    async with Desk(capabilities=ProviderCapabilities(reconfigures="in_place")) as desk:
        call = await desk.call(system_prompt="Be kind.", tools=(FLY,), language="fr")
        await desk.channel.reconfigure_session(call.session, voice="alto")
        changed = await call.model.expect(Reconfigured)
        assert (changed.config.instructions, changed.config.voice, changed.config.language) == (
            "Be kind.",
            "alto",
            "fr",
        )
        assert [tool.name for tool in changed.config.tools] == ["fly", "ConfirmAction"]
        assert call.session.language == "fr"


async def test_a_provider_that_refuses_it_leaves_everything_as_it_was() -> None:
    async with Desk(capabilities=ProviderCapabilities(reconfigures="in_place")) as desk:
        call = await desk.call()
        call.model.raise_on(Reconfigured)
        with pytest.raises(ProviderError):
            await desk.channel.reconfigure_session(call.session, tools=(FLY,), language="fr")
        await call.model.expect(Reconfigured)
        assert call.session.language == "en"
        call.model.call_tool("look_up")
        await call.model.expect(SentToolResult, failed=False)


async def test_one_that_drops_meanwhile_is_replaced_by_one_that_has_it() -> None:
    async with Desk(capabilities=ProviderCapabilities(reconfigures="in_place")) as desk:
        call = await desk.call()
        call.model.raise_on(Reconfigured, ConnectionEnded("gone"))
        call.model.drop()
        await desk.channel.reconfigure_session(call.session, system_prompt="Be brief.")
        second = await next_model(desk)
        assert second.config.instructions == "Be brief."


async def test_an_ended_session_is_not_reconfigured() -> None:
    async with Desk() as desk:
        call = await desk.call()
        await desk.channel.end_session(call.session)
        with pytest.raises(ConnectionEnded):
            await desk.channel.reconfigure_session(call.session, voice="alto")


async def test_a_provider_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Desk() as desk:

        async def hang(_config: ProviderConfig) -> ScriptedConnection:
            await anyio.sleep_forever()
            raise AssertionError

        monkeypatch.setattr(desk.provider, "connect", hang)
        with pytest.raises(CallRejected) as refused:
            await desk.transport.call(participant_id="ada")
        assert refused.value.code == 503


async def test_a_connection_that_is_being_prepared_when_the_session_ends_is_closed() -> None:
    async def never(_connection: ProviderConnection) -> None:
        await anyio.sleep_forever()

    provider = ScriptedProvider()
    link = Link(provider, ProviderConfig(), tasks=Tasks("a session"), quiet=lambda: True, prepare=never)
    await link.open()
    (await provider.connected()).drop()
    with anyio.move_on_after(5):
        while True:
            await link.next()
    await link.aclose()
    assert (await provider.connected()).ended
    provider.done()


async def test_of_two_changes_at_once_the_second_waits_until_the_first_was_taken_or_refused() -> None:
    async with Desk(capabilities=ProviderCapabilities(reconfigures="in_place")) as desk:
        call = await desk.call()
        call.model.hang(Reconfigured)
        async with anyio.create_task_group() as group:
            group.start_soon(partial(desk.channel.reconfigure_session, call.session, tools=(FLY,)))
            await settle_down()
            group.start_soon(partial(desk.channel.reconfigure_session, call.session, language="fr"))
            first = await call.model.expect(Reconfigured)
            await call.model.expect_nothing(for_s=1)
            call.model.mend(Reconfigured)
            second = await call.model.expect(Reconfigured)
            assert (first.config.language, second.config.language) == ("en", "fr")
            assert first.config.tools == second.config.tools
