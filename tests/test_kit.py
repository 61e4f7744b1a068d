from dataclasses import dataclass, field

import anyio
import pytest

from voice_hitl.enums import ChannelType, HookExecution, HookTrigger
from voice_hitl.events import DigitEvent, ErrorEvent
from voice_hitl.hooks import HookContext, HookResult
from voice_hitl.kit import VoiceKit
from voice_hitl.tasks import current_time

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

CTX = HookContext(None, None, None, "desk")


def pressed(channel_type: ChannelType = ChannelType.REALTIME_VOICE) -> DigitEvent:
    return DigitEvent(
        channel_id="voice",
        channel_type=channel_type,
        room_id="desk",
        session_id="s1",
        participant_id="ada",
        digit="5",
        at=0.0,
    )


@dataclass(eq=False)
class QuietChannel:
    """A channel that only notes what its kit does with it."""

    id: str
    channel_type: ChannelType = ChannelType.REALTIME_VOICE
    closing_takes_s: float = 1
    fails: bool = False
    kit: VoiceKit | None = None
    notes: list[str] = field(default_factory=list[str])

    def bind(self, kit: VoiceKit | None) -> None:
        self.kit = kit
        self.notes.append("bound" if kit else "unbound")

    async def close(self) -> None:
        self.notes.append("closing")
        await anyio.sleep(self.closing_takes_s)
        self.notes.append("closed")
        if self.fails:
            raise OSError("the room would not let go")


async def test_a_registered_channel_uses_the_kits_hooks() -> None:
    kit, channel = VoiceKit(), QuietChannel("voice")
    kit.register_channel(channel)
    assert channel.kit is kit
    assert kit.channels == (channel,)


async def test_a_channel_under_the_same_id_displaces_the_one_before_which_keeps_its_calls_without_hooks() -> None:
    kit, one, two = VoiceKit(), QuietChannel("voice"), QuietChannel("voice")
    kit.register_channel(one)
    kit.register_channel(two)
    assert (one.kit, two.kit, kit.channels) == (None, kit, (two,))
    assert "closing" not in one.notes


async def test_registering_a_channel_again_changes_nothing() -> None:
    kit, channel = VoiceKit(), QuietChannel("voice")
    kit.register_channel(channel)
    kit.register_channel(channel)
    assert channel.kit is kit
    assert "unbound" not in channel.notes


async def test_unregistering_closes_a_channel_while_its_hooks_are_still_heard() -> None:
    kit, channel, other = VoiceKit(), QuietChannel("voice"), QuietChannel("desk")
    kit.register_channel(channel)
    kit.register_channel(other)
    await kit.unregister_channel("voice")
    assert channel.notes == ["bound", "closing", "closed"]
    assert kit.channels == (other,)
    await kit.unregister_channel("voice")


async def test_a_channel_that_took_the_id_meanwhile_stays_registered() -> None:
    kit, one, two = VoiceKit(), QuietChannel("voice"), QuietChannel("voice")
    kit.register_channel(one)
    async with anyio.create_task_group() as group:
        group.start_soon(kit.unregister_channel, "voice")
        await anyio.sleep(0.5)
        kit.register_channel(two)
    assert kit.channels == (two,)
    assert two.kit is kit


async def test_leaving_the_kit_closes_every_channel() -> None:
    voice, desk = QuietChannel("voice"), QuietChannel("desk")
    async with VoiceKit() as kit:
        kit.register_channel(voice)
        kit.register_channel(desk)
    assert voice.notes == desk.notes == ["bound", "closing", "closed"]
    assert kit.channels == ()


async def test_closing_twice_or_from_two_tasks_is_harmless_and_both_wait() -> None:
    kit, channel = VoiceKit(), QuietChannel("voice")
    kit.register_channel(channel)
    ended: list[float] = []

    async def close() -> None:
        await kit.close()
        ended.append(current_time())

    async with anyio.create_task_group() as group:
        group.start_soon(close)
        group.start_soon(close)
    assert ended == [1, 1]
    await kit.close()


async def test_a_channel_that_fails_to_close_keeps_no_other_open() -> None:
    kit, bad, good = VoiceKit(), QuietChannel("bad", fails=True), QuietChannel("good")
    kit.register_channel(bad)
    kit.register_channel(good)
    with pytest.raises(ExceptionGroup, match="could not be closed") as failed:
        await kit.close()
    assert [str(error) for error in failed.value.exceptions] == ["the room would not let go"]
    assert good.notes[-1] == "closed"
    assert kit.channels == ()


async def test_a_close_that_is_cut_can_be_taken_up_again() -> None:
    kit, one, two = VoiceKit(), QuietChannel("one", closing_takes_s=60), QuietChannel("two")
    kit.register_channel(one)
    kit.register_channel(two)
    with anyio.move_on_after(10):
        await kit.close()
    assert kit.channels == (one, two)
    await kit.close()
    assert two.notes[-1] == "closed"


async def test_a_hook_is_registered_by_its_decorator_with_everything_it_takes() -> None:
    kit = VoiceKit()
    ran: list[str] = []

    @kit.hook(HookTrigger.ON_DIGIT, priority=2, name="second", timeout=1, fail_closed=True)
    async def hangs(_event: DigitEvent, _ctx: HookContext) -> None:
        ran.append("second")
        await anyio.sleep_forever()

    @kit.hook(HookTrigger.ON_DIGIT, priority=1, channel_types=[ChannelType.CONFERENCE])
    async def first(_event: DigitEvent, _ctx: HookContext) -> HookResult | None:
        ran.append("first")
        return None

    @kit.hook(HookTrigger.ON_DIGIT, HookExecution.ASYNC)
    async def beside(_event: DigitEvent, _ctx: HookContext) -> None:
        ran.append("beside")

    decision = await kit.hooks.decide(HookTrigger.ON_DIGIT, pressed(ChannelType.CONFERENCE), CTX)
    assert ran == ["first", "second"]
    assert (decision.blocked, decision.failure) == (True, "hook second took longer than 1 s")
    assert await first(pressed(), CTX) is None


async def test_closing_lets_hooks_that_are_told_of_failures_end() -> None:
    kit = VoiceKit()
    told: list[str] = []

    @kit.hook(HookTrigger.ON_DIGIT)
    async def broken(_event: DigitEvent, _ctx: HookContext) -> None:
        raise LookupError

    @kit.hook(HookTrigger.ON_ERROR)
    async def tell(event: ErrorEvent, _ctx: HookContext) -> None:
        await anyio.sleep(0.5)
        told.append(event.source)

    await kit.hooks.decide(HookTrigger.ON_DIGIT, pressed(), CTX)
    await kit.close()
    assert len(told) == 1
    assert "broken" in told[0]
