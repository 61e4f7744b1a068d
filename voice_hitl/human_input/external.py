"""Tools that a chat model's provider runs itself: who is asked whether one may run, and who is told what it came to."""

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from voice_hitl.calls.outcome import Outcome
from voice_hitl.enums import OutcomeKind
from voice_hitl.tools.policy import ToolPolicy


@dataclass(frozen=True, slots=True)
class ToolDecision:
    """Whether the provider may run a call.

    Args:
        approved: It may.
        reason: Why not, in words for the model.
        detail: What failed, where the refusal comes from a failure: for observers, never for the model.
    """

    approved: bool
    reason: str = ""
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class ExternalCall:
    """A call that the provider runs, as it is reported and as hooks see it."""

    name: str
    arguments: Mapping[str, object]
    call_id: str
    room_id: str
    raw: str | None = None
    """What came, where it could not be read."""


class ExternalReports(Protocol):
    """The channel's side: where such calls are reported, and the hooks that decide on them."""

    def report(self, call: ExternalCall, outcome: Outcome) -> None:
        """Tell `ON_TOOL_CALL`'s observers, once a call."""
        ...

    async def ask_hooks(self, call: ExternalCall) -> ToolDecision:
        """Run `BEFORE_TOOL_USE`."""
        ...


class ExternalToolHandler:
    """Decides on the calls that the provider runs itself, and hears how each ended. One handler serves one channel.

    Write overrides with `**kwargs`: what is passed may grow. An override that tells somebody itself calls
    `await super()...` to keep the report.
    """

    _reports: ExternalReports | None = None

    def bind(self, reports: ExternalReports) -> None:
        """Report through this channel (called by the channel); `ValueError` for a second one."""
        if self._reports is not None and self._reports is not reports:
            raise ValueError("an ExternalToolHandler serves one channel: give the other one a handler of its own")
        self._reports = reports

    async def process_tool_call(
        self, tool_name: str, tool_input: dict[str, object], *, room_id: str | None = None, **kwargs: object
    ) -> ToolDecision:
        """Say whether the provider may run this call; `kwargs` carries `tool_call_id`. Cancelled with its turn."""
        raise NotImplementedError

    async def on_tool_result(
        self,
        tool_name: str,
        tool_input: dict[str, object],
        result: object,
        *,
        tool_call_id: str = "",
        room_id: str | None = None,
        is_error: bool = False,
        **_more: object,
    ) -> None:
        """The provider ran it; this is what it gave. Reports it."""
        kind = OutcomeKind.FAILED if is_error else OutcomeKind.SERVED
        self._report(tool_name, tool_input, tool_call_id, room_id, Outcome(kind, external_text(result)))

    async def on_tool_refused(
        self,
        tool_name: str,
        tool_input: dict[str, object],
        reason: str,
        *,
        tool_call_id: str = "",
        room_id: str | None = None,
        detail: str | None = None,
        **_more: object,
    ) -> None:
        """It was refused. Reports it, to observers only."""
        outcome = Outcome(OutcomeKind.REFUSED, reason, error_detail=detail)
        self._report(tool_name, tool_input, tool_call_id, room_id, outcome)

    async def on_tool_cancelled(
        self,
        tool_name: str,
        tool_input: dict[str, object],
        *,
        tool_call_id: str = "",
        room_id: str | None = None,
        **_more: object,
    ) -> None:
        """Its turn was cancelled before it was decided. Reports it. Keep an override short: the turn waits for it."""
        self._report(tool_name, tool_input, tool_call_id, room_id, Outcome(OutcomeKind.CANCELLED))

    def _report(
        self, name: str, arguments: dict[str, object], call_id: str, room_id: str | None, outcome: Outcome
    ) -> None:
        if self._reports is not None:
            self._reports.report(ExternalCall(name, arguments, call_id, room_id or ""), outcome)


class PolicyExternalToolHandler(ExternalToolHandler):
    """Decides by a `ToolPolicy` and the `BEFORE_TOOL_USE` hooks.

    A hook may refuse, with its reason; what it rewrites is not taken, because the provider runs what it proposed: such
    a call is refused.

    Args:
        policy: What may run; None: everything that no hook refuses.
    """

    def __init__(self, policy: ToolPolicy | None = None) -> None:
        self._policy = policy

    async def process_tool_call(
        self, tool_name: str, tool_input: dict[str, object], *, room_id: str | None = None, **kwargs: object
    ) -> ToolDecision:
        """Ask the policy, then the hooks."""
        if self._policy is not None and not self._policy.allows(tool_name):
            return ToolDecision(approved=False, reason=f"The tool {tool_name!r} is not allowed here.")
        if self._reports is None:
            return ToolDecision(approved=True)
        call_id = str(kwargs.get("tool_call_id", ""))
        return await self._reports.ask_hooks(ExternalCall(tool_name, tool_input, call_id, room_id or ""))


def takes_detail(override: Callable[..., object]) -> bool:
    """Whether an override of `on_tool_refused` takes `detail=`."""
    parameters = inspect.signature(override).parameters.values()
    return any(each.name == "detail" or each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters)


def external_text(result: object) -> str:
    """A provider's result as text, whatever it is: a string verbatim, anything else as JSON."""
    return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, default=str)
