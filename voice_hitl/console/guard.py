"""`Guard`: what every response of the console says to a browser, and which pages may send it anything."""

from collections.abc import Collection
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from voice_hitl.console.problems import problem

SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})

HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'"
    ),
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


class Guard:
    """Wraps the console: security headers on everything, and no other site's page changes anything.

    Args:
        app: The console.
        origins: Other origins whose pages may use it, such as `https://desk.example.com`, where a proxy has it.
    """

    def __init__(self, app: ASGIApp, origins: Collection[str] = ()) -> None:
        self._app = app
        self._origins = frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        if self._may(scope):
            await self._app(scope, receive, send_guarded)
        else:
            refused = problem(403, "foreign", "another site's page may not use the console")
            await refused(scope, receive, send_guarded)

    def _may(self, scope: Scope) -> bool:
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        if origin is not None:
            return origin in self._origins or urlsplit(origin).netloc == headers.get("host")
        # Every browser says where a page's own request comes from; what says nothing is a program, with its token.
        from_page = headers.get("sec-fetch-site", "none") in ("none", "same-origin")
        return scope["method"] in SAFE or from_page
