"""What a voice channel's hooks are told of its requests, and that a call does not end before they have ended."""

import json

import anyio
import pytest

from voice_hitl.askers.card import CardAsker
from voice_hitl.channels.voice import RealtimeVoiceChannel
from voice_hitl.enums import ChannelType, HookExecution, HookTrigger, RequestEnd
from voice_hitl.hooks import HookContext
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.kit import VoiceKit
from voice_hitl.requests.pending import PendingInputEvent
from voice_hitl.testing import Forgot, Injected, LoopbackTransport, ScriptedProvider
from voice_hitl.tools.asking import confirm_action

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


async def test_a_call_ends_when_its_requests_are_announced_and_those_who_only_watch_have_ended() -> None:
    provider, transport = ScriptedProvider(), LoopbackTransport()
    human = HumanInputToolHandler({"ConfirmAction"}, tool_definitions=[confirm_action()], askers=[CardAsker()])
    channel = RealtimeVoiceChannel("voice", provider=provider, transport=transport, human_input_handler=human)
    kit = VoiceKit()
    kit.register_channel(channel)
    told: list[tuple[str, object, object]] = []

    @kit.hook(HookTrigger.ON_USER_INPUT_REQUIRED)
    async def required(event: PendingInputEvent, ctx: HookContext) -> None:
        told.append(("required", event.channel_type, ctx.session))

    @kit.hook(HookTrigger.ON_USER_INPUT_SETTLED, HookExecution.ASYNC)
    async def watches(event: PendingInputEvent, ctx: HookContext) -> None:
        await anyio.sleep(0.5)
        told.append(("settled", event.end, ctx.session))

    with provider, transport:
        caller = await transport.call(participant_id="ada", room_id="desk")
        model = await provider.connected()
        model.ignore(Injected, Forgot)
        model.call_tool("ConfirmAction", json.dumps({"action": "Book a table for four."}))
        await caller.message(type="request.opened", status="inProgress")
        await caller.message(type="request.opened", status="executing")
        await caller.message(type="request.changed", status="executing")
        (session,) = channel.sessions
        caller.hang_up()
        with anyio.fail_after(30):
            await session.closed.wait()
        assert told == [
            ("required", ChannelType.REALTIME_VOICE, session),
            ("settled", RequestEnd.WITHDRAWN, session),
        ]
        await kit.close()
