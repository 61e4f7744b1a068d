"""What people do with the requests of a machine: the right ones and strangers, well, badly and late."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Final

from tests.channels.machine.account import Account
from tests.channels.machine.drawing import Event
from voice_hitl.enums import RequestEnd
from voice_hitl.questions.answer import Answer
from voice_hitl.requests.pending import PendingInput

_LATE: Final = {RequestEnd.TIMED_OUT, RequestEnd.UNANSWERED, RequestEnd.WITHDRAWN}
_WAYS: Final = (
    *("yes",) * 3,
    *("stranger",) * 3,
    "no",
    *("nonsense",) * 2,
    "decline",
    "resolve",
    "reject",
    *("release",) * 3,
)


class People:
    """Those who answer.

    Args:
        account: What happened.
        right: Who may answer a request.
        send: Sends a message from the page of somebody in a request's session, if there is one; says whether it did.
    """

    def __init__(
        self,
        account: Account,
        *,
        right: Callable[[PendingInput], str],
        send: Callable[[PendingInput, Mapping[str, object], Random], bool],
    ) -> None:
        self._account = account
        self._right = right
        self._send = send

    def possible(self) -> list[Event]:
        """What they may do now, the likelier the more often."""
        answer: Event = self.somebody_answers
        card: Event = self.a_card_is_answered
        if self._account.open:
            return [answer] * 12 + [card] * 5
        return [answer, card] if self._account.known else []

    def somebody_answers(self, chance: Random) -> None:
        pending = self.drawn(chance)
        handler, pending_id, was = self._account.handler, pending.pending_id, pending.end
        match chance.choice(_WAYS):
            case "yes":
                self._answer(pending, _yes(pending, by=self._right(pending)))
            case "no":
                self._answer(pending, _no(pending, by=self._right(pending)))
            case "nonsense":
                self._answer(pending, Answer(value={"x": 1}, by="ada"))
            case "decline":
                self._answer(pending, Answer(decline=True, by="ada"))
            case "stranger":
                self._answer(pending, _yes(pending, by="mallory"))
            case "resolve":
                settled = handler.resolve(pending_id, "yes")
                assert settled is (was is None and pending.end is RequestEnd.ANSWERED)
            case "reject":
                assert handler.reject(pending_id, "not now") is (was is None)
            case _:
                assert handler.release(pending_id) >= (was is None)
                self._account.reached["a request was released"] += was is None

    def _answer(self, pending: PendingInput, answer: Answer) -> None:
        async def give() -> None:
            was = pending.end
            settlement = await self._account.handler.answer(pending.pending_id, answer)
            self._account.reached[f"an answer is {settlement.kind}"] += 1
            if was is not None:
                assert settlement.kind in {"late" if was in _LATE else "duplicate", "unknown"}, (was, settlement)
            elif settlement.kind == "accepted":
                assert pending.end in {RequestEnd.ANSWERED, RequestEnd.REFUSED}

        self._account.begin(give())

    def a_card_is_answered(self, chance: Random) -> None:
        pending = self.drawn(chance)
        asks = pending.tool_name == "ConfirmAction"
        message = {
            "v": 1,
            "type": "request.answer",
            "id": self._account.mint(),
            "pending_id": pending.pending_id,
            "answer": {"action": "answer", "value": True} if asks else {"action": "approve"},
        }
        self._account.reached["a card was answered"] += self._send(pending, message, chance)

    def drawn(self, chance: Random) -> PendingInput:
        """Mostly one that is open; sometimes one that is not."""
        return chance.choice(self._account.open * 4 + list(self._account.known.values())[-6:])


def _yes(pending: PendingInput, *, by: str) -> Answer:
    return Answer(decision="approve", by=by) if pending.tool_name == "book" else Answer(value=True, by=by)


def _no(pending: PendingInput, *, by: str) -> Answer:
    reject = Answer(decision="reject", reason="no", by=by)
    return reject if pending.tool_name == "book" else Answer(value=False, by=by)
