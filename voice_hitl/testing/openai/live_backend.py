"""The Live service's own backend: a Responses model that works on what is handed over, and calls functions."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from voice_hitl.testing.openai.fields import Json, object_of, text_of
from voice_hitl.testing.openai.live_script import BackendTurn, LiveScript
from voice_hitl.testing.openai.refused import Refused, invalid
from voice_hitl.testing.openai.script import Call


class Emit(Protocol):
    """Says something on every connection of the session."""

    def __call__(self, kind: str, **fields: object) -> None:
        """Say it."""
        ...


@dataclass(slots=True)
class _Delegation:
    delegation_id: str
    responses: int = 0
    owed: set[str] = field(default_factory=set[str])
    outputs: dict[str, str] = field(default_factory=dict[str, str])


class LiveBackend:
    """One delegation at a time waits for its function calls.

    Args:
        emit: Says something.
        make_id: Makes an id.
        script: What it does.
        tell: Has the model tell the caller something.
    """

    def __init__(
        self, emit: Emit, make_id: Callable[[str], str], script: LiveScript, tell: Callable[[str], None]
    ) -> None:
        self._emit = emit
        self._make_id = make_id
        self._script = script
        self._tell = tell
        self._waiting: _Delegation | None = None

    def begin(self, delegation_id: str) -> None:
        """Work on this."""
        self._respond(_Delegation(delegation_id))

    def obey(self, kind: str, event: Json) -> None:
        """Take an item, or go on."""
        if kind == "response.create":
            self._go_on()
            return
        item = object_of(event, "item")
        if text_of(item, "type", "item.") != "function_call_output":
            return  # more to know
        call_id, waiting = text_of(item, "call_id", "item."), self._waiting
        if waiting is None or call_id not in waiting.owed:
            raise invalid("item.call_id", f"no function call {call_id!r} waits for an output")
        waiting.owed.remove(call_id)
        waiting.outputs[call_id] = text_of(item, "output", "item.")

    def _go_on(self) -> None:
        waiting = self._waiting
        if waiting is None:
            raise Refused("invalid_request", "No response waits to be continued.")
        if waiting.owed:
            owed = ", ".join(sorted(waiting.owed))
            raise Refused("missing_tool_output", f"No tool output found for function call {owed}.")
        self._waiting = None
        self._respond(waiting)

    def _respond(self, delegation: _Delegation) -> None:
        turn = BackendTurn(delegation.delegation_id, delegation.responses, dict(delegation.outputs))
        delegation.responses += 1
        delegation.outputs.clear()
        response_id = self._make_id("resp")
        self._say(delegation, "response.created", response={"id": response_id, "status": "in_progress"})
        told: list[str] = []
        for index, step in enumerate(self._script.backend(turn)):
            if isinstance(step, Call):
                self._call(delegation, index, step)
            else:
                told.append(step.text)
        self._say(delegation, "response.completed", response={"id": response_id, "status": "completed"})
        if delegation.owed:
            self._waiting = delegation
        for text in told:
            self._tell(text)

    def _call(self, delegation: _Delegation, index: int, call: Call) -> None:
        arguments = call.arguments if isinstance(call.arguments, str) else json.dumps(dict(call.arguments))
        call_id = call.call_id or self._make_id("call")
        item: dict[str, object] = {
            "type": "function_call",
            "id": self._make_id("fc"),
            "call_id": call_id,
            "name": call.name,
        }
        begun = {**item, "arguments": "", "status": "in_progress"}
        self._say(delegation, "response.output_item.added", output_index=index, item=begun)
        done = {**item, "arguments": arguments, "status": "completed"}
        self._say(delegation, "response.output_item.done", output_index=index, item=done)
        delegation.owed.add(call_id)

    def _say(self, delegation: _Delegation, kind: str, **fields: object) -> None:
        self._emit("response.event", delegation_id=delegation.delegation_id, event={"type": kind, **fields})
