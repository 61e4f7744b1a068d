"""A conference channel with a scripted model and scripted rooms, and everything a test needs to look at."""

import json
from collections.abc import Collection, Mapping, Sequence
from types import TracebackType

import anyio
import numpy as np

from tests.channels.kept import LOOK_UP, RunningTasks, kept, settle_down
from voice_hitl.asker import Asker
from voice_hitl.askers.card import CardAsker
from voice_hitl.channels.conference import ConferenceChannel
from voice_hitl.channels.plug import ConferenceRealtimeConfig, RoomToolHandler
from voice_hitl.channels.session import VoiceSession
from voice_hitl.conference import ConferenceCapabilities
from voice_hitl.enums import HookTrigger
from voice_hitl.events import (
    BargeInEvent,
    DigitEvent,
    ErrorEvent,
    ParticipantEvent,
    SessionEvent,
    SpeechEvent,
    ToolCallEvent,
)
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.kit import VoiceKit
from voice_hitl.provider import ProviderCapabilities
from voice_hitl.requests.pending import PendingInput, PendingInputEvent
from voice_hitl.testing import (
    Forgot,
    Injected,
    Interrupted,
    Responded,
    ScriptedConference,
    ScriptedConnection,
    ScriptedParticipant,
    ScriptedProvider,
    ScriptedRoom,
)
from voice_hitl.tools.asking import confirm_action
from voice_hitl.tools.definition import AITool

CONFIRM = {"action": "Send the minutes."}
CARDS = ("request.opened", "request.changed", "request.settled", "ok", "refused")


async def look_up(room_id: str, name: str, arguments: dict[str, object]) -> object:
    return {"found": arguments.get("q"), "by": name, "in": room_id}


class Meeting:
    """As a context manager it closes the kit, and then nothing may be left: no command, no message, no task."""

    def __init__(
        self,
        *,
        audience: Sequence[str] = (),
        capabilities: ConferenceCapabilities | None = None,
        model: ProviderCapabilities | None = None,
        askers: Sequence[Asker] = (CardAsker(),),
        handler: RoomToolHandler | None = look_up,
        tools: Sequence[AITool] = (LOOK_UP,),
        timeout: float = 60,
        rate: int = 24_000,
        provider: ScriptedProvider | None = None,
    ) -> None:
        self.provider = provider or ScriptedProvider(capabilities=model)
        self.conference = ScriptedConference(capabilities=capabilities)
        self.requests = HumanInputHandler()
        self.human = HumanInputToolHandler(
            {"ConfirmAction"},
            timeout,
            self.requests,
            [confirm_action()],
            askers=askers,
            audience=audience,
        )
        self.config = ConferenceRealtimeConfig(
            self.provider, human_input_handler=self.human, tools=tools, tool_handler=handler
        )
        self.channel = ConferenceChannel("agent", backend=self.conference, rate=rate)
        self.kit = VoiceKit()
        self.kit.register_channel(self.channel)
        self.asked = kept(self.kit, PendingInputEvent, HookTrigger.ON_USER_INPUT_REQUIRED)
        self.settled = kept(self.kit, PendingInputEvent, HookTrigger.ON_USER_INPUT_SETTLED)
        self.reports = kept(self.kit, ToolCallEvent, HookTrigger.ON_TOOL_CALL)
        self.sessions = kept(self.kit, SessionEvent, HookTrigger.ON_SESSION_STARTED, HookTrigger.ON_SESSION_ENDED)
        self.errors = kept(self.kit, ErrorEvent, HookTrigger.ON_ERROR)
        self.barge_ins = kept(self.kit, BargeInEvent, HookTrigger.ON_BARGE_IN)
        self.digits = kept(self.kit, DigitEvent, HookTrigger.ON_DIGIT)
        self.speech = kept(self.kit, SpeechEvent, HookTrigger.ON_SPEECH_STARTED)
        self.joined = kept(self.kit, ParticipantEvent, HookTrigger.ON_PARTICIPANT_JOINED)
        self.gone = kept(self.kit, ParticipantEvent, HookTrigger.ON_PARTICIPANT_LEFT)

    # --- what a test does --------------------------------------------------------------------------------------------

    def room(self, room_id: str = "standup") -> ScriptedRoom:
        return self.conference.room(room_id)

    def person(self, identity: str, room_id: str = "standup", *, quiet: bool = True) -> ScriptedParticipant:
        """Somebody comes in. `quiet`: what comes to their page is only counted."""
        person = self.room(room_id).join(identity)
        if quiet:
            person.ignore(*CARDS)
        return person

    def session(self, room_id: str = "standup") -> VoiceSession:
        session = self.channel.session(room_id)
        assert session is not None
        return session

    async def model(self) -> ScriptedConnection:
        """The next session's connection; notes, going on and interruptions are only counted."""
        model = await self.provider.connected()
        model.ignore(Injected, Forgot, Responded, Interrupted)
        await settle_down()
        return model

    async def serve(self, room_id: str = "standup", people: Collection[str] = ()) -> ScriptedConnection:
        """The agent comes into a room where these are, with the model plugged."""
        for each in people:
            self.person(each, room_id)
        if not self.channel.sessions:
            await self.channel.plug_realtime(self.config)
        await self.channel.attach(room_id)
        return await self.model()

    async def confirm(self, model: ScriptedConnection, call_id: str = "") -> str:
        """The model asks for a confirmation, which opens a request."""
        call_id = model.call_tool("ConfirmAction", json.dumps(CONFIRM), call_id=call_id)
        await settle_down()
        return call_id

    def request(self, room_id: str = "standup") -> PendingInput:
        """The one request that is open in a room."""
        (request,) = self.session(room_id).open_requests
        return request

    def answer(self, request: PendingInput, value: object = True) -> Mapping[str, object]:
        """What a page sends to answer."""
        answer = {"action": "answer", "value": value}
        return {"v": 1, "type": "request.answer", "id": "m1", "pending_id": request.pending_id, "answer": answer}

    async def __aenter__(self) -> "Meeting":
        self._tasks = RunningTasks()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with anyio.fail_after(60):
            await self.kit.close()
        if kind is None:
            self._tasks.check()
            assert self.requests.pending == {}
            self.provider.done()
            self.conference.done()


def voice(ms: int, rate: int = 24_000, *, pitch: int = 120) -> bytes:
    """Something that the detector of voices takes for one: a buzz at this pitch, with the formants of an "ah"."""
    time = np.arange(rate * ms // 1000) / rate
    partials = [
        (n * pitch, 1 / (1 + abs(n * pitch - 700) / 200) + 1 / (1 + abs(n * pitch - 1_200) / 200))
        for n in range(1, 2_900 // pitch)
    ]
    wave = sum(weight * np.sin(2 * np.pi * hertz * time) for hertz, weight in partials)
    return (np.asarray(wave) * 2_500).astype(np.int16).tobytes()
