"""Calls of a turn that somebody else runs: booked here, handed on, their results taken once."""

import anyio
import pytest

from tests.channels.kept import LOOK_UP, settle_down
from voice_hitl.calls.call import ToolCall
from voice_hitl.channels.turn_calls import HandedOnCalls
from voice_hitl.doors.gate import Catalogue, Gate
from voice_hitl.enums import OutcomeKind
from voice_hitl.tasks import Tasks
from voice_hitl.tools.calls import AIToolCall

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


class Turn:
    """What hands on, and what came of it."""

    def __init__(self) -> None:
        self.tasks = Tasks("turn")
        self.executed: list[tuple[AIToolCall, str]] = []
        self.kept: list[tuple[str, str]] = []
        self.reported: list[OutcomeKind | None] = []
        self.takes_s = 1.0
        self.calls = HandedOnCalls(
            execute=self.execute,
            gate=Gate(Catalogue([LOOK_UP]), undeclared_pass=False),
            tasks=self.tasks,
            keep=lambda call, text: self.kept.append((call.call_id, text)),
            reported=self._report,
        )

    async def execute(self, call: AIToolCall, *, response_id: str = "") -> str:
        self.executed.append((call, response_id))
        await anyio.sleep(self.takes_s)
        if call.name == "breaks":
            raise LookupError("no such table")
        return "found"

    def _report(self, call: ToolCall) -> None:
        self.reported.append(call.outcome.kind if call.outcome is not None else None)


async def test_a_call_is_handed_on_as_it_came_and_its_result_kept_once() -> None:
    turn = Turn()
    assert turn.calls.arrive("c1", "look_up", '{"q', "round 1") is not None
    assert turn.calls.arrive("c1", "look_up", '{"q', "round 1") is None
    assert len(turn.calls.jobs) == 1
    await settle_down(2)
    assert turn.executed == [(AIToolCall("c1", "look_up", '{"q'), "round 1")]
    assert (turn.kept, turn.reported, turn.calls.jobs) == ([("c1", "found")], [OutcomeKind.SERVED], [])
    await turn.tasks.close()


async def test_what_breaks_has_failed_and_what_has_no_id_is_only_reported() -> None:
    turn = Turn()
    turn.calls.arrive("c1", "breaks", "{}")
    turn.calls.arrive("", "look_up", "{}")
    await settle_down(2)
    assert turn.kept == [("c1", '{"error": "The tool call failed (LookupError)."}')]
    assert turn.reported == [OutcomeKind.REFUSED, OutcomeKind.FAILED]
    await turn.tasks.close()


async def test_when_nothing_may_be_called_any_more_nothing_is_handed_on() -> None:
    turn = Turn()
    turn.calls.gate = Gate(Catalogue(()), undeclared_pass=False)
    turn.calls.arrive("c1", "look_up", "{}")
    await settle_down(2)
    assert (turn.executed, turn.reported) == ([], [OutcomeKind.REFUSED])
    await turn.tasks.close()


async def test_the_end_gives_up_what_waits_in_this_tick_but_the_call_that_caused_it() -> None:
    turn = Turn()
    first, second = turn.calls.arrive("c1", "look_up", "{}"), turn.calls.arrive("c2", "look_up", "{}")
    await settle_down(0.5)
    assert turn.calls.current_call() is None
    turn.calls.end(but=second)
    assert turn.reported == [OutcomeKind.CANCELLED]
    await settle_down(2)
    assert first is not None
    assert (turn.kept, turn.reported) == ([], [OutcomeKind.CANCELLED, OutcomeKind.SERVED])
    await turn.tasks.close()
