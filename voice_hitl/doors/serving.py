"""Who serves a call that may run: a person, the page in the call, or the host's handler, which may need an approval."""

import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

import anyio

from voice_hitl.asker import AskerSession
from voice_hitl.calls.call import CallEvent, ToolCall
from voice_hitl.calls.outcome import Outcome
from voice_hitl.doors.gate import Gate, refused
from voice_hitl.enums import ChannelType, DoorName, OutcomeKind, RequestEnd
from voice_hitl.errors import ToolFailedError, ToolRefusedError, UnservedToolCallError
from voice_hitl.human_input.approvals import approved_arguments, open_approval
from voice_hitl.human_input.holding import NOTHING_EXECUTED
from voice_hitl.human_input.timeouts import check_timeout
from voice_hitl.human_input.tool_handler import Caller, HumanInputToolHandler
from voice_hitl.requests.pending import PendingInput, copy_json
from voice_hitl.tasks import BoundExceeded, run_users_code
from voice_hitl.tools.context import Actor, ToolCallContext, tool_call_context
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.handler import ToolHandler

log = logging.getLogger(__name__)

RESULT_CHARS = 16_384
"""How long what goes out of a call may be, in characters, unless said otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How long and how large. `default_s`: seconds for a host's tool (None: no bound); `named`: by tool name.

    `ValueError`: one of them is zero or less.
    """

    default_s: float | None = 10.0
    named: Mapping[str, float] = field(default_factory=dict[str, float])
    result_chars: int = RESULT_CHARS

    def __post_init__(self) -> None:
        for seconds in (self.default_s, *self.named.values()):
            check_timeout(seconds)

    def of(self, name: str, *, asks_a_person: bool) -> float | None:
        """The bound of one tool, in seconds. A person's tool has its own timeout, unless one was named for it."""
        return self.named.get(name, None if asks_a_person else self.default_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Whose calls they are: one session's, of one channel, at one door."""

    channel_id: str
    channel_type: ChannelType
    room_id: str
    session_id: str
    actor: Callable[[], Actor] = Actor
    """Whose turn it is now."""


class Waits(Protocol):
    """Who is told that a call waits for a person."""

    def asking(self, call: ToolCall, request: PendingInput) -> None:
        """The call waits for a person from here."""
        ...

    def answered(self, call: ToolCall) -> None:
        """It waits no longer, and is about to run. One that a person's answer ends is just over."""
        ...


class Asks(Protocol):
    """Who serves a call as a request: it is opened, and then waited for."""

    def open(
        self, caller: Caller, name: str, arguments: Mapping[str, object], *, channel_type: ChannelType
    ) -> PendingInput:
        """Open the request of one call; `ToolFailedError`: it cannot be."""
        ...

    async def outcome(self, pending: PendingInput) -> str:
        """Wait for it, and return what the model reads."""
        ...


class PageServes(Asks, Protocol):
    """The tools of the page in the call."""

    def serves(self, name: str) -> bool:
        """Whether this tool is the page's."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Servers:
    """Who serves a session's calls.

    Args:
        human: The tools that ask a person.
        page: The tools of the page in the call.
        host: The host's handler, as it is now.
        bounds: How long they may take.
        session: The session, as askers see it.
        max_chars: The longest output that the provider takes, in characters.
    """

    human: HumanInputToolHandler | None = None
    page: PageServes | None = None
    host: Callable[[], ToolHandler | None] = lambda: None
    bounds: Bounds = field(default_factory=Bounds)
    session: AskerSession | None = None
    max_chars: int | None = None


class Serving:
    """Serves calls. Whatever users' code does becomes an outcome here."""

    def __init__(self, servers: Servers, origin: Origin, door: DoorName, waits: Waits) -> None:
        self._servers = servers
        self._human = servers.human
        self._origin = origin
        self._door = door
        self._waits = waits

    async def serve(self, call: ToolCall, arguments: dict[str, object], gate: Gate) -> Outcome:
        """Have the call served: a person's tool first, then the page's, then the host's handler."""
        human = self._human
        page = self._servers.page
        persons = human is not None and human.serves(call.name)
        pages = page is not None and not persons and page.serves(call.name)
        bound = self._servers.bounds.of(call.name, asks_a_person=persons or pages)
        try:
            if human is not None and persons and not human.asks(call.name):
                channel_type = self._origin.channel_type
                text = await human.ask_for(self._caller(call), call.name, arguments, channel_type=channel_type)
                return Outcome(OutcomeKind.SERVED, text, never_cut=True)
            asked = human if persons else page if pages else None
            if asked is not None:
                text = await self._ask(asked, call, arguments, bound)
                return Outcome(OutcomeKind.SERVED, text, never_cut=True)
            return await self._serve_host(call, arguments, gate, bound)
        except UnservedToolCallError as error:
            return Outcome(OutcomeKind.UNSERVED, f"Nobody serves the tool {call.name!r}.", error_detail=str(error))
        except ToolRefusedError as error:
            return refused(str(error))
        except ToolFailedError as error:
            return Outcome(OutcomeKind.FAILED, str(error), error_detail=str(error))
        except BoundExceeded:
            words = f"The tool {call.name!r} took longer than {bound:g} s."
            return Outcome(OutcomeKind.FAILED, words, error_detail=words)
        except Exception as error:
            log.warning("tool %s failed", call.name, exc_info=error)
            return failed(error)

    # --- a person's tool, or the page's ------------------------------------------------------------------------------

    def _caller(self, call: ToolCall) -> Caller:
        origin, servers = self._origin, self._servers
        return Caller(
            origin.room_id,
            call.call_id,
            origin.channel_id,
            origin.session_id,
            call.actor,
            self._door,
            servers.session,
            servers.max_chars,
        )

    async def _ask(self, asked: Asks, call: ToolCall, arguments: dict[str, object], bound: float | None) -> str:
        caller = self._caller(call)
        request = asked.open(caller, call.name, arguments, channel_type=self._origin.channel_type)
        self._wait(call, request)
        if bound is None:
            return await asked.outcome(request)
        with anyio.move_on_after(bound):
            return await asked.outcome(request)
        if request.end is not RequestEnd.WITHDRAWN:
            # Settled in the very tick of the bound: whoever settled it was told that it counts.
            return await asked.outcome(request)
        raise BoundExceeded

    def _wait(self, call: ToolCall, request: PendingInput) -> None:
        call.move(CallEvent.ASK)
        self._waits.asking(call, request)

    # --- the host's tools --------------------------------------------------------------------------------------------

    async def _serve_host(
        self,
        call: ToolCall,
        arguments: dict[str, object],
        gate: Gate,
        bound: float | None,
    ) -> Outcome:
        host = self._servers.host()
        if host is None:
            raise UnservedToolCallError("the channel has no tool_handler")
        tool = gate.catalogue.find(call.name)
        definition = tool.definition if tool is not None and tool.definition.requires_approval else None
        if definition is not None and await _needs_approval(definition, arguments, bound):
            return await self._run_approved(call, definition, arguments, partial(self._run, host, bound, gate))
        return await self._run(host, bound, gate, call, arguments)

    async def _run(
        self, host: ToolHandler, bound: float | None, gate: Gate, call: ToolCall, arguments: dict[str, object]
    ) -> Outcome:
        origin = self._origin
        context = ToolCallContext(
            room_id=origin.room_id,
            call_id=call.call_id,
            channel_id=origin.channel_id,
            channel_type=origin.channel_type,
            session_id=origin.session_id,
            actor_id=call.actor.id,
            actor_confidence=call.actor.confidence,
            allowed_names=gate.catalogue.names,
            door=self._door,
        )
        call.move(CallEvent.SERVE)
        with tool_call_context(context):
            result = await run_users_code(partial(host, call.name, arguments), label=f"tool {call.name}", bound_s=bound)
        return Outcome(OutcomeKind.SERVED, result_text(result))

    async def _run_approved(
        self,
        call: ToolCall,
        tool: AITool,
        arguments: dict[str, object],
        run: Callable[[ToolCall, dict[str, object]], Awaitable[Outcome]],
    ) -> Outcome:
        """Hold the call until somebody says that it may run; run it with the arguments that were approved."""
        human = self._human
        if human is None:
            raise ToolRefusedError(f"Nobody can approve {tool.name!r} here. {NOTHING_EXECUTED}")
        request = open_approval(human, self._caller(call), tool, arguments, channel_type=self._origin.channel_type)
        call.proposed = request.arguments
        self._wait(call, request)
        async with human.handler.recorded_run(request) as recorded:
            call.arguments = effective = await approved_arguments(human, request)
            await recorded.claim()
            self._waits.answered(call)
            outcome = await run(call, effective)
            recorded.returned(outcome.text)
        return outcome


async def _needs_approval(tool: AITool, arguments: dict[str, object], bound: float | None) -> bool:
    """Whether this call must be approved: always, never, or as the tool's own predicate says of its arguments."""
    required = tool.requires_approval
    if isinstance(required, bool):
        return required
    predicate = partial(required, copy_json(arguments))
    return bool(await run_users_code(predicate, label=f"requires_approval of {tool.name}", bound_s=bound))


def failed(error: Exception) -> Outcome:
    """What the model reads of a failure: that it failed, and the class of error, never the message."""
    kind = type(error).__name__
    return Outcome(OutcomeKind.FAILED, f"The tool call failed ({kind}).", error_detail=f"{kind}: {error}")


def result_text(result: object) -> str:
    """A handler's result as the model reads it: a string verbatim, anything else as JSON."""
    return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, allow_nan=False)
