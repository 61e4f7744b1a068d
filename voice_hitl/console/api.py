"""`Api`: the console's HTTP API. What operators are not to see is not told apart from what they may not answer."""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from voice_hitl.channels.verdicts import Refusal, Verdict, Verdicts, invalid, too_late, verdict_of
from voice_hitl.channels.verdicts import outcome_of as how_it_ended
from voice_hitl.console.authentication import Operator
from voice_hitl.console.board import Row
from voice_hitl.console.clock import utc_now
from voice_hitl.console.live_board import LiveBoard
from voice_hitl.console.operators import Operators, drop_cookie, set_cookie
from voice_hitl.console.problems import Refused, problem, refused
from voice_hitl.console.reading import Wire, read_body, read_key, read_object, read_query
from voice_hitl.console.rows import outcome_of
from voice_hitl.console.shown import (
    Accepted,
    Filters,
    History,
    HistoryFilters,
    Me,
    Reject,
    Requests,
    Shown,
    SignIn,
    Taken,
)
from voice_hitl.console.stream import EventStream
from voice_hitl.enums import Via
from voice_hitl.errors import InvalidAnswer, StoreUnavailable
from voice_hitl.questions.wire import respond

VERDICTS: Final = 4_096
"""How many answers with an idempotency key are remembered."""

Endpoint = Callable[[Request, Operator], Awaitable[ASGIApp]]
_LATE: Final = frozenset({"late", "duplicate"})
_NO_STORE: Final = "the request is kept in a store that cannot be used now: try again"


@dataclass(slots=True)
class _Watching:
    """Who reads a stream of events."""

    operator: Operator
    live: LiveBoard
    still: Callable[[], bool]

    @property
    def names(self) -> frozenset[str]:
        return self.operator.names

    @property
    def is_welcome(self) -> bool:
        return not self.live.closed and self.still()

    @property
    def watching(self) -> dict[str, int]:
        return self.live.watching(self.operator.roles)


class Api:
    """The endpoints of a console.

    Args:
        live: What it shows.
        operators: Who is who.
        watch: Is told that somebody begins to look.
    """

    def __init__(self, live: LiveBoard, operators: Operators, watch: Callable[[], Awaitable[None]]) -> None:
        self._live = live
        self._operators = operators
        self._watch = watch
        self._verdicts = Verdicts(VERDICTS)

    @property
    def routes(self) -> list[BaseRoute]:
        """Where everything is."""
        one = "/requests/{id}"
        known: Sequence[tuple[str, str, Endpoint]] = (
            ("GET", "/me", self._me),
            ("GET", "/requests", self._requests),
            ("GET", one, self._request),
            ("POST", f"{one}/answer", self._answer),
            ("POST", f"{one}/reject", self._reject),
            ("POST", f"{one}/take", self._take),
            ("POST", f"{one}/release", self._release),
            ("GET", "/events", self._events),
            ("GET", "/history", self._history),
        )
        routes: list[BaseRoute] = [
            Route(path, partial(self._serve, endpoint), methods=[method]) for method, path, endpoint in known
        ]
        return [*routes, Route("/session", self._session, methods=["POST", "DELETE"])]

    async def _serve(self, endpoint: Endpoint, request: Request) -> ASGIApp:
        try:
            return await endpoint(request, await self._operators.of(request))
        except Refused as why:
            return why.response
        except StoreUnavailable:
            return problem(503, "unavailable", _NO_STORE, headers={"retry-after": "1"})

    # --- signing in --------------------------------------------------------------------------------------------------

    async def _session(self, request: Request) -> Response:
        """A browser signs in with a token, or out."""
        response = Response(status_code=204)
        try:
            if request.method == "DELETE":
                self._operators.sign_out(request)
                self._live.look_again()
                drop_cookie(response, request)
            else:
                given = await read_body(request, SignIn)
                operator, session = await self._operators.sign_in(request, given.token)
                set_cookie(response, request, session, operator)
        except Refused as why:
            return why.response
        return response

    async def _me(self, _request: Request, operator: Operator) -> Response:
        watching = self._live.watching(operator.roles)
        return _json(Me(user=operator.user, roles=sorted(operator.roles), watching=watching, server_time=utc_now()))

    # --- looking -----------------------------------------------------------------------------------------------------

    async def _requests(self, request: Request, operator: Operator) -> Response:
        await self._watch()
        filters = read_query(request, Filters)
        shown = self._live.board.open_for(operator.names, filters)
        return _json(Requests(requests=shown, last_event=f"{self._live.run}-{self._live.board.last}"))

    async def _request(self, request: Request, operator: Operator) -> Response:
        return _json((await self._row(request, operator)).shown)

    async def _history(self, request: Request, operator: Operator) -> Response:
        asked = read_query(request, HistoryFilters)
        board = self._live.board
        shown = board.settled_for(operator.names, asked, before=asked.before, limit=asked.limit + 1)
        return _json(History(requests=shown[: asked.limit], more=len(shown) > asked.limit))

    async def _events(self, request: Request, operator: Operator) -> ASGIApp:
        still = partial(self._operators.is_still, request, operator)
        await self._watch()
        return EventStream(
            self._live.board,
            self._live.news,
            _Watching(operator, self._live, still),
            run=self._live.run,
            last_event=request.headers.get("last-event-id"),
            present=self._live.desk.watch(operator.roles),
        )

    async def _row(self, request: Request, operator: Operator) -> Row:
        row = self._live.board.find(request.path_params["id"])
        if row is None:
            await self._watch()
            row = self._live.board.find(request.path_params["id"])
        if row is None:
            raise Refused(problem(404, "unknown", "there is no such request, or no longer"))
        if not row.is_for(operator.names):
            raise Refused(problem(403, "not_allowed", "this request is for somebody else"))
        return row

    # --- answering ---------------------------------------------------------------------------------------------------

    async def _answer(self, request: Request, operator: Operator) -> Response:
        row, key = await self._row(request, operator), read_key(request)
        return await self._judged(row, operator, key, await read_object(request))

    async def _reject(self, request: Request, operator: Operator) -> Response:
        row, key = await self._row(request, operator), read_key(request)
        given = await read_body(request, Reject)
        return await self._judged(row, operator, key, {"action": "decline", "reason": given.reason})

    async def _judged(self, row: Row, operator: Operator, key: str | None, wire: Wire) -> Response:
        name = None if key is None else json.dumps([operator.user, row.shown.id, key])
        verdict = await self._verdicts.once(name, partial(self._judge, row, operator, key, wire))
        if not isinstance(verdict, Refusal):
            return _json(Accepted())
        if verdict.code not in _LATE:
            return refused(verdict, None)
        return refused(verdict, row.shown.outcome or outcome_of(row.asking.request, row.asking.question))

    async def _judge(self, row: Row, operator: Operator, key: str | None, wire: Wire) -> Verdict:
        asking = row.asking
        if row.shown.outcome is not None:
            return too_late(how_it_ended(asking))
        try:
            answer = respond(asking.question, wire, by=operator.user, via=Via.CONSOLE, at=utc_now())
        except InvalidAnswer as why:
            return invalid(str(why), sensitive=asking.question.sensitive)
        answer = replace(answer, roles=tuple(sorted(operator.roles)))
        settlement = await row.answer(answer, None if key is None else f"{operator.user} {key}")
        return verdict_of(settlement, how_it_ended(asking), sensitive=asking.question.sensitive)

    async def _take(self, request: Request, operator: Operator) -> Response:
        row = await self._open_row(request, operator)
        theirs = self._live.take(row.shown.id, operator.user)
        if theirs is not None:
            return problem(409, "taken", f"{theirs.by} is handling this request", taken=theirs)
        return _json(Taken(by=operator.user))

    async def _release(self, request: Request, operator: Operator) -> Response:
        row = await self._open_row(request, operator)
        if not self._live.release(row.shown.id, operator.user):
            return problem(409, "not_taken", "you are not handling this request", taken=row.shown.taken)
        return Response(status_code=204)

    async def _open_row(self, request: Request, operator: Operator) -> Row:
        row = await self._row(request, operator)
        if row.shown.outcome is not None:
            raise Refused(refused(too_late(how_it_ended(row.asking)), row.shown.outcome))
        return row


def _json(body: Shown) -> Response:
    return Response(body.model_dump_json(exclude_none=True), media_type="application/json")
