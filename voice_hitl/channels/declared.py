"""Which tools a channel declares to its model: the host's, and a person's where somebody can be reached."""

import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence

from voice_hitl.asker import Asker, AskerSession, NeedsOfProvider, can_answer
from voice_hitl.calls.outcome import Outcome
from voice_hitl.channels.options import SessionOptions
from voice_hitl.doors.gate import Catalogue, Gate
from voice_hitl.human_input.asking import label_of
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.provider import ProviderCapabilities
from voice_hitl.tools.definition import AITool

log = logging.getLogger(__name__)

KEPT = 64
"""How many catalogues a channel keeps compiled."""


def check_names(tools: Sequence[AITool], human: HumanInputToolHandler | None) -> None:
    """Refuse (`ValueError`) a host tool under a name of the human-input handler's, or to be approved without one."""
    taken = {definition.name for definition in human.tool_definitions} if human is not None else set[str]()
    for tool in tools:
        if tool.name in taken:
            raise ValueError(f"tool {tool.name!r} is defined by human_input_handler already: take it out of tools")
        if tool.requires_approval and human is None:
            raise ValueError(
                f"tool {tool.name!r} requires approval: give the channel a human_input_handler to ask with"
            )


def check_askers(human: HumanInputToolHandler | None, capabilities: ProviderCapabilities) -> None:
    """Refuse (`ValueError`) an asker that could never ask in a session of this provider; warn of one that only talks.

    Else the caller would wait, in silence, for a question that nobody can put.
    """
    for name in sorted(human.tool_names) if human is not None else ():
        for asker in human.askers_of(name) if human is not None else ():
            why_not = asker.why_not(capabilities) if isinstance(asker, NeedsOfProvider) else None
            if why_not is None:
                continue
            if can_answer(asker):
                raise ValueError(f"asker {asker.name!r} of {name} can ask nobody here: {why_not}")
            log.warning("asker %r of %s will say nothing: %s", asker.name, name, why_not)


class DeclaredTools:
    """Puts a session's catalogue together, and says once for each name why a person will never be asked."""

    def __init__(self, channel_id: str, human: HumanInputToolHandler | None, heard: Callable[[], bool]) -> None:
        self._channel_id = channel_id
        self._human = human
        self._heard = heard
        self._warned: set[str] = set()
        self._catalogues: OrderedDict[tuple[int, ...], Catalogue] = OrderedDict()

    def gate(self, options: SessionOptions, session: AskerSession | None, of_the_page: Sequence[AITool] = ()) -> Gate:
        """The gate of one session, with what it declares: the definitions that its policy allows its role."""
        policy, role = options.tool_policy, options.role
        declared = [*options.tools, *self._persons(options.tools, session), *of_the_page]
        if policy is not None:
            declared = [tool for tool in declared if policy.allows(tool.name, role=role)]
        nothing_to_declare = not options.tools and (self._human is None or not self._human.tool_definitions)
        # What a page offers is no other session's: kept, it would push out what all of them declare.
        catalogue = Catalogue(declared) if of_the_page else self._compiled(declared)
        return Gate(catalogue, policy, role, undeclared_pass=nothing_to_declare)

    def refused(self, options: SessionOptions, gate: Gate) -> dict[str, str]:
        """What there is and a session does not declare, by name, each with the refusal that a call of it reads."""
        persons = self._human.tool_definitions if self._human is not None else ()
        refused: dict[str, str] = {}
        for tool in (*options.tools, *persons):
            outcome = gate.admit(tool.name, {}) if gate.catalogue.find(tool.name) is None else None
            if isinstance(outcome, Outcome):
                refused[tool.name] = outcome.text
        return refused

    def _compiled(self, declared: Sequence[AITool]) -> Catalogue:
        """Compile once for all sessions that declare the same definitions; a catalogue keeps them, and so their ids."""
        key = tuple(id(tool) for tool in declared)
        catalogue = self._catalogues.pop(key, None) or Catalogue(declared)
        self._catalogues[key] = catalogue
        if len(self._catalogues) > KEPT:
            self._catalogues.popitem(last=False)
        return catalogue

    def _persons(self, tools: Sequence[AITool], session: AskerSession | None) -> list[AITool]:
        human = self._human
        if human is None:
            return []
        by_host = {tool.name for tool in tools}
        for name in human.undeclared - by_host:
            self._warn(name, "it has no definition: pass one in tool_definitions, or declare it in tools")
        reached: list[AITool] = []
        for definition in human.tool_definitions:
            if not human.asks(definition.name) or self._reaches(human, definition.name, session):
                reached.append(definition)
            else:
                self._warn(
                    definition.name,
                    "nobody can be reached: no asker reaches anybody, no hook listens, and there is no store",
                )
        return reached if any(human.asks(tool.name) for tool in reached) else []

    def _reaches(self, human: HumanInputToolHandler, name: str, session: AskerSession | None) -> bool:
        return (
            self._heard()
            or human.handler.is_kept
            or any(_could_reach(asker, session) for asker in human.askers_of(name))
        )

    def _warn(self, name: str, why: str) -> None:
        if name not in self._warned:
            self._warned.add(name)
            log.warning("channel %s: no person will ever be asked through %s, because %s", self._channel_id, name, why)


def _could_reach(asker: Asker, session: AskerSession | None) -> bool:
    try:
        return can_answer(asker) and asker.reaches(None, session)
    except Exception as error:  # the border to users' code: the call is set up without this asker
        log.warning("%s cannot say whom it reaches", label_of(asker), exc_info=error)
        return False
