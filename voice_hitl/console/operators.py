"""`Operators`: who sends a request, by a bearer token or a browser's session; and how often they may."""

import ipaddress
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from secrets import token_urlsafe
from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from voice_hitl.asker import CALLER
from voice_hitl.console.authentication import AnyOf, Authenticator, NotAuthenticated, Operator
from voice_hitl.console.clock import utc_now
from voice_hitl.console.limits import Limit
from voice_hitl.console.problems import Refused, problem
from voice_hitl.console.sessions import Sessions
from voice_hitl.tasks import current_time

log = logging.getLogger(__name__)

COOKIE: Final = "voice_hitl_console"
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Limits:
    """How often. Each is so many at once, and so many a second after that.

    Args:
        requests: Requests of one operator.
        answers: What changes something, of one operator.
        failures: Tokens that are not valid, from one address.
    """

    requests: tuple[float, float] = (200, 40)
    answers: tuple[float, float] = (40, 4)
    failures: tuple[float, float] = (20, 0.2)


class Operators:
    """Knows who sends a request.

    Args:
        authenticators: Who knows their tokens.
        roles: What a role is called in audiences, where it is called something else there.
        anonymous: Whom everybody is taken for who comes from this very machine; None: nobody.
        limits: How often they may.
    """

    def __init__(
        self,
        authenticators: Sequence[Authenticator],
        *,
        roles: Mapping[str, Collection[str]],
        anonymous: Operator | None,
        limits: Limits,
    ) -> None:
        self._authenticator = AnyOf(authenticators)
        self._roles = {role: frozenset(names) for role, names in roles.items()}
        self._anonymous = anonymous
        self._sessions = Sessions(partial(token_urlsafe, 32))
        self._requests, self._answers, self._failures = (
            Limit(burst=burst, per_second=per_second)
            for burst, per_second in (limits.requests, limits.answers, limits.failures)
        )

    async def of(self, request: Request) -> Operator:
        """Who sends it.

        Raises:
            Refused: Nobody we know (401), or too often (429).
        """
        operator = await self._known(request)
        limit = self._requests if request.method == "GET" else self._answers
        _check(limit.wait_for(operator.user, current_time()))
        return operator

    def is_still(self, request: Request, operator: Operator) -> bool:
        """Whether they would be let in again: not signed out since, nor expired."""
        if operator is self._anonymous:
            return True
        if "authorization" in request.headers:
            return utc_now() < operator.expires_at and not self._sessions.is_spent(operator)
        return self._sessions.find(request.cookies.get(COOKIE, ""), utc_now()) is not None

    async def sign_in(self, request: Request, token: str) -> tuple[Operator, str]:
        """Exchange a token for a session: its operator, and its id for the cookie.

        Raises:
            Refused: The token is not valid, or was exchanged before.
        """
        operator = await self._whose(request, token)
        try:
            return operator, self._sessions.sign_in(operator, utc_now())
        except NotAuthenticated as why:
            raise self._refused(request, why) from None

    def sign_out(self, request: Request) -> None:
        """End the session of a browser."""
        self._sessions.sign_out(request.cookies.get(COOKIE, ""))

    async def _known(self, request: Request) -> Operator:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme:
            if scheme.lower() != "bearer":
                raise self._refused(request, NotAuthenticated("the console takes bearer tokens"))
            return await self._whose(request, token.strip())
        operator = self._sessions.find(request.cookies.get(COOKIE, ""), utc_now())
        if operator is None and self._anonymous is not None and is_local(request):
            operator = self._anonymous
        if operator is None:
            raise Refused(unauthorized("sign in first"))
        return operator

    async def _whose(self, request: Request, token: str) -> Operator:
        now = current_time()
        _check(self._failures.would_wait(_address(request), now))
        try:
            operator = await self._authenticator.authenticate(token)
            self._sessions.check_unspent(operator)
        except NotAuthenticated as why:
            raise self._refused(request, why) from None
        names = frozenset(name for role in operator.roles for name in self._roles.get(role, (role,)))
        # Whoever is on a line is no operator, whatever a token says.
        return replace(operator, roles=names - {CALLER})

    def _refused(self, request: Request, why: NotAuthenticated) -> Refused:
        self._failures.wait_for(_address(request), current_time())
        log.info("a token from %s was refused: %s", _address(request), why)
        return Refused(unauthorized(str(why)))


def anonymous_operator(user: str, roles: Collection[str]) -> Operator:
    """Whom everybody on this machine is taken for."""
    return Operator(user, frozenset(roles), "", datetime.now(UTC) + timedelta(days=36_500))


def is_local(request: Request) -> bool:
    """Whether a request came over this machine's own loopback, to a name that is its own.

    The name counts too: a page of another site whose name was made to lead here (DNS rebinding) still has its own.
    """
    server = request.scope.get("server")
    return (
        server is not None
        and _is_loopback(str(server[0]))
        and _is_loopback(_address(request))
        and (request.url.hostname or "") in LOOPBACK
    )


def set_cookie(response: Response, request: Request, session: str, operator: Operator) -> None:
    """Give a browser its session: no script reads it, and no other site's page sends it."""
    response.set_cookie(
        COOKIE,
        session,
        max_age=max(0, int((operator.expires_at - utc_now()).total_seconds())),
        path=request.scope.get("root_path") or "/",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )


def drop_cookie(response: Response, request: Request) -> None:
    """Take it away."""
    response.delete_cookie(COOKIE, path=request.scope.get("root_path") or "/", httponly=True, samesite="strict")


def unauthorized(why: str) -> JSONResponse:
    """Say that nobody is signed in."""
    return problem(401, "unauthorized", why, headers={"www-authenticate": "Bearer"})


def _check(wait_s: float) -> None:
    if wait_s > 0:
        headers = {"retry-after": str(int(wait_s) + 1)}
        raise Refused(problem(429, "too_often", "that was too often: wait a moment", headers=headers))


def _address(request: Request) -> str:
    return request.client.host if request.client is not None else ""


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"
