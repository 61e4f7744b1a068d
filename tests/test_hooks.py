import asyncio  # noqa: TID251 - a hook that cancels itself, as users' code can
import functools
import logging
import threading
from collections.abc import AsyncIterator, Awaitable, Coroutine, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NoReturn, cast

import anyio
import pytest

from voice_hitl.enums import ChannelType, DoorName, HookExecution, HookTrigger
from voice_hitl.events import DigitEvent, ErrorEvent, HookEvent, ToolCallEvent
from voice_hitl.hooks import Decision, HookContext, HookFunction, HookResult, Hooks
from voice_hitl.tasks import Tasks, current_time

if TYPE_CHECKING:
    from voice_hitl.kit import VoiceKit

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

SYNC, ASYNC = HookExecution.SYNC, HookExecution.ASYNC
BEFORE, DIGIT, ON_ERROR = HookTrigger.BEFORE_TOOL_USE, HookTrigger.ON_DIGIT, HookTrigger.ON_ERROR
CTX = HookContext(None, None, None, "desk")
CALL = ToolCallEvent(
    channel_id="voice",
    channel_type=ChannelType.REALTIME_VOICE,
    room_id="desk",
    session_id="s1",
    tool_name="look_up",
    arguments={"q": "a"},
    tool_call_id="c1",
    door=DoorName.PROVIDER_CALL,
)
PRESSED = DigitEvent(
    channel_id="voice",
    channel_type=ChannelType.REALTIME_VOICE,
    room_id="desk",
    session_id="s1",
    participant_id="ada",
    digit="5",
    at=0.0,
)


@dataclass
class Heard:
    """Hooks that note what they were called with."""

    notes: list[str] = field(default_factory=list[str])
    errors: list[ErrorEvent] = field(default_factory=list[ErrorEvent])

    def hook(self, note: str, result: HookResult | None = None, *, takes_s: float = 0) -> HookFunction:
        async def hook(_event: HookEvent, _ctx: HookContext) -> HookResult | None:
            await anyio.sleep(takes_s)
            self.notes.append(note)
            return result

        return hook

    async def error(self, event: ErrorEvent, _ctx: HookContext) -> None:
        self.errors.append(event)


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def hooks() -> Hooks:
    return Hooks()


async def boom(_event: HookEvent, _ctx: HookContext) -> NoReturn:
    raise LookupError("no such desk")


async def hang(_event: HookEvent, _ctx: HookContext) -> None:
    await anyio.sleep_forever()


def nonsense(_event: HookEvent, _ctx: HookContext) -> Any:
    return "yes"


# --- registration ----------------------------------------------------------------------------------------------------


class Watcher:
    async def __call__(self, _event: HookEvent, _ctx: HookContext) -> None: ...

    async def watch(self, _event: HookEvent, _ctx: HookContext) -> HookResult: ...  # type: ignore[empty-body]  # never called


async def three(_a: HookEvent, _b: HookContext, _c: int) -> None: ...
async def one(_event: HookEvent) -> None: ...
async def more(_event: HookEvent, _ctx: HookContext, *_rest: object, **_more: object) -> None: ...
async def unannotated(_event, _ctx): ...  # type: ignore[no-untyped-def]  # as users may write it
async def unresolved(_event: HookEvent, _ctx: HookContext) -> "VoiceKit": ...  # type: ignore[empty-body]  # never called
def plain(_event: HookEvent, _ctx: HookContext) -> HookResult | None: ...
def gives_an_awaitable(_event: HookEvent, _ctx: HookContext) -> Awaitable[HookResult | None]: ...  # type: ignore[empty-body]  # never called
def gives_a_coroutine(_event: HookEvent, _ctx: HookContext) -> Coroutine[Any, Any, None]: ...  # type: ignore[empty-body]  # never called
async def says_yes(_event: HookEvent, _ctx: HookContext) -> bool: ...  # type: ignore[empty-body]  # never called
async def says_maybe(_event: HookEvent, _ctx: HookContext) -> HookResult | str | None: ...
def gives_a_bool(_event: HookEvent, _ctx: HookContext) -> Awaitable[bool]: ...  # type: ignore[empty-body]  # never called


def yields(_event: HookEvent, _ctx: HookContext) -> Iterator[None]:
    yield


async def yields_later(_event: HookEvent, _ctx: HookContext) -> AsyncIterator[None]:
    yield


GOOD: list[object] = [
    plain,
    more,
    boom,
    nonsense,
    unannotated,  # pyright: ignore[reportUnknownVariableType]  # as users may write it
    unresolved,
    gives_an_awaitable,
    gives_a_coroutine,
    Watcher(),
    Watcher().watch,
    functools.partial(three, _c=3),
    max,
]


@pytest.mark.parametrize("function", GOOD)
def test_a_hook_takes_an_event_and_a_context_and_returns_a_result_or_none(hooks: Hooks, function: object) -> None:
    hooks.register(cast("HookFunction", function), DIGIT)


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (one, "must take"),
        (three, "must take"),
        ("not callable", "is a function"),
        (says_yes, "must return"),
        (says_maybe, "must return"),
        (gives_a_bool, "must return"),
        (yields, "yields"),
        (yields_later, "yields"),
    ],
)
def test_what_takes_or_returns_anything_else_is_a_type_error(hooks: Hooks, function: object, why: str) -> None:
    with pytest.raises(TypeError, match=why):
        hooks.register(cast("HookFunction", function), DIGIT)
    assert not hooks.listens(DIGIT, None)


@pytest.mark.parametrize("timeout", [0, -1, float("nan")])
def test_a_timeout_of_zero_or_less_is_refused(hooks: Hooks, timeout: float) -> None:
    with pytest.raises(ValueError, match="more than 0"):
        hooks.register(plain, DIGIT, timeout=timeout)


def test_a_channel_type_that_does_not_exist_is_refused(hooks: Hooks) -> None:
    with pytest.raises(ValueError, match="fax"):
        hooks.register(plain, DIGIT, channel_types=cast("list[ChannelType]", ["fax"]))


def test_a_hook_is_known_by_its_function_or_the_name_it_was_given(hooks: Hooks) -> None:
    assert hooks.register(plain, DIGIT).name == "plain"
    assert hooks.register(plain, DIGIT, name="audit").name == "audit"
    assert "Watcher" in hooks.register(Watcher(), DIGIT).name


# --- SYNC hooks decide -----------------------------------------------------------------------------------------------


async def test_sync_hooks_run_by_priority_and_then_in_the_order_of_registration(hooks: Hooks, heard: Heard) -> None:
    hooks.register(heard.hook("third"), DIGIT, priority=1)
    hooks.register(heard.hook("first", takes_s=5), DIGIT, priority=-1)
    hooks.register(heard.hook("second"), DIGIT)
    hooks.register(heard.hook("fourth"), DIGIT, priority=1)
    assert await hooks.decide(DIGIT, PRESSED, CTX) == Decision(PRESSED)
    assert heard.notes == ["first", "second", "third", "fourth"]


async def test_the_first_block_ends_it_and_its_reason_is_told(hooks: Hooks, heard: Heard) -> None:
    hooks.register(heard.hook("allows", HookResult.allow()), DIGIT)
    hooks.register(heard.hook("blocks", HookResult.block("not now")), DIGIT)
    hooks.register(heard.hook("never runs"), DIGIT)
    decision = await hooks.decide(DIGIT, PRESSED, CTX)
    assert (decision.blocked, decision.reason, decision.failure) == (True, "not now", None)
    assert heard.notes == ["allows", "blocks"]


async def test_each_hook_sees_the_event_as_the_one_before_left_it(hooks: Hooks) -> None:
    seen: list[Mapping[str, object]] = []

    def adds(name: str) -> HookFunction:
        async def hook(event: ToolCallEvent, _ctx: HookContext) -> HookResult:
            seen.append(event.arguments)
            return HookResult.allow({"arguments": {**event.arguments, name: True}})

        return hook

    def apply(event: ToolCallEvent, metadata: Mapping[str, object]) -> ToolCallEvent:
        return replace(event, arguments=dict(cast("Mapping[str, object]", metadata["arguments"])))

    hooks.register(adds("x"), BEFORE)
    hooks.register(adds("y"), BEFORE)
    decision = await hooks.decide(BEFORE, CALL, CTX, apply=apply)
    assert seen == [{"q": "a"}, {"q": "a", "x": True}]
    assert decision.event.arguments == {"q": "a", "x": True, "y": True}
    assert (await hooks.decide(BEFORE, CALL, CTX)).event is CALL


async def test_a_hook_hears_of_the_channel_types_it_was_registered_for(hooks: Hooks, heard: Heard) -> None:
    hooks.register(heard.hook("voice"), DIGIT, channel_types=[ChannelType.REALTIME_VOICE])
    hooks.register(heard.hook("conference"), DIGIT, channel_types=[ChannelType.CONFERENCE])
    await hooks.decide(DIGIT, PRESSED, CTX)
    assert heard.notes == ["voice"]
    assert hooks.listens(DIGIT, ChannelType.CONFERENCE)
    assert not hooks.listens(DIGIT, ChannelType.AI)


async def test_a_hook_registered_while_others_run_is_heard_from_the_next_time(hooks: Hooks, heard: Heard) -> None:
    async def registers(_event: HookEvent, _ctx: HookContext) -> None:
        hooks.register(heard.hook("new"), DIGIT)

    hooks.register(registers, DIGIT)
    await hooks.decide(DIGIT, PRESSED, CTX)
    assert heard.notes == []
    await hooks.decide(DIGIT, PRESSED, CTX)
    assert heard.notes == ["new"]


async def test_a_plain_function_runs_in_a_worker_thread(hooks: Hooks) -> None:
    threads: list[int] = []

    def note(_event: HookEvent, _ctx: HookContext) -> HookResult:
        threads.append(threading.get_ident())
        return HookResult.block("by a plain function")

    hooks.register(note, DIGIT)
    assert (await hooks.decide(DIGIT, PRESSED, CTX)).reason == "by a plain function"
    assert threads != [threading.get_ident()]


# --- broken hooks ----------------------------------------------------------------------------------------------------

BROKEN = [
    pytest.param(boom, "hook broken failed: LookupError: no such desk", 0, id="raises"),
    pytest.param(hang, "hook broken took longer than 30 s", 30, id="hangs"),
    pytest.param(nonsense, "hook broken returned str, not HookResult or None", 0, id="returns nonsense"),
]


@pytest.mark.parametrize(("function", "failure", "after_s"), BROKEN)
async def test_a_broken_hook_is_passed_over_where_it_fails_open(
    hooks: Hooks, function: HookFunction, failure: str, after_s: float, caplog: pytest.LogCaptureFixture
) -> None:
    heard = Heard()
    hooks.register(function, DIGIT, name="broken")
    hooks.register(heard.hook("goes on"), DIGIT)
    began = current_time()
    with caplog.at_level(logging.WARNING):
        assert await hooks.decide(DIGIT, PRESSED, CTX) == Decision(PRESSED)
    assert (heard.notes, current_time() - began) == (["goes on"], after_s)
    assert failure in caplog.text


@pytest.mark.parametrize(("function", "failure", "after_s"), BROKEN)
async def test_a_broken_hook_says_no_where_it_fails_closed(
    hooks: Hooks, heard: Heard, function: HookFunction, failure: str, after_s: float
) -> None:
    hooks.register(function, BEFORE, name="broken")
    hooks.register(heard.hook("never runs"), BEFORE)
    began = current_time()
    assert await hooks.decide(BEFORE, CALL, CTX) == Decision(CALL, blocked=True, reason="", failure=failure)
    assert (heard.notes, current_time() - began) == ([], after_s)


async def test_a_hook_that_cancels_itself_has_failed(hooks: Hooks) -> None:
    async def cancels(_event: HookEvent, _ctx: HookContext) -> None:
        raise asyncio.CancelledError

    hooks.register(cancels, DIGIT, fail_closed=True)
    decision = await hooks.decide(DIGIT, PRESSED, CTX)
    assert decision.failure is not None
    assert "cancelled itself" in decision.failure


@pytest.mark.parametrize(
    ("trigger", "fail_closed", "says_no"),
    [(BEFORE, None, True), (BEFORE, False, False), (DIGIT, None, False), (DIGIT, True, True)],
)
async def test_only_before_a_tool_is_used_hooks_fail_closed_unless_said_otherwise(
    hooks: Hooks, trigger: HookTrigger, *, fail_closed: bool | None, says_no: bool
) -> None:
    hooks.register(boom, trigger, fail_closed=fail_closed)
    assert (await hooks.decide(trigger, CALL, CTX)).blocked is says_no


@pytest.mark.parametrize("execution", [SYNC, ASYNC])
@pytest.mark.parametrize(("function", "failure"), [case.values[:2] for case in BROKEN])
async def test_each_failure_is_told_once_to_the_error_hooks(
    hooks: Hooks, heard: Heard, function: HookFunction, failure: str, execution: HookExecution
) -> None:
    hooks.register(function, DIGIT, execution=execution, name="broken")
    hooks.register(heard.error, ON_ERROR)
    tasks = Tasks("test")
    hooks.tell(DIGIT, PRESSED, CTX, tasks)
    await tasks.close(patience_s=40)
    await hooks.close()
    assert heard.errors == [
        ErrorEvent(
            channel_id="voice",
            channel_type=ChannelType.REALTIME_VOICE,
            room_id="desk",
            session_id="s1",
            source="hook broken",
            message=failure,
        )
    ]


async def test_telling_of_a_failure_holds_nobody_up(hooks: Hooks, heard: Heard) -> None:
    hooks.register(boom, DIGIT)
    hooks.register(heard.hook("told", takes_s=20), ON_ERROR)
    began = current_time()
    await hooks.decide(DIGIT, PRESSED, CTX)
    assert (current_time() - began, heard.notes) == (0, [])
    await anyio.sleep(21)
    assert heard.notes == ["told"]


async def test_of_a_broken_error_hook_only_the_log_knows(
    hooks: Hooks, heard: Heard, caplog: pytest.LogCaptureFixture
) -> None:
    hooks.register(boom, DIGIT, name="broken")
    hooks.register(boom, ON_ERROR, name="broken too")
    hooks.register(heard.error, ON_ERROR)
    with caplog.at_level(logging.WARNING):
        await hooks.decide(DIGIT, PRESSED, CTX)
        await hooks.close()
    assert [event.source for event in heard.errors] == ["hook broken"]
    assert [record.getMessage().split(" failed")[0] for record in caplog.records] == ["hook broken", "hook broken too"]


async def test_closing_cuts_error_hooks_after_a_second_and_hooks_work_after_it(hooks: Hooks, heard: Heard) -> None:
    hooks.register(boom, DIGIT)
    hooks.register(heard.error, ON_ERROR)
    hooks.register(hang, ON_ERROR)
    await hooks.decide(DIGIT, PRESSED, CTX)
    began = current_time()
    await hooks.close()
    assert current_time() - began == 1
    await hooks.decide(DIGIT, PRESSED, CTX)
    await hooks.close()
    assert len(heard.errors) == 2


# --- ASYNC hooks watch -----------------------------------------------------------------------------------------------


async def test_async_hooks_watch_off_the_path_and_decide_nothing(hooks: Hooks, heard: Heard) -> None:
    hooks.register(heard.hook("slow", HookResult.block("no"), takes_s=10), DIGIT, execution=ASYNC)
    hooks.register(heard.hook("fast"), DIGIT, execution=ASYNC)
    tasks = Tasks("test")
    hooks.observe(DIGIT, PRESSED, CTX, tasks)
    assert await hooks.decide(DIGIT, PRESSED, CTX) == Decision(PRESSED)
    await tasks.close(patience_s=20)
    assert heard.notes == ["fast", "slow"]


async def test_a_trigger_that_decides_nothing_runs_sync_hooks_in_order_and_the_others_beside_them(
    hooks: Hooks, heard: Heard
) -> None:
    hooks.register(heard.hook("first", takes_s=3), DIGIT)
    hooks.register(heard.hook("second"), DIGIT)
    hooks.register(heard.hook("beside"), DIGIT, execution=ASYNC)
    tasks = Tasks("test")
    hooks.tell(DIGIT, PRESSED, CTX, tasks)
    assert len(tasks) == 2
    await tasks.close(patience_s=20)
    assert heard.notes == ["beside", "first", "second"]


async def test_without_hooks_nothing_is_started(hooks: Hooks) -> None:
    tasks = Tasks("test")
    hooks.tell(DIGIT, PRESSED, CTX, tasks)
    assert len(tasks) == 0
    assert not hooks.listens(DIGIT, ChannelType.REALTIME_VOICE)


@pytest.mark.parametrize("execution", list(HookExecution))
def test_who_listens_is_known_whichever_way_it_runs(hooks: Hooks, execution: HookExecution) -> None:
    hooks.register(plain, DIGIT, execution=execution)
    assert hooks.listens(DIGIT, ChannelType.AI)
    assert not hooks.listens(ON_ERROR, ChannelType.AI)


def test_a_result_says_what_it_is() -> None:
    assert HookResult.allow() == HookResult(blocked=False)
    assert HookResult.allow({"result": "x"}).metadata == {"result": "x"}
    assert HookResult.block("why") == HookResult(blocked=True, reason="why")
