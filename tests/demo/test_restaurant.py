"""The restaurant of the demo."""

import pytest

from voice_hitl.demo.restaurant import BOOK_TABLE, Restaurant
from voice_hitl.errors import UnservedToolCallError

pytestmark = pytest.mark.anyio

BOOKING = {"name": "Lee", "party_size": 4, "day": "tomorrow", "time": "7 pm"}


async def test_a_booking_is_kept_under_a_reference() -> None:
    restaurant = Restaurant()
    first = await restaurant.serve(BOOK_TABLE.name, BOOKING)
    second = await restaurant.serve(BOOK_TABLE.name, BOOKING)
    assert first == {"booked": True, "reference": "T-1041", **BOOKING}
    assert second["reference"] == "T-1042"
    assert restaurant.bookings == [BOOKING, BOOKING]


async def test_another_tool_is_not_its_business() -> None:
    with pytest.raises(UnservedToolCallError):
        await Restaurant().serve("order_pizza", {})
