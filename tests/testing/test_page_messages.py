"""What a page is sent, as a test expects it."""

import json

import pytest

from voice_hitl.testing.page_messages import PageMessages

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]


def sent(*messages: object) -> PageMessages:
    page = PageMessages("page of ada")
    for message in messages:
        page.take_message(json.dumps(message))
    return page


async def test_messages_are_expected_in_their_order_by_type_and_the_fields_that_matter() -> None:
    page = sent({"type": "request.opened", "id": "r1", "risk": "high"}, {"type": "request.settled", "id": "r1"})
    assert (await page.message(type="request.opened", risk="high"))["id"] == "r1"
    await page.message(type="request.settled")
    page.done()


async def test_another_message_and_one_that_nobody_expected_fail() -> None:
    page = sent({"type": "request.opened", "id": "r1"})
    with pytest.raises(AssertionError, match=r"request\.settled"):
        await page.message(type="request.settled")
    with pytest.raises(AssertionError, match="page of ada"):
        sent({"type": "request.opened"}).done()


async def test_what_only_tells_how_the_call_goes_is_counted_and_expected_only_where_it_is_watched() -> None:
    page = sent({"type": "heard"}, {"type": "heard"})
    page.watch("heard")
    page.take_message('{"type": "heard"}')
    await page.message(type="heard")
    page.ignore("heard", "transcript")
    page.take_message('{"type": "heard"}')
    await page.expect_nothing(for_s=1)
    assert page.counts == {"heard": 4}
    page.done()


@pytest.mark.parametrize("text", ["", "[1]", "null", "{"])
async def test_what_is_no_object_is_malformed(text: str) -> None:
    page = PageMessages("page")
    page.take_message(text)
    assert (await page.message(type="malformed"))["text"] == text
