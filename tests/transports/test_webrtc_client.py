import sys
from subprocess import run

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from tests.transports.webrtc_agent import serving
from voice_hitl.errors import InvalidOffer
from voice_hitl.transport import CallRejected
from voice_hitl_webrtc import call

pytestmark = pytest.mark.anyio


def answering(response: Response) -> Route:
    async def answer(_request: Request) -> Response:
        return response

    return Route("/offer", answer, methods=["POST"])


async def test_an_address_that_cannot_be_called_is_refused_at_once() -> None:
    for address in ("ftp://127.0.0.1/offer", "/offer", "file:///etc/hosts"):
        with pytest.raises(ValueError, match="no address to call"):
            await call(address)


async def test_nobody_answering_is_said_with_the_address() -> None:
    with pytest.raises(ConnectionError, match=r"127\.0\.0\.1:9/offer"):
        await call("http://127.0.0.1:9/offer")


async def test_a_refusal_carries_its_status_and_its_words() -> None:
    async with serving([answering(JSONResponse({"error": "busy"}, status_code=486))]) as url:
        with pytest.raises(CallRejected, match="busy") as refused:
            await call(f"{url}/offer")
        assert refused.value.code == 486


async def test_a_refusal_without_words_still_says_who_refused() -> None:
    async with serving([answering(PlainTextResponse("no", status_code=404))]) as url:
        with pytest.raises(CallRejected, match="refused the call \\(404\\)"):
            await call(f"{url}/offer")


@pytest.mark.parametrize("body", [{}, {"sdp": 1}, {"sdp": "hello"}, {"sdp": "v=0\r\nm=audio 9 RTP 0\r\n"}])
async def test_an_answer_that_is_none_is_told(body: dict[str, object]) -> None:
    async with serving([answering(JSONResponse(body))]) as url:
        with pytest.raises(InvalidOffer):
            await call(f"{url}/offer")


def test_without_its_extra_the_plugin_says_what_to_install() -> None:
    program = "import sys; sys.modules['aiortc'] = None; import voice_hitl_webrtc"
    found = run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert "pip install 'voice-hitl[webrtc]'" in found.stderr
