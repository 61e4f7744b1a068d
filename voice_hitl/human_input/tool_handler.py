"""`HumanInputToolHandler`: the tools that ask a person."""

import json
from collections.abc import Collection, Mapping, Sequence

from voice_hitl.asker import Asker, AskerSession
from voice_hitl.enums import ChannelType, DoorName
from voice_hitl.errors import (
    HumanInputRejectedError,
    InvalidQuestion,
    ToolFailedError,
    ToolRefusedError,
    UnservedToolCallError,
)
from voice_hitl.frozen import frozen
from voice_hitl.human_input.handler import WAIT_TIMEOUT_S, HumanInputHandler
from voice_hitl.human_input.new_request import NewRequest, new_pending
from voice_hitl.human_input.outcome import told_to_the_model
from voice_hitl.human_input.timeouts import check_timeout
from voice_hitl.questions.model import Question
from voice_hitl.requests.pending import PendingInput
from voice_hitl.tools.asking import HumanTool, as_human_tool
from voice_hitl.tools.context import NOBODY, Actor, ToolCallContext, current_tool_call
from voice_hitl.tools.definition import AITool

WITHDRAW_REQUEST = "withdraw_request"

_WITHDRAW_TOOL = AITool(
    WITHDRAW_REQUEST,
    "Call off what a person is being asked right now, because the caller does not want it any more.",
    {
        "type": "object",
        "properties": {
            "tool": {"type": "string", "description": "The tool whose question is called off. Without it: all of them."}
        },
        "additionalProperties": False,
    },
)


@frozen()
class Caller:
    """Who calls a person's tool: which call it is, in which session (as askers see it), for whom.

    `max_chars`: the longest answer that can be taken, in characters.
    """

    room_id: str = ""
    call_id: str = ""
    channel_id: str = ""
    session_id: str = ""
    actor: Actor = NOBODY
    door: DoorName | None = None
    session: AskerSession | None = None
    max_chars: int | None = None

    @classmethod
    def of(cls, context: ToolCallContext, session: AskerSession | None = None) -> "Caller":
        """The caller of the call that is being served."""
        actor = Actor(context.actor_id, context.actor_confidence)
        room_id, channel_id, session_id = context.room_id, context.channel_id, context.session_id
        return cls(room_id, context.call_id, channel_id, session_id, actor, context.door, session)

    def request(
        self,
        tool_name: str,
        arguments: Mapping[str, object],
        *,
        channel_type: ChannelType,
        question: Question | None = None,
        audience: tuple[str, ...] = (),
    ) -> PendingInput:
        """The request of this call, on a door of `channel_type`, not yet registered anywhere."""
        return new_pending(
            tool_name,
            arguments,
            audience=audience,
            room_id=self.room_id,
            tool_call_id=self.call_id,
            channel_id=self.channel_id,
            channel_type=channel_type,
            door=self.door,
            session_id=self.session_id,
            actor_id=self.actor.id,
            actor_confidence=self.actor.confidence,
            question=question,
        )


class HumanInputToolHandler:
    """Serves tools that only a person can answer.

    Pass it to a channel as `human_input_handler=`: its definitions are declared in every session and its tools are
    served before the channel's own handler, under this handler's timeout. It is also a plain tool handler.

    Args:
        tool_names: The tools that need a person.
        timeout: Seconds a person has, from when the question is first put to somebody.
        handler: A `HumanInputHandler` to share; by default one of its own.
        tool_definitions: What the model is told of them: a definition that knows how to ask (`confirm_action()`,
            `human_tool(...)`) or a plain `AITool`, asked by its `question`, `prompt` or `message` argument.
        askers: The ways to reach a person, all at once.
        audience: Who may answer: `"caller"`, participant ids, console roles. Empty: anyone.
        asking: Other askers for one tool, by its name.
        withdrawable: Offer the model `withdraw_request`, which calls an open question off.

    Raises:
        ValueError: No tool names, a definition outside them or given twice, a timeout of zero or less, or one text
            where several are meant.
    """

    def __init__(
        self,
        tool_names: Collection[str],
        timeout: float = WAIT_TIMEOUT_S,
        handler: HumanInputHandler | None = None,
        tool_definitions: Sequence[AITool | HumanTool] | None = None,
        *,
        askers: Sequence[Asker] = (),
        audience: Sequence[str] = (),
        asking: Mapping[str, Sequence[Asker]] | None = None,
        withdrawable: bool = False,
    ) -> None:
        if not tool_names or isinstance(tool_names, str):
            raise ValueError("tool_names is a collection of the names of the tools that ask a person, at least one")
        if withdrawable and WITHDRAW_REQUEST in tool_names:
            raise ValueError(f"{WITHDRAW_REQUEST!r} is the tool that withdrawable=True offers: give yours another name")
        if isinstance(audience, str):
            raise ValueError(f"audience is a sequence of who may answer, such as ({audience!r},)")
        check_timeout(timeout)
        self.tool_names = frozenset(tool_names)
        self.timeout = timeout
        self.handler = handler if handler is not None else HumanInputHandler()
        self._askers = tuple(askers)
        self._asking = {name: tuple(each) for name, each in (asking or {}).items()}
        self._audience = tuple(audience)
        self._withdrawable = withdrawable
        self._tools = _by_name(tool_definitions or (), self.tool_names)
        for name in self._asking:
            if name not in self.tool_names:
                raise ValueError(f"asking= names {name!r}, which is none of the tools {sorted(self.tool_names)}")

    @property
    def tool_definitions(self) -> tuple[AITool, ...]:
        """What the model is told: the definitions given, and `withdraw_request` where it is offered."""
        own = tuple(tool.definition for tool in self._tools.values())
        return (*own, _WITHDRAW_TOOL) if self._withdrawable else own

    @property
    def undeclared(self) -> frozenset[str]:
        """The names it serves without a definition of its own: the host has to declare those."""
        return self.tool_names - self._tools.keys()

    def serves(self, name: str) -> bool:
        """Whether this tool is a person's."""
        return name in self.tool_names or (self._withdrawable and name == WITHDRAW_REQUEST)

    def asks(self, name: str) -> bool:
        """Whether a call of this tool waits for a person."""
        return name in self.tool_names

    def askers_of(self, name: str) -> tuple[Asker, ...]:
        """The ways in which this tool reaches a person."""
        return self._asking.get(name, self._askers)

    async def __call__(self, name: str, arguments: Mapping[str, object]) -> str:
        """Serve a call as a plain tool handler: it asks on the AI channel's door."""
        return await self.ask(name, arguments)

    async def ask(
        self, name: str, arguments: Mapping[str, object], *, channel_type: ChannelType = ChannelType.AI
    ) -> str:
        """Ask a person on a door of `channel_type` and return what the model reads.

        Raises:
            UnservedToolCallError: This tool is not one of ours.
            ToolRefusedError: A person declined, or a hook blocked it.
            ToolFailedError: Nobody answered in time, or the question cannot be asked.
            RuntimeError: The request was given up while it was waited on.
        """
        context = current_tool_call() or ToolCallContext(channel_type=channel_type)
        return await self.ask_for(Caller.of(context), name, arguments, channel_type=channel_type)

    async def ask_for(
        self, caller: Caller, name: str, arguments: Mapping[str, object], *, channel_type: ChannelType
    ) -> str:
        """The same as `ask`, for a channel's door: `caller` says whose call it is and which session to ask in."""
        if not self.serves(name):
            raise UnservedToolCallError(f"{name!r} is not one of the tools that ask a person")
        if not self.asks(name):
            return self._withdraw(caller.session_id, arguments)
        pending = self.open(caller, name, arguments, channel_type=channel_type)
        return await self.outcome(pending)

    def open(
        self, caller: Caller, name: str, arguments: Mapping[str, object], *, channel_type: ChannelType
    ) -> PendingInput:
        """Open the request of one call; from here it can be answered.

        Raises:
            ToolFailedError: The question cannot be asked; the text says what to correct.
        """
        tool = self._tools.get(name) or as_human_tool(AITool(name))
        try:
            question = tool.question(arguments)
        except InvalidQuestion as error:
            raise ToolFailedError(str(error)) from None
        pending = caller.request(name, arguments, channel_type=channel_type, question=question, audience=self._audience)
        return self.handler.open(
            NewRequest(pending, self.timeout, tool, self.askers_of(name), caller.session, caller.max_chars)
        )

    async def outcome(self, pending: PendingInput) -> str:
        """Wait for the request and return what the model reads; see `ask` for what it raises."""
        try:
            return await self.handler.outcome(pending)
        except HumanInputRejectedError as refused:
            raise ToolRefusedError(told_to_the_model(pending, refused, self.timeout)) from None
        except TimeoutError as in_vain:
            raise ToolFailedError(told_to_the_model(pending, in_vain, self.timeout)) from None

    def _withdraw(self, session_id: str, arguments: Mapping[str, object]) -> str:
        tool = arguments.get("tool")
        name = tool if isinstance(tool, str) else None
        open_before = self.handler.open_in(session_id) if session_id else []
        withdrawn = [
            pending.tool_name
            for pending in open_before
            if name in (None, pending.tool_name) and self.handler.release(pending.pending_id)
        ]
        return json.dumps({"withdrawn": sorted(withdrawn)})


def _by_name(definitions: Sequence[AITool | HumanTool], names: frozenset[str]) -> dict[str, HumanTool]:
    tools: dict[str, HumanTool] = {}
    for definition in definitions:
        tool = as_human_tool(definition)
        if tool.name not in names:
            raise ValueError(f"tool_definitions has {tool.name!r}, which is none of tool_names {sorted(names)}")
        if tool.name in tools:
            raise ValueError(f"tool_definitions has {tool.name!r} twice")
        tools[tool.name] = tool
    return tools
