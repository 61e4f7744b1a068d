"""Requests to a person: one life, wherever the call came from that raised it."""

import json
import re
from collections.abc import Mapping
from datetime import timedelta

import anyio
import anyio.to_thread
import pytest

from tests.channels.kept import settle_down
from tests.human_input.told import ScriptedAsker, Told
from tests.parity.door import ACTOR, CHANNEL, CONFIRM, ROOM, Door, Setup, error
from tests.parity.rules import rule
from voice_hitl.asker import GaveUp
from voice_hitl.channels.ai import AIChannel
from voice_hitl.enums import HookTrigger, OutcomeKind, PendingInputStatus, RequestEnd, Via
from voice_hitl.hooks import HookContext, HookResult
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.questions.answer import Answer
from voice_hitl.requests.pending import PendingInput, PendingInputEvent
from voice_hitl.requests.settlement import Settlement, SettlementKind
from voice_hitl.testing import ScriptedChat

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

ENDS = pytest.mark.parametrize(
    ("end", "status", "reads", "outcome"),
    [
        ("answered", "resolved", '"confirmed": true', OutcomeKind.SERVED),
        ("refused", "rejected", "Human input rejected: not today", OutcomeKind.REFUSED),
        ("blocked", "rejected", "Human input rejected: closed on Mondays", OutcomeKind.REFUSED),
        ("timed_out", "timed_out", "Human input timed out after 60s for tool 'ConfirmAction'", OutcomeKind.FAILED),
        ("withdrawn", "rejected", "The tool call failed (RuntimeError).", OutcomeKind.FAILED),
    ],
)


@rule("R1")
@ENDS
async def test_a_request_ends_once_and_its_end_is_read_waited_for_and_told(
    door: Door, end: str, status: str, reads: str, outcome: OutcomeKind
) -> None:
    async with door.place(Setup()) as place:

        @place.kit.hook(HookTrigger.ON_USER_INPUT_REQUIRED)
        async def decide(_event: PendingInputEvent, _ctx: HookContext) -> HookResult | None:
            await anyio.sleep(0.5)
            return HookResult.block("closed on Mondays") if end == "blocked" else None

        request, people = await place.ask(), place.people.handler
        match end:
            case "answered":
                await place.answer()
            case "refused":
                assert people.reject(request.pending_id, "not today")
            case "withdrawn":
                assert people.release(request.pending_id)
            case _:
                pass
        assert reads in await place.read()
        await settle_down(1)
        assert (request.end, request.status) == (end, status)
        assert [event.end for event in place.settled] == [end]
        assert (await place.report()).outcome is outcome


@rule("R1a")
async def test_when_every_asker_gave_up_the_model_reads_that_at_once(door: Door) -> None:
    asker = ScriptedAsker(tries_s=5, gave_up=GaveUp(3))
    async with door.place(Setup(askers=[asker])) as place:
        request = await place.ask()
        assert error(await place.read()) == "Human input unanswered after 3 tries for tool 'ConfirmAction'"
        assert (request.end, (await place.report()).outcome) == (RequestEnd.UNANSWERED, OutcomeKind.FAILED)


@rule("R1b")
async def test_a_no_is_an_answer(door: Door) -> None:
    async with door.place(Setup()) as place:
        request = await place.ask()
        await place.answer(False)
        assert json.loads(await place.read())["confirmed"] is False
        assert (request.end, (await place.report()).outcome) == (RequestEnd.ANSWERED, OutcomeKind.SERVED)


@rule("R1c")
async def test_the_words_of_an_answer_are_data(door: Door) -> None:
    async with door.place(Setup()) as place:
        for words in ('{"error": "it failed"}', '{"type": "response.create"}'):
            await place.issue("AskUser", {"question": "Which?"})
            await place.end_response()
            assert place.people.handler.resolve(place.request.pending_id, words)
            assert await place.read() == words
        await settle_down()
        assert [report.outcome for report in place.reports] == [OutcomeKind.SERVED, OutcomeKind.SERVED]


@rule("R1d")
async def test_what_cannot_be_asked_fails_its_call_with_what_to_correct_and_nobody_is_asked(door: Door) -> None:
    asker = ScriptedAsker()
    async with door.place(Setup(askers=[asker])) as place:
        await place.issue("ConfirmAction", {"action": "  "})
        assert "action" in error(await place.read())
        assert (place.requests, place.settled, asker.notes) == ([], [], [])
        assert (await place.report()).outcome is OutcomeKind.FAILED


@rule("R2")
async def test_a_request_says_where_it_comes_from(door: Door) -> None:
    async with door.place(Setup()) as place:
        request = await place.ask()
        assert re.fullmatch(r"[a-zA-Z0-9_-]{20,}", request.pending_id)
        assert (request.tool_name, request.arguments) == ("ConfirmAction", CONFIRM)
        assert (request.channel_id, request.channel_type, request.room_id) == (CHANNEL, door.channel_type, ROOM)
        assert (request.door, request.actor_id) == (door.name, ACTOR)
        assert request.status is PendingInputStatus.PENDING
        assert not request.detached
        await place.answer()
        await place.read()
        report = await place.report()
        assert (request.tool_call_id, request.session_id) == (report.tool_call_id, report.session_id)
        assert [event.pending_id for event in place.required] == [request.pending_id]
        assert (request.answered_by, request.answered_via) == (ACTOR, Via.API)


@rule("R3")
async def test_a_request_that_a_handler_makes_takes_the_actor_of_its_turn(door: Door) -> None:
    made: list[PendingInput] = []
    people = HumanInputHandler()

    async def run(_name: str, _arguments: Mapping[str, object]) -> object:
        request = await people.create("LookUp", {}, room_id=ROOM, channel_id=CHANNEL)
        made.append(request)
        assert people.resolve(request.pending_id, "at once")  # answerable from this instant
        return await people.wait(request.pending_id)

    async with door.place(Setup(people=people, handler=run)) as place:
        await place.issue("look_up")
        assert await place.read() == "at once"
        assert [request.actor_id for request in made] == [ACTOR]


@rule("R4")
async def test_an_answer_is_told_what_became_of_it(door: Door) -> None:
    async with door.place(Setup()) as place:
        request, people = await place.ask(), place.people.handler
        assert (await people.answer(request.pending_id, Answer(value={"x": 1}))).kind is SettlementKind.INVALID
        assert request.end is None
        assert await people.answer("nobody", Answer(value=True)) == Settlement.UNKNOWN
        assert await place.answer() == Settlement.ACCEPTED
        assert await people.answer(request.pending_id, Answer(value=False)) == Settlement.DUPLICATE
        assert json.loads(await place.read())["confirmed"] is True
        late = await place.ask()
        people.release(late.pending_id)
        assert await people.answer(late.pending_id, Answer(value=True)) == Settlement.LATE
        await place.read()


@rule("R4a")
async def test_an_approval_is_given_by_its_approvers_only_and_never_by_a_word(door: Door) -> None:
    async with door.place(Setup()) as place:
        request, people = await place.approval(), place.people.handler
        approve = Answer(decision="approve", by="mallory")
        assert await people.answer(request.pending_id, approve) == Settlement.NOT_ALLOWED
        assert not people.resolve(request.pending_id, "yes")
        assert request.end is None
        assert people.reject(request.pending_id)
        error(await place.read())


@rule("R5")
async def test_the_hosts_own_word_settles_a_request_exactly_once(door: Door) -> None:
    async with door.place(Setup()) as place:
        request, people = await place.ask(), place.people.handler
        assert not people.resolve(request.pending_id, "perhaps")
        assert people.resolve(request.pending_id, "yes")
        assert not people.resolve(request.pending_id, "no")
        assert not people.reject(request.pending_id)
        assert json.loads(await place.read())["confirmed"] is True


@rule("R5a")
async def test_the_hosts_own_word_may_come_from_any_thread(door: Door) -> None:
    async with door.place(Setup()) as place:
        request, people = await place.ask(), place.people.handler
        assert await anyio.to_thread.run_sync(people.resolve, request.pending_id, "yes")
        assert json.loads(await place.read())["confirmed"] is True


@rule("R6")
async def test_waiters_are_independent_of_each_other(door: Door) -> None:
    came_to: list[str] = []
    async with door.place(Setup()) as place:
        request, people = await place.ask(), place.people.handler

        async def wait() -> None:
            came_to.append(await people.wait(request.pending_id))

        async with anyio.create_task_group() as group:
            group.start_soon(wait)
            with anyio.move_on_after(1):
                await people.wait(request.pending_id)
            with pytest.raises(TimeoutError):
                await people.wait(request.pending_id, timeout=1)
            assert request.end is None
            await place.answer()
        assert came_to == [await place.read()]
        assert await people.wait(request.pending_id) == came_to[0]


@rule("R6b")
async def test_a_request_whose_last_waiter_is_cut_is_withdrawn(door: Door) -> None:
    made: list[PendingInput] = []
    people = HumanInputHandler()

    async def run(_name: str, _arguments: Mapping[str, object]) -> object:
        made.append(await people.create("LookUp", {}, room_id=ROOM, channel_id=CHANNEL))
        return await people.wait(made[0].pending_id)

    async with door.place(Setup(people=people, handler=run, timeouts={"look_up": 5})) as place:
        await place.issue("look_up")
        assert "look_up" in error(await place.read())
        await settle_down()
        assert (made[0].end, [event.end for event in place.settled]) == (RequestEnd.WITHDRAWN, ["withdrawn"])
        assert (await place.report()).outcome is OutcomeKind.FAILED


@rule("R6c")
async def test_a_detached_request_outlives_its_call_until_it_is_released(door: Door) -> None:
    made: list[PendingInput] = []
    people = HumanInputHandler()

    async def run(_name: str, _arguments: Mapping[str, object]) -> object:
        made.append(await people.create_detached("LookUp", {}, room_id=ROOM, channel_id=CHANNEL))
        return "asked"

    async with door.place(Setup(people=people, handler=run)) as place:
        for _ in range(3):
            await place.issue("look_up")
            assert await place.read() == "asked"
        await settle_down(30)
        answered, cut, released = made
        assert all(request.detached and request.end is None and request.actor_id == ACTOR for request in made)
        assert people.resolve(answered.pending_id, "yes")
        with anyio.move_on_after(1):
            await people.wait(cut.pending_id)
        assert cut.end is None
        assert people.release(released.pending_id)
        assert await people.wait(answered.pending_id) == "yes"
        people.release(answered.pending_id)
        await people.close(channel_id=CHANNEL)
        assert [request.end for request in made] == ["answered", "withdrawn", "withdrawn"]
        await settle_down()
        assert sorted(str(event.end) for event in place.settled) == ["answered", "withdrawn", "withdrawn"]


@rule("R6a")
async def test_a_settled_request_is_read_by_its_call_whatever_is_retained(door: Door) -> None:
    people = HumanInputHandler(retention=0)
    async with door.place(Setup(people=people)) as place:
        request = await place.ask()
        await place.answer()
        assert json.loads(await place.read())["confirmed"] is True
        with pytest.raises(ValueError, match=request.pending_id):
            await people.wait(request.pending_id)


@rule("R7")
async def test_a_scope_that_is_closed_withdraws_what_is_open_and_takes_no_more(door: Door) -> None:
    async with door.place(Setup()) as place:
        request, people = await place.ask(), place.people.handler
        await people.close(session_id=request.session_id)
        assert (request.end, [event.end for event in place.settled]) == (RequestEnd.WITHDRAWN, ["withdrawn"])
        assert "RuntimeError" in error(await place.read())
        with pytest.raises(RuntimeError):
            await people.create("AskUser", {}, session_id=request.session_id)


@rule("R7c")
async def test_a_room_that_is_closed_takes_no_more_until_it_is_attached_again(door: Door) -> None:
    async with door.place(Setup()) as place:
        request, people = await place.ask(), place.people.handler
        await people.close(channel_id=CHANNEL, room_id=ROOM)
        assert request.end is RequestEnd.WITHDRAWN
        assert "RuntimeError" in error(await place.read())
        with pytest.raises(RuntimeError):
            await people.create("AskUser", {}, room_id=ROOM, channel_id=CHANNEL)
        people.attach_room(ROOM, channel_id=CHANNEL)
        await place.ask()
        await place.answer()
        assert json.loads(await place.read())["confirmed"] is True


@rule("R7d")
async def test_a_handler_that_is_closed_takes_nothing_any_more(door: Door) -> None:
    async with door.place(Setup()) as place:
        request, people = await place.ask(), place.people.handler
        await people.close()
        assert (request.end, [event.end for event in place.settled]) == (RequestEnd.WITHDRAWN, ["withdrawn"])
        assert "RuntimeError" in error(await place.read())
        await place.issue("ConfirmAction", CONFIRM)
        assert "RuntimeError" in error(await place.read())
        assert people.pending == {}


@rule("R7a")
async def test_what_is_open_is_seen_as_copies(door: Door) -> None:
    async with door.place(Setup()) as place:
        request = await place.ask()
        (copy,) = place.people.handler.pending.values()
        assert copy == request
        assert copy is not request
        await place.answer()
        assert copy.end is None
        await place.read()


@rule("R7b")
async def test_a_channel_that_was_displaced_cannot_silence_the_one_under_its_id(door: Door) -> None:
    people = HumanInputHandler()
    stale = people.register_channel(CHANNEL, Told())
    async with door.place(Setup(people=people)) as place:
        request = await place.ask()
        await people.close(channel_id=CHANNEL, registration=stale)
        assert request.end is None
        await place.answer()
        await place.read()


@rule("R8")
async def test_the_clock_starts_when_the_question_is_first_put_to_somebody(door: Door) -> None:
    asker = ScriptedAsker(puts_after_s=20)
    async with door.place(Setup(askers=[asker], timeout=30)) as place:
        request = await place.ask()
        assert request.expires_at is None
        await settle_down(25)
        assert request.expires_at is not None
        await settle_down(24)
        assert request.end is None
        assert "timed out after 30s" in error(await place.read())


@rule("R8a")
async def test_without_askers_the_clock_starts_at_once(door: Door) -> None:
    async with door.place(Setup(timeout=30)) as place:
        request = await place.ask()
        assert request.expires_at is not None
        assert request.expires_at - request.created_at == timedelta(seconds=30)
        await place.read()
        assert request.end is RequestEnd.TIMED_OUT


@rule("R8b")
async def test_a_question_that_is_put_to_nobody_in_its_time_has_timed_out_too(door: Door) -> None:
    async with door.place(Setup(askers=[ScriptedAsker(puts_after_s=None)], timeout=30)) as place:
        request = await place.ask()
        assert "timed out after 30s" in error(await place.read())
        assert (request.end, request.expires_at) == (RequestEnd.TIMED_OUT, None)


@rule("R9b")
async def test_slow_hooks_keep_a_person_from_being_asked_for_a_second_at_most(door: Door) -> None:
    asker = ScriptedAsker()
    async with door.place(Setup(askers=[asker])) as place:

        @place.kit.hook(HookTrigger.ON_USER_INPUT_REQUIRED)
        async def slow(_event: PendingInputEvent, _ctx: HookContext) -> None:
            await anyio.sleep(20)

        await place.ask()
        await settle_down(0.9)
        assert asker.notes == []
        await settle_down(0.2)
        assert asker.notes == ["asks", "put"]
        await place.answer()
        await place.read()


@rule("R9")
async def test_a_broken_hook_loses_the_notification_and_not_the_request_unless_it_fails_closed(door: Door) -> None:
    for fails_closed in (False, True):
        async with door.place(Setup()) as place:

            @place.kit.hook(HookTrigger.ON_USER_INPUT_REQUIRED, fail_closed=fails_closed)
            async def broken(_event: PendingInputEvent, _ctx: HookContext) -> None:
                raise KeyError("broken")

            await place.issue("ConfirmAction", CONFIRM)
            await place.end_response()
            await settle_down()
            if not fails_closed:
                await place.answer()
            text = await place.read()
            assert ("rejected" in text) is fails_closed
            await settle_down()
            assert len(place.errors) == 1


@rule("R9a")
async def test_a_denial_that_comes_late_withdraws_what_was_started(door: Door) -> None:
    asker = ScriptedAsker()
    async with door.place(Setup(askers=[asker])) as place:

        @place.kit.hook(HookTrigger.ON_USER_INPUT_REQUIRED)
        async def late(_event: PendingInputEvent, _ctx: HookContext) -> HookResult:
            await anyio.sleep(3)
            return HookResult.block("too late")

        request = await place.ask()
        assert "too late" in error(await place.read())
        assert request.end is RequestEnd.BLOCKED
        await settle_down()
        assert asker.notes == ["asks", "put", "withdrawn: blocked", "gone"]


@rule("R10")
async def test_identical_questions_are_asked_once_and_one_answer_settles_both(door: Door) -> None:
    asker = ScriptedAsker()
    async with door.place(Setup(askers=[asker])) as place:
        await place.issue("AskUser", {"question": "Which day?"})
        await place.issue("AskUser", {"question": " which DAY?"})
        await place.end_response()
        await settle_down()
        assert len(place.requests) == 2
        assert asker.notes.count("asks") == 1
        assert place.people.handler.resolve(place.requests[0].pending_id, "Monday")
        assert [await place.read(), await place.read()] == ["Monday", "Monday"]
        await settle_down()
        assert [event.end for event in place.settled] == ["answered", "answered"]


@rule("R10a")
async def test_a_gated_call_is_never_shared(door: Door) -> None:
    async with door.place(Setup()) as place:
        await place.issue("book", {"seats": 4})
        await place.issue("book", {"seats": 4})
        await place.end_response()
        await settle_down()
        approve = Answer(decision="approve", by=ACTOR)
        assert await place.people.handler.answer(place.request.pending_id, approve) == Settlement.ACCEPTED
        texts = sorted([await place.read(), await place.read()])
        assert "already being asked" in error(texts[0])
        assert json.loads(texts[1])["by"] == "book"


@rule("R11")
async def test_the_model_may_call_a_question_off(door: Door) -> None:
    async with door.place(Setup(withdrawable=True)) as place:
        request = await place.ask_too()
        await place.issue("withdraw_request")
        texts = sorted([await place.read(), await place.read()])
        assert json.loads(texts[1]) == {"withdrawn": ["ConfirmAction"]}
        assert "RuntimeError" in error(texts[0])
        assert request.end is RequestEnd.WITHDRAWN


@rule("R12")
async def test_it_all_works_without_a_kit(door: Door) -> None:
    async with door.place(Setup(kit=False, askers=[ScriptedAsker()])) as place:
        await place.ask()
        await place.answer()
        assert json.loads(await place.read())["confirmed"] is True


@rule("R13")
async def test_one_handler_may_serve_several_channels(door: Door) -> None:
    people = HumanInputHandler()
    async with door.place(Setup(people=people)) as place:
        request = await place.ask()
        tools = HumanInputToolHandler({"AskUser"}, handler=people)
        other = AIChannel("other", provider=ScriptedChat(), human_input_handler=tools)
        await other.close()
        assert request.end is None
        await place.answer()
        assert json.loads(await place.read())["confirmed"] is True
