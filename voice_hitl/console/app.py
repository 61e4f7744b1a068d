"""`Console`: the operators' console of an application, to be mounted in its web app."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from voice_hitl.askers.desk import OWN_DESK, Desk
from voice_hitl.console.api import Api
from voice_hitl.console.authentication import Authenticator
from voice_hitl.console.guard import Guard
from voice_hitl.console.live_board import LiveBoard
from voice_hitl.console.openapi import document
from voice_hitl.console.operators import Limits, Operators, anonymous_operator
from voice_hitl.console.stored import StoredRequests
from voice_hitl.console.webhook import Webhook
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.kit import VoiceKit
from voice_hitl.store import Store

PAGE: Final = Path(__file__).parent / "static"


class Console:
    """The operators' page and its API.

    `app` is an ASGI application: `Mount("/console", console.app)`. The page is at its root. Everything of it belongs to
    one event loop, that of the calls whose requests it shows.

    Args:
        authenticators: Who knows the operators' tokens: `SignedTokens(secret)`, `OIDCTokens(...)`, your own.
        desk: Where `ConsoleAsker` puts requests; by default the desk of this process.
        roles: What a role of a token is called in audiences, where it is called something else there:
            `{"acme-leads": ["supervisors"]}`. A role that is not named is called what it is.
        anonymous: The roles of whoever comes from this very machine without a token, over its loopback. None: everybody
            has to sign in.
        handler: Answers the requests that are kept in `store`: those of other processes, and of calls that are over.
        store: Where they are kept. Those are shown whose audience names an operator, or a role of theirs.
        webhooks: Who else is told that a request was opened, or settled.
        origins: Other origins whose pages may use the API. Its own always may.
        limits: How often an operator may do something.

    Raises:
        ValueError: Nobody could sign in; or there is a store without a handler, or a handler without a store.
    """

    def __init__(
        self,
        *authenticators: Authenticator,
        desk: Desk | None = None,
        roles: Mapping[str, Collection[str]] | None = None,
        anonymous: Collection[str] | None = None,
        handler: HumanInputHandler | None = None,
        store: Store | None = None,
        webhooks: Sequence[Webhook] = (),
        origins: Collection[str] = (),
        limits: Limits | None = None,
    ) -> None:
        if not authenticators and anonymous is None:
            raise ValueError("nobody could sign in: give an authenticator, such as SignedTokens(secret)")
        if (handler is None) is not (store is None):
            raise ValueError("requests of a store are answered through a handler: give both, or neither")
        self._live = LiveBoard(desk if desk is not None else OWN_DESK, webhooks)
        self._stored = StoredRequests(self._live, handler, store) if handler is not None and store is not None else None
        operators = Operators(
            authenticators,
            roles=roles or {},
            anonymous=anonymous_operator("operator", anonymous) if anonymous is not None else None,
            limits=limits or Limits(),
        )
        self.app: ASGIApp = Guard(_starlette(Api(self._live, operators, self._watch)), origins)

    def follow(self, kit: VoiceKit, *handlers: HumanInputHandler) -> None:
        """Show the last lines of a kit's calls beside their requests.

        What is said while a confidential question of one of the `handlers` is open is masked.
        """
        self._live.follow(kit, *handlers)

    async def watched(self, role: str) -> None:
        """Return once somebody in this role has the page open."""
        await self._live.desk.attended(role)

    async def close(self) -> None:
        """End every page's stream of events, and tell the webhooks what is left, for a moment."""
        if self._stored is not None:
            await self._stored.close()
        await self._live.close()

    async def _watch(self) -> None:
        """Somebody looks: what is in the store is on the board when this returns."""
        if self._stored is not None:
            await self._stored.watch()


def _starlette(api: Api) -> Starlette:
    async def page(_request: Request) -> FileResponse:
        return FileResponse(PAGE / "index.html")

    async def openapi(request: Request) -> JSONResponse:
        return JSONResponse(document(str(request.scope.get("root_path") or "/")))

    return Starlette(
        routes=[
            Route("/", page),
            Route("/openapi.json", openapi),
            *api.routes,
            Mount("/", StaticFiles(directory=PAGE, packages=[("voice_hitl", "static")])),
        ]
    )
