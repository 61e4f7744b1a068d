"""Serving: who serves a call, for how long, and what its handler's words become."""

import json
from collections.abc import Mapping

import anyio
import pytest

from tests.channels.kept import LOOK_UP, settle_down
from tests.parity.door import ACTOR, BOOK, CHANNEL, ROOM, Door, Setup, error
from tests.parity.rules import rule
from voice_hitl.enums import HookTrigger, OutcomeKind
from voice_hitl.errors import ToolFailedError, ToolRefusedError, UnservedToolCallError
from voice_hitl.events import ToolCallEvent
from voice_hitl.hooks import HookContext
from voice_hitl.tools.context import ToolCallContext, current_tool_actor_id, current_tool_call
from voice_hitl.tools.handler import ToolHandler

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


def raising(raised: Exception) -> ToolHandler:
    async def run(_name: str, _arguments: Mapping[str, object]) -> object:
        raise raised

    return run


@rule("C12")
async def test_a_persons_tool_is_served_before_the_hosts_handler(door: Door) -> None:
    ran: list[str] = []

    async def run(name: str, _arguments: Mapping[str, object]) -> object:
        ran.append(name)
        return "the host's"

    async with door.place(Setup(handler=run)) as place:
        await place.ask()
        await place.answer()
        assert json.loads(await place.read())["confirmed"] is True
        await place.issue("look_up")
        assert await place.read() == "the host's"
        assert ran == ["look_up"]


@rule("C12a")
async def test_a_sync_handler_runs_and_may_block_without_holding_anybody_up(door: Door) -> None:
    def run(name: str, arguments: Mapping[str, object]) -> object:
        return {name: dict(arguments)}

    async with door.place(Setup(handler=run)) as place:
        await place.issue("look_up", {"q": "menu"})
        assert json.loads(await place.read()) == {"look_up": {"q": "menu"}}


@rule("C12b")
async def test_what_nobody_serves_is_unserved(door: Door) -> None:
    async with door.place(Setup(handler=None)) as place:
        await place.issue("look_up")
        assert error(await place.read()) == "Nobody serves the tool 'look_up'."
        assert (await place.report()).outcome is OutcomeKind.UNSERVED


@rule("C13")
async def test_what_serves_a_call_knows_whose_it_is(door: Door) -> None:
    seen: list[tuple[ToolCallContext | None, str | None]] = []
    async with door.place(Setup(tools=[LOOK_UP, BOOK])) as place:

        async def run(_name: str, _arguments: Mapping[str, object]) -> object:
            seen.append((current_tool_call(), current_tool_actor_id()))
            return "done"

        place.serve(run)
        await place.issue("look_up")
        await place.read()
        report = await place.report()
        ((context, actor_id),) = seen
        assert context is not None
        assert actor_id == context.actor_id == report.actor_id == ACTOR
        assert (context.room_id, context.channel_id, context.door) == (ROOM, CHANNEL, door.name)
        assert (context.call_id, context.session_id) == (report.tool_call_id, report.session_id)


@rule("C13a")
async def test_what_serves_a_call_knows_the_tools_of_its_session(door: Door) -> None:
    seen: list[tuple[str, ...]] = []

    async def run(_name: str, _arguments: Mapping[str, object]) -> object:
        context = current_tool_call()
        assert context is not None
        assert context.channel_type is door.channel_type
        seen.append(context.allowed_names)
        return "done"

    async with door.place(Setup(handler=run)) as place:
        await place.issue("look_up")
        await place.read()
        assert seen == [("look_up", "book", "ConfirmAction", "AskUser")]


@rule("C14")
async def test_a_handler_that_takes_longer_than_its_bound_has_failed(door: Door) -> None:
    async def run(_name: str, arguments: Mapping[str, object]) -> object:
        await anyio.sleep(7 if arguments.get("q") == "short" else 20)
        return "done"

    async with door.place(Setup(handler=run)) as place:
        await place.issue("look_up", {"q": "short"})
        assert await place.read() == "done"
        await place.issue("look_up", {"q": "long"})
        assert error(await place.read()) == "The tool 'look_up' took longer than 10 s."
    async with door.place(Setup(handler=run, timeouts={"look_up": 3})) as place:
        await place.issue("look_up", {"q": "short"})
        assert error(await place.read()) == "The tool 'look_up' took longer than 3 s."
    async with door.place(Setup(handler=run, timeouts={"look_up": 30})) as place:
        await place.issue("look_up", {"q": "long"})
        assert await place.read() == "done"


@rule("C14a")
async def test_a_persons_tool_has_its_own_timeout_and_only_a_bound_that_is_named_for_it(door: Door) -> None:
    async with door.place(Setup(timeout=60)) as place:
        await place.ask()
        await settle_down(59)
        await place.answer()
        assert json.loads(await place.read())["confirmed"] is True
    async with door.place(Setup(timeout=60, timeouts={"ConfirmAction": 5})) as place:
        request = await place.ask()
        assert error(await place.read()) == "The tool 'ConfirmAction' took longer than 5 s."
        assert request.end == "withdrawn"


@rule("C15")
@pytest.mark.parametrize(
    ("raised", "words", "kind", "detail"),
    [
        (UnservedToolCallError("not mine"), "Nobody serves the tool 'look_up'.", OutcomeKind.UNSERVED, "not mine"),
        (ToolRefusedError("Closed."), "Closed.", OutcomeKind.REFUSED, None),
        (ToolFailedError("No such table."), "No such table.", OutcomeKind.FAILED, "No such table."),
    ],
)
async def test_a_handler_may_say_in_its_words_that_it_does_not_serve_refuses_or_failed(
    door: Door, raised: Exception, words: str, kind: OutcomeKind, detail: str | None
) -> None:
    async with door.place(Setup(handler=raising(raised))) as place:
        await place.issue("look_up")
        assert error(await place.read()) == words
        report = await place.report()
        assert (report.outcome, report.error_detail, report.delivered) == (kind, detail, True)


@rule("C15a")
async def test_of_any_other_error_the_model_reads_only_the_class_and_observers_the_words(door: Door) -> None:
    async with door.place(Setup(handler=raising(KeyError("secret")))) as place:
        await place.issue("look_up")
        assert error(await place.read()) == "The tool call failed (KeyError)."
        report = await place.report()
        assert (report.outcome, report.error_detail) == (OutcomeKind.FAILED, "KeyError: 'secret'")


@rule("C16")
@pytest.mark.parametrize(
    ("result", "sent"),
    [
        ('{"a": 1}', '{"a": 1}'),
        ("plain", "plain"),
        ({"a": "é"}, '{"a": "é"}'),
        (None, "null"),
        ([1, True], "[1, true]"),
    ],
)
async def test_a_text_is_sent_verbatim_and_other_values_as_json(door: Door, result: object, sent: str) -> None:
    async def run(_name: str, _arguments: Mapping[str, object]) -> object:
        return result

    async with door.place(Setup(handler=run)) as place:
        await place.issue("look_up")
        assert await place.read() == sent


@rule("C16a")
async def test_a_handler_may_be_replaced_while_sessions_run_and_a_persons_tools_stay(door: Door) -> None:
    async def other(_name: str, _arguments: Mapping[str, object]) -> object:
        return "other"

    async with door.place(Setup()) as place:
        place.serve(other)
        await place.issue("look_up")
        assert await place.read() == "other"
        await place.ask()
        await place.answer()
        assert json.loads(await place.read())["confirmed"] is True


@rule("K1")
async def test_every_event_of_a_call_says_where_it_is_from(door: Door) -> None:
    async with door.place(Setup()) as place:
        before: list[ToolCallEvent] = []
        contexts: list[HookContext] = []

        @place.kit.hook(HookTrigger.BEFORE_TOOL_USE)
        async def see(event: ToolCallEvent, ctx: HookContext) -> None:
            before.append(event)
            contexts.append(ctx)

        await place.issue("look_up", {"q": "menu"})
        await place.read()
        (event,), (ctx,), report = before, contexts, await place.report()
        for each in (event, report):
            assert (each.channel_id, each.channel_type, each.room_id) == (CHANNEL, door.channel_type, ROOM)
            assert (each.door, each.actor_id, each.tool_name) == (door.name, ACTOR, "look_up")
            assert each.arguments == {"q": "menu"}
            assert each.session_id
        assert event.session_id == report.session_id
        assert event.tool_call_id == report.tool_call_id
        assert (ctx.kit, ctx.room_id) == (place.kit, ROOM)
