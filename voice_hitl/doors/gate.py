"""May this call run? Declared, allowed, repaired, valid, and no hook says no: in this order."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import cast

from voice_hitl.calls.outcome import Outcome
from voice_hitl.enums import HookTrigger, OutcomeKind
from voice_hitl.errors import InvalidArguments
from voice_hitl.events import ToolCallEvent
from voice_hitl.hooks import HookContext, Hooks
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.policy import ToolPolicy
from voice_hitl.tools.schema import CompiledSchema


@dataclass(frozen=True, slots=True)
class DeclaredTool:
    """A tool of a session's catalogue, its schema compiled."""

    definition: AITool
    schema: CompiledSchema


class Catalogue:
    """The tools a session declares to its model. A schema that does not compile is a `ValueError`."""

    def __init__(self, tools: Iterable[AITool]) -> None:
        self._tools: dict[str, DeclaredTool] = {}
        for tool in tools:
            if tool.name in self._tools:
                raise ValueError(f"tool {tool.name!r} is declared twice")
            self._tools[tool.name] = DeclaredTool(tool, CompiledSchema(tool.parameters))
        self.names = tuple(self._tools)
        """The names, in order of declaration."""
        self.definitions = tuple(tool.definition for tool in self._tools.values())
        """The definitions, in order of declaration."""
        self.parameters: Mapping[str, Mapping[str, object]] = {tool.name: tool.parameters for tool in self.definitions}
        """The JSON Schemas of their arguments, by name."""

    def __len__(self) -> int:
        return len(self._tools)

    def find(self, name: str) -> DeclaredTool | None:
        """The tool of this name."""
        return self._tools.get(name)


def refused(words: str, *, detail: str | None = None) -> Outcome:
    """A refusal in these words, as the model reads it."""
    return Outcome(OutcomeKind.REFUSED, words, error_detail=detail)


@dataclass(frozen=True, slots=True)
class Gate:
    """One session's gate.

    Args:
        catalogue: What the session declares.
        policy: What it admits; None: everything declared.
        role: The participant's role, for the policy.
        undeclared_pass: Whether an empty catalogue lets any name pass (the provider was configured elsewhere).
    """

    catalogue: Catalogue
    policy: ToolPolicy | None = None
    role: str | None = None
    undeclared_pass: bool = True

    def admit(self, name: str, arguments: dict[str, object]) -> dict[str, object] | Outcome:
        """Declared, allowed, repaired, valid: the arguments as they may run, or the refusal. Costs microseconds."""
        tool = self.catalogue.find(name)
        if tool is None and (len(self.catalogue) or not self.undeclared_pass):
            return refused(f"There is no tool named {name!r}.")
        if self.policy is not None and not self.policy.allows(name, role=self.role):
            return refused(f"The tool {name!r} is not allowed here.")
        if tool is None:
            return arguments
        try:
            return tool.schema.admit(arguments)
        except InvalidArguments as error:
            return refused(f"The arguments of {name!r} are not valid: {error}")

    async def ask_hooks(self, hooks: Hooks, event: ToolCallEvent, ctx: HookContext) -> dict[str, object] | Outcome:
        """Run `BEFORE_TOOL_USE`: the arguments to run with, or the refusal. What a hook rewrote is validated again."""
        name = event.tool_name
        try:
            decision = await hooks.decide(HookTrigger.BEFORE_TOOL_USE, event, ctx, apply=_with_arguments)
            if decision.failure is not None:
                return refused(f"The tool {name!r} was not run.", detail=decision.failure)
            if decision.blocked:
                return refused(decision.reason or f"The tool {name!r} was not run.")
            arguments = decision.event.arguments
            tool = self.catalogue.find(name)
            if tool is not None:
                tool.schema.validate(arguments)
        except InvalidArguments as error:
            detail = f"a hook rewrote the arguments, and they are not valid: {error}"
            return refused(f"The tool {name!r} was not run.", detail=detail)
        return arguments


def _with_arguments(event: ToolCallEvent, metadata: Mapping[str, object]) -> ToolCallEvent:
    if "arguments" not in metadata:
        return event
    arguments = metadata["arguments"]
    if not isinstance(arguments, Mapping):
        raise InvalidArguments("they must be an object")
    return replace(event, arguments=dict(cast("Mapping[str, object]", arguments)))
