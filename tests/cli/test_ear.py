"""What can be known of a call from outside."""

import anyio
import pytest

from tests.cli.far_end import LOUD, SILENCE, FarEnd
from voice_hitl.cli.ear import CallEnded, Ear
from voice_hitl.tasks import current_time
from voice_hitl.transport import Played

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


async def test_the_first_sign_of_the_far_end_is_the_connection() -> None:
    far = FarEnd()
    ear = Ear(far)
    async with anyio.create_task_group() as group:
        group.start_soon(ear.listen)
        await anyio.sleep(1)
        far.say(SILENCE)
        assert await ear.connected() == 1
        far.end()


async def test_a_voice_is_heard_and_silence_is_not() -> None:
    far = FarEnd()
    ear = Ear(far)
    async with anyio.create_task_group() as group:
        group.start_soon(ear.listen)
        await ear.quiet(for_s=1)
        far.say(SILENCE, b"")
        await anyio.sleep(2)
        far.say(LOUD)
        assert await ear.voice(after=0) == 2
        await ear.quiet(for_s=0.5)
        assert current_time() == 2.5
        far.end()


async def test_a_message_is_found_whether_it_came_already_or_comes_later() -> None:
    far = FarEnd()
    ear = Ear(far)
    async with anyio.create_task_group() as group:
        group.start_soon(ear.listen)
        far.send_raw("no message")
        far.tell("transcript", text="hello")
        assert (await ear.message(lambda heard: heard.type == "transcript")).arrived is not None
        far.tell("request.opened", pending_id="p")
        assert (await ear.message(lambda heard: heard.pending_id == "p")).type == "request.opened"
        assert len(ear.messages) == 2
        far.end()


@pytest.mark.parametrize("how", ["vanish", "end"])
async def test_waiting_ends_with_the_call_and_says_how_that_was(how: str) -> None:
    far = FarEnd()
    ear = Ear(far)
    async with anyio.create_task_group() as group:
        group.start_soon(ear.listen)
        far.vanish() if how == "vanish" else far.end()
        with pytest.raises(CallEnded, match="vanished" if how == "vanish" else "ended the call"):
            await ear.connected()
        with pytest.raises(CallEnded):
            await ear.voice(after=0)
        far.end()


async def test_what_our_own_side_played_is_nothing_of_the_far_ends() -> None:
    far = FarEnd()
    ear = Ear(far)
    far.events().put(Played("caller", 20, 0))  # type: ignore[attr-defined]  # the test's side of the mailbox
    far.end()
    await ear.listen()
    with pytest.raises(CallEnded):
        await ear.connected()
