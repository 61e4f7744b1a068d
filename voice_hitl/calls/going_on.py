"""When to ask the model to go on: once for the outputs of a response, once more for a person's answer.

Pure: it is told what happens and says when a `respond` is due. So a model never waits for a person to hear of a
look-up.
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

RESPONSES_REMEMBERED: Final = 16
"""Of how many responses that have ended a call may still come: the latest."""


@dataclass(slots=True)
class _Response:
    ended: bool = False
    asked_on: bool = False
    running: set[str] = field(default_factory=set[str])
    waiting: set[str] = field(default_factory=set[str])
    sent: int = 0


@dataclass(slots=True)
class GoingOn:
    """One session's debts to its model.

    A `respond` is owed when a response has ended and every call of it that waits for no person has its output (at least
    one has); once more when a person's call gets its output. It is due when no response is active, no asker holds the
    floor and the caller is silent.

    Args:
        replies_to_results: Whether the model goes on by itself on getting an output: then none is owed for one.
        floor_taken: Whether an asker holds the floor.
        caller_speaks: Whether the caller speaks.
    """

    replies_to_results: bool = False
    floor_taken: bool = False
    caller_speaks: bool = False
    _owed: bool = False
    _active: set[str] = field(default_factory=set[str])
    _over: OrderedDict[str, None] = field(default_factory=OrderedDict[str, None])
    _responses: dict[str, _Response] = field(default_factory=dict[str, _Response])

    @property
    def responding(self) -> bool:
        """Whether a response is active."""
        return bool(self._active)

    def response_started(self, response_id: str) -> None:
        """The model responds: what was owed is paid, whoever asked for it."""
        self._active.add(response_id)
        self._owed = False
        self._over.pop(response_id, None)

    def response_ended(self, response_id: str) -> None:
        """That response is over."""
        self._active.discard(response_id)
        self._over[response_id] = None
        if len(self._over) > RESPONSES_REMEMBERED:
            self._over.popitem(last=False)
        response = self._responses.get(response_id)
        if response is not None:
            response.ended = True
            self._consider(response_id, response)

    def called(self, call_id: str, response_id: str) -> None:
        """The model issued a call in this response (an empty id: it named none)."""
        response = self._responses.get(response_id)
        if response is None:
            response = self._responses[response_id] = _Response(ended=response_id in self._over)
        if not response_id:
            response.ended, response.asked_on = True, False
        response.running.add(call_id)

    def asking(self, call_id: str, response_id: str) -> None:
        """The call waits for a person from here."""
        response = self._responses.get(response_id)
        if response is not None and call_id in response.running:
            response.running.discard(call_id)
            response.waiting.add(call_id)
            self._consider(response_id, response)

    def delivered(self, call_id: str, response_id: str) -> None:
        """The call's output is sent."""
        response = self._responses.get(response_id)
        if response is None:
            return
        response.sent += 1
        if call_id in response.waiting:
            self.output_sent()
        self._leave(call_id, response_id, response)

    def dropped(self, call_id: str, response_id: str) -> None:
        """The call is over and nothing was sent for it."""
        response = self._responses.get(response_id)
        if response is not None:
            self._leave(call_id, response_id, response)

    def forget_connection(self) -> None:
        """The connection is gone: its responses never end. One that was cut in the middle is taken up again."""
        if self._active:
            self._owed = True
        self._active.clear()
        self._over.clear()
        self.caller_speaks = False
        for response_id, response in list(self._responses.items()):
            response.ended = True
            self._consider(response_id, response)

    def owe(self) -> None:
        """The model is to be asked on, whatever the responses say (something was told to it as text)."""
        self._owed = True

    def take_due(self) -> bool:
        """Whether a `respond` is due now; whoever gets True sends it."""
        due = self._owed and not self._active and not self.floor_taken and not self.caller_speaks
        if due:
            self._owed = False
        return due

    def output_sent(self) -> None:
        """The model got an output that it is to hear of, unless it replies to outputs by itself."""
        self._owed = self._owed or not self.replies_to_results

    def _leave(self, call_id: str, response_id: str, response: _Response) -> None:
        response.running.discard(call_id)
        response.waiting.discard(call_id)
        self._consider(response_id, response)

    def _consider(self, response_id: str, response: _Response) -> None:
        if not response.ended or response.running:
            return
        if response.sent and not response.asked_on:
            response.asked_on = True
            self.output_sent()
        if not response.waiting:
            del self._responses[response_id]
