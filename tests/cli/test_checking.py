"""One call, step by step, against a far end that a test plays."""

from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta

import anyio
import pytest

from tests.cli.far_end import LOUD, SILENCE, FarEnd
from voice_hitl import plugins
from voice_hitl.audio.playout import Counts
from voice_hitl.cli.checking import STEPS, Check, Report, Step
from voice_hitl.transport import CallRejected

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

URL = "http://demo/offer"


def dialled(monkeypatch: pytest.MonkeyPatch, leg: FarEnd | Exception, loss: float = 0.0) -> None:
    async def place(url: str, *, rate: int, **line: float) -> FarEnd:
        assert url == URL
        assert rate
        assert line == ({"loss": loss} if loss else {})
        if isinstance(leg, Exception):
            raise leg
        return leg

    def load(kind: str, name: str) -> object:
        assert (kind, name) == ("caller", "webrtc")
        return place

    monkeypatch.setattr(plugins, "load", load)


@pytest.fixture
def far(monkeypatch: pytest.MonkeyPatch) -> FarEnd:
    """Who answers when a check calls."""
    far_end = FarEnd()
    dialled(monkeypatch, far_end)
    return far_end


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


async def test_every_step_of_a_call_is_timed(far: FarEnd) -> None:
    async def agent() -> None:
        await greet(far)
        far.tell("tool.called", call="c1")
        far.tell("request.opened", call="c1", status="inProgress")
        far.tell("request.opened", call="c1", status="executing", pending_id="p1")
        answer = await far.got("request.answer")
        assert answer["answer"] == {"action": "answer", "value": True}
        assert answer["pending_id"] == "p1"
        far.tell("ok", id=answer["id"])
        far.settles()
        await anyio.sleep(0.125)
        await far.speak(400)
        await far.got("bye")

    seen: list[Step] = []
    report = await run(agent, Check(URL, same_clock=True, on_step=seen.append))
    assert report.ok
    assert report.failed is None
    assert [step.name for step in seen] == list(STEPS)
    taken = {step.name: step.ms for step in report.steps}
    assert taken["connect"] == 250
    assert taken["first agent audio"] == 500
    assert taken["answer to the agent's next audio"] == pytest.approx(125)
    assert await far.got("bye")


@pytest.mark.parametrize(
    ("goes_on_ms", "pause_ms", "seen_ms"),
    [(100, 400, 600), (0, 500, 600), (0, 100, 200)],
    ids=["into the question", "between", "at once"],
)
async def test_the_tail_of_the_spoken_question_is_not_the_agents_next_audio(
    far: FarEnd, goes_on_ms: int, pause_ms: int, seen_ms: int
) -> None:
    async def agent() -> None:
        await greet(far)
        far.asks()
        answer = await far.got("request.answer")
        await far.speak(100)  # the question begins in this very moment
        far.tell("ok", id=answer["id"])
        far.settles()
        await far.speak(goes_on_ms)
        await anyio.sleep(pause_ms / 1_000)
        await far.speak(800)

    report = await run(agent, Check(URL, same_clock=True))
    assert report.ok, report
    taken = {step.name: step.ms for step in report.steps}
    assert taken["answer to the agent's next audio"] == pytest.approx(seen_ms, abs=500 if pause_ms < 150 else 1)


async def test_what_never_settles_is_not_answered(far: FarEnd) -> None:
    async def agent() -> None:
        await greet(far)
        far.asks()
        await far.takes_the_answer()
        far.tell("tool.result", call="c1", outcome="served")
        await far.speak(800)

    report = await run(agent, Check(URL, same_clock=True))
    assert report.failed == "answer to result sent"


async def test_a_settlement_that_comes_late_over_a_poor_line_is_not_what_the_next_audio_waits_for(
    far: FarEnd,
) -> None:
    async def agent() -> None:
        await greet(far)
        far.asks()
        await far.takes_the_answer()
        far.tell("tool.result", call="c1", outcome="served")
        await anyio.sleep(0.5)
        await far.speak(400)
        settled = (datetime.now(UTC) - timedelta(seconds=0.9)).isoformat()
        far.tell("request.settled", call="c1", pending_id="p1", server_time=settled)

    report = await run(agent, Check(URL, same_clock=True))
    assert report.ok, report
    assert report.steps[-1].ms == pytest.approx(500)


async def test_the_answer_waits_until_the_question_was_heard_out(far: FarEnd) -> None:
    said_at: list[float] = []

    async def agent() -> None:
        await greet(far)
        far.asks()
        await anyio.sleep(1.5)
        await far.speak(2_000)
        said_at.append(anyio.current_time())
        answer = await far.got("request.answer")
        said_at.append(anyio.current_time())
        far.tell("ok", id=answer["id"])
        far.settles()
        await anyio.sleep(0.3)
        await far.speak(400)

    report = await run(agent, Check(URL, same_clock=True))
    assert report.ok, report
    assert said_at[1] - said_at[0] == pytest.approx(0.7, abs=0.05)
    assert report.steps[-1].ms == pytest.approx(300)


async def served(far: FarEnd, digits: str = "") -> None:
    await greet_and_hear(far, digits)
    far.asks()
    await far.takes_the_answer()
    far.settles()
    await anyio.sleep(0.5)
    await far.speak(400)


async def greet_and_hear(far: FarEnd, digits: str) -> None:
    far.tell("call.state", state="live")
    await far.speak(200)
    await far.was_keyed()
    assert not far.spoken, "the keys are pressed before the caller speaks"
    for digit in digits:
        far.tell("digit", digit=digit)
    await far.was_spoken_to()


@pytest.mark.parametrize(
    ("loss", "counts", "arrived", "misses"),
    [
        (0.05, Counts(decoded=941, recovered=40, concealed=19, longest_concealed=2), "4271#", ""),
        (0.05, Counts(decoded=939, recovered=40, concealed=21, longest_concealed=2), "4271#", "97.9% of the frames"),
        (0.05, Counts(decoded=950, recovered=40, concealed=10, longest_concealed=5), "427#", "4271# arrived as 427#"),
        (0.05, Counts(decoded=950, recovered=40, concealed=10, longest_concealed=2), "", "arrived as nothing"),
        (0.01, Counts(decoded=986, recovered=10, concealed=4, longest_concealed=2), "4271#", ""),
        (0.01, Counts(decoded=986, recovered=10, concealed=4, longest_concealed=3), "4271#", "stall was 60 ms"),
        (0.01, Counts(decoded=984, recovered=10, concealed=6, longest_concealed=2), "4271#", "99.5% is the least"),
        (0.2, Counts(decoded=490, recovered=10, concealed=500, longest_concealed=20), "4271#", ""),
    ],
)
async def test_a_line_is_good_enough_or_it_is_said_why_not(
    monkeypatch: pytest.MonkeyPatch, loss: float, counts: Counts, arrived: str, misses: str
) -> None:
    far = FarEnd()
    far.counts = counts
    dialled(monkeypatch, far, loss)
    report = await run(lambda: served(far, arrived), Check(URL, same_clock=True, loss=loss, keys="4271#"))
    assert report.complete, report
    assert report.line is not None
    assert report.ok is (not misses)
    assert misses in "; ".join(report.line.misses)
    assert (far.pressed, report.line.arrived) == ("4271#", arrived)


async def test_another_machines_clock_is_measured_by_the_answers_round_trip(far: FarEnd) -> None:
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
        far.tell("request.settled", call="c1", pending_id="p1", server_time=sent)
        await anyio.sleep(0.1)
        await far.speak(400)

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


async def test_an_agent_that_says_nothing_fails_in_time(far: FarEnd) -> None:
    far.tell("call.state", state="live")
    report = await Check(URL, same_clock=True).run(timeout=30)
    assert report.failed == "first agent audio"
    assert report.why == "it did not happen within 30 s (--timeout)"


async def test_an_agent_that_hangs_up_fails_the_step_it_was_at(far: FarEnd) -> None:
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
    far: FarEnd, verdict: dict[str, str], result: dict[str, object], why: str
) -> None:
    async def agent() -> None:
        await greet(far)
        far.asks()
        answer = await far.got("request.answer")
        far.tell(**{**verdict, "id": str(answer["id"])})
        far.tell("request.settled", call="c1", pending_id="p1")
        far.tell("tool.result", call="c1", **result)

    report = await run(agent, Check(URL, same_clock=True))
    assert not report.ok
    assert why in report.why
