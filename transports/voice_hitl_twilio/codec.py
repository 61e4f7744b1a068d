"""Twilio Media Streams on the wire: JSON messages in, JSON messages out. Pure.

The source of the rules is Twilio's "Media Streams - WebSocket Messages". Numbers come as strings; audio is mu-law, 8
kHz, base64; `mark` comes back when what was sent before it was played, or dropped by `clear`.
"""

import base64
import binascii
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

MAX_MESSAGE = 64 * 1024
"""Characters of a message; Twilio's are far shorter."""

MAX_AUDIO = 8_000
"""Bytes of mu-law in one message: a second. Twilio sends 160."""

DIGITS = frozenset("0123456789*#ABCD")

_SID = re.compile(r"[A-Za-z0-9]{1,64}")
"""What names a call or a stream at Twilio: it stands in the path of the REST API."""


@dataclass(frozen=True, slots=True)
class Start:
    """The stream begins: which call it is, and what the TwiML gave along."""

    stream_id: str
    call_id: str
    parameters: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Media:
    """Some of the caller's voice, mu-law. `chunk` counts from 1: what comes late or twice is known by it."""

    ulaw: bytes
    chunk: int


@dataclass(frozen=True, slots=True)
class Dtmf:
    """A key."""

    digit: str


@dataclass(frozen=True, slots=True)
class Stop:
    """The call is over."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """A message that asks for nothing: `connected`, a mark that comes back, or one that Twilio may add later."""


Event = Start | Media | Dtmf | Stop | Nothing


class Malformed(ValueError):  # noqa: N818 - named by its cause
    """A message that is none of Twilio's. The text says why."""


def parse(text: str) -> Event:
    """Read one message; `Malformed` where it is none."""
    if len(text) > MAX_MESSAGE:
        raise Malformed(f"a message of {len(text)} characters")
    try:
        decoded: object = json.loads(text)
    except (ValueError, RecursionError):
        raise Malformed("not JSON") from None
    if not isinstance(decoded, Mapping):
        raise Malformed("not an object")
    message = cast("Mapping[str, object]", decoded)
    match message.get("event"):
        case "start":
            return _start(_member(message, "start"), message)
        case "media":
            return _media(_member(message, "media"))
        case "dtmf":
            return _dtmf(_member(message, "dtmf"))
        case "stop":
            return Stop()
        case str():
            return Nothing()
        case _:
            raise Malformed("no event")


def media(stream_id: str, ulaw: bytes) -> str:
    """Some of our voice."""
    return json.dumps(
        {"event": "media", "streamSid": stream_id, "media": {"payload": base64.b64encode(ulaw).decode("ascii")}}
    )


def mark(stream_id: str, name: str) -> str:
    """A mark: it comes back when what was sent before it was played."""
    return json.dumps({"event": "mark", "streamSid": stream_id, "mark": {"name": name}})


def clear(stream_id: str) -> str:
    """Drop all that was sent and not played."""
    return json.dumps({"event": "clear", "streamSid": stream_id})


def _start(start: Mapping[str, object], message: Mapping[str, object]) -> Start:
    given = start.get("customParameters")
    parameters = cast("Mapping[str, object]", given) if isinstance(given, Mapping) else dict[str, object]()
    ids = {**start, "streamSid": message.get("streamSid", start.get("streamSid"))}
    return Start(_sid(ids, "streamSid"), _sid(ids, "callSid"), {name: str(value) for name, value in parameters.items()})


def _media(body: Mapping[str, object]) -> Media:
    try:
        ulaw = base64.b64decode(_text(body, "payload"), validate=True)
    except (binascii.Error, ValueError):
        raise Malformed("media that is not base64") from None
    if len(ulaw) > MAX_AUDIO:
        raise Malformed(f"{len(ulaw)} bytes of media in one message")
    return Media(ulaw, _number(body.get("chunk", "0")))


def _dtmf(body: Mapping[str, object]) -> Dtmf:
    digit = _text(body, "digit").upper()
    if digit not in DIGITS:
        raise Malformed("a key that no telephone has")
    return Dtmf(digit)


def _member(message: Mapping[str, object], name: str) -> Mapping[str, object]:
    member = message.get(name)
    if not isinstance(member, Mapping):
        raise Malformed(f"no {name} in it")
    return cast("Mapping[str, object]", member)


def _text(body: Mapping[str, object], name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str):
        raise Malformed(f"no {name} in it")
    return value


def _sid(body: Mapping[str, object], name: str) -> str:
    sid = _text(body, name)
    if not _SID.fullmatch(sid):
        raise Malformed(f"a {name} that is none of Twilio's")
    return sid


def _number(value: object) -> int:
    text = str(value)
    return int(text) if text.isdecimal() and len(text) < 16 else 0
