"""What runs alongside the wait of a request: in which order, how long, and what it may break."""

import logging
from typing import cast

import anyio
import anyio.lowlevel
import pytest

from tests.human_input.told import FakeSession, ScriptedAsker, Told, Waits, put_to
from voice_hitl.asker import Asker, AskerSession, Asking, GaveUp
from voice_hitl.enums import RequestEnd
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Number
from voice_hitl.requests.pending import PendingInput, PendingInputEvent
from voice_hitl.requests.settlement import Settlement
from voice_hitl.tasks import current_time

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

PIN = Number(prompt="Your PIN?", digits=4, sensitive=True)


# --- hooks -----------------------------------------------------------------------------------------------------------


async def test_hooks_are_told_before_the_askers_start(handler: HumanInputHandler, told: Told) -> None:
    told.required_takes_s = 0.6
    asker = ScriptedAsker()
    pending = put_to(handler, asker)
    await anyio.sleep(0.5)
    assert ([event.pending_id for event in told.required_events], asker.notes) == ([pending.pending_id], [])
    await anyio.sleep(0.2)
    assert asker.notes == ["asks", "put"]


async def test_hooks_hold_the_askers_up_for_a_second_at_most(handler: HumanInputHandler, told: Told) -> None:
    told.required_takes_s = 30
    asker = ScriptedAsker()
    put_to(handler, asker)
    await anyio.sleep(0.99)
    assert asker.notes == []
    await anyio.sleep(0.02)
    assert asker.notes == ["asks", "put"]


async def test_slow_hooks_do_not_hold_up_the_answer(handler: HumanInputHandler, told: Told, waits: Waits) -> None:
    told.required_takes_s = 30
    pending = put_to(handler)
    began = current_time()
    async with anyio.create_task_group() as group:
        group.start_soon(waits, pending.pending_id)
        await anyio.sleep(0.1)
        assert handler.resolve(pending.pending_id, "Monday")
    assert (waits.came_to, current_time() - began) == (["Monday"], 0.1)


async def test_hooks_that_are_still_told_of_what_has_settled_end_with_its_session(
    handler: HumanInputHandler, told: Told
) -> None:
    told.required_takes_s = 30
    before = {task.id for task in anyio.get_running_tasks()}
    pending = put_to(handler)
    await anyio.sleep(2)
    assert handler.resolve(pending.pending_id, "Monday")
    await anyio.sleep(2)
    began = current_time()
    await handler.close(session_id="s1")
    assert current_time() - began < 1
    assert [task.name for task in anyio.get_running_tasks() if task.id not in before] == []


@pytest.mark.parametrize("after_s", [0.5, 20])
async def test_a_denial_withdraws_what_was_started_however_late_and_its_reason_is_told(
    handler: HumanInputHandler, told: Told, waits: Waits, after_s: float
) -> None:
    told.required_takes_s, told.denies = after_s, "the desk is closed"
    asker = ScriptedAsker()
    pending = put_to(handler, asker)
    assert await waits(pending.pending_id) == "HumanInputRejectedError: the desk is closed"
    assert pending.end is RequestEnd.BLOCKED
    await anyio.sleep(1)
    assert asker.notes == ([] if after_s < 1 else ["asks", "put", "withdrawn: blocked", "gone"])
    assert told.ends == [RequestEnd.BLOCKED]


async def test_a_denial_after_the_answer_changes_nothing(handler: HumanInputHandler, told: Told) -> None:
    told.required_takes_s, told.denies = 5, "no"
    pending = put_to(handler)
    await anyio.sleep(1)
    handler.resolve(pending.pending_id, "Monday")
    await anyio.sleep(10)
    assert (pending.end, told.ends) == (RequestEnd.ANSWERED, [RequestEnd.ANSWERED])


async def test_a_broken_hook_loses_the_notification_and_not_the_request(
    handler: HumanInputHandler, told: Told, caplog: pytest.LogCaptureFixture
) -> None:
    told.error = LookupError("no such desk")
    asker = ScriptedAsker()
    pending = put_to(handler, asker)
    await anyio.sleep(1)
    assert asker.notes == ["asks", "put"]
    assert handler.resolve(pending.pending_id, "Monday")
    await handler.close(session_id="s1")
    assert told.failures == [
        (pending.pending_id, "on_user_input_required", "LookupError: no such desk"),
        (pending.pending_id, "on_user_input_settled", "LookupError: no such desk"),
    ]
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * 2


async def test_what_settled_before_its_hooks_were_told_is_announced_all_the_same(
    handler: HumanInputHandler, told: Told
) -> None:
    pending = put_to(handler, ScriptedAsker())
    handler.resolve(pending.pending_id, "Monday")
    await handler.close(session_id="s1")
    assert (told.required_events, told.ends) == ([], [RequestEnd.ANSWERED])


async def test_the_end_is_told_after_the_beginning_unless_that_takes_a_second(
    handler: HumanInputHandler, told: Told
) -> None:
    told.required_takes_s = 0.5
    pending = put_to(handler)
    await anyio.sleep(0.1)
    handler.resolve(pending.pending_id, "Monday")
    await anyio.sleep(0.3)
    assert told.ends == []
    await anyio.sleep(0.2)
    assert told.ends == [RequestEnd.ANSWERED]


async def test_somebody_who_listens_only_from_later_on_hears_of_the_end(handler: HumanInputHandler, told: Told) -> None:
    told.listens = told.hears_ends = False
    pending = put_to(handler)
    told.hears_ends = True
    handler.resolve(pending.pending_id, "Monday")
    await handler.close(session_id="s1")
    assert (told.required_events, told.ends) == ([], [RequestEnd.ANSWERED])


async def test_where_nobody_listens_and_nobody_asks_nothing_runs(handler: HumanInputHandler, told: Told) -> None:
    told.listens = told.hears_ends = False
    pending = put_to(handler)
    await anyio.wait_all_tasks_blocked()
    handler.resolve(pending.pending_id, "Monday")
    await handler.close()
    assert (told.required_events, told.settled_events) == ([], [])


async def test_a_hook_may_answer_and_may_close(handler: HumanInputHandler, told: Told, waits: Waits) -> None:
    class Answering(Told):
        async def required(self, event: PendingInputEvent) -> str | None:
            assert handler.resolve(next(iter(handler.pending)), "by a hook")
            await handler.close(session_id="s1")
            return "too late to say no"

    handler.register_channel("voice", Answering())
    pending = put_to(handler)
    assert await waits(pending.pending_id) == "by a hook"
    await anyio.sleep(3)
    assert pending.end is RequestEnd.ANSWERED


# --- askers ----------------------------------------------------------------------------------------------------------


async def test_all_askers_that_reach_somebody_ask_at_once_and_all_withdraw_when_one_has_the_answer(
    handler: HumanInputHandler, waits: Waits
) -> None:
    card, voice, nobody = ScriptedAsker("card"), ScriptedAsker("voice"), ScriptedAsker("nobody", reached=False)
    pending = put_to(handler, card, voice, nobody)
    await anyio.sleep(1)
    assert (card.notes, voice.notes, nobody.notes) == (["asks", "put"], ["asks", "put"], [])
    assert isinstance(card.sessions[0], FakeSession)
    assert await voice.askings[0].answer(Answer("Monday", by="ada")) == Settlement.ACCEPTED
    assert await waits(pending.pending_id) == "Monday"
    await anyio.lowlevel.checkpoint()
    await anyio.wait_all_tasks_blocked()
    assert card.notes == voice.notes == ["asks", "put", "withdrawn: answered", "gone"]


async def test_when_every_asker_gave_up_the_request_is_unanswered_at_once(
    handler: HumanInputHandler, told: Told, waits: Waits
) -> None:
    quick = ScriptedAsker("card", tries_s=5, gave_up=GaveUp(1))
    patient = ScriptedAsker("voice", tries_s=20, gave_up=GaveUp(3, "nobody spoke"))
    pending = put_to(handler, quick, patient)
    began = current_time()
    assert await waits(pending.pending_id) == "TimeoutError: unanswered after 3 tries"
    assert (pending.end, current_time() - began) == (RequestEnd.UNANSWERED, 20)
    assert await handler.answer(pending.pending_id, Answer("Monday")) == Settlement.LATE
    await anyio.sleep(1)
    assert told.ends == [RequestEnd.UNANSWERED]


async def test_one_asker_that_gives_up_leaves_the_others(handler: HumanInputHandler) -> None:
    quick, patient = ScriptedAsker(tries_s=5, gave_up=GaveUp(1)), ScriptedAsker()
    pending = put_to(handler, quick, patient)
    await anyio.sleep(30)
    assert pending.end is None
    assert patient.notes == ["asks", "put"]


async def test_an_asker_that_returns_nothing_gave_up_too(handler: HumanInputHandler, waits: Waits) -> None:
    pending = put_to(handler, ScriptedAsker(tries_s=5), ScriptedAsker(tries_s=1, gave_up=GaveUp(1)))
    assert await waits(pending.pending_id) == "TimeoutError: unanswered after 1 try"


async def test_a_broken_asker_is_told_and_the_others_go_on(
    handler: HumanInputHandler, told: Told, caplog: pytest.LogCaptureFixture
) -> None:
    class Unsure(ScriptedAsker):
        def reaches(self, request: PendingInput | None, session: AskerSession | None) -> bool:
            raise LookupError("whom?")

    broken, good = ScriptedAsker("broken", tries_s=1, error=OSError("line down")), ScriptedAsker("good")
    pending = put_to(handler, Unsure("unsure"), broken, good)
    await anyio.sleep(2)
    assert pending.end is None
    assert good.notes == ["asks", "put"]
    assert told.failures == [
        (pending.pending_id, "asker unsure", "LookupError: whom?"),
        (pending.pending_id, "asker broken", "OSError: line down"),
    ]
    assert "line down" in caplog.text


async def test_when_every_asker_broke_the_request_is_unanswered(handler: HumanInputHandler, waits: Waits) -> None:
    pending = put_to(handler, ScriptedAsker(tries_s=1, error=OSError("line down")))
    assert await waits(pending.pending_id) == "TimeoutError: unanswered after 0 tries"


async def test_an_asker_without_a_name_goes_by_its_class(handler: HumanInputHandler, told: Told) -> None:
    class Nameless:
        def reaches(self, request: PendingInput | None, session: AskerSession | None) -> bool:
            return True

        async def ask(self, asking: Asking, session: AskerSession | None) -> GaveUp | None:
            raise OSError("line down")

    put_to(handler, cast("Asker", Nameless()))
    await anyio.sleep(1)
    assert [source for _, source, _ in told.failures] == ["asker Nameless"]


async def test_an_asker_is_asked_once_and_may_be_listed_twice(handler: HumanInputHandler) -> None:
    asker = ScriptedAsker()
    pending = put_to(handler, asker, asker)
    await anyio.sleep(1)
    assert asker.notes == ["asks", "asks", "put", "put"]
    handler.resolve(pending.pending_id, "Monday")
    await handler.close()
    assert asker.notes[4:] == ["withdrawn: answered"] * 2 + ["gone"] * 2


async def test_reaching_nobody_is_unanswered_at_once_where_no_hook_listens_either(
    handler: HumanInputHandler, waits: Waits
) -> None:
    pending = put_to(handler, ScriptedAsker(reached=False), channel_id="")
    assert await waits(pending.pending_id) == "TimeoutError: unanswered after 0 tries"


async def test_reaching_nobody_leaves_it_to_the_hooks_that_were_told(handler: HumanInputHandler, told: Told) -> None:
    told.required_takes_s = 0.5
    pending = put_to(handler, ScriptedAsker(reached=False))
    assert pending.expires_at is None
    await anyio.sleep(0.6)
    assert pending.end is None
    assert pending.expires_at is not None
    await anyio.sleep(60)
    assert pending.end is RequestEnd.TIMED_OUT


async def test_an_asker_that_finds_the_request_answered_while_it_looks_whom_it_reaches_is_not_started(
    handler: HumanInputHandler,
) -> None:
    class Answering(ScriptedAsker):
        def reaches(self, request: PendingInput | None, session: AskerSession | None) -> bool:
            assert request is not None
            return handler.resolve(request.pending_id, "by itself")

    asker = Answering()
    pending = put_to(handler, asker)
    await anyio.sleep(1)
    await handler.close()
    assert (pending.result, asker.notes) == ("by itself", [])


async def test_a_plain_functions_asking_runs_in_a_worker_thread(handler: HumanInputHandler, waits: Waits) -> None:
    class Plain:
        name = "plain"

        def reaches(self, request: PendingInput | None, session: AskerSession | None) -> bool:
            return True

        def ask(self, asking: object, session: AskerSession | None) -> GaveUp:
            return GaveUp(2)

    pending = put_to(handler, cast("Asker", Plain()))
    assert await waits(pending.pending_id) == "TimeoutError: unanswered after 2 tries"


# --- the clock -------------------------------------------------------------------------------------------------------


async def test_the_clock_starts_at_creation_where_there_are_no_askers(handler: HumanInputHandler) -> None:
    pending = put_to(handler)
    assert pending.expires_at is not None
    assert (pending.expires_at - pending.created_at).total_seconds() == 60


async def test_the_clock_starts_when_the_question_is_first_put_to_somebody(handler: HumanInputHandler) -> None:
    first, second = ScriptedAsker(puts_after_s=30), ScriptedAsker(puts_after_s=50)
    pending = put_to(handler, first, second)
    await anyio.sleep(29)
    assert pending.expires_at is None
    await anyio.sleep(2)
    put = pending.expires_at
    assert put is not None
    await anyio.sleep(30)
    assert pending.expires_at == put
    await anyio.sleep(28)
    assert pending.end is None
    await anyio.sleep(2)
    assert pending.end is RequestEnd.TIMED_OUT


async def test_a_request_put_to_nobody_within_its_timeout_times_out_too(handler: HumanInputHandler) -> None:
    asker = ScriptedAsker(puts_after_s=None)
    pending = put_to(handler, asker)
    await anyio.sleep(59)
    assert pending.end is None
    await anyio.sleep(2)
    assert pending.expires_at is None
    assert repr(pending.end) == repr(RequestEnd.TIMED_OUT)
    assert asker.notes == ["asks", "withdrawn: timed_out", "gone"]


async def test_putting_a_question_after_it_settled_does_nothing(handler: HumanInputHandler) -> None:
    asker = ScriptedAsker(puts_after_s=None)
    pending = put_to(handler, asker)
    await anyio.sleep(1)
    handler.resolve(pending.pending_id, "Monday")
    asker.askings[0].put()
    await handler.close()
    asker.askings[0].put()
    assert pending.expires_at is None


# --- ending ----------------------------------------------------------------------------------------------------------


async def test_closing_waits_until_the_askers_have_cleaned_up(handler: HumanInputHandler) -> None:
    asker = ScriptedAsker(cleans_up_s=0.8)
    put_to(handler, asker)
    await anyio.sleep(1)
    began = current_time()
    await handler.close(session_id="s1")
    assert asker.notes == ["asks", "put", "withdrawn: withdrawn", "gone"]
    assert current_time() - began == pytest.approx(0.8)


async def test_closing_waits_for_askers_of_what_was_answered_just_before(handler: HumanInputHandler) -> None:
    asker = ScriptedAsker(cleans_up_s=0.8)
    pending = put_to(handler, asker)
    await anyio.sleep(1)
    handler.resolve(pending.pending_id, "Monday")
    await handler.close(session_id="s1")
    assert asker.notes[-1] == "gone"


async def test_an_asker_that_swallows_its_cancellation_is_abandoned_and_named(
    handler: HumanInputHandler, caplog: pytest.LogCaptureFixture
) -> None:
    asker = ScriptedAsker("stubborn", cleans_up_s=60)
    put_to(handler, asker)
    await anyio.sleep(1)
    began = current_time()
    with caplog.at_level(logging.WARNING):
        await handler.close(session_id="s1")
    assert current_time() - began <= 2
    assert "stubborn" in caplog.text
    await anyio.sleep(100)


async def test_an_asker_may_close_the_session_it_asks_in(handler: HumanInputHandler) -> None:
    class Closing(ScriptedAsker):
        async def ask(self, asking: Asking, session: AskerSession | None) -> GaveUp | None:
            await handler.close(session_id="s1")
            return None

    pending = put_to(handler, Closing())
    await anyio.sleep(5)
    assert pending.end is RequestEnd.WITHDRAWN
    await handler.close()


async def test_what_failed_beside_a_sensitive_question_is_told_without_its_words(
    handler: HumanInputHandler, told: Told, caplog: pytest.LogCaptureFixture
) -> None:
    pending = put_to(handler, ScriptedAsker("broken", tries_s=1, error=OSError("heard 9876")), question=PIN)
    with caplog.at_level(logging.DEBUG):
        await anyio.sleep(2)
    assert told.failures == [(pending.pending_id, "asker broken", "OSError")]
    assert "9876" not in caplog.text
    assert "OSError" in caplog.text


async def test_what_cannot_be_told_breaks_nothing_more(
    handler: HumanInputHandler, waits: Waits, caplog: pytest.LogCaptureFixture
) -> None:
    class Closed(Told):
        def failed(self, request: PendingInput, source: str, message: str) -> None:
            raise RuntimeError("the hooks are closed")

    handler.register_channel("voice", Closed())
    pending = put_to(handler, ScriptedAsker("card", tries_s=1, error=OSError("line down")))
    assert await waits(pending.pending_id) == "TimeoutError: unanswered after 0 tries"
    assert "the hooks are closed" in caplog.text
