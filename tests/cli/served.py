"""A user's file for `voice-hitl serve`: an agent that greets, and says which key was pressed."""

from collections.abc import Sequence

from voice_hitl import DigitEvent, HookContext, HookExecution, HookTrigger, RealtimeVoiceChannel, VoiceKit, VoiceSession
from voice_hitl.provider import AudioOut, ResponseEnded, ResponseStarted
from voice_hitl.testing import Forgot, Held, Injected, Interrupted, ScriptedProvider, SentAudio
from voice_hitl.testing.scripted_connection import ScriptedConnection
from voice_hitl.testing.tones import tone
from voice_hitl.transport import Transport

kit = VoiceKit()
ONLY_COUNTED = (SentAudio, Injected, Forgot, Held, Interrupted)
nothing = 7


async def greet(model: ScriptedConnection) -> None:
    model.emit(ResponseStarted("hello"), AudioOut(tone(440, 600), "hello", 0, "hello"), ResponseEnded("hello"))


def channel(transport: Transport) -> RealtimeVoiceChannel:
    made = RealtimeVoiceChannel(
        "desk", provider=ScriptedProvider(script=greet, ignore=ONLY_COUNTED), transport=transport
    )
    kit.register_channel(made)
    kit.hook(HookTrigger.ON_DIGIT, HookExecution.ASYNC)(pressed)
    return made


async def pressed(event: DigitEvent, context: HookContext) -> None:
    print(f"key {event.digit}", flush=True)  # noqa: T201 - what the test reads
    assert isinstance(context.session, VoiceSession)


async def later(transport: Transport) -> RealtimeVoiceChannel:
    return channel(transport)


def no_channel(_transport: Transport) -> Sequence[str]:
    return ()
