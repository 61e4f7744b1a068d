"""What the model is told that it may call: a person's tools where a person is reached, and the host's own."""

import json

import pytest

from tests.channels.kept import settle_down
from tests.human_input.told import ScriptedAsker
from tests.parity.door import CONFIRM, WORDS, Door, Setup, error
from tests.parity.rules import rule
from voice_hitl.human_input.tool_handler import HumanInputToolHandler
from voice_hitl.tools.definition import AITool

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


@rule("D1")
async def test_a_persons_tool_is_declared_only_where_somebody_is_reached(
    door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    for reached in (True, False):
        caplog.clear()
        async with door.place(Setup(askers=[ScriptedAsker(reached=reached)])) as place:
            assert ("ConfirmAction" in await place.declared()) is reached
        warned = [record.getMessage() for record in caplog.records if "ConfirmAction" in record.getMessage()]
        assert len(warned) == (not reached), warned


@rule("D1a")
async def test_a_hook_that_listens_reaches_somebody(door: Door) -> None:
    async with door.place(Setup()) as place:
        assert {"ConfirmAction", "AskUser", "look_up"} <= await place.declared()


@rule("D1b")
async def test_withdrawing_is_declared_where_the_model_may(door: Door) -> None:
    for may in (True, False):
        async with door.place(Setup(withdrawable=may)) as place:
            assert ("withdraw_request" in await place.declared()) is may


@rule("D2")
async def test_what_a_handler_of_persons_does_not_define_is_the_hosts_to_declare(
    door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    async with door.place(Setup(tools=[WORDS], defined=False)) as place:
        for _ in range(2):
            await place.issue("ConfirmAction", CONFIRM)
            assert error(await place.read()) == "There is no tool named 'ConfirmAction'."
        await place.issue("AskUser", {"question": "Which day?"})
        await place.end_response()
        assert place.people.handler.resolve(place.request.pending_id, "Monday")
        assert await place.read() == "Monday"
    warned = [record.getMessage() for record in caplog.records if "ConfirmAction" in record.getMessage()]
    assert len(warned) == 1, warned


@rule("D3")
async def test_a_host_tool_under_the_name_of_a_persons_is_an_error(door: Door) -> None:
    with pytest.raises(ValueError, match="ConfirmAction"):
        await door.place(Setup(tools=[AITool("ConfirmAction")])).start()


@rule("D4")
async def test_a_handler_of_persons_in_the_place_of_the_hosts_serves_as_one_and_is_warned_of(
    door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    persons = HumanInputToolHandler({"AskUser"}, timeout=60)
    async with door.place(Setup(tools=[WORDS], handler=persons, persons=False)) as place:
        await place.issue("AskUser", {"question": "Which day?"})
        await settle_down(1)
        (request,) = persons.handler.pending
        assert persons.handler.resolve(request, json.dumps({"day": "Monday"}))
        assert await place.read() == '{"day": "Monday"}'
    assert [record for record in caplog.records if "human_input_handler=" in record.getMessage()]
