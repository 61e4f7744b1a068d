"""The legs that `voice-hitl serve` puts a channel behind: found by name; a missing extra says what to install."""

import errno
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, cast
from urllib.parse import urlsplit

from voice_hitl import plugins
from voice_hitl.errors import VoiceHitlError
from voice_hitl.transport import Transport

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.routing import BaseRoute

STATIC: Final = Path(__file__).parents[1] / "static"
PARTS: Final = "/voice-hitl"
"""Where the page's own files are: the client, the look, the fields of a question."""


class CannotServe(VoiceHitlError):  # noqa: N818 - named by its cause
    """The legs that were asked for cannot be opened; the text says what to change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The legs that were asked for; an empty one was not."""

    sip: str = ""
    """`HOST:PORT` to take SIP calls at."""
    twilio: str = ""
    """The path that Twilio asks for TwiML."""
    webrtc: str = ""
    """The path of the page that calls, which posts its offer there too."""
    public_url: str = ""
    """Where the Internet reaches this server."""

    @property
    def over_http(self) -> bool:
        """Whether a web server is needed."""
        return bool(self.twilio or self.webrtc)


@dataclass(frozen=True, slots=True)
class OpenLeg:
    """One way in, for the table of what there is."""

    name: str
    call_at: str
    note: str
    warns: bool = False


class WebTransport(Transport, Protocol):
    """A transport whose calls are set up over HTTP."""

    def routes(self, path: str = ...) -> "list[BaseRoute]":
        """Its routes."""
        ...


class PortTransport(Transport, Protocol):
    """A transport that opens a port of its own."""

    async def start(self) -> None:
        """Open it; `OSError` where that cannot be."""
        ...


@dataclass(slots=True)
class Legs:
    """What was opened: the transports, the routes to serve, and what to tell of them."""

    transports: list[Transport] = field(default_factory=list[Transport])
    routes: "list[BaseRoute]" = field(default_factory=list["BaseRoute"])
    opened: list[OpenLeg] = field(default_factory=list[OpenLeg])
    sip: tuple[PortTransport, str] | None = None

    async def start(self) -> None:
        """Open the ports that are not the web server's.

        Raises:
            CannotServe: One is taken, or is no address of this machine.
        """
        if self.sip is None:
            return
        transport, where = self.sip
        try:
            await transport.start()
        except OSError as error:
            taken = error.errno == errno.EADDRINUSE
            why = "is in use by another program" if taken else f"cannot be opened ({error.strerror or error})"
            raise CannotServe(f"the SIP port {where} {why}: choose another one with --sip HOST:PORT") from error


def open_legs(wanted: Wanted, web_address: str, environ: Mapping[str, str]) -> Legs:
    """Make the transports; nothing is opened yet.

    Args:
        wanted: Which.
        web_address: Where the web server is found on this machine.
        environ: Where `TWILIO_AUTH_TOKEN` and `TWILIO_ACCOUNT_SID` are looked for.

    Raises:
        PluginMissing: What a leg needs is not installed.
        CannotServe: They make no sense together.
    """
    _check(wanted)
    legs = Legs()
    if wanted.sip:
        _sip(legs, wanted.sip)
    if wanted.twilio:
        _twilio(legs, wanted, web_address, environ)
    if wanted.webrtc:
        _webrtc(legs, wanted, web_address)
    return legs


def _check(wanted: Wanted) -> None:
    if not (wanted.sip or wanted.over_http):
        raise CannotServe("say where calls come in: --sip 127.0.0.1:5060, --twilio /twilio, --webrtc /call, or several")
    for option, path in (("--twilio", wanted.twilio), ("--webrtc", wanted.webrtc)):
        if path and (not path.startswith("/") or path.rstrip("/") in {"", PARTS}):
            raise CannotServe(f"{option} {path} is no path to serve at: write one such as {option} /call")
    if wanted.twilio and wanted.twilio.rstrip("/") == wanted.webrtc.rstrip("/"):
        raise CannotServe(f"--twilio and --webrtc are both {wanted.twilio}: give each a path of its own")
    if wanted.public_url and urlsplit(wanted.public_url).scheme not in {"http", "https"}:
        raise CannotServe(f"--public-url {wanted.public_url} is no address: write one such as https://agent.example")


def _sip(legs: Legs, where: str) -> None:
    host, _, port = where.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65_535:
        raise CannotServe(f"--sip {where} is no address with a port: write one such as --sip 127.0.0.1:5060")
    transport = cast("PortTransport", plugins.load("transport", "sip")(host, int(port)))
    legs.sip = (transport, where)
    legs.transports.append(transport)
    legs.opened.append(OpenLeg("SIP", f"sip:agent@{where}", "UDP, G.711; no registration, TLS or SRTP"))


def _twilio(legs: Legs, wanted: Wanted, web_address: str, environ: Mapping[str, str]) -> None:
    public = wanted.public_url or web_address
    token, account = environ.get("TWILIO_AUTH_TOKEN") or None, environ.get("TWILIO_ACCOUNT_SID") or None
    make = plugins.load("transport", "twilio")
    transport = cast("WebTransport", make(public, auth_token=token, account_sid=account))
    if not wanted.public_url:
        note = "Twilio cannot reach this machine's own address: give --public-url https://..."
    elif token is None:
        note = "anybody's requests are taken: set TWILIO_AUTH_TOKEN"
    else:
        note = "only what Twilio signed" + ("" if account else "; no transfers: set TWILIO_ACCOUNT_SID")
    legs.transports.append(transport)
    legs.routes += transport.routes(wanted.twilio)
    at = f"{public.rstrip('/')}{wanted.twilio}"
    legs.opened.append(OpenLeg("Twilio", at, note, warns=token is None or not wanted.public_url))


def _webrtc(legs: Legs, wanted: Wanted, web_address: str) -> None:
    transport = cast("WebTransport", plugins.load("transport", "webrtc")(authorize=_same_origin))
    from starlette.responses import FileResponse  # noqa: PLC0415 - a SIP leg needs no web server
    from starlette.routing import Mount, Route  # noqa: PLC0415
    from starlette.staticfiles import StaticFiles  # noqa: PLC0415

    async def page(_request: "Request") -> FileResponse:
        return FileResponse(STATIC / "call.html")

    legs.transports.append(transport)
    legs.routes += [
        Route(wanted.webrtc, page, methods=["GET"]),
        Mount(PARTS, StaticFiles(directory=STATIC)),
        *transport.routes(wanted.webrtc),
    ]
    at = f"{(wanted.public_url or web_address).rstrip('/')}{wanted.webrtc}"
    legs.opened.append(OpenLeg("WebRTC", at, "a page that calls; no other site's pages may"))


@dataclass(frozen=True, slots=True)
class _Visitor:
    """Who calls, as the transport asks for it: an identity of its own for every call."""

    participant_id: str = ""
    room_id: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])


async def _same_origin(request: "Request") -> _Visitor | None:
    """Let no other site's page use this agent."""
    origin = request.headers.get("origin")
    return None if origin is not None and urlsplit(origin).netloc != request.headers.get("host") else _Visitor()
