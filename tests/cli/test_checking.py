"""One call, step by step, against a far end that a test plays."""

from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta

import anyio
import pytest

from tests.cli.far_end import LOUD, SILENCE, FarEnd
from voice_hitl import plugins
from voice_hitl.cli.checking import STEPS, Check, Report, Step
from voice_hitl.transport import CallRejected

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

URL = "http://demo/offer"


def dialled(monkeypatch: pytest.MonkeyPatch, leg: FarEnd | Exception) -> None:
    async def place(url: str, *, rate: int) -> FarEnd:
        assert url == URL
        assert rate
        if isinstance(leg, Exception):
            raise leg
        return leg

    def load(kind: str, name: str) -> object:
        assert (kind, name) == ("caller", "webrtc")
        return place

    monkeypatch.setattr(plugins, "load", load)


async def run(agent: Callable[[], Coroutine[None, None, None]], check: Check) -> Report:
    reports: list[Report] = []
    async with anyio.create_task_group() as group:
        group.start_soon(agent)
        reports.append(await check.run(timeout=30))
        group.cancel_scope.cancel()
    return reports[0]


async def greet(far: FarEnd) -> None:
    await anyio.sleep(0.25)
    far.tell("call.state", state="live")
    await anyio.sleep(0.5)
    far.say(LOUD, SILENCE)
    await far.was_spoken_to()


async def test_every_step_of_a_call_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    far = FarEnd()
    dialled(monkeypatch, far)

    async def agent() -> None:
        await greet(far)
        far.tell("tool.called", call="c1")
        far.tell("request.opened", call="c1", status="inProgress")
        far.tell("request.opened", call="c1", status="executing", pending_id="p1")
        answer = await far.got("request.answer")
        assert answer["answer"] == {"action": "answer", "value": True}
        assert answer["pending_id"] == "p1"
        far.tell("ok", id=answer["id"])
        far.tell("tool.result", call="c1", outcome="served")
        await anyio.sleep(0.125)
        far.say(LOUD)
        await far.got("bye")

    seen: list[Step] = []
    report = await run(agent, Check(URL, same_clock=True, on_step=seen.append))
    assert report.ok
    assert report.failed is None
    assert [step.name for step in seen] == list(STEPS)
    taken = {step.name: step.ms for step in report.steps}
    assert taken["connect"] == 250
    assert taken["first agent audio"] == 500
    assert taken["answer to the agent's next audio"] == 125
    assert await far.got("bye")


async def test_another_machines_clock_is_measured_by_the_answers_round_trip(monkeypatch: pytest.MonkeyPatch) -> None:
    far = FarEnd()
    dialled(monkeypatch, far)
    hour = timedelta(hours=1)

    async def agent() -> None:
        await greet(far)
        called = (datetime.now(UTC) + hour - timedelta(milliseconds=40)).isoformat()
        far.tell("tool.called", call="c1", at=called)
        far.tell("request.opened", call="c1", pending_id="p1")
        answer = await far.got("request.answer")
        far.tell("ok", id=answer["id"], server_time=(datetime.now(UTC) + hour).isoformat())
        sent = (datetime.now(UTC) + hour + timedelta(milliseconds=30)).isoformat()
        far.tell("tool.result", call="c1", outcome="served", at=sent)
        far.say(LOUD)

    report = await run(agent, Check(URL, same_clock=False))
    taken = {step.name: step.ms for step in report.steps}
    assert taken["tool call to question on the card"] == pytest.approx(40, abs=15)
    assert taken["answer to result sent"] == pytest.approx(30, abs=15)


@pytest.mark.parametrize("error", [ConnectionError("nobody answers"), CallRejected(503, "nobody answers")])
async def test_an_agent_that_takes_no_calls_fails_the_first_step(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    dialled(monkeypatch, error)
    report = await Check(URL, same_clock=True).run(timeout=30)
    assert not report.ok
    assert (report.failed, report.why) == ("connect", "nobody answers")


async def test_an_agent_that_says_nothing_fails_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    far = FarEnd()
    dialled(monkeypatch, far)
    far.tell("call.state", state="live")
    report = await Check(URL, same_clock=True).run(timeout=30)
    assert report.failed == "first agent audio"
    assert report.why == "it did not happen within 30 s"


async def test_an_agent_that_hangs_up_fails_the_step_it_was_at(monkeypatch: pytest.MonkeyPatch) -> None:
    far = FarEnd()
    dialled(monkeypatch, far)

    async def agent() -> None:
        await greet(far)
        far.end()

    report = await run(agent, Check(URL, same_clock=True))
    assert report.failed == "tool call to question on the card"
    assert "ended the call" in report.why


@pytest.mark.parametrize(
    ("verdict", "result", "why"),
    [
        ({"type": "refused", "why": "too late"}, {}, "the answer was not taken: too late"),
        ({"type": "ok"}, {"outcome": "cancelled"}, "the call was cancelled all the same"),
        ({"type": "ok"}, {"outcome": "served", "at": None}, "it is not the demo's"),
    ],
)
async def test_an_answer_that_leads_nowhere_fails_and_says_why(
    monkeypatch: pytest.MonkeyPatch, verdict: dict[str, str], result: dict[str, object], why: str
) -> None:
    far = FarEnd()
    dialled(monkeypatch, far)

    async def agent() -> None:
        await greet(far)
        far.tell("tool.called", call="c1")
        far.tell("request.opened", call="c1", pending_id="p1")
        answer = await far.got("request.answer")
        far.tell(**{**verdict, "id": str(answer["id"])})
        far.tell("tool.result", call="c1", **result)

    report = await run(agent, Check(URL, same_clock=True))
    assert not report.ok
    assert why in report.why
