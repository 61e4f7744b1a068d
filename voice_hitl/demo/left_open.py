"""What earlier calls left open, for the page to show and the person to decide: also after a restart."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, cast

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route

from voice_hitl.enums import Via
from voice_hitl.errors import InvalidAnswer, StoreUnavailable
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.questions.answer import Answer
from voice_hitl.questions.model import Question
from voice_hitl.questions.wire import request_kind, respond, to_wire
from voice_hitl.requests.pending import PendingInputEvent
from voice_hitl.requests.settlement import SettlementKind

REMEMBERED: Final = 32
"""How many results are told to a page that asks again."""


@dataclass(slots=True)
class LateResults:
    """What came of requests that were answered after their call: the handler's `on_late_result`."""

    ended: OrderedDict[str, PendingInputEvent] = field(default_factory=OrderedDict[str, PendingInputEvent])

    async def __call__(self, request: PendingInputEvent, _answer: Answer) -> None:
        """Keep a result, for the page that asks for it."""
        self.ended[request.pending_id] = request
        if len(self.ended) > REMEMBERED:
            self.ended.popitem(last=False)


class LeftOpen:
    """The requests that outlived their call, as two routes: what there is, and an answer to one.

    Args:
        handler: Knows them; it has a store.
        results: What came of those that were answered.
        who: Who asks, by a request of the page; None: somebody who may not.
    """

    def __init__(
        self,
        handler: HumanInputHandler,
        results: LateResults,
        who: Callable[[Request], Awaitable[str | None]],
    ) -> None:
        self._handler = handler
        self._results = results
        self._who = who
        self._questions: dict[str, Question] = {}

    def routes(self) -> list[BaseRoute]:
        """The routes, under `/left`."""
        return [
            Route("/left", self._listed, methods=["GET"]),
            Route("/left/{pending_id}", self._answered, methods=["POST"]),
        ]

    async def _listed(self, _request: Request) -> JSONResponse:
        try:
            found = await self._handler.recover()
        except StoreUnavailable as error:
            return JSONResponse({"error": str(error)}, 503)
        asked = [(each, each.question) for each in found.orphans]
        self._questions |= {each.pending_id: question for each, question in asked if question is not None}
        return JSONResponse(
            {
                "open": [_open(each, question) for each, question in asked if question is not None],
                "unknown": [_named(each) for each in found.outcome_unknown],
                "ended": [
                    _named(each) | {"result": each.result, "error": each.reject_reason}
                    for each in self._results.ended.values()
                ],
            }
        )

    async def _answered(self, request: Request) -> JSONResponse:
        by = await self._who(request)
        if by is None:
            return JSONResponse({"code": "not_allowed", "why": "this is not your page"}, 403)
        pending_id = str(request.path_params["pending_id"])
        question = self._questions.get(pending_id)
        if question is None:
            return JSONResponse({"code": "unknown", "why": "there is no such request"}, 404)
        try:
            answer = respond(question, await _body(request), by=by, via=Via.CARD)
            settlement = await self._handler.answer(pending_id, answer)
        except InvalidAnswer as why:
            return JSONResponse({"code": "invalid", "why": str(why)}, 400)
        except StoreUnavailable as error:
            return JSONResponse({"code": "unavailable", "why": str(error)}, 503)
        if settlement.kind is SettlementKind.ACCEPTED:
            return JSONResponse({"ok": True})
        return JSONResponse({"code": settlement.kind, "why": settlement.why or _TOLD[settlement.kind]}, 409)


_TOLD: Final[Mapping[SettlementKind, str]] = {
    SettlementKind.DUPLICATE: "it has been decided already",
    SettlementKind.LATE: "it is over",
    SettlementKind.UNKNOWN: "there is no such request",
    SettlementKind.NOT_ALLOWED: "somebody else decides this",
    SettlementKind.INVALID: "that does not answer it",
}


def _named(event: PendingInputEvent) -> dict[str, object]:
    return {"pending_id": event.pending_id, "tool": event.tool_name, "call": event.tool_call_id}


def _open(event: PendingInputEvent, question: Question) -> dict[str, object]:
    return _named(event) | {
        "kind": request_kind(question),
        "question": to_wire(question),
        "created_at": event.created_at.isoformat(),
        "status": "executing",
    }


async def _body(request: Request) -> object:
    try:
        return cast("object", await request.json())
    except ValueError:
        raise InvalidAnswer("an answer is JSON") from None
