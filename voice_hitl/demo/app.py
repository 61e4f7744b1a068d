"""The demo: a caller's page, an operator's page, and between them an agent whose tools only a person can answer."""

import html
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Protocol, cast, runtime_checkable
from urllib.parse import urlsplit

import anyio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from voice_hitl import plugins
from voice_hitl.asker import CALLER, Asker
from voice_hitl.askers.card import CardAsker
from voice_hitl.askers.console import ConsoleAsker
from voice_hitl.askers.desk import Desk
from voice_hitl.askers.hold import HoldLines
from voice_hitl.askers.spoken import SpokenAsker
from voice_hitl.channels.on_call import CallSetup
from voice_hitl.channels.session import VoiceSession
from voice_hitl.channels.voice import RealtimeVoiceChannel
from voice_hitl.console.app import Console
from voice_hitl.demo.model import DemoModel, embedded_model
from voice_hitl.demo.restaurant import BOOK_TABLE, PICK_TIME, SUPERVISORS, SYSTEM_PROMPT, Restaurant
from voice_hitl.enums import HookExecution, HookTrigger
from voice_hitl.errors import StoreUnavailable
from voice_hitl.events import DigitEvent, HeardEvent, SessionEvent, ToolCallEvent
from voice_hitl.hooks import HookContext
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.kit import VoiceKit
from voice_hitl.messages import instant
from voice_hitl.provider import Provider
from voice_hitl.store import Store
from voice_hitl.stores.sqlite import SQLiteStore
from voice_hitl.tools.asking import confirm_action
from voice_hitl.transport import LegInfo, Transport

TIMEOUT_S: Final = 60.0
"""How long the person has for an answer."""

OPERATORS: Final = "/console"
"""Where the operators' console is."""

GREET: Final = "The caller is on the line now. Greet them in one short sentence, and ask what you can do for them."

PAGE: Final = Path(__file__).parent / "static"
CLIENT: Final = Path(__file__).parents[1] / "static" / "voice-hitl.js"
WHERE_IT_RUNS: Final = "<!-- where it runs -->"
"""The place on the page where a person is told where their voice goes."""


class WebTransport(Transport, Protocol):
    """A transport whose calls are set up over HTTP."""

    def routes(self, path: str = "/offer") -> list[BaseRoute]:
        """The routes a page posts its offer to."""
        ...


@runtime_checkable
class Preloads(Protocol):
    """A provider that has something to load before its first call."""

    async def preload(self) -> None:
        """Load it."""
        ...


@runtime_checkable
class Closes(Protocol):
    """A voice that has connections to let go."""

    async def aclose(self) -> None:
        """Let them go."""
        ...


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who calls, as the transport asks for it. Everybody in front of this machine is the same person."""

    participant_id: str = "guest"
    room_id: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Demo:
    """A running demo: serve `app`, then `close` it."""

    app: Starlette
    kit: VoiceKit
    voice: RealtimeVoiceChannel
    model: DemoModel
    transport: WebTransport
    restaurant: Restaurant
    human: HumanInputHandler
    console: Console
    store: Store | None = None

    async def preload(self) -> None:
        """Load what the agent's voice needs, so that the first caller does not wait for it.

        Raises:
            ProviderError: It cannot be loaded.
        """
        if isinstance(self.model.provider, Preloads):
            await self.model.provider.preload()

    async def close(self) -> None:
        """Hang up every call and end everything; closing twice is harmless."""
        await self.kit.close()
        await self.transport.aclose()
        await self.console.close()
        await self.human.close()
        if self.store is not None:
            await self.store.aclose()
        if isinstance(self.model.speaker, Closes):
            await self.model.speaker.aclose()


def create_demo(
    model: DemoModel | None = None,
    *,
    provider: Provider | None = None,
    timeout: float = TIMEOUT_S,
    data: Path | None = None,
) -> Demo:
    """Put the demo together.

    Args:
        model: What it runs on; by default the embedded model.
        provider: Short for a model of this provider that speaks first.
        timeout: Seconds the person has for an answer.
        data: The folder in which bookings and open approvals outlive the demo; None: nothing does.

    Raises:
        PluginMissing: The embedded provider or the WebRTC transport is not installed.
        StoreUnavailable: There is no such folder, and it cannot be made.
    """
    transport = _load_transport()(authorize=_same_origin)
    kit = VoiceKit()
    if data is not None:
        _make_folder(data)
    restaurant = Restaurant(data / "bookings.jsonl" if data is not None else None)
    store = SQLiteStore(data / "requests.db") if data is not None else None
    human = HumanInputHandler(store=store, tools=[BOOK_TABLE], tool_handler=restaurant.serve)
    desk = Desk()
    # Whoever opens the page on this very machine is a supervisor: a demo has no accounts.
    kept = human if store is not None else None
    console = Console(desk=desk, anonymous=(SUPERVISORS,), handler=kept, store=store)
    if model is None:
        model = DemoModel(provider=provider) if provider is not None else embedded_model()
    voice = RealtimeVoiceChannel(
        "front desk",
        provider=model.provider,
        transport=transport,
        system_prompt=SYSTEM_PROMPT,
        tools=[BOOK_TABLE],
        tool_handler=restaurant.serve,
        human_input_handler=HumanInputToolHandler(
            {"ConfirmAction"},
            timeout=timeout,
            handler=human,
            tool_definitions=[confirm_action()],
            askers=_askers(model, desk),
            audience=(CALLER,),
        ),
        frontend_tools={PICK_TIME} if model.provider.capabilities.reconfigures != "none" else False,
        on_call=_in_a_room,
    )
    kit.register_channel(voice)
    console.follow(kit, human)
    kit.hook(HookTrigger.BEFORE_TOOL_USE, HookExecution.SYNC)(_called)
    kit.hook(HookTrigger.ON_TOOL_CALL, HookExecution.ASYNC)(_reported)
    kit.hook(HookTrigger.ON_HEARD, HookExecution.ASYNC)(_heard)
    kit.hook(HookTrigger.ON_DIGIT, HookExecution.ASYNC)(_pressed)
    if not model.speaks_first:
        kit.hook(HookTrigger.ON_SESSION_STARTED, HookExecution.ASYNC)(_greet)
    app = Starlette(routes=[Mount(OPERATORS, console.app), *_routes(transport, model)])
    return Demo(app, kit, voice, model, transport, restaurant, human, console, store)


def _make_folder(data: Path) -> None:
    try:
        data.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = f"the folder {data} cannot be made ({error.strerror}): name another one with --data"
        raise StoreUnavailable(why) from error


def _askers(model: DemoModel, desk: Desk) -> list[Asker]:
    """The caller on a card, and aloud where the model can be kept from answering; the supervisors at their console."""
    capabilities = model.provider.capabilities
    aloud: tuple[SpokenAsker | HoldLines, ...] = (SpokenAsker(speaker=model.speaker), HoldLines(speaker=model.speaker))
    return [
        *(each for each in aloud if each.why_not(capabilities) is None),
        CardAsker(),
        ConsoleAsker(SUPERVISORS, desk),
    ]


def _load_transport() -> Callable[..., WebTransport]:
    return cast("Callable[..., WebTransport]", plugins.load("transport", "webrtc"))


def _routes(transport: WebTransport, model: DemoModel) -> list[BaseRoute]:
    async def page(_request: Request) -> HTMLResponse:
        text = await anyio.Path(PAGE / "index.html").read_text()
        return HTMLResponse(text.replace(WHERE_IT_RUNS, html.escape(model.told)))

    async def client(_request: Request) -> FileResponse:
        return FileResponse(CLIENT, media_type="text/javascript")

    return [
        *transport.routes("/offer"),
        Route("/", page),
        Route("/voice-hitl.js", client),
        Mount("/", StaticFiles(directory=PAGE, packages=[("voice_hitl", "static")], html=True)),
    ]


async def _same_origin(request: Request) -> Visitor | None:
    """Let no other site's page use this machine's agent."""
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        return None
    return Visitor()


async def _in_a_room(info: LegInfo) -> CallSetup:
    """A room for each call, by a name that a supervisor can read out: a page that comes back has the same."""
    return CallSetup(room_id=f"call {info.call_id[:4]}")


async def _greet(_event: SessionEvent, context: HookContext) -> None:
    if isinstance(context.session, VoiceSession):
        await context.session.inject(GREET, silent=False)


# What the page is shown of the agent's side. The check takes its instants from the same messages.


async def _called(event: ToolCallEvent, context: HookContext) -> None:
    _tell(context, "tool.called", {"call": event.tool_call_id, "tool": event.tool_name})


async def _reported(event: ToolCallEvent, context: HookContext) -> None:
    body = {
        "call": event.tool_call_id,
        "tool": event.tool_name,
        "outcome": _outcome(event),
        "text": (event.result or "")[:10_000],
    }
    _tell(context, "tool.result", body)


async def _heard(event: HeardEvent, context: HookContext) -> None:
    body = {"text": event.text, "reading": event.reading, "why": event.why, "via": event.via}
    _tell(context, "heard", {**body, "pending_id": event.pending_id})


async def _pressed(event: DigitEvent, context: HookContext) -> None:
    _tell(context, "digit", {"digit": event.digit})


def _tell(context: HookContext, type: str, body: Mapping[str, object]) -> None:
    if isinstance(context.session, VoiceSession):
        context.session.page.tell(type, {**body, "at": instant(datetime.now(UTC))})


def _outcome(event: ToolCallEvent) -> str:
    if event.cancelled:
        return "cancelled"
    if event.refused:
        return "refused"
    return "failed" if event.is_error else "served"
