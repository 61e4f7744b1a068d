"""`ConsoleAsker`, a desk, and whoever watches it."""

from collections.abc import Sequence

import anyio
import anyio.lowlevel
import pytest

from voice_hitl import Answer, Confirm, HumanInputHandler, PendingInput, RequestEnd, Settlement
from voice_hitl.asker import Asker
from voice_hitl.askers.console import ConsoleAsker
from voice_hitl.askers.desk import Desk, Lying, watch_of
from voice_hitl.askers.escalation import Try
from voice_hitl.human_input.new_request import NewRequest, new_pending
from voice_hitl.store import LEASE_S
from voice_hitl.stores.memory import MemoryStore

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


class Noted:
    """A console that only writes down what happens at its desk."""

    def __init__(self, desk: Desk) -> None:
        self.happened: list[str] = []
        desk.join(self)

    def opened(self, lying: Lying) -> None:
        self.happened.append(f"opened for {'+'.join(lying.roles)}")

    def lifted(self, lying: Lying) -> None:
        self.happened.append(f"lifted: {lying.asking.request.end}")

    def watched(self) -> None:
        """Nothing to write down."""


async def ask(handler: HumanInputHandler, askers: Sequence[Asker], *, audience: Sequence[str] = ()) -> PendingInput:
    pending = new_pending("ask", {}, question=Confirm(prompt="Sure?"), audience=audience)
    handler.open(NewRequest(pending, 600, askers=askers))
    await settle_down()
    return pending


async def settle_down() -> None:
    for _ in range(30):
        await anyio.lowlevel.checkpoint()


async def test_a_request_lies_on_the_desk_for_as_long_as_it_is_open() -> None:
    desk, handler = Desk(), HumanInputHandler()
    noted = Noted(desk)
    with desk.watch(["supervisors"]):
        pending = await ask(handler, [ConsoleAsker("supervisors", desk)])
        (lying,) = desk.lying
        assert (lying.id, lying.roles) == (pending.pending_id, ["supervisors"])
        assert pending.expires_at is not None
        assert await lying.asking.answer(Answer(True, by="ann", roles=("supervisors",))) == Settlement.ACCEPTED
        await settle_down()
        assert desk.lying == ()
        assert noted.happened == ["opened for supervisors", "lifted: answered"]
    await handler.close()


async def test_where_nobody_is_there_the_next_one_is_asked_at_once_and_the_caller_is_told_if_there_is_none() -> None:
    desk, handler = Desk(), HumanInputHandler()
    escalation = [Try(ConsoleAsker("experts", desk), patience=60), Try(ConsoleAsker("supervisors", desk), patience=60)]
    with desk.watch(["supervisors"]):
        pending = await ask(handler, escalation)
        assert desk.lying[0].roles == ["supervisors"]
        assert pending.end is None
    await anyio.sleep(30)
    nobody = await ask(handler, escalation)
    assert (nobody.end, nobody.reject_reason) == (RequestEnd.UNANSWERED, "unanswered after 0 tries")
    await handler.close()


async def test_whoever_loads_the_page_again_is_not_gone_and_whoever_closes_it_is() -> None:
    desk, handler = Desk(), HumanInputHandler()
    with desk.watch(["supervisors"]):
        pending = await ask(handler, [ConsoleAsker("supervisors", desk)])
    await anyio.sleep(4)
    assert pending.end is None
    with desk.watch(["supervisors"]):
        await anyio.sleep(60)
        assert pending.end is None
    await anyio.sleep(6)
    assert pending.reject_reason == "unanswered after 1 try"
    await handler.close()


async def test_one_request_for_two_roles_is_one_request() -> None:
    desk, handler = Desk(), HumanInputHandler()
    noted = Noted(desk)
    with desk.watch(["supervisors", "sales"]):
        pending = await ask(handler, [ConsoleAsker("supervisors", desk), ConsoleAsker("sales", desk)])
        assert len(desk.lying) == 1
        handler.release(pending.pending_id)
        await settle_down()
        assert noted.happened == ["opened for supervisors", "opened for supervisors+sales", "lifted: withdrawn"]
    await handler.close()


def test_who_may_not_answer_is_not_asked() -> None:
    asker = ConsoleAsker("supervisors", Desk())
    for audience, reached in ((), True), (("supervisors",), True), (("caller", "ann"), False):
        assert asker.reaches(new_pending("ask", {}, audience=audience), None) is reached
    assert asker.reaches(None, None)


async def test_a_role_answers_a_request_that_is_for_it_and_a_caller_never_by_its_name() -> None:
    handler = HumanInputHandler()
    pending = await handler.create_detached("ask", {}, question=Confirm(prompt="Sure?"), audience=["supervisors"])
    caller = await handler.create_detached("ask", {}, question=Confirm(prompt="Sure?"), audience=["caller"])
    assert await handler.answer(pending.pending_id, Answer(True, by="ann")) == Settlement.NOT_ALLOWED
    assert await handler.answer(caller.pending_id, Answer(True, by="ann", roles=("caller",))) == Settlement.NOT_ALLOWED
    ann = Answer(True, by="ann", roles=("sales", "supervisors"))
    assert await handler.answer(pending.pending_id, ann) == Settlement.ACCEPTED
    assert pending.answered_by == "ann"
    await handler.close()


async def test_a_console_in_another_process_of_the_same_store_counts_as_watching_for_what_it_can_see() -> None:
    store = MemoryStore()
    desk, handler = Desk(store=store), HumanInputHandler()
    await store.renew(watch_of("supervisors"), LEASE_S)
    asker = ConsoleAsker("supervisors", desk)
    named, unnamed = await ask(handler, [asker], audience=["supervisors"]), await ask(handler, [asker])
    assert named.end is None
    assert unnamed.end is RequestEnd.UNANSWERED
    await anyio.sleep(30)
    assert named.end is RequestEnd.UNANSWERED
    await handler.close()


def test_a_role_has_a_name() -> None:
    for role in ("", " ", "caller"):
        with pytest.raises(ValueError, match="is none"):
            ConsoleAsker(role)
