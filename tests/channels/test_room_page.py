"""The pages of those in a room: what each of them sees."""

import pytest

from tests.channels.kept import settle_down
from tests.channels.meeting import Meeting
from voice_hitl.channels.room_page import RoomPage
from voice_hitl.provider import Transcript
from voice_hitl.testing import SentToolResult

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


async def test_everybody_sees_the_state_of_the_call_and_what_is_said() -> None:
    async with Meeting() as meeting:
        ada = meeting.person("ada")
        model = await meeting.serve()
        ben = meeting.person("ben")
        for person in (ada, ben):
            person.watch("call.state", "transcript")
        await ben.message(type="call.state", state="live")
        model.emit(Transcript("user", "Let us begin.", True, "i1"))
        for person in (ada, ben):
            await person.message(type="transcript", role="user", text="Let us begin.")
        await meeting.channel.unplug_realtime()
        for person in (ada, ben):
            await person.message(type="call.state", state="ended", reason="us")


async def test_an_applications_own_message_goes_to_all_who_are_there() -> None:
    async with Meeting() as meeting:
        ada, ben, cyd = meeting.person("ada"), meeting.person("ben"), meeting.person("cyd")
        await meeting.serve()
        cyd.leave()
        await settle_down()
        meeting.session().page.tell("agenda", {"items": 3})
        for person in (ada, ben):
            await person.message(type="agenda", items=3)
        await cyd.expect_nothing(for_s=1)


async def test_who_is_not_asked_and_comes_later_sees_no_card() -> None:
    async with Meeting(audience=["ada"]) as meeting:
        ada = meeting.person("ada")
        model = await meeting.serve()
        await meeting.confirm(model)
        ben = meeting.person("ben", quiet=False)
        await ben.expect_nothing(for_s=1)
        ada.send(meeting.answer(meeting.request()))
        await model.expect(SentToolResult, failed=False)
        await ben.expect_nothing(for_s=1)


async def test_every_page_may_be_told_again_and_offers_no_tools() -> None:
    sent: list[tuple[str, str]] = []
    page = RoomPage(
        lambda text, to: sent.append((text, to)),
        participants=["ada", "ben"],
        reachable=True,
        on_digit=lambda _digit, _by: None,
    )
    page.connected()
    page.preparing("c1", "ConfirmAction")
    page.prepared("c1")
    assert [to for _, to in sent] == ["ada", "ben"]
    assert page.participants == ("ada", "ben")
    assert page.tools is None
    await page.handle("{}", by="nobody")
    assert len(sent) == 2
