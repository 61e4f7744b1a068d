import anyio
import pytest

from voice_hitl.channels.setting_up import SetUps

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


async def test_what_is_being_set_up_is_cut_when_its_owner_closes_and_says_why() -> None:
    set_ups = SetUps("channel 'desk'")
    refused: list[str] = []

    async def set_up() -> None:
        try:
            with set_ups.one():
                await anyio.sleep(60)
        except RuntimeError as error:
            refused.append(str(error))

    async with anyio.create_task_group() as group:
        group.start_soon(set_up)
        await anyio.sleep(1)
        await set_ups.cut()
    assert refused == ["channel 'desk' is closed"]


async def test_nothing_is_set_up_for_an_owner_that_is_closed() -> None:
    set_ups = SetUps("channel 'desk'")
    await set_ups.cut()
    with pytest.raises(RuntimeError, match="is closed"), set_ups.one():
        pass


async def test_what_was_set_up_before_is_left_alone() -> None:
    set_ups = SetUps("channel 'desk'")
    with set_ups.one():
        pass
    await set_ups.cut()
