"""One after another, each for its patience, all still able to answer."""

import anyio
import pytest

from voice_hitl.asker import AskerSession, Asking, GaveUp
from voice_hitl.askers.escalation import Try
from voice_hitl.errors import ToolFailedError
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.questions.answer import Answer
from voice_hitl.requests.pending import PendingInput
from voice_hitl.tools.asking import confirm_action

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


class Person:
    def __init__(self, name: str, *, gives_up: bool = False) -> None:
        self.name = name
        self.asked_at: float | None = None
        self.asking: Asking | None = None
        self._gives_up = gives_up

    def reaches(self, request: PendingInput | None, session: AskerSession | None) -> bool:
        return True

    async def ask(self, asking: Asking, session: AskerSession | None) -> GaveUp | None:
        self.asked_at, self.asking = anyio.current_time(), asking
        asking.put()
        if self._gives_up:
            return GaveUp(1)
        await anyio.sleep_forever()
        return None


def asking(*people: Person, patience: float = 20) -> HumanInputToolHandler:
    askers = [Try(person, patience=patience) for person in people]
    return HumanInputToolHandler({"ConfirmAction"}, timeout=300, tool_definitions=[confirm_action()], askers=askers)


async def test_the_next_is_asked_when_the_first_was_given_its_patience_and_the_first_may_still_answer() -> None:
    first, second = Person("first"), Person("second")
    human = asking(first, second)
    async with anyio.create_task_group() as group:
        group.start_soon(human, "ConfirmAction", {"action": "Go."})
        await anyio.sleep(19)
        assert first.asked_at == pytest.approx(0, abs=0.1)
        assert second.asked_at is None
        await anyio.sleep(2)
        assert second.asked_at == pytest.approx(20, abs=0.1)
        assert first.asking is not None
        await first.asking.answer(Answer(True, by="first"))


async def test_who_gives_up_is_not_waited_for_and_the_last_to_give_up_ends_it() -> None:
    first, second = Person("first", gives_up=True), Person("second", gives_up=True)
    with pytest.raises(ToolFailedError, match="unanswered after 1 try"):
        await asking(first, second)("ConfirmAction", {"action": "Go."})
    assert second.asked_at == pytest.approx(0, abs=0.5)


async def test_handing_on_asks_the_next_at_once() -> None:
    first, second = Person("first"), Person("second")
    human = asking(first, second)
    async with anyio.create_task_group() as group:
        group.start_soon(human, "ConfirmAction", {"action": "Go."})
        await anyio.sleep(1)
        assert first.asking is not None
        assert first.asking.hand_on()
        await anyio.sleep(0.1)
        assert second.asked_at == pytest.approx(1, abs=0.1)
        assert second.asking is not None
        await second.asking.answer(Answer(True))
