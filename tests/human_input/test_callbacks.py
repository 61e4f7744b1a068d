"""Who is told of a request: by its channel, by a kit's hooks, or by the callbacks of the handler itself."""

import logging
import threading

import anyio
import pytest

from tests.human_input.told import ScriptedAsker, Told, Waits, put_to
from voice_hitl.channels.request_hooks import FAILED_CLOSED, RequestHooks
from voice_hitl.enums import ChannelType, HookExecution, HookTrigger, RequestEnd
from voice_hitl.events import ErrorEvent
from voice_hitl.hooks import HookContext, HookResult
from voice_hitl.human_input.callbacks import HandlerWideCallbacks
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.kit import VoiceKit
from voice_hitl.requests.pending import PendingInputEvent
from voice_hitl.tasks import Tasks

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

REQUIRED, SETTLED = HookTrigger.ON_USER_INPUT_REQUIRED, HookTrigger.ON_USER_INPUT_SETTLED


# --- routing ---------------------------------------------------------------------------------------------------------


class Desk:
    """A handler with two channels, and callbacks of its own."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.handler = HumanInputHandler(on_input_required=self._required, on_input_settled=self._settled)
        self.voice, self.room = Told(), Told()

    async def _required(self, event: PendingInputEvent) -> HookResult | None:
        self.notes.append(f"required: {event.channel_id or 'no channel'}")
        return None

    async def _settled(self, event: PendingInputEvent) -> None:
        self.notes.append(f"settled: {event.channel_id or 'no channel'}")

    async def create(self, channel_id: str) -> None:
        pending = await self.handler.create("AskUser", {}, channel_id=channel_id, session_id="s1")
        await anyio.sleep(0.1)
        self.handler.resolve(pending.pending_id, "Monday")
        await anyio.sleep(0.1)

    def told(self) -> tuple[int, int, list[str]]:
        for channel in (self.voice, self.room):
            assert len(channel.required_events) == len(channel.settled_events)
        return len(self.voice.settled_events), len(self.room.settled_events), self.notes


async def test_a_request_is_told_to_its_own_channel() -> None:
    desk = Desk()
    desk.handler.register_channel("voice", desk.voice)
    desk.handler.register_channel("room", desk.room)
    await desk.create("voice")
    assert desk.told() == (1, 0, [])
    await desk.create("room")
    assert desk.told() == (1, 1, [])


async def test_a_request_without_a_channel_is_told_to_the_only_one_there_is() -> None:
    desk = Desk()
    desk.handler.register_channel("voice", desk.voice)
    await desk.create("")
    assert desk.told() == (1, 0, [])


async def test_it_is_never_told_to_the_last_one_registered() -> None:
    desk = Desk()
    desk.handler.register_channel("voice", desk.voice)
    desk.handler.register_channel("room", desk.room)
    await desk.create("")
    await desk.create("unheard of")
    assert desk.told() == (0, 0, [f"{when}: {where}" for where in ("no channel", "unheard of") for when in WHENS])


WHENS = ("required", "settled")


async def test_without_channels_it_is_told_to_the_handlers_own_callbacks() -> None:
    desk = Desk()
    await desk.create("")
    await desk.create("voice")
    assert desk.notes == [f"{when}: {where}" for where in ("no channel", "voice") for when in WHENS]


async def test_a_closed_channel_counts_no_more() -> None:
    desk = Desk()
    desk.handler.register_channel("voice", desk.voice)
    desk.handler.register_channel("room", desk.room)
    await desk.handler.close(channel_id="room")
    await desk.create("")
    assert desk.told() == (1, 0, [])
    await desk.handler.close(channel_id="voice", room_id="r1")
    await desk.create("voice")
    assert desk.told() == (2, 0, [])


async def test_a_request_stays_with_whom_it_was_told_to_first() -> None:
    desk = Desk()
    desk.handler.register_channel("voice", desk.voice)
    pending = await desk.handler.create("AskUser", {}, channel_id="voice")
    await anyio.sleep(0.1)
    desk.handler.register_channel("voice", desk.room)
    desk.handler.resolve(pending.pending_id, "Monday")
    await anyio.sleep(0.1)
    assert desk.told() == (1, 0, [])


# --- the handler's own callbacks -------------------------------------------------------------------------------------


async def test_the_handlers_own_callback_may_deny_and_its_reason_is_told() -> None:
    async def deny(_event: PendingInputEvent) -> HookResult:
        return HookResult.block("not on Sundays")

    handler = HumanInputHandler(on_input_required=deny)
    pending = await handler.create("AskUser", {})
    assert await Waits(handler)(pending.pending_id) == "HumanInputRejectedError: not on Sundays"


async def test_the_handlers_own_callback_that_allows_lets_it_be_asked() -> None:
    async def allow(_event: PendingInputEvent) -> HookResult:
        return HookResult.allow()

    handler = HumanInputHandler(on_input_required=allow)
    pending = await handler.create("AskUser", {})
    await anyio.sleep(1)
    assert pending.end is None


@pytest.mark.parametrize("broken", ["raises", "hangs", "returns nonsense"])
async def test_the_handlers_own_callback_may_break_without_breaking_the_request(
    broken: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def breaks(_event: PendingInputEvent) -> HookResult | None:
        if broken == "raises":
            raise LookupError("no such desk")
        if broken == "hangs":
            await anyio.sleep_forever()
        return "yes"  # type: ignore[return-value]  # as users may

    asker = ScriptedAsker()
    handler = HumanInputHandler(on_input_required=breaks)
    pending = put_to(handler, asker, timeout=600)
    with caplog.at_level(logging.WARNING):
        await anyio.sleep(40)
    assert (pending.end, asker.notes) == (None, ["asks", "put"])
    assert len(caplog.records) == 1
    words = {"raises": "no such desk", "hangs": "longer than 30 s", "returns nonsense": "not str"}
    assert words[broken] in caplog.text


async def test_a_plain_function_will_do_as_a_callback_and_runs_in_a_worker_thread() -> None:
    threads: list[int] = []

    def note(_event: PendingInputEvent) -> None:
        threads.append(threading.get_ident())

    handler = HumanInputHandler(on_input_required=note, on_input_settled=note)  # type: ignore[arg-type]  # as users may
    pending = await handler.create("AskUser", {})
    await anyio.sleep(1)
    handler.resolve(pending.pending_id, "Monday")
    await handler.close()
    assert len(threads) == 2
    assert threading.get_ident() not in threads


async def test_a_callback_that_was_not_given_is_not_missed() -> None:
    nobody = HandlerWideCallbacks(None, None)
    handler = HumanInputHandler()
    pending = await handler.create("AskUser", {})
    event = PendingInputEvent.of(pending)
    assert (nobody.listens, nobody.hears_ends) == (False, False)
    assert await nobody.required(event) is None
    await nobody.settled(event)
    nobody.failed(pending, "asker card", "OSError")


# --- a kit's hooks ---------------------------------------------------------------------------------------------------


class Kit:
    """A kit whose hooks are told of the requests of the channel `voice`."""

    def __init__(self, handler: HumanInputHandler) -> None:
        self.kit = VoiceKit()
        self.watching = Tasks("test")
        self.contexts: list[HookContext] = []
        self.errors: list[ErrorEvent] = []
        self.hooks = RequestHooks(
            channel_type=ChannelType.REALTIME_VOICE,
            hooks=lambda: self.kit.hooks,
            context=lambda session_id, room_id: HookContext(self.kit, "channel", session_id, room_id),
            watching=lambda _session_id: self.watching,
        )
        handler.register_channel("voice", self.hooks)

    def listen_to_errors(self) -> None:
        @self.kit.hook(HookTrigger.ON_ERROR)
        async def on_error(event: ErrorEvent, _ctx: HookContext) -> None:
            self.errors.append(event)


@pytest.fixture
def kit(handler: HumanInputHandler) -> Kit:
    return Kit(handler)


async def test_the_hooks_of_its_channel_are_told_of_a_request_and_of_its_end(
    handler: HumanInputHandler, kit: Kit
) -> None:
    seen: list[tuple[str, str | None, HookContext]] = []

    @kit.kit.hook(REQUIRED)
    async def required(event: PendingInputEvent, ctx: HookContext) -> None:
        seen.append(("required", event.end, ctx))

    @kit.kit.hook(REQUIRED, HookExecution.ASYNC)
    async def watched(event: PendingInputEvent, ctx: HookContext) -> None:
        seen.append(("watched", event.end, ctx))

    @kit.kit.hook(SETTLED)
    async def settled(event: PendingInputEvent, ctx: HookContext) -> None:
        seen.append(("settled", event.end, ctx))

    @kit.kit.hook(SETTLED, HookExecution.ASYNC)
    async def settled_too(event: PendingInputEvent, ctx: HookContext) -> None:
        seen.append(("settled too", event.end, ctx))

    pending = put_to(handler)
    await anyio.sleep(0.1)
    handler.resolve(pending.pending_id, "Monday")
    await handler.close(session_id="s1")
    await kit.watching.close(patience_s=1)
    context = HookContext(kit.kit, "channel", "s1", "")
    assert sorted(seen, key=lambda each: each[0]) == [
        ("required", None, context),
        ("settled", RequestEnd.ANSWERED, context),
        ("settled too", RequestEnd.ANSWERED, context),
        ("watched", None, context),
    ]


async def test_a_hooks_block_denies_the_request_with_its_reason(
    handler: HumanInputHandler, kit: Kit, waits: Waits
) -> None:
    @kit.kit.hook(REQUIRED)
    async def deny(_event: PendingInputEvent, _ctx: HookContext) -> HookResult:
        return HookResult.block("the desk is closed")

    assert await waits(put_to(handler).pending_id) == "HumanInputRejectedError: the desk is closed"


async def test_a_broken_hook_is_told_once_and_the_person_is_asked_all_the_same(
    handler: HumanInputHandler, kit: Kit
) -> None:
    kit.listen_to_errors()

    @kit.kit.hook(REQUIRED, name="broken")
    async def broken(_event: PendingInputEvent, _ctx: HookContext) -> None:
        raise LookupError("no such desk")

    asker = ScriptedAsker()
    pending = put_to(handler, asker)
    await anyio.sleep(1)
    assert (pending.end, asker.notes) == (None, ["asks", "put"])
    assert [(error.source, error.session_id) for error in kit.errors] == [("hook broken", "s1")]


async def test_a_broken_hook_that_fails_closed_denies(handler: HumanInputHandler, kit: Kit, waits: Waits) -> None:
    kit.listen_to_errors()

    @kit.kit.hook(REQUIRED, fail_closed=True)
    async def broken(_event: PendingInputEvent, _ctx: HookContext) -> None:
        raise LookupError("no such desk")

    pending = put_to(handler, ScriptedAsker())
    assert await waits(pending.pending_id) == f"HumanInputRejectedError: {FAILED_CLOSED}"
    assert pending.end is RequestEnd.BLOCKED
    await anyio.sleep(1)
    assert len(kit.errors) == 1


async def test_what_fails_beside_a_request_is_told_to_the_error_hooks(handler: HumanInputHandler, kit: Kit) -> None:
    kit.listen_to_errors()
    put_to(handler, ScriptedAsker("card", tries_s=1, error=OSError("line down")), ScriptedAsker())
    await anyio.sleep(2)
    assert kit.errors == [
        ErrorEvent(
            channel_id="voice",
            channel_type=ChannelType.REALTIME_VOICE,
            room_id="",
            session_id="s1",
            source="asker card",
            message="OSError: line down",
        )
    ]


async def test_it_is_known_whether_any_hook_would_hear(kit: Kit) -> None:
    async def hook(_event: PendingInputEvent, _ctx: HookContext) -> None: ...

    assert (kit.hooks.listens, kit.hooks.hears_ends) == (False, False)
    kit.kit.hook(SETTLED, HookExecution.ASYNC)(hook)
    assert (kit.hooks.listens, kit.hooks.hears_ends) == (False, True)
    kit.kit.hook(REQUIRED, channel_types=[ChannelType.AI])(hook)
    assert not kit.hooks.listens
    kit.kit.hook(REQUIRED)(hook)
    assert kit.hooks.listens
