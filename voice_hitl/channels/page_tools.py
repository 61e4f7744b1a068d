"""`PageTools`: the tools that the page in one call offers to the model.

They belong to the page and leave with it. The page is told that a tool is taken before the model is; the model is told
once a burst of changes is over.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Final, assert_never

import anyio

from voice_hitl.channels.frontend_tools import MOST, page_tool
from voice_hitl.channels.page_calls import PageCalls
from voice_hitl.channels.verdicts import DONE, Refusal, Verdict
from voice_hitl.enums import ChannelType
from voice_hitl.errors import ConnectionEnded, ProviderError, ToolFailedError
from voice_hitl.human_input.tool_handler import Caller, HumanInputToolHandler
from voice_hitl.messages import (
    Refused,
    ToolAbort,
    ToolMessage,
    ToolRegister,
    ToolRegistered,
    ToolRespond,
    ToolUnregister,
    ToPage,
)
from voice_hitl.requests.pending import PendingInput
from voice_hitl.tasks import Job, Tasks
from voice_hitl.tools.definition import AITool

log = logging.getLogger(__name__)

BURST_S: Final = 0.25
"""How long a page may take to offer several tools, in seconds, before the model is told of the first."""

REGISTERS_AGAIN_S: Final = 5.0
"""How long a page that connects again may take to offer its tools again, in seconds, before they are gone."""


class PageTools:
    """The tools of one page, and their calls.

    Args:
        human: Holds the calls, and says how long they may take.
        why_not: Why a tool of this name may not be offered; None: it may.
        declare: Tells the model what `declared` gives.
        send: Sends a message to the page.
        called: Is told that the call of this id is put to the page.
        now: The time, UTC.
        tasks: Runs what nobody waits for.
    """

    def __init__(
        self,
        human: HumanInputToolHandler,
        *,
        why_not: Callable[[str], str | None],
        declare: Callable[[], Awaitable[None]],
        send: Callable[[ToPage], None],
        called: Callable[[str], None],
        now: Callable[[], datetime],
        tasks: Tasks,
    ) -> None:
        self._calls = PageCalls(human, send=send, now=now)
        self._why_not = why_not
        self._declare = declare
        self._send = send
        self._called = called
        self._now = now
        self._tasks = tasks
        self._offered: dict[str, AITool] = {}
        self._stale: set[str] = set()
        self._declared: dict[str, AITool] = {}
        self._telling: Job | None = None
        self._forgetting: Job | None = None

    # --- the model's side --------------------------------------------------------------------------------------------

    def declared(self) -> tuple[AITool, ...]:
        """What the model is told from here on. A tool whose name the host has taken meanwhile is taken away."""
        for name in list(self._offered):
            why = self._why_not(name)
            if why is not None:
                self._take_away(name, why)
                self._send(Refused(id=None, code="not_allowed", why=why, server_time=self._now()))
        self._declared = dict(self._offered)
        return tuple(self._declared.values())

    def serves(self, name: str) -> bool:
        """Whether calls of this tool go to the page: the model may not have heard yet that it is gone."""
        return name in self._offered or name in self._declared

    def open(
        self, caller: Caller, name: str, arguments: Mapping[str, object], *, channel_type: ChannelType
    ) -> PendingInput:
        """Put a call to the page; `ToolFailedError`: the page offers the tool no longer, or cannot be told."""
        if name not in self._offered:
            raise ToolFailedError(f"The caller's page offers {name!r} no longer.")
        request = self._calls.open(caller, name, arguments, channel_type=channel_type)
        self._called(caller.call_id)
        return request

    async def outcome(self, pending: PendingInput) -> str:
        """Wait for what the page gives; see `PageCalls.outcome`."""
        return await self._calls.outcome(pending)

    # --- the page's side ---------------------------------------------------------------------------------------------

    async def handle(self, message: ToolMessage, *, by: str) -> Verdict:
        """Do what the page says of its tools, on behalf of participant `by`."""
        match message:
            case ToolRegister():
                return self._register(message)
            case ToolUnregister():
                if message.name not in self._offered:
                    return Refusal("unknown", "this page has offered no such tool")
                self._take_away(message.name, "it took the tool away")
                return DONE
            case ToolRespond():
                return await self._calls.respond(message, by)
            case ToolAbort():
                return await self._calls.abort(message, by)
            case _:
                assert_never(message)

    def rejoined(self) -> None:
        """The page connects again: it is told of its calls, and what it does not offer again is soon gone."""
        self._calls.connected()
        self._stale = set(self._offered)
        if self._forgetting is not None:
            self._forgetting.cancel()
        if self._stale:
            self._forgetting = self._tasks.spawn(self._forget_the_rest(), "waiting for the tools of a page")

    def _register(self, message: ToolRegister) -> Verdict:
        name = message.name
        why = self._why_not(name)
        if why is not None:
            return Refusal("not_allowed", why)
        if name not in self._offered and len(self._offered) >= MOST:
            return Refusal("too_large", f"a page may offer {MOST} tools at most")
        try:
            tool = page_tool(message)
        except ValueError as error:
            return Refusal("invalid", str(error))
        self._stale.discard(name)
        self._send(ToolRegistered(name=name))
        if tool != self._offered.get(name):
            self._offered[name] = tool
            self._changed()
        return DONE

    def _take_away(self, name: str, why: str) -> None:
        del self._offered[name]
        self._calls.give_up(name, why)
        self._changed()

    async def _forget_the_rest(self) -> None:
        await anyio.sleep(REGISTERS_AGAIN_S)
        for name in self._stale & self._offered.keys():
            self._take_away(name, "it does not offer the tool any more")

    # --- telling the model -------------------------------------------------------------------------------------------

    def _changed(self) -> None:
        if (self._telling is None or self._telling.done) and not self._tasks.closed:
            self._telling = self._tasks.spawn(self._tell(), "telling the model of the page's tools")

    async def _tell(self) -> None:
        await anyio.sleep(BURST_S)
        while self._declared != self._offered:
            try:
                await self._declare()
            except ConnectionEnded:
                return  # for good: the session is ending
            except ProviderError as error:
                log.warning("the model could not be told of the page's tools: %s", error)
                return
