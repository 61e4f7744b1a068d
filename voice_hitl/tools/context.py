"""The tool call that is being served, for the code that serves it: `current_tool_call()`."""

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

from voice_hitl.enums import ChannelType, DoorName


@dataclass(frozen=True, slots=True)
class Actor:
    """Whose turn raised a call, and how sure that is: 0 to 1 where it is evidence (who was heard), None where not."""

    id: str | None = None
    confidence: float | None = None


NOBODY: Final = Actor()
"""Nobody's turn, or nobody knows whose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallContext:
    """Which call is being served, and for whom. `""` and None: unknown there.

    `actor_id` is whose turn raised the call: it names a turn, and authenticates nobody. `actor_confidence` says how
    sure that is (0 to 1), where it is evidence. `allowed_names` are the tools that the session admits.
    """

    room_id: str = ""
    call_id: str = ""
    channel_id: str = ""
    channel_type: ChannelType = ChannelType.AI
    session_id: str = ""
    actor_id: str | None = None
    actor_confidence: float | None = None
    allowed_names: tuple[str, ...] = ()
    door: DoorName | None = None


_current: ContextVar[ToolCallContext | None] = ContextVar("voice_hitl_tool_call", default=None)


def current_tool_call() -> ToolCallContext | None:
    """The call that is being served here: in the handler, in what it awaits, in its worker thread. None outside one."""
    return _current.get()


def current_tool_actor_id() -> str | None:
    """Whose turn raised the call that is being served here; None outside a call, or where nobody did."""
    context = _current.get()
    return context.actor_id if context is not None else None


class tool_call_context:  # noqa: N801 - used as the functions of contextlib are; a generator costs three times as much
    """Make `context` the call that is being served, within the block and the tasks started in it."""

    __slots__ = ("_context", "_token")

    def __init__(self, context: ToolCallContext) -> None:
        self._context = context

    def __enter__(self) -> None:
        self._token = _current.set(self._context)

    def __exit__(self, *_error: object) -> None:
        _current.reset(self._token)
