"""`voice-hitl check`: one real call to an agent that asks, timed from outside."""

import json
import wave
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, cast

import anyio

from voice_hitl import plugins
from voice_hitl.audio.frame import FRAME_MS
from voice_hitl.audio.playout import Counts
from voice_hitl.cli.ear import CallEnded, Ear, Heard
from voice_hitl.cli.line_quality import CallingLeg, LineQuality, Standstill
from voice_hitl.errors import InvalidOffer
from voice_hitl.tasks import current_time
from voice_hitl.transport import CallRejected, Leg

CALLER: Final = Path(__file__).parents[1] / "demo" / "caller.wav"
"""Somebody who books a table: mono int16."""

STEPS: Final = (
    "connect",
    "first agent audio",
    "tool call to question on the card",
    "answer to result sent",
    "answer to the agent's next audio",
)

FRAME_S: Final = FRAME_MS / 1_000
ALL_SAID_S: Final = 0.7
ASKED_ALOUD_WITHIN_S: Final = 3.0
"""A question that is to be asked aloud, too, is heard to begin within this time of its card."""
KEYS_WITHIN_S: Final = 3.0
"""A key that has not arrived so long after the last was let go will not."""

Place = Callable[..., Awaitable[CallingLeg]]


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened in the call, and how many milliseconds it took."""

    name: str
    ms: float


@dataclass(slots=True)
class Report:
    """What was seen of a call. `failed` names the step that did not happen, and `why` not."""

    url: str
    steps: list[Step] = field(default_factory=list[Step])
    line: LineQuality | None = None
    """What the line did to the call, where that was asked for and the call got as far."""
    failed: str | None = None
    why: str = ""

    @property
    def complete(self) -> bool:
        """Whether every step happened."""
        return len(self.steps) == len(STEPS)

    @property
    def ok(self) -> bool:
        """Whether every step happened, on a line that was good enough."""
        return self.complete and (self.line is None or not self.line.misses)


class Refused(Exception):  # noqa: N818 - named by its cause
    """The agent's session did not take the answer."""


@dataclass(slots=True)
class Check:
    """One call, step by step.

    Args:
        url: Where offers are posted.
        same_clock: Whether the agent runs on this machine's clock; else its clock is measured by a round trip.
        on_step: Is told each step that happened.
        loss: The share of the packets that a relay in this process loses, each way (0.05: one in twenty).
        keys: Pressed before the caller speaks.
    """

    url: str
    same_clock: bool
    loss: float = 0.0
    keys: str = ""
    on_step: Callable[[Step], None] = lambda _step: None
    report: Report = field(init=False)

    def __post_init__(self) -> None:
        """Begin with nothing seen."""
        self.report = Report(self.url)

    async def run(self, *, timeout: float) -> Report:
        """Place the call and see every step happen within `timeout` seconds.

        Raises:
            PluginMissing: The calling side is not installed.
        """
        place = cast("Place", plugins.load("caller", "webrtc"))
        why = ""
        with anyio.move_on_after(timeout) as scope:
            try:
                await self._call(place)
            except (ConnectionError, CallRejected, InvalidOffer, CallEnded, Refused) as error:
                why = str(error)
        if not self.report.complete:
            self.report.failed = STEPS[len(self.report.steps)]
            self.report.why = f"it did not happen within {timeout:g} s (--timeout)" if scope.cancelled_caught else why
        return self.report

    async def _call(self, place: Place) -> None:
        rate, speech = caller_speech()
        began = current_time()
        leg = await (place(self.url, rate=rate, loss=self.loss) if self.loss else place(self.url, rate=rate))
        ear, standstill = Ear(leg), Standstill()
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(ear.listen)
                group.start_soon(standstill.watch)
                try:
                    await self._converse(leg, ear, began, speech)
                finally:
                    group.cancel_scope.cancel()
        except* (CallEnded, Refused) as ended:
            raise ended.exceptions[0] from None
        finally:
            if self.loss or self.keys:
                self.report.line = self._line(leg.counts, ear, standstill)
            with anyio.move_on_after(2, shield=True):
                await leg.send_message('{"v":1,"type":"bye"}')
                await leg.hang_up()

    async def _converse(self, leg: CallingLeg, ear: Ear, began: float, speech: list[bytes]) -> None:
        connected = await ear.connected()
        self._step((connected - began) * 1000)
        self._step((await ear.voice(after=began) - connected) * 1000)

        await ear.quiet(for_s=ALL_SAID_S)
        if self.keys:
            await self._press(leg, ear)
        for frame in speech:
            leg.send_audio(frame, "caller")
        opened = await ear.message(lambda heard: heard.type == "request.opened" and heard.pending_id is not None)
        called = await ear.message(lambda heard: heard.type == "tool.called" and heard.call == opened.call)

        await self._hear_out(ear)
        answered, answered_at = datetime.now(UTC), current_time()
        ahead = await self._answer(leg, ear, opened)
        self._step(_ms(_instant(called), opened.arrived + ahead))
        settled = await ear.message(lambda it: it.type == "request.settled" and it.pending_id == opened.pending_id)
        settled_at = max(answered_at, current_time() - _age_s(settled, ahead))
        result = await ear.message(lambda heard: heard.type == "tool.result" and heard.call == opened.call)
        if result.outcome != "served":
            raise Refused(f"the answer was taken, and the call was {result.outcome} all the same")
        self._step(_ms(answered + ahead, _instant(result)))
        # The question may still be heard to its end: what counts is what begins after it was settled.
        self._step((await ear.voice_begins(after=settled_at) - answered_at) * 1000)

    def _line(self, counts: Counts, ear: Ear, standstill: Standstill) -> LineQuality:
        return LineQuality(
            loss=self.loss,
            delivered=counts.decoded,
            recovered=counts.recovered,
            concealed=counts.concealed,
            stall_ms=float(counts.longest_concealed * FRAME_MS),
            stood_still_ms=standstill.longest_ms,
            keyed=self.keys,
            arrived="".join(digit.digit or "" for digit in ear.messages if digit.type == "digit"),
        )

    async def _hear_out(self, ear: Ear) -> None:
        """Let the agent say what it says before the answer, the question too: else that would be heard after it."""
        asked_at = current_time()
        with anyio.move_on_after(ASKED_ALOUD_WITHIN_S):
            await ear.voice(after=asked_at)
        await ear.quiet(for_s=ALL_SAID_S)

    async def _press(self, leg: CallingLeg, ear: Ear) -> None:
        """Press the keys, and wait until the agent says that it has them all; a lost one is told by what arrived."""
        await leg.press(self.keys)
        with anyio.move_on_after(KEYS_WITHIN_S):
            await ear.messages_of("digit", len(self.keys))

    async def _answer(self, leg: Leg, ear: Ear, opened: Heard) -> timedelta:
        """Answer yes on the data channel; how far the agent's clock is ahead of ours."""
        wire = {"action": "answer", "value": True}
        message = {"v": 1, "type": "request.answer", "id": "check", "key": "check", "answer": wire}
        sent = datetime.now(UTC)
        await leg.send_message(json.dumps({**message, "pending_id": opened.pending_id}))
        verdict = await ear.message(lambda heard: heard.id == "check")
        if verdict.type != "ok":
            raise Refused(f"the answer was not taken: {verdict.why}")
        if self.same_clock or verdict.server_time is None:
            return timedelta(0)
        return verdict.server_time - (sent + (verdict.arrived - sent) / 2)

    def _step(self, ms: float) -> None:
        step = Step(STEPS[len(self.report.steps)], ms)
        self.report.steps.append(step)
        self.on_step(step)


def caller_speech() -> tuple[int, list[bytes]]:
    """The recorded caller: samples a second, and what is said in frames of 20 ms."""
    with wave.open(str(CALLER)) as recording:
        rate = recording.getframerate()
        speech = recording.readframes(recording.getnframes())
    size = int(rate * FRAME_S) * 2
    return rate, [speech[at : at + size].ljust(size, b"\0") for at in range(0, len(speech), size)]


def _instant(heard: Heard) -> datetime:
    if heard.at is None:
        raise Refused(f"the agent does not say when its {heard.type} was: it is not the demo's")
    return heard.at


def _age_s(heard: Heard, ahead: timedelta) -> float:
    """How long ago a message was sent: on a line that loses packets it may come after what followed it."""
    sent = heard.server_time - ahead if heard.server_time is not None else heard.arrived
    return max(0.0, (datetime.now(UTC) - sent).total_seconds())


def _ms(since: datetime, until: datetime) -> float:
    return max(0.0, (until - since).total_seconds() * 1000)
