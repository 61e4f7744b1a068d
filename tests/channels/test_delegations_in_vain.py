"""What a full-duplex model hands over, where the backend misbehaves or the session ends."""

from collections.abc import AsyncIterator, Callable

import anyio
import pytest

from tests.channels.delegated import CONFIRMS, LIVE, LOOKS_UP, Backend, Nonsense, calls, desk, hand_over, tells
from tests.channels.desk import Desk
from tests.channels.kept import settle_down
from voice_hitl.enums import OutcomeKind, RequestEnd
from voice_hitl.errors import ReasoningCutShort
from voice_hitl.reasoning import ReasoningOutput, ReasoningRequest
from voice_hitl.testing import DelegationOutput, Injected

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


# --- misbehaviour ----------------------------------------------------------------------------------------------------


async def test_a_backend_that_never_yields_is_cut_at_its_bound() -> None:
    async def work(_request: ReasoningRequest) -> AsyncIterator[ReasoningOutput]:
        await anyio.sleep_forever()
        yield ReasoningOutput("never")

    backend = Backend(work)
    async with Desk(capabilities=LIVE, reasoning_backend=backend) as it:
        call = await it.call()
        await hand_over(call)
        await settle_down(120)
        await tells(call, "timed_out")
        assert backend.closed == ["d1"]


async def test_a_backend_that_has_nothing_to_say_is_told_so() -> None:
    async def work(_request: ReasoningRequest) -> AsyncIterator[ReasoningOutput]:
        yield ReasoningOutput("")
        yield ReasoningOutput("", is_final=True)

    async with desk(work) as it:
        call = await it.call()
        await hand_over(call)
        await tells(call, "no_output")
        assert it.errors == []


async def test_a_backend_that_raises_is_told_of_in_a_sentence_and_to_on_error() -> None:
    async def work(_request: ReasoningRequest) -> AsyncIterator[ReasoningOutput]:
        yield ReasoningOutput("One moment.")
        raise RuntimeError("the index is gone")

    async with desk(work) as it:
        call = await it.call(language="de")
        await hand_over(call)
        await call.model.expect(DelegationOutput, text="One moment.")
        await tells(call, "failed", language="de")
        assert [(error.source, error.message) for error in it.errors] == [
            ("reasoning backend", "RuntimeError: the index is gone")
        ]


async def test_a_turn_that_was_cut_short_is_told_of_in_a_sentence() -> None:
    async def work(_request: ReasoningRequest) -> AsyncIterator[ReasoningOutput]:
        yield ReasoningOutput("The first of ten is")
        raise ReasoningCutShort("length")

    async with desk(work) as it:
        call = await it.call()
        await hand_over(call)
        await call.model.expect(DelegationOutput, text="The first of ten is")
        await tells(call, "cut_short")
        assert it.errors == []


def gives_nothing(_request: ReasoningRequest) -> object:
    return None


def gives_a_list(_request: ReasoningRequest) -> object:
    return ["It is sunny."]


async def gives_a_coroutine(_request: ReasoningRequest) -> object:
    return "It is sunny."


@pytest.mark.parametrize("given", [gives_nothing, gives_a_list, gives_a_coroutine])
async def test_a_backend_that_is_no_generator_has_failed(given: Callable[[ReasoningRequest], object]) -> None:
    backend = Nonsense(given)
    async with Desk(capabilities=LIVE, reasoning_backend=backend) as it:  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] - what is tested
        call = await it.call()
        await hand_over(call)
        await tells(call, "failed")
        assert "must be an async generator" in it.errors[0].message


@pytest.mark.parametrize("nonsense", [None, "It is sunny.", 5, ReasoningOutput(None)], ids=str)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] - what is tested
async def test_a_backend_that_yields_nonsense_has_failed(nonsense: object) -> None:
    async def reason(_request: ReasoningRequest) -> AsyncIterator[object]:
        yield nonsense

    backend = Nonsense(reason)
    async with Desk(capabilities=LIVE, reasoning_backend=backend) as it:  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] - what is tested
        call = await it.call()
        await hand_over(call)
        await tells(call, "failed")
        assert len(it.errors) == 1


async def test_what_is_yielded_after_the_last_output_is_not_taken() -> None:
    async def work(_request: ReasoningRequest) -> AsyncIterator[ReasoningOutput]:
        yield ReasoningOutput("It is sunny.", is_final=True)
        yield ReasoningOutput("No, it rains.", is_final=True)

    async with desk(work) as it:
        call = await it.call()
        await hand_over(call)
        await call.model.expect(DelegationOutput, text="It is sunny.", final=True)
        await call.model.expect_nothing(for_s=150)
        assert it.errors == []


async def test_a_backend_that_does_not_let_itself_be_closed_is_left() -> None:
    async def work(_request: ReasoningRequest) -> AsyncIterator[ReasoningOutput]:
        try:
            yield ReasoningOutput("It is sunny.", is_final=True)
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.sleep(30)

    async with desk(work) as it:
        call = await it.call()
        await hand_over(call)
        await call.model.expect(DelegationOutput, text="It is sunny.", final=True)
        await call.model.expect_nothing(for_s=40)


async def test_a_backend_that_swallows_its_cancellation_is_abandoned_and_its_late_call_given_up() -> None:
    late: list[str] = []

    async def work(request: ReasoningRequest) -> AsyncIterator[ReasoningOutput]:
        try:
            await anyio.sleep_forever()
        except anyio.get_cancelled_exc_class():
            pass
        late.append(await request.execute_tool_call(LOOKS_UP))
        yield ReasoningOutput("It is sunny.", is_final=True)

    async with desk(work, timeout_s=5) as it:
        call = await it.call()
        await hand_over(call)
        await settle_down(5)
        await tells(call, "timed_out")
        await settle_down(5)
        assert ["was given up" in text for text in late] == [True]
        assert [report.outcome for report in it.reports] == [OutcomeKind.CANCELLED]
        assert it.errors == []


# --- endings ---------------------------------------------------------------------------------------------------------


async def test_when_the_session_ends_nothing_is_said_and_everything_is_cancelled() -> None:
    backend = Backend(calls(CONFIRMS))
    async with Desk(capabilities=LIVE, reasoning_backend=backend) as it:
        call = await it.call()
        await hand_over(call)
        await it.channel.end_session(call.session)
        assert (backend.closed, backend.ended) == (["d1"], [call.session.id])
        assert [report.outcome for report in it.reports] == [OutcomeKind.CANCELLED]
        assert [event.end for event in it.settled] == [RequestEnd.WITHDRAWN]
        assert call.model.counts[DelegationOutput] == 0


async def test_a_call_whose_own_handler_ends_the_session_runs_to_its_report() -> None:
    async with desk(calls(LOOKS_UP)) as it:
        ended: list[str] = []

        async def end(_name: str, _arguments: object) -> str:
            await it.channel.end_session(it.channel.sessions[0])
            ended.append("by its own call")
            return "done"

        it.channel.tool_handler = end
        call = await it.call()
        await hand_over(call)
        await call.closed()
        await settle_down(2)
        assert ended == ["by its own call"]
        assert [(report.outcome, report.delivered) for report in it.reports] == [(OutcomeKind.SERVED, False)]


async def test_a_backend_may_end_its_session_itself() -> None:
    after: list[str] = []

    async def work(_request: ReasoningRequest) -> AsyncIterator[ReasoningOutput]:
        await it.channel.end_session(it.channel.sessions[0])
        after.append("closed")
        yield ReasoningOutput("unheard", is_final=True)

    async with desk(work) as it:
        call = await it.call()
        await hand_over(call)
        await call.closed()
        await settle_down(2)
        assert (after, call.model.counts[DelegationOutput]) == (["closed"], 0)


async def test_an_output_goes_to_the_connection_that_stands_when_it_is_there() -> None:
    async def work(_request: ReasoningRequest) -> AsyncIterator[ReasoningOutput]:
        await anyio.sleep(10)
        yield ReasoningOutput("It is sunny.", is_final=True)

    async with desk(work) as it:
        call = await it.call()
        await hand_over(call)
        call.model.drop()
        again = await it.provider.connected()
        again.ignore(Injected)
        await settle_down(11)
        await again.expect(DelegationOutput, delegation_id="d1", text="It is sunny.", final=True)


async def test_a_provider_that_refuses_an_output_is_told_to_on_error() -> None:
    async with desk() as it:
        call = await it.call()
        call.model.raise_on(DelegationOutput)
        await hand_over(call)
        await settle_down(1)
        await call.model.expect(DelegationOutput)
        assert [error.source for error in it.errors] == ["provider"]


async def test_a_backend_that_fails_on_hearing_of_an_end_is_only_logged(caplog: pytest.LogCaptureFixture) -> None:
    class Fails(Backend):
        def session_ended(self, session_id: str) -> None:
            raise RuntimeError("no")

    async with Desk(capabilities=LIVE, reasoning_backend=Fails()) as it:
        call = await it.call()
        await hand_over(call)
        await call.model.expect(DelegationOutput)
        await it.channel.end_session(call.session)
    assert "failed on hearing that a session ended" in caplog.text


async def test_in_a_session_that_has_ended_a_backend_reads_nothing_of_its_calls() -> None:
    read: list[str] = []

    async def work(request: ReasoningRequest) -> AsyncIterator[ReasoningOutput]:
        read.append(await request.execute_tool_call(CONFIRMS))
        yield ReasoningOutput("Booked.", is_final=True)

    async with desk(work) as it:
        call = await it.call()
        await hand_over(call)
        call.caller.hang_up()
        await call.closed()
        await settle_down(5)
        assert read == []


async def test_a_backend_that_outlives_its_session_is_given_up_and_waits_for_nothing() -> None:
    read: list[str] = []

    async def work(request: ReasoningRequest) -> AsyncIterator[ReasoningOutput]:
        try:
            await anyio.sleep_forever()
        except anyio.get_cancelled_exc_class():
            await anyio.sleep(20)
        read.extend([await request.execute_tool_call(CONFIRMS), await request.execute_tool_call(CONFIRMS)])
        yield ReasoningOutput("Booked.", is_final=True)

    async with desk(work) as it:
        call = await it.call()
        await hand_over(call)
        await it.channel.end_session(call.session)
        await settle_down(40)
        assert ["was given up" in text for text in read] == [True, True]
        assert it.reports == []
