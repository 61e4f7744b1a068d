"""Hooks: an application's own code at the points where it may decide (SYNC) or watch (ASYNC)."""

import inspect
import logging
import types
import typing
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Generic, TypeVar, cast

from voice_hitl.enums import ChannelType, HookExecution, HookTrigger
from voice_hitl.events import ErrorEvent, HookEvent
from voice_hitl.frozen import frozen
from voice_hitl.tasks import GRACE_S, BoundExceeded, Tasks, run_users_code

log = logging.getLogger(__name__)

TIMEOUT_S = 30.0
FAILS_CLOSED = frozenset({HookTrigger.BEFORE_TOOL_USE})
"""The triggers where a hook that raises or hangs says no, unless it was registered otherwise."""

E = TypeVar("E", bound=HookEvent)


@dataclass(frozen=True, slots=True)
class HookResult:
    """What a SYNC hook decides: `HookResult.allow(...)` or `HookResult.block(...)`. None allows, too."""

    blocked: bool
    reason: str = ""
    metadata: Mapping[str, object] = field(default_factory=dict[str, object])

    @classmethod
    def allow(cls, metadata: Mapping[str, object] | None = None) -> "HookResult":
        """Go on; `metadata` may carry `arguments` (BEFORE_TOOL_USE) or `result` (ON_TOOL_CALL)."""
        return cls(blocked=False, metadata=metadata or {})

    @classmethod
    def block(cls, reason: str) -> "HookResult":
        """Stop here. The model reads the reason."""
        return cls(blocked=True, reason=reason)


@dataclass(frozen=True, slots=True)
class HookContext:
    """Where a hook runs: the kit, the channel, the session (each None where there is none) and the room's id."""

    kit: object | None
    channel: object | None
    session: object | None
    room_id: str


HookFunction = Callable[..., Awaitable[HookResult | None] | HookResult | None]
"""`async (event, ctx) -> HookResult | None`; a plain function runs in a worker thread."""


@dataclass(frozen=True, slots=True)
class Hook:
    """One registered hook."""

    function: HookFunction
    trigger: HookTrigger
    execution: HookExecution
    priority: int
    name: str
    timeout: float
    fail_closed: bool
    channel_types: frozenset[ChannelType] | None


@frozen()
class Decision(Generic[E]):
    """What a chain of SYNC hooks decided: the event as the last one left it, and whether one said no.

    `failure` says what a hook that failed closed died of (for observers); `reason` is empty then.
    """

    event: E
    blocked: bool = False
    reason: str = ""
    failure: str | None = None


class Hooks:
    """The hooks of one kit. Without a kit a channel has an empty one.

    A hook that fails is told once to the `ON_ERROR` hooks, beside whatever goes on; of one that fails there only the
    log knows.
    """

    def __init__(self) -> None:
        self._hooks: list[Hook] = []
        self._chains: dict[tuple[HookTrigger, HookExecution, ChannelType | None], tuple[Hook, ...]] = {}
        self._heard: dict[tuple[HookTrigger, ChannelType | None], bool] = {}
        self._telling = Tasks("hooks told of failed hooks")

    def register(
        self,
        function: HookFunction,
        trigger: HookTrigger,
        *,
        execution: HookExecution = HookExecution.SYNC,
        priority: int = 0,
        name: str | None = None,
        timeout: float = TIMEOUT_S,
        fail_closed: bool | None = None,
        channel_types: Collection[ChannelType] | None = None,
    ) -> Hook:
        """Add a hook. SYNC hooks run by priority, the lowest number first, then in order of registration.

        Args:
            function: `async (event, ctx) -> HookResult | None`; a plain function runs in a worker thread.
            trigger: When it runs.
            execution: SYNC: it may decide, and is waited for. ASYNC: it watches, off the path.
            priority: Its place among the SYNC hooks of the trigger.
            name: What the log and `ON_ERROR` call it; by default the function's own name.
            timeout: Seconds after which it counts as failed.
            fail_closed: Whether its failure is a no. By default for `BEFORE_TOOL_USE` only.
            channel_types: Only on such channels; None: on all.

        Raises:
            TypeError: It does not take `(event, ctx)`, or is seen to return anything but `HookResult | None`.
            ValueError: The timeout is not more than 0 seconds.
        """
        _check_signature(function)
        if not timeout > 0:
            raise ValueError(f"a hook's timeout is more than 0 seconds, not {timeout:g}")
        hook = Hook(
            function,
            HookTrigger(trigger),
            HookExecution(execution),
            priority,
            name or _name(function),
            timeout,
            trigger in FAILS_CLOSED if fail_closed is None else fail_closed,
            frozenset(map(ChannelType, channel_types)) if channel_types is not None else None,
        )
        self._hooks.append(hook)
        self._hooks.sort(key=lambda each: each.priority)
        self._chains.clear()
        self._heard.clear()
        return hook

    def chain(
        self, trigger: HookTrigger, execution: HookExecution, channel_type: ChannelType | None
    ) -> tuple[Hook, ...]:
        """The hooks that run at `trigger` on such a channel, in order."""
        key = (trigger, execution, channel_type)
        chain = self._chains.get(key)
        if chain is None:
            chain = self._chains[key] = tuple(
                hook
                for hook in self._hooks
                if hook.trigger is trigger
                and hook.execution is execution
                and (hook.channel_types is None or channel_type in hook.channel_types)
            )
        return chain

    def listens(self, trigger: HookTrigger, channel_type: ChannelType | None) -> bool:
        """Whether any hook runs at `trigger` on such a channel."""
        key = (trigger, channel_type)
        heard = self._heard.get(key)
        if heard is None:
            heard = any(self.chain(trigger, execution, channel_type) for execution in HookExecution)
            self._heard[key] = heard
        return heard

    async def decide(
        self,
        trigger: HookTrigger,
        event: E,
        ctx: HookContext,
        *,
        apply: Callable[[E, Mapping[str, object]], E] | None = None,
    ) -> Decision[E]:
        """Run the SYNC hooks, one after another; the first block ends it.

        `apply` makes the next event of an allowing hook's metadata. A hook that raises, hangs or returns nonsense is
        logged and either says no (fail-closed) or is passed over.
        """
        for hook in self.chain(trigger, HookExecution.SYNC, event.channel_type):
            result, failure = await self._run(hook, event, ctx)
            if failure is not None:
                if hook.fail_closed:
                    return Decision(event, blocked=True, failure=failure)
            elif result is not None:
                if result.blocked:
                    return Decision(event, blocked=True, reason=result.reason)
                if result.metadata and apply is not None:
                    event = apply(event, result.metadata)
        return Decision(event)

    def observe(self, trigger: HookTrigger, event: HookEvent, ctx: HookContext, tasks: Tasks) -> None:
        """Run the ASYNC hooks off the path, in tasks of `tasks`."""
        for hook in self.chain(trigger, HookExecution.ASYNC, event.channel_type):
            tasks.spawn(self._observe(hook, event, ctx), f"hook {hook.name}")

    def tell(self, trigger: HookTrigger, event: HookEvent, ctx: HookContext, tasks: Tasks) -> None:
        """Run all hooks of a trigger that decides nothing: the SYNC ones in order, the ASYNC ones beside them."""
        self.observe(trigger, event, ctx, tasks)
        if self.chain(trigger, HookExecution.SYNC, event.channel_type):
            tasks.spawn(self._tell_in_order(trigger, event, ctx), f"hooks {trigger}")

    async def close(self) -> None:
        """Let what `ON_ERROR` hooks still do end, for a second. Hooks work after it as before."""
        telling, self._telling = self._telling, Tasks("hooks told of failed hooks")
        await telling.close(patience_s=GRACE_S)

    async def _tell_in_order(self, trigger: HookTrigger, event: HookEvent, ctx: HookContext) -> None:
        await self.decide(trigger, event, ctx)

    async def _observe(self, hook: Hook, event: HookEvent, ctx: HookContext) -> None:
        await self._run(hook, event, ctx)

    async def _run(self, hook: Hook, event: HookEvent, ctx: HookContext) -> tuple[HookResult | None, str | None]:
        """One hook: its result, or what it failed with."""
        call = cast("Callable[[], Awaitable[object] | object]", partial(hook.function, event, ctx))
        try:
            result = await run_users_code(call, label=f"hook {hook.name}", bound_s=hook.timeout)
        except BoundExceeded:
            failure = f"hook {hook.name} took longer than {hook.timeout:g} s"
        except Exception as error:  # noqa: BLE001 - the border to users' code: it becomes an outcome
            failure = f"hook {hook.name} failed: {type(error).__name__}: {error}"
        else:
            if result is None or isinstance(result, HookResult):
                return result, None
            failure = f"hook {hook.name} returned {type(result).__name__}, not HookResult or None"
        log.warning("%s", failure)
        if hook.trigger is not HookTrigger.ON_ERROR:
            self._tell_failure(hook, failure, event, ctx)
        return None, failure

    def _tell_failure(self, hook: Hook, failure: str, event: HookEvent, ctx: HookContext) -> None:
        error = ErrorEvent(
            channel_id=event.channel_id,
            channel_type=event.channel_type,
            room_id=event.room_id,
            session_id=event.session_id,
            source=f"hook {hook.name}",
            message=failure,
        )
        self.tell(HookTrigger.ON_ERROR, error, ctx, self._telling)


def _check_signature(function: HookFunction) -> None:
    name = _name(function)
    if not callable(function):
        raise TypeError(f"a hook is a function of (event, ctx), not {name}")
    try:
        signature = inspect.signature(function)
        signature.bind(object(), object())
    except TypeError as error:
        raise TypeError(f"hook {name} must take (event, ctx): {error}") from None
    except ValueError:
        return  # a builtin without a signature: seen at run time
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(f"hook {name} yields: it must return HookResult or None")
    try:
        returns: object = typing.get_type_hints(function).get("return", HookResult)
    except (NameError, TypeError, AttributeError):
        return  # annotations that do not resolve here: seen at run time
    for member in _members(returns):
        if member not in _MAY_RETURN:
            raise TypeError(f"hook {name} must return HookResult or None, not {member!r}")


_MAY_RETURN: Final[frozenset[object]] = frozenset(
    {HookResult, None, type(None), typing.Any, object, typing.NoReturn, typing.Never}
)


def _members(returns: object) -> tuple[object, ...]:
    """What an annotation says may be returned, in the end: each member of a union, and what an awaitable gives."""
    origin, arguments = typing.get_origin(returns), typing.get_args(returns)
    if origin in (types.UnionType, typing.Union):
        return tuple(inner for member in arguments for inner in _members(member))
    if origin in (Awaitable, Coroutine):
        return _members(arguments[-1])
    return (returns,)


def _name(function: HookFunction) -> str:
    return str(getattr(function, "__qualname__", repr(function)))
