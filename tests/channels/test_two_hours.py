"""A call of two hours on a model that ends each session after one: what is asked meanwhile is answered, once."""

import re
from typing import Literal

import anyio
import pytest

from tests.channels.desk import Call, Desk
from tests.channels.kept import settle_down
from voice_hitl.asker import AskerSession, Asking, GaveUp
from voice_hitl.enums import OutcomeKind
from voice_hitl.provider import Connected, ProviderCapabilities, Resumed
from voice_hitl.requests.pending import PendingInput
from voice_hitl.tasks import Tasks, current_time
from voice_hitl.testing import (
    Forgot,
    Held,
    Injected,
    Responded,
    ScriptedConnection,
    ScriptedProvider,
    SentAudio,
    SentToolResult,
)

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

MINUTE = 60.0
HOUR = 60 * MINUTE
CONFIRMED = re.compile('"confirmed": true')

How = Literal["output", "text"]
"""Whether a new connection takes the call that is owed its output, or the output goes to it as text."""


class Aloud:
    """Holds the floor for as long as its request is open, as everybody who asks aloud does."""

    name = "aloud"

    def reaches(self, request: PendingInput | None, session: AskerSession | None) -> bool:
        return session is not None

    async def ask(self, asking: Asking, session: AskerSession | None) -> GaveUp | None:
        assert session is not None
        assert session.line is not None
        async with session.line.taken_by(asking.request.pending_id, after="now"):
            asking.put()
            await anyio.sleep_forever()
        return None


def hourly(how: How) -> Desk:
    """A desk whose model lives an hour at a time, and can be told to be quiet."""
    capabilities = ProviderCapabilities(hold="quiet", resumes="replay" if how == "output" else "none")
    # Audio counts here: it must not come before the floor is held.
    provider = ScriptedProvider(capabilities=capabilities, ignore=(Injected, Forgot, Responded), greeting=None)
    return Desk(provider=provider, askers=(Aloud(),), timeout=3 * HOUR)


async def at(minute: float) -> None:
    await settle_down(minute * MINUTE - current_time())


async def answered_call(desk: Desk) -> Call:
    call = await desk.call()
    call.model.emit(Connected(current_time() + HOUR))
    return call


async def asked(model: ScriptedConnection, call_id: str) -> None:
    model.ignore(SentAudio)
    model.call_tool("ConfirmAction", {"action": "Book a table."}, call_id=call_id)
    await model.expect(Held, on=True)


async def renewed(desk: Desk, call: Call, owed: str, how: How) -> ScriptedConnection:
    """The caller is on the line until the session has been renewed; the new connection, with the floor held again."""
    talking = Tasks("the caller")
    talking.spawn(call.caller.stay_silent(int(3 * MINUTE * 1000)), "on the line")
    model = await desk.provider.connected(within_s=3 * MINUTE)
    model.emit(Connected(current_time() + HOUR))
    assert model.config.metadata["held"] is True
    await model.expect(Held, on=True)
    await model.expect(SentAudio)
    model.ignore(SentAudio)
    if how == "output":
        assert model.config.metadata["owed_calls"] == [
            {"call_id": owed, "name": "ConfirmAction", "arguments": {"action": "Book a table."}}
        ]
        model.emit(Resumed((owed,)))
    await talking.close()
    return model


async def answer_arrives(call: Call, model: ScriptedConnection, call_id: str, how: How) -> None:
    """The caller answers; the model hears it, in the way that is left, and has the floor again."""
    model.ignore(Held)
    model.watch(Injected)
    await call.answer()
    if how == "output":
        await model.expect(SentToolResult, call_id=call_id, text=CONFIRMED, failed=False)
    else:
        await model.expect(Injected, text=re.compile(f"{call_id}.*{CONFIRMED.pattern}", re.DOTALL), silent=True)
    # Anything that came once more would be a command that nobody expected.
    await model.expect_nothing(for_s=30)
    assert model.counts[Held] == 2
    model.watch(Held)


@pytest.mark.parametrize("how", ["output", "text"])
async def test_a_request_that_is_open_across_two_renewals_is_answered_once(how: How) -> None:
    async with hourly(how) as desk:
        call = await answered_call(desk)
        await at(50)
        await asked(call.model, "call_1")
        request = call.request
        await at(58)
        second = await renewed(desk, call, "call_1", how)
        await at(117)
        third = await renewed(desk, call, "call_1", how)
        await at(121)
        assert call.request is request
        assert desk.reports == []
        await answer_arrives(call, third, "call_1", how)
        assert [model.counts[SentToolResult] for model in (call.model, second)] == [0, 0]
        assert third.counts[SentToolResult] == (1 if how == "output" else 0)
        assert [(report.outcome, report.delivered, report.delivered_as) for report in desk.reports] == [
            (OutcomeKind.SERVED, True, how)
        ]
        assert len(desk.provider.connections) == 3
        assert call.session.end_reason is None


@pytest.mark.parametrize("how", ["output", "text"])
async def test_a_request_at_each_renewal_is_answered_after_it_once(how: How) -> None:
    async with hourly(how) as desk:
        call = await answered_call(desk)
        model = call.model
        for hour, call_id in enumerate(["call_1", "call_2"]):
            await at(50 + 59 * hour)
            await asked(model, call_id)
            await at(58 + 59 * hour)
            model = await renewed(desk, call, call_id, how)
            await answer_arrives(call, model, call_id, how)
            model.ignore(Injected)
        await at(125)
        assert [(report.tool_call_id, report.delivered, report.delivered_as) for report in desk.reports] == [
            ("call_1", True, how),
            ("call_2", True, how),
        ]
        sent = [connection.counts[SentToolResult] for connection in desk.provider.connections]
        assert sent == ([0, 1, 1] if how == "output" else [0, 0, 0])
