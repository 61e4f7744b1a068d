"""The board awake: from when it is made until it is closed, whatever lies on the desk by then."""

import anyio
import pytest

from tests.console.office import office
from voice_hitl.console.board import LET_GO_S
from voice_hitl.console.live_board import LiveBoard
from voice_hitl.console.shown import Filters

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


async def test_what_lies_on_the_desk_already_is_shown() -> None:
    async with office() as made:
        pending = await made.ask()
        live = LiveBoard(made.desk)
        assert [each.id for each in live.board.open_for({"supervisors"}, Filters())] == [pending.pending_id]
        await live.close()


async def test_once_it_is_closed_nothing_comes_to_it_and_nothing_wakes_it() -> None:
    async with office() as made:
        pending = await made.ask()
        live = LiveBoard(made.desk)
        live.take(pending.pending_id, "ann")
        await live.close()
        news = live.news()
        made.handler.reject(pending.pending_id)
        await made.ask()
        await anyio.sleep(LET_GO_S + 1)
        assert not news.is_set()
        assert [each.id for each in live.board.open_for({"supervisors"}, Filters())] == [pending.pending_id]
