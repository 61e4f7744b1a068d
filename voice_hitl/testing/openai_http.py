"""A local server that speaks OpenAI's other APIs: chat models, speech and transcription, without a key.

Chat Completions and Responses (streamed), `audio/speech` (as PCM: a tone as long as the words are) and
`audio/transcriptions`. As `testing.openai_realtime`, it refuses what the service refuses: a wrong key, a result of no
call, a call without a result, an empty list of tools, a voice that is none::

    async with OpenAIHTTPServer() as server:
        server.on_turn(lambda turn: [Say("One moment."), Call("ask_human", {"question": "May I?"})])
        model = OpenAIChatModel(api_key=server.api_key, base_url=server.base_url)

Needs `starlette` and `uvicorn` (the extra `console` has them). Source: the API reference of OpenAI.
"""

import json
import socket
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from email.parser import BytesParser
from email.policy import HTTP
from types import TracebackType
from typing import Self, cast

import anyio

from voice_hitl.errors import PluginMissing
from voice_hitl.tasks import Job, Tasks
from voice_hitl.testing.openai.fields import Json
from voice_hitl.testing.openai.http import (
    Api,
    ChatStep,
    ChatTurn,
    HangUp,
    Ids,
    Piece,
    check_completion,
    check_response,
    completion,
    response,
    spoken,
)
from voice_hitl.testing.openai.refused import Refused, missing
from voice_hitl.testing.openai.script import Call, Fail, Pause, RunOut, Say, Utterance

try:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse, Response, StreamingResponse
    from starlette.routing import Route
except ImportError as missing_module:
    raise PluginMissing(
        "this server needs starlette and uvicorn: pip install 'voice-hitl[console]'"
    ) from missing_module

__all__ = [
    "Call",
    "ChatStep",
    "ChatTurn",
    "Fail",
    "HangUp",
    "OpenAIHTTPServer",
    "Pause",
    "RunOut",
    "Say",
    "Utterance",
]

WAV_HEADER_BYTES = 44


def _answer(_turn: ChatTurn) -> Sequence[ChatStep]:
    return [Say("I am listening.")]


def _unscripted(_utterance: Utterance) -> str | None:
    return "hello"


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave the process's signals to whoever runs the test."""
        yield


class OpenAIHTTPServer:
    """The server. An async context manager; leaving it raises what the test's script raised.

    Args:
        api_key: The key it takes; any other is refused.
    """

    def __init__(self, *, api_key: str = "sk-test") -> None:
        self.api_key = api_key
        self.requests: list[tuple[str, Mapping[str, object]]] = []
        """What was asked for: the path, and the body or the fields of the form."""
        self._turn: Callable[[ChatTurn], Sequence[ChatStep]] = _answer
        self._understand: Callable[[Utterance], str | None] = _unscripted
        self._ids = Ids()
        self._turns = 0
        self._utterances = 0
        self._failure: Exception | None = None
        self._released = anyio.Event()
        self._socket = socket.socket()
        self._tasks = Tasks("openai http server")
        self._job: Job | None = None
        routes = [
            Route("/v1/chat/completions", self._complete, methods=["POST"]),
            Route("/v1/responses", self._respond, methods=["POST"]),
            Route("/v1/audio/speech", self._speak, methods=["POST"]),
            Route("/v1/audio/transcriptions", self._transcribe, methods=["POST"]),
        ]
        config = uvicorn.Config(Starlette(routes=routes), lifespan="off", log_config=None, timeout_graceful_shutdown=1)
        self._server = _Server(config)

    @property
    def base_url(self) -> str:
        """What to give a client as its `base_url`."""
        host, port = self._socket.getsockname()[:2]
        return f"http://{host}:{port}/v1"

    def on_turn(self, answer: Callable[[ChatTurn], Sequence[ChatStep]]) -> None:
        """Say what the model answers."""
        self._turn = answer

    def on_utterance(self, understand: Callable[[Utterance], str | None]) -> None:
        """Say what audio means (None: nothing that can be made out); else it is "hello"."""
        self._understand = understand

    def release(self, pause: Pause) -> None:
        """Let the model go on from a pause."""
        pause.released = True
        released, self._released = self._released, anyio.Event()
        released.set()

    # --- running -----------------------------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        self._socket.bind(("127.0.0.1", 0))
        self._socket.listen()
        self._job = self._tasks.spawn(self._server.serve([self._socket]), "server")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.should_exit = True
        if self._job is not None:
            await self._job.wait()
        await self._tasks.close()
        self._socket.close()
        if self._failure is not None and error is None:
            raise self._failure

    # --- the APIs ----------------------------------------------------------------------------------------------------

    async def _complete(self, request: Request) -> Response:
        return await self._chat(request, "chat_completions")

    async def _respond(self, request: Request) -> Response:
        return await self._chat(request, "responses")

    async def _chat(self, request: Request, api: Api) -> Response:
        try:
            body = await self._body(request)
            items = check_completion(body) if api == "chat_completions" else check_response(body)
        except Refused as refused:
            return _refusal(refused)
        turn = ChatTurn(self._turns, api, items, body)
        self._turns += 1
        try:
            steps = self._turn(turn)
        except Exception as failure:  # noqa: BLE001 - the test's script is users' code: told when the server closes
            self._failure = self._failure or failure
            return _refusal(Refused("script", "the script raised"), status=500)
        make = completion if api == "chat_completions" else response
        pieces = make(steps, str(body["model"]), self._ids)
        return StreamingResponse(self._stream(pieces), media_type="text/event-stream")

    async def _stream(self, pieces: Iterator[Piece]) -> AsyncIterator[str]:
        for piece in pieces:
            if isinstance(piece, str):
                yield piece
            elif isinstance(piece, HangUp):
                raise ConnectionAbortedError("the script hangs up")
            else:
                while not piece.released:
                    await self._released.wait()

    async def _speak(self, request: Request) -> Response:
        try:
            pcm = spoken(await self._body(request))
        except Refused as refused:
            return _refusal(refused)
        return Response(pcm, media_type="audio/pcm")

    async def _transcribe(self, request: Request) -> Response:
        try:
            self._admit(request)
            form = _form(request.headers.get("content-type", ""), await request.body())
            if "file" not in form:
                raise missing("file")
        except Refused as refused:
            return _refusal(refused)
        fields = {key: value.decode() for key, value in form.items() if key != "file"}
        self.requests.append((request.url.path, fields))
        utterance = Utterance(self._utterances, form["file"][WAV_HEADER_BYTES:])
        self._utterances += 1
        text = self._understand(utterance) or ""
        answer: dict[str, object] = {"text": text}
        if fields.get("include[]") == "logprobs":
            answer["logprobs"] = [{"token": word, "logprob": -0.05} for word in text.split()]
        return JSONResponse(answer)

    async def _body(self, request: Request) -> Json:
        self._admit(request)
        try:
            body: object = json.loads(await request.body())
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise Refused("invalid_json", "We could not parse the JSON body of your request.")
        known = cast("Json", body)
        self.requests.append((request.url.path, known))
        return known

    def _admit(self, request: Request) -> None:
        if request.headers.get("authorization") != f"Bearer {self.api_key}":
            raise Refused("invalid_api_key", "Incorrect API key provided.")


def _refusal(refused: Refused, *, status: int = 400) -> Response:
    error = {"type": "invalid_request_error", "code": refused.code, "message": refused.message, "param": refused.param}
    return JSONResponse({"error": error}, status_code=401 if refused.code == "invalid_api_key" else status)


def _form(content_type: str, body: bytes) -> dict[str, bytes]:
    """The fields of a multipart form."""
    message = BytesParser(policy=HTTP).parsebytes(b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body)
    fields: dict[str, bytes] = {}
    for part in message.iter_parts():
        name = part.get_param("name", header="content-disposition")
        payload = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(payload, bytes):
            fields[name] = payload
    return fields
