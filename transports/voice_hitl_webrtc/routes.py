"""The HTTP side of a call's set-up: a page posts its offer and gets the answer."""

from collections.abc import Awaitable, Callable, Mapping
from typing import cast

from pydantic_core import from_json

from voice_hitl.errors import InvalidOffer, PluginMissing
from voice_hitl.transport import CallRejected
from voice_hitl_webrtc import sdp
from voice_hitl_webrtc.offer import Authorize, Caller, WebRTCOffer

try:
    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.routing import Route
except ImportError as missing:
    raise PluginMissing(
        "starlette is not installed, which the offer's route needs: pip install 'voice-hitl[webrtc]'"
    ) from missing

MAX_BODY = sdp.MAX_BYTES + 8_192
"""The longest request: the SDP and what JSON and a few fields of the page's own add."""

MAX_CALL_ID = 128

Take = Callable[[str, Caller, str], Awaitable[WebRTCOffer]]


class _Refused(Exception):  # noqa: N818 - an answer to a request, not a fault
    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


def offer_route(path: str, authorize: Authorize, take: Take) -> Route:
    """A Starlette route that gives offers to `take`."""

    async def post(request: Request) -> JSONResponse:
        caller = await authorize(request)
        if caller is None:
            return _refusal(401, "you may not call here: sign in first")
        try:
            offer_sdp, call_id = _read(await _body(request))
            offer = await take(offer_sdp, caller, call_id)
        except _Refused as refused:
            return _refusal(refused.status, str(refused))
        except InvalidOffer as invalid:
            return _refusal(400, str(invalid))
        except CallRejected as rejected:
            return _refusal(rejected.code, str(rejected))
        return JSONResponse({"sdp": offer.answer, "type": "answer", "call_id": offer.call_id})

    return Route(path, post, methods=["POST"])


def _refusal(status: int, why: str) -> JSONResponse:
    return JSONResponse({"error": why}, status_code=status)


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            raise _Refused(413, f"an offer has at most {MAX_BODY} bytes: offer one audio stream and a data channel")
    return bytes(body)


def _read(body: bytes) -> tuple[str, str]:
    """The SDP and the call id of a request's body."""
    expected = 'post JSON of the form {"sdp": "...", "type": "offer"}'
    try:
        # Stricter than json.loads: no half of a surrogate pair, which could not be sent back; no depth that raises.
        offer: object = from_json(body)
    except ValueError as error:
        raise _Refused(400, f"the request is no JSON ({error}): {expected}") from error
    if not isinstance(offer, dict):
        raise _Refused(400, f"the request is no JSON object: {expected}")
    fields = cast("Mapping[str, object]", offer)
    text, kind, call_id = fields.get("sdp"), fields.get("type", "offer"), fields.get("call_id", "")
    if not isinstance(text, str):
        raise _Refused(400, f"there is no text sdp in the request: {expected}")
    if kind != "offer":
        raise _Refused(400, f"the SDP is of type {kind!r}: {expected}")
    if not isinstance(call_id, str) or len(call_id) > MAX_CALL_ID:
        raise _Refused(400, f"call_id is not a text of at most {MAX_CALL_ID} characters")
    return text, call_id
