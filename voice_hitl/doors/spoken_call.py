"""A call that the model said instead of issuing it: its outcome goes back as text, never as a function's output."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import lru_cache
from typing import Final

from voice_hitl.calls.call import ToolCall
from voice_hitl.calls.recovery import fenced
from voice_hitl.doors.gate import Catalogue
from voice_hitl.enums import DoorName

_OPENERS: Final = frozenset({"additionalProperties", "patternProperties", "$ref", "allOf", "anyOf", "oneOf"})
"""Where one of them stands, a schema says itself which members there may be."""


@lru_cache(maxsize=64)
def closed(catalogue: Catalogue) -> Catalogue:
    """The same tools, for calls with bare values: no word that is not declared is a key, where a schema leaves it open.

    Otherwise "lunch with Ada: 12" would run as a lunch with "Ada" cut off. Compiled once for all calls of the sessions
    that declare it.
    """
    return Catalogue(
        tool
        if _OPENERS & tool.parameters.keys()
        else replace(tool, parameters={**tool.parameters, "additionalProperties": False})
        for tool in catalogue.definitions
    )


class SpokenCallDoor:
    """Delivers by injecting the outcome, in a fence that nothing inside can close.

    Args:
        inject: Adds a silent line to what the model knows.
    """

    name = DoorName.SPOKEN_CALL

    def __init__(self, inject: Callable[[str], Awaitable[None]]) -> None:
        self._inject = inject

    async def deliver(self, call: ToolCall, text: str, *, failed: bool) -> str:
        """Tell the model; whoever watches the call asks it to go on."""
        await self._inject(fenced(call.name, text))
        return "text"
